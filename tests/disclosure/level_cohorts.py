"""Cohorts whose columns have levels of few people, which several outputs count in their own ways."""

import numpy as np

from tests.disclosure.cohorts import Cohort, make_people

KNOWN = {"event": "event", "time": "time"}


def _ask(name, table, by, *options):
    table = table.drop(columns="follow_up")
    asked = ("--by", by) if by else ()
    return Cohort(name, table, KNOWN, ("--id", "person", *options), analyze_options=asked)


def make_rare_beside_first():
    """A level of nine people that has no feature of its own, so that they count as the first level."""
    table = make_people(251, 89)
    table["stage"] = np.random.default_rng(1).choice(["I", "II", "III"], 251, p=[0.5, 0.3, 0.2])
    table.loc[table.index[::28], "stage"] = "IV"
    return _ask("few beside the first level", table, "stage")


def make_gaps_in_a_flag():
    """A yes or no that is not known of six people."""
    table = make_people(251, 89)
    table["treated"] = np.random.default_rng(2).choice([0.0, 1.0], 251, p=[0.6, 0.4])
    table.loc[table.index[::45], "treated"] = np.nan
    return _ask("few gaps in a yes or no", table, "treated")


def make_grades():
    """Three grades as numbers, five people of the third; a yes or no with many gaps and four who say yes."""
    table = make_people(83, 37)
    rng = np.random.default_rng(3)
    table["grade"] = rng.choice([1, 2], 83)
    table.loc[table.index[::17], "grade"] = 3
    table["smokes"] = 0.0
    table.loc[table.index[1::25], "smokes"] = 1.0
    table.loc[table.index[2::4], "smokes"] = np.nan
    return _ask("grades of few people", table, "")


def make_noted_gaps():
    """A yes or no with gaps that a note counts, and six who say yes."""
    table = make_people(251, 89)
    table["smokes"] = 0.0
    table.loc[table.index[1::42], "smokes"] = 1.0
    table.loc[table.index[2::8], "smokes"] = np.nan
    return _ask("few beside gaps that are noted", table, "smokes")


def make_nested():
    """A column to tell people apart by that is no feature, and agrees with another for all but four."""
    table = make_people(251, 89)
    table["south"] = np.where(table["site"] == "south", "yes", "no")
    table.loc[np.flatnonzero(table["site"] == "north")[:4], "south"] = "yes"
    return _ask("a level within another's", table, "south", "--drop", "south")


LEVELS = {
    "few beside the first level": make_rare_beside_first,
    "few gaps in a yes or no": make_gaps_in_a_flag,
    "grades of few people": make_grades,
    "few beside gaps that are noted": make_noted_gaps,
    "a level within another's": make_nested,
}
