"""The one likelihood that every method maximises, in predictor space.

Each person has an outcome predictor ``eta``, from which a family says whether the event ever happens, and propensity
predictors ``v``, from which a propensity computes ``log_seen`` (how likely this label was, for a positive) and
``log_missed`` (how likely no label was). In the mixture, with p = expit(eta) = Pr(positive),

    labeled:    p * seen                      (a positive who was seen)
    unlabeled:  (1 - p) + p * missed          (a negative, or a positive who was missed)
    negative:   (1 - p)                       (unlabeled, and known never to have the event: no positive is missed)

These are the paper's equations 2, 3 and 4; methods differ only in the propensity. The promotion-time model has other
terms of the same parts. Value, gradient and curvature per person are all that any learner needs; some need no more than
the slopes. Here, and nowhere else, labeled and unlabeled people are told apart: they are worked through in blocks,
labeled people first.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import expit

from whether.arrays import Array, Flags, Rows
from whether.distributions import softplus_expit
from whether.family import MIXTURE, PROMOTION_TIME, Family
from whether.propensity.base import Propensity, Terms, merge_terms, terms_along
from whether.propensity.observed import Observed
from whether.unlabeled import two_sided_terms, unlabeled_slopes, unlabeled_terms


class Surrogate(NamedTuple):
    """Value of each person with its gradient, and a curvature in each predictor that the exact one does not exceed."""

    value: Array  # of shape (n,)
    gradient: Array  # of shape (P, n), the outcome's predictor first
    curvature: Array  # of shape (P, n): minus the second derivative of what stands in for the value


class Criterion(ABC):
    """What a learner maximises: a sum over people of a function of their predictors."""

    propensity: Propensity  # the restriction under which they are read
    family: ClassVar[Family] = MIXTURE
    # Whether of labeled people the value is a sum of a function of eta and one of v, so that no curvature is between.
    splits_labeled: ClassVar[bool] = True

    @abstractmethod
    def terms(self, eta: Array | None, v: Array, observed: Observed, *, labeled: bool) -> Terms:
        """Value of people who are all labeled, or all unlabeled, with derivatives in (eta, v).

        ``eta=None`` is the model in which everybody is positive (p = 1): the outcome is then no predictor at all.
        """

    @abstractmethod
    def slopes(self, eta: Array | None, v: Array, observed: Observed, *, labeled: bool) -> tuple[Array, Array]:
        """Value and gradient alone."""

    def surrogate(self, eta: Array | None, v: Array, observed: Observed, *, labeled: bool) -> Surrogate:
        """Value, gradient and safe curvature, of which no learner that goes row by row needs more."""
        terms = self.terms(eta, v, observed, labeled=labeled)
        return Surrogate(terms.value, terms.gradient, self.safe_curvature(eta, terms, labeled=labeled))

    def pull(self, eta: Array | None, v: Array, observed: Observed, *, labeled: bool) -> tuple[Array, Array]:
        """Gradient and safe curvature alone."""
        return self.surrogate(eta, v, observed, labeled=labeled)[1:]

    def safe_curvature(self, eta: Array | None, terms: Terms, *, labeled: bool) -> Array:
        """Minus the second derivative of the EM surrogate in each predictor: the exact one does not exceed it."""
        curvature: Array = -np.einsum("iin->in", terms.curvature)
        if eta is not None:
            p = softplus_expit(eta)[1]
            curvature[0] = p * (1 - p)
            if not labeled and curvature.shape[0] > 1:
                # exact second derivative in v = q b'' + q (1 - q) b' b'; the surrogate leaves the last term out
                q, own = np.clip(terms.gradient[0] + p, 1e-12, 1.0), 1 + self.propensity.n_of_positives
                curvature[1:own] += (1 - q) / q * terms.gradient[1:own] ** 2
                # of negatives it is the other way round
                curvature[own:] += q / np.maximum(1 - q, 1e-12) * terms.gradient[own:] ** 2
        return curvature


class Likelihood(Criterion):
    """Log-likelihood of the mixture under a propensity."""

    def __init__(self, propensity: Propensity) -> None:
        self.propensity = propensity

    def terms(self, eta: Array | None, v: Array, observed: Observed, *, labeled: bool) -> Terms:
        """Log-likelihood of each person with first and second derivatives."""
        terms = (self._labeled_terms if labeled else self._unlabeled_terms)(eta, v, observed)
        if observed.entry is None or not self.propensity.has_clock:
            return terms
        late, there = self._terms_of_entry(eta, v, observed.entry)
        _subtract(terms, there, late)
        return terms

    def surrogate(self, eta: Array | None, v: Array, observed: Observed, *, labeled: bool) -> Surrogate:
        """Value, gradient and safe curvature."""
        if observed.entry is None or not self.propensity.has_clock:
            return self._plain_surrogate(eta, v, observed, labeled=labeled)
        value, gradient, curvature = self._plain_surrogate(eta, v, replace(observed, entry=None), labeled=labeled)
        late, there = self._terms_of_entry(eta, v, observed.entry)
        added = np.einsum("iin->in", there.curvature)
        # In the outcome's predictor the sum is the variance of the class at entry. In the others EM has no surrogate
        # for what is subtracted: only what steepens is counted.
        first = int(eta is not None)
        curvature[:first, late] += added[:first]
        curvature[first:, late] += np.maximum(added[first:], 0.0)
        _subtract((value, gradient), there[:2], late)
        return Surrogate(value, gradient, curvature)

    def _plain_surrogate(self, eta: Array | None, v: Array, observed: Observed, *, labeled: bool) -> Surrogate:
        """Of people who were there from time zero; without the second derivatives that nobody looks at."""
        if eta is None or self.propensity.has_negatives:
            return super().surrogate(eta, v, observed, labeled=labeled)
        value, slopes, bends = self.propensity.diagonal(v, observed, labeled=labeled)
        softplus, p = softplus_expit(eta)
        value, q = (eta + value, 1.0) if labeled else softplus_expit(eta + value)
        return Surrogate(value - softplus, *_weigh(p, q, slopes, bends))

    def pull(self, eta: Array | None, v: Array, observed: Observed, *, labeled: bool) -> tuple[Array, Array]:
        """Gradient and safe curvature alone, without the logarithms that only the value needs."""
        is_plain = observed.entry is None or not self.propensity.has_clock
        if eta is None or self.propensity.has_negatives or self.family is not MIXTURE or not is_plain:
            return super().pull(eta, v, observed, labeled=labeled)
        value, slopes, bends = self.propensity.diagonal(v, observed, labeled=labeled)
        return _weigh(expit(eta), 1.0 if labeled else expit(eta + value), slopes, bends)

    def slopes(self, eta: Array | None, v: Array, observed: Observed, *, labeled: bool) -> tuple[Array, Array]:
        """Log-likelihood of each person and its gradient alone."""
        slopes = (self._labeled_slopes if labeled else self._unlabeled_slopes)(eta, v, observed)
        if observed.entry is not None and self.propensity.has_clock:
            late, place = _at_entry(eta, v, observed.entry)
            _subtract(slopes, self._unlabeled_slopes(*place), late)
        return slopes

    def _terms_of_entry(self, eta: Array | None, v: Array, entry: Array) -> tuple[Rows, Terms]:
        """Who entered late, and the log probability that they were there to enter, without the event so far.

        Nobody is in the table whose event came before, so that everything is given this, and it is subtracted.
        """
        late, place = _at_entry(eta, v, entry)
        return late, self._unlabeled_terms(*place)

    def _unlabeled_terms(self, eta: Array | None, v: Array, observed: Observed) -> Terms:
        """Log(1 - p + p missed), and of what became of a negative where that is said."""
        log_missed, other = self.propensity.unlabeled_terms(v, observed)
        if other is not None:
            assert eta is not None, "negatives are modelled, so there are some"
            return two_sided_terms(self.family, eta, log_missed, other)
        return log_missed if eta is None else unlabeled_terms(self.family, eta, log_missed)

    def _unlabeled_slopes(self, eta: Array | None, v: Array, observed: Observed) -> tuple[Array, Array]:
        if self.propensity.has_negatives:
            log_missed, other = self.propensity.unlabeled_terms(v, observed)
            assert eta is not None, "negatives are modelled, so there are some"
            assert other is not None, "and something is said of them"
            return two_sided_terms(self.family, eta, log_missed, other, with_curvature=False)[:2]
        missed = self.propensity.slopes(v, observed, labeled=False)
        return missed if eta is None else unlabeled_slopes(self.family, eta, *missed)

    def _labeled_terms(self, eta: Array | None, v: Array, observed: Observed) -> Terms:
        """Log p + log seen."""
        log_seen = self.propensity.seen_terms(v, observed)
        if eta is None:
            return log_seen
        log_ever, size = self.family.log_ever(eta), 1 + v.shape[0]
        curvature = np.zeros((size, size, eta.size))
        curvature[0, 0], curvature[1:, 1:] = log_ever.second, log_seen.curvature
        gradient = np.concatenate([log_ever.first[None], log_seen.gradient])
        return Terms(log_ever.value + log_seen.value, gradient, curvature)

    def _labeled_slopes(self, eta: Array | None, v: Array, observed: Observed) -> tuple[Array, Array]:
        seen = self.propensity.slopes(v, observed, labeled=True)
        if eta is None:
            return seen
        log_ever, (log_seen, gradient) = self.family.log_ever(eta), seen
        return log_ever.value + log_seen, np.concatenate([log_ever.first[None], gradient])


class PromotionLikelihood(Likelihood):
    """Log-likelihood of the promotion-time model, with theta = e^eta hidden causes on average.

    Nobody is known to be positive by a latent class, but causes can be counted: of somebody without the event up to t
    there are theta S(t) left on average, which takes the place of the posterior q in the derivatives. The propensity is
    the distribution of the time of one cause.
    """

    family: ClassVar[Family] = PROMOTION_TIME
    splits_labeled: ClassVar[bool] = False

    def _labeled_terms(self, eta: Array | None, v: Array, observed: Observed) -> Terms:
        """An event at its time, theta f(t) exp(-theta F(t)), or between two, exp(-theta F(l)) - exp(-theta F(t))."""
        if eta is None:
            return self.propensity.seen_terms(v, observed)
        if observed.lower is None:
            return (self._timed_terms if self.propensity.needs_time else self._early_terms)(eta, v, observed.end)
        whole = np.isnan(np.atleast_2d(observed.lower)[0])
        of_whole = self._labeled_terms(eta[whole], v[:, whole], Observed(observed.end[..., whole]))
        return merge_terms(whole, of_whole, self._between_terms(eta[~whole], v[:, ~whole], observed.take(~whole)))

    def _timed_terms(self, eta: Array, v: Array, end: Array) -> Terms:
        """An event at its time."""
        log_seen = self.propensity.log_seen(v, end)
        terms = unlabeled_terms(self.family, eta, self.propensity.log_missed(v, end))
        terms.gradient[0] += 1.0
        terms.gradient[1:] += log_seen.gradient
        terms.curvature[1:, 1:] += log_seen.curvature
        return terms._replace(value=terms.value + eta + log_seen.value)

    def _early_terms(self, eta: Array, v: Array, end: Array) -> Terms:
        """An event at any time up to the end, 1 - exp(-theta F)."""
        log_seen = self.propensity.log_seen(v, end)
        return terms_along(self.family.log_ever(eta + log_seen.value), log_seen)

    def _between_terms(self, eta: Array, v: Array, observed: Observed) -> Terms:
        """No event up to a time, and one between that and another."""
        log_seen = self.propensity.seen_terms(v, observed)
        terms = terms_along(self.family.log_ever(eta + log_seen.value), log_seen)
        lower = np.asarray(observed.lower)
        late = ~np.isneginf(np.atleast_2d(lower)[0])
        before = self._unlabeled_terms(eta[late], v[:, late], Observed(lower[..., late]))
        for whole, part in zip(terms, before, strict=True):
            whole[..., late] += part
        return terms

    def _labeled_slopes(self, eta: Array | None, v: Array, observed: Observed) -> tuple[Array, Array]:
        return self._labeled_terms(eta, v, observed)[:2]

    def _plain_surrogate(self, eta: Array | None, v: Array, observed: Observed, *, labeled: bool) -> Surrogate:
        return Criterion.surrogate(self, eta, v, observed, labeled=labeled)

    def safe_curvature(self, eta: Array | None, terms: Terms, *, labeled: bool) -> Array:
        """Minus second derivatives that hold for steps of eta up to log 2; in v, of EM with causes imputed."""
        curvature: Array = -np.einsum("iin->in", terms.curvature)
        if eta is not None:
            # It grows with theta itself, so no bound holds for all steps. The surrogate of EM has theta in place of
            # theta F: with follow-up that shows few of the causes, trees then took twice as many rounds and fell short.
            curvature[0] *= 2
            if not labeled or self.propensity.needs_time:
                # exact second derivative in v = left (b'' + b' b'), with left b' between eta and v
                left = np.clip(terms.gradient[0] - labeled - self.family.log_never(eta).value, 1e-12, None)
                curvature[1:] += terms.curvature[0, 1:] ** 2 / left
        return curvature


LIKELIHOODS: dict[Family, type[Likelihood]] = {kind.family: kind for kind in (Likelihood, PromotionLikelihood)}


def _weigh(p: Array, q: Array | float, slopes: Array, bends: Array) -> tuple[Array, Array]:
    """Gradient and safe curvature, by the probabilities of being positive before and after what was seen of people."""
    gradient, curvature = np.empty((1 + slopes.shape[0], p.size)), np.empty((1 + slopes.shape[0], p.size))
    np.subtract(q, p, out=gradient[0])
    np.multiply(q, slopes, out=gradient[1:])
    np.multiply(p, 1 - p, out=curvature[0])
    np.multiply(-q, bends, out=curvature[1:])
    return gradient, curvature


def _at_entry(eta: Array | None, v: Array, entry: Array) -> tuple[Rows, tuple[Array | None, Array, Observed]]:
    """Who entered late, and their predictors at that place."""
    late = np.flatnonzero(~np.isnan(np.atleast_2d(entry)[0]))
    at = Observed(entry.take(late, axis=-1))
    return late, (None if eta is None else eta.take(late), v.take(late, axis=1), at)


def _subtract(wholes: Sequence[Array], parts: Sequence[Array], rows: Rows) -> None:
    """Take parts from some people, in place, one row after the other: that is three times as fast as all at once."""
    for whole, part in zip(wholes, parts, strict=True):
        if rows.size == whole.shape[-1]:
            whole -= part
            continue
        for place in np.ndindex(whole.shape[:-1]):
            whole[place][rows] -= part[place]


def labeled_first(labeled: Flags, never: Flags | None = None) -> tuple[Rows, int]:
    """Order of rows in which labeled people come first, otherwise as they were, and how many are labeled.

    After them may come those who are known never to have the event: blocks of people who are alike take less work.
    """
    kind = ~labeled if never is None else np.where(labeled, 0, np.where(never, 1, 2))
    return np.argsort(kind, kind="stable"), int(np.count_nonzero(labeled))


def blocks_by_label(n_labeled: int, n: int, size: int | None = None) -> Iterator[tuple[slice, bool]]:
    """Blocks of at most ``size`` of n people, labeled ones first, and whether those of the block are labeled."""
    for first, last, labeled in ((0, n_labeled, True), (n_labeled, n, False)):
        for start in range(first, last, size or max(n, 1)):
            yield slice(start, last if size is None else min(start + size, last)), labeled


def label_log_likelihood(labeled: Flags, log_odds: Array | None, log_seen: Array, log_missed: Array) -> Array:
    """Log-likelihood of each person's label, wherever log odds of being positive and propensities come from."""
    if log_odds is None:
        return np.where(labeled, log_seen, log_missed)
    missed = softplus_expit(log_odds + log_missed)[0] - softplus_expit(log_odds)[0]
    return np.where(labeled, log_seen - softplus_expit(-log_odds)[0], missed)
