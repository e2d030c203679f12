"""What cross-validation said of the penalties on departures from the shared index."""

from dataclasses import dataclass

from whether.arrays import Array


@dataclass(frozen=True)
class ShrinkagePath:
    """Cross-validated likelihood along a path of penalties.

    Attributes
    ----------
    penalties : ndarray
        From the tightest to the loosest.
    log_likelihood : ndarray
        Held-out log-likelihood per person at each penalty; NaN where the likelihood on all rows rules it out, and, with
        hundreds of parameters, beyond a penalty that is clearly too loose.
    standard_error : ndarray
        Standard error of the difference from the best penalty.
    kappa : ndarray
        How strongly the index drives the time part, at each penalty.
    chosen : float
        The largest penalty within half a standard error of the best.
    best : float
        The penalty with the highest held-out likelihood.
    """

    penalties: Array
    log_likelihood: Array
    standard_error: Array
    kappa: Array
    chosen: float
    best: float
