"""A study that compares packages in short: a line per method with all that was measured, and mean ranks."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import replace

from whether.study.lineup import ORACLE, Entry
from whether.study.metrics import is_more_better
from whether.study.plan import Study, WorldGroup, find_any_world
from whether.study.ranking import Ranking, rank_methods
from whether.study.score_tables import Record, ScoreTable, make_tables, summarize
from whether.study.store import Row

AUC, LEVEL, BY_HORIZON, HELD, WIDTH, LABELS, SECONDS = (
    "auc",
    "population.level_error",
    "population.horizon_error",
    "interval.held",
    "interval.width",
    "labels.log_loss",
    "fit.seconds",
)
RANKED = (AUC, LEVEL, LABELS, SECONDS)
# Seconds are told in units of this one's.
YARDSTICK = "LogisticRegression"
_HEADER = ("method", "learner or package", "AUC", "rank", "level error", "rank", "by horizon", "held", "width",
           "label log loss", "rank", "seconds", "failed")  # fmt: skip


def rank_group(study: Study, rows: Sequence[Row], group: WorldGroup, metric: str) -> Ranking | None:
    """Rank the methods of a study, the oracle apart, by the means of a metric in the worlds of a group."""
    entries = [entry for entry in study.entries if entry.method is not ORACLE]
    found = summarize([row for row in rows if row.world in group.worlds], metric)
    labels = {entry.pair: entry.label for entry in entries}
    scores = {
        (world, labels[pair]): score.mean
        for (world, pair), score in found.items()
        if pair in labels and math.isfinite(score.mean)
    }
    run = [entry.label for entry in entries if any(label == entry.label for _, label in scores)]
    return rank_methods(scores, run, more_is_better=is_more_better(metric))


def make_overviews(study: Study, rows: Sequence[Row]) -> list[ScoreTable]:
    """Lay out how large the worlds are, and a table per group of them, the best mean rank by AUC first."""
    groups = [group for group in study.groups if any(row.world in group.worlds for row in rows)]
    return [_sizes(study, rows), *(_overview(study, group, rows) for group in groups)]


def _sizes(study: Study, rows: Sequence[Row]) -> ScoreTable:
    """Count the people of the first replicate of each world: those to learn from, and those who are scored."""
    counts = {row.world: row.details["counts"] for row in reversed(rows) if row.seed == 0 and "counts" in row.details}
    lines = []
    for world in (world for world in study.worlds if world in counts):
        found = counts[world]
        scored = next(target for target in ("scorable", "fresh") if target in found)
        told = (found["people"], found["features"], found["labeled"], found[scored], found[f"{scored} positive"])
        lines.append((find_any_world(world).title, "", *(f"{count:,}" for count in told)))
    header = ("world", "", "to learn from", "features", "labeled", "scored", "positive")
    return ScoreTable(f"{study.name}: people of the first replicate", header, tuple(lines))


def _overview(study: Study, group: WorldGroup, all_rows: Sequence[Row]) -> ScoreTable:
    rows = [row for row in all_rows if row.world in group.worlds]
    rankings = {metric: rank_group(study, rows, group, metric) for metric in RANKED}
    run = {(row.method, row.learner) for row in rows}
    entries = [entry for entry in study.entries if (entry.name, entry.learner) in run]
    entries.sort(key=lambda entry: _rank(rankings[AUC], entry) or (0.0 if entry.method is ORACLE else math.inf))
    lines = [_line(entry, rows, rankings) for entry in entries]
    worlds = len({row.world for row in rows})
    replicates = len({row.seed for row in rows})
    notes = [
        f"Means over {worlds} {group.title} and up to {replicates} replicates. Rank 1 is best. {_distances(rankings)}",
        "Level error: distance of the mean risk from the share known later; by horizon: that of the mean risk by "
        "the horizon, of models with times. Held: how often the 95 % interval of the "
        f"mean risk holds that share, and how wide it is. Seconds: of one processor, {YARDSTICK} = 1, geometric mean.",
    ]
    left_out = {label: n for ranking in rankings.values() if ranking for label, n in ranking.not_ranked}
    if left_out:
        listed = ", ".join(f"{label} ({n} of {worlds})" for label, n in left_out.items())
        notes.append(f"Not ranked, for lack of scores in too many of them: {listed}.")
    return ScoreTable(f"{study.name}: {group.title}", _HEADER, tuple(lines), tuple(notes))


def _distances(rankings: dict[str, Ranking | None]) -> str:
    titles = {AUC: "by AUC", LEVEL: "by level error", LABELS: "by label log loss"}
    told = [
        f"{ranking.critical_distance:.1f} {titles[metric]}"
        for metric, ranking in rankings.items()
        if ranking is not None and metric in titles
    ]
    return f"Two mean ranks differ beyond chance if they are apart by {', '.join(told)}." if told else ""


def _line(entry: Entry, rows: Sequence[Row], rankings: dict[str, Ranking | None]) -> tuple[str, ...]:
    own = [row for row in rows if (row.method, row.learner) == (entry.name, entry.learner)]
    means = {metric: _mean(own, metric) for metric in (AUC, LEVEL, LABELS)}
    held = _mean(own, HELD)
    ranks = {metric: _tell(_rank(rankings[metric], entry), 1) for metric in (AUC, LEVEL, LABELS)}
    failed = sum(row.status == "failed" for row in own)
    return (
        entry.name,
        entry.learner,
        *(_tell(means[AUC], 3), ranks[AUC], _tell(means[LEVEL], 3), ranks[LEVEL]),
        _tell(_mean(own, BY_HORIZON), 3),
        "" if held is None else f"{100 * held:.0f} %",
        _tell(_mean(own, WIDTH), 2),
        *(_tell(means[LABELS], 3), ranks[LABELS], _seconds(own, rows)),
        f"{failed} of {len(own)}" if failed else "",
    )


def _rank(ranking: Ranking | None, entry: Entry) -> float | None:
    return None if ranking is None else ranking.rank_of(entry.label)


def _mean(rows: Sequence[Row], metric: str) -> float | None:
    """Mean over worlds of the mean over replicates; worlds without a number are left out."""
    found = [score.mean for score in summarize(rows, metric).values() if math.isfinite(score.mean)]
    return math.fsum(found) / len(found) if found else None


def _seconds(own: Sequence[Row], rows: Sequence[Row]) -> str:
    """Seconds in units of the yardstick's on the same data."""
    unit = {
        (row.world, row.seed): row.scores[SECONDS] for row in rows if row.method == YARDSTICK and SECONDS in row.scores
    }
    ratios = [
        row.scores[SECONDS] / unit[row.world, row.seed]
        for row in own
        if SECONDS in row.scores and (row.world, row.seed) in unit
    ]
    return f"{statistics.geometric_mean(ratios):.3g}" if ratios else ""


def _tell(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def make_ranked_tables(
    study: Study, records: Sequence[Record], rows: Sequence[Row], n_failed: int = 0
) -> list[ScoreTable]:
    """Lay out the scores of each metric, with mean ranks below them."""
    tables = []
    for metric in dict.fromkeys(record.metric for record in records):
        rankings = []
        if metric in RANKED:
            rankings = [(group.title, rank_group(study, rows, group, metric)) for group in study.groups]
        for table in make_tables(study, [record for record in records if record.metric == metric], n_failed):
            tables.append(_add_ranks(table, rankings))
    return tables


def _add_ranks(table: ScoreTable, rankings: Sequence[tuple[str, Ranking | None]]) -> ScoreTable:
    labels = table.header[2:]
    lines = [
        (f"mean rank, {title}", "", *(_tell(ranking.rank_of(label), 1) for label in labels))
        for title, ranking in rankings
        if ranking is not None
    ]
    return replace(table, rows=(*table.rows, *lines))
