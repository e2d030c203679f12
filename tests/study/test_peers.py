"""Models of other packages behind one face, where the packages are installed."""

import numpy as np
import pytest

from whether.methods import METHODS
from whether.simulation import simulate
from whether.study.errors import StudyError
from whether.study.lineup import FIELD_ENTRIES, Entry
from whether.study.peers import PEERS
from whether.study.peers.adapter import SurvivalPeer


@pytest.fixture(scope="module")
def cohort():
    return simulate("partially-dependent", n=250, seed=3)


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.filterwarnings("ignore")  # theirs
def test_a_peer_gives_probabilities_and_the_same_ones_again(name, cohort):
    peer = PEERS[name]
    if not peer.installed:
        pytest.skip(f"{peer.package} is not installed")
    answers = []
    for _ in range(2):
        model = peer.build(None, learner=peer.package, random_state=5)
        model.fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
        risk = model.predict_proba(cohort.X)
        labeled = model.predict_label_proba(cohort.X, cohort.follow_up)
        np.testing.assert_allclose(risk.sum(axis=1), 1.0)
        assert risk.shape == (250, 2)
        assert np.all((risk >= 0) & (risk <= 1))
        assert np.all((labeled >= 0) & (labeled <= 1))
        assert model.get_params() == {"random_state": 5}
        answers.append(risk)
    np.testing.assert_array_equal(*answers)


def test_a_survival_model_answers_at_the_end_of_its_data_and_labels_at_each_persons_end():
    class Exponential(SurvivalPeer):
        end_ = 4.0

        def fit(self, X, y, *, time, follow_up):
            return self

        def _survival(self, X, times):
            return np.exp(-np.outer(X[:, 0], times))

    X = np.array([[0.1], [0.5], [1.0]])
    model, follow_up = Exponential(), np.array([1.0, 2.0, 9.0])
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], -np.expm1(-4 * X[:, 0]))
    np.testing.assert_allclose(model.predict_survival(X, [2.0, 9.0]), np.exp(-X * [2.0, 4.0]))
    expected = -np.expm1(-X[:, 0] * np.minimum(follow_up, 4.0))
    np.testing.assert_allclose(model.predict_label_proba(X, follow_up), expected, rtol=1e-3)


def test_a_package_that_is_not_there_is_named_with_what_to_do(monkeypatch):
    monkeypatch.setattr("whether.study.peers.rows.find_spec", lambda module: None)
    with pytest.raises(StudyError, match=r"pycox is not installed: pip install 'whether\[peers\]'"):
        PEERS["LogisticHazard"].build()
    assert Entry("LogisticHazard", "pycox").missing_package == "pycox"
    assert Entry("LR").missing_package == ""


def test_every_method_that_needs_no_names_of_features_is_in_the_field():
    ours = {entry.name for entry in FIELD_ENTRIES} & set(METHODS)
    assert ours == {name for name, method in METHODS.items() if not method.feature_parameter}
    assert not set(PEERS) & set(METHODS)
