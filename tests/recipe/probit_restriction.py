"""The propensity is a probit function of some of the features: one file, and one row in the catalogue."""

from whether.cohort import Cohort
from whether.distributions import DISTRIBUTIONS
from whether.estimators import LabelOnlyClassifier
from whether.learners import Task
from whether.methods import Look, Method
from whether.propensity import Propensity, Terms

NORMAL = DISTRIBUTIONS["lognormal"]


class ProbitPropensity(Propensity):
    """The propensity is the normal distribution function of one predictor."""

    predictors = ("probit",)  # the rows of v
    sloped = (True,)  # which of them follow the features; the others are one number for everybody
    ratio_kind = ""  # the exponential of a probit slope means nothing

    def log_seen(self, v, observed):
        """Log probability that a positive was seen, with first and second derivatives in v."""
        jet = NORMAL.log_cdf(v[0])
        return Terms(jet.value, jet.first[None], jet.second[None, None])

    def log_missed(self, v, observed):
        """Log probability that a positive was not seen."""
        jet = NORMAL.log_survival(v[0])
        return Terms(jet.value, jet.first[None], jet.second[None, None])


class ProbitPUClassifier(LabelOnlyClassifier):
    """Positives are seen with a probability that is a probit function of the named features."""

    def __init__(
        self, propensity_features=None, *, learner="linear", ridge="auto", covariance="observed", random_state=None
    ):
        self.propensity_features, self.learner, self.ridge = propensity_features, learner, ridge
        self.covariance, self.random_state = covariance, random_state

    def _task(self, cohort: Cohort) -> Task:
        return Task(cohort, [ProbitPropensity()], self._columns("propensity_features"), rng=self._rng())


# The row of the catalogue, which stands in `methods.py`.
PROBIT_R = Method(
    "PROBIT-R", ProbitPUClassifier, "probit in named features", (), "3", in_paper=False,
    feature_parameter="propensity_features", words="positive-unlabeled learning with a probit chance to be seen",
    look=Look("named features, probit (PROBIT-R)", "#009E73", "X", "--"),
)  # fmt: skip
