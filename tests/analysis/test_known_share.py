"""A share of positives that is known from elsewhere, through the whole answer."""

import numpy as np
import pytest

import whether as wh
from whether.analysis.cautions import PAST_ABOVE, PAST_BELOW, SHARE_APART


def draw(world, seed=0, n=800):
    cohort = wh.simulate(world, n=n, seed=seed)
    return cohort, {"X": cohort.X, "y": cohort.y, "time": cohort.time, "follow_up": cohort.follow_up}


@pytest.fixture(scope="module")
def short():
    return draw("short-follow-up")


@pytest.fixture(scope="module")
def told(short):
    """Analysis of short follow-up with the true share."""
    cohort, known = short
    share = float(cohort.positive.mean())
    return wh.analyze(**known, prevalence=share, prevalence_error=0.02, backtest=False, sensitivity=False)


def test_where_follow_up_is_short_a_known_share_turns_a_range_into_an_estimate(short, told, refused):
    cohort, _ = short
    assert (refused.kind, told.kind) == ("range", "estimate")
    assert not told.recommendation.refused
    assert told.mean_risk.lower <= cohort.positive.mean() <= told.mean_risk.upper
    width, of_range = (found.upper - found.lower for found in (told.mean_risk, refused.mean_risk))
    assert width < of_range / 3


def test_what_the_data_say_without_the_share_is_a_fact(told, refused):
    found = told.share
    assert found.is_range
    assert not found.differs
    assert (found.alone.lower, found.alone.upper) == pytest.approx(
        (refused.mean_risk.lower, refused.mean_risk.upper), abs=0.01
    )
    assert told.to_dict()["answer"]["share_from_elsewhere"]["share"] == found.share


def test_the_first_sentence_says_that_the_answer_rests_on_a_share(told):
    first = told.to_dict()["answer"]["sentences"][0]
    share = f"{100 * told.share.share:.3g} % (standard error 2 percentage points)"
    assert first.endswith(f"with the share of people who ever have it taken to be {share} from elsewhere.")
    assert "extrapolat" not in str(told)


def test_a_share_that_the_data_contradict_is_a_caution_with_the_distance():
    _, known = draw("partially-dependent")
    answer = wh.analyze(**known, prevalence=0.9, prevalence_error=0.01, n_splits=2, sensitivity=False)
    assert answer.share.differs
    assert answer.share.gap == pytest.approx(0.9 - answer.share.alone.upper)
    assert SHARE_APART in answer.cautions
    assert not {PAST_ABOVE, PAST_BELOW} & set(answer.cautions)
    assert f"by {100 * answer.share.gap:.0f} percentage points" in " ".join(str(answer).split())
    assert "without the share that was given" in " ".join(str(answer).split())


def test_a_share_moves_every_method_of_the_sensitivity_that_reads_one(short):
    _, known = short
    advice = wh.recommend(**known, prevalence=0.5, prevalence_error=0.02)
    assert advice.estimator.get_params()["prevalence"] == 0.5
    moved = wh.advise.variants.vary(advice, advice.evidence.material.cohort, advice.evidence.material.cohort.features)
    names = {variant.value for variant in moved.variants if variant.kind == "restriction"}
    assert "LR" not in names
    by_share = {variant.value: variant.mean_risk for variant in moved.variants if variant.kind == "prevalence"}
    assert set(by_share) == {0.46, 0.48, 0.52, 0.54}
    assert np.all(np.diff([by_share[share] for share in sorted(by_share)]) > 0)


def test_the_classifier_of_classifiers_is_told(short):
    _, known = short
    model = wh.WhetherClassifier(prevalence=0.5, prevalence_error=0.01).fit(**known)
    assert model.estimator_.prevalence == 0.5
    assert abs(model.predict_proba(known["X"])[:, 1].mean() - 0.5) < 0.05


def test_a_share_below_what_was_recorded_is_refused_with_both_numbers(short):
    _, known = short
    with pytest.raises(wh.DataError, match=r"between the share labeled \(0\.\d+\) .* got 0\.01"):
        wh.recommend(**known, prevalence=0.01)


@pytest.mark.parametrize("error", [0.0, -0.1, float("nan")])
def test_an_error_that_is_none_is_refused(short, error):
    _, known = short
    with pytest.raises(wh.ArgumentError, match=f"prevalence_error must be a number > 0, got {error}"):
        wh.recommend(wh.examine(**known), prevalence=0.5, prevalence_error=error)


def test_where_labels_are_all_there_is_and_not_at_random_a_share_has_no_use():
    cohort, _ = draw("dependent-censoring", n=2000)
    with pytest.raises(wh.ArgumentError, match="no method can use a prevalence"):
        wh.recommend(cohort.X, cohort.y, prevalence=0.5)
