"""Cohorts with few deaths, late entrants, known negatives or events between visits."""

import numpy as np

from tests.disclosure.cohorts import Cohort, make_people


def make_deaths(n, n_events, n_died, *, question="lifetime", never=0):
    """Few die first; where some are known never to have the event, they are many."""
    table = make_people(n, n_events).drop(columns="follow_up")
    rows = np.flatnonzero(table["event"] == 0)
    table["status"] = np.where(table["event"] == 1, "relapsed", "alive")
    table.loc[rows[:n_died], "status"] = "died"
    rng = np.random.default_rng([n, n_died])
    table.loc[rows[:n_died], "time"] = np.round(rng.uniform(300, 5000, n_died), 3)
    roles = {"event": "status", "event_value": "relapsed", "time": "time", "competing": "died"}
    if never:
        table.loc[rows[-never:], "time"] = np.round(rng.uniform(9100, 9900, never), 3)
        roles["never_after"] = "9050"
    options = ("--id", "person", "--question", question)
    return Cohort(f"{n_died} deaths, {question}", table.drop(columns="event"), roles, options)


def make_short(n_died=7):
    """Events go on to the end of follow-up, so that the answer is a range; few die, fewer in each level."""
    cohort = make_deaths(149, 53, n_died)
    table, rng = cohort.table.copy(), np.random.default_rng(11)
    had, died = (table["status"] == word for word in ("relapsed", "died"))
    until = np.where(had, 3000 * rng.random(149) ** 0.5, 3000 + table["time"] / 1000)
    table["time"] = np.round(np.where(died, 3000 * rng.random(149), until), 3)
    table["arm"] = rng.choice(["a", "b"], len(table))
    return Cohort("few deaths and a range", table, cohort.roles, cohort.options, analyze_options=("--by", "arm"))


def make_between(n_between, n_never=0, n=251, n_events=89):
    """Few events between two visits, and few who are too old to have it."""
    table = make_people(n, n_events).drop(columns="follow_up")
    rng = np.random.default_rng([n, n_between, 9])
    roles = {"event": "event", "time": "time"}
    if n_between:
        rows = np.flatnonzero(table["event"] == 1)[:n_between]
        table["last_free"] = np.nan
        table.loc[rows, "last_free"] = np.round(table.loc[rows, "time"] * rng.uniform(0.1, 0.9, n_between), 3)
        roles["time_lower"] = "last_free"
    if n_never:
        rows = np.flatnonzero(table["event"] == 0)[:n_never]
        table.loc[rows, "time"] = np.round(rng.uniform(9100, 9900, n_never), 3)
        roles["never_after"] = "9050"
    return Cohort(f"{n_between} between visits, {n_never} never", table, roles)


RECORDS = {
    "few deaths and a range": make_short,
    "few deaths beside known negatives": lambda: make_deaths(307, 83, 6, never=29),
    "few alive": lambda: make_deaths(149, 53, 91, question="net"),
    "few between visits and few never": lambda: make_between(7, 9),
}
