"""Findings about a table in sentences, without values and counts that point at few people."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch

from whether.facts import FEWEST
from whether.files.table import findings as facts
from whether.files.table.encoder import BeyondTraining
from whether.files.table.findings import LEAKS, Finding, Held, Reason
from whether.files.table.names import name_columns

# Findings that say the same of at least so many columns are one sentence.
SEVERAL = 3


def word_all(findings: Iterable[Finding], fewest: int = FEWEST) -> tuple[str, ...]:
    """Findings in sentences, those that say the same of several columns in one."""
    return tuple(word_together(alike, fewest) for alike in gather_alike(findings, fewest))


def gather_alike(findings: Iterable[Finding], fewest: int = FEWEST) -> list[list[Finding]]:
    """Findings of which each list is to be told in one sentence, in the order of the first of each."""
    found: dict[tuple[object, ...], list[Finding]] = {}
    for place, finding in enumerate(findings):
        found.setdefault(_likeness(finding, fewest) or (place,), []).append(finding)
    together = [[alike] if len(alike) >= SEVERAL else [[each] for each in alike] for alike in found.values()]
    return [alike for lists in together for alike in lists]


def _likeness(finding: Finding, fewest: int) -> tuple[object, ...]:
    """What findings have in common that can be told together; empty where there is nothing."""
    if isinstance(finding, facts.GapsFilled) and finding.in_training:
        return facts.GapsFilled, count(finding.people, fewest), finding.is_flagged
    return (facts.SameFeature, finding.twin) if isinstance(finding, facts.SameFeature) else ()


def word_together(several: list[Finding], fewest: int = FEWEST) -> str:
    """Findings that are alike, as `gather_alike` lists them, in one sentence."""
    first = several[0]
    if len(several) == 1:
        return word(first, fewest)
    if isinstance(first, facts.SameFeature):
        names = name_columns(each.feature for each in several if isinstance(each, facts.SameFeature))
        return f"Features {names} are the same as {first.twin!r} for everybody: they were left out."
    assert isinstance(first, facts.GapsFilled), "nothing else is told together"
    names = name_columns((each.column for each in several if isinstance(each, facts.GapsFilled)), 50)
    flagged = "; missing-value indicators were added" if first.is_flagged else ""
    gaps = count(first.people, fewest)
    values = "value" if gaps == "1" else "values"
    return f"Columns {names}: {gaps} missing {values} each, replaced by the column’s median{flagged}."


@singledispatch
def word(finding: Finding, fewest: int = FEWEST) -> str:
    """A finding in a sentence; counts below ``fewest``, and values that fewer people have, are held back."""
    raise TypeError(f"There are no words for a {type(finding).__name__}.")


def count(people: int, fewest: int) -> str:
    """Return a number of people as it may be told."""
    return f"{people:,}" if people == 0 or people >= fewest else f"fewer than {fewest}"


def told_values(held: Iterable[Held], fewest: int, most: int = 30) -> str:
    """Values that enough people have. How many others there are would tell how few people they have at least."""
    listed = list(held)
    told = [entry.value for entry in listed if entry.people >= fewest]
    hidden = "some that few people have" if len(told) < len(listed) else ""
    return " and ".join(part for part in (name_columns(told, most), hidden) if part)


def _counts_as(counts_as: Held | None, own: str, fewest: int) -> str:
    if counts_as is None:
        return f"are a category, {own!r}"
    return f"count as {told_values([counts_as], fewest)}, the most frequent"


@word.register
def _(finding: facts.FileRead, fewest: int = FEWEST) -> str:
    if finding.empty_rows:
        return f"Empty rows at the end of the file were left out: {finding.empty_rows:,}."
    if finding.encoding.startswith("UTF-"):
        return f"The file is in {finding.encoding}."
    if finding.encoding:
        return f"The file is not in UTF-8 and was read as {finding.encoding}: look at letters with accents."
    return f"Cells are separated by {finding.separator}."


@word.register
def _(finding: facts.SheetRead, fewest: int = FEWEST) -> str:
    return f"The table is on sheet {finding.sheet!r}."


@word.register
def _(finding: facts.OneColumn, fewest: int = FEWEST) -> str:
    return f"No comma, semicolon, tab or bar separates columns: the whole table is one column, {finding.column[:60]!r}."


@word.register
def _(finding: facts.Unnamed, fewest: int = FEWEST) -> str:
    return f"Column {finding.position} has no name and is called {finding.column!r}."


@word.register
def _(finding: facts.Converted, fewest: int = FEWEST) -> str:
    return f"Column {finding.column!r} was read {finding.how}."


@word.register
def _(finding: facts.LeftOut, fewest: int = FEWEST) -> str:
    told = [entry.value for entry in finding.held if entry.people >= fewest]
    value = f" ({told[0]!r})" if told and finding.reason in (Reason.CONSTANT, Reason.NEARLY_CONSTANT) else ""
    if finding.reason not in LEAKS:
        return f"Column {finding.column!r} {finding.reason.value}{value}: it was left out."
    beside = f" (column {finding.beside!r})" if finding.beside else ""
    return (
        f"Column {finding.column!r} {finding.reason.value}{beside}: it was left out because it gives the outcome away. "
        "If it was known before the event, name it in `keep`."
    )


@word.register
def _(finding: facts.Suspected, fewest: int = FEWEST) -> str:
    almost = f" almost without error (AUC {finding.auc:.2f})" if finding.reason is Reason.SEPARATES else ""
    closely = " closely" if finding.reason is Reason.FOLLOWS_TIME else ""
    return (
        f"Column {finding.column!r} {finding.reason.value}{almost}{closely}: it was used. If it was written after the "
        "event or at the end of follow-up, leave it out with `drop`; if not, `keep` ends this warning."
    )


@word.register
def _(finding: facts.LooksLikeId, fewest: int = FEWEST) -> str:
    return f"Column {finding.column!r} {Reason.ID.value}."


@word.register
def _(finding: facts.GapsFilled, fewest: int = FEWEST) -> str:
    if not finding.in_training:
        return f"Column {finding.column!r}: missing values were replaced by the median in training ({finding.fill:g})."
    flagged = "; a missing-value indicator was added" if finding.is_flagged else ""
    gaps = count(finding.people, fewest)
    values = "value" if gaps == "1" else "values"
    return f"Column {finding.column!r}: {gaps} missing {values} replaced by the median ({finding.fill:g}){flagged}."


@word.register
def _(finding: facts.GapsCoded, fewest: int = FEWEST) -> str:
    where = _counts_as(finding.counts_as, "(missing)", fewest)
    gaps = count(finding.people, fewest)
    values = "value" if gaps == "1" else "values"
    return f"Column {finding.column!r}: {gaps} missing {values} {where}."


@word.register
def _(finding: facts.RarePooled, fewest: int = FEWEST) -> str:
    where = _counts_as(finding.counts_as, "(other)", fewest)
    # So many categories have at least as many people: their number is not told where that of the people is not.
    how_many = f"{finding.categories:,} " if finding.people >= fewest else ""
    rare = f"{how_many}rare categories ({count(finding.people, fewest)} people)"
    return f"Column {finding.column!r}: {rare} {where}."


@word.register
def _(finding: facts.UnknownCategories, fewest: int = FEWEST) -> str:
    return (
        f"Column {finding.column!r} has categories without a feature of their own, "
        f"{told_values(finding.held, fewest, 4)}; they count as {finding.counts_as!r}, the most frequent in training."
    )


@word.register
def _(finding: facts.SameFeature, fewest: int = FEWEST) -> str:
    return f"Feature {finding.feature!r} is the same as {finding.twin!r} for everybody: it was left out."


@word.register
def _(finding: facts.UsedAsNumbers, fewest: int = FEWEST) -> str:
    return f"Used as numbers: {name_columns(finding.columns, 50)}."


@word.register
def _(finding: facts.UsedAsCategories, fewest: int = FEWEST) -> str:
    first, *others = finding.held
    compared = f"reference {told_values([first], fewest)}"
    listed = "; ".join(filter(None, [told_values(others, fewest), compared]))
    return f"Used as categories: {finding.column!r} ({listed})."


@word.register
def _(finding: facts.EventRead, fewest: int = FEWEST) -> str:
    return f"Column {finding.column!r}: {told_values(finding.seen, fewest)} means that the event was seen."


@word.register
def _(finding: facts.CompetingRead, fewest: int = FEWEST) -> str:
    return f"Column {finding.column!r}: {told_values(finding.held, fewest)} means that something else came first."


@word.register
def _(finding: facts.OtherValues, fewest: int = FEWEST) -> str:
    return (
        f"Column {finding.column!r} has several values besides the event, {told_values(finding.held, fewest, 6)}: all "
        "count as no recorded event. If one is the event, too, add it to `event_value`; if one means that something "
        "else came first, such as another cause of death, give it as `competing`."
    )


@word.register
def _(finding: facts.LikelyCode, fewest: int = FEWEST) -> str:
    return (
        f"Column {finding.column!r}: {finding.held.value} ({count(finding.held.people, fewest)} people) lies apart "
        "from all other values and is likely a code for a missing value. It was read as it is: if it is a code, empty "
        "these cells."
    )


@word.register
def _(finding: facts.AllEmpty, fewest: int = FEWEST) -> str:
    return (
        f"Column {finding.column!r} is empty in this table, but the model learned from it: it is treated as missing "
        "for everybody."
    )


@word.register
def _(finding: BeyondTraining, fewest: int = FEWEST) -> str:
    return (
        f"Column {finding.column!r}: {count(finding.people, fewest)} people have values unlike those of anybody whom "
        f"the model learned from (below {finding.lowest:g} or above {finding.highest:g}). Their risks are "
        "extrapolations: look for mistyped values and for another unit."
    )


@word.register
def _(finding: facts.Outlying, fewest: int = FEWEST) -> str:
    return (
        f"Column {finding.column!r} has one value so far from all others that these hardly differ beside it, and their "
        "effect is lost. Look at its largest and smallest values, and correct any that is mistyped."
    )


@word.register
def _(finding: facts.SameId, fewest: int = FEWEST) -> str:
    return (
        f"The id in {name_columns(finding.columns)} is not unique: {count(finding.people, fewest)} rows share theirs "
        f"with another row, and count as different people. If rows belong to one person, name the column as `group`."
    )


@word.register
def _(finding: facts.RowsLeftOut, fewest: int = FEWEST) -> str:
    return (
        f"Column {finding.column!r} {finding.reason} for {count(finding.people, fewest)} people, which is "
        "impossible: these rows were left out. Correct them if you can."
    )


@word.register
def _(finding: facts.LostEarlier, fewest: int = FEWEST) -> str:
    told = min(finding.people, finding.unlabeled - finding.people) >= fewest
    lost = f"{finding.people:,} of {finding.unlabeled:,}" if told else "Many"
    return (
        f"{lost} people without the event were last seen "
        "before the endpoint. Each counts as followed until then; how long people with the event would have been "
        "followed is not known."
    )


@word.register
def _(finding: facts.EndpointRead, fewest: int = FEWEST) -> str:
    return f"Follow-up ended on {finding.day}."


@word.register
def _(finding: facts.NeverAfter, fewest: int = FEWEST) -> str:
    if finding.people == 0:
        return f"Nobody without the event reached a time of {finding.limit:g}, after which it can no longer happen."
    told = min(finding.people, finding.unlabeled - finding.people) >= fewest
    past = f"{finding.people:,} of the {finding.unlabeled:,}" if told else "Some"
    return (
        f"{past} people without the event reached a time of {finding.limit:g}, after which it can no longer happen: "
        "they are known never to have it."
    )


@word.register
def _(finding: facts.DatesToYears, fewest: int = FEWEST) -> str:
    return "Times are in years of 365.25 days."


@word.register
def _(finding: facts.Simulated, fewest: int = FEWEST) -> str:
    return (
        f"The people are simulated (world {finding.world}, seed {finding.seed}), so that the truth is known: "
        f"{finding.hidden_positives:,} of those with no recorded event will have it."
    )
