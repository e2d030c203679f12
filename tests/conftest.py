"""Fixtures shared by all tests: the seeds that statistical tests run on, and the cohort tables."""

import gc
import os
import random
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
SEEDS_VARIABLE = "WHETHER_TEST_SEEDS"
DATA_VARIABLE = "WHETHER_DATA"


def parse_seeds(text):
    """Seeds named by a list of numbers and ranges: "0", "3,7", "0-99", "0-4,9"."""
    seeds = set()
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        if not first.isdecimal() or not (last or first).isdecimal() or int(last or first) < int(first):
            raise pytest.UsageError(f'{SEEDS_VARIABLE}={text!r}: expected "any", or seeds such as "0", "3,7" or "0-99"')
        seeds.update(range(int(first), int(last or first) + 1))
    return sorted(seeds)


def pytest_configure(config):
    # The modules and items of a whole run are many and stay: they need not be looked through all the time.
    gc.set_threshold(50_000, 20, 50)
    # A random seed is drawn once and written back, so that worker processes inherit the same one.
    if os.environ.get(SEEDS_VARIABLE, "").strip() == "any":
        os.environ[SEEDS_VARIABLE] = str(random.SystemRandom().randrange(100))
    parse_seeds(os.environ.get(SEEDS_VARIABLE, "0"))


def pytest_report_header(config):
    return f"{SEEDS_VARIABLE}={os.environ.get(SEEDS_VARIABLE, '0')}"


def pytest_generate_tests(metafunc):
    if "global_random_seed" in metafunc.fixturenames:
        seeds = parse_seeds(os.environ.get(SEEDS_VARIABLE, "0"))
        metafunc.parametrize("global_random_seed", seeds, indirect=True, scope="session")


@pytest.fixture(scope="session")
def global_random_seed(request):
    """Seed of a statistical test, which must pass for every seed from 0 to 99.

    The environment variable WHETHER_TEST_SEEDS chooses the seeds: "0" unless set, "0-99" for all of them, "3,7" for
    some, "any" for a random one that the header of the test run prints.
    """
    return request.param


@pytest.fixture(scope="session")
def shared_data():
    """Folder of the cohort tables: WHETHER_DATA, or ../shared/data beside the repository; skips where absent."""
    folder = Path(os.environ.get(DATA_VARIABLE) or REPOSITORY.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no cohort tables in {folder}: set {DATA_VARIABLE} to their folder")
    os.environ.setdefault(DATA_VARIABLE, str(folder))  # the package itself looks nowhere else
    return folder
