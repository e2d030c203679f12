"""When as well as whether: events expected within some time from when each person was last seen."""

import math

import numpy as np
import pytest

import whether as wh
from whether.analysis.uncertainty import window_errors
from whether.analysis.windows import choose_lengths, predict_windows
from whether.telling.disclosure import Withheld, disclose


@pytest.mark.parametrize(
    ("unit", "longest", "long", "lengths"),
    [
        ("years", 40.0, 30.0, (1.0, 5.0, 10.0)),
        ("Years.", 7.0, 6.0, (1.0, 5.0)),
        ("years", 3.0, 3.0, (0.5, 1.0, 2.0)),
        ("years", 0.3, 0.25, (0.05, 0.1, 0.2)),
        ("days", 4000.0, 900.0, (365.0, 1825.0, 3650.0)),
        ("months", 18.0, 17.0, (6.0, 12.0)),
        ("", 1900.0, 160.0, (20.0, 50.0, 100.0)),
        ("visits", 4.0, 4.0, (0.5, 1.0, 2.0)),
        ("years", math.inf, 1.0, ()),
    ],
)
def test_lengths_go_by_the_unit_and_no_further_than_follow_up(unit, longest, long, lengths):
    found = choose_lengths(unit, longest, long)
    assert found == pytest.approx(lengths)
    assert all(length <= longest for length in found)


def test_the_number_grows_with_the_length_up_to_the_number_ever(answer):
    numbers = [window.expected.estimate for window in answer.windows]
    assert len(numbers) == 3
    assert 0 < numbers[0] < numbers[1] < numbers[2] <= answer.unseen.estimate
    for window in answer.windows:
        assert window.expected.lower < window.expected.estimate < window.expected.upper <= answer.unseen.upper
        assert 0 <= window.beyond <= 1


def test_each_chance_is_conditional_on_the_time_without_the_event(answer, cohort):
    model, length = answer.model, answer.windows[0].length
    missed = 1 - model.predict_proba(cohort.X)[:, 1]
    before, after = model.predict_survival(cohort.X, [1.0, 1.0 + length]).T
    assert (missed < after).all()
    at_one = model.predict_proba_within(cohort.X, length, 1.0)
    np.testing.assert_allclose(at_one, 1 - after / before, rtol=1e-9)
    own = model.predict_proba_within(cohort.X, length, cohort.time)
    np.testing.assert_allclose(answer.within[0], np.where(cohort.y == 1, 0.0, own))


def test_within_all_time_is_what_is_still_to_come(answer):
    cohort = answer.evidence.material.cohort
    ever = predict_windows(answer.model, cohort.features, cohort, (math.inf,))[0]
    np.testing.assert_allclose(ever, np.nan_to_num(answer.still), atol=1e-12)


def test_errors_of_very_long_windows_are_those_of_the_number_ever(answer):
    from whether.analysis.uncertainty import spread_of_sums

    cohort = answer.evidence.material.cohort
    waiting = cohort.take(np.flatnonzero(~cohort.labeled))
    everybody = spread_of_sums(answer.model, waiting, np.ones(waiting.n, dtype=bool))
    assert window_errors(answer.model, waiting, [1e12])[0] == pytest.approx(everybody.unseen, rel=1e-3)


def test_levels_add_up_to_everybody(known, cohort):
    by = {"side": np.where(cohort.X[:, 0] > 0, "right", "left")}
    answer = wh.analyze(**known, by=by, backtest=False, sensitivity=False)
    for number, window in enumerate(answer.windows):
        parts = [level.windows[number].expected.estimate for level in answer.by_group]
        assert sum(parts) == pytest.approx(window.expected.estimate, rel=1e-6)
        assert answer.to_dict()["by_group"][0]["windows"][number]["length"] == window.length


def test_within_no_time_do_more_die_first_than_have_the_event_later(global_random_seed):
    """Before death fewer have the event within any time than in a world without other deaths."""
    cohort = wh.simulate("deaths-by-risk-latent", n=1500, seed=global_random_seed)
    settings = {"time": cohort.time, "competing": cohort.competing, "backtest": False, "sensitivity": False}
    lifetime, net = (wh.analyze(cohort.X, cohort.y, question=asked, **settings) for asked in ("lifetime", "net"))
    for before, without in zip(lifetime.windows, net.windows, strict=True):
        assert before.length == without.length
        assert before.expected.lower < without.expected.upper


def test_a_method_without_times_says_that_it_does_not_say_when():
    cohort = wh.simulate("baseline", n=600, seed=1)
    answer = wh.analyze(cohort.X, cohort.y, backtest=False, sensitivity=False)
    assert answer.windows == ()
    assert "does not say when" in str(answer)


def test_where_follow_up_is_too_short_windows_are_ranges_within_the_range(refused):
    for window in refused.windows:
        assert refused.unseen.lower >= window.expected.lower
        assert window.expected.upper <= refused.unseen.upper
    assert "within" in str(refused)


def test_what_comes_later_than_anybody_was_followed_is_said():
    """Everybody was followed for one and the same time, so that all that is to come lies beyond it."""
    rng = np.random.default_rng(0)
    X, n = rng.normal(size=(900, 2)), 900
    event = rng.exponential(3.0, size=n)
    positive = rng.random(n) < 0.6
    labeled = positive & (event < 2.0)
    time = np.where(labeled, event, 2.0)
    answer = wh.analyze(X, labeled.astype(int), time=time, backtest=False, sensitivity=False)
    assert all(window.beyond > 0.999 for window in answer.windows)
    assert "later than anybody was followed" in str(answer)


def test_few_open_people_are_not_told_by_windows(answer):
    rule = disclose(answer, answer.n_open + 1)
    assert all(isinstance(window.expected, Withheld) for window in rule.tell(answer).windows)
