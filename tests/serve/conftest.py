import signal

import pytest

import whether as wh
from tests.serve.served import Served

COLUMNS = ["x1", "x2", "x3", "x4", "event", "time", "follow_up"]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server for the tests of a module."""
    one = Served(tmp_path_factory.mktemp("served"))
    yield one
    assert one.stop() == 0
    one.process.communicate()


@pytest.fixture
def start(tmp_path):
    """Function that starts a server; all are stopped afterwards."""
    started = []

    def call(*arguments, temporary=tmp_path):
        started.append(Served(temporary, *arguments))
        return started[-1]

    yield call
    for one in started:
        one.stop(signal.SIGKILL)
        one.process.communicate()


@pytest.fixture(scope="session")
def cohort():
    """A small cohort as CSV."""
    drawn = wh.simulate("baseline", n=200, seed=1).frame()
    return drawn.rename(columns={"y": "event"})[COLUMNS].to_csv(index=False).encode()
