"""Hunting for single persons in a page about few people."""

import re
from itertools import pairwise

import numpy as np
import pytest

import whether as wh
from whether.telling.disclosure import Disclosure
from whether.telling.page.threshold import sweeps
from whether.telling.reading import Reading

COUNTED = re.compile(r"people|recorded|selected")


@pytest.fixture(scope="session")
def few(analyze):
    """An analysis of few people, whose bins would hold very few."""
    return analyze("baseline", n=160, checks=False)


@pytest.fixture(scope="session")
def few_page(few, read_report):
    return read_report(few)


def find_lists(value):
    if isinstance(value, list):
        yield value
        for one in value:
            yield from find_lists(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from find_lists(one)


def test_no_table_holds_a_small_count(few_page):
    counts = [
        (header, cell)
        for rows in few_page.tables
        for row in rows[1:]
        for header, cell in zip(rows[0], row, strict=True)
        if COUNTED.search(header) and re.fullmatch(r"[\d,]+", cell)
    ]
    assert len(counts) > 20
    assert not [found for found in counts if 0 < int(found[1].replace(",", "")) < 11]


def test_no_sentence_counts_a_few_people(few_page):
    assert not re.findall(
        r"(?<![\d.,<])(?:[1-9]|10) (?:people|persons|patients|events|labeled|unlabeled)\b", few_page.words
    )


def test_no_array_is_as_long_as_the_cohort_or_a_part_of_it(few, few_page):
    longest = max(len(found) for found in find_lists(few_page.data))
    assert 0 < longest <= 120
    lengths = {len(found) for found in find_lists(few_page.data)}
    assert not lengths & {few.n_people, few.n_events, few.n_unlabeled}


def test_no_time_of_a_single_person_is_on_the_page(few, few_page):
    cohort = few.evidence.material.cohort
    numbers = set(
        re.findall(
            r"\d+\.\d{2,}", few_page.words + " ".join(p["text"] for f in few_page.data["figures"].values() for p in f)
        )
    )
    own = {f"{value:.4g}" for value in (*cohort.time, *cohort.follow_up)}
    # Others may coincide with a number that is printed for another reason; those at the ends may not.
    assert f"{few.evidence.follow_up.longest:.4g}" not in numbers
    assert f"{few.evidence.follow_up.events.last_event:.4g}" not in numbers
    assert len(numbers & own) <= 0.02 * len(own)


def test_the_curve_is_drawn_in_steps_of_enough_people(few):
    thin = Reading(few, 11).thin_curve
    cohort = few.evidence.material.cohort
    edges = np.concatenate([[0.0], thin.times])
    for start, stop in pairwise(edges):
        assert Disclosure(11).allows(np.sum(cohort.labeled & (cohort.time > start) & (cohort.time <= stop)))
    assert np.sum(cohort.time > thin.times[-1]) >= 11


def test_people_still_under_observation_are_told_where_enough_have_left(few):
    thin = Reading(few, 11).thin_curve
    cohort = few.evidence.material.cohort
    assert thin.counted.any()
    left = [few.n_people, *thin.at_risk[thin.counted]]
    for (start, stop), (before, after) in zip(pairwise([0.0, *thin.times[thin.counted]]), pairwise(left), strict=True):
        events = np.sum(cohort.labeled & (cohort.time > start) & (cohort.time <= stop))
        assert Disclosure(11).allows(before - after - events)


def test_between_two_thresholds_lies_nobody_or_enough(few):
    found = sweeps(Reading(few, 11))
    assert [one.selected[0] for one in found] == [few.n_unlabeled, few.n_people]
    for one in found:
        steps = -np.diff([*one.selected, 0])
        assert Disclosure(11).allows(*steps)


def test_thresholds_count_rightly_and_expect_what_the_risks_say(analysis):
    found = {one.key: one for one in sweeps(Reading(analysis, 0))}["new"]
    i = next(i for i, threshold in enumerate(found.thresholds) if threshold >= 0.5)
    above = analysis.risks >= found.thresholds[i]
    assert found.selected[i] == above.sum()
    assert found.positive[i] == pytest.approx(analysis.risks[above].sum(), abs=0.06)
    row = found.row(i)
    assert row["true"] == pytest.approx(found.positive[i], abs=0.5)
    assert row["true"] + row["false"] == row["selected"]
    assert row["true"] + row["missed"] == pytest.approx(found.positive[0], abs=0.5)


@pytest.mark.parametrize("known", ["time", "follow_up", None])
@pytest.mark.parametrize("n_events", [6, 193])
def test_a_few_of_one_kind_are_not_counted_out_and_nothing_gives_them_back(read_report, known, n_events):
    rng = np.random.default_rng(0)
    features, times = rng.normal(size=(199, 3)), rng.exponential(size=199) + 0.01
    found = wh.analyze(
        features,
        np.arange(199) < n_events,
        **({} if known is None else {known: times}),
        backtest=False,
        sensitivity=known != "time",
    )
    page = read_report(found)
    texts = [page.words, *(point["text"] for points in page.data["figures"].values() for point in points)]
    told = [
        match
        for text in texts
        for match in re.findall(r"(?<![\d.,])(?:6|193|3\.0 %|97\.0 %)(?: [a-z-]+)?(?![\d.])", text)
        if not re.match(r"6 (to|of|%|points|years)|6$", match)
    ]
    assert told == []
    assert not any(cell in ("6", "193", "3.0 %", "97.0 %") for rows in page.tables for row in rows for cell in row)
    assert page.data["sweeps"] == []
    assert not re.search(r"\d per coefficient", page.words)


def test_without_suppression_more_is_shown(few):
    on, off = (Reading(few, fewest) for fewest in (11, 0))
    assert off.thin_curve.times.size > on.thin_curve.times.size
    assert sum(len(one.thresholds) for one in sweeps(off)) > sum(len(one.thresholds) for one in sweeps(on))
