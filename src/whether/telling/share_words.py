"""A share of positives that is known from elsewhere, in words."""

from __future__ import annotations

from whether.analysis.share_check import ShareCheck
from whether.learners import KnownShare
from whether.telling.disclosure import is_told
from whether.telling.words import is_known, percent, percent_range, points

# Errors below it are those of shares that were given as exact.
EXACT = 0.0015


def taken_share(found: ShareCheck | None) -> str:
    """That an answer rests on a share, as it goes to the end of a sentence; empty where it does not."""
    return (
        ""
        if found is None
        else f", with the share of people who ever have it taken to be {given_share(found)} from elsewhere"
    )


def assumed_share(known: KnownShare | None) -> str:
    """The share as a part of what is assumed; empty where none was given."""
    return (
        "" if known is None else f"; and the share of people like these who ever have the event is {given_share(known)}"
    )


def given_share(found: ShareCheck | KnownShare) -> str:
    """The share as it was given, with its standard error if it had one."""
    error = f" (standard error {100 * found.error:.2g} percentage points)" if found.error >= EXACT else ""
    return f"{100 * found.share:.3g} %{error}"


def beside_share(found: ShareCheck | None) -> str:
    """What the data say without the share; empty where none was given, or where that is not told."""
    if found is None or not is_told(found.alone):
        return ""
    limits = percent_range(found.alone.lower, found.alone.upper, 1)
    if found.is_range:
        return f"Without that share these data leave a mean risk between {limits.replace(' to ', ' and ')} open."
    interval = f" ({100 * found.alone.level:g} % interval {limits})" if is_known(found.alone.lower) else ""
    return f"Without that share the same method comes to a mean risk of {percent(found.alone.estimate, 1)}{interval}."


def share_caution(found: ShareCheck | None) -> str:
    """That a share and the data contradict each other, and by how much."""
    assert found is not None, "there is a finding about the share"
    side = "above" if found.gap > 0 else "below"
    size = f" by {points(found.gap)} percentage points" if is_told(found.gap) else ""
    return (
        f"The share of people who ever have the event, given as {given_share(found)}, lies {side} all that these data "
        f"allow without it{size}, which is more than its error explains: either it is that of other people, or an "
        "assumption of the method is wrong."
    )
