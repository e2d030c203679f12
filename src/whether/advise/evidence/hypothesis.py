"""A test that was run, or the reason why not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from scipy.stats import chi2

from whether.facts import RestsOn

# Why a test was not run that needs exact times, or people from time zero on.
NOT_EXACT = "event times are known within intervals only"
LATE_ENTRY = "people came under observation late, for which this test cannot allow"
DEATHS = "some people died first, for which this test cannot allow"


@dataclass(frozen=True)
class HypothesisTest:
    """A test that was run, or the reason why not."""

    null: str  #: What holds unless the test rejects it.
    statistic: Annotated[float, RestsOn(("events",))] = math.nan  #: Approximately chi-squared under the null.
    degrees: int = 0
    p_value: float = math.nan  #: NaN where the test was not run.
    note: str = ""  #: Why it was not run, or on what; without numbers, which stand elsewhere.

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
