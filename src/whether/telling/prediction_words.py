"""Predictions of a model in words: whether, and when."""

from __future__ import annotations

from collections.abc import Mapping

from whether.telling.words import percent

# How intervals of a model's risks come about, and what is said of it where it is not the usual way.
INTERVALS = {
    "errors": "",
    "refits": "Intervals of its risks come from 20 refits to randomly weighted people. They do not cover what the "
    "learner smooths away, so they tend to be too narrow where the risk changes sharply.",
    "none": "Its risks will have no intervals: it has no standard errors, and was not refitted. Refits are made of "
    "tables in memory with up to 200,000 numbers (people times features), unless --no-intervals is given.",
}
NO_INTERVALS = (
    "These risks have no intervals: the model has no standard errors, and was not refitted to randomly weighted people "
    "when it was made."
)


def prediction_sentences(
    people: int, method: str, means: Mapping[str, float], within: float | None, output: str, *, has_intervals: bool
) -> list[str]:
    """Say what was predicted for how many people, on average; the means are those of the columns."""
    who = f"{people:,} people" if people != 1 else "1 person"
    said = [f"Risks of {who} by {method}, {percent(means['risk'], 1)} on average, written to {output}."]
    if not has_intervals:
        said.append(NO_INTERVALS)
    if "still_to_come" in means:
        said.append(
            "Given how long each has been without the event, the probability that it is still to come is "
            f"{percent(means['still_to_come'], 1)} on average (still_to_come)."
        )
    if within is not None and "risk_within" in means:
        said.append(
            f"The probability of the event within the next {within:g} (in the unit of the model's times) is "
            f"{percent(means['risk_within'], 1)} on average (risk_within)."
        )
    return said
