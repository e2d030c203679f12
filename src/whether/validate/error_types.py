"""Errors and warnings that are about what the user gave, each with the sentence that helps.

Programs tell them apart by type: whatever else is raised is a bug of ours.
"""

from __future__ import annotations


class DataError(ValueError):
    """Data that cannot be used as they are; the message says what is wrong, where, and what to do."""


class ArgumentError(ValueError):
    """A call that cannot be carried out as it was given; the message says what to change.

    Parameters are named in backticks, so that a program can name its options instead.
    """


class MissingTimeError(DataError):
    """A method that works through times was fitted without them."""


class FollowUpWarning(UserWarning):
    """Follow-up looks too short for the claim that the rest will never have the event."""


class IdentifiabilityWarning(UserWarning):
    """The data alone cannot tell the outcome probability from the labeling propensity."""


class LabelsAsTruthWarning(UserWarning):
    """Risks of the event ever happening are scored or calibrated by labels, which miss events not seen yet."""
