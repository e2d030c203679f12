"""Ways to few people through the levels of columns: the same level told twice, two groups that nearly agree, means."""

import re
from itertools import combinations

import numpy as np

from tests.disclosure.reading import Written, read_number
from tests.disclosure.truth import is_small

TITLE = re.compile(r"^(.+), n \(%\)$")
MEAN = re.compile(r"^([\d.,−-]+) \(([\d.,−-]+)\)$")
KINDS = ("people", "events", "unlabeled")
# Columns of so many values are solved for the people who have each.
MOST_SOLVED = 3


def find_twice(truth, documents):
    """The same level with two counts: what was counted with it once is their difference."""
    told = list(_told_levels(documents))
    for (one, counts, where), (other, others, place) in combinations(told, 2):
        if one == other:
            for kind, a, b in zip(KINDS, counts, others, strict=True):
                if is_small(abs(a - b)):
                    yield f"{kind} of {'='.join(one)} and others", abs(a - b), where, f"{a} and {b} in {place}"


def find_nested(truth, documents):
    """Two groups of which one lies in the other but for few, or that nearly share out everybody."""
    groups = {}
    for (column, level), counts, where in _told_levels(documents):
        rows = _rows_of(truth, column, level)
        if rows is not None and counts[0] == rows.sum():
            groups[column, level] = rows, where
    for (one, (a, where)), (other, (b, _)) in combinations(groups.items(), 2):
        parts = (a & b, a & ~b, ~a & b, ~a & ~b)
        if all(part.any() for part in parts):
            continue
        for part in parts:
            for kind, rows in zip(KINDS, (part, part & truth.labeled, part & ~truth.labeled), strict=True):
                if is_small(rows.sum()):
                    yield f"{kind} between {one} and {other}", int(rows.sum()), where, "one lies in the other"


def find_beside_gaps(truth, documents):
    """A level that is left of everybody, or of a group, when those of whom nothing is known are taken away."""
    notes = [text for document in documents for _, text in document.texts]
    for column, values in truth.levels.items():
        gaps = int(np.sum(values == ""))
        if not any(f"'{column}': {gaps} missing values" in text for text in notes):
            continue
        for (name, level), counts, where in _told_levels(documents):
            for rest in (counts[0] - gaps, truth.n_people - counts[0] - gaps):
                if name == column and is_small(rest):
                    yield f"people beside the gaps in {column}", rest, where, f"{level}: {counts[0]}, {gaps} gaps"


def find_moments(truth, documents):
    """Numbers of people who have each of a few values: mean, deviation and size leave one possibility."""
    for document in documents:
        for rows in document.tables:
            for row in rows[1:]:
                column = row[0].removesuffix(", mean (SD)")
                values = truth.levels.get(column)
                if column == row[0] or values is None or not all(_is_number(level) for level in set(values) - {""}):
                    continue
                for kind, who, cell in zip(KINDS, _kinds(truth), row[1:], strict=True):
                    own = np.array([float(value) for value in values[who] if value])
                    for value, count in _solved(own, cell):
                        yield f"{kind} with {column}={value:g}", count, document.name, cell


def _kinds(truth):
    return np.ones(truth.n_people, dtype=bool), truth.labeled, ~truth.labeled


def _solved(own, cell):
    """Small counts of values that follow from the mean and the deviation of them all."""
    found, distinct = MEAN.match(cell), np.unique(own)
    if found is None or distinct.size > MOST_SOLVED:
        return
    mean, deviation = (read_number("", Written(part)) for part in found.groups())
    possible = []
    for counts in _shared_out(own.size, distinct.size):
        counts = np.array(counts)
        middle = counts @ distinct / own.size
        spread = np.sqrt(counts @ (distinct - middle) ** 2 / max(1, own.size - 1))
        if mean.low <= middle <= mean.high and deviation.low <= spread <= deviation.high:
            possible.append(counts)
    for value, counts in zip(distinct, np.transpose(possible) if possible else [], strict=False):
        if np.all(counts == counts[0]) and is_small(counts[0]):
            yield value, int(counts[0])


def _shared_out(total, parts):
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in _shared_out(total - first, parts - 1))


def _is_number(text):
    return re.fullmatch(r"-?\d+(\.\d+)?", text) is not None


def _told_levels(documents):
    """Column and level with people, events and people without, from JSON and from tables."""
    for document in documents:
        for data in document.data:
            yield from _of_json(data, document.name)
        for rows in document.tables:
            column = ""
            for row in rows[1:]:
                title = TITLE.match(row[0])
                column = title[1] if title else column if any(row[1:]) else ""
                counts = [re.match(r"(\d[\d,]*) \(", cell) for cell in row[1:]]
                if column and not title and len(counts) == len(KINDS) and all(counts):
                    yield (column, row[0]), [int(count[1].replace(",", "")) for count in counts], document.name


def _of_json(data, where):
    for level in data.get("by_group", ()) if isinstance(data, dict) else ():
        n, n_events = level["n_people"], level["n_events"]
        yield (level.get("column", ""), level["level"]), [int(n), int(n_events), int(n - n_events)], f"{where}.by_group"


def _rows_of(truth, column, level):
    """People of a level or of several that are named; None where that is not known."""
    values = truth.levels.get(column)
    names = level.split(" or ")
    named = [*names[0].split(", "), *names[1:]]
    if values is None or "other" in named:
        return None
    return np.isin(values, ["" if one == "missing" else one for one in named])


RULES = (find_twice, find_nested, find_beside_gaps, find_moments)
