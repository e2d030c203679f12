"""The part of a classifier that learns: from a checked cohort, or from rows that come in blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from whether.cohort import Cohort
from whether.estimators.parameters import check_parameters
from whether.learners import BoostedLearner, LinearLearner, Population, RowSource
from whether.learners.progress import reporting
from whether.validate import (
    ArgumentError,
    check_both_classes,
    check_moments,
    check_needs,
    check_people,
    check_potential_follow_up,
    check_readable,
)


class FromRows:
    """How a classifier learns once what is known of people has been checked."""

    model_: Any
    learner: Any
    verbose: int
    _needs: tuple[str, ...]
    _unread: ClassVar[dict[str, str]]

    def fit_rows(self, rows: RowSource) -> Any:
        """Fit to rows that come in blocks: of files that do not fit into memory, or on the workers of a cluster.

        The fit is that of ``fit`` to the same rows in memory: starts, distribution and penalties are settled on evenly
        spaced rows, as they are for every large cohort, and a few passes over all rows follow. Trees
        (``learner="boosted"``) start and stop as they do in memory, and are grown by all workers of a cluster together,
        each of which holds its part of the rows; without a cluster all rows are held in memory. A share of positives
        that is labeled (`ElkanNotoClassifier`, `UnbiasedPUClassifier`) is estimated from 50,000 evenly spaced rows,
        unless it is given.

        Parameters
        ----------
        rows : RowSource
            `ParquetRows`, `DaskRows` or `ArrayRows`.
        """
        self.__dict__.pop("model_", None)
        check_parameters(self.get_params(deep=False))  # type: ignore[attr-defined]
        if not isinstance(rows, RowSource):
            raise ArgumentError(
                f"fit_rows takes a source of rows, such as ParquetRows or DaskRows, got {type(rows).__name__}. For "
                "arrays and data frames in memory use fit."
            )
        is_known = isinstance(self.learner, BoostedLearner) or self.learner in ("linear", "boosted")
        if not is_known:
            raise ArgumentError(
                f"Rows that come in blocks are learned by learner='linear' or 'boosted', got learner={self.learner!r}."
            )
        if getattr(self, "nonnegative", False):
            raise ArgumentError(
                "nonnegative=True is minimised on rows in memory. Take nonnegative=False for rows that come in blocks, "
                "or fit a sample of them."
            )
        self.n_features_in_ = len(rows.names)
        self.__dict__.pop("feature_names_in_", None)
        if rows.is_named:
            self.feature_names_in_ = np.array(rows.names, dtype=object)
        self.categories_: dict[str, Any] = {}
        population = rows.survey()
        check_people(population.people, population.n)
        check_moments(population.mean, population.scale, population.sample)
        check_both_classes(population.n_labeled, population.n)
        check_potential_follow_up(population.sample)
        check_needs(type(self).__name__, population.sample, self._needs)
        check_readable(type(self).__name__, vars(population.sample), self._unread)
        return self._learn(population.sample, population)

    def _learn(self, cohort: Cohort, population: Population | None = None) -> Any:
        """Learn from a checked cohort, or from the population that it is a sample of."""
        self.classes_ = np.array([0, 1])
        self.__dict__.pop("refits_", None)  # they are of an earlier fit
        self._count(cohort, population)  # type: ignore[attr-defined]
        n, longest = (cohort.n, None) if population is None else (population.n, population.longest)
        with reporting(self.verbose) as report:
            task = replace(self._task(cohort), population=population)  # type: ignore[attr-defined]
            learner = self._learner(task)  # type: ignore[attr-defined]
            if population is not None and type(learner) not in (LinearLearner, BoostedLearner):
                left_open = " with distribution='open'" if getattr(self, "distribution", "") == "open" else ""
                raise ArgumentError(
                    f"{type(self).__name__}{left_open} looks at people one by one and holds them in memory, so "
                    "it cannot learn from rows that come in blocks. Fit a sample of them, or take "
                    "MixtureCureClassifier with a named distribution, or FollowUpCureClassifier."
                )
            self.model_ = learner.fit(task)
            self._describe(cohort, longest)  # type: ignore[attr-defined]
            report.say(f"{type(self).__name__}, {n:,} people: {self.model_.result.message}")
        self._report()  # type: ignore[attr-defined]
        return self
