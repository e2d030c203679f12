"""Pairs of facts and sentences that may not disagree, checked over everything that an analysis tells."""

import re

import numpy as np

from whether.analysis.cautions import CURVE_ABOVE, PAST_ABOVE, PAST_BELOW
from whether.telling.page.top import write_answer
from whether.telling.reading import Reading

# Words that promise a number, and words that deny one.
PROMISES = re.compile(r"\bEstimate, with|\bAbout [\d,]+ of the")
DENIES = re.compile(
    r"no single estimate|No single number|Ranking only|Between [\d,]+ and [\d,]+ of|from none to all"
    r"|settle on one number|narrow the answer to one number|instead of a bound|lower bound only"
)
# Sentences with the share of events after the end of follow-up: one fit, one number.
LATER = re.compile(r"after the longest follow-up|later than the longest")


def find_contradictions(analysis, page=None):
    """Names of the pairs that disagree; ``page`` is the text of the report."""
    return [check.__name__.removeprefix("check_") for check in CHECKS if not check(analysis, page or "")]


def told(analysis):
    return " ".join(str(analysis).split())


def check_places_say_the_same(analysis, page):
    """Text, page and data have one headline, one badge and one list of cautions."""
    reading, data = Reading(analysis), analysis.to_dict()
    top = write_answer(reading)
    cautions = reading.words.cautions()
    beware = re.findall(r"Beware: ", str(analysis))
    return (
        told(analysis).startswith(top.headline)
        and data["answer"]["sentences"][0] == top.headline
        and data["answer"]["badge"] == top.badge
        and data["answer"]["kind"] == top.kind
        and len(beware) == len(cautions)
        and all(text in page for text in (top.badge, *cautions) if page)
    )


def check_badge_counts_the_cautions(analysis, page):
    reading = Reading(analysis)
    n, badge = len(reading.words.cautions()), write_answer(reading).badge
    found = re.search(r"with (\d+) caution", badge)
    return analysis.kind != "estimate" or (int(found[1]) == n if found else n == 0)


def check_kind_is_one(analysis, page):
    """Nothing promises a number where there is none, and nothing denies one where there is."""
    everything = f"{told(analysis)} {write_answer(Reading(analysis)).badge} {page}"
    changes = " ".join(Reading(analysis).words.advice.changes)
    wrong = DENIES if analysis.kind == "estimate" else PROMISES
    return not wrong.search(f"{everything} {changes}")


def check_intervals_hold_their_estimate(analysis, page):
    return all(
        not np.isfinite(found.lower) or found.lower - 1e-9 <= found.estimate <= found.upper + 1e-9
        for found in (analysis.unseen, analysis.mean_risk)
    )


def check_count_and_share_are_one_thing(analysis, page):
    """The interval of the mean risk holds what that of the count leaves possible."""
    share, count, n = analysis.mean_risk, analysis.unseen, analysis.n_people
    seen = n * share.estimate - count.estimate
    ends = (seen + np.array([count.lower, count.upper])) / n
    slack = 0.5 / n + 1e-6
    return not np.isfinite(share.lower) or (share.lower <= ends[0] + slack and ends[1] <= share.upper + slack)


def check_the_floor_is_below_the_answer(analysis, page):
    return not analysis.unseen.upper < analysis.at_least - 1e-6


def check_the_curve_is_held(analysis, page):
    by_curve = analysis.evidence.bounds.lowest_by_times
    return CURVE_ABOVE not in analysis.cautions or analysis.mean_risk.upper >= by_curve - 1e-9


def check_the_past_is_told_where_it_is_off(analysis, page):
    error = analysis.past_error
    expected = (
        set() if error is None else {PAST_BELOW} if error.upper < 0 else {PAST_ABOVE} if error.lower > 0 else set()
    )
    said = "Rehearsed at an earlier date" in told(analysis)
    return expected == set(analysis.cautions) - {CURVE_ABOVE} and said == bool(expected)


def check_ranges_of_methods_hold_who_stands(analysis, page):
    moved = analysis.sensitivity
    if moved is None:
        return True
    low, high = moved.range
    names = [variant.value for variant in (*moved.standing, *moved.left_out)]
    return (
        all(low <= variant.mean_risk <= high for variant in moved.standing)
        and len(set(names)) == len(names)
        and moved.recommended not in names
        and (
            analysis.kind != "range"
            or analysis.mean_risk.upper >= high - 1e-9
            or analysis.recommendation.features == ()
        )
    )


def check_one_number_of_later_events(analysis, page):
    """A warning of the fit does not repeat, with another number, what the advice says."""
    return len([text for text in Reading(analysis).words.cautions() if LATER.search(text)]) <= 1


def check_groups_add_up(analysis, page):
    columns = {level.column for level in analysis.by_group}
    parts = [[level for level in analysis.by_group if level.column == column] for column in columns]
    return all(
        sum(level.n_people for level in part) == analysis.n_people
        and sum(level.n_events for level in part) == analysis.n_events
        and (
            analysis.kind != "estimate"
            or np.isclose(sum(level.unseen.estimate for level in part), analysis.unseen.estimate, rtol=1e-6)
        )
        for part in parts
    )


CHECKS = [value for name, value in list(globals().items()) if name.startswith("check_")]
