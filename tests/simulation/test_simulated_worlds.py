"""The records of the simulated worlds."""

from dataclasses import replace

import numpy as np
import pytest

from whether.simulation import (
    PAPER_WORLDS,
    PRINTED_WORLDS,
    PROMOTION_WORLDS,
    SHAPE_WORLDS,
    STRESS_WORLDS,
    WORLDS,
    simulate,
)
from whether.simulation.calibrate import calibrate
from whether.simulation.signals import Linear
from whether.simulation.worlds import SIGMA_T

PUBLISHED_TITLES = [
    "Baseline",
    "Low censorship",
    "High censorship",
    "Low susceptibility",
    "High susceptibility",
    "Small sample size",
    "Partially dependent diagnosis",
    "Feature-independent diagnosis",
    "Varied censoring",
    "Centered censoring",
    "Positive correlation",
    "Negative correlation",
    "Dependent censoring",
]
WORLDS_WITH_POSITIVE_RATE = [name for name, world in WORLDS.items() if world.positive_rate is not None]
WORLDS_WITH_CENSORING_RATE = [name for name, world in WORLDS.items() if world.censoring_rate is not None]


def test_published_worlds_carry_the_titles_of_the_published_table_in_order() -> None:
    assert [WORLDS[name].title for name in PAPER_WORLDS] == PUBLISHED_TITLES


def test_the_five_groups_name_every_world_once() -> None:
    assert [*PAPER_WORLDS, *PRINTED_WORLDS, *STRESS_WORLDS, *SHAPE_WORLDS, *PROMOTION_WORLDS] == list(WORLDS)


def test_every_world_is_filed_under_its_own_name() -> None:
    assert all(name == world.name for name, world in WORLDS.items())


def test_no_two_worlds_share_a_title() -> None:
    assert len({world.title for world in WORLDS.values()}) == len(WORLDS)


@pytest.mark.parametrize(
    ("name", "features"),
    [
        ("baseline", ("x3", "x4")),
        ("feature-independent", ()),
        ("positive-correlation", ("x1", "x3")),
        ("positive-correlation-printed", ("x1", "x2")),
        ("dependent-censoring", ("x3", "x4")),
        ("nonlinear-both", ("x2", "x3")),
        ("wide-256", ("x3", "x4")),
        ("short-follow-up-independent", ()),
    ],
)
def test_propensity_features_are_those_behind_event_times_and_follow_up(name: str, features: tuple[str, ...]) -> None:
    assert WORLDS[name].propensity_features == features


@pytest.mark.parametrize("name", WORLDS_WITH_POSITIVE_RATE)
def test_stored_intercept_agrees_with_the_recomputed_one(name: str) -> None:
    assert calibrate(WORLDS[name]).outcome_intercept == pytest.approx(WORLDS[name].outcome_intercept, abs=1e-2)


@pytest.mark.parametrize("name", WORLDS_WITH_CENSORING_RATE)
def test_stored_follow_up_shift_agrees_with_the_recomputed_one(name: str) -> None:
    assert calibrate(WORLDS[name]).censoring_shift == pytest.approx(WORLDS[name].censoring_shift, abs=1e-2)


def test_calibration_leaves_alone_what_has_no_stated_rate() -> None:
    assert calibrate(WORLDS["two-humps"]) == WORLDS["two-humps"]


@pytest.mark.parametrize("name", WORLDS_WITH_POSITIVE_RATE)
def test_stated_share_of_positives_is_met(name: str) -> None:
    cohort = simulate(name, n=50_000, seed=1)
    rate = cohort.world.positive_rate
    assert rate is not None
    assert abs(cohort.positive.mean() - rate) < 5 * np.sqrt(rate * (1 - rate) / 50_000)


@pytest.mark.parametrize("name", WORLDS_WITH_CENSORING_RATE)
def test_stated_share_of_censored_positives_is_met(name: str) -> None:
    cohort = simulate(name, n=50_000, seed=2)
    rate = cohort.world.censoring_rate
    assert rate is not None
    unlabeled = 1 - cohort.y[cohort.positive == 1]
    assert abs(unlabeled.mean() - rate) < 5 * np.sqrt(rate * (1 - rate) / len(unlabeled))


@pytest.mark.parametrize("name", ["baseline", "partially-dependent", "feature-independent"])
def test_trading_signal_for_noise_keeps_the_spread_of_log_event_times(name: str) -> None:
    cohort = simulate(name, n=50_000, seed=3)
    # Standard error of a standard deviation is about sd / sqrt(2 n).
    assert abs(np.log(cohort.event_time).std() - SIGMA_T) < 5 * SIGMA_T / np.sqrt(2 * 50_000)


def test_unknown_way_of_reporting_is_refused() -> None:
    with pytest.raises(ValueError, match="reporting must be one of"):
        replace(WORLDS["baseline"], reporting="never")  # type: ignore[arg-type]


def test_signal_on_a_feature_the_world_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match=r"reads \['x5'\] but has 4 features"):
        replace(WORLDS["baseline"], event=Linear(("x5",), (1.0,)))


def test_coefficients_without_features_are_refused() -> None:
    with pytest.raises(ValueError, match="1 features but 2 coefficients"):
        Linear(("x1",), (1.0, 2.0))
