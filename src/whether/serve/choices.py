"""What a person said of a table on the page, as parameters of `read_cohort`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whether.serve.words import ROLES
from whether.validate import ArgumentError

LISTS = ("id", "drop", "keep", "categorical", "by")
SINGLE = tuple(role for role in ROLES if role not in (*LISTS, "feature"))
VALUES = ("event_value", "competing")
# What cannot stand beside a use of a column, and gives way to it.
GIVES_WAY = {
    "event": ("event_date", "last_contact"),
    "event_date": ("event", "time", *VALUES),
    "time": ("event_date", "last_contact"),
    "last_contact": ("time",),
    "follow_up": ("endpoint",),
    "endpoint": ("follow_up",),
}

Options = dict[str, Any]


def give_role(options: Mapping[str, Any], column: str, role: str, *, is_leak: bool = False) -> Options:
    """Give a column another use; who had a use that only one column can have is a feature again.

    Parameters
    ----------
    options : mapping
        What was settled before.
    column : str
    role : str
        One of `ROLES`.
    is_leak : bool
        Whether the column seems to give the outcome away, so that it has to be asked for as a feature.
    """
    if role not in ROLES:
        raise ArgumentError(f"There is no use {role!r} of a column.")
    new = _release(options, column)
    if role in SINGLE:
        for other in GIVES_WAY.get(role, ()):
            new.pop(other, None)
        if role == "event":
            for name in VALUES:
                new.pop(name, None)
        if role != "group":
            new = _without(new, "by", column)
        new[role] = column
    elif role != "feature":
        new[role] = [*new.get(role, ()), column]
    elif is_leak:
        new["keep"] = [*new.get("keep", ()), column]
    return new


def _release(options: Mapping[str, Any], column: str) -> Options:
    """Options in which a column has no use but that of telling groups apart."""
    new = {name: value for name, value in options.items() if name not in SINGLE or value != column}
    if options.get("event") == column:
        new = {name: value for name, value in new.items() if name not in VALUES}
    for name in LISTS:
        if name != "by":
            new = _without(new, name, column)
    return new


def _without(options: Options, name: str, column: str) -> Options:
    """Options in which a list does not name a column. No ids is something to be said: else one is guessed."""
    left = [entry for entry in options.get(name, ()) if entry != column]
    if left or (name == "id" and name in options):
        return {**options, name: left}
    return {key: value for key, value in options.items() if key != name}


def tell_apart(options: Mapping[str, Any], column: str, wanted: bool) -> Options:
    """Have the answer for each level of a column, too, or not."""
    new = _without(dict(options), "by", column)
    return {**new, "by": [*new.get("by", ()), column]} if wanted else new


def give_values(options: Mapping[str, Any], meanings: Mapping[str, str]) -> Options:
    """Say what each value of the event column means: "seen", "other" (something else came first) or "none"."""
    new = {name: value for name, value in options.items() if name not in VALUES}
    for name, meaning in zip(VALUES, ("seen", "other"), strict=True):
        chosen = [value for value, meant in meanings.items() if meant == meaning]
        if chosen:
            new[name] = chosen
    if "event_value" not in new:
        raise ArgumentError("No value means that the event happened: one has to.")
    return new


def give_endpoint(options: Mapping[str, Any], date: str) -> Options:
    """Say when follow-up ended for everybody; nothing is said with an empty text."""
    new = {name: value for name, value in options.items() if name != "endpoint"}
    if not date:
        return new
    return {**{name: value for name, value in new.items() if name not in GIVES_WAY["endpoint"]}, "endpoint": date}
