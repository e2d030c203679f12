"""What a column could be by its name and its cells: the event, a time, a date of something, an id.

Names alone decide nothing: a column called `event` with a thousand values is none. Nor do cells: of two columns of 0
and 1 either may be the event. What both leave open is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whether.files.table.codes import as_categories
from whether.files.table.columns import Column, count_values, guess_column, words_of
from whether.files.table.dates import as_days
from whether.files.table.findings import Held, TableError
from whether.files.table.learn import ID_NAME, counts_rows

Array = NDArray[np.float64]

MOST_VALUES = 6  # of an event column
FEWEST_TIMES = 8  # different values of a column of times, unless people are few
FEWEST_KIN = 20  # different families, of a column that is more than a treatment or a centre
# Words in names of columns, whole or as their beginnings.
PLAIN_EVENT = {
    "event",
    "events",
    "status",
    "observed",
    "indicator",
    "is",
    "had",
    "flag",
    "outcome",
    "delta",
    "y",
    "evt",
}
EVENT = (
    "event", "status", "relaps", "recur", "death", "dead", "died", "deceas", "censor", "cens", "outcome", "progress",
    "fail", "diagnosed", "conversion", "converted", "vital", "metasta", "churn", "onset", "alive", "ereignis",
    "rezidiv", "verstorb", "deces", "recidiv", "muert", "evento",
)  # fmt: skip
ENDPOINTS = {"os", "pfs", "dfs", "rfs", "efs", "dss", "pfi", "dfi", "mfs", "ttp"}
TIME = (
    "time",
    "day",
    "month",
    "year",
    "yrs",
    "week",
    "duration",
    "surv",
    "follow",
    "futime",
    "tte",
    "lenfol",
    "tenure",
    "zeit",
)
TIME_ENDS = ("time", "days", "months", "years", "weeks")
FOLLOW_UP = ("follow", "futime", "fup")
ENTRY = (
    "entry", "enter", "enrol", "inclu", "surg", "operat", "start", "begin", "random", "admiss", "admit", "index",
    "baseline", "diagnosis", "dx", "registrat", "transplant", "recruit",
)  # fmt: skip
LAST = ("last", "contact", "follow", "fup", "fu", "exit", "end", "seen", "stop", "visit", "alive")
# Where a stretch of observation has two columns, its ends; the first may be called as any time is.
SPELL_STARTS = ("start", "tstart", "entry", "enter", "begin")
SPELL_STOPS = ("stop", "tstop", "exit", "end")
EARLIER = ("prior", "previous", "hist", "hx", "family", "mother", "father", "before", "baseline", "lower")
BIRTH = ("birth", "born", "dob", "age")
WHO = ("patient", "subject", "person", "participant", "mrn", "uuid", "guid", "pid", "pat")
KIN = ("group", "famil", "cluster", "household", "sibship", "pedigree", "litter", "couple", "pair", "twin")
# What cells of an event column say.
NOT_SEEN = (
    "0", "no", "n", "none", "false", "f", "alive", "living", "censor", "no event", "event-free", "event free",
    "healthy", "no evidence", "disease-free", "disease free", "lost", "withdrawn", "free", "negative", "well",
)  # fmt: skip
DEATH = ("death", "dead", "died", "deceas", "verstorb", "tod")


@dataclass(frozen=True, eq=False)
class Sight:
    """A column as it was seen; where its cells cannot be read, the refusal says why."""

    name: str
    column: Column | None
    refusal: str = ""

    @cached_property
    def words(self) -> list[str]:
        """Words of the name, in small letters."""
        return words_of(self.name)

    def says(self, beginnings: Iterable[str]) -> bool:
        """Whether a word of the name begins like one of these."""
        return any(word.startswith(tuple(beginnings)) for word in self.words)

    @property
    def kind(self) -> str:
        """What its cells are; see `Column`."""
        return "unreadable" if self.column is None else self.column.kind

    @cached_property
    def held(self) -> tuple[Held, ...]:
        """Different values, the most frequent first, of numbers and text."""
        if self.column is None or self.kind not in ("number", "text"):
            return ()
        cells = self.column.data
        if pc.count_distinct(cells.slice(0, 10_000)).as_py() > 10 * MOST_VALUES:
            return tuple(Held("", 0) for _ in range(10 * MOST_VALUES))  # many, and none of them matters
        return count_values(as_categories(self.column))

    @cached_property
    def numbers(self) -> Array:
        """Numbers, or days of dates; NaN where nothing is known."""
        if self.column is not None and self.kind == "number":
            return self.column.numbers()
        try:
            return as_days(self.column) if self.column is not None and self.kind == "date" else np.array([])
        except TableError:
            return np.array([])

    @property
    def has_gaps(self) -> bool:
        """Whether some cells are empty."""
        return self.column is not None and self.column.n_missing > 0

    @property
    def event_rank(self) -> int:
        """How much like the event: 0 not at all, 1 by its cells, 2 by its name, too, and 3 by a plain name for it."""
        if self.kind == "empty":
            return 2 * self._sounds_like_event
        if self.kind not in ("number", "text") or len(self.held) > MOST_VALUES:
            return 0
        if self.kind == "number" and not all(value.value.lstrip("-").isdigit() for value in self.held):
            return 0
        if self._sounds_like_event:
            return 3 if set(self.words) <= PLAIN_EVENT else 2
        return int(len(self.held) == 2 and {value.value.casefold() for value in self.held} in _PAIRS)

    @property
    def _sounds_like_event(self) -> bool:
        is_late = not self.says(EARLIER) and not ("date" in self.words or "type" in self.words)
        return is_late and (self.says(EVENT) or bool(ENDPOINTS & set(self.words)))

    @property
    def is_time(self) -> bool:
        """Whether it looks like lengths of time."""
        if self.kind != "number" or self.says((*EARLIER, *BIRTH)) or self.says(ENTRY[:2]):
            return False
        sounds = self.says(TIME) or bool(({"fu"} | ENDPOINTS) & set(self.words))
        if not sounds and not any(word.endswith(TIME_ENDS) for word in self.words):
            return False
        known = self.numbers[~np.isnan(self.numbers)]
        is_calendar = known.size > 0 and known.min() > 1800 and known.max() < 2200 and self.says(("year",))
        many = np.unique(known).size >= min(FEWEST_TIMES, max(known.size // 3, 2))
        return bool(many and not is_calendar and np.mean(known > 0) > 0.5)

    def begins(self, other: Sight) -> bool:
        """Whether this and another column are the two ends of stretches of observation: start and stop, time and time2.

        Nearly all stretches have a length, and some begin late: a start that is always 0 says nothing.
        """
        starts = self.says(SPELL_STARTS) or self.words in (["time"], ["time", "0"], ["time", "1"])
        stops = other.says(SPELL_STOPS) or other.words == ["time", "2"]
        if not (starts and stops) or {self.kind, other.kind} != {"number"} or self.has_gaps or other.has_gaps:
            return False
        longer = other.numbers > self.numbers
        return bool(longer.mean() > 0.99 and self.numbers.min() >= 0 and np.ptp(self.numbers) > 0)

    @property
    def id_rank(self) -> int:
        """How much like an id: 0 not at all, 1 as numbers of rows are, 2 by its name."""
        if not self._is_code or self.column is None:
            return 0
        known = self.column.data.drop_null()
        n_values = pc.count_distinct(known).as_py()
        is_named = self.says(WHO) or bool(ID_NAME.search(self.name)) or "id" in self.words
        if is_named and n_values > max(len(known) / 4, MOST_VALUES):
            return 2 if self.says(WHO) or "id" in self.words else 1
        return int(self.kind == "number" and counts_rows(np.asarray(known.to_numpy())))

    @property
    def names_kin(self) -> bool:
        """Whether it says which rows belong together, such as those of a family: many values, most of several rows."""
        if not self._is_code or self.column is None or not self.says(KIN):
            return False
        known = self.column.data.drop_null()
        n_values = pc.count_distinct(known).as_py()
        return bool(max(len(known) / 20, FEWEST_KIN) < n_values < 0.9 * len(known))

    @property
    def _is_code(self) -> bool:
        """Whether its cells are text or whole numbers."""
        if self.kind == "number":
            return np.array_equal(self.numbers, np.floor(self.numbers), equal_nan=True)
        return self.kind == "text"


_PAIRS = ({"0", "1"}, {"yes", "no"}, {"y", "n"}, {"true", "false"}, {"t", "f"})


def look_at(cells: pa.Table) -> dict[str, Sight]:
    """Look at every column of a table."""
    found = {}
    for name in cells.column_names:
        try:
            found[name] = Sight(name, guess_column(name, cells[name]))
        except TableError as error:
            found[name] = Sight(name, None, str(error))
    return found


def is_unseen(value: str) -> bool:
    """Whether a cell of an event column says that the event was not seen."""
    text = value.casefold().strip()
    return any(text == word or (len(word) > 3 and text.startswith(word)) for word in NOT_SEEN)


def is_death(value: str) -> bool:
    """Whether a cell of an event column tells of a death."""
    return any(word.startswith(DEATH) for word in re.findall(r"[^\W\d_]+", value.casefold()))


def kinship(one: Sight, other: Sight) -> int:
    """How many words of two names are the same, those that any such column has not counted; or if initials are."""
    plain = {*PLAIN_EVENT, *TIME, *TIME_ENDS, "to", "of", "in", "date", "days", "months", "years", "the", "any"}
    shared = {word for word in one.words if any(word[:5] == match[:5] for match in other.words)} - plain
    initials = any(word.endswith(TIME_ENDS) and word[:-4] == match[:1] for word in other.words for match in one.words)
    return 2 * len(shared) + initials
