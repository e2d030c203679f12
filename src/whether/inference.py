"""Standard errors and the coefficient table.

The covariance of the estimates is the inverse of the observed information, or the sandwich around the outer product of
the scores, which stays valid when the model is only an approximation. For restricted SARPU the observed information is
justified by Diop, Diop and Dupuy (2011): the maximum is consistent and asymptotically normal once a continuous feature
enters one of the two parts only. Functions of arrays; the estimators call them.
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.stats import norm

from whether.arrays import Array

# Smallest eigenvalue of the information, scaled to a unit diagonal, below which two directions cannot be told apart.
SINGULAR = 1e-9


@dataclass(frozen=True)
class Covariance:
    """Covariance of the estimates, or why there is none."""

    matrix: Array | None
    flat: Array | None = None  # where the information is singular: the direction along which the likelihood is flat


def invert_information(
    information: Array, meat: Array | None = None, known: Sequence[int] = (), least: float = 0.0
) -> Covariance:
    """Covariance from the information at the optimum, or the sandwich around ``meat``, the outer product of the scores.

    Parameters that are known, and so were not estimated, have zeros. A direction with ``least`` information or less
    counts as flat.
    """
    free = np.setdiff1d(np.arange(information.shape[0]), np.asarray(known, dtype=int))
    part = information[np.ix_(free, free)]
    diagonal = np.diag(part)
    if np.any(diagonal <= 0):
        return Covariance(None, np.eye(information.shape[0])[free[np.argmin(diagonal)]])
    scale = 1 / np.sqrt(diagonal)
    values, vectors = eigh(part * np.outer(scale, scale))
    lowest, directions = eigh(part, subset_by_index=[0, 0]) if least else (np.inf, vectors)
    if values[0] < SINGULAR or lowest <= least:
        flat = np.zeros(information.shape[0])
        flat[free] = directions[:, 0]
        return Covariance(None, flat)
    inverse = (vectors / values) @ vectors.T * np.outer(scale, scale)
    if meat is not None:
        inverse = inverse @ meat[np.ix_(free, free)] @ inverse
    matrix = np.zeros_like(information)
    matrix[np.ix_(free, free)] = inverse
    return Covariance(matrix)


@dataclass(frozen=True)
class Coefficient:
    """One row of the table; ``ratio`` is the exponential of the estimate, NaN where that means nothing."""

    part: str
    term: str
    estimate: float
    standard_error: float
    z: float
    p_value: float
    lower: float
    upper: float
    ratio_kind: str
    ratio: float
    ratio_lower: float
    ratio_upper: float


@dataclass(frozen=True)
class Term:
    """What a coefficient is called, and what its exponential means ("" for nothing)."""

    part: str
    name: str
    ratio_kind: str = ""


def tabulate(terms: Sequence[Term], estimates: Array, variances: Array, level: float) -> tuple[Coefficient, ...]:
    """Coefficients with standard errors, z, p and intervals; NaN variances give NaN."""
    errors = np.sqrt(variances)
    width = norm.ppf(0.5 + level / 2)
    rows = []
    for term, estimate, error in zip(terms, estimates, errors, strict=True):
        z = estimate / error if error > 0 else np.nan
        lower, upper = estimate - width * error, estimate + width * error
        with np.errstate(over="ignore"):
            ratios = np.exp([estimate, lower, upper]) if term.ratio_kind else np.full(3, np.nan)
        rows.append(
            Coefficient(
                term.part, term.name, float(estimate), float(error), float(z), float(2 * norm.sf(abs(z))),
                float(lower), float(upper), term.ratio_kind, *(float(ratio) for ratio in ratios),
            )
        )  # fmt: skip
    return tuple(rows)


@dataclass(frozen=True)
class Summary:
    """A fitted model as a table that a biostatistician recognises."""

    title: str
    facts: dict[str, Any]  # log-likelihood, number of people and events, whether it converged, and so on
    coefficients: tuple[Coefficient, ...]
    level: float  # of confidence of the intervals
    notes: tuple[str, ...] = ()  # what the figures are conditional on

    _HEADER = ("part", "term", "coef", "std err", "z", "p", "lower", "upper", "ratio", "lower", "upper")

    def rows(self) -> list[tuple[str, ...]]:
        """Cells of the table as text, one tuple per coefficient."""
        return [
            (
                row.part, row.term, _number(row.estimate), _number(row.standard_error), _number(row.z, 2),
                _p_value(row.p_value), _number(row.lower), _number(row.upper),
                f"{_number(row.ratio)} {row.ratio_kind}" if row.ratio_kind else "",
                _number(row.ratio_lower) if row.ratio_kind else "", _number(row.ratio_upper) if row.ratio_kind else "",
            )
            for row in self.coefficients
        ]  # fmt: skip

    def to_frame(self) -> Any:
        """Return the coefficients as a pandas DataFrame with unrounded numbers."""
        import pandas

        return pandas.DataFrame([vars(row) for row in self.coefficients])

    def __str__(self) -> str:
        table = [self._HEADER, *self.rows()]
        widths = [max(len(cells[i]) for cells in table) for i in range(len(self._HEADER))]
        lines = [
            "  ".join(
                cell.ljust(width) if i < 2 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
            )
            for cells in table
        ]
        rule = "-" * len(lines[0])
        facts = [f"{name}: {value}" for name, value in self.facts.items()]
        interval = f"Intervals: {100 * self.level:g} %."
        notes = [line for note in self.notes for line in textwrap.wrap(note, 110)]
        return "\n".join([self.title, *_wrap(facts), rule, lines[0], rule, *lines[1:], rule, interval, *notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape

        head = "".join(f"<th>{escape(cell)}</th>" for cell in self._HEADER)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows())
        facts = " · ".join(escape(f"{name}: {value}") for name, value in self.facts.items())
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return f"<p><b>{escape(self.title)}</b></p><p>{facts}</p><table><tr>{head}</tr>{body}</table>{notes}"


def _number(value: float, digits: int = 4) -> str:
    if np.isnan(value):
        return "n/a"
    return f"{value:.{digits}f}" if abs(value) < 10_000 else f"{value:.3g}"


def _p_value(value: float) -> str:
    if np.isnan(value):
        return "n/a"
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _wrap(items: list[str], width: int = 110) -> list[str]:
    lines, current = [], ""
    for item in items:
        joined = f"{current}   {item}" if current else item
        if len(joined) > width and current:
            lines.append(current)
            joined = item
        current = joined
    return [*lines, current]
