"""Who had the event, and to whom something else came first: read from a column of codes, words or dates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whether.files.table.codes import as_categories, name_numbers
from whether.files.table.columns import Column, count_values, guess_column, words_of
from whether.files.table.findings import CompetingRead, EventRead, Finding, Held, OtherValues, TableError
from whether.files.table.names import name_columns
from whether.files.table.roles import Roles
from whether.validate import ArgumentError

Flags = NDArray[np.bool_]

YES = ("yes", "y", "true", "t")
NO = ("no", "n", "false", "f")


def read_event(
    table: pa.Table, roles: Roles, findings: list[Finding], *, is_part: bool = False
) -> tuple[Flags, Flags | None]:
    """Whether the event was seen, of everybody; and whether something else came first, where values say so.

    Part of a table need not have every value.
    """
    column = guess_column(roles.event, table[roles.event])
    if column.kind == "empty":
        raise TableError(f"Column {column.name!r} is empty, so nobody's event is known.")
    if column.kind == "other":
        raise TableError(
            f"Column {column.name!r} holds {column.data.type}, which cannot say who had the event. Give a column of 0 "
            "and 1, of yes and no, or of values of which `event_value` names the event."
        )
    if roles.event_is_dated:
        event = np.asarray(pc.is_valid(column.data).to_numpy(), dtype=bool)
        if not is_part:
            _refuse_one_date(column, event)
            _refuse_one_class(column.name, event)
        return event, None
    _refuse_gaps(column)
    competing = None
    if roles.event_value:
        event = _find_values(column, roles.event_value, is_part)
        findings.append(EventRead(column.name, *_split_values(column, event)))
    else:
        event = _read_codes(column, findings, roles.competing, is_part)
    if roles.competing:
        competing = _find_values(column, roles.competing, is_part)
        if (event & competing).any():
            both = _split_values(column, event & competing)[0][0].value
            raise ArgumentError(
                f"The value {both!r} of column {column.name!r} cannot mean both that the event was seen and that "
                "something else came first: leave it out of `competing`, or out of `event_value`."
            )
        findings.append(CompetingRead(column.name, _split_values(column, competing)[0]))
    elif roles.event_value and len(others := _split_values(column, event)[1]) > 1:
        findings.append(OtherValues(column.name, others))
    if not is_part:
        _refuse_one_class(column.name, event)
    return event, competing


def says_opposite(name: str) -> bool:
    """Whether a column is named for people without the event, so that 1 may mean that it was not seen."""
    return any(word.startswith(("cens", "alive", "living")) for word in words_of(name))


def _read_codes(column: Column, findings: list[Finding], competing: Sequence[str], is_part: bool) -> Flags:
    """Read 0 and 1, or words; values that mean something else came first may stand beside them."""
    if says_opposite(column.name):
        raise TableError(
            f"By its name column {column.name!r} may say who did not have the event. Give the value that means that "
            "the event was seen as `event_value`."
        )
    rest = column
    if competing:
        others = _find_values(column, competing, is_part)
        rest = guess_column(column.name, pc.if_else(pa.array(others), None, as_categories(column)))
    if rest.kind == "number":
        values = rest.numbers()
        if np.all((values == 0) | (values == 1) | np.isnan(values)):
            return np.asarray(values == 1)
    event = _event_of_words(rest)
    if event is None:
        raise TableError(_ask_for_values(column))
    findings.append(EventRead(column.name, *_split_values(column, event)))
    return event


def _ask_for_values(column: Column) -> str:
    if column.kind == "date":
        return (
            f"Column {column.name!r} holds dates. If they are those of the event, and no date means that it was not "
            "seen, give the column as `event_date` in place of `event`."
        )
    found = sorted(entry.value for entry in count_values(as_categories(column))[:1000])
    return (
        f"Column {column.name!r} must be 0 or 1 (or yes and no, true and false); it has the values "
        f"{name_columns(found, 6)}. Give the one that means that the event was seen (or several) as `event_value`, "
        "and one that means that something else came first, such as another cause of death, as `competing`."
    )


def _find_values(column: Column, wanted: Sequence[str], is_part: bool) -> Flags:
    """Which cells have one of the values; each must be in a whole table. Numbers may be written in any way."""
    cells = as_categories(column)
    present = {entry.value for entry in count_values(cells)}
    asked = []
    for value in wanted:
        text = value.strip()
        if column.kind == "number":
            text = str(name_numbers(pa.chunked_array([pa.array([text])]))[0].as_py())
        if text not in present and not is_part:
            raise TableError(
                f"Column {column.name!r} never has the value {value!r}; it has {name_columns(sorted(present), 6)}."
            )
        asked.append(text)
    return np.asarray(pc.is_in(cells, value_set=pa.array(asked)).to_numpy(), dtype=bool)


def _event_of_words(column: Column) -> Flags | None:
    if column.kind != "text":
        return None
    words = pc.utf8_lower(column.data)
    if not pc.all(pc.is_in(words.drop_null(), value_set=pa.array([*YES, *NO]))).as_py():
        return None
    return np.asarray(pc.is_in(words, value_set=pa.array(YES)).to_numpy(), dtype=bool)


def _split_values(column: Column, mask: Flags) -> tuple[tuple[Held, ...], tuple[Held, ...]]:
    cells = as_categories(column)
    return count_values(cells.filter(pa.array(mask))), count_values(cells.filter(pa.array(~mask)))


def _refuse_gaps(column: Column) -> None:
    if column.n_missing:
        row = pc.index(pc.is_null(column.data), True).as_py() + 1
        why = (
            "This column holds dates: if a blank means that the event was not seen, give it as `event_date` in place "
            "of `event`."
            if column.kind == "date"
            else "If a blank means that the event was not seen, write 0 there; if not, leave these rows out."
        )
        raise TableError(
            f"Column {column.name!r} has empty cells: {column.n_missing:,} of {len(column.data):,} (first: row {row}). "
            f"{why}"
        )


def _refuse_one_date(column: Column, event: Flags) -> None:
    """Refuse dates of the event for everybody, most of which are one: that stands for no event."""
    commonest = count_values(as_categories(column))[0]
    if event.all() and commonest.people > event.size / 2:
        raise TableError(
            f"Column {column.name!r} has a date for everybody, and {commonest.value!r} for {commonest.people:,} of "
            f"{event.size:,} people. If that date means that the event was not seen, empty these cells."
        )


def _refuse_one_class(name: str, event: Flags) -> None:
    if not event.any():
        raise TableError(f"Nobody has the event: column {name!r} says no for all {event.size:,} people.")
    if event.all():
        raise TableError(
            f"Everybody has the event: column {name!r} says yes for all {event.size:,} people. If people without it "
            "were left out of the table, put them back."
        )
