"""What an analysis says about a cohort, and what it says when it cannot."""

import math
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import whether as wh
from whether.analysis import Note, resampling, robustness
from whether.analysis.whole_answer import curve_is_above
from whether.estimators import LabelClassifier, SARPUClassifier
from whether.facts import WIDTH
from whether.telling.advice_words import ASSUMPTIONS


def quick(**known):
    return wh.analyze(**known, backtest=False, sensitivity=False)


def test_the_model_is_the_recommended_one_fitted_to_everybody(answer, known, cohort):
    advice = answer.recommendation
    again = advice.estimator.set_params(random_state=0).fit(cohort.X, cohort.y, **advice.fit_parameters)
    assert type(answer.model) is type(again)
    assert np.array_equal(answer.risks, again.predict_proba(cohort.X)[:, 1])


def test_what_is_still_to_come_is_known_of_the_unlabeled_only(answer, cohort):
    assert np.array_equal(np.isnan(answer.still), cohort.y == 1)
    unlabeled = cohort.y == 0
    expected = answer.model.predict_proba_event_free(cohort.X, cohort.time)
    assert np.array_equal(answer.still[unlabeled], expected[unlabeled])


def test_the_number_of_unseen_positives_is_the_sum_over_the_unlabeled(answer):
    assert answer.unseen.estimate == pytest.approx(np.nansum(answer.still), rel=1e-12)
    assert 0 < answer.unseen.lower < answer.unseen.estimate < answer.unseen.upper < answer.n_unlabeled


def test_the_mean_risk_is_the_mean_of_the_risks(answer):
    assert answer.mean_risk.estimate == pytest.approx(answer.risks.mean(), rel=1e-12)
    assert answer.mean_risk.lower < answer.mean_risk.estimate < answer.mean_risk.upper


def test_every_risk_lies_within_its_limits(answer):
    assert (answer.lower <= answer.risks).all()
    assert (answer.risks <= answer.upper).all()


def test_the_checks_are_of_the_recommended_method_and_the_same_people(answer):
    assert answer.recommendation.method in answer.backtest.scores
    assert len(answer.backtest.scores["LR"]["auc"]) == 2
    assert answer.sensitivity.risks.size == answer.n_people
    assert (answer.no_backtest, answer.no_sensitivity) == ("", "")


def test_the_answer_comes_first_and_in_words(answer):
    first = str(answer).splitlines()[0]
    assert first.startswith(f"Of {answer.n_unlabeled} people whose event was not seen, about")
    assert f"about {answer.unseen.estimate:.0f} (95 % interval" in first
    told = " ".join(str(answer).split())
    assert ASSUMPTIONS[answer.recommendation.rule] in told
    assert "Backtest:" in told
    assert max(len(line) for line in str(answer).splitlines()) <= WIDTH


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (-0.094, "the mean risk by {} was 9 points below the share"),
        (0.012, "the mean risk by {} was 1 point above the share"),
        (0.004, "the mean risk by {} was equal to the share who have had the event by now."),
        (math.nan, "of the events hidden, {} could not be fitted."),
    ],
)
def test_how_far_the_mean_risk_of_then_was_from_today_is_said_in_words(answer, error, told):
    method, record = answer.recommendation.method, answer.backtest
    moved = {**record.scores[method], "mean_risk_error": np.array([error, error])}
    answer = replace(answer, backtest=replace(record, scores={**record.scores, method: moved}))
    assert told.format(method) in " ".join(str(answer).split())


def test_the_same_seed_gives_the_same_answer(answer, known):
    again = wh.analyze(**known, n_splits=2)
    assert again.to_dict() == answer.to_dict()


def test_a_refusal_is_the_first_thing_said(refused):
    assert refused.is_bound
    first = str(refused).splitlines()[0]
    assert first.startswith("This is a lower bound and a ranking of people, no estimate")
    assert "Refused: Follow-up is too short" in str(refused)
    assert refused.to_dict()["answer"]["kind"] == "lower bound"
    assert f"at least {refused.at_least:,.0f} of {refused.n_unlabeled:,} people" in " ".join(str(refused).split())


def test_the_lower_bound_is_the_lower_limit_of_the_curve_of_events(refused):
    fall = refused.evidence.bounds.lowest_by_times_limit
    assert refused.at_least == pytest.approx(fall * refused.n_people - refused.n_events)


def test_from_labels_alone_anything_between_none_and_all_is_possible():
    cohort = wh.simulate("dependent-censoring", n=1000, seed=0)  # labeling is as far from random as can be
    found = quick(X=cohort.X, y=cohort.y)
    assert isinstance(found.model, LabelClassifier)
    assert (found.unseen.estimate, found.unseen.lower, found.unseen.upper) == (0.0, 0.0, found.n_unlabeled)
    assert "any may be" in str(found)
    assert math.isfinite(found.mean_risk.lower)


def test_labels_at_random_need_no_times_and_have_no_backtest():
    cohort = wh.simulate("feature-independent", n=1500, seed=1)
    found = wh.analyze(cohort.X, cohort.y, sensitivity=False)
    assert found.backtest is None
    assert found.no_backtest == "no event times"
    if isinstance(found.model, SARPUClassifier):
        assert found.unseen.lower < found.unseen.estimate < found.unseen.upper


def test_with_few_events_there_is_no_backtest():
    cohort = wh.simulate("partially-dependent", n=150, seed=0)
    found = wh.analyze(cohort.X, cohort.y, time=cohort.time, sensitivity=False)
    assert found.backtest is None
    assert found.no_backtest == "too few events"


def test_what_was_not_asked_for_is_left_out(refused):
    assert refused.backtest is None
    assert refused.sensitivity is None
    assert refused.no_backtest == refused.no_sensitivity == "not asked for"


def test_named_features_reach_the_model_by_name(cohort):
    frame = pd.DataFrame(cohort.X, columns=cohort.feature_names)
    found = quick(X=frame, y=cohort.y, propensity_features=["x3", "x4"])
    assert found.recommendation.method == "SARPU-R"
    assert list(found.model.feature_names_in_) == list(frame.columns)
    assert "(x3, x4)" in str(found)


def test_a_model_below_the_curve_of_events_is_warned_of(answer):
    bounds = answer.evidence.bounds
    assert not curve_is_above(bounds, replace(answer.mean_risk, upper=1.0))
    assert curve_is_above(bounds, replace(answer.mean_risk, upper=0.01))
    assert not curve_is_above(bounds, replace(answer.mean_risk, upper=math.nan))
    assert "late events" in str(replace(answer, cautions=("curve above risk",)))


# ---------------------------------------------------------------- large cohorts and other learners


def test_a_large_cohort_is_checked_on_a_part_of_its_people(known, monkeypatch):
    monkeypatch.setattr(robustness, "MOST_PEOPLE", 500)
    found = wh.analyze(**known, n_splits=2)
    assert found.backtest.n_training < 0.75 * 500
    assert found.sensitivity.risks.size == found.risks.size == 800
    assert found.sensitivity.recommended == found.recommendation.method
    assert Note("checked on a part", {"part": 500, "people": 800}) in found.notes


def test_a_part_of_a_cohort_has_whole_groups(answer, monkeypatch):
    monkeypatch.setattr(robustness, "MOST_PEOPLE", 500)
    groups = np.arange(800) // 3
    rows = robustness.ask(answer.recommendation, groups, 0, np.random.default_rng(0)).rows
    assert rows.size <= 500
    kept = np.bincount(groups[rows], minlength=groups.max() + 1)
    assert set(kept[:-1]) == {0, 3}


def test_of_a_large_cohort_a_part_says_which_learner(known, monkeypatch):
    module = sys.modules["whether.analysis.whole_answer"]
    monkeypatch.setattr(module, "MANY_PEOPLE", 600)
    monkeypatch.setattr(module, "PEOPLE_TO_CHOOSE", 400)
    monkeypatch.setattr(resampling, "LARGEST", 100)
    found = quick(**known, learner="auto")
    assert found.model.learner in ("linear", "boosted", "neural")
    assert Note("learner chosen on a part", {"part": 400, "people": 800}) in found.notes
    assert found.risks.size == 800


def test_a_learner_without_standard_errors_is_refitted_for_intervals(known, monkeypatch):
    monkeypatch.setattr(resampling, "N_REFITS", 3)
    found = quick(**known, learner="boosted")
    assert (found.lower < found.risks).all()
    assert (found.risks < found.upper).all()
    assert found.unseen.lower < found.unseen.estimate < found.unseen.upper
    assert Note("intervals from refits", {"refits": 3}) in found.notes


def test_a_learner_that_would_take_too_long_to_refit_has_no_intervals(known, monkeypatch):
    monkeypatch.setattr(resampling, "LARGEST", 100)
    found = quick(**known, learner="boosted")
    assert found.lower is None
    assert found.upper is None
    assert math.isnan(found.unseen.lower)
    assert "interval" not in str(found).splitlines()[0]
    assert Note("too large to refit") in found.notes


def test_intervals_that_ignore_groups_say_so(known):
    found = quick(**known, groups=np.arange(800) // 2)
    assert Note("groups taken as independent") in found.notes


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"level": 95}, "`level` must lie between 0 and 1, got 95"),
        ({"random_state": -1}, "`random_state` must be a whole number >= 0, got -1"),
        ({"random_state": True}, "`random_state` must be a whole number"),
        ({"groups": [1, 2]}, r"groups must be one label per person: shape \(800,\) was expected, got \(2,\)"),
        ({"n_splits": 1}, "`n_splits` must be a whole number >= 2, got 1"),
        ({"learner": "deep"}, "deep"),
        ({"propensity_features": ["nobody"]}, "nobody"),
    ],
)
def test_a_bad_setting_is_refused(known, setting, said):
    with pytest.raises(ValueError, match=said):
        wh.analyze(**known, **setting, sensitivity=False)
