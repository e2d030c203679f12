"""From what the columns of a table could be to the options with which it is read, and what has to be asked first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import pyarrow as pa

from whether.files.table.codes import as_categories
from whether.files.table.event import says_opposite
from whether.files.table.findings import Held
from whether.files.table.sights import ENTRY, FOLLOW_UP, LAST, Sight, is_death, is_unseen, kinship

ROLES = ("event", "event_date", "time", "follow_up", "entry", "last_contact", "entry_time", "time_lower")


class Hurdle(Enum):
    """What stands between a table and an analysis."""

    NO_EVENT = "no_event"
    SEVERAL_EVENTS = "several_events"
    EVENT_VALUES = "event_values"  # which mean what cannot be told
    NO_TIME = "no_time"
    SEVERAL_TIMES = "several_times"
    NO_ENDPOINT = "no_endpoint"  # there are dates of entry, but none at which people were last seen
    REFUSED = "refused"  # the table cannot be read so


@dataclass(frozen=True)
class Obstacle:
    """One thing that stands in the way: between which columns or values to choose, or why a table is refused."""

    hurdle: Hurdle
    columns: tuple[str, ...] = ()
    held: tuple[Held, ...] = ()
    reason: str = ""


class Proposal:
    """The options that were given, those guessed besides, and what could not be told."""

    def __init__(self, sights: Mapping[str, Sight], given: Mapping[str, Any]) -> None:
        self.options = {name: value for name, value in given.items() if value is not None}
        self.given = dict(self.options)
        self.obstacles: list[Obstacle] = []
        named = [self.options[role] for role in ROLES if role in self.options]
        lists = ("drop", "id", "features", "keep", "by", "propensity_features", "categorical")
        used = {*named, *(column for use in lists for column in _listed(self.options.get(use)))}
        used |= {self.options["group"]} if "group" in self.options else set()
        self.sights = sights
        self.open = [sight for name, sight in sights.items() if name not in used]
        self._propose_event()
        self._propose_times()
        kin = [sight for sight in self.open if sight.names_kin]
        if len(kin) == 1 and "group" not in self.options and kin[0].name not in _listed(self.options.get("features")):
            self._take("group", kin[0])
        self._propose_id()

    def _take(self, role: str, sight: Sight) -> None:
        self.options[role] = sight.name
        self.open = [other for other in self.open if other is not sight]

    def _dates(self) -> dict[str, list[Sight]]:
        """Columns of dates, by what they seem to be dates of."""
        dates = [sight for sight in self.open if sight.kind == "date" and not sight.says(("birth", "born", "dob"))]
        events = [sight for sight in dates if sight.has_gaps and not sight.says((*LAST, *ENTRY))]
        full = [sight for sight in dates if sight not in events]
        lasts = [sight for sight in full if sight.says(LAST)]
        entries = [sight for sight in full if sight.says(ENTRY) and sight not in lasts]
        rest = [sight for sight in full if sight not in lasts and sight not in entries]
        rest.sort(key=lambda sight: np.nanmedian(sight.numbers) if sight.numbers.size else np.inf)
        if not entries and rest:  # what people entered with comes first
            entries.append(rest.pop(0))
        if not lasts and rest:
            lasts.append(rest.pop())
        return {"event": events, "entry": entries, "last": lasts}

    def _propose_event(self) -> None:
        if "event" not in self.options and "event_date" not in self.options:
            found = _distinct(self._likeliest_events())
            dated = self._dates()
            events = dated["event"]
            if not found and len(events) == 1 and (dated["entry"] or "entry" in self.options):
                self._take("event_date", events[0])
            elif len(found) == 1:
                self._take("event", found[0])
            else:
                both = found or events or [sight for sight in self.open if sight.event_rank == 1]
                hurdle = Hurdle.SEVERAL_EVENTS if found or len(events) > 1 else Hurdle.NO_EVENT
                self.obstacles.append(Obstacle(hurdle, tuple(sight.name for sight in both)))
        if "event" in self.options and "event_value" not in self.options:
            self._propose_values(self.sights[self.options["event"]])

    def _likeliest_events(self) -> list[Sight]:
        best = max((sight.event_rank for sight in self.open), default=0)
        return [sight for sight in self.open if sight.event_rank == best > 1]

    def _propose_values(self, event: Sight) -> None:
        """Settle what the values of the event column mean, or guess and say so."""
        values = [value.value for value in event.held if value.value not in _listed(self.options.get("competing"))]
        plain = {value.casefold() for value in values}
        is_plain = any(plain <= pair for pair in ({"0", "1"}, {"yes", "no", "y", "n", "true", "false", "t", "f"}))
        if not values or len(values) > 1000 or (is_plain and not says_opposite(event.name)):
            return
        if is_plain:  # of a column that says who is censored, or alive
            guess, others = [value for value in values if is_unseen(value)], list[str]()
        else:
            seen = sorted(value for value in values if not is_unseen(value))
            if len(seen) == 1 and len(values) > 1:
                self.options["event_value"] = seen
                return
            others = [value for value in seen if is_death(value)]
            guess = [value for value in seen if value not in others]
            if not guess or not others:
                guess, others = (seen[-1:], []) if len(seen) == len(values) == 2 else (seen[:1], seen[1:])
        self.obstacles.append(Obstacle(Hurdle.EVENT_VALUES, (event.name,), event.held))
        self.options["event_value"] = guess
        if others and "competing" not in self.options:
            self.options["competing"] = others

    def _propose_times(self) -> None:
        if any(name in self.options for name in ("time", "follow_up", "propensity_features", "endpoint")):
            if "entry" not in self.options and ("endpoint" in self.options or self._is_dated("time")):
                self._take_first("entry", self._dates()["entry"])
            return
        if "event_date" in self.options:
            self._propose_dates()
            return
        found = [sight for sight in self.open if sight.is_time]
        if self._propose_two(found) or self._propose_spell():
            return
        found = self._without_follow_up(found)
        if len(found) > 1 and "event" in self.options:
            event = self.sights[self.options["event"]]
            kin = max(kinship(event, sight) for sight in found)
            found = [sight for sight in found if kinship(event, sight) == kin]
        found = _in_one_unit(found)
        if len(found) > 1:
            plain = [sight for sight in found if len(sight.words) == 1 and sight.words[0].startswith(("time", "surv"))]
            found = plain if len(plain) == 1 else found
        if len(found) == 1:
            self._take("time", found[0])
        elif found:
            self.options.pop("follow_up", None)
            self.obstacles.append(Obstacle(Hurdle.SEVERAL_TIMES, tuple(sight.name for sight in found)))
        else:
            self._propose_dates()

    def _propose_two(self, found: list[Sight]) -> bool:
        """Take two columns of times, one filled in with the event and one with the last contact."""
        own = [sight for sight in found if sight.has_gaps and self._dates_event(sight)]
        last = [sight for sight in found if sight not in own and sight.says(LAST)]
        if len(own) != 1 or len(last) != 1:
            return False
        self._drop_event(own[0])
        self._take("last_contact", last[0])
        return True

    def _propose_spell(self) -> bool:
        """Take two columns of times between which each person was observed."""
        pairs = [(one, other) for one in self.open for other in self.open if one.begins(other)]
        if len(pairs) != 1 or "entry_time" in self.options:
            return False
        for role, sight in zip(("entry_time", "time"), pairs[0], strict=True):
            self._take(role, sight)
        return True

    def _is_dated(self, role: str) -> bool:
        return role in self.options and self.sights[self.options[role]].kind == "date"

    def _take_first(self, role: str, found: list[Sight]) -> bool:
        if found:
            self._take(role, found[0])
        return bool(found)

    def _without_follow_up(self, found: list[Sight]) -> list[Sight]:
        """Take a column in which everybody's follow-up is at least as long as their time; the others are times."""
        named = [sight for sight in found if sight.says(FOLLOW_UP)]
        times = [sight for sight in found if sight not in named]
        if len(named) == 1 and len(times) == 1:
            longer = named[0].numbers - times[0].numbers
            known = longer[~np.isnan(longer)]
            if known.size and known.max() > 0 and known.min() > -1e-6 * np.nanmax(named[0].numbers):
                self._take("follow_up", named[0])
                return times
        return found

    def _propose_dates(self) -> None:
        """From dates: of entry, and when people were last seen or had the event."""
        found = self._dates()
        if "entry" not in self.options and not self._take_first("entry", found["entry"]):
            self.obstacles.append(Obstacle(Hurdle.NO_TIME))
            return
        if "last_contact" in self.options:
            return
        last = found["last"]
        if "event_date" not in self.options and not last and len(found["event"]) == 1:
            last = found["event"]  # an event column, a date of the event, and nothing for the others
        role = "last_contact" if "event_date" in self.options else "time"
        own = [date for date in found["event"] if role == "time" and date not in last and self._dates_event(date)]
        if last and len(own) == 1:
            # The event has a date of its own: it says when, and where there is one, whether.
            self._drop_event(own[0])
            role = "last_contact"
        if not self._take_first(role, last):
            self.obstacles.append(Obstacle(Hurdle.NO_ENDPOINT, (self.options["entry"],)))

    def _dates_event(self, date: Sight) -> bool:
        """Whether a date is there just where an event column that nobody named says that the event was seen."""
        event = self.sights.get(self.options.get("event", ""))
        if event is None or event.name == self.given.get("event") or event.column is None or date.column is None:
            return False
        cells = pa.table({"event": as_categories(event.column), "dated": date.column.data.is_valid()})
        pairs = cells.group_by(["event", "dated"]).aggregate([([], "count_all")]).to_pylist()
        return len(pairs) == len(event.held) == 2 and all(is_unseen(pair["event"]) != pair["dated"] for pair in pairs)

    def _drop_event(self, date: Sight) -> None:
        for name in ("event", "event_value", "competing"):
            self.options.pop(name, None)
        self.obstacles = [one for one in self.obstacles if one.hurdle is not Hurdle.EVENT_VALUES]
        self._take("event_date", date)

    def _propose_id(self) -> None:
        if "id" in self.options:
            return
        rank = max((sight.id_rank for sight in self.open), default=0)
        found = next((sight for sight in self.open if sight.id_rank == rank > 0), None)
        if found is None or found.name in _listed(self.options.get("features")) or found.column is None:
            return
        known = found.column.data.drop_null()
        self.options["id"] = [found.name]
        if len(known.unique()) < len(known) and "group" not in self.options:
            self.options["group"] = found.name


def _listed(value: Any) -> list[str]:
    """One value or several, as cells have them."""
    several = value if isinstance(value, (list, tuple)) else [] if value is None else [value]
    return [str(entry) for entry in several]


def _distinct(found: list[Sight]) -> list[Sight]:
    """Leave out columns that say the same as one before them, in other words; 0 and 1 come first."""
    kept: list[Sight] = []
    for sight in sorted(found, key=lambda sight: sight.kind != "number"):
        if not any(_is_same(sight, other) for other in kept):
            kept.append(sight)
    return sorted(kept, key=found.index)


def _is_same(one: Sight, other: Sight) -> bool:
    if one.column is None or other.column is None or "empty" in (one.kind, other.kind):
        return False
    cells = pa.table({"one": as_categories(one.column), "other": as_categories(other.column)})
    pairs = cells.group_by(["one", "other"]).aggregate([([], "count_all")]).num_rows
    return 1 < pairs == len(one.held) == len(other.held)


def _in_one_unit(found: list[Sight]) -> list[Sight]:
    """Leave out times that are those of another column in another unit; the first stays."""
    return [sight for place, sight in enumerate(found) if not any(_same_time(sight, one) for one in found[:place])]


def _same_time(one: Sight, other: Sight) -> bool:
    known = ~np.isnan(one.numbers) & ~np.isnan(other.numbers) & (other.numbers > 0) & (one.numbers > 0)
    if known.sum() < 3:
        return False
    ratio = one.numbers[known] / other.numbers[known]
    return bool(np.mean(np.abs(ratio / np.median(ratio) - 1) < 0.05) > 0.9)


def say_columns(options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each column that has a use among the options, and which."""
    for use, value in options.items():
        if use in ROLES or use in ("id", "group", "drop", "by"):
            yield from ((column, use) for column in _listed(value))
