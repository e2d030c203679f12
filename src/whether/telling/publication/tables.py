"""The tables of a publication, as text in cells: who the people are, coefficients, and results by group."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from whether.analysis import Analysis, Window
from whether.analysis.cohort_table import CohortTable, LevelRow, NumberRow, Summary, describe_cohort
from whether.evaluate import Interval
from whether.facts import FEWEST
from whether.inference import Coefficient
from whether.learners import LinearFit
from whether.telling.coefficient_words import coefficient_cells
from whether.telling.disclosure import Disclosure, disclose, is_told
from whether.telling.feature_words import Level, level_features
from whether.telling.group_words import told_columns
from whether.telling.record_words import EVENTUALLY, level_words, risk_words
from whether.telling.window_words import window_cells, window_header
from whether.telling.words import (
    as_rows,
    count_interval,
    count_range,
    is_known,
    name,
    number,
    percent_interval,
    percent_range,
)

UNTOLD = "not told"
# A number with its sign, or two that are limits.
_NUMBERS = re.compile(r"-?[\d.,]+(?:e-?\d+)?(?: to -?[\d.,]+(?:e-?\d+)?)?")
POOLED = (
    f"Levels with 1 to {FEWEST - 1} people of one kind are pooled with others. Medians and quartiles are means of the "
    f"{FEWEST} people around them, so that none is one person’s own value; values of columns with few gaps include the "
    "median that filled them."
)


@dataclass(frozen=True)
class PublicationTable:
    """A table: short name for files, title, heads of the columns, cells, notes below."""

    key: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def typeset(cell: str) -> str:
    """Return a cell as it is printed: numbers have a minus, and not a hyphen; words stay as they are.

    >>> typeset("-0.42"), typeset("-0.56 to -0.27"), typeset("2020-12")
    ('−0.42', '−0.56 to −0.27', '2020-12')
    """
    return cell.replace("-", "−") if _NUMBERS.fullmatch(cell) else cell


def publication_tables(analysis: Analysis, suppress_below: int = FEWEST) -> list[PublicationTable]:
    """Return the tables of an analysis, as they may be told; that of coefficients only of a linear model."""
    rule = disclose(analysis, suppress_below)
    tables = [_cohort(rule.tell(describe_cohort(analysis)), rule), _coefficients(analysis, rule)]
    found = [table for table in (*tables, _results(analysis, rule)) if table is not None]
    return [_of_rows(table) for table in found] if analysis.origin.n_persons else found


def _of_rows(table: PublicationTable) -> PublicationTable:
    """Say rows where rows are counted, of which a person may have several; names of columns stay."""
    header, notes = tuple(map(as_rows, table.header)), tuple(map(as_rows, table.notes))
    rows = tuple((as_rows(row[0]) if row[0] == PEOPLE else row[0], *row[1:]) for row in table.rows)
    return PublicationTable(table.key, as_rows(table.title), header, rows, notes)


# ---------------------------------------------------------------- the people

PEOPLE = "Number of people"


def _cohort(found: CohortTable, rule: Disclosure) -> PublicationTable:
    tells = is_told(found.n_events)
    n_others = found.n_people - found.n_events if tells else 0
    header = ("", "All", "Recorded event", "No recorded event")
    rows = [(PEOPLE, f"{found.n_people:,}", *((f"{found.n_events:,}", f"{n_others:,}") if tells else _untold(2)))]
    sizes = (found.n_people, found.n_events, n_others) if tells else None
    columns: dict[str, list[LevelRow]] = {}
    for one in found.rows:
        if isinstance(one, LevelRow):
            columns.setdefault(one.column, []).append(one)
    for one in found.rows:
        if isinstance(one, NumberRow):
            rows += _number_rows(one)
        elif one is columns[one.column][0]:
            rows += _level_rows(columns[one.column], sizes)
    notes = [POOLED] if rule.is_on else [POOLED.partition(" Medians")[0]]
    notes += [f"{found.n_left_out:,} more columns are left out."] * bool(found.n_left_out)
    return PublicationTable("cohort", "The people, by recorded event", header, tuple(rows), tuple(notes))


def _untold(many: int) -> tuple[str, ...]:
    return (UNTOLD,) * many


def _number_rows(row: NumberRow) -> list[tuple[str, ...]]:
    title, parts = name(row.column, 60).short, (row.everybody, row.with_event, row.without_event)
    if not is_told(*parts):
        return [(title, *_untold(3))]
    rows = [
        (f"{title}, mean (SD)", *(_mean(part) for part in parts)),
        (f"{title}, median (IQR)", *(_median(part) for part in parts)),
    ]
    if is_told(row.n_missing, row.n_missing_events) and row.n_missing:
        counts = (row.n_missing, row.n_missing_events, row.n_missing - row.n_missing_events)
        rows.append((f"{title}, missing", *(f"{count:,}" for count in counts)))
    return rows


def _mean(part: Summary) -> str:
    return f"{_figure(part.mean)} ({_figure(part.deviation)})"


def _median(part: Summary) -> str:
    return f"{_figure(part.median)} ({_figure(part.lower)} to {_figure(part.upper)})"


def _figure(value: float) -> str:
    """Return a number with three digits; one of four digits may be a year, and has no comma."""
    shown = number(value, 3)
    return shown.replace(",", "") if abs(value) < 9999.5 else shown


def _level_rows(levels: Sequence[LevelRow], sizes: tuple[int, int, int] | None) -> list[tuple[str, ...]]:
    title = name(levels[0].column, 60).short
    tells = sizes is not None and len(levels) > 1 and all(is_told(one.n_people, one.n_events) for one in levels)
    if not tells or sizes is None:
        return [(title, *_untold(3))]
    rows: list[tuple[str, ...]] = [(f"{title}, n (%)", "", "", "")]
    for one in levels:
        counts = (one.n_people, one.n_events, one.n_people - one.n_events)
        cells = (f"{count:,} ({100 * count / size:.1f})" for count, size in zip(counts, sizes, strict=True))
        rows.append((f"  {name(one.level, 40).short}", *cells))
    return rows


# ---------------------------------------------------------------- coefficients

# Parts of models, in words.
PARTS = {
    "outcome": "Whether the event {happens}",
    "propensity": "Whether an event is recorded",
    "location": "When it happens, in those to whom it does (log time)",
    "log hazard": "When it happens, in those to whom it does (log rate)",
    "log scale": "Spread of the log time",
    "death location": "When people die without the event (log time)",
    "death log scale": "Spread of the log time of death",
}


def _coefficients(analysis: Analysis, rule: Disclosure) -> PublicationTable | None:
    model = analysis.model
    if not isinstance(model.model_, LinearFit) or not is_told(rule.tell(analysis).mean_risk):
        return None
    level = analysis.mean_risk.level
    rows = [row for row in model.summary(level).coefficients if rule.allows_feature(row.term)]
    interval = f"{100 * level:g} % interval"
    header = ("", "Coefficient", interval, "p", "Ratio", f"{interval} of the ratio")
    levels = level_features(analysis.origin.findings, rule.fewest)
    cells: list[tuple[str, ...]] = []
    part, happens = "", risk_words(analysis.kind, analysis.question)
    for row in rows:
        if row.part != part:
            part = row.part
            cells.append((PARTS.get(part, part.capitalize()).format(happens=happens), *("",) * 5))
        cells.append(_coefficient(row, levels))
    notes = (
        f"{type(model).__name__} ({analysis.recommendation.method}). A ratio is per one unit more of the feature: "
        f"of the odds that the event {happens}, of the time to it, or of its rate, in those to whom it happens.",
        "Intervals take the penalties of the fit, where it has any, as given.",
    )
    return PublicationTable("coefficients", "Coefficients of the model", header, tuple(cells), notes)


def _coefficient(row: Coefficient, levels: Mapping[str, Level]) -> tuple[str, ...]:
    _, term, _, _, p, _, _ = coefficient_cells(row)
    if row.term in levels:
        level = levels[row.term]
        term = name(level, 60).short + (f" (reference {name(level.reference).short})" if level.reference else "")
    ratio = f"{row.ratio_kind} {number(row.ratio, 3)}" if row.ratio_kind else ""
    limits = _between(row.ratio_lower, row.ratio_upper) if row.ratio_kind else ""
    return (f"  {term}", number(row.estimate, 3), _between(row.lower, row.upper), p, ratio, limits)


def _between(lower: float, upper: float) -> str:
    return f"{number(lower, 3)} to {number(upper, 3)}" if is_known(lower) else "not known"


# ---------------------------------------------------------------- results


def _results(analysis: Analysis, rule: Disclosure) -> PublicationTable | None:
    told = rule.tell(analysis)
    is_range, counts = analysis.kind != "estimate", told.evidence.counts
    if not is_told(counts.n_events, counts.n_open, told.mean_risk, told.unseen):
        return None
    if not is_told(*(window.expected for window in told.windows)):
        return None
    interval = "range" if is_range else f"{100 * analysis.mean_risk.level:g} % interval"
    header: tuple[str, ...] = (
        "",
        "People",
        "Recorded events",
        f"{level_words(analysis.kind).capitalize()} ({interval})",
        f"Still expected ({interval})",
    )
    header += tuple(head.capitalize() for head in window_header(told.windows, analysis.origin.unit))
    everybody = (analysis.n_people, analysis.n_events, told.mean_risk, told.unseen, told.windows)
    rows = [("All", *_result(*everybody, is_range=is_range))]
    for column, levels in told_columns(told.by_group).items():
        rows += [(name(column, 60).short, *("",) * (len(header) - 1))] if levels else []
        for one in levels:
            cells = _result(one.n_people, one.n_events, one.mean_risk, one.unseen, one.windows, is_range=is_range)
            rows.append((f"  {name(one.level, 40).short}", *cells))
    notes = (
        f"Still expected: people with no recorded event who are expected to have it {EVENTUALLY[analysis.question]}; "
        "within some time, counted from when each person was last seen.",
    )
    return PublicationTable("results", "Risks and events still expected", header, tuple(rows), notes)


def _result(
    people: int, events: int, risk: Interval, unseen: Interval, windows: Sequence[Window], *, is_range: bool
) -> tuple[str, ...]:
    share = percent_range(risk.lower, risk.upper, 1) if is_range else percent_interval(risk, 1)
    count = count_range(unseen.lower, unseen.upper) if is_range else count_interval(unseen)
    return (f"{people:,}", f"{events:,}", share, count, *window_cells(windows, is_range=is_range))
