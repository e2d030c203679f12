"""Features as they are named to a reader: a level of a category, and the level with which it is compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from whether.files.table.findings import Finding, UsedAsCategories
from whether.telling.words import clean

# Levels that the reader of tables adds.
_ADDED = {"(missing)": "missing", "(other)": "other"}


@dataclass(frozen=True)
class Level:
    """A level of a category that is a feature."""

    column: str
    value: str
    reference: str  # with which it is compared; empty where few people have that

    def __str__(self) -> str:
        return f"{self.column}: {self.value}"


def level_features(findings: Iterable[Finding], fewest: int) -> dict[str, Level]:
    """Features that are levels of a category, by the name that the model has for them."""
    found = {}
    for finding in findings:
        if isinstance(finding, UsedAsCategories):
            first, *others = finding.held
            reference = clean(first.value) if first.people >= fewest else ""
            values = {one.value: clean(one.value) for one in others} | _ADDED
            for value, shown in values.items():
                found[f"{finding.column}={value}"] = Level(clean(finding.column), shown, reference)
    return found
