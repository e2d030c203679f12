"""Levels of kernel-weighted curves of npcure and npcurePK beside ours, at the recorded bandwidths."""

import re

import numpy as np

from tests.reference.records import has_table, read_table
from whether.kernel_survival import nonparametric_incidence

PACKAGES = ("npcure", "npcurePK")
# Both sides add up the same numbers, so that rounding is all that differs.
LEVEL = 1e-9


def is_level(record):
    """Whether a record holds shares that never have the event, place by place, and its table is at hand."""
    return record["package"] in PACKAGES and "cure_probability" in record and has_table(record["data"])


def compare_levels(records):
    """Pairs of record and largest difference of the share that never has the event."""
    return [(record, _difference(record)) for record in records if is_level(record)]


def _difference(record):
    table, places = read_table(record["data"]), record["x0"]
    never = _known_negative(record, table)
    bandwidths = np.broadcast_to(record["bandwidth"], len(places))
    ours = [
        nonparametric_incidence(
            table[record["covariate"]], table["event"], table["time"], at=[place], bandwidth=width, known_negative=never
        ).incidence[0]
        for place, width in zip(places, bandwidths, strict=True)
    ]
    return float(np.max(np.abs(1 - np.array(ours) - record["cure_probability"])))


def _known_negative(record, table):
    """Who was said to be cured: those without the event who were followed for long."""
    found = re.search(r"time >= ([\d.]+)", record.get("known_cured", ""))
    return None if found is None else ((table["event"] == 0) & (table["time"] >= float(found[1]))).to_numpy()


def tell_levels(records):
    """The comparison, as lines of Markdown."""
    compared = compare_levels(records)
    yield "| package | records | agree | largest difference of a share |"
    yield "|---|---|---|---|"
    for package in PACKAGES:
        found = [difference for record, difference in compared if record["package"] == package]
        if found:
            agree = sum(difference <= LEVEL for difference in found)
            yield f"| {package} | {len(found)} | {agree} | {max(found):.0e} |"
