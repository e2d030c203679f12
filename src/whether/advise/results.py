"""What a piece of evidence is: a test with its null hypothesis, and a section that can be read and stored."""

from __future__ import annotations

import dataclasses
import math
import textwrap
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import chi2


@dataclass(frozen=True)
class HypothesisTest:
    """A test that was run, or the reason why not.

    Attributes
    ----------
    null : str
        What holds unless the test rejects it.
    statistic : float
        Approximately chi-squared under the null.
    degrees : int
        Degrees of freedom.
    p_value : float
        NaN where the test was not run.
    note : str
        Why it was not run, or on what.
    """

    null: str
    statistic: float = math.nan
    degrees: int = 0
    p_value: float = math.nan
    note: str = ""

    @classmethod
    def of(cls, null: str, statistic: float, degrees: int, note: str = "") -> HypothesisTest:
        """Test from a statistic that is chi-squared under the null."""
        value = max(float(statistic), 0.0)
        return cls(null, value, degrees, float(chi2.sf(value, degrees)), note)

    @property
    def was_run(self) -> bool:
        """Whether there is a p-value."""
        return math.isfinite(self.p_value)

    def rejects(self, level: float = 0.05) -> bool:
        """Whether the null is rejected; a test that was not run rejects nothing."""
        return self.was_run and self.p_value < level

    def __str__(self) -> str:
        """Say what follows for the null, as it goes after "That ... "."""
        if not self.was_run:
            return f"could not be tested ({self.note})"
        outcome = "is rejected" if self.rejects() else "is not rejected"
        degrees = f"chi2({self.degrees}) = {self.statistic:.1f}, " if self.degrees else ""
        return f"{outcome} ({degrees}{p_text(self.p_value)}{', ' if self.note else ''}{self.note})"


def p_text(p_value: float) -> str:
    """Return a p-value as it is printed."""
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def wrap(sentence: str, width: int, indent: str = "") -> list[str]:
    """Break a sentence into lines, but not before a per cent sign nor at a hyphen; later lines are indented further."""
    joined = sentence.replace(" %", "\N{NO-BREAK SPACE}%")
    hanging = indent + "  " if indent else ""
    lines = textwrap.wrap(joined, width, initial_indent=indent, subsequent_indent=hanging, break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}%", " %") for line in lines]


class Section(ABC):
    """One topic of the evidence: sentences to read and a dictionary to store."""

    @abstractmethod
    def sentences(self) -> list[str]:
        """Return what was found, in sentences with numbers."""

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects."""
        plain = to_plain(self)
        assert isinstance(plain, dict)
        return plain

    def __str__(self) -> str:
        return "\n".join(self.sentences())


def to_plain(value: Any) -> Any:
    """Turn dataclasses and arrays into what JSON can have: NaN and infinity become None."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        shown = [field for field in dataclasses.fields(value) if field.repr]
        return {field.name: to_plain(getattr(value, field.name)) for field in shown}
    if isinstance(value, dict):
        return {str(key): to_plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return to_plain(value.tolist())
    if isinstance(value, np.generic):
        return to_plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value
