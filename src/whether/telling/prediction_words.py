"""Predictions of a model in words: whether, and when."""

from __future__ import annotations

from collections.abc import Mapping

from whether.telling.words import percent


def prediction_sentences(
    people: int, method: str, means: Mapping[str, float], within: float | None, output: str
) -> list[str]:
    """Say what was predicted for how many people, on average; the means are those of the columns."""
    who = f"{people:,} people" if people != 1 else "1 person"
    said = [f"Risks of {who} by {method}, {percent(means['risk'], 1)} on average, written to {output}."]
    if "still_to_come" in means:
        said.append(
            f"Having been without the event for so long, they will still have it with a probability of "
            f"{percent(means['still_to_come'], 1)} on average (still_to_come)."
        )
    if within is not None and "risk_within" in means:
        said.append(
            f"Within the next {within:g} (in the unit of the model's times) they have it with a probability "
            f"of {percent(means['risk_within'], 1)} on average (risk_within)."
        )
    return said
