"""Pairs of facts and sentences that may not disagree, checked over everything that an analysis tells."""

import re
from itertools import pairwise

import numpy as np

from whether.analysis.cautions import CURVE_ABOVE, PAST_ABOVE, PAST_BELOW, SHARE_APART
from whether.telling import to_paragraphs
from whether.telling.evidence_words import evidence_sentences
from whether.telling.figures import assumptions
from whether.telling.figures.events import event_curve
from whether.telling.group_words import RANGES, told_columns
from whether.telling.headline_words import VISIBLE
from whether.telling.page.flowchart import steps
from whether.telling.page.top import write_answer
from whether.telling.publication.tables import publication_tables
from whether.telling.reading import Reading
from whether.telling.words import as_rows, rows_sentence

# Words that promise a number, and words that deny one.
PROMISES = re.compile(r"\bEstimate, with|\bAbout [\d,]+ of the")
DENIES = re.compile(
    r"no single estimate|No single number|Ranking only|Between [\d,]+ and [\d,]+ of|from none to all"
    r"|Follow-up is too short|narrow the answer to one number|instead of a bound|lower bound only"
)
# Words of one number and its interval, which an answer that is a range has not.
SINGLE = re.compile(r"Estimates of the mean risk|read today’s number|The intervals? (?:reach|says)")
# What is written wrongly whatever it says: a share of points, a plural of one, a zero with a sign, parentheses in
# parentheses, an attribute of a Python object.
WRONG = re.compile(
    r"% points|\bper cent\b|(?<![\w.,])1 (?:people|persons|events|cautions|features)\b|[-−]0\.0+\b(?! ?\d)"
    r"|\([^()]*\([^()]*\)\)|\w_\.\w|\b\d+\.\d*00 (?:year|month|week|day|unit)|\b[Rr]ows (?:\w+ ){0,4}who\b"
)
# How far the method was off in the past: size, then the ends of its interval.
OFF = re.compile(
    r"([\d.]+) percentage points (?:too low|below|above)[^(:]*\(\d+ % interval [+−]?([\d.]+) to [+−]?([\d.]+)\)"
)
# Which checks use a part of the people, or another learner.
USES = re.compile(r"(Backtest and sensitivity(?: analysis)?|The backtest|The sensitivity analysis) uses? ")
# Sentences with the share of events after the end of follow-up: one fit, one number.
LATER = re.compile(r"after the longest follow-up|later than the longest")


def find_contradictions(analysis, page=None):
    """Names of the pairs that disagree; ``page`` is the text of the report."""
    return [check.__name__.removeprefix("check_") for check in CHECKS if not check(analysis, page or "")]


def told(analysis):
    return " ".join(str(analysis).split())


def counted(analysis, *sentences):
    """Sentences as they are told: of rows, where a person may have several."""
    return [as_rows(text) if analysis.origin.n_persons else text for text in sentences]


def check_places_say_the_same(analysis, page):
    """Text, page and data have one headline, one badge and one list of cautions."""
    reading, data = Reading(analysis), analysis.to_dict()
    top = write_answer(reading)
    cautions = reading.words.cautions()
    beware = re.findall(r"Beware: ", str(analysis))
    persons = analysis.origin.n_persons
    before = [*([rows_sentence(persons)] if persons else []), *top.question]
    return (
        told(analysis).removeprefix(" ".join(before)).strip().startswith(counted(analysis, top.headline)[0])
        and data["answer"]["sentences"][len(top.question)] == top.headline
        and data["answer"]["headline"] == top.headline
        and data["answer"]["badge"] == top.badge
        and data["answer"]["kind"] == top.kind
        and len(beware) == len(cautions)
        and all(text in page for text in counted(analysis, top.badge, *cautions) if page)
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
    """The interval of the mean risk holds what that of the count leaves possible, but for those who came late.

    Of these the risk counts from time zero on, and the number is of who had come without the event.
    """
    if analysis.evidence.material.cohort.entry_time is not None:
        return True
    share, count, n = analysis.mean_risk, analysis.unseen, analysis.n_people
    # The risks of trees add up to the recorded events and the number only nearly.
    seen = sorted((n * share.estimate - count.estimate, float(analysis.n_events)))
    slack = 0.5 / n + 1e-6
    return not np.isfinite(share.lower) or (
        share.lower <= (seen[1] + count.lower) / n + slack and (seen[0] + count.upper) / n <= share.upper + slack
    )


def check_where_the_risk_may_be_all_so_may_the_number(analysis, page):
    """A mean risk of 100 % is everybody, so that the number goes up to all who may still have it."""
    return not analysis.mean_risk.upper > 1 - 1e-9 or analysis.unseen.upper > analysis.n_open - 0.5


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
    return expected == set(analysis.cautions) - {CURVE_ABOVE, SHARE_APART} and said == bool(expected)


def check_a_share_from_elsewhere_is_said(analysis, page):
    """In the first sentence where the answer rests on one, and nowhere else; a gap is a caution."""
    first = analysis.to_dict()["answer"]["sentences"][0]
    if analysis.share is None:
        return "from elsewhere." not in first and SHARE_APART not in analysis.cautions
    return (
        "with the share of people who ever have it taken to be" in first
        and analysis.share.differs == (SHARE_APART in analysis.cautions)
        and (first in page or not page)
        and not (analysis.kind == "estimate" and "is extrapolated" in f"{told(analysis)} {page}")
    )


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


def check_words_of_one_number_are_kept_from_ranges(analysis, page):
    return analysis.kind == "estimate" or not SINGLE.search(f"{told(analysis)} {page}")


def check_nothing_is_written_wrongly(analysis, page):
    return not WRONG.search(f"{told(analysis)} {page}")


def check_the_past_has_one_rounding(analysis, page):
    """Wherever the error of the past is told with its interval it has the same digits."""
    reading = Reading(analysis)
    texts = [told(analysis), *write_answer(reading).certainty, *reading.words.cautions()]
    found = [(size, frozenset(ends)) for text in texts for size, *ends in OFF.findall(text)]
    sizes = set(re.findall(r"([\d.]+) percentage points (?:too low|below|above)", " ".join(texts)))
    return len(set(found)) <= 1 and len(sizes) <= 1


def check_the_lower_end_is_what_it_is_said_to_be(analysis, page):
    """The curve of events is named as its source only where it shows more than the recorded events."""
    shows = "of follow-up would have shown" in told(analysis)
    return analysis.kind != "range" or not shows or analysis.unseen.lower >= 0.5


def check_the_curve_is_set_beside_a_lower_mean_risk(analysis, page):
    curve, risk = analysis.evidence.bounds.lowest_by_times, analysis.mean_risk.estimate
    if analysis.kind != "estimate" or not curve - risk >= VISIBLE or not Reading(analysis).tells_events:
        return True
    said = r"[Tt]he curve of events alone comes to|By the curve of events alone"
    return bool(re.search(said, told(analysis))) and (not page or bool(re.search(said, page)))


def check_the_share_without_the_event_never_rises(analysis, page):
    """It is told at the last event and where the curve ends: the later one is no higher, however they are rounded."""
    reading = Reading(analysis)
    chart, sentences = event_curve(reading), " ".join(evidence_sentences(reading.told.evidence).get("Follow-up", []))
    at_last = re.search(r"Last event at about .*; there ([\d.]+) %", sentences)
    if chart is None or at_last is None:
        return True
    at_end, there = re.search(r"At \S+ .*? ([\d.]+) % of the people are still", chart.reading), float(at_last[1])
    is_later = reading.thin_curve.times[-1] >= analysis.evidence.follow_up.events.last_event
    return float(at_end[1]) <= there + 0.5 if is_later else float(at_end[1]) >= there - 0.5


def check_methods_left_standing_have_one_range(analysis, page):
    """The chart of other assumptions and the sentence about them have the same ends."""
    reading = Reading(analysis)
    chart = assumptions.mean_risk_chart(reading)
    if chart is None or not analysis.sensitivity.standing:
        return True
    ends = reading.words.ends_of_methods(analysis.sensitivity)[1]
    return ends in reading.words.sensitivity() and ends in chart.reading and ends in chart.alt


def check_ranking_is_called_easy_only_where_that_was_found(analysis, page):
    easy = "logistic regression on the recorded events is enough" in " ".join(Reading(analysis).words.advice.changes)
    return not easy or steps(Reading(analysis))[0][0].answer == "no"


def check_what_is_told_apart_is_not_denied(analysis, page):
    """Where the chart says that risk and chance to be seen are told apart, no sentence says that they cannot be."""
    return not ("tells the two apart" in page and "cannot be told apart" in f"{told(analysis)} {page}")


def check_shares_of_events_say_of_which(analysis, page):
    """Some shares are of all events and some of those still to come: "expected events" could be either."""
    return not re.search(r"[Oo]f the expected events", f"{told(analysis)} {page}")


def check_only_checks_that_were_made_are_said_to_use_anything(analysis, page):
    """How many people, and which learner, a check uses is said of the checks that were made."""
    made = {"acktest": analysis.backtest, "ensitivity": analysis.sensitivity}
    said = " ".join(USES.findall(f"{told(analysis)} {page}"))
    return all(found is not None or name not in said for name, found in made.items())


def check_a_check_that_was_made_is_not_denied(analysis, page):
    return analysis.backtest is None or "not checked at an earlier date" not in page


def check_ranges_of_levels_are_not_taken_for_parts(analysis, page):
    has_ranges = analysis.kind != "estimate" and any(told_columns(Reading(analysis).told.by_group).values())
    return has_ranges == (RANGES in told(analysis)) and (not page or has_ranges == (RANGES in page))


def check_no_more_have_it_within_some_time_than_ever(analysis, page):
    """Numbers within longer times are larger, and none is larger than the number ever, at either end."""
    found, ever = [window.expected for window in analysis.windows], analysis.unseen
    rises = all(a.estimate <= b.estimate + 1e-6 for a, b in pairwise(found))
    ends = all(a.lower <= ever.lower + 1e-6 and a.upper <= ever.upper + 1e-6 for a in found if np.isfinite(a.lower))
    return rises and ends and all(a.estimate <= ever.upper + 1e-6 for a in found if np.isfinite(ever.upper))


def check_text_and_page_have_the_same_windows(analysis, page):
    sentences = Reading(analysis).words.when()
    numbers = re.findall(r"[\d,]+ to [\d,]+", " ".join(sentences))
    is_told = all(text in told(analysis) for text in counted(analysis, *sentences))
    return is_told and (not page or all(text in page for text in numbers))


def check_paragraphs_say_what_the_answer_is(analysis, page):
    """The paragraph of methods names a range only where one is told, and where it begins as the report does."""
    methods, results = to_paragraphs(analysis).values()
    is_range = "we give a range" in methods
    from_curve = "from the lower confidence limit of the curve" in methods
    said = "had everybody been followed" in results
    told_rows = rows_sentence(analysis.origin.n_persons) in results
    is_untold = re.search(r"will have it [^.:]*is not told", results) is not None
    return (
        is_range == (analysis.kind == "range" and not is_untold)
        and from_curve <= is_range
        and (from_curve == said or is_untold)
        and told_rows == bool(analysis.origin.n_persons)
    )


def check_the_risk_of_a_ranking_is_that_of_a_recorded_event(analysis, page):
    of_event = (
        r"The risk is the probability that the event (?:ever|comes)|[Tt]hresholds? on the risk|of having the event"
        r"|expect(?:s|ed) to be positive|(?:true|false) positives"
    )
    everything = f"{page} {' '.join(to_paragraphs(analysis).values())}"
    return analysis.kind != "ranking" or not re.search(of_event, everything)


def check_page_and_tables_ask_one_question(analysis, page):
    """Where deaths come first, or only a record is asked for, nothing is about the event's ever happening."""
    tables = publication_tables(analysis)
    cells = " ".join(text for one in tables for text in (*one.header, *one.notes, *(row[0] for row in one.rows)))
    everything = f"{page} {told(analysis)} {cells}"
    is_ever = analysis.kind != "ranking" and not analysis.question
    if analysis.kind == "ranking" and re.search(r"[Mm]ean risk (?:lies between|\(range|that the event)", everything):
        return False
    return is_ever or "the event ever happen" not in everything


def check_ends_that_are_not_told_are_not_explained(analysis, page):
    """Where nothing is said of how many, nothing is said of the ends of a range of them either."""
    everything = f"{told(analysis)} {page}"
    untold = re.search(r"will have it [^.:]*is not told", everything)
    return not (untold and re.search(r"\bThe (?:lower|upper) end\b", everything))


CHECKS = [value for name, value in list(globals().items()) if name.startswith("check_")]
