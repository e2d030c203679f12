"""From a stranger's table to a cohort: encoded features, labels and times, and what was done to get them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from whether.files.table.columns import count_rows_alike, guess_column
from whether.files.table.encoder import Encoder
from whether.files.table.findings import DatesToYears, Finding, SameId
from whether.files.table.learn import learn_encoder
from whether.files.table.outcome import Outcome, read_outcome, refuse_few, refuse_remains
from whether.files.table.roles import Choice, Roles, choose_columns, settle_roles
from whether.files.table.table_file import open_table
from whether.validate import ArgumentError, check_one_row_each

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TableCohort:
    """The people of a table, ready to learn from.

    Attributes
    ----------
    name : str
        What the table is called: the file's name without its folder.
    X : DataFrame
        Features, all of them numbers.
    y : ndarray of 0 and 1
        Whether the event was seen.
    time, follow_up, entry : ndarray or None
        As the classifiers and `examine` take them; from dates, in years.
    competing : ndarray of bool or None
        Whether something else came first and ruled the event out; such people have no event.
    entry_time : ndarray or None
        When observation began, event-free, on the scale of the times.
    time_lower : ndarray or None
        The last time at which the event had not come; the time itself where that is exact, and without the event.
    known_negative : ndarray of bool or None
        Whether somebody is past the last time at which the event comes.
    propensity_features : list of str or None
        The features that the columns named as driving labeling became.
    groups : ndarray of int or None
        A number for each group of rows that belong together.
    ids : pyarrow.Table
        The columns that say who a person is, as they were; without a column if none was named.
    by : pyarrow.Table
        The columns by whose levels people are to be told apart, as they were; without a column if none was named.
    roles : Roles
        The columns with the event and the times.
    encoder : Encoder
        What made the features, and makes them of new tables.
    findings : tuple of Finding
        What was done with each column.
    """

    name: str
    X: pd.DataFrame
    y: NDArray[np.int_]
    time: Array | None
    follow_up: Array | None
    entry: Array | None
    competing: NDArray[np.bool_] | None
    entry_time: Array | None
    time_lower: Array | None
    known_negative: NDArray[np.bool_] | None
    propensity_features: list[str] | None
    groups: NDArray[np.intp] | None
    ids: pa.Table
    by: pa.Table
    roles: Roles
    encoder: Encoder
    findings: tuple[Finding, ...]

    @property
    def known(self) -> dict[str, Any]:
        """Times, follow-up, entry and named features, as `whether.examine` and its kin take them."""
        named = {"propensity_features": self.propensity_features, "entry": self.entry}
        return {"time": self.time, "follow_up": self.follow_up, **named}

    @property
    def beside(self) -> dict[str, Any]:
        """What else is known of people, where it was said: by the names under which models take it."""
        named = ("competing", "entry_time", "time_lower", "known_negative")
        return {name: values for name in named if (values := getattr(self, name)) is not None}

    @property
    def n_persons(self) -> int:
        """Number of persons, where several rows are one person's: ids that were named to belong together; else 0."""
        if self.groups is None or not self.ids.num_columns:
            return 0
        n_ids = count_rows_alike(self.ids).size
        is_one = n_ids == int(np.unique(self.groups).size) < self.y.size
        return n_ids if is_one else 0

    @property
    def is_in_years(self) -> bool:
        """Whether times come from dates, and so are in years."""
        return any(isinstance(finding, DatesToYears) for finding in self.findings)


def read_cohort(
    table: Any,
    event: str | None = None,
    *,
    time: str | None = None,
    follow_up: str | None = None,
    entry: str | None = None,
    endpoint: Any = None,
    event_value: Any = None,
    competing: Any = None,
    event_date: str | None = None,
    last_contact: str | None = None,
    entry_time: str | None = None,
    time_lower: str | None = None,
    never_after: float | None = None,
    features: Iterable[str] | None = None,
    drop: Iterable[str] | None = None,
    keep: Iterable[str] | None = None,
    categorical: Iterable[str] | None = None,
    propensity_features: Iterable[str] | None = None,
    id: Iterable[str] | None = None,
    group: str | None = None,
    by: Iterable[str] | None = None,
    query: str | None = None,
    sheet: str | None = None,
    keep_gaps: bool = False,
) -> TableCohort:
    """Read a table as it is, with categories, gaps and dates, and turn it into features, labels and times.

    It is what every command of the program does with a table. Text becomes categories, each compared with the most
    frequent; rare ones are pooled; gaps are filled with the median, and a feature says where, if they are not few.
    Columns that look like ids, are constant, or give the event or the time away are left out. Rows in which observation
    ends before it begins are left out, too. Whatever is done is in ``findings``.

    Parameters
    ----------
    table : path-like, list of these, data frame or pyarrow.Table
        A file may be CSV, Parquet, Feather, Excel, Stata, SPSS, SAS, R (.rds), SQLite or DuckDB. A list, or a pattern
        such as ``"part-*.csv"``, is one table in several files.
    event : str, optional
        Column that says whether the event was seen: 0 or 1, yes or no, true or false.
    time : str, optional
        Column with the time of the event or, without it, of the end of follow-up; dates, if there is an entry.
    follow_up : str, optional
        Column with how long each person was, or would have been, followed.
    entry : str, optional
        Column with the dates of entry.
    endpoint : str or number, optional
        Date at which follow-up ended for everybody, as "2020-12-31"; a month, "2020-12", or a year is its last day; a
        number where the entries are numbers. People without the event who were last seen earlier were lost then.
    event_value : optional
        Value of the event column that means that it was seen, or a list of them.
    competing : optional
        Value of the event column that means that something else came first and ruled the event out, or a list of them.
    event_date : str, optional
        In place of ``event`` and ``time``: column with the date (or time) of the event, empty where it was not seen.
    last_contact : str, optional
        Beside ``event_date``: column with the date (or time) at which people were last seen.
    entry_time : str, optional
        Column with the time at which observation began, event-free, on the scale of ``time``; age at entry, say.
    time_lower : str, optional
        Column with the last time without the event, of people whose event came between two visits; where it is empty,
        or equals the time, that is exact.
    never_after : float, optional
        Time from which on the event does not come any more: people without it who reached it are known negatives.
    features : list of str, optional
        Columns to learn from; by default all that have no other use. An empty list is for models without features.
    drop : list of str, optional
        Columns to leave out.
    keep : list of str, optional
        Columns that were known before the event, and are features even if they seem to give the outcome away.
    categorical : list of str, optional
        Columns whose numbers are categories.
    propensity_features : list of str, optional
        Columns that decide who is seen.
    id : str or list of str, optional
        Columns that say who a person is; never learned from.
    group : str, optional
        Column whose equal values mark rows that belong together.
    by : str or list of str, optional
        Columns by whose levels `analyze` tells people apart. They may be features or not, and are kept as they are.
    query : str, optional
        Query to a SQLite or DuckDB file.
    sheet : str, optional
        Name of a sheet of a workbook.
    keep_gaps : bool
        Leave gaps in numbers, for a learner that copes with them: "boosted".

    Returns
    -------
    TableCohort

    Raises
    ------
    DataError
        If the table cannot be used as it is.
    ArgumentError
        If what was said about the columns does not go together.

    Examples
    --------
    >>> import pandas as pd
    >>> import whether as wh
    >>> frame = pd.DataFrame({"relapse": ["yes", "no", "no"] * 20, "years": range(1, 61), "stage": ["I", "II"] * 30})
    >>> cohort = wh.read_cohort(frame, event="relapse", time="years")
    >>> list(cohort.X.columns), int(cohort.y.sum())
    (['stage=II'], 20)
    """
    roles = settle_roles(
        event, event_date, endpoint=endpoint, event_value=event_value, competing=competing, time=time,
        follow_up=follow_up, entry=entry, last_contact=last_contact, entry_time=entry_time, time_lower=time_lower,
        never_after=never_after,
    )  # fmt: skip
    opened = open_table(table, query=query, sheet=sheet)
    uses = {"features": features, "drop": drop, "categorical": categorical, "id": id, "group": group, "by": by}
    uses |= {"propensity_features": propensity_features, "keep": keep}
    choice = choose_columns(opened.column_names, roles, uses)
    grouping = [] if group is None else [group]
    cells = opened.read(list(dict.fromkeys([*roles.columns, *grouping, *choice.ids, *choice.by, *choice.candidates])))
    findings = list(opened.findings)
    refuse_few(opened.name, cells.num_rows)
    n_read = cells.num_rows
    outcome, possible = read_outcome(cells, roles, findings)
    if possible is not None:
        cells, outcome = cells.filter(pa.array(possible)), outcome.take(possible)
        refuse_remains(opened.name, outcome.event, n_read, findings)
    if group is None:
        _tell_same_ids(cells.select(choice.ids), findings)
    encoder, X = _encode(cells, choice, outcome, keep_gaps, findings)
    known = {entry.name: getattr(outcome, entry.name) for entry in dataclasses.fields(outcome) if entry.name != "event"}
    groups = None if group is None else _number_groups(cells[group])
    if groups is not None and outcome.entry_time is not None and outcome.time is not None:
        check_one_row_each(groups, outcome.entry_time, outcome.time)
    return TableCohort(
        name=Path(opened.name).name,
        X=X,
        y=outcome.event.astype(int),
        **known,
        propensity_features=_find_features(choice, encoder),
        groups=groups,
        ids=cells.select(choice.ids),
        by=cells.select(choice.by),
        roles=roles,
        encoder=encoder,
        findings=tuple(findings),
    )


def _tell_same_ids(ids: pa.Table, findings: list[Finding]) -> None:
    """Say how many rows have an id that another row has, too."""
    if ids.num_columns:
        counts = count_rows_alike(ids)
        repeated = int(counts[counts > 1].sum())
        if repeated:
            findings.append(SameId(tuple(ids.column_names), repeated))


def _encode(
    table: pa.Table, choice: Choice, outcome: Outcome, keep_gaps: bool, findings: list[Finding]
) -> tuple[Encoder, pd.DataFrame]:
    columns = {name: guess_column(name, table[name]) for name in choice.candidates}
    encoder = learn_encoder(columns, choice, outcome, findings, keep_gaps=keep_gaps)
    # What encoding finds in the training table has been told when it was learned.
    features = encoder.encode(columns, table.num_rows, [])
    return encoder, pd.DataFrame(features, columns=list(encoder.features), copy=False)


def _find_features(choice: Choice, encoder: Encoder) -> list[str] | None:
    named = [name for column in choice.propensity for name in encoder.features_of(column)]
    if choice.propensity and not named:
        raise ArgumentError("None of the `propensity_features` became a feature, so nothing decides who is seen.")
    return named or None


def _number_groups(cells: pa.ChunkedArray) -> NDArray[np.intp]:
    """Number the groups; rows without one are a group each, for nothing is known of who belongs to them."""
    codes = np.array(cells.combine_chunks().dictionary_encode().indices.to_pandas(), dtype=float)
    alone = np.isnan(codes)
    codes[alone] = np.arange(alone.sum()) + cells.length()
    return np.asarray(np.unique(codes, return_inverse=True)[1], dtype=np.intp)
