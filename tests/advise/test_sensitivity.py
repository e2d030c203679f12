import json
from types import SimpleNamespace

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

import whether as wh
from whether.advise.standing import ABOVE_CONSTANT, ABOVE_CURVE, BELOW_CURVE, object_to
from whether.advise.standing import OBJECTIONS as RULES
from whether.methods import METHODS
from whether.telling.advice_words import OBJECTIONS


@pytest.fixture(scope="module")
def moved():
    cohort = wh.simulate("partially-dependent", n=3000, seed=2)
    return wh.sensitivity(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up), cohort


def test_every_objection_has_words():
    assert set(OBJECTIONS) == {*(rule.name for rule in RULES), BELOW_CURVE, ABOVE_CURVE, ABOVE_CONSTANT}


def test_all_four_assumptions_are_moved(moved):
    found, _ = moved
    kinds = {variant.kind for variant in found.variants}
    assert kinds == {"restriction", "label frequency", "prevalence", "follow-up horizon"}
    assert all(not variant.note for variant in found.variants)


def test_bands_hold_every_method_left_standing_and_grow_with_what_may_move(moved):
    found, _ = moved
    lower, upper = found.band("restriction")
    for variant in found.standing:
        assert np.all((lower <= variant.risks) & (variant.risks <= upper))
        assert found.range[0] <= variant.mean_risk <= found.range[1]
    widest = found.band()
    assert np.all((widest[0] <= lower) & (widest[1] >= upper))


def test_what_the_evidence_speaks_against_is_listed_with_the_reason_and_counts_nowhere(moved):
    found, _ = moved
    against = {variant.value: variant.objection for variant in found.left_out}
    # Event times and follow-up are right here, and who is seen depends on features.
    assert {against[name] for name in ("LR", "ENPU", "uPU")} == {"selection"}
    assert against["SARPU-F"] == "not determined"
    assert not {"FUMC-F", found.recommended} & set(against)
    assert not {variant.value for variant in found.standing} & set(against)
    assert {v.objection for v in found.variants if v.kind in ("prevalence", "label frequency")} == {"selection"}
    assert OBJECTIONS["selection"] in " ".join(str(found).split())
    assert found.to_dict()["left_out"] == against


def test_a_method_is_judged_by_the_level_of_the_cohort_whoever_is_asked_about(moved):
    found, cohort = moved
    known = {"time": cohort.time, "follow_up": cohort.follow_up}
    few = wh.sensitivity(cohort.X, cohort.y, **known, at=cohort.X[:7])
    assert [v.objection for v in few.variants] == [v.objection for v in found.variants]


@pytest.mark.parametrize(
    ("level", "objection"), [(0.10, BELOW_CURVE), (0.30, ""), (0.45, ""), (0.60, ABOVE_CURVE), (0.30 - 1e-9, "")]
)
@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_any_method_of_the_catalogue_is_judged_by_the_curve_of_events(method, level, objection):
    quiet = SimpleNamespace(
        rejects_constant=False, is_seen_longer=False, has_time=True, times_usable=True, follow_up_usable=True,
        unnamed_drivers=[], shares_by_curve=(0.30, 0.50),
        evidence=SimpleNamespace(bounds=SimpleNamespace(highest_if_constant=1.0)),
    )  # fmt: skip
    expected = "not determined" if method.name == "SARPU-F" else objection
    assert object_to(method, level, quiet) == expected


def test_contradicted_times_speak_against_every_method_that_reads_them():
    cohort = wh.simulate("batch-reporting", n=2000, seed=0)
    found = wh.sensitivity(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    against = {variant.value: variant.objection for variant in found.left_out}
    tried = {v.value for v in found.variants if v.kind == "restriction"}
    reading_times = {name for name in tried if "time" in METHODS[name].needs}
    assert reading_times
    assert {against[name] for name in reading_times} == {"contradicted times"}


def test_risks_rise_with_the_prevalence_and_fall_with_the_label_frequency(moved):
    found, _ = moved
    means = {
        kind: [v.mean_risk for v in found.variants if v.kind == kind] for kind in ("prevalence", "label frequency")
    }
    assert np.all(np.diff(means["prevalence"]) > 0)
    assert np.all(np.diff(means["label frequency"]) < 0)


def test_the_last_label_frequency_is_logistic_regression_on_the_labels(moved):
    found, cohort = moved
    naive = wh.LabelClassifier().fit(cohort.X, cohort.y).predict_proba(cohort.X)[:, 1]
    last = [v for v in found.variants if v.kind == "label frequency"][-1]
    np.testing.assert_allclose(last.risks, naive, atol=1e-6)


def test_it_can_be_asked_about_other_people_and_given_values():
    cohort = wh.simulate("partially-dependent", n=500, seed=2)
    found = wh.sensitivity(
        cohort.X, cohort.y, follow_up=cohort.follow_up, at=cohort.X[:7], prevalence=[0.5], label_frequency=[0.5]
    )
    assert found.risks.shape == (7,)
    assert [v.value for v in found.variants if v.kind == "prevalence"] == [0.5]


def test_it_can_be_read_stored_and_drawn(moved):
    found, _ = moved
    assert "rank correlation" in str(found)
    # As the page says it: no names of the library, and shares in percent.
    assert "share of positives that is seen: " in str(found)
    assert "label frequency" not in str(found)
    assert f"{found.recommended}, mean risk {100 * found.risks.mean():.1f} %." in str(found)
    assert json.loads(json.dumps(found.to_dict()))["recommended"] == found.recommended
    matplotlib.use("Agg")
    figure = found.plot()
    assert len(figure.axes) == len({v.kind for v in found.variants if v.stands})
    plt.close(figure)


def test_a_value_that_cannot_be_is_reported_and_not_hidden():
    cohort = wh.simulate("partially-dependent", n=500, seed=2)
    found = wh.sensitivity(cohort.X, cohort.y, follow_up=cohort.follow_up, prevalence=[0.001], label_frequency=[0.9])
    variant = next(v for v in found.variants if v.kind == "prevalence")
    assert "`prevalence` must lie between" in variant.note
    assert "could not be fitted" in str(found)


def test_evidence_need_not_be_gathered_twice():
    cohort = wh.simulate("partially-dependent", n=500, seed=2)
    known = {"time": cohort.time, "follow_up": cohort.follow_up}
    found = wh.sensitivity(cohort.X, cohort.y, **known)
    again = wh.sensitivity(wh.examine(cohort.X, cohort.y, **known))
    assert np.array_equal(found.risks, again.risks)
    assert [v.mean_risk for v in found.variants] == [v.mean_risk for v in again.variants]


def test_without_labels_nothing_can_be_moved(moved):
    with pytest.raises(ValueError, match="sensitivity needs y, the labels"):
        wh.sensitivity(moved[1].X)


def test_an_unknown_assumption_is_refused(moved):
    with pytest.raises(ValueError, match="'colour' is none of restriction"):
        moved[0].band("colour")


def test_a_share_that_is_given_is_known_to_the_recommended_method():
    cohort = wh.simulate("partially-dependent", n=800, seed=0)
    known = {"time": cohort.time, "follow_up": cohort.follow_up}
    moved = wh.sensitivity(cohort.X, cohort.y, **known, prevalence=[0.45, 0.6])
    tried = {variant.value: variant for variant in moved.variants if variant.kind == "prevalence"}
    assert set(tried) == {0.45, 0.6}
    for share, variant in tried.items():
        assert variant.mean_risk == pytest.approx(share, abs=0.03)
        assert variant.rank_correlation > 0.9  # the level moves, and hardly the ranking
