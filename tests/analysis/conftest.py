import pytest

import whether as wh


@pytest.fixture(scope="session")
def cohort():
    return wh.simulate("partially-dependent", n=800, seed=0)


@pytest.fixture(scope="session")
def known(cohort):
    """Everything that is known of the cohort."""
    return {"X": cohort.X, "y": cohort.y, "time": cohort.time, "follow_up": cohort.follow_up}


@pytest.fixture(scope="session")
def answer(known):
    """The whole analysis, with its checks."""
    return wh.analyze(**known, n_splits=2)


@pytest.fixture(scope="session")
def refused():
    """Analysis of a cohort whose follow-up is too short."""
    cohort = wh.simulate("short-follow-up", n=800, seed=0)
    return wh.analyze(
        cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up, backtest=False, sensitivity=False
    )
