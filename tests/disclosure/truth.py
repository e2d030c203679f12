"""What must not be found out: the small groups of a cohort, and what single persons' cells hold."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

FEWEST = 11
MOST_LEVELS = 20
# A number of fewer digits is met by chance.
POINTED = 4
WAYS = (("late", "from the start"), ("between", "exact"))


def is_small(count):
    """Whether so many people could be recognised."""
    return 0 < count < FEWEST


@dataclass(frozen=True)
class Truth:
    """A cohort as its owner knows it.

    Attributes
    ----------
    n_people, n_events : int
    groups : dict of str to int
        Small groups by name: "events", "unlabeled", "site=isle", "gaps in age".
    values : dict of str to ndarray
        Numbers that fewer than 11 people share, by column.
    extremes : dict of str to float
        The least, the greatest and the middle one of them, where these are one person's.
    words : dict of str to str
        Cells that fewer than 11 people share, with their column.
    rare : set of str
        Names of features that fewer than 11 people have, or all but fewer than 11.
    levels : dict of str to ndarray
        Cells of columns of few values, as text; gaps are empty.
    partitions : dict of str to list of dict of str to int
        Of everybody, and of each level of a column: sizes of kinds of which each person is one.
    """

    n_people: int
    n_events: int
    groups: dict
    values: dict
    extremes: dict
    words: dict
    rare: set
    partitions: dict
    levels: dict = field(repr=False)
    labeled: np.ndarray = field(repr=False)
    time: np.ndarray | None = field(repr=False, default=None)
    follow_up: np.ndarray | None = field(repr=False, default=None)
    died: np.ndarray | None = field(repr=False, default=None)
    entry_time: np.ndarray | None = field(repr=False, default=None)

    @property
    def n_unlabeled(self):
        return self.n_people - self.n_events


def find_truth(table, roles, by=()):
    """The truth about a table; ``roles`` says which columns hold the event, times, follow-up; ``by`` are columns."""
    labeled = _find_labels(table[roles["event"]], roles)
    n, n_events = len(table), int(labeled.sum())
    kinds = _find_kinds(table, roles, labeled)
    groups = {"events": n_events, "unlabeled": n - n_events} | {name: int(rows.sum()) for name, rows in kinds.items()}
    partitions = {"everybody": _find_partitions(kinds, labeled, np.ones(n, dtype=bool))}
    for column in by:
        for level in table[column].dropna().unique():
            rows = (table[column] == level).to_numpy()
            partitions[f"{column}={level}"] = _find_partitions(kinds, labeled, rows)
    values, extremes, words, rare = {}, {}, {}, set()
    for name in table.columns.drop(roles["event"]):
        column = table[name]
        groups[f"gaps in {name}"] = int(column.isna().sum())
        counts = column.value_counts()
        few = counts[counts < FEWEST].index
        if pd.api.types.is_numeric_dtype(column) and len(counts) > 2:
            values[name] = np.unique(few.to_numpy(dtype=float))
            extremes |= _find_extremes(name, column, values[name])
            if len(counts) <= MOST_LEVELS:
                _add_levels(name, counts, groups, words, rare)
        elif len(counts) <= MOST_LEVELS and name not in roles.values():
            _add_levels(name, counts, groups, words, rare)
        else:
            words |= {str(cell): name for cell in few}
    times = _find_times(table, roles)
    if "entry" in roles:
        for name, years in times.items():
            values[name] = np.unique(years[years != years[0]])
            extremes |= _find_extremes(name, pd.Series(years), values[name])
    small = {name: count for name, count in groups.items() if is_small(count)}
    known = {"died": kinds.get("dead"), "entry_time": _find_entry(table, roles)}
    levels = {name: _as_text(column) for name, column in table.items() if column.nunique() <= MOST_LEVELS}
    return Truth(n, n_events, small, values, extremes, words, rare, partitions, levels, labeled, **times, **known)


def _as_text(column):
    """Cells as they are told; gaps are empty."""
    numbers = pd.api.types.is_numeric_dtype(column)
    return np.array(["" if pd.isna(cell) else f"{cell:.10g}" if numbers else str(cell) for cell in column])


def _find_kinds(table, roles, labeled):
    """Who died first, is known never to have the event, came late, or had the event between two visits."""
    kinds = {}
    if "competing" in roles:
        kinds["dead"] = (table[roles["event"]] == roles["competing"]).to_numpy()
    if "never_after" in roles:
        dead = kinds.get("dead", np.zeros(len(table), dtype=bool))
        kinds["never"] = ~labeled & ~dead & (table[roles["time"]] >= float(roles["never_after"])).to_numpy()
    if "entry_time" in roles:
        kinds["late"] = _find_entry(table, roles) > 0
        kinds["from the start"] = ~kinds["late"]
    if "time_lower" in roles:
        lower = table[roles["time_lower"]].to_numpy(dtype=float)
        kinds["between"] = labeled & (lower < table[roles["time"]].to_numpy(dtype=float))
        kinds["exact"] = labeled & ~kinds["between"]
    closed = [kinds[name] for name in ("dead", "never") if name in kinds]
    if closed:
        kinds["open"] = ~labeled & ~np.any(closed, axis=0)
    return kinds


def _find_partitions(kinds, labeled, rows):
    """Sizes of kinds of which everybody among the rows is one: by what is known, by entry, events by how they are."""
    alone = {"events": labeled} | {name: kinds[name] for name in ("dead", "never", "open") if name in kinds}
    alone |= {} if "open" in kinds else {"unlabeled": ~labeled}
    ways = [alone, *({name: kinds[name] for name in way} for way in WAYS if way[0] in kinds)]
    return [{name: int((kind & rows).sum()) for name, kind in way.items()} for way in ways]


def _find_entry(table, roles):
    return table[roles["entry_time"]].to_numpy(dtype=float) if "entry_time" in roles else None


def _find_labels(column, roles):
    if "event_value" in roles:
        return (column == roles["event_value"]).to_numpy()
    if pd.api.types.is_numeric_dtype(column):
        return column.to_numpy() == 1
    return (column != "none").to_numpy()


def _find_times(table, roles):
    """Times and lengths of follow-up, in years where they follow from dates."""
    if "entry" in roles:
        entry = pd.to_datetime(table[roles["entry"]])
        ends = {"time": pd.to_datetime(table[roles["time"]]), "follow_up": pd.Timestamp(roles["endpoint"])}
        return {name: ((end - entry).dt.days / 365.25).to_numpy() for name, end in ends.items()}
    return {role: table[roles[role]].to_numpy(dtype=float) for role in ("time", "follow_up") if role in roles}


def _add_levels(name, counts, groups, words, rare):
    for level, count in counts.items():
        text = f"{level:g}" if isinstance(level, float) else str(level)
        groups[f"{name}={text}"] = int(count)
        if is_small(count):
            rare |= {name, f"{name}={text}"} if len(counts) == 2 else {f"{name}={text}"}
            if not _is_met_by_chance(text):
                words[text] = name


def _is_met_by_chance(text):
    """Whether a text is a number of so few digits that some other number is the same."""
    return text.replace(".", "").lstrip("-").isdigit() and len(text.replace(".", "").lstrip("-0")) < POINTED


def _find_extremes(name, column, own):
    found = {"least": column.min(), "greatest": column.max(), "middle": column.median()}
    return {f"{what} {name}": float(value) for what, value in found.items() if value in own}
