"""What can go wrong with a study; every message is a sentence for the user."""


class StudyError(ValueError):
    """Something was asked for that a study does not have."""


class RunError(ValueError):
    """A run cannot begin or go on: the file of results, the cluster or a worker does not allow it."""
