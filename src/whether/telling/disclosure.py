"""What may leave: no number from which a count of 1 to 10 people, or one person's value, could be computed.

Nobody and many people point at no person; a few do. Zero is therefore told, and so is what reaches the threshold. The
rule is applied to facts, by what `whether.facts` declares of their fields, before anything is put into words.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from whether.facts import FEWEST, Expected, Groups, OfFeature, People, Personal, RestsOn, declared, fewest_rows
from whether.validate import check_whole_number

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Fact = TypeVar("Fact")


@dataclass(frozen=True)
class Withheld:
    """What stands in a told fact where a number was."""

    words: str = ""  # what may be said instead of a count; empty for other numbers

    def __str__(self) -> str:
        return self.words or "not told"


def is_told(*values: Any) -> bool:
    """Whether each value is there and may be told."""
    return not any(value is None or isinstance(value, Withheld) for value in values)


@dataclass(frozen=True)
class Disclosure:
    """The rule for small counts."""

    fewest: int = FEWEST  # smallest number of people that is told; 0 and 1 tell everything
    groups: Groups = field(default_factory=dict)  # sizes of the groups of the cohort, each with that of the whole
    # By feature, the number of people who have another value than most.
    marks: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_whole_number(self.fewest, "suppress_below", 0)

    @property
    def is_on(self) -> bool:
        """Whether anything is held back."""
        return self.fewest > 1

    def allows(self, *counts: float) -> bool:
        """Whether each of the counts is zero or large enough."""
        return all(count == 0 or count >= self.fewest for count in counts)

    def allows_part(self, count: float, whole: float) -> bool:
        """Whether a count may be told that the whole gives the rest to."""
        return self.allows(count, whole - count)

    def allows_feature(self, name: str) -> bool:
        """Whether a feature may be named: it is no mark of a few people."""
        return self.allows(self.marks.get(name, 0))

    def count(self, number: float) -> str:
        """Return a number of people as it may be shown."""
        whole = round(number)
        return f"{whole:,}" if self.allows(whole) else f"<{self.fewest}"

    def tell(self, fact: Fact) -> Fact:
        """Return a fact as it may be told: the same, with `Withheld` where something is held back."""
        return _tell(fact, self, self.groups) if self.is_on else fact

    def _part(self, value: Any, whole: float) -> Any:
        if self.allows_part(value, whole):
            return value
        return Withheld(f"fewer than {self.fewest}" if 2 * value < whole else "nearly all")

    def _settle_all(self, value: Any, declarations: tuple[Any, ...], groups: Groups) -> Any:
        """Return the value of a field as it may be told by all that is declared of it."""
        for tells in declarations or (None,):
            value = value if isinstance(value, Withheld) else self._settle(value, tells, groups)
        return value

    def _settle(self, value: Any, tells: Any, groups: Groups) -> Any:
        if isinstance(tells, (People, RestsOn)) and tells.tells_none and value == 0:
            return value
        if isinstance(tells, People):
            return self._part(value, groups[tells.of][0])
        if isinstance(tells, RestsOn):
            allowed = all(self.allows_part(*groups[name]) for name in tells.groups)
            return value if allowed else Withheld("some" if isinstance(value, int) else "")
        if isinstance(tells, Expected):
            events, n = groups[tells.events][0], groups[tells.people][0]
            others = [events, *(groups[name][0] for name in tells.closed if name in groups)]
            n_open = n - sum(others)
            if not self.allows(n_open):
                return Withheld(f"fewer than {self.fewest}")
            if not self.allows(*others):
                # All who may still have it would give back the few who may not, so that these are counted in.
                value = _lifted(value, n_open, n - sum(size for size in others if self.allows(size)))
            return value if self.allows(events) else _rounded(value, 0)
        if isinstance(tells, Personal):
            return _rounded(value, tells.digits)
        return _tell(value, self, groups)

    def merge(self, counts: Counts) -> list[slice]:
        """Merge neighbouring bins until each kind of person is absent from a bin or frequent enough in it.

        Parameters
        ----------
        counts : ndarray of shape (n_bins, n_kinds)

        Returns
        -------
        list of slice
            Runs of bins, in order and without gaps; empty where not even all bins together may be shown.
        """
        runs: list[slice] = []
        start = 0
        for stop in range(1, len(counts) + 1):
            if self.allows(*counts[start:stop].sum(axis=0)):
                runs.append(slice(start, stop))
                start = stop
        # What is left over at the end goes to the runs before it, as far back as it takes.
        while start < len(counts):
            if not runs:
                return []
            start = runs.pop().start
            if self.allows(*counts[start:].sum(axis=0)):
                runs.append(slice(start, len(counts)))
                break
        return runs


def disclose(fact: Any, suppress_below: int) -> Disclosure:
    """Return the rule as it holds for a fact, with the groups of people that the fact is about.

    Where a person may have several rows, and rows are counted, it takes so many that they cannot be of few people.
    """
    evidence = getattr(fact, "evidence", fact)
    counts, origin = getattr(evidence, "counts", None), getattr(fact, "origin", None)
    check_whole_number(suppress_below, "suppress_below", 0)
    suppress_below = fewest_rows(() if origin is None else origin.rows_each, suppress_below)
    return Disclosure(suppress_below, getattr(fact, "groups", {}), {} if counts is None else counts.marks)


def _tell(value: Any, rule: Disclosure, groups: Groups) -> Any:
    if isinstance(value, (list, tuple)):
        kept = [_tell(entry, rule, groups) for entry in value if not _marks_few(entry, rule)]
        return type(value)(kept) if type(value) in (list, tuple) else value
    if isinstance(value, dict):
        return {name: _tell(entry, rule, groups) for name, entry in value.items()}
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    tells, known = declared(value.__class__), {**groups, **_own_groups(value, groups)}
    names = [part.name for part in dataclasses.fields(value) if part.init]
    told = {name: rule._settle_all(getattr(value, name), tells[name], known) for name in names}
    changed = {name: entry for name, entry in told.items() if entry is not getattr(value, name)}
    return dataclasses.replace(value, **changed) if changed else value


def _own_groups(fact: Any, groups: Groups) -> dict[str, tuple[float, float]]:
    """Counts among the fields of a fact, with the count that each is a part of."""
    found: dict[str, tuple[float, float]] = {}
    for name, declarations in declared(fact.__class__).items():
        for tells in declarations:
            if isinstance(tells, People):
                whole = found[tells.of] if tells.of in found else groups[tells.of]
                found[name] = (getattr(fact, name), whole[0])
    return found


def _marks_few(value: Any, rule: Disclosure) -> bool:
    """Whether something is said of a feature that marks a few people."""
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return False
    named = [name for name, tells in declared(value.__class__).items() if any(isinstance(k, OfFeature) for k in tells)]
    return not all(rule.allows_feature(getattr(value, name)) for name in named)


def _lifted(value: Any, most: float, to: float) -> Any:
    """Put a number in place of the ends of an interval that reach another one."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        ends = {name: _lifted(getattr(value, name), most, to) for name in ("estimate", "lower", "upper")}
        return dataclasses.replace(value, **ends)
    return float(to) if value > most - 1 else value


def _rounded(value: Any, digits: int) -> Any:
    """Round a number, or all numbers of an interval, to significant digits; to a whole number if there are none."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        limits = ("estimate", "lower", "upper", "standard_error")
        return dataclasses.replace(value, **{name: _rounded(getattr(value, name), digits) for name in limits})
    if value is None or not math.isfinite(value):
        return value
    return float(f"{value:.{digits}g}") if digits else float(round(value))
