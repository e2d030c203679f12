"""What the event is called: its column and, where values of the column say it, these."""

from __future__ import annotations

from whether.analysis import Origin
from whether.files.table.findings import EventRead
from whether.telling.table_words import told_values
from whether.telling.words import Name, name


def event_name(origin: Origin, fewest: int, most: int = 40) -> Name:
    """Return the name of the event, with the values that mean it where enough people have each."""
    values = [one for finding in origin.findings if isinstance(finding, EventRead) for one in finding.seen]
    if not values or any(one.people < fewest for one in values):
        return name(origin.event, most)
    return name(f"{origin.event}: {told_values(values, fewest, 6)}", most)
