"""From parts of a table to blocks of people: what was decided on a sample of its rows is done to each part."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pyarrow as pa

from whether.cohort import Cohort
from whether.files.table.encoder import Encoder
from whether.files.table.findings import TableError
from whether.files.table.outcome import Outcome, read_outcome
from whether.files.table.roles import Roles
from whether.files.table.table_cohort import TableCohort, read_cohort
from whether.validate import ArgumentError, DataError, check_rows

# Rows on which columns are looked at, and from which medians and categories are taken.
MOST_LOOKED_AT = 200_000
# What `read_cohort` takes and rows in blocks cannot have.
_REFUSED = {
    "group": "rows of one group may lie in different blocks. Fit a sample in memory with groups=",
    "by": "levels are told apart by analyze, which holds people in memory",
    "query": "only Parquet files and Dask frames come in blocks",
    "keep_gaps": "gaps are left to trees, which hold people in memory",
}


def look_at(sample: pa.Table, event: str | None, known: dict[str, Any]) -> TableCohort:
    """Decide on a sample of the rows what each column is, as `read_cohort` does."""
    for name, reason in _REFUSED.items():
        if known.get(name):
            raise ArgumentError(f"`{name}` cannot be used with rows that come in blocks: {reason}.")
    return read_cohort(sample, event, **known)


@dataclass(frozen=True)
class Reader:
    """What makes people of a part of a table; small, so that it can be sent to where the parts are."""

    roles: Roles
    encoder: Encoder
    weight: str | None
    is_net: bool = False  # whether deaths are ends of follow-up

    @property
    def columns(self) -> list[str]:
        """Columns that are read."""
        weight = [] if self.weight is None else [self.weight]
        return list(dict.fromkeys([*self.roles.columns, *weight, *self.encoder.columns]))

    def without_features(self) -> Reader:
        """Return what reads labels and times alone."""
        return replace(self, encoder=Encoder((), ()))

    def read(self, part: pa.Table, where: str) -> Cohort:
        """Return the people of a part; errors say where it is."""
        try:
            outcome, possible = read_outcome(part, self.roles, [], is_part=True)
            if possible is not None:
                part, outcome = part.filter(pa.array(possible)), outcome.take(possible)
            features = self.encoder.encode_table(part, [])  # gaps are filled, and infinities refused
            known = _known_of(outcome)
            if self.is_net:
                known.pop("competing", None)
            if self.weight is not None:
                known["sample_weight"] = part[self.weight].to_numpy()
            return check_rows(features, outcome.event, names=self.encoder.features, **known)
        except (DataError, TableError) as error:
            raise type(error)(f"{where}: {error}") from None


def _known_of(outcome: Outcome) -> dict[str, Any]:
    skipped = ("event", "entry")
    values = {field.name: getattr(outcome, field.name) for field in fields(outcome) if field.name not in skipped}
    return {name: np.asarray(value) for name, value in values.items() if value is not None}
