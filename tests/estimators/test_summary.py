"""The table of coefficients, the shrinkage path and the bins of a fitted classifier."""

import math

import numpy as np
import pytest

import whether as wh


@pytest.fixture(scope="session")
def large():
    """A well-specified cohort of 2,000 people."""
    return wh.simulate("partially-dependent", n=2000, seed=0)


@pytest.fixture(scope="session")
def chosen(large):
    """A cure model whose penalty was chosen by cross-validation."""
    return wh.MixtureCureClassifier("lognormal").fit(large.X, large.y, time=large.time)


# ---------------------------------------------------------------- table


def test_table_has_these_columns(fitted):
    assert fitted.summary().to_frame().columns.tolist() == [
        "part", "term", "estimate", "standard_error", "z", "p_value", "lower", "upper",
        "ratio_kind", "ratio", "ratio_lower", "ratio_upper",
    ]  # fmt: skip


def test_table_has_a_row_per_feature_and_part(fitted):
    table = fitted.summary().to_frame()
    parts = {"location"} if isinstance(fitted, wh.AFTClassifier) else {"outcome"}
    for part in parts:
        assert {"intercept", "x0", "x1", "x2", "x3"} == set(table.term[table.part == part])
    assert not table.duplicated(["part", "term"]).any()


def test_intervals_contain_the_estimates(fitted):
    table = fitted.summary().to_frame()
    assert (table.lower <= table.estimate).all()
    assert (table.estimate <= table.upper).all()


def test_estimates_have_standard_errors(fitted):
    table = fitted.summary().to_frame()
    known = (table.part == "propensity") & isinstance(fitted, wh.ElkanNotoClassifier)
    assert (table.standard_error[~known] > 0).all()


def test_ratios_are_exponentials_of_slopes(fitted):
    table = fitted.summary().to_frame()
    slopes = table[table.ratio_kind != ""]
    assert len(slopes) >= 4
    for ratio, coefficient in (("ratio", "estimate"), ("ratio_lower", "lower"), ("ratio_upper", "upper")):
        np.testing.assert_allclose(slopes[ratio], np.exp(slopes[coefficient]), rtol=1e-12)


def test_outcome_coefficients_give_the_decision_function(fitted, cohort):
    if isinstance(fitted, wh.AFTClassifier):
        pytest.skip("everybody is positive: there is no outcome part")
    table = fitted.summary().to_frame()
    outcome = table[table.part == "outcome"].set_index("term").estimate
    eta = outcome["intercept"] + cohort.X @ outcome[["x0", "x1", "x2", "x3"]].to_numpy()
    np.testing.assert_allclose(fitted.family.log_odds(eta), fitted.decision_function(cohort.X), rtol=1e-9, atol=1e-9)


def test_higher_level_gives_wider_intervals(fitted):
    narrow, wide = (fitted.summary(level).to_frame() for level in (0.5, 0.99))
    widths = [(table.upper - table.lower)[table.standard_error > 0] for table in (narrow, wide)]
    np.testing.assert_allclose(widths[1] / widths[0], 2.5758293 / 0.6744898, rtol=1e-6)


@pytest.mark.parametrize("level", [0, 1, 95])
def test_impossible_level_is_refused_with_its_value(cohort, level):
    model = wh.LabelClassifier().fit(cohort.X, cohort.y)
    with pytest.raises(ValueError, match=f"level must lie between 0 and 1, got {level}"):
        model.summary(level)


def test_given_label_frequency_is_not_estimated(cohort):
    model = wh.ElkanNotoClassifier(label_frequency=0.5).fit(cohort.X, cohort.y)
    summary = model.summary()
    row = next(row for row in summary.coefficients if row.part == "propensity")
    assert (row.estimate, row.standard_error, row.lower, row.upper) == (0.0, 0.0, 0.0, 0.0)
    assert math.isnan(row.z)
    assert any("label frequency of 0.5 (as given)" in note for note in summary.notes)


def test_estimated_label_frequency_is_said_to_be_left_out_of_the_errors(cohort):
    model = wh.ElkanNotoClassifier().fit(cohort.X, cohort.y)
    assert any("its own uncertainty is not in the standard errors" in note for note in model.summary().notes)


@pytest.mark.parametrize(
    "estimator",
    [
        wh.LabelClassifier(),
        wh.SARPUClassifier(propensity_features=[2, 3]),
        wh.MixtureCureClassifier("lognormal", time_features=[2, 3]),
    ],
    ids=str,
)
def test_sandwich_is_near_the_observed_information_on_a_well_specified_model(large, estimator):
    # Logistic regression describes the labels of this world only roughly, the others describe it as it is.
    errors = []
    for covariance in ("observed", "sandwich"):
        model = estimator.set_params(covariance=covariance).fit(large.X, large.y, time=large.time)
        errors.append(model.summary().to_frame().standard_error)
    assert not np.any(errors[0] == errors[1])
    np.testing.assert_allclose(errors[1], errors[0], rtol=0.35)


def test_sandwich_is_named_in_the_notes(cohort):
    model = wh.LabelClassifier(covariance="sandwich").fit(cohort.X, cohort.y)
    assert "Standard errors: sandwich." in model.summary().notes


@pytest.fixture
def singular(cohort):
    """Summary of a model without a penalty, on three features of which one is the sum of the others."""
    X = np.column_stack([cohort.X[:, 0], cohort.X[:, 1], cohort.X[:, 0] + cohort.X[:, 1], cohort.X[:, 3]])
    with pytest.warns(wh.IdentifiabilityWarning, match="outcome: x"):
        return wh.LabelClassifier(penalty=None).fit(X, cohort.y).summary()


def test_singular_information_is_said(singular):
    assert "information matrix is singular" in singular.notes[0]
    assert all(f"outcome: {name}" in singular.notes[0] for name in ("x0", "x1", "x2"))
    assert "outcome: x3" not in singular.notes[0]


def test_singular_information_prints_no_errors(singular):
    assert singular.to_frame()[["standard_error", "z", "p_value", "lower", "upper"]].isna().all(axis=None)
    assert "n/a" in str(singular)
    assert "nan" not in str(singular)


@pytest.mark.parametrize("render", [str, lambda summary: summary._repr_html_()], ids=["text", "html"])
def test_rendered_table_contains_every_term(fitted, render):
    summary = fitted.summary()
    rendered = " ".join(render(summary).split())  # long lines are wrapped
    for row in summary.coefficients:
        assert row.term in rendered
        assert row.part in rendered
    for note in summary.notes:
        assert note in rendered
    assert type(fitted).__name__ in rendered


def test_html_escapes_the_names_of_columns(cohort):
    names = ["<script>x</script>", "a&b", 'say "hi"', "x4"]
    table = cohort.frame()[list(cohort.feature_names)].set_axis(names, axis=1)
    summary = wh.LabelClassifier().fit(table, cohort.y).summary()
    page = summary._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;x&lt;/script&gt;" in page
    assert "a&amp;b" in page
    assert "<script>x</script>" in str(summary)


def test_facts_count_people_and_events(fitted, cohort):
    facts = fitted.summary().facts
    assert facts["people"] == "300"
    assert facts["events seen"] == f"{cohort.y.sum()}"
    assert facts["converged"] == "yes"


def test_facts_count_weights_as_people(cohort):
    model = wh.LabelClassifier().fit(cohort.X, cohort.y, sample_weight=np.full(300, 2.0))
    assert model.summary().facts["people"] == "600"


# ---------------------------------------------------------------- shrinkage


def test_chosen_penalty_lies_on_the_path(chosen):
    path = chosen.shrinkage_path_
    assert chosen.shrinkage_ == path.chosen
    assert chosen.shrinkage_ in path.penalties
    assert path.best in path.penalties


def test_chosen_penalty_is_the_largest_within_half_a_standard_error_of_the_best(chosen):
    path = chosen.shrinkage_path_
    best = np.nanmax(path.log_likelihood)
    eligible = path.penalties[path.log_likelihood >= best - 0.5 * path.standard_error]
    assert path.chosen == eligible.max()


def test_path_has_a_point_per_penalty_from_the_tightest_to_the_loosest(chosen):
    path = chosen.shrinkage_path_
    assert np.all(np.diff(path.penalties) < 0)
    for curve in (path.log_likelihood, path.standard_error, path.kappa):
        assert curve.shape == path.penalties.shape
    assert np.isfinite(path.kappa).all()
    tried = np.isfinite(path.log_likelihood)  # the others were ruled out on all rows
    assert tried[-1]
    assert np.isfinite(path.standard_error[tried]).all()


def test_notes_say_that_intervals_are_conditional_on_a_chosen_penalty(chosen):
    note = next(note for note in chosen.summary().notes if "conditional" in note)
    assert "chosen by cross-validation" in note
    assert f"{chosen.kappa_:.3g} times those of the outcome" in note
    assert (f"penalty {chosen.shrinkage_:g}" in note) or math.isinf(chosen.shrinkage_)


def test_notes_of_a_given_penalty_do_not_call_it_chosen(fitted_shrunken):
    note = next(note for note in fitted_shrunken.summary().notes if "conditional" in note)
    assert f"penalty {fitted_shrunken.shrinkage_:g}" in note
    assert "chosen" not in note


def test_given_penalty_has_no_path(fitted_shrunken):
    assert fitted_shrunken.shrinkage_ == fitted_shrunken.shrinkage
    assert fitted_shrunken.shrinkage_path_ is None


def test_free_time_part_has_no_index(cohort):
    model = wh.MixtureCureClassifier("lognormal", shrinkage=0.0).fit(cohort.X, cohort.y, time=cohort.time)
    assert model.kappa_ is None
    assert not any("conditional" in note for note in model.summary().notes)


def test_tied_time_part_has_slopes_in_proportion_to_the_outcome(cohort):
    model = wh.MixtureCureClassifier("lognormal", shrinkage=math.inf).fit(cohort.X, cohort.y, time=cohort.time)
    table = model.summary().to_frame()
    slopes = table[table.term != "intercept"].pivot(index="term", columns="part", values="estimate").dropna()
    ratios = slopes["location"] / slopes["outcome"]
    np.testing.assert_allclose(ratios, ratios.iloc[0], rtol=1e-9)


@pytest.mark.parametrize("distribution", ["lognormal", "loglogistic", "weibull", "exponential"])
def test_given_distribution_is_kept(cohort, distribution):
    model = wh.AFTClassifier(distribution).fit(cohort.X, cohort.y, time=cohort.time)
    assert model.distribution_ == distribution


def test_automatic_distribution_is_the_most_likely(large):
    model = wh.AFTClassifier().fit(large.X, large.y, time=large.time)
    likelihoods = model.fit_result_.distributions
    assert set(likelihoods) == {"lognormal", "loglogistic", "weibull"}
    assert model.distribution_ == max(likelihoods, key=likelihoods.get)


# ---------------------------------------------------------------- bins


@pytest.mark.parametrize("n_bins", [2, 5, 10])
def test_bins_hold_about_equal_numbers_of_events(cohort, n_bins):
    model = wh.DiscreteTimeCureClassifier(n_bins=n_bins, shrinkage=1.0).fit(cohort.X, cohort.y, time=cohort.time)
    events = cohort.time[cohort.y == 1]
    counts = np.bincount(np.searchsorted(model.bin_edges_, events), minlength=n_bins)
    assert model.bin_edges_.size == n_bins
    assert events.max() < model.bin_edges_[-1] < 1.001 * events.max()
    assert counts.max() - counts.min() <= 2


@pytest.mark.parametrize("n_bins", [30, 100])
def test_every_bin_of_tied_event_times_holds_an_event(cohort, n_bins):
    time = np.ceil(cohort.time)
    model = wh.DiscreteTimeCureClassifier(n_bins=n_bins, shrinkage=1.0).fit(cohort.X, cohort.y, time=time)
    events = time[cohort.y == 1]
    assert np.bincount(np.searchsorted(model.bin_edges_, events), minlength=model.bin_edges_.size).min() > 0
