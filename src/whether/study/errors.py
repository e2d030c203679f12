"""What can go wrong with a study; every message is a sentence for the user."""

from whether.validate import ArgumentError, DataError


class StudyError(ArgumentError):
    """Something was asked for that a study does not have."""


class RunError(DataError):
    """A run cannot begin or go on: the file of results, the cluster or a worker does not allow it."""
