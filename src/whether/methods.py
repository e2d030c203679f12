"""The catalogue: every method under its published name, with its restriction, its data and its equation.

Programs, studies, documentation and the test matrix read it, so a method is named once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from whether.estimators import (
    AFTClassifier,
    CensoredClassifier,
    DiscreteTimeCureClassifier,
    ElkanNotoClassifier,
    FollowUpCureClassifier,
    LabelClassifier,
    MixtureCureClassifier,
    SARPUClassifier,
    UnbiasedPUClassifier,
)


@dataclass(frozen=True)
class Method:
    """One method.

    Attributes
    ----------
    name : str
        Short name, the paper's where it has one. ``-F`` puts all features into the propensity, ``-R`` only those that
        are named.
    estimator : type
        The classifier.
    restriction : str
        What it assumes of the labeling propensity.
    needs : tuple of str
        What ``fit`` needs besides X and y.
    equation : str
        Number of the paper's equation that it maximises or minimises.
    in_paper : bool
    feature_parameter : str
        Name of the parameter that takes the named features of an ``-R`` method; empty for the others.
    settings : dict
        Parameters that make the method.
    """

    name: str
    estimator: type[CensoredClassifier]
    restriction: str
    needs: tuple[str, ...]
    equation: str
    in_paper: bool = True
    feature_parameter: str = ""
    settings: dict[str, Any] = field(default_factory=dict)

    def build(self, features: Sequence[str | int] | None = None, **parameters: Any) -> CensoredClassifier:
        """Return an unfitted classifier.

        Parameters
        ----------
        features : sequence of str or int, optional
            The features that drive labeling, for ``-R`` methods.
        **parameters
            Further parameters of the classifier.
        """
        settings = {**self.settings, **parameters}
        if self.feature_parameter:
            if features is None:
                raise ValueError(f"{self.name} needs the names of the features that drive labeling.")
            settings[self.feature_parameter] = list(features)
        return self.estimator(**settings)


_CATALOGUE = (
    Method("LR", LabelClassifier, "none: every positive is seen", (), "2 with c = 1"),
    Method("ENPU", ElkanNotoClassifier, "constant", (), "2"),
    Method("uPU", UnbiasedPUClassifier, "constant", (), "7"),
    Method("nnPU", UnbiasedPUClassifier, "constant", (), "7, clipped", in_paper=False, settings={"nonnegative": True}),
    Method("SARPU-F", SARPUClassifier, "logistic in all features", (), "3"),
    Method("SARPU-R", SARPUClassifier, "logistic in named features", (), "3", feature_parameter="propensity_features"),
    Method(
        "FUMC-F", FollowUpCureClassifier, "event within own follow-up", ("follow_up",), "3 with e = Pr(T <= follow_up)",
        in_paper=False,
    ),
    Method(
        "FUMC-R", FollowUpCureClassifier, "event within own follow-up, times depend on named features", ("follow_up",),
        "3 with e = Pr(T <= follow_up)", in_paper=False, feature_parameter="time_features",
    ),
    Method("AFTMC-F", MixtureCureClassifier, "event times", ("time",), "4"),
    Method(
        "AFTMC-R", MixtureCureClassifier, "event times that depend on named features", ("time",), "4",
        feature_parameter="time_features",
    ),
    Method("DTMC", DiscreteTimeCureClassifier, "event times in bins", ("time",), "4, discrete"),
    Method("AFT", AFTClassifier, "event times, everybody positive", ("time",), "4 with p = 1"),
)  # fmt: skip

METHODS: dict[str, Method] = {method.name: method for method in _CATALOGUE}
