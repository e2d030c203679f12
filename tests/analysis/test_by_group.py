"""The answer for each level of a column: it adds up, is of enough people, and is the same wherever it is told."""

import numpy as np
import pandas as pd
import pytest

import whether as wh
from whether.analysis.memberships import MOST_LEVELS, is_few, read_memberships
from whether.facts import FEWEST, fewest_rows
from whether.telling import to_dict
from whether.validate import ArgumentError, DataError


@pytest.fixture(scope="module")
def grouped(cohort, known):
    """An analysis by a column of text with gaps, one of numbers, and the sign of a feature."""
    rng = np.random.default_rng(3)
    stage = rng.choice(np.array(["I", "II", "III"], dtype=object), cohort.y.size)
    stage[::10] = None
    by = {"stage": stage, "age": rng.normal(60, 10, cohort.y.size), "arm": np.asarray(cohort.X)[:, 0] > 0}
    return wh.analyze(**known, by=by, backtest=False, sensitivity=False)


def of_column(answer, column):
    return [level for level in answer.by_group if level.column == column]


@pytest.mark.parametrize("column", ["stage", "age", "arm"])
def test_the_levels_of_a_column_add_up_to_the_answer_for_everybody(grouped, column):
    levels = of_column(grouped, column)
    people = np.array([level.n_people for level in levels])
    assert len(levels) > 1
    assert people.sum() == grouped.n_people
    assert sum(level.n_events for level in levels) == grouped.n_events
    assert sum(level.unseen.estimate for level in levels) == pytest.approx(grouped.unseen.estimate)
    means = np.array([level.mean_risk.estimate for level in levels])
    assert people @ means / people.sum() == pytest.approx(grouped.mean_risk.estimate)


def test_limits_hold_the_estimate_and_levels_together_are_no_surer_than_everybody(grouped):
    for level in grouped.by_group:
        for found in (level.mean_risk, level.unseen):
            assert found.lower < found.estimate < found.upper
        assert level.unseen.upper < level.n_people - level.n_events
    for column in ("stage", "age", "arm"):
        # Errors of parts add up to no less than that of the whole.
        assert grouped.unseen.standard_error <= sum(level.unseen.standard_error for level in of_column(grouped, column))


def test_a_level_of_everybody_has_the_interval_of_everybody(known, grouped, cohort):
    one = wh.analyze(**known, by=np.full(cohort.y.size, "all"), backtest=False, sensitivity=False).by_group[0]
    assert (one.column, one.unseen, one.mean_risk) == ("group", grouped.unseen, grouped.mean_risk)


def test_numbers_of_many_values_are_ranges_and_gaps_are_a_level(grouped):
    ages = [level.level for level in of_column(grouped, "age")]
    assert len(ages) == 4
    assert ages[0].startswith("up to ")
    assert ages[-1].startswith("over ")
    assert [level.level for level in of_column(grouped, "stage")] == ["I", "II", "III", "missing"]
    assert [level.level for level in of_column(grouped, "arm")] == ["0", "1"]


def test_every_level_has_nobody_or_enough_people_of_each_kind(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for _ in range(30):
        n = int(rng.integers(25, 400))
        labeled = rng.random(n) < rng.uniform(0.02, 0.98)
        share = rng.dirichlet(np.full(rng.integers(1, 30), 0.4))
        sites = rng.choice([f"site {i}" for i in range(share.size)], n, p=share).astype(object)
        sites[rng.random(n) < 0.03] = None
        by = {"site": sites, "dose": rng.lognormal(size=n), "visits": rng.poisson(1.0, n)}
        for found in read_memberships(by, None, labeled):
            members = [found.code == i for i in range(len(found.levels))]
            assert np.sum(members, axis=0).tolist() == [1] * n
            assert len(members) <= MOST_LEVELS
            assert len(members) == 1 or not any(is_few(rows, labeled) or not rows.any() for rows in members)
            named = {str(site) for site in sites if np.sum(sites == site) < FEWEST}
            assert not named & {word for level in found.levels for word in level.split(" or ")}


def test_two_columns_do_not_give_a_few_people_back():
    labeled = np.arange(200) % 2 == 0
    by = {"south": np.arange(200) < 100, "nearly the south": np.arange(200) < 104, "north": np.arange(200) >= 60}
    first, second, third = read_memberships(by, None, labeled)
    assert (len(first.levels), len(second.levels), len(third.levels)) == (2, 1, 2)


def test_where_a_person_may_have_several_rows_more_rows_are_enough():
    labeled = np.arange(400) % 2 == 0
    by = {"south": np.arange(400) < 200, "nearly the south": np.arange(400) < 230}
    sizes = {fewest: [len(one.levels) for one in read_memberships(by, None, labeled, fewest)] for fewest in (11, 21)}
    assert sizes == {FEWEST: [2, 2], fewest_rows([2] * 200): [2, 1]}


def test_columns_of_a_table_need_not_be_features(cohort):
    frame = pd.DataFrame(np.asarray(cohort.X), columns=list(cohort.feature_names)).assign(
        event=cohort.y, time=cohort.time, stage=np.where(np.arange(cohort.y.size) % 3 == 0, "early", "late")
    )
    answer = wh.analyze(
        frame, event="event", time="time", drop=["stage"], by="stage", backtest=False, sensitivity=False
    )
    assert [level.level for level in answer.by_group] == ["early", "late"]
    assert "stage" not in " ".join(answer.evidence.material.cohort.names)


def test_text_and_data_tell_every_level_and_a_column_whole_or_not_at_all(grouped):
    told, data = str(grouped), grouped.to_dict()["by_group"]
    assert [row["level"] for row in data] == [level.level for level in grouped.by_group]
    assert "By stage" in told
    fewest = 1 + min(level.n_events for level in of_column(grouped, "stage"))
    left = to_dict(grouped, fewest)["by_group"]
    assert {row["column"] for row in left} == {"age", "arm"}
    assert "By stage: not told, since some levels have too few people" in grouped.to_text(suppress_below=fewest)


@pytest.mark.parametrize(
    ("by", "error", "message"),
    [
        ("stage", ArgumentError, "`by` names the column 'stage', which X has not"),
        (np.zeros(3), DataError, "one value per person"),
        ({"x": [{}, 1, "a"]}, DataError, "one value per person"),
    ],
)
def test_what_cannot_be_a_column_of_levels_is_refused(known, by, error, message):
    with pytest.raises(error, match=message):
        wh.analyze(**known, by=by, backtest=False, sensitivity=False)


def test_the_outcome_is_no_column_of_levels(cohort):
    frame = pd.DataFrame({"x": np.asarray(cohort.X)[:, 0], "event": cohort.y, "time": cohort.time})
    with pytest.raises(ArgumentError, match="`by` has 'event', the event or a time"):
        wh.analyze(frame, event="event", time="time", by="event")


@pytest.mark.parametrize(
    "levels", [("under 45", "45-59", "60-74", "75 and over"), ("<5", "5-9", "10-19", "≥20"), ("I", "II", "III", "IV")]
)
def test_ranges_in_words_stand_in_the_order_of_their_numbers(levels):
    of_each = np.repeat(np.array(levels), 60)
    labeled = np.tile([True, False], 120)
    (found,) = read_memberships({"range": of_each[::-1]}, None, labeled)
    assert found.levels == levels
    assert [levels[i] for i in found.code] == of_each[::-1].tolist()
