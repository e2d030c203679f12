"""Columns that give the outcome away, by what they tell of the event and the time; their names alone never decide.

A leak of the event separates people with and without it as nothing known before could: labels of a cohort that is still
followed miss events, so that even a perfect feature makes errors. A leak of the time follows it among people with the
event *and* among those without. What is known at entry cannot do both: the year of entry decides how long people
without the event were followed, but not when the others had it; what drives event times says little about the others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whether.files.table.clock import LARGEST, MOST_SUMS, Clock, Follows, Sum
from whether.files.table.columns import Column
from whether.files.table.dates import as_days
from whether.files.table.findings import Reason, TableError
from whether.files.table.giveaway import Split, tell_apart
from whether.files.table.outcome import Outcome
from whether.files.table.repeats import ROUNDING, equals_mostly, find_ends, repeats_partly

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.int64]

MOST_ROWS = 5_000  # a part of a large table decides as well
MOST_LEVELS, FEWEST_IN_LEVEL = 50, 5
MOST_WORDS, FEWEST_WITH_WORD = 300, 10
# What is only known afterwards is often called so; such a column is left in, with a warning, if it tells something.
LATE_NAME = re.compile(
    r"vital|deceased|(^|[\W_])(dead|died|death|alive|cod|cause|end|exit|last|final|visits?)($|[\W_])", re.IGNORECASE
)
LATE_AUC, LATE_RANK = 0.65, 0.3


@dataclass(frozen=True)
class Leak:
    """How a column gives the outcome away; one that is not certain is only warned of."""

    reason: Reason
    certain: bool = True
    beside: str = ""  # the column to which the time was added
    auc: float = float("nan")


def find_leaks(columns: Mapping[str, Column], outcome: Outcome) -> dict[str, Leak]:
    """Find the columns that give the event or the time away."""
    step = -(-outcome.event.size // MOST_ROWS)
    if step > 1:
        rows = np.arange(0, outcome.event.size, step)
        outcome = outcome.take(rows)
        columns = {name: replace(column, data=column.data.take(pa.array(rows))) for name, column in columns.items()}
    found: dict[str, Leak] = {}
    numbers = {name: values for name, column in columns.items() if (values := _numbers(column)) is not None}
    clock = None if outcome.time is None else Clock(outcome.time, outcome.event)
    for name, column in columns.items():
        is_read = column.kind in ("number", "text")
        leak = _look_at(column, numbers.get(name), outcome, clock) if is_read else None
        if column.kind == "text" and (leak is None or not leak.certain) and _has_word_of_event(column, outcome.event):
            leak = Leak(Reason.WORDS_ARE_EVENT)
        if leak is not None:
            found[name] = leak
    if clock is not None:
        beside = {name: values for name, values in numbers.items() if name not in found or not found[name].certain}
        entries = [values for values in (outcome.entry, outcome.entry_time) if values is not None]
        sums = clock.find_sums(beside, entries)
        sums |= _find_last_seen({name: beside[name] for name in beside if name not in sums}, entries, outcome)
        found |= {name: Leak(Reason.ADDS_TIME, one.certain, one.beside) for name, one in sums.items()}
    return found


def _find_last_seen(numbers: Mapping[str, Array], entries: list[Array], outcome: Outcome) -> dict[str, Sum]:
    """Columns that are another one, or an entry, plus the time of those without the event: age or date last seen."""
    assert outcome.time is not None, "there is a clock"
    usable = {name: values for name, values in numbers.items() if not np.any(np.abs(values) > LARGEST)}
    names = list(usable)[:MOST_SUMS]
    if not names:
        return {}
    ends = np.column_stack([usable[name] for name in names])
    pairs = find_ends(ends, np.column_stack([ends, *entries]), outcome.time, outcome.event)
    return {names[end]: Sum(names[start] if start < len(names) else "", certain) for end, start, certain in pairs}


def _numbers(column: Column) -> Array | None:
    if column.kind == "number":
        return column.numbers()
    if column.kind != "date":
        return None
    try:
        return as_days(column)
    except TableError:  # nobody asked for these dates
        return None


def _look_at(column: Column, numbers: Array | None, outcome: Outcome, clock: Clock | None) -> Leak | None:
    codes, missing = _levels(column)
    split = Split.of(codes, outcome.event)
    if numbers is not None and _repeats_times(numbers, outcome):
        return Leak(Reason.IS_TIME)
    if split.is_copy:
        return Leak(Reason.IS_EVENT)
    if missing.any() and Split.of((~missing).astype(np.int64), outcome.event).is_filled_with_event(~missing):
        return Leak(Reason.FILLED_WITH_EVENT)
    if split.covers_events(certain=True) or (clock is not None and clock.loses_nobody(split, codes)):
        return Leak(Reason.LEVELS_ARE_EVENT)
    scores = split.rates[codes] if numbers is None else numbers
    certain, suspected, auc = tell_apart(scores, outcome.event)
    if certain:
        return Leak(Reason.SEPARATES, auc=auc)
    follows = None if clock is None else clock.follows(_on_clock(codes, numbers, clock))
    if (follows is not None and follows.certain) or _is_in_order(codes, numbers, missing, clock):
        return Leak(Reason.FOLLOWS_TIME)
    if (partly := _repeats_partly(numbers, outcome)) is not None:
        return Leak(Reason.IS_TIME, certain=partly)
    if suspected or split.may_be_copy or split.covers_events(certain=False):
        return Leak(Reason.SEPARATES, certain=False, auc=max(auc, 1 - auc))
    return _suspect(column, split, auc, follows)


def _suspect(column: Column, split: Split, auc: float, follows: Follows | None) -> Leak | None:
    """What few honest features do."""
    if split.is_pure_somewhere:
        return Leak(Reason.LEVELS_ARE_EVENT, certain=False)
    if follows is not None and follows.suspected:
        return Leak(Reason.FOLLOWS_TIME, certain=False)
    tells = max(auc, 1 - auc) > LATE_AUC or (follows is not None and follows.rank > LATE_RANK)
    return Leak(Reason.SOUNDS_LATE, certain=False) if tells and LATE_NAME.search(column.name) else None


def _has_word_of_event(column: Column, event: Flags) -> bool:
    """Whether a word within longer cells, such as a code in a list of codes, tells people with the event."""
    coded = column.data.combine_chunks().dictionary_encode()
    found = [set(re.findall(r"\w+(?:\.\w+)*", cell.casefold())) for cell in coded.dictionary.to_pylist()]
    if max(map(len, found), default=0) < 2:
        return False  # cells of one word are looked at as they are
    cells = np.asarray(pc.fill_null(coded.indices, len(found)).to_numpy(zero_copy_only=False), dtype=np.int64)
    people = np.bincount(cells, minlength=len(found) + 1)[:-1]
    counts: Counter[str] = Counter()
    for words, count in zip(found, people.tolist(), strict=True):
        counts.update(dict.fromkeys(words, count))
    for word, count in counts.most_common(MOST_WORDS):
        if count < FEWEST_WITH_WORD:
            return False
        has = np.array([*(word in words for words in found), False])[cells]
        split = Split.of(has.astype(np.int64), event) if not has.all() else None
        if split is not None and (split.is_copy or split.covers_events(certain=True)):
            return True
    return False


def _is_in_order(codes: Codes, numbers: Array | None, missing: Flags, clock: Clock | None) -> bool:
    """Whether the values of a column, or its gaps, come in the order of the time."""
    if clock is None:
        return False
    return clock.orders(_on_clock(codes, numbers, clock)) or clock.orders(missing.astype(float))


def _on_clock(codes: Codes, numbers: Array | None, clock: Clock) -> Array:
    """Return numbers as they are; for categories, how late people of each are on the whole."""
    if numbers is not None:
        return numbers
    late = np.bincount(codes, weights=clock.ranks) / np.maximum(np.bincount(codes), 1)
    return np.asarray(late[codes])


def _repeats_times(values: Array, outcome: Outcome) -> bool:
    """Whether a column equals the time, or the follow-up, of most people or of just those without the event."""
    if any(times is not None and equals_mostly(values, times) for times in (outcome.time, outcome.follow_up)):
        return True
    if outcome.time is not None:
        return False  # what repeats it partly is looked at later
    if outcome.follow_up is not None:
        # The time in any unit, rounded: it is the follow-up of people without the event, and shorter with it.
        unit = np.nanmedian((values / outcome.follow_up)[~outcome.event])
        same = np.isclose(values, unit * outcome.follow_up, rtol=ROUNDING, atol=0)
        return bool(same.any()) and Split.of(same.astype(np.int64), outcome.event).is_copy
    return False


def _repeats_partly(numbers: Array | None, outcome: Outcome) -> bool | None:
    if numbers is None or outcome.time is None:
        return None
    return repeats_partly(numbers, outcome.time, outcome.event)


def _levels(column: Column) -> tuple[Codes, Flags]:
    """Number of each cell's value, those of few people pooled and gaps a value of their own; and which are gaps."""
    coded = column.data.combine_chunks().dictionary_encode(null_encoding="encode")
    raw = np.asarray(coded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    missing = np.asarray(column.data.is_null().to_numpy(), dtype=bool)
    counts = np.bincount(raw)
    often = np.flatnonzero(counts >= FEWEST_IN_LEVEL)
    often = often[np.argsort(-counts[often], kind="stable")][:MOST_LEVELS]
    number = np.zeros(counts.size, dtype=np.int64)  # 0 is for the pool
    number[often] = 1 + np.arange(often.size)
    codes = number[raw]
    codes[missing] = often.size + 1
    return np.unique(codes, return_inverse=True)[1].astype(np.int64), missing
