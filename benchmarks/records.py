"""Deaths, late entry, visits, known negatives and clusters: what reading them gains, and what it costs.

    python -m benchmarks records recovery [REPLICATES] [PEOPLE] [WORLD ...]
    python -m benchmarks records default [SEEDS] [linear|auto] [WORLD ...]
    python -m benchmarks records ignored [SEEDS] [WORLD ...]
    python -m benchmarks records cost [PEOPLE ...]
    python -m benchmarks records mixed [COHORTS] [WORLD ...]

``recovery``: maximum likelihood where the model is right: errors of the coefficients in standard errors of their mean,
how often 95 % intervals hold the truth, and stated standard errors over the spread of the estimates. Without records
the same people show the bias that maximum likelihood has in so small a sample anyway. A fit chooses the distribution of
times of death by itself: coefficients of deaths are those of fits that chose the true one. ``default``: the settings a
user gets; AUC on new people beside that of the true risks, and the error of their mean risk. New people are followed
from time zero, late entry or not. A world with ``:curved`` after its name has a risk that no linear predictor fits.
``ignored``: relative error of the summed risks of the people at hand when a record is read, and when it is not.
``cost``: processor time of a fit with the record over that of a fit without, to the same rows. ``mixed``: see
``record_mixes``.
"""

import time
import warnings
from dataclasses import replace

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import roc_auc_score

import whether as wh
from benchmarks.record_mixes import mixed
from whether.simulation import RECORD_WORLDS, RecordWorld
from whether.simulation.signals import Curve, steep_wave_and_steep_valley
from whether.validate import ArgumentError

N_PEOPLE = 2_000
N_NEW = 10_000
LEARNERS = ("linear", "auto")
LIFETIME = "lifetime"
PLAIN = RecordWorld("no-records", "No records", RECORD_WORLDS["visits"].people)
CASES = {PLAIN.name: PLAIN, **RECORD_WORLDS}
# Each world with the records that a fit which is right there reads; without `competing` the question is the net one.
READ = {
    "no-records": (),
    "deaths": (),
    "deaths-by-risk": ("competing",),
    "deaths-by-risk-latent": (),
    "late-entry": ("entry_time",),
    "visits": ("time_lower",),
    "never-after": ("known_negative",),
    "clusters": ("groups",),
    "late-entry-deaths": ("entry_time", "competing"),
    "visits-late-entry": ("time_lower", "entry_time"),
}
# Each world with ways to read it; a way is the records that are read, and perhaps another date for what visits found.
WAYS = {
    "late-entry": {"ignored": (), "read": ("entry_time",)},
    "visits": {"date of the later visit": (), "middle between visits": ("midpoint",), "read": ("time_lower",)},
    "never-after": {"ignored": (), "read": ("known_negative",)},
    "deaths": {"end of follow-up": (), LIFETIME: ("competing",)},
    "deaths-by-risk-latent": {"end of follow-up": (), LIFETIME: ("competing",)},
    "deaths-by-risk": {"end of follow-up": (), LIFETIME: ("competing",)},
    "late-entry-deaths": {
        "neither": (),
        "entry, deaths end follow-up": ("entry_time",),
        "lifetime, entry ignored": ("competing",),
        "both": ("entry_time", "competing"),
    },
    "visits-late-entry": {
        "neither": (),
        "entry, later visit": ("entry_time",),
        "visits, entry ignored": ("time_lower",),
        "both": ("time_lower", "entry_time"),
    },
}


def fit(model, cohort, records):
    """Fit to a cohort, with the named records only."""
    known = {name: values for name, values in cohort.records.items() if name in records}
    times = cohort.time
    if "midpoint" in records:
        times = np.where(cohort.y == 1, (cohort.time_lower + cohort.time) / 2, cohort.time)
    X = cohort.frame()[list(cohort.feature_names)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, cohort.y, time=times, **known)


def maximum_likelihood():
    return wh.MixtureCureClassifier(distribution="lognormal", shrinkage=0, ridge=0, penalty=None)


def true_coefficients(world):
    """Coefficients by part and term; a term that is not there is zero."""
    people, truth = world.people, {("outcome", "intercept"): world.people.outcome_intercept}
    parts = {"outcome": people.outcome, "location": people.event}
    truth["log scale", "intercept"] = np.log(people.event_noise.sd)
    if world.deaths is not None:
        parts["death location"] = world.deaths.signal
        truth["death location", "intercept"] = world.deaths.shift
        truth["death log scale", "intercept"] = np.log(world.deaths.noise.sd)
    for part, signal in parts.items():
        truth |= {(part, name): value for name, value in zip(signal.features, signal.coefficients, strict=True)}
    return truth


def recover(name, records, n, seed):
    """Per coefficient its name, error, standard error and whether the interval holds the truth; None for a failure."""
    model = fit(maximum_likelihood(), wh.simulate(CASES[name], n=n, seed=seed), records)
    rows, truth = model.summary().coefficients, true_coefficients(CASES[name])
    if not model.converged_ or not np.all(np.isfinite([row.standard_error for row in rows])):
        return None
    deaths = getattr(model.model_.propensity, "deaths", None)
    told = []
    for row in rows:
        value = truth.get((row.part, row.term), 0.0)
        numbers = (row.estimate - value, row.standard_error, row.lower <= value <= row.upper)
        unlike = row.part.startswith("death") and deaths.name != "lognormal"
        told.append((f"{row.part} {row.term}", *((np.nan,) * 3 if unlike else numbers)))
    return told


def recovery(arguments):
    n_replicates, n = (int(value) for value in (*arguments, *(200, N_PEOPLE)[len(arguments) :])[:2])
    names = arguments[2:] or READ
    print(f"{n_replicates} replicates of {n:,} people; bias in standard errors of the mean; coverage in %")
    for name in names:
        cases = {"": READ[name]} if name != "clusters" else {", not told of them": (), "": READ[name]}
        for note, records in cases.items():
            drawn = Parallel(n_jobs=-1)(delayed(recover)(name, records, n, seed) for seed in range(n_replicates))
            done = [rows for rows in drawn if rows is not None]
            _print_recovery(name + note, records, done, len(drawn) - len(done))


def _print_recovery(name, records, done, n_failed):
    terms = [row[0] for row in done[0]]
    error, standard_error, held = (
        np.array([[row[k] for row in rows] for rows in done], dtype=float) for k in (1, 2, 3)
    )
    spread, n_told = np.nanstd(error, axis=0, ddof=1), np.count_nonzero(~np.isnan(error), axis=0)
    bias = np.nanmean(error, axis=0) / (spread / np.sqrt(n_told))
    of_one_fit = np.abs(bias / np.sqrt(n_told)).max()
    print(
        f"\n{name} ({', '.join(records) or 'times only'}): {n_failed} failed; largest bias {np.abs(bias).max():.1f}, "
        f"{of_one_fit:.2f} standard errors of one fit; root mean square {np.sqrt(np.mean(bias**2)):.2f}; "
        f"coverage {100 * np.nanmean(held):.1f}"
    )
    print(f"  {'coefficient':28s} {'error':>8s} {'bias':>6s} {'coverage':>9s} {'stated/true spread':>19s} {'fits':>5s}")
    ratio = np.sqrt(np.nanmean(standard_error**2, axis=0)) / spread
    for k, term in enumerate(terms):
        mean, coverage = np.nanmean(error[:, k]), 100 * np.nanmean(held[:, k])
        print(f"  {term:28s} {mean:+8.4f} {bias[k]:+6.1f} {coverage:9.1f} {ratio[k]:19.2f} {n_told[k]:5d}", flush=True)


def judge_default(name, learner, seed):
    """AUC on new people, that of their true risks, the error of their mean risk, and whether the model is linear."""
    name, _, curved = name.partition(":")
    world = CASES[name]
    if curved:
        risk = Curve(("x1", "x2"), steep_wave_and_steep_valley)
        world = replace(world, people=replace(world.people, outcome=risk))
    model = fit(wh.MixtureCureClassifier(learner=learner), wh.simulate(world, n=N_PEOPLE, seed=seed), READ[name])
    new = wh.simulate(replace(world, entry=None), n=N_NEW, seed=1_000_000 + seed)
    risk = model.predict_proba(new.frame()[list(new.feature_names)])[:, 1]
    error = risk.mean() - new.outcome_proba.mean()
    selection = model.fit_result_.selection
    is_linear = selection is None or selection.chosen == "linear"
    return roc_auc_score(new.positive, risk), roc_auc_score(new.positive, new.outcome_proba), error, is_linear


def default(arguments):
    n_seeds = int(arguments[0]) if arguments else 10
    learners = [name for name in arguments[1:] if name in LEARNERS] or LEARNERS
    names = [name for name in arguments[1:] if name not in LEARNERS] or READ
    print(f"{n_seeds} cohorts of {N_PEOPLE:,} people, default settings; judged on {N_NEW:,} new people")
    print(f"{'world':30s} {'learner':8s}     AUC  true risks           difference      mean risk error  linear")
    for name in names:
        for learner in learners:
            try:
                drawn = Parallel(n_jobs=-1)(delayed(judge_default)(name, learner, seed) for seed in range(n_seeds))
            except ArgumentError as refusal:
                print(f"{name:30s} {learner:8s} refused: {refusal}", flush=True)
                continue
            auc, oracle, error, is_linear = np.array(drawn).T
            print(
                f"{name:30s} {learner:8s} {auc.mean():7.4f} {oracle.mean():11.4f} {tell(auc - oracle):>20s} "
                f"{tell(error):>20s} {100 * is_linear.mean():6.0f}%",
                flush=True,
            )


def tell(values):
    return f"{values.mean():+9.4f} +- {values.std(ddof=1) / np.sqrt(values.size):.4f}"


def judge_way(name, records, seed):
    """Relative errors of the summed risks: against what happens without deaths, and against what comes before them."""
    cohort = wh.simulate(name, n=N_PEOPLE, seed=seed)
    model = fit(maximum_likelihood(), cohort, records)
    total = model.predict_proba(cohort.frame()[list(cohort.feature_names)])[:, 1].sum()
    net, deaths = total / cohort.outcome_proba.sum() - 1, cohort.world.deaths
    if deaths is None:
        return net, np.nan
    return net if deaths.latent else np.nan, total / cohort.lifetime_proba.sum() - 1


def ignored(arguments):
    n_seeds, names = int(arguments[0]) if arguments else 20, arguments[1:] or WAYS
    print(f"{n_seeds} cohorts of {N_PEOPLE:,} people, maximum likelihood; relative error of the summed true risks")
    print(f"{'world':24s} {'record':30s} {'ever, without deaths':>21s} {'rms':>6s} {'before death':>22s} {'rms':>6s}")
    for name in names:
        for way, records in WAYS[name].items():
            drawn = Parallel(n_jobs=-1)(delayed(judge_way)(name, records, seed) for seed in range(n_seeds))
            print(f"{name:24s} {way:30s} {' '.join(map(tell_with_spread, np.array(drawn).T))}", flush=True)


def tell_with_spread(errors):
    return " " * 29 if np.isnan(errors[0]) else f"{tell(errors):>22s} {np.sqrt(np.mean(errors**2)):6.3f}"


def seconds(model, cohort, records):
    """Processor time of a fit: what else runs on the machine does not count."""
    start = time.process_time()
    fit(model, cohort, records)
    return time.process_time() - start


def cost(arguments):
    settings = {"maximum likelihood": maximum_likelihood, "default": wh.MixtureCureClassifier}
    print(
        "processor time of the fit with the records over that of the fit without, 5 features, medians of five in turn"
    )
    print(f"{'world':24s} {'records':26s} {'people':>7s} {'settings':20s} {'plain, s':>9s} {'ratio':>6s}")
    for name in WAYS | {"clusters": None}:
        world, records = RECORD_WORLDS[name], READ[name] or ("competing",)
        for n in map(int, arguments or (4_000, 20_000)):
            cohort = wh.simulate(replace(world, people=replace(world.people, n_features=5)), n=n, seed=1)
            for setting, model in settings.items():
                rounds = [(seconds(model(), cohort, ()), seconds(model(), cohort, records)) for _ in range(5)]
                plain, read = np.median(rounds, axis=0)
                print(
                    f"{name:24s} {', '.join(records):26s} {n:7,d} {setting:20s} {plain:9.3f} {read / plain:6.2f}",
                    flush=True,
                )


def main(arguments):
    jobs = {"recovery": recovery, "default": default, "ignored": ignored, "cost": cost, "mixed": mixed}
    jobs[arguments[0]](arguments[1:])
