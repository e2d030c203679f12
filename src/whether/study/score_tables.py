"""Put stored results together as tables, the paper's numbers beside ours.

Given the same results the tables are the same to the last byte: nothing in them depends on the clock, on the order in
which cells were finished, or on where.
"""

from __future__ import annotations

import csv
import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from whether.study.errors import StudyError
from whether.study.lineup import ORACLE, ORACLE_PAIR, Entry
from whether.study.metrics import is_more_better, title_of_metric
from whether.study.plan import Study, choose_entries, choose_worlds, find_any_world
from whether.study.store import Row

_MOST_COLUMNS = 9
# The paper rounds to 0.01, and its replicates scatter by as much.
TOLERANCE = 0.02


@dataclass(frozen=True)
class Score:
    """A metric over replicates; the standard deviation of a single one is NaN."""

    mean: float
    sd: float
    count: int

    def __str__(self) -> str:
        spread = "" if math.isnan(self.sd) else f" ({_short(self.sd)})"
        return f"{self.mean:.3f}{spread}"


@dataclass(frozen=True)
class Published:
    """A number of the paper's tables: mean and standard deviation over replicates."""

    auc: float
    sd: float

    def __str__(self) -> str:
        return f"{self.auc:.2f} ({_short(self.sd, 2)})"


@cache
def read_published() -> dict[tuple[str, str, str], Published]:
    """Return the paper's numbers by study, world and the paper's name of the method."""
    text = resources.files("whether.study").joinpath("paper_tables.csv").read_text(encoding="utf-8")
    return {
        (line["study"], line["world"], line["method"]): Published(float(line["auc"]), float(line["sd"]))
        for line in csv.DictReader(text.splitlines())
    }


@dataclass(frozen=True)
class ScoreTable:
    """A table of words, ready to be set in any format; a row whose first cell is empty belongs to the row above."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Record:
    """One score with everything that belongs to it, for files that programs read."""

    study: str
    world: str
    entry: Entry  # Method and learner.
    metric: str
    score: Score
    published: Published | None
    oracle: Score | None  # The same metric of the oracle.

    @property
    def scenario(self) -> str:
        """The world's name for tables."""
        return find_any_world(self.world).title

    @property
    def label(self) -> str:
        """Name of method and learner in tables."""
        return self.entry.label


Scores = dict[tuple[str, str], Score]
# What is told of a score, by the name of the row.
Lines = tuple[tuple[str, Callable[[Record], str]], ...]


def summarize(rows: Iterable[Row], metric: str) -> Scores:
    """Return mean and standard deviation of a metric by world and method with learner."""
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
    """Return every score of a study, or those of the metrics, worlds and methods named, in the study's order."""
    records = []
    for metric in metrics or study.metrics:
        title_of_metric(metric)  # refuses what is no metric
        scores = summarize(rows, metric)
        for world in choose_worlds(study, worlds or study.worlds):
            for entry in choose_entries(study, methods):
                if (score := scores.get((world, entry.pair))) is not None:
                    oracle = None if entry.method is ORACLE else scores.get((world, ORACLE_PAIR))
                    published = read_published().get((study.name, world, entry.paper)) if metric == "auc" else None
                    records.append(Record(study.name, world, entry, metric, score, published, oracle))
    if not records:
        raise StudyError(f"No finished cells of the study {study.name!r} are stored.")
    return records


def make_tables(study: Study, records: Sequence[Record], n_failed: int = 0) -> list[ScoreTable]:
    """Lay out the scores of a study.

    A table of methods that the paper reports has three rows per world: ours, the paper's and the difference. Tables of
    other methods have the score, and the difference from the oracle.
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
            tables += _lay_out(title, others, _ORACLE_ROWS if is_more_better(metric) else _ORACLE_ROWS[:1])
    return _add_notes(tables, records, n_failed)


def _lay_out(title: str, records: Sequence[Record], lines: Lines) -> list[ScoreTable]:
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
        tables.append(ScoreTable(title + part, ("scenario", "", *chunk), tuple(rows)))
    return tables


_PAPER_ROWS: Lines = (
    ("ours", lambda record: str(record.score)),
    ("paper", lambda record: str(record.published or "")),
    ("difference", lambda record: _signed(record.score.mean - record.published.auc) if record.published else ""),
)
_ORACLE_ROWS: Lines = (
    ("score", lambda record: str(record.score)),
    ("minus oracle", lambda record: _signed(record.score.mean - record.oracle.mean) if record.oracle else ""),
)


def _add_notes(tables: list[ScoreTable], records: Sequence[Record], n_failed: int) -> list[ScoreTable]:
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
    return [*tables[:-1], replace(tables[-1], notes=tuple(notes))]


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
