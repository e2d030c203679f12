"""No two sentences of a report disagree, whatever the data allow."""

from dataclasses import replace

import numpy as np
import pytest

import whether as wh
from tests.telling.coherence import find_contradictions
from whether.analysis import FitWarning, Note

# A world, and what is known of it.
CASES = {
    "everything": ("partially-dependent", ("time", "follow_up")),
    "event times only": ("partially-dependent", ("time",)),
    "follow-up only": ("partially-dependent", ("follow_up",)),
    "labels only": ("dependent-censoring", ()),
    "labels at random": ("feature-independent", ()),
    "short follow-up": ("short-follow-up", ("time", "follow_up")),
    "wrong times": ("batch-reporting", ("time", "follow_up")),
}
# The same with the share of positives from elsewhere: right, and not at all.
SHARES = {"short-follow-up": (0.5, 0.03), "partially-dependent": (0.85, 0.02)}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.usefixtures("undrawn")  # sentences stand beside the drawings; those of real cohorts are drawn
def test_no_two_sentences_disagree(case, read_report, global_random_seed):
    world, known = CASES[case]
    cohort = wh.simulate(world, n=600, seed=global_random_seed)
    given = {name: getattr(cohort, name) for name in known}
    by = {"arm": np.arange(600) % 3, "x": np.asarray(cohort.X)[:, 0]}
    answer = wh.analyze(cohort.X, cohort.y, **given, by=by, n_splits=2)
    assert find_contradictions(answer, read_report(answer).words) == []


@pytest.mark.parametrize("world", SHARES)
@pytest.mark.usefixtures("undrawn")
def test_no_two_sentences_disagree_about_a_share_from_elsewhere(world, read_report, global_random_seed):
    cohort, (share, error) = wh.simulate(world, n=600, seed=global_random_seed), SHARES[world]
    answer = wh.analyze(
        cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up, prevalence=share, prevalence_error=error,
        n_splits=2,
    )  # fmt: skip
    assert find_contradictions(answer, read_report(answer).words) == []


@pytest.mark.usefixtures("undrawn")
def test_no_two_sentences_disagree_where_nearly_everybody_had_the_event(read_report, global_random_seed):
    cohort = wh.simulate("short-follow-up", n=600, seed=global_random_seed)
    rows = np.sort(np.concatenate([np.flatnonzero(cohort.y)[:90], np.flatnonzero(cohort.y == 0)[:8]]))
    answer = wh.analyze(cohort.X[rows], cohort.y[rows], time=cohort.time[rows])
    assert "is not told" in str(answer)
    assert find_contradictions(answer, read_report(answer).words) == []


@pytest.mark.parametrize("name", ["e1684", "hodgkin"])
def test_no_two_sentences_about_a_real_cohort_disagree(name, shared_data, read_report):
    answer = wh.analyze(
        shared_data / f"{name}.parquet", event="event", time="time", by="sex_female" if name == "e1684" else "stage",
        learner="linear", n_splits=3,
    )  # fmt: skip
    assert find_contradictions(answer, read_report(answer).words) == []


def test_no_two_sentences_disagree_where_a_person_has_several_rows(shared_data, read_report):
    eyes = shared_data / "records" / "retinopathy.parquet"
    answer = wh.analyze(eyes, event="event", time="time", group="id", learner="linear", n_splits=2)
    assert answer.origin.n_persons
    assert find_contradictions(answer, read_report(answer).words) == []


@pytest.mark.usefixtures("undrawn")
def test_no_two_sentences_disagree_where_levels_lie_half_way_between_two(read_report, global_random_seed):
    """The level at the end is 65.46 %: rounded to 65.5 % and again it would be 66 %, above itself."""
    rng, n = np.random.default_rng(global_random_seed), 10_000
    y = (np.arange(n) < 3454).astype(int)
    time = np.where(y == 1, rng.uniform(0.1, 5.0, n), rng.uniform(6.0, 8.0, n))
    answer = wh.analyze(rng.normal(size=(n, 2)), y, time=time, backtest=False, sensitivity=False, learner="linear")
    assert find_contradictions(answer, read_report(answer).words) == []


def test_contradictions_are_found(analysis):
    advice, unseen, risk = analysis.recommendation, analysis.unseen, analysis.mean_risk
    assert find_contradictions(analysis) == []
    cases = {
        "intervals_hold_their_estimate": {"unseen": replace(unseen, estimate=unseen.upper + 1)},
        "count_and_share_are_one_thing": {"unseen": replace(unseen, upper=float(analysis.n_unlabeled))},
        "where_the_risk_may_be_all_so_may_the_number": {"mean_risk": replace(risk, upper=1.0)},
        "the_floor_is_below_the_answer": {"unseen": replace(unseen, lower=0.0, upper=0.0)},
        "the_curve_is_held": {"cautions": ("curve above risk",), "mean_risk": replace(risk, upper=0.0)},
        "the_past_is_told_where_it_is_off": {"cautions": ("too low in the past",)},
        "one_number_of_later_events": {
            "recommendation": replace(advice, flags=(*advice.flags, "extrapolation")),
            "warnings": (FitWarning("", "25 % of positives would have their event later than the longest follow-up."),),
        },
    }
    for name, changes in cases.items():
        assert name in find_contradictions(replace(analysis, **changes)), name


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("words_of_one_number_are_kept_from_ranges", "Read today’s answer, or read today’s number, with care."),
        ("nothing_is_written_wrongly", "Risk of 1 people."),
        ("shares_of_events_say_of_which", "3 % of the expected events come after the longest follow-up."),
        ("nothing_is_written_wrongly", "The data do not decide; see fit_result_.starts."),
        ("nothing_is_written_wrongly", "Yes (they could not be checked (nobody knows why))."),
        ("nothing_is_written_wrongly", "The mean risk may be off by 5 % points."),
        ("the_past_has_one_rounding", "The method was 77 percentage points too low (95 % interval 1 to 99)."),
    ],
)
def test_a_sentence_that_disagrees_is_found(analysis, name, said):
    changed = replace(analysis, settles="number" not in said, warnings=(FitWarning("", said),))
    assert name in find_contradictions(changed)
    assert name not in find_contradictions(replace(changed, warnings=()))


@pytest.mark.parametrize("unmade", [{}, {"backtest": None}, {"sensitivity": None}])
def test_how_checks_were_made_is_said_of_those_that_were(analysis, unmade):
    name, note = (
        "only_checks_that_were_made_are_said_to_use_anything",
        Note("checked on a part", {"part": 5, "people": 9}),
    )
    why = {f"no_{one}": "not asked for" for one in unmade}
    noted = replace(analysis, notes=(note,), **unmade, **why)
    assert name not in find_contradictions(noted)
    assert (name in find_contradictions(noted, "Backtest and sensitivity use the linear learner.")) == bool(unmade)


def test_a_page_that_disagrees_is_found(analysis):
    bounds = replace(analysis.evidence.bounds, lowest_by_times=analysis.mean_risk.estimate + 0.01)
    beside = replace(analysis, evidence=replace(analysis.evidence, bounds=bounds))
    advice = analysis.recommendation
    easy = replace(advice, changes=(*advice.changes, "ranking only"))
    denied = "It tells the two apart. They cannot be told apart. The method was not checked at an earlier date."
    assert "the_curve_is_set_beside_a_lower_mean_risk" in find_contradictions(beside, "a page without it")
    assert "ranking_is_called_easy_only_where_that_was_found" in find_contradictions(
        replace(analysis, recommendation=easy)
    )
    assert {"what_is_told_apart_is_not_denied", "a_check_that_was_made_is_not_denied"} <= {
        *find_contradictions(analysis, denied)
    }
