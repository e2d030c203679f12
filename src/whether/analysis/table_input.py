"""The whole answer from arrays, or from a table as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from whether.analysis.result import Analysis, Origin
from whether.analysis.steps import analyze_arrays
from whether.files.table import TableCohort, read_cohort
from whether.validate import ArgumentError


def analyze(
    X: Any,
    y: ArrayLike | None = None,
    *,
    event: str | None = None,
    time: ArrayLike | str | None = None,
    follow_up: ArrayLike | str | None = None,
    entry: ArrayLike | str | None = None,
    propensity_features: Sequence[str | int] | None = None,
    groups: ArrayLike | str | None = None,
    origin: Origin | None = None,
    learner: Any = None,
    backtest: bool = True,
    sensitivity: bool = True,
    n_splits: int = 5,
    level: float = 0.95,
    random_state: int = 0,
    verbose: int = 0,
    **columns: Any,
) -> Analysis:
    """Examine a cohort, fit the recommended method, and check its answer.

    Of a cohort of more than 10,000 people, a part of that size is used for the backtest and the sensitivity, and of one
    of more than 50,000 a part for the choice of the learner; the fit and the predictions are of everybody.

    Parameters
    ----------
    X : array-like, data frame, path-like or TableCohort
        Features; with ``event``, a table as it is, with categories, gaps and dates; or what `read_cohort` returned.
    y : array-like, optional
        Labels, where ``event`` does not name their column.
    event : str, optional
        Column that says whether the event was seen. ``time``, ``follow_up``, ``entry``, ``propensity_features``
        and ``groups`` are then columns, too, and the table is read as the program reads it; see `read_cohort`.
    time, follow_up, entry, propensity_features
        See `examine`.
    groups : array-like or str, optional
        Rows of one group belong together: the backtest never splits them.
    origin : Origin, optional
        Where the data came from, for reports.
    learner : str, Learner or classifier, optional
        Default: the recommended one, "linear" or "auto"; see `CensoredClassifier`.
    backtest, sensitivity : bool
        Whether to check the answer by putting the data back to an earlier date, and by moving the assumptions.
    n_splits : int
        Splits of the backtest.
    level : float
        Confidence level.
    random_state : int
        Seed of everything that is drawn.
    verbose : int
        1 reports progress everywhere, not on a terminal only.
    **columns
        What else `read_cohort` can be told of a table: ``endpoint``, ``features``, ``drop``, ``categorical``, ``id``...

    Returns
    -------
    Analysis
        Print it for the answer.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("partially-dependent", n=1000, seed=0)
    >>> answer = wh.analyze(
    ...     cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up, backtest=False, sensitivity=False
    ... )
    >>> bool(answer.unseen.lower < answer.unseen.estimate < answer.unseen.upper)
    True
    """
    known: dict[str, Any] = {"time": time, "follow_up": follow_up, "entry": entry}
    known["propensity_features"] = propensity_features
    if event is not None:
        X = read_cohort(X, event, **known, **{"group": groups, **columns})
    elif columns:
        raise ArgumentError(
            f"`{next(iter(columns))}` is about a table: name its column with the event as `event`, too."
        )
    if isinstance(X, TableCohort):
        origin = describe_origin(X) if origin is None else origin
        X, y, known, groups = X.X, X.y, X.known, X.groups
    if y is None:
        raise ArgumentError("analyze needs `y`, the labels; or `event`, the column of a table that has them.")
    return analyze_arrays(
        X,
        y,
        known,
        groups=groups,
        origin=origin or Origin(),
        learner=learner,
        backtest=backtest,
        sensitivity=sensitivity,
        n_splits=n_splits,
        level=level,
        random_state=random_state,
        verbose=verbose,
    )


def describe_origin(cohort: TableCohort, *, unit: str = "", call: str = "", simulated: bool = False) -> Origin:
    """Say where the people of a table came from and what was done to it."""
    return Origin(
        name=cohort.name,
        event=cohort.roles.event,
        time=cohort.roles.time or "",
        follow_up=cohort.roles.follow_up or "",
        entry=cohort.roles.entry or "",
        propensity_features=tuple(cohort.propensity_features or ()),
        unit=unit or ("years" if cohort.is_in_years else ""),
        findings=cohort.findings,
        call=call,
        simulated=simulated,
    )
