"""Which methods can be fitted to a cohort: they have what they need, and can read what is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from whether.arrays import Array, Flags
from whether.cohort import Cohort
from whether.methods import METHODS, Method
from whether.validate import ArgumentError


def applicable_answers(cohort: Cohort, *, has_named: bool) -> list[Method]:
    """Methods that are answers and have the data that they need, be it that they cannot read all that is known."""
    known = {name for name in ("time", "follow_up") if getattr(cohort, name) is not None}
    return [
        method
        for method in METHODS.values()
        if method.is_answer and set(method.needs) <= known and (has_named or not method.feature_parameter)
    ]


def find_unread(methods: Iterable[Method], cohort: Cohort) -> dict[str, tuple[str, ...]]:
    """Return what is known of people that some of the methods cannot read, with the names of those methods."""
    found: dict[str, tuple[str, ...]] = {}
    for method in methods:
        for what in method.unread(cohort):
            found[what] = (*found.get(what, ()), method.name)
    return found


def choose_methods(methods: Sequence[str] | None, has_named: bool, cohort: Cohort) -> tuple[Method, ...]:
    """Methods by their names; all that apply where none are named."""
    if methods is None:
        readable = (method for method in METHODS.values() if not method.unread(cohort))
        return tuple(method for method in readable if has_named or not method.feature_parameter)
    for name in methods:
        if name not in METHODS:
            raise ArgumentError(f"methods has {name!r}, which is none of {', '.join(METHODS)}.")
        if METHODS[name].feature_parameter and not has_named:
            raise ArgumentError(f"{name} needs propensity_features, the features that drive labeling.")
        for what in METHODS[name].unread(cohort):
            raise ArgumentError(f"{name} cannot read {what}, which is known of these people: leave it out of methods.")
    return tuple(METHODS[name] for name in methods)


def keep_varying(features: Array, named: list[int] | None, parts: Iterable[Flags]) -> tuple[Array, list[int] | None]:
    """Leave out features that are constant among some of the people: a rare level that none of them has, say.

    The named ones are at other positions then; those that are left out are named no more.
    """
    varies = np.all([np.ptp(features[part], axis=0) > 0 for part in parts], axis=0)
    if varies.all() or not varies.any():
        return features, named
    place = np.cumsum(varies) - 1
    return features[:, varies], None if named is None else [int(place[k]) for k in named if varies[k]]
