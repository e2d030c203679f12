"""Class priors: what they are exactly, what they refuse, and what they warn of."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import beta

import whether as wh
from whether.cohort import Cohort
from whether.estimators.frequency_result import ASSUMED
from whether.estimators.highest_share import bound_frequency, least_share
from whether.estimators.mixture_proportion import BOUND_LEVEL, SLACK
from whether.estimators.priors import ESTIMATORS, _widen, estimate_frequency
from whether.learners.linear.ridge import label_logits_left_out


def draw(rng, n=600, c=0.5, slope=4.0):
    X = rng.normal(size=(n, 3))
    positive = rng.random(n) < expit(slope * (X[:, 0] - X[:, 1]))
    return X, (positive & (rng.random(n) < c)).astype(int)


def find(X, y, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wh.IdentifiabilityWarning)
        return wh.label_frequency(X, y, random_state=0, **settings)


@pytest.fixture(scope="module")
def people():
    return draw(np.random.default_rng(0))


@pytest.fixture(scope="module", params=ESTIMATORS)
def found(request, people):
    return find(*people, method=request.param)


def test_an_interval_holds_its_estimate_and_what_labels_allow(found, people):
    rate = people[1].mean()
    assert rate <= found.lower <= found.estimate <= found.upper <= 1
    assert 0 < found.prevalence_lower <= found.prevalence <= found.prevalence_upper <= 1
    assert found.prevalence == pytest.approx(rate / found.estimate, rel=1e-12)
    assert 0 < found.purity <= 1 + 1e-12


def test_a_result_says_what_its_interval_rests_on_and_the_range_that_rests_on_nothing(found):
    text = str(found)
    assert text == repr(found)
    assert text.startswith(
        f"Label frequency {found.estimate:.3f} {found.assumption} "
        f"(95 % interval {found.lower:.3f} to {found.upper:.3f}); prevalence then {found.prevalence:.3f}"
    )
    assert replace(found, assumptions_agree=True).assumption == ASSUMED[found.method]
    assert "disagree" in replace(found, assumptions_agree=False).assumption
    assert (f"by {found.method}. Whatever the risk" in text) == (found.is_pure and found.assumptions_agree)
    assert f"Whatever the risk looks like: {found.lowest:.3f} to 1" in text
    assert text.endswith(f"a prevalence of at most {found.highest_prevalence:.3f}.")


def test_every_method_says_what_it_assumes():
    assert set(ASSUMED) == set(ESTIMATORS)


def test_a_higher_confidence_is_a_wider_interval(people):
    narrow, wide = (find(*people, method="likelihood", confidence=level) for level in (0.5, 0.99))
    assert wide.estimate == narrow.estimate
    assert wide.lower < narrow.lower
    assert wide.upper > narrow.upper


def test_the_best_bin_is_the_published_one_in_a_cohort(people):
    """Share of positives among the unlabeled by the published bound, turned into that of positives that are labeled."""
    X, y = people
    cohort = Cohort(X, y == 1, ("a", "b", "c"))
    scores, seen, unseen = label_logits_left_out(cohort, 1.0), y.sum(), (1 - y).sum()
    margin = sum(np.sqrt(np.log(4 / BOUND_LEVEL) / (2 * count)) for count in (seen, unseen))
    ratios = []
    for cut in scores[y == 1]:
        of_seen, of_unseen = np.mean(scores[y == 1] >= cut), np.mean(scores[y == 0] >= cut)
        ratios.append(((of_unseen + (1 + SLACK) * margin) / of_seen, of_unseen / of_seen))
    share = min(ratios)[1]
    expected = seen / (seen + share * unseen)
    assert estimate_frequency("bbe", cohort, 1.0, np.random.default_rng(0)) == pytest.approx(expected, rel=1e-9)


def test_where_one_feature_tells_positives_the_best_bin_counts_them():
    rng = np.random.default_rng(1)
    x = np.repeat([0.0, 1.0], 300)
    y = ((x == 1) & (rng.random(600) < 0.4)).astype(int)
    cohort = Cohort(x[:, None], y == 1, ("x",))
    found = estimate_frequency("bbe", cohort, 1.0, np.random.default_rng(0))
    assert found == pytest.approx(y[x == 1].mean(), rel=1e-12)


@pytest.mark.parametrize("method", ["likelihood", "elkan-noto", "bbe", "dedpul"])
def test_whole_weights_are_people(method, people):
    X, y = people
    weight = np.random.default_rng(2).integers(1, 4, y.size)
    rows, rng = np.repeat(np.arange(y.size), weight), np.random.default_rng(0)
    names = ("a", "b", "c")
    weighted = estimate_frequency(method, Cohort(X, y == 1, names, weight.astype(float)), 1.0, rng)
    repeated = estimate_frequency(method, Cohort(X[rows], y[rows] == 1, names), 1.0, rng)
    assert weighted == pytest.approx(repeated, rel=1e-6)


def test_maximum_likelihood_learns_from_known_negatives_and_others_count_them_as_unlabeled(people):
    X, y = people
    cohort = Cohort(X, y == 1, ("a", "b", "c"))
    known = replace(cohort, known_negative=(y == 0) & (X[:, 0] - X[:, 1] < -0.5))
    for method in ("likelihood", "bbe"):
        pair = [estimate_frequency(method, one, 1.0, np.random.default_rng(0)) for one in (cohort, known)]
        assert (pair[0] != pair[1]) == (method == "likelihood")


def test_a_group_that_is_not_all_positive_is_warned_of():
    X, y = draw(np.random.default_rng(3), slope=0.7)
    with pytest.warns(
        wh.IdentifiabilityWarning, match=r"method='elkan-noto' takes a group .* likely larger than 0\.\d+"
    ):
        result = wh.label_frequency(X, y, method="elkan-noto", random_state=0)
    assert not result.is_pure
    assert result.purity < 0.9


def test_too_few_labels_are_refused_with_their_number():
    X, y = draw(np.random.default_rng(4))
    few = y * (np.cumsum(y) <= 5)
    with pytest.raises(
        wh.DataError, match="5 of 600 people are labeled, and a label frequency is estimated from at least"
    ):
        wh.label_frequency(X, few)


def test_nearly_all_labeled_is_refused_with_the_number_of_the_others():
    X, y = draw(np.random.default_rng(4))
    with pytest.raises(wh.DataError, match="7 of 600 people are unlabeled"):
        wh.label_frequency(X, (np.arange(y.size) >= 7).astype(int))


@pytest.mark.parametrize("method", ["km2", None, 0.5])
def test_a_method_that_is_not_there_is_refused(method, people):
    with pytest.raises(wh.ArgumentError, match=r"estimated by one of .*'tice'"):
        wh.label_frequency(*people, method=method)


def test_a_classifier_refuses_a_method_that_is_not_there(people):
    with pytest.raises(wh.ArgumentError, match="got 'best'"):
        wh.ElkanNotoClassifier(label_frequency="best").fit(*people)


def test_a_name_in_place_of_the_label_frequency_is_said_to_be_an_estimate(people):
    notes = wh.UnbiasedPUClassifier(label_frequency="tice", nonnegative=True, random_state=0).fit(*people)._notes()
    assert any("estimated, and its own uncertainty" in note for note in notes)


def test_frames_and_arrays_say_the_same(people):
    import pandas as pd

    X, y = people
    assert find(pd.DataFrame(X, columns=["a", "b", "c"]), pd.Series(y)) == find(X, y)


def test_what_a_constant_propensity_alone_allows_begins_below_the_largest_chance_of_a_label(global_random_seed):
    """Over eight cohorts in which nobody's risk exceeds 0.7: a limit fails in one of twenty, at most, so in no four."""
    rng, above = np.random.default_rng([global_random_seed, 8]), 0
    for _ in range(8):
        X = rng.normal(size=(500, 2))
        y = rng.random(500) < 0.5 * 0.7 * expit(4 * X[:, 0])
        above += bound_frequency(Cohort(X, y, ("a", "b")), 0.95, rng) > 0.35
    assert above < 4


def test_the_range_of_a_constant_propensity_holds_the_share_of_a_sure_group():
    x = np.repeat([0.0, 1.0], 2000)
    y = ((x == 1) & (np.arange(4000) % 5 < 2)).astype(int)
    found = find(x[:, None], y)
    limit = beta.ppf(0.025, 400, 601)  # of 400 labeled among 1,000, a half of that group
    assert found.lowest == pytest.approx(limit, abs=0.01)
    assert found.highest_prevalence == pytest.approx(0.2 / found.lowest)
    assert found.assumptions_agree


def test_where_the_risk_is_no_line_the_interval_holds_what_each_assumption_allows():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(3000, 2))
    y = (rng.random(3000) < 0.5 * expit(6 * (1.0 - np.hypot(*X.T)))).astype(int)
    with pytest.warns(
        wh.IdentifiabilityWarning, match=r"disagree on the label frequency: line 0\.\d+ to .*curves 0\.\d+"
    ):
        found = wh.label_frequency(X, y, random_state=0)
    assert not found.assumptions_agree
    assert "no logistic line" in str(found)
    assert found.lower <= min(low for low, _ in found.by_assumption.values())
    assert found.upper >= max(found.by_assumption["line"][1], found.by_assumption["curves"][1], found.lowest)
    assert found.lowest <= found.estimate <= found.upper


def test_without_labels_for_curves_a_contradicted_line_leaves_no_upper_limit():
    assert _widen((0.3, 0.4), {"line": (0.3, 0.4), "group": (0.5, 1.0)}) == (0.3, 1.0)


def test_equal_weights_count_people_and_unequal_ones_fewer():
    labeled = np.arange(100) < 40
    people = Cohort(np.zeros((100, 1)), labeled, ("x",))
    twice = replace(people, weight=np.full(100, 2.0))
    uneven = replace(people, weight=np.where(np.arange(100) % 2, 1.9, 0.1))
    assert least_share(twice, 0.95) == pytest.approx(least_share(people, 0.95))
    assert least_share(uneven, 0.95) < least_share(people, 0.95)
    assert least_share(people.take(np.empty(0, dtype=int)), 0.95) == 0.0
