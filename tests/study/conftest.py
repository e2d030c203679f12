"""Fixtures of the studies: small cells that are quick to run, and rows as if they had been stored."""

import os
import subprocess
import sys

import pytest

from whether.study.lineup import Entry
from whether.study.plan import Cell, Options
from whether.study.store import Row

SMALL = Options(n=300, n_fresh=400)


@pytest.fixture
def make_cell():
    """Make a small cell of the simulation study."""

    def make(method="LR", learner="linear", seed=0, world="baseline", settings=(), options=SMALL):
        return Cell("simulation", world, Entry(method, learner, settings=settings), seed, options)

    return make


@pytest.fixture
def failing(make_cell):
    """A cell whose fit is refused."""
    return make_cell(settings=(("ridge", -1.0),), seed=7)


@pytest.fixture
def make_row():
    """Make a finished row without running anything."""

    def make(study="simulation", world="baseline", method="LR", learner="linear", seed=0, **scores):
        curve = {"predicted": [0.1, 0.5, 0.9], "observed": [0.2, 0.4, 0.8], "count": [5, 5, 5]}
        details = {"curves": {"fresh": curve}}
        return Row(study, world, method, learner, seed, "done", scores, details, 1.0, "", "")

    return make


@pytest.fixture
def study_program(tmp_path):
    """Start ``whether study`` in a process of its own, in the folder of the test."""

    def start(*arguments):
        return subprocess.Popen(
            [sys.executable, "-c", "from whether.cli import main; main()", "study", *arguments],
            cwd=tmp_path,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    return start
