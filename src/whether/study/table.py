"""Put stored results together as tables, the paper's numbers beside ours.

Given the same results the tables are the same to the last byte: nothing in them depends on the clock, on the order in
which cells were finished, or on where.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from whether.simulation import find_world
from whether.study.errors import StudyError
from whether.study.lineup import ORACLE
from whether.study.plan import Study, choose_entries, choose_worlds
from whether.study.published import Published, find_published
from whether.study.real_cohorts import COHORT_WORLDS
from whether.study.results import SCORES, Row

METRIC_TITLES = {
    "auc": "AUC",
    "average_precision": "average precision",
    "brier": "Brier score",
    "log_loss": "log loss",
    "calibration_error": "calibration error",
    "mean_risk_error": "mean risk minus share of positives",
    "rmse": "distance from the true risk (root mean square)",
    "propensity_auc": "AUC of the propensity, for labels among positives",
    "propensity_average_precision": "average precision of the propensity, for labels among positives",
    "propensity_brier": "Brier score of the propensity, for labels among positives",
    "propensity_log_loss": "log loss of the propensity, for labels among positives",
    "propensity_calibration_error": "calibration error of the propensity, for labels among positives",
    "propensity_mean_risk_error": "mean propensity minus share labeled, among positives",
    "propensity_outcome_auc": "AUC of the propensity against the outcome",
    "propensity_rmse": "distance from the true propensity (root mean square)",
}
TARGET_TITLES = {
    "fresh": "new people",
    "evaluable": "test children followed past age nine",
    "truth": "all test children, with the true outcome",
    "scorable": "test people whose outcome is known now",
    "population": "all test people, by Kaplan and Meier's estimate",
}
_MOST_COLUMNS = 9
# The paper rounds to 0.01, and its replicates scatter by as much.
TOLERANCE = 0.02
_THE_MORE_THE_BETTER = ("auc", "average_precision")
_ORACLE_PAIR = f"{ORACLE}/linear"


@dataclass(frozen=True)
class Score:
    """A metric over replicates.

    Attributes
    ----------
    mean : float
    sd : float
        Standard deviation over replicates; NaN if there is one only.
    count : int
        Number of replicates.
    """

    mean: float
    sd: float
    count: int

    def __str__(self) -> str:
        spread = "" if math.isnan(self.sd) else f" ({_short(self.sd)})"
        return f"{self.mean:.3f}{spread}"


@dataclass(frozen=True)
class Table:
    """A table of words, ready to be set in any format.

    Attributes
    ----------
    title : str
    header : tuple of str
    rows : tuple of tuple of str
        A row whose first cell is empty belongs to the row above.
    notes : tuple of str
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Record:
    """One score with everything that belongs to it, for files that programs read.

    Attributes
    ----------
    study, world, scenario, method, learner, label, metric : str
    score : Score
    published : Published or None
    oracle : Score or None
        The same metric of the oracle.
    """

    study: str
    world: str
    scenario: str
    method: str
    learner: str
    label: str
    metric: str
    score: Score
    published: Published | None
    oracle: Score | None


Scores = dict[tuple[str, str], Score]
# What is told of a score, by the name of the row.
Lines = tuple[tuple[str, Callable[[Record], str]], ...]


def title_of(world: str) -> str:
    """Return a world's name for tables.

    Parameters
    ----------
    world : str
    """
    return COHORT_WORLDS[world].title if world in COHORT_WORLDS else find_world(world).title


def title_of_metric(metric: str) -> str:
    """Return a metric's name for tables; a metric of another target has its name and a dot before it.

    Parameters
    ----------
    metric : str
    """
    target, _, name = metric.rpartition(".")
    if name not in METRIC_TITLES or (target and target not in TARGET_TITLES):
        raise StudyError(f"No metric is called {metric!r}; there are {', '.join(SCORES)}.")
    return f"{METRIC_TITLES[name]}, {TARGET_TITLES[target]}" if target else METRIC_TITLES[name]


def summarize(rows: Iterable[Row], metric: str) -> Scores:
    """Return mean and standard deviation of a metric by world and method with learner.

    Parameters
    ----------
    rows : iterable of Row
    metric : str
    """
    values = defaultdict(list)
    for row in rows:
        if row.status == "done" and metric in row.scores:
            values[row.world, f"{row.method}/{row.learner}"].append(row.scores[metric])
    return {key: _score(found) for key, found in values.items()}


def make_records(
    study: Study,
    rows: Sequence[Row],
    metrics: Sequence[str] = (),
    worlds: Sequence[str] = (),
    methods: Sequence[str] = (),
) -> list[Record]:
    """Return every score of a study, in the study's order.

    Parameters
    ----------
    study : Study
    rows : sequence of Row
    metrics, worlds, methods : sequence of str
        Default: the study's own.
    """
    records = []
    for metric in metrics or study.metrics:
        title_of_metric(metric)
        scores = summarize(rows, metric)
        for world in choose_worlds(study, worlds or study.worlds):
            for entry in choose_entries(study, methods):
                score = scores.get((world, entry.pair))
                if score is not None:
                    oracle = None if entry.method == ORACLE else scores.get((world, _ORACLE_PAIR))
                    published = find_published(study.name, world, entry.paper) if metric == "auc" else None
                    records.append(
                        Record(
                            study.name,
                            world,
                            title_of(world),
                            entry.method,
                            entry.learner,
                            entry.label,
                            metric,
                            score,
                            published,
                            oracle,
                        )
                    )
    if not records:
        raise StudyError(f"No finished cells of the study {study.name!r} are stored.")
    return records


def make_tables(study: Study, records: Sequence[Record], n_failed: int = 0) -> list[Table]:
    """Lay out the scores of a study.

    A table of methods that the paper reports has three rows per world: ours, the paper's and the difference. Tables of
    other methods have the score, and the difference from the oracle.

    Parameters
    ----------
    study : Study
    records : sequence of Record
    n_failed : int
        Number of failed cells, for a note.
    """
    tables = []
    for metric in dict.fromkeys(record.metric for record in records):
        some = [record for record in records if record.metric == metric]
        compared = [record for record in some if record.published]
        names = {record.label for record in compared}
        others = [record for record in some if record.label not in names]
        title = f"{study.name}: {title_of_metric(metric)}"
        if compared:
            tables += _lay_out(f"{title}, beside the paper", compared, _PAPER_ROWS)
        if others:
            # How far an error is from the oracle's says little; its size says it all.
            tables += _lay_out(
                title, others, _ORACLE_ROWS if metric.endswith(_THE_MORE_THE_BETTER) else _ORACLE_ROWS[:1]
            )
    return _add_notes(tables, records, n_failed)


def _lay_out(title: str, records: Sequence[Record], lines: Lines) -> list[Table]:
    """Cut a wide table into several."""
    labels = list(dict.fromkeys(record.label for record in records))
    parts = -(-len(labels) // _MOST_COLUMNS)
    width = -(-len(labels) // parts)
    chunks = [labels[start : start + width] for start in range(0, len(labels), width)]
    tables = []
    for number, chunk in enumerate(chunks, start=1):
        part = f" ({number} of {len(chunks)})" if len(chunks) > 1 else ""
        rows: list[tuple[str, ...]] = []
        for world in dict.fromkeys(record.world for record in records):
            found = {record.label: record for record in records if record.world == world}
            scenario = next(iter(found.values())).scenario
            told = [(name, [tell(found[label]) if label in found else "" for label in chunk]) for name, tell in lines]
            filled = [(name, cells) for name, cells in told if any(cells)]
            rows += [(scenario if not line else "", name, *cells) for line, (name, cells) in enumerate(filled)]
        tables.append(Table(title + part, ("scenario", "", *chunk), tuple(rows)))
    return tables


def _tell_score(record: Record) -> str:
    return str(record.score)


def _tell_published(record: Record) -> str:
    return f"{record.published.auc:.2f} ({_short(record.published.sd, 2)})" if record.published else ""


def _tell_difference(record: Record) -> str:
    return _signed(record.score.mean - record.published.auc) if record.published else ""


def _tell_gap(record: Record) -> str:
    return _signed(record.score.mean - record.oracle.mean) if record.oracle else ""


_PAPER_ROWS: Lines = (("ours", _tell_score), ("paper", _tell_published), ("difference", _tell_difference))
_ORACLE_ROWS: Lines = (("score", _tell_score), ("minus oracle", _tell_gap))


def _add_notes(tables: list[Table], records: Sequence[Record], n_failed: int) -> list[Table]:
    counts = Counter(record.score.count for record in records)
    usual = max(counts, key=lambda count: (counts[count], count))
    notes = [f"Mean (standard deviation) over {usual} replicate{'s' if usual != 1 else ''}."]
    if any(record.published for record in records):
        notes.append("The paper's numbers are rounded to 0.01; the difference is ours minus the paper's.")
    short = [record for record in records if _shortfall(record) > TOLERANCE]
    if short:
        listed = ", ".join(f"{record.world}/{record.label} ({_shortfall(record):.3f})" for record in short)
        notes.append(f"More than {TOLERANCE:g} below the paper: {listed}.")
    fewer = [record for record in records if record.score.count != usual and record.metric == records[0].metric]
    if fewer:
        listed = ", ".join(f"{record.world}/{record.label}: {record.score.count}" for record in fewer[:8])
        more = f" and {len(fewer) - 8} more" if len(fewer) > 8 else ""
        notes.append(f"Other numbers of replicates: {listed}{more}.")
    if n_failed:
        notes.append(f"{n_failed} cells failed and are left out; `whether study status` lists them.")
    last = tables[-1]
    return [*tables[:-1], Table(last.title, last.header, last.rows, tuple(notes))]


def _shortfall(record: Record) -> float:
    return record.published.auc - record.score.mean if record.published else 0.0


def _score(values: Sequence[float]) -> Score:
    spread = statistics.stdev(values) if len(values) > 1 and all(map(math.isfinite, values)) else math.nan
    return Score(math.fsum(values) / len(values), spread, len(values))


def _signed(value: float) -> str:
    text = f"{value:+.3f}"
    return "0.000" if text in ("+0.000", "-0.000") else text


def _short(value: float, digits: int = 3) -> str:
    """Write a number below one without the zero, as tables do."""
    return f"{value:.{digits}f}".removeprefix("0")
