import warnings

import pytest

import whether as wh
from whether.files.model import save_model


@pytest.fixture(scope="session")
def cohort():
    return wh.simulate("partially-dependent", n=400, seed=0)


@pytest.fixture(scope="session")
def frame(cohort):
    return cohort.frame()[list(cohort.feature_names)]


@pytest.fixture(scope="session")
def fitted(cohort, frame):
    """Function that fits a method of the catalogue, once per session."""
    done = {}

    def fit(name, **parameters):
        key = (name, repr(parameters))
        if key not in done:
            method = wh.METHODS[name]
            model = method.build(["x3", "x4"] if method.feature_parameter else None, random_state=0, **parameters)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # small cohorts are warned of; here only the file matters
                done[key] = model.fit(frame, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
        return done[key]

    return fit


@pytest.fixture
def saved(tmp_path, fitted):
    """Path of a saved model."""
    path = tmp_path / "model.whether"
    save_model(fitted("FUMC-F"), path)
    return path
