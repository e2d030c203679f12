"""What an analysis says about a cohort, and what it says when it cannot."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import whether as wh
from whether.advise import Backtest, Sensitivity
from whether.advise.evidence.follow_up import LARGE_RATIO
from whether.advise.variants import Variant
from whether.analysis import Note, robustness
from whether.analysis.cautions import curve_is_above, find_cautions
from whether.analysis.ranges import reach_up, widest_range
from whether.analysis.remaining import Remaining
from whether.estimators import LabelClassifier, SARPUClassifier, refits
from whether.facts import WIDTH
from whether.learners import choice, parallel
from whether.telling.advice_words import ASSUMPTIONS
from whether.telling.page.top import write_answer
from whether.telling.reading import Reading


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
    told = " ".join(str(answer).split())
    assert told.startswith(f"About {answer.unseen.estimate:.0f} of the {answer.n_unlabeled} people with no recorded")
    assert f"95 % interval {answer.unseen.lower:.0f} to {answer.unseen.upper:.0f})" in told.partition(".")[0]
    assert ASSUMPTIONS[answer.recommendation.rule] in told
    assert "Backtest:" in told
    assert max(len(line) for line in str(answer).splitlines()) <= WIDTH


def put_back(answer, *errors):
    """The analysis, had the backtest found these errors of the mean risk in its splits."""
    method, record = answer.recommendation.method, answer.backtest
    moved = {**record.scores[method], "mean_risk_error": np.array(errors)}
    record = replace(record, scores={**record.scores, method: moved})
    cautions = find_cautions(answer.recommendation, answer.mean_risk, record)
    return replace(answer, backtest=record, cautions=cautions)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (-0.094, "its mean risk was 9 percentage points below the share with the event by now"),
        (0.012, "its mean risk was 1.2 percentage points above the share"),
        (math.nan, "could not be fitted."),
    ],
)
def test_how_far_the_mean_risk_of_then_was_from_today_is_said_in_words(answer, error, told):
    assert told in " ".join(str(put_back(answer, error, error)).split())


@pytest.mark.parametrize(
    ("errors", "caution", "told"),
    [
        ((-0.0941, -0.0942), "too low in the past", "the method came out 9 percentage points too low"),
        ((0.1001, 0.1002), "too high in the past", "10 percentage points above the share with the event by now"),
        ((-0.09, 0.08), "", ""),
        ((math.nan, math.nan), "", ""),
    ],
)
def test_a_past_that_was_off_by_more_than_chance_is_a_caution_everywhere(answer, errors, caution, told):
    found = put_back(answer, *errors)
    data, text, page = found.to_dict(), " ".join(str(found).split()), write_answer(Reading(found))
    assert found.cautions == tuple(filter(None, [caution]))
    assert [one["name"] for one in data["cautions"]] == list(found.cautions)
    n_cautions = len(Reading(found).words.cautions())
    assert page.badge == data["answer"]["badge"]
    assert ("without" in page.badge) == (n_cautions == 0)
    on_page = [line for line in Reading(found).words.cautions() if line.startswith("Rehearsed")]
    places = [text.partition("Backtest:")[0], *on_page, *(one["text"] for one in data["cautions"])]
    assert all(told in place for place in places)
    assert text.count("Beware: Rehearsed") == len(on_page) == bool(caution)


def test_the_interval_of_the_past_covers_a_level_that_is_right(global_random_seed):
    # Splits draw test people from one cohort again and again: their errors share the cohort's own.
    rng = np.random.default_rng(global_random_seed)
    covered, n = [], 600
    template = dict(
        advised=("",) * 5, endpoint=None, stagger=1.0, horizon=1.0, hidden_share=0.5, n_events=1, n_hidden=1,
        n_training=420, n_test=180, n_positive=90, positive_share=0.5,
    )  # fmt: skip
    for _ in range(300):
        positive = rng.random(n) < 0.4
        errors = []
        for _ in range(5):
            test = rng.random(n) < 0.3
            errors.append(positive[~test].mean() - positive[test].mean())  # a constant learned from the others
        found = Backtest(scores={"LR": {"mean_risk_error": np.array(errors)}}, **template).interval(
            "LR", "mean_risk_error"
        )
        covered.append(found.lower <= 0 <= found.upper)
    # At most 5 % of right levels are called wrong; 4 standard errors above that is 10 %.
    assert np.mean(covered) > 0.9


def test_the_same_seed_gives_the_same_answer(answer, known):
    again = wh.analyze(**known, n_splits=2)
    assert again.to_dict() == answer.to_dict()


def test_where_follow_up_is_too_short_the_answer_is_a_range_without_a_point(refused):
    assert refused.kind == refused.to_dict()["answer"]["kind"] == "range"
    told = " ".join(str(refused).split())
    ends = f"Between {refused.unseen.lower:,.0f} and {refused.unseen.upper:,.0f} of the {refused.n_unlabeled:,} people"
    assert told.startswith(ends)
    assert "depending on how many events come after the end of follow-up" in told
    assert "No single number: follow-up is too short" in told
    assert f"{refused.unseen.estimate:,.0f} " not in told.partition("Method:")[0]


def test_a_range_goes_from_what_holds_in_any_case_to_the_most_that_methods_allow(refused):
    assert refused.unseen.lower == pytest.approx(refused.at_least)
    assert refused.unseen.lower <= refused.unseen.estimate <= refused.unseen.upper <= refused.n_unlabeled
    rows, own, left = np.arange(refused.n_people), refused.mean_risk, Remaining.of(refused.evidence, refused.still)
    known = {"everybody": float(refused.risks.mean()), "ceiling": 1.0}
    higher = Variant("restriction", "DTMC", 0.99, 1.0, np.full(rows.size, 0.99))
    moved = Sensitivity("AFTMC-F", refused.risks, (higher,), True)
    wider, _ = widest_range(own, rows, refused.evidence, moved, left, **known)
    assert (wider.lower, wider.upper) == (own.lower, pytest.approx(0.99))
    rejected = replace(moved, variants=(replace(higher, objection="selection"),))
    assert widest_range(own, rows, refused.evidence, rejected, left, **known)[0].upper == own.upper
    assert widest_range(own, rows, refused.evidence, None, left, everybody=0.5, ceiling=None)[0].upper == 1.0


def test_where_the_plateau_is_unclear_intervals_reach_as_far_as_the_curve_leaves_open(answer, refused):
    rows = np.arange(refused.n_people)
    own = replace(refused.mean_risk, estimate=0.3, upper=0.35), replace(refused.unseen, upper=1.0)
    left_open = refused.evidence.follow_up.events.receus.highest
    left = Remaining.of(refused.evidence, refused.still)
    share, count = reach_up(own, rows, refused.evidence, left, 0.3)
    assert share.upper == pytest.approx(left_open)
    assert count.upper == pytest.approx(refused.n_people * left_open - refused.n_events)
    assert share.lower == own[0].lower
    # People above the average are raised above it.
    assert reach_up(own, rows, refused.evidence, left, 0.2)[0].upper > left_open
    # A curve that has levelled off leaves little open, and no interval reaches for it.
    found = answer.evidence.follow_up.events.receus
    assert 1 - found.cured <= found.highest < 1 - (1 - LARGE_RATIO) * found.cured
    assert not any(note.name == "left open by the curve" for note in answer.notes)


def test_the_lower_bound_is_the_lower_limit_of_the_curve_of_events(refused):
    fall = refused.evidence.bounds.lowest_by_times_limit
    assert refused.at_least == pytest.approx(fall * refused.n_people - refused.n_events)


def test_from_labels_alone_anything_between_none_and_all_is_possible():
    cohort = wh.simulate("dependent-censoring", n=1000, seed=0)  # labeling is as far from random as can be
    found = quick(X=cohort.X, y=cohort.y)
    assert isinstance(found.model, LabelClassifier)
    assert (found.kind, found.unseen.lower, found.unseen.upper) == ("ranking", 0.0, found.n_unlabeled)
    assert (found.mean_risk.lower, found.mean_risk.upper) == (found.n_events / found.n_people, 1.0)
    assert "any number from none to all is possible" in " ".join(str(found).split())


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
    assert "named: x3, x4" in " ".join(str(found).split())


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
    monkeypatch.setattr(choice, "MANY_PEOPLE", 600)
    monkeypatch.setattr(choice, "PEOPLE_TO_CHOOSE", 400)
    monkeypatch.setattr(refits, "LARGEST", 100)
    found = quick(**known, learner="auto")
    assert found.model.selection_.chosen in ("linear", "boosted", "neural")
    assert max(found.model.selection_.n_people) <= 400
    assert Note("learner chosen on a part", {"part": 400, "people": 800}) in found.notes
    assert found.risks.size == 800


def test_a_learner_without_standard_errors_is_refitted_for_intervals(known, monkeypatch):
    monkeypatch.setattr(refits, "N_REFITS", 3)
    found = quick(**known, learner="boosted")
    assert (found.lower < found.risks).all()
    assert (found.risks < found.upper).all()
    assert found.unseen.lower < found.unseen.estimate < found.unseen.upper
    assert Note("intervals from refits", {"refits": 3}) in found.notes


def test_an_answer_does_not_depend_on_where_it_is_computed(known, monkeypatch):
    monkeypatch.setattr(refits, "N_REFITS", 2)
    some = {name: rows[:400] for name, rows in known.items()}
    here = wh.analyze(**some, learner="boosted", n_splits=2)
    monkeypatch.setattr(parallel, "MANY_NUMBERS", 0)
    monkeypatch.setattr(parallel, "cpu_count", lambda: 2)
    there = wh.analyze(**some, learner="boosted", n_splits=2)
    assert there.unseen == here.unseen
    assert there.mean_risk == here.mean_risk
    assert np.array_equal(there.lower, here.lower)
    for one, other in zip(there.sensitivity.variants, here.sensitivity.variants, strict=True):
        assert (one.value, one.mean_risk, one.objection) == (other.value, other.mean_risk, other.objection)
    for row, scores in here.backtest.scores.items():
        assert np.array_equal(there.backtest.scores[row]["auc"], scores["auc"], equal_nan=True)


def test_a_learner_that_would_take_too_long_to_refit_has_no_intervals(known, monkeypatch):
    monkeypatch.setattr(refits, "LARGEST", 100)
    found = quick(**known, learner="boosted")
    assert found.lower is None
    assert found.upper is None
    assert math.isnan(found.unseen.lower)
    assert "interval" not in str(found).splitlines()[0]
    assert Note("too large to refit") in found.notes


def test_intervals_allow_for_groups_and_the_answer_does_not(answer, known):
    found = quick(**known, groups=np.arange(800) // 2)
    again = found.recommendation.estimator.set_params(random_state=0)
    again.fit(known["X"], known["y"], **found.recommendation.fit_parameters)
    assert found.model.n_groups_ == 400
    assert np.array_equal(found.model.vcov(), again.vcov())
    assert found.mean_risk.estimate == pytest.approx(answer.mean_risk.estimate, abs=0.02)  # folds are other ones
    assert found.mean_risk.lower < found.mean_risk.estimate < found.mean_risk.upper


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
