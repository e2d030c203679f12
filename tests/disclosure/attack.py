"""Derive back: what small counts and single persons can be found in what the program tells.

Run by hand on a folder of results and the table they were made from::

    python -m tests.disclosure.attack report cohort.csv --event relapse --time years

Every rule knows all numbers of all files. It names the group it found, so that a number which falls on a small count by
chance is none: either the key or the sentence says what the number is about, or more digits agree than chance allows.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from tests.disclosure import counting, drawn, levels, parts, persons
from tests.disclosure.reading import read_folder
from tests.disclosure.truth import find_truth

# Options of the program that say what the columns hold.
ROLES = (
    "event", "event_value", "time", "follow_up", "entry", "endpoint", "competing", "entry_time", "time_lower",
    "never_after",
)  # fmt: skip


@dataclass(frozen=True)
class Leak:
    """A small group, or a person, that can be found out."""

    group: str
    found: object
    where: str
    how: str
    rule: str

    def __str__(self):
        return f"{self.rule}: {self.group} = {self.found} from {self.where} ({self.how})"


def attack(folder, truth):
    """All leaks of a folder, each place once."""
    shown, models = read_folder(Path(folder))
    rules = [*counting.RULES, *drawn.RULES, *levels.RULES, *parts.RULES, *persons.RULES]
    leaks = [
        Leak(group, found, where, how, rule.__name__.removeprefix("find_"))
        for rule in rules
        for group, found, where, how in rule(truth, shown)
    ]
    # A model file holds what predictions need, coefficients among them, but no person.
    for rule in (persons.find_values, persons.find_words):
        name = rule.__name__.removeprefix("find_")
        leaks += [Leak(*found, name) for found in rule(truth, models)]
    return list(dict.fromkeys(leaks))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("table", type=Path)
    for role in ROLES:
        parser.add_argument(f"--{role.replace('_', '-')}", required=role == "event")
    parser.add_argument("--by", default="", help="columns by whose levels people are told apart, as a,b")
    given = vars(parser.parse_args())
    roles = {role: given[role] for role in ROLES if given[role]}
    by = [name for name in given["by"].split(",") if name]
    leaks = attack(given["folder"], find_truth(pd.read_csv(given["table"]), roles, by))
    print(*leaks, f"{len(leaks)} leaks", sep="\n")
    raise SystemExit(bool(leaks))


if __name__ == "__main__":
    main()
