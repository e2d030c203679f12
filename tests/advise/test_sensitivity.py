import json

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

import whether as wh


@pytest.fixture(scope="module")
def moved():
    cohort = wh.simulate("partially-dependent", n=1000, seed=2)
    return wh.sensitivity(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up), cohort


def test_all_four_assumptions_are_moved(moved):
    found, _ = moved
    kinds = {variant.kind for variant in found.variants}
    assert kinds == {"restriction", "label frequency", "prevalence", "follow-up horizon"}
    assert all(not variant.note for variant in found.variants)


def test_bands_hold_every_variant_and_grow_with_what_may_move(moved):
    found, _ = moved
    lower, upper = found.band("restriction")
    for variant in found.variants:
        if variant.kind == "restriction":
            assert np.all((lower <= variant.risks) & (variant.risks <= upper))
    widest = found.band()
    assert np.all((widest[0] <= lower) & (widest[1] >= upper))


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


def test_it_can_be_asked_about_other_people_and_given_values(moved):
    _, cohort = moved
    found = wh.sensitivity(
        cohort.X, cohort.y, follow_up=cohort.follow_up, at=cohort.X[:7], prevalence=[0.5], label_frequency=[0.5]
    )
    assert found.risks.shape == (7,)
    assert [v.value for v in found.variants if v.kind == "prevalence"] == [0.5]


def test_it_can_be_read_stored_and_drawn(moved):
    found, _ = moved
    assert "rank correlation" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["recommended"] == found.recommended
    matplotlib.use("Agg")
    figure = found.plot()
    assert len(figure.axes) == 4
    plt.close(figure)


def test_a_value_that_cannot_be_is_reported_and_not_hidden(moved):
    _, cohort = moved
    found = wh.sensitivity(cohort.X, cohort.y, follow_up=cohort.follow_up, prevalence=[0.001], label_frequency=[0.9])
    variant = next(v for v in found.variants if v.kind == "prevalence")
    assert "prevalence must lie between" in variant.note
    assert "could not be fitted" in str(found)


def test_evidence_need_not_be_gathered_twice(moved):
    found, cohort = moved
    again = wh.sensitivity(wh.examine(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up))
    assert np.array_equal(found.risks, again.risks)
    assert [v.mean_risk for v in found.variants] == [v.mean_risk for v in again.variants]


def test_without_labels_nothing_can_be_moved(moved):
    with pytest.raises(ValueError, match="sensitivity needs y, the labels"):
        wh.sensitivity(moved[1].X)


def test_an_unknown_assumption_is_refused(moved):
    with pytest.raises(ValueError, match="'colour' is none of restriction"):
        moved[0].band("colour")
