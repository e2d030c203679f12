"""Laws that hold for every learner, and where one does not, why.

- **Weights as repetition** hold for networks and forests at most on average, and are not tested: networks are trained
  on batches of rows and judged on folds of rows, and a forest draws rows; a row of weight 2 is in one of them or not,
  two rows may be in two. That weight zero is a row left out holds everywhere. Of EM itself the law holds, and is tested
  with logistic regression in ``test_em_learner.py``.
- **The order of columns** holds for EM as far as it does for its classifier. Networks start from random weights, each
  of which belongs to a column, so another order is another draw.
- **The order of rows** does not hold for forests, which draw rows by their position.
- **The unit of a feature** holds for networks, which standardise, and for trees; a ridge penalty on features as they
  are, as in ``LogisticRegression``, has a unit of its own.
"""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import whether as wh
from whether.learners import EMLearner, NeuralLearner

pytestmark = pytest.mark.filterwarnings(
    "ignore::whether.FollowUpWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)

NETWORK = NeuralLearner(hidden=(8,), max_epochs=4, n_networks=2)
LEARNERS = {
    "network": NETWORK,
    "em-logistic": EMLearner(LogisticRegression(), max_iter=4),
    "em-tree": EMLearner(DecisionTreeClassifier(min_samples_leaf=20, random_state=0), max_iter=3),
    "em-forest": EMLearner(RandomForestClassifier(n_estimators=10, min_samples_leaf=5, random_state=0), max_iter=3),
}
METHODS = ("ENPU", "SARPU-R", "FUMC-F", "AFTMC-F", "DTMC")
TIMED = ("FUMC-F", "AFTMC-F", "DTMC")
SETTINGS = {"FUMC-F": {"shrinkage": 100.0}, "AFTMC-F": {"shrinkage": 100.0}, "DTMC": {"shrinkage": 1.0, "n_bins": 4}}


@pytest.fixture(scope="module")
def people():
    return wh.simulate("partially-dependent", n=400, seed=0)


@pytest.fixture(scope="module", params=LEARNERS)
def learner(request):
    if request.param == "network":
        pytest.importorskip("torch")
    return request.param


def fit(method, learner, people, rows=slice(None), unit=1.0, features=None, weight=None):
    """Fit and return the risks and the propensities of everybody."""
    X = people.X if features is None else features
    named = [2, 3] if wh.METHODS[method].feature_parameter else None
    model = wh.METHODS[method].build(named, learner=LEARNERS[learner], random_state=0, **SETTINGS.get(method, {}))
    times = {"time": unit * people.time[rows], "follow_up": unit * people.follow_up[rows]}
    model.fit(X[rows], people.y[rows], sample_weight=weight, **times)
    return np.column_stack([model.predict_proba(X)[:, 1], model.predict_propensity(X)])


@pytest.mark.parametrize("method", TIMED)
def test_the_unit_of_time_does_not_matter(method, learner, people):
    years, days = (fit(method, learner, people, unit=unit) for unit in (1.0, 365.25))
    np.testing.assert_allclose(years, days, atol=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_rows_does_not_matter(method, learner, people):
    if learner == "em-forest":
        pytest.skip("a forest draws rows by their position")
    order = np.random.default_rng(0).permutation(people.y.size)
    straight, shuffled = (fit(method, learner, people, rows) for rows in (slice(None), order))
    np.testing.assert_allclose(straight, shuffled, atol=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_a_weight_of_zero_is_the_row_left_out(method, learner, people):
    kept = np.arange(people.y.size) % 5 > 0
    weighted = fit(method, learner, people, weight=kept.astype(float))
    without = fit(method, learner, people, np.flatnonzero(kept), weight=np.ones(int(kept.sum())))
    np.testing.assert_allclose(weighted, without, atol=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_the_unit_and_the_origin_of_a_feature_do_not_matter(method, learner, people):
    if learner == "em-logistic":
        pytest.skip("its ridge penalty is on the features as they are")
    moved = people.X * [10.0, 0.01, 1.0, 5.0] + [5.0, -3.0, 0.0, 1.0]
    before, after = (fit(method, learner, people, features=features) for features in (people.X, moved))
    np.testing.assert_allclose(before, after, atol=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_answer(method, learner, people):
    first, second = (fit(method, learner, people) for _ in range(2))
    assert np.array_equal(first, second)
