"""From a table and what the user said about its columns to encoded features and an outcome: where learning starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from whether.cli.columns import Choice, Columns
from whether.cli.problems import CommandError
from whether.cli.roles import Outcome, Roles, read_outcome
from whether.files.table import (
    Encoder,
    Notes,
    Observed,
    TableError,
    Wishes,
    guess_column,
    learn_encoder,
    read_table,
)

FEWEST_PEOPLE = 20


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table, ready to learn from.

    Attributes
    ----------
    features : DataFrame
        Numbers; it shares its memory with one matrix.
    outcome : Outcome
        Event, times, follow-up and entry.
    encoder : Encoder
        What made the features.
    propensity_features : list of str or None
        The features that the columns named as driving labeling became.
    groups : ndarray of int or None
        A number for each group of rows that belong together.
    ids : pyarrow.Table
        The columns that say who a person is, where they were asked for.
    notes : Notes
        What was done to the table.
    """

    features: pd.DataFrame
    outcome: Outcome
    encoder: Encoder
    propensity_features: list[str] | None
    groups: NDArray[np.intp] | None
    ids: pa.Table
    notes: Notes

    @property
    def known(self) -> dict[str, Any]:
        """Times, follow-up, entry and named features, as `whether.examine` and its kin take them."""
        named = {"propensity_features": self.propensity_features, "entry": self.outcome.entry}
        return {"time": self.outcome.time, "follow_up": self.outcome.follow_up, **named}


def prepare(
    path: Path,
    query: str | None,
    roles: Roles,
    wishes: Columns,
    *,
    keeps_missing: bool = False,
    copies_ids: bool = False,
) -> Prepared:
    """Read a table and turn it into features and an outcome.

    Parameters
    ----------
    path : Path
    query : str or None
        Query to a database.
    roles : Roles
    wishes : Columns
    keeps_missing : bool
        Whether gaps stay gaps, for a learner that copes with them; else they are filled in.
    copies_ids : bool
        Whether the id columns are wanted as they are in the file.
    """
    choice = Choice(roles, wishes, copies_ids=copies_ids)
    table, notes = read_table(path, query=query, choose=choice.choose)
    return prepare_table(table, choice, notes, str(path), keeps_missing=keeps_missing)


def prepare_table(table: pa.Table, choice: Choice, notes: Notes, name: str, *, keeps_missing: bool = False) -> Prepared:
    """Turn a table into features and an outcome.

    Parameters
    ----------
    table : pyarrow.Table
        With the columns that were chosen.
    choice : Choice
    notes : Notes
        Gets what was done to the table.
    name : str
        What the table is called in an error.
    keeps_missing : bool
        See `prepare`.
    """
    if table.num_rows < FEWEST_PEOPLE:
        raise TableError(
            f"{name!r} has {table.num_rows} row{'s' * (table.num_rows > 1)}; fewer than {FEWEST_PEOPLE} people "
            "are too few to learn from."
        )
    outcome = read_outcome(table, choice.roles, notes)
    encoder, features = _encode(table, choice, outcome, keeps_missing, notes)
    named = [name for column in choice.propensity for name in encoder.features_of(column)]
    if choice.propensity and not named:
        raise CommandError("None of the --propensity-features became a feature, so nothing decides who is seen.")
    groups = None if choice.group is None else _number_groups(table[choice.group])
    ids = table.select(choice.ids if choice.copies_ids else [])
    return Prepared(features, outcome, encoder, named or None, groups, ids, notes)


def _encode(
    table: pa.Table, choice: Choice, outcome: Outcome, keeps_missing: bool, notes: Notes
) -> tuple[Encoder, pd.DataFrame]:
    columns = {name: guess_column(name, table[name]) for name in choice.candidates}
    wishes = Wishes(choice.named, choice.categorical, keeps_missing, tuple(choice.ids))
    times = tuple(times for times in (outcome.time, outcome.follow_up) if times is not None)
    encoder = learn_encoder(columns, wishes, Observed(outcome.event, times), notes)
    return encoder, pd.DataFrame(encoder.encode(columns, notes), columns=list(encoder.features), copy=False)


def _number_groups(cells: pa.ChunkedArray) -> NDArray[np.intp]:
    """Number the groups; rows without one are a group each, for nothing is known of who belongs to them."""
    codes = np.asarray(cells.combine_chunks().dictionary_encode().indices.to_pandas(), dtype=float)
    alone = np.isnan(codes)
    codes[alone] = np.arange(alone.sum()) + cells.length()
    return np.asarray(np.unique(codes, return_inverse=True)[1], dtype=np.intp)
