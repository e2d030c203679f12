"""What was done to a table, as facts: which column, what, to how many people.

Findings end up in model files and reports. A cell's value therefore never stands alone but in `Held`, with the number
of people who have it, so that whoever tells findings can hold back what points at a few.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from whether.facts import FEWEST
from whether.validate import DataError


class TableError(DataError):
    """A table that cannot be used as it is; the message says why and what to do."""


class Reason(Enum):
    """Why a column cannot be a feature."""

    EMPTY = "is empty"
    STRANGE = "holds neither numbers nor text"
    DATES = "holds dates, which are not used as features"
    CONSTANT = "is always the same"
    NEARLY_CONSTANT = "is the same for all but a few"
    IS_EVENT = "says the same as the event, in all or nearly all rows"
    IS_TIME = "equals the time or follow-up of most people, or of those without the event"
    FILLED_WITH_EVENT = "is filled in only where the event was seen"
    LEVELS_ARE_EVENT = "has values that only people with the event have, and many of them do"
    WORDS_ARE_EVENT = "holds text with a word that only people with the event have, and most of them do"
    SEPARATES = "tells people with the event from those without"
    FOLLOWS_TIME = "follows the time of people with the event and of those without"
    ADDS_TIME = "is made of the time and what was known at entry"
    SOUNDS_LATE = "sounds like something that is only known afterwards"
    ID = "looks like an id, with a different number in each row"
    REMARK = "looks like an id or a remark, with a different value in most rows"
    ALL_RARE = f"has no category with at least {FEWEST} people"


LEAKS = (
    Reason.IS_EVENT, Reason.IS_TIME, Reason.FILLED_WITH_EVENT, Reason.LEVELS_ARE_EVENT, Reason.SEPARATES,
    Reason.FOLLOWS_TIME, Reason.ADDS_TIME, Reason.WORDS_ARE_EVENT,
)  # fmt: skip


@dataclass(frozen=True)
class Held:
    """A value of a column, and how many people have it."""

    value: str
    people: int


@dataclass(frozen=True)
class Finding:
    """What was done to a table or found in it."""

    @property
    def is_warning(self) -> bool:
        """Whether the reader may have to act."""
        told = (OneColumn, LooksLikeId, UnknownCategories, Suspected, OtherValues, LikelyCode, SameId, RowsLeftOut)
        return isinstance(self, (*told, LostEarlier, Outlying, AllEmpty))


@dataclass(frozen=True)
class ColumnFinding(Finding):
    """What was done to one column or found in it."""

    column: str


@dataclass(frozen=True)
class FileRead(Finding):
    """How the file was read: its encoding and separator, where these had to be found out; rows without any cell."""

    encoding: str = ""
    separator: str = ""
    empty_rows: int = 0


@dataclass(frozen=True)
class SheetRead(Finding):
    """Which sheet of a workbook was read, where it has several."""

    sheet: str


class OneColumn(ColumnFinding):
    """No separator was found, so that all is one column."""


@dataclass(frozen=True)
class Unnamed(ColumnFinding):
    """A column without a name got one."""

    position: int


@dataclass(frozen=True)
class Converted(ColumnFinding):
    """Cells of a column became numbers in a way that is not obvious."""

    how: str


@dataclass(frozen=True)
class LeftOut(ColumnFinding):
    """A column is no feature."""

    reason: Reason
    held: tuple[Held, ...] = ()
    beside: str = ""  # another column that shows the reason

    @property
    def is_warning(self) -> bool:
        """Where the rule may have been wrong."""
        return self.reason in (*LEAKS, Reason.ID, Reason.REMARK, Reason.ALL_RARE)


@dataclass(frozen=True)
class Suspected(ColumnFinding):
    """A column may give the outcome away and was used all the same; how well it ranks people by the event."""

    reason: Reason
    auc: float = float("nan")


class LooksLikeId(ColumnFinding):
    """A column that was asked for by name seems to be an id."""


@dataclass(frozen=True)
class GapsFilled(ColumnFinding):
    """Gaps in a column of numbers were filled with the middle of the training table; a feature may say where."""

    people: int
    fill: float
    is_flagged: bool = False
    in_training: bool = True


@dataclass(frozen=True)
class GapsCoded(ColumnFinding):
    """Gaps in a column of categories are a category of their own, or count as the most frequent one."""

    people: int
    counts_as: Held | None


@dataclass(frozen=True)
class RarePooled(ColumnFinding):
    """Categories of few people are taken together, or count as the most frequent one."""

    categories: int
    people: int
    counts_as: Held | None


@dataclass(frozen=True)
class UnknownCategories(ColumnFinding):
    """A new table has categories without a feature, which count as the most frequent one in training."""

    held: tuple[Held, ...]
    counts_as: str


@dataclass(frozen=True)
class SameFeature(Finding):
    """A feature that equals another for everybody was left out."""

    feature: str
    twin: str


@dataclass(frozen=True)
class UsedAsNumbers(Finding):
    """Columns whose cells are features as they are."""

    columns: tuple[str, ...]


@dataclass(frozen=True)
class UsedAsCategories(ColumnFinding):
    """A column whose categories are features, each compared with the first."""

    held: tuple[Held, ...]


@dataclass(frozen=True)
class EventRead(ColumnFinding):
    """Which values of the event column mean that it was seen, where these are not 0 and 1."""

    seen: tuple[Held, ...]
    unseen: tuple[Held, ...]


@dataclass(frozen=True)
class CompetingRead(ColumnFinding):
    """Which values of the event column mean that something else came first and ruled the event out."""

    held: tuple[Held, ...]


@dataclass(frozen=True)
class OtherValues(ColumnFinding):
    """The event column has several values besides those of the event, and nobody said what they mean."""

    held: tuple[Held, ...]


@dataclass(frozen=True)
class LikelyCode(ColumnFinding):
    """A value that is likely to be a code for "not known"."""

    held: Held


class AllEmpty(ColumnFinding):
    """A column that the model learned from is empty in a new table."""


class Outlying(ColumnFinding):
    """One value of a column lies so far out that all others hardly differ beside it."""


@dataclass(frozen=True)
class SameId(Finding):
    """Several rows have the same id, and nobody said that they belong together."""

    columns: tuple[str, ...]
    people: int  # rows whose id another row has, too


@dataclass(frozen=True)
class RowsLeftOut(ColumnFinding):
    """Rows that cannot be, because a time ends before it begins, were left out."""

    reason: str
    people: int


@dataclass(frozen=True)
class LostEarlier(Finding):
    """Many people without the event were last seen before the endpoint: how long others would have been is unknown."""

    people: int
    unlabeled: int


@dataclass(frozen=True)
class EndpointRead(Finding):
    """An endpoint that was given as a month or a year, as the day that it stands for."""

    day: str


@dataclass(frozen=True)
class NeverAfter(Finding):
    """People without the event who are past the last time at which it comes, and so known never to have it."""

    limit: float
    people: int
    unlabeled: int


@dataclass(frozen=True)
class DatesToYears(Finding):
    """Times come from dates and are in years of 365.25 days."""


@dataclass(frozen=True)
class Simulated(Finding):
    """The people are invented, and the truth about them is known."""

    world: str
    seed: int
    hidden_positives: int
