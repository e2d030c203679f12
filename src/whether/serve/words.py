"""What the page calls the uses of columns, where the program has options for them."""

from __future__ import annotations

import re

# In the order in which the page offers them.
ROLES = {
    "feature": "a feature: known at the start",
    "categorical": "a feature whose numbers are codes",
    "event": "the event: did it happen?",
    "event_date": "date of the event",
    "time": "time to the event or to last contact",
    "follow_up": "full length of follow-up",
    "entry": "date of entry",
    "last_contact": "date last seen",
    "entry_time": "time at which observation began",
    "time_lower": "last time without the event",
    "id": "who the person is (id)",
    "group": "rows that belong together",
    "drop": "leave out",
}
MEANINGS = {
    "seen": "the event happened",
    "none": "no event so far",
    "other": "something else came first, such as death",
}
# What fields of the page are called, beside the uses of columns.
FIELDS = {
    "endpoint": "Date at which follow-up ended for everybody",
    "event_value": "What the values of the event mean",
    "competing": "something else came first, such as death",
    "sheet": "Name of the sheet",
    "keep": "a feature: known at the start",
    "features": "a feature: known at the start",
}
_LABELS = {**ROLES, **FIELDS}
# Backticks round a parameter of the library, or an option of the program.
_NAMED = re.compile(r"`(\w+)`|--([a-z]+(?:-[a-z]+)*)\b")


def name_roles(message: str) -> str:
    """Name uses of columns as the page does, where a message names parameters or options.

    Examples
    --------
    >>> name_roles("Name it as `id`, or give --entry.")
    'Name it as “who the person is (id)”, or give “date of entry”.'
    """

    def label(found: re.Match[str]) -> str:
        name = (found[1] or found[2]).replace("-", "_")
        return f"“{_LABELS[name]}”" if name in _LABELS else found[0]

    return _NAMED.sub(label, message)
