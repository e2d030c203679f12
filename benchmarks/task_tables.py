"""Simulated tables for the tasks: one cohort in the forms in which people have it."""

import sqlite3

import numpy as np
import pandas as pd

import whether as wh

N = 600


def make_people(n=N, seed=0):
    """A cohort with an id, numbers, categories, a postal code and times in years."""
    cohort = wh.simulate("partially-dependent", n=n, seed=seed)
    rng = np.random.default_rng(seed)
    scale = 0.25  # so that follow-up lasts a few years
    return pd.DataFrame(
        {
            "patient": [f"P{number:05d}" for number in range(n)],
            "age": np.round(60 + 10 * cohort.X[:, 0], 1),
            "marker": np.round(np.exp(cohort.X[:, 1]), 3),
            "stage": np.where(cohort.X[:, 2] > 0.4, "III", np.where(cohort.X[:, 2] > -0.4, "II", "I")),
            "bmi": np.round(26 + 4 * cohort.X[:, 3], 1),
            "postcode": rng.choice(["01067", "01069", "04109"], n),
            "relapse": cohort.y.astype(int),
            "years": np.round(scale * cohort.time + 0.001, 4),
            "watched": np.round(scale * cohort.follow_up + 0.001, 4),
        }
    )


def write_tables(folder):
    """Write all tables of the tasks into a folder."""
    people = make_people()
    short = people.drop(columns=["watched", "postcode"])
    people.to_csv(folder / "clinic.csv", index=False)
    short.to_csv(folder / "relapse.csv", index=False)
    _write_other_formats(folder, short)
    _write_records(folder, short)
    _write_trouble(folder, short)


def _write_other_formats(folder, people):
    import pyreadstat

    with pd.ExcelWriter(folder / "clinic.xlsx") as book:
        pd.DataFrame({"note": ["made for the tasks"]}).to_excel(book, sheet_name="About", index=False)
        people.to_excel(book, sheet_name="Patients", index=False)
    coded = people.assign(stage=people.stage.map({"I": 1, "II": 2, "III": 3}))
    stages, events = {1: "I", 2: "II", 3: "III"}, {0: "no", 1: "yes"}
    coded.to_stata(folder / "clinic.dta", value_labels={"stage": stages, "relapse": events}, write_index=False)
    labels = {"stage": stages, "relapse": events}
    pyreadstat.write_sav(coded, str(folder / "clinic.sav"), variable_value_labels=labels)
    people.to_csv(folder / "german.csv", sep=";", decimal=",", index=False, encoding="latin-1")
    people[: N // 2].to_csv(folder / "part-1.csv", index=False)
    people[N // 2 :].to_csv(folder / "part-2.csv", index=False)
    people.to_parquet(folder / "clinic.parquet", index=False)
    with sqlite3.connect(folder / "clinic.sqlite") as base:
        people.to_sql("patients", base, index=False)
    new = people[:40].drop(columns=["relapse", "years"]).assign(event_free=1.5)
    new.to_csv(folder / "new.csv", index=False)
    new.drop(columns="age").to_csv(folder / "no-age.csv", index=False)
    new.assign(age=[240.0, *new.age[1:]]).to_csv(folder / "age-240.csv", index=False)


def _write_records(folder, people):
    rng = np.random.default_rng(1)
    status = np.where(people.relapse == 1, "relapse", np.where(rng.random(N) < 0.3, "died", "alive"))
    people.drop(columns="relapse").assign(status=status).to_csv(folder / "deaths.csv", index=False)
    surgery = pd.Timestamp("2010-01-01") + pd.to_timedelta(rng.integers(0, 2000, N), unit="D")
    days = np.ceil(365.25 * people.years.clip(upper=40).to_numpy())  # a calendar has no room for drawn centuries
    end = surgery + pd.to_timedelta(days.astype(int), unit="D")
    dated = people.drop(columns=["relapse", "years"]).assign(
        surgery=surgery.date, relapsed=np.where(people.relapse == 1, end.date, None), last_seen=end.date
    )
    dated.to_csv(folder / "dates.csv", index=False)
    late = wh.simulate("late-entry", n=N, seed=2)
    known = {"event": late.y.astype(int), "time": late.time, "entered": late.entry_time}
    pd.DataFrame({**{f"x{i}": late.X[:, i] for i in range(late.X.shape[1])}, **known}).to_csv(
        folder / "registry.csv", index=False
    )
    before = np.where(people.relapse == 1, np.floor(2 * people.years) / 2, np.nan)
    visit = np.where(people.relapse == 1, np.ceil(2 * people.years) / 2, people.years)
    people.assign(years=visit, free_at=before).to_csv(folder / "visits.csv", index=False)
    people.assign(patient=[f"P{number // 2:05d}" for number in range(N)]).to_csv(folder / "eyes.csv", index=False)


def _write_trouble(folder, people):
    people.assign(relapse=1).to_csv(folder / "everybody.csv", index=False)
    people.assign(relapse=0).to_csv(folder / "nobody.csv", index=False)
    early = people.years > 0.6
    people.assign(relapse=np.where(early, 0, people.relapse), years=np.minimum(people.years, 0.6)).to_csv(
        folder / "short.csv", index=False
    )
    people.assign(bmi=np.where(np.arange(N) % 9 == 0, -99, people.bmi)).to_csv(folder / "codes.csv", index=False)
    people.assign(cause=np.where(people.relapse == 1, "tumour", "")).to_csv(folder / "leak.csv", index=False)
    people.drop(columns="years").to_csv(folder / "no-times.csv", index=False)
    (folder / "damaged.csv").write_bytes(b"\x00\x01\x02 no table\xff\xfe")
    (folder / "thesis.txt").write_text("Chapter one.\n")
