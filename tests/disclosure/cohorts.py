"""Cohorts with small groups, and what the program says about them.

Numbers of people are primes wherever they are large: a share of another total then never multiplies out to a whole
number of people by chance, and what the attack finds is a count.
"""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from whether.cli.app import app

KNOWN = {"event": "event", "time": "time", "follow_up": "follow_up"}


@dataclass(frozen=True)
class Cohort:
    """A table, the options that say what its columns are, and which commands are to be run on it."""

    name: str
    table: pd.DataFrame
    roles: dict = field(default_factory=lambda: dict(KNOWN))
    options: tuple = ("--id", "person")
    commands: tuple = ()
    backtest: bool = False
    analyze_options: tuple = ()

    @property
    def by(self):
        """Columns by whose levels people are told apart, where they are named one by one."""
        return [column for option, column in pairwise(self.analyze_options) if option == "--by" and "," not in column]

    @property
    def arguments(self):
        """Options of the command line that every command takes."""
        named = [part for role, column in self.roles.items() for part in (f"--{role.replace('_', '-')}", column)]
        return [*named, *self.options]


# Tables and paragraphs of a publication are told, too.
FURTHER = ("--table", "csv", "--paragraphs")


def write_outputs(cohort, folder):
    """Run the program on a cohort and leave everything it says in a folder, beside the table."""
    table = folder / "table.csv"
    cohort.table.to_csv(table, index=False)
    told = folder / "analyze"
    _run(folder / "analyze.txt", "analyze", table, *cohort.arguments, *_asked(cohort), *FURTHER, "-o", told)
    own = {
        "examine": ["-o", folder / "examine.svg"] if {"time", "follow_up"} & set(cohort.roles) else [],
        "backtest": ["--splits", 2, "--methods", "LR,AFTMC-F", "--no-advice"],
    }
    for command in cohort.commands:
        _run(folder / f"{command}.json", command, table, *cohort.arguments, *own.get(command, []), "--json")
    return table


def _asked(cohort):
    return [*cohort.analyze_options, *([] if cohort.backtest else ["--no-backtest"])]


def _run(path, *arguments):
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, f"whether {' '.join(map(str, arguments))}\n{done.stderr}"
    path.write_text(done.stdout, encoding="utf-8")


# ---------------------------------------------------------------- how they are made


def make_people(n, n_events, seed=0):
    """Columns of a cohort in which exactly so many people have had the event; times are days with decimals."""
    rng = np.random.default_rng([n, n_events, seed])
    age = np.round(rng.normal(60, 10, n), 1)
    follow_up = np.round(rng.uniform(1000, 9000, n), 3)
    propensity = np.where(rng.random(n) < 0.9, 1.0, 0.0)
    event_time = np.round(follow_up * rng.uniform(0.05, 0.95, n) ** 2, 3)
    order = np.argsort(-(age - 60) / 10 - propensity + rng.logistic(size=n))
    event = np.zeros(n, dtype=int)
    event[order[:n_events]] = 1
    return pd.DataFrame(
        {
            "person": [f"person-{i:05d}" for i in range(n)],
            "age": age,
            "marker": np.round(rng.lognormal(10, 0.5, n), 3),
            "site": rng.choice(["north", "south", "west"], n),
            "event": event,
            "time": np.where(event == 1, event_time, follow_up),
            "follow_up": follow_up,
        }
    )


def _some(n, size, seed=1):
    """So many rows, anywhere in the table."""
    return np.random.default_rng([n, size, seed]).choice(n, size, replace=False)


def make_rare_category():
    """One person of a site, and three of another."""
    table = make_people(311, 101)
    rows = _some(311, 4)
    table.loc[rows[:3], "site"] = "Heligoland"
    table.loc[rows[3:], "site"] = "Zanzibar"
    return Cohort("a category of one person", table, commands=("examine",))


def make_rare_levels():
    """A yes or no that three people have, and numbers that are categories, one of them of six people."""
    table = make_people(211, 71)
    table["transplant"] = 0
    table.loc[_some(211, 3), "transplant"] = 1
    table["ward"] = np.random.default_rng(2).choice([1, 2, 3], 211)
    table.loc[_some(211, 6), "ward"] = 87654
    return Cohort("levels of three and six people", table, options=("--id", "person", "--categorical", "ward"))


def make_tail(size):
    """Nearly everybody left early; a few were followed for much longer."""
    table = make_people(211, 71)
    rows = np.flatnonzero(table["event"] == 0)[:size]
    late = np.round(np.random.default_rng(3).uniform(30_000, 40_000, size), 3)
    table.loc[rows, "follow_up"] = table.loc[rows, "time"] = late
    return Cohort(f"a tail of {size} in follow-up", table, commands=("examine",) if size > 1 else ())


def make_events_in_one_level():
    """Whoever has the event comes from the same place."""
    table = make_people(311, 19)
    table.loc[table["event"] == 1, "site"] = "west"
    return Cohort("events in one level only", table)


def make_groups():
    """Several rows of the same household, a few households of their own."""
    table = make_people(311, 9)
    table["household"] = [f"household-{i // 3:04d}" for i in range(311)]
    return Cohort(
        "ids and groups", table, options=("--id", "person,household"), analyze_options=("--group", "household")
    )


def make_labels(n, n_events, *, named=False):
    """No times at all."""
    table = make_people(n, n_events).drop(columns=["time", "follow_up"])
    options = ("--id", "person", *(("--propensity-features", "age") if named else ()))
    commands = () if named else ("examine", "sensitivity")
    return Cohort(f"{n_events} events without times", table, {"event": "event"}, options, commands)


def make_follow_up(n, n_events):
    """How long everybody was followed, and no event times."""
    table = make_people(n, n_events).drop(columns="time")
    roles = {"event": "event", "follow_up": "follow_up"}
    return Cohort(f"{n_events} events with follow-up only", table, roles, commands=("examine",))


def make_dates(n_events):
    """Dates of entry and of events, everybody followed to one date; another date that is nobody else's."""
    table = make_people(311, n_events)
    rng = np.random.default_rng(4)
    entry = pd.Timestamp("2001-03-05") + pd.to_timedelta(rng.integers(0, 4000, 311), unit="D")
    left = (pd.Timestamp("2019-12-31") - entry).days.to_numpy()
    seen = entry + pd.to_timedelta(np.ceil(left * rng.uniform(0.05, 0.8, 311)), unit="D")
    table["entered"] = entry.strftime("%Y-%m-%d")
    table["seen"] = np.where(table["event"] == 1, seen.strftime("%Y-%m-%d"), "2019-12-31")
    born = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.choice(12_000, 311, replace=False), unit="D")
    table["born"] = born.strftime("%Y-%m-%d")
    table = table.drop(columns=["time", "follow_up"])
    roles = {"event": "event", "time": "seen", "entry": "entered", "endpoint": "2019-12-31"}
    return Cohort(f"{n_events} events by date", table, roles, commands=("examine",) if n_events < 11 else ())


def make_gaps():
    """Gaps in few cells, and in many."""
    table = make_people(211, 71)
    table.loc[_some(211, 4), "marker"] = np.nan
    table.loc[_some(211, 6), "site"] = None
    table.loc[_some(211, 41), "age"] = np.nan
    return Cohort("gaps in few cells", table)


def make_late_event():
    """One of few events lies at the very end of the person's follow-up, two others on one day."""
    table = make_people(313, 53)
    rows = np.flatnonzero(table["event"] == 1)
    table.loc[rows[0], "time"] = table.loc[rows[0], "follow_up"] - 0.5
    table.loc[rows[1:3], "follow_up"] = 8765.432
    table.loc[rows[1:3], "time"] = 1234.321
    return Cohort("one event at the end of follow-up", table, commands=("examine", "recommend"))


def make_years():
    """Times in years with three decimals, which four digits tell in full."""
    table = make_people(211, 71)
    for name in ("time", "follow_up"):
        table[name] = np.maximum((table[name] / 1000).round(3), 0.001)
    table["time"] = table[["time", "follow_up"]].min(axis=1)
    return Cohort("times of four digits", table, commands=("examine",))


def make_levels():
    """People told apart by columns with rare levels, few events in a level, gaps, and a level within another's."""
    table = make_people(503, 103)
    rows = _some(503, 9)
    table.loc[rows[:3], "site"] = "Heligoland"
    table.loc[rows[3:4], "site"] = "Zanzibar"
    table.loc[rows[4:], "marker"] = np.nan
    quiet = np.flatnonzero(table["event"] == 0)
    table["arm"] = np.random.default_rng(5).choice(["a", "b"], 503)
    table.loc[quiet[:60], "arm"] = "c"
    table.loc[np.flatnonzero(table["event"] == 1)[:4], "arm"] = "c"
    # Nearly the same people as those of the south.
    table["south"] = (table["site"] == "south").astype(int)
    table.loc[rows[4:8], "south"] = 1
    by = ("--by", "site", "--by", "arm,south", "--by", "age,marker")
    return Cohort("levels of columns", table, options=("--id", "person", "--drop", "south"), analyze_options=by)


def make_words():
    """The event in words."""
    table = make_people(211, 5)
    table["event"] = np.where(table["event"] == 1, "relapsed", "none")
    return Cohort("the event in words", table, options=("--id", "person", "--event-value", "relapsed"))


MAKERS = {
    "few events": lambda: Cohort("few events", make_people(311, 7), commands=("examine", "recommend", "sensitivity")),
    "two events": lambda: Cohort("two events", make_people(211, 2)),
    "ten events": lambda: Cohort("ten events", make_people(311, 10)),
    "seven events of sixty": lambda: Cohort("seven events of sixty", make_people(60, 7), commands=("examine",)),
    "sixty, seven without it": lambda: Cohort("sixty, seven without it", make_people(60, 53), commands=("examine",)),
    "eleven events": lambda: Cohort("eleven events", make_people(311, 11), commands=("examine",)),
    "few events in a thousand": lambda: Cohort("few events in a thousand", make_people(997, 7)),
    "few unlabeled": lambda: Cohort("few unlabeled", make_people(199, 191), commands=("examine", "sensitivity")),
    "thirteen unlabeled of 397": lambda: Cohort("thirteen unlabeled of 397", make_people(397, 384)),
    "rare category": make_rare_category,
    "rare levels": make_rare_levels,
    "tail of four": lambda: make_tail(4),
    "one last followed": lambda: make_tail(1),
    "events in one level": make_events_in_one_level,
    "ids and groups": make_groups,
    "nine events without times": lambda: make_labels(311, 9),
    "many events without times": lambda: make_labels(211, 71, named=True),
    "six events with follow-up": lambda: make_follow_up(311, 6),
    "many events with follow-up": lambda: make_follow_up(211, 71),
    "eight events by date": lambda: make_dates(8),
    "many events by date": lambda: make_dates(101),
    "gaps": make_gaps,
    "late event": make_late_event,
    "years": make_years,
    "words": make_words,
    "levels": make_levels,
    "everything": lambda: Cohort("everything", make_people(499, 139), commands=("examine", "backtest"), backtest=True),
    "few events put back": lambda: Cohort(
        "few events put back", make_people(211, 23), commands=("examine", "backtest")
    ),
}
