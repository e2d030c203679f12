import re

import numpy as np
import pytest

import whether as wh
from whether.advise.endpoint_choice import plan_endpoint
from whether.advise.track_record import METRICS, Backtest


@pytest.fixture
def cohort(global_random_seed):
    return wh.simulate("partially-dependent", n=1200, seed=global_random_seed)


def run(cohort, **settings):
    usual = {"methods": ["LR", "AFTMC-F"], "advice": False, "n_splits": 2}
    return wh.backtest(cohort.X, cohort.y, time=cohort.time, **{**usual, **settings})


def test_a_staggered_endpoint_hides_half_of_the_events(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    event_times = rng.exponential(size=2000)
    plan = plan_endpoint(np.ones(2000, dtype=bool), event_times)
    hidden = [plan.impose(rng).hidden_share for _ in range(10)]
    assert abs(np.mean(hidden) - 0.5) < 5 * 0.5 / np.sqrt(20_000)


def test_a_calendar_endpoint_is_a_date_by_which_half_of_the_events_had_come(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    entry, time = rng.uniform(2000, 2010, size=500), rng.exponential(2.0, size=500)
    event = rng.random(500) < 0.5
    plan = plan_endpoint(event, time, entry=entry)
    assert np.mean((entry + time)[event] <= plan.endpoint) == pytest.approx(0.5, abs=0.01)


def test_every_applicable_method_is_scored_beside_what_is_known_now_and_the_advice(cohort):
    record = wh.backtest(cohort.X, cohort.y, time=cohort.time, n_splits=2)
    without_names = {name for name, method in wh.METHODS.items() if not method.feature_parameter}
    assert set(record.scores) == without_names | {"known now", "advised"}
    assert all(np.isfinite(values["auc"]).all() for values in record.scores.values())
    assert record.advised[0] in wh.METHODS
    text = str(record)
    assert "minus LR" in text
    assert "Advised then" in text
    assert len(record.to_frame()) == len(METRICS) * len(record.scores)


def test_named_features_bring_in_the_restricted_methods(cohort):
    record = run(cohort, methods=["LR", "SARPU-R"], propensity_features=[2, 3])
    assert "SARPU-R" in record.scores


def test_the_same_seed_gives_the_same_scores(cohort):
    first, second = run(cohort), run(cohort)
    np.testing.assert_array_equal(first.scores["LR"]["auc"], second.scores["LR"]["auc"])


def test_dates_of_entry_make_the_endpoint_a_date(cohort, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    time = np.minimum(cohort.time, 20.0)
    entry = 2000 - time + rng.uniform(-1, 0, size=time.size)
    record = wh.backtest(
        cohort.X, cohort.y, time=time, entry=entry, horizon=1.0, methods=["LR"], advice=False, n_splits=2
    )
    assert record.stagger is None
    assert 1999 < record.endpoint < 2001
    said = re.search(r"put back to (?:the start of|[A-Z][a-z]+) (\d{4});", str(record))
    assert int(said[1]) in (int(record.endpoint), round(record.endpoint))


def test_rows_of_a_group_are_never_split(cohort, monkeypatch):
    group = np.arange(cohort.y.size) // 3
    seen = []

    def spy(task, then, training, test):
        seen.append((set(group[training]), set(group[test])))
        return {"LR": np.linspace(0, 1, int(test.sum()))}, {}

    monkeypatch.setattr("whether.advise.split._predict", spy)
    run(cohort, methods=["LR"], groups=group)
    assert seen
    assert all(not training & test for training, test in seen)


def record_of(**aucs):
    return make_record({name: {"auc": np.array(values)} for name, values in aucs.items()})


def make_record(scores):
    return Backtest(
        scores,
        ("", ""),
        endpoint=None,
        stagger=2.0,
        horizon=3.0,
        hidden_share=0.5,
        n_events=400,
        n_hidden=200,
        n_training=700,
        n_test=300,
        n_positive=100,
        positive_share=1 / 3,
    )


def test_differences_are_paired_and_intervals_allow_for_shared_people():
    record = record_of(LR=[0.60, 0.70, 0.80], ENPU=[0.61, 0.71, 0.81])
    gap = record.difference("ENPU")
    assert gap.estimate == pytest.approx(0.01)
    assert gap.upper - gap.lower < 1e-9  # the same difference in every split
    one = record.interval("LR")
    assert one.standard_error == pytest.approx(0.1 * np.sqrt(1 / 3 + 300 / 700))


def test_an_interval_stays_within_the_range_of_its_metric():
    record = record_of(LR=[0.5, 0.9])
    one = record.interval("LR")
    assert (one.lower, one.upper) == (0, 1)
    assert one.estimate == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("with_times", "answer"),
    [([0.8, 0.801, 0.8], "worth it"), ([0.6, 0.601, 0.6], "a waste"), ([0.6, 0.8, 0.7], "open")],
)
def test_it_answers_whether_event_times_are_worth_it(with_times, answer):
    record = record_of(**{"LR": [0.7, 0.7, 0.7], "AFTMC-F": with_times})
    assert record.worth_of_times().verdict == answer


def test_a_method_that_cannot_be_fitted_is_named_with_the_reason(cohort, monkeypatch):
    def refuse(self, *args, **kwargs):
        raise ValueError("no optimum")

    monkeypatch.setattr(wh.MixtureCureClassifier, "fit", refuse)
    record = run(cohort)
    assert record.errors == {"AFTMC-F": "no optimum"}
    assert record.failed == ("AFTMC-F",)
    assert np.isnan(record.interval("AFTMC-F").estimate)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"methods": ["LR", "lr"]}, "methods has 'lr'"),
        ({"methods": ["SARPU-R"]}, "SARPU-R needs propensity_features"),
        ({"n_splits": 1}, "`n_splits` must be a whole number >= 2, got 1"),
        ({"test_size": 1.5}, "`test_size` must lie between 0 and 1, got 1.5"),
        ({"endpoint": 2000.0}, "endpoint=2000 is a date"),
        ({"groups": [1, 2]}, r"groups must be one label per person: shape \(1200,\)"),
    ],
)
def test_settings_that_make_no_sense_are_refused(cohort, settings, message):
    with pytest.raises(ValueError, match=message):
        run(cohort, **settings)


def test_the_picture_shows_every_row_the_best_on_top():
    import matplotlib.pyplot as plt

    rows = {"AFTMC-F": 0.8, "LR": 0.7, "known now": 0.6}
    # One split failed, so there is no interval.
    scores = {row: dict.fromkeys(METRICS, np.array([value, np.nan])) for row, value in rows.items()}
    figure = make_record(scores).plot()
    assert len(figure.axes) == 2
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["known now*", "LR", "AFTMC-F"]
    plt.close(figure)


def test_people_count_alike_where_everybodys_follow_up_is_known(cohort):
    known, unknown = run(cohort, follow_up=cohort.follow_up), run(cohort)
    assert unknown.weighted
    assert unknown.positive_share < unknown.n_positive / unknown.n_test
    assert not known.weighted
    assert known.n_test < unknown.n_test
    assert "inverse" not in str(known)


def test_the_advice_of_then_is_told_follow_up_only_where_it_was_known(cohort):
    # Many are lost early here, and of labeled people nobody knows whether they would have been.
    event, rng = cohort.y == 1, np.random.default_rng(0)
    unknown, known = (plan_endpoint(event, cohort.time, follow_up=until) for until in (None, cohort.follow_up))
    assert not unknown.knows_follow_up(unknown.impose(rng))
    assert known.knows_follow_up(known.impose(rng))
    complete = plan_endpoint(event, np.where(event, cohort.time, 50 + cohort.time))
    assert complete.knows_follow_up(complete.impose(rng))


def test_a_refusal_of_then_is_said(monkeypatch, cohort):
    monkeypatch.setattr("whether.advise.split._advise_then", lambda *given: ("LR", True))
    told = " ".join(str(run(cohort, advice=True)).split())
    assert "Advised then: LR (2); a number for the mean risk was refused in 2 of 2 splits." in told


def test_a_narrow_table_fits_and_says_how_people_count(cohort):
    record = run(cohort)
    text = record.to_text(80)
    assert max(map(len, text.splitlines())) <= 80
    assert "people count by the inverse of their chance" in " ".join(text.split())
    assert "Brier" in str(record)
    assert "Brier" not in text


def test_a_level_that_few_people_have_does_not_cost_the_backtest():
    cohort = wh.simulate("partially-dependent", n=600, seed=5)
    rare = np.zeros(600)
    rare[[3, 77, 401]] = 1.0
    record = wh.backtest(
        np.column_stack([cohort.X, rare]), cohort.y, time=cohort.time, follow_up=cohort.follow_up, n_splits=4,
        methods=["AFTMC-F", "LR"], propensity_features=[2, cohort.X.shape[1]], advice=False,
    )  # fmt: skip
    assert np.isfinite(record.interval("AFTMC-F").estimate)
    assert not record.errors
