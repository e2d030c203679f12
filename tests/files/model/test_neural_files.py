"""Neural models: networks come back to the last bit, without PyTorch and without a module of the user's."""

import copy
import importlib.util
import json
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pytest

import whether as wh
from whether.files.model import ModelFileError, load_model, save_model

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="the neural learner needs PyTorch")

N_CASES = 300


@pytest.fixture(scope="module")
def neural(cohort, frame):
    """Function that trains a small network, once."""
    done = {}

    def fit(name, **settings):
        key = (name, repr(settings))
        if key not in done:
            method, learner = wh.METHODS[name], wh.NeuralLearner(**{"hidden": (4, 3), "max_epochs": 3, **settings})
            model = method.build(["x3", "x4"] if method.feature_parameter else None, learner=learner, random_state=0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # three epochs are few, and the file does not mind
                done[key] = model.fit(frame, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
        return done[key]

    return fit


@pytest.mark.parametrize("name", ["LR", "ENPU", "nnPU", "SARPU-R", "FUMC-F", "AFTMC-R", "DTMC", "FUPT", "AFT"])
def test_a_network_predicts_the_same_after_a_journey(tmp_path, neural, frame, name):
    model = neural(name)
    save_model(model, tmp_path / "m")
    opened = load_model(tmp_path / "m").model
    for call in ("predict_proba", "predict_propensity", "decision_function"):
        np.testing.assert_array_equal(getattr(opened, call)(frame), getattr(model, call)(frame), strict=True)
    assert opened.learner.get_params() == model.learner.get_params()


@pytest.mark.parametrize("hidden", [(), (5,)])
def test_the_widths_of_the_layers_come_back(tmp_path, neural, frame, hidden):
    model = neural("AFTMC-F", hidden=hidden)
    save_model(model, tmp_path / "m")
    np.testing.assert_array_equal(load_model(tmp_path / "m").model.predict_proba(frame), model.predict_proba(frame))


def test_networks_that_see_a_part_of_many_features_come_back(tmp_path, cohort):
    rng = np.random.default_rng(0)
    X = np.column_stack([cohort.X, rng.standard_normal((cohort.X.shape[0], 32))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = wh.FollowUpCureClassifier(learner=wh.NeuralLearner(hidden=(4,), max_epochs=3), random_state=0)
        model.fit(X, cohort.y, follow_up=cohort.follow_up)
    save_model(model, tmp_path / "m")
    opened = load_model(tmp_path / "m").model
    np.testing.assert_array_equal(opened.predict_proba(X), model.predict_proba(X))
    for part in ("architecture", "layout", "base"):
        assert set(vars(getattr(opened.model_, part))) == set(vars(getattr(model.model_, part)))
    assert opened.model_.architecture.sizes == model.model_.architecture.sizes


def test_a_saved_network_predicts_without_pytorch(tmp_path, neural, frame):
    model = neural("FUMC-F")
    save_model(model, tmp_path / "m")
    np.save(tmp_path / "x.npy", frame.to_numpy())
    program = (
        "import sys, warnings; warnings.simplefilter('ignore')  # the people have no column names\n"
        "import numpy; from whether.files.model import load_model\n"
        f"risk = load_model({str(tmp_path / 'm')!r}).model.predict_proba(numpy.load({str(tmp_path / 'x.npy')!r}))\n"
        f"numpy.save({str(tmp_path / 'risk.npy')!r}, risk)\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "risk.npy"), model.predict_proba(frame))


def test_a_module_of_the_users_own_is_refused(tmp_path, neural):
    import torch

    model = neural("LR", module=torch.nn.Linear(4, 1))
    with pytest.raises(ModelFileError, match="module= cannot be saved"):
        save_model(model, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


STRANGE = (None, True, -1, 0, 10**9, "x", [], [10**9], [-1], [1.5], {"array": 0}, {"array": 3}, {"float": "inf"})


@pytest.mark.parametrize("name", ["FUMC-F", "SARPU-R"])
def test_a_strange_network_is_refused_or_predicts(tmp_path, neural, frame, name):
    save_model(neural(name), tmp_path / "m")
    with zipfile.ZipFile(tmp_path / "m") as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    description, rng = json.loads(members["whether.json"]), np.random.default_rng(0)
    names, refused = list(description["fitted"]["model_"]["fields"]), 0
    for _ in range(N_CASES):
        changed = copy.deepcopy(description)
        changed["fitted"]["model_"]["fields"][rng.choice(names)] = STRANGE[rng.integers(len(STRANGE))]
        with zipfile.ZipFile(tmp_path / "strange", "w") as archive:
            for member, content in (members | {"whether.json": json.dumps(changed)}).items():
                archive.writestr(member, content)
        try:
            model = load_model(tmp_path / "strange").model
        except ModelFileError:
            refused += 1
            continue
        assert model.predict_proba(frame).shape == (len(frame), 2)
    assert refused > 0.8 * N_CASES
