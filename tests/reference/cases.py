"""Which model a record is: ours under another name, or one that we do not have, and why."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

import whether as wh
from tests.reference.cox_direct import People
from tests.reference.records import BREAST_CANCER, has_table, read_table

COVARIATES = {
    "e1684": ("treatment", "sex", "age"),
    "colon_ncctg": ("lev5fu", "node4", "male", "age10"),
    "rotterdam": ("age10", "lognodes", "grade3", "hormon"),
    "nwts": ("histol", "stage34", "age", "tumdiam"),
    "fertility": ("age", "parity", "prev_interval"),
    BREAST_CANCER: (),
}
DISTRIBUTIONS = {
    "weibull": "weibull", "weibullPH": "weibull", "lnorm": "lognormal", "lognormal": "lognormal",
    "llogis": "loglogistic", "loglogistic": "loglogistic", "exp": "exponential", "gengamma": "gengamma",
}  # fmt: skip
# A family of models is one entry: the class that fits it, and the links of the cured fraction that it can express
# with features (without any, every link is the same model).
FAMILIES = {
    "mixture cure": (wh.MixtureCureClassifier, ("logistic", "logit")),
    "promotion time": (wh.PromotionTimeClassifier, ("loglog",)),
    "no cure": (wh.AFTClassifier, ("",)),
    "Cox mixture cure": (wh.CoxCureClassifier, ("logistic",)),
}
COX = ("smcure", "intsurv", "penPHcure", "curephEM", "own EM (em_check.py)")
# From when on people are known to be cured, in the records that have such people.
CURED_FROM = {"e1684": 6.0, "colon_ncctg": 6.5}
OTHER_MODELS = {
    "GORCure": "interval-censored times, and a spline for the baseline",
    "nltm": "promotion time with a free baseline",
    "miCoPTCM": "promotion time with a free baseline",
    "npcure": "no model: its shares are compared below; its curves of positives and its test we do not have",
    "npcurePK": "no model: compared below",
    "cmprsk": "competing causes",
    "NPMLEcmprsk": "competing causes",
}


@dataclass(frozen=True)
class Case:
    """A model of ours and the people it is fitted to; equal cases are the same model."""

    family: str
    distribution: str
    table: str
    outcome: tuple[str, ...]
    time: tuple[str, ...]
    weighted: bool = False
    late: bool = False  # people who entered late, and only those who were there to enter
    visits: bool = False  # events between two visits
    cured_from: float | None = None  # time from which on people are known to be cured, their events set to 0

    def fit(self):
        """Fit by maximum likelihood."""
        if self.family == "Cox mixture cure":
            return self._fit_cox()
        table, used = read_table(self.table), sorted({*self.outcome, *self.time})
        table = table[table["entered"] == 1] if self.late else table
        parts = {"outcome_features": list(self.outcome), "time_features": list(self.time)}
        parts = {} if self.family == "no cure" else parts
        model = FAMILIES[self.family][0](distribution=self.distribution, penalty=None, **parts)
        weight = table["weight"] if self.weighted else None
        return model.fit(table[used].astype(float), sample_weight=weight, **self._observed(table))

    def _fit_cox(self):
        """The distribution is the rule for ties; people known to be cured take the place of a closed tail."""
        people, tail = self.cox_people(), "zero" if self.cured_from is None else "open"
        model = wh.CoxCureClassifier(ties=self.distribution, tail=tail, penalty=None)
        table, known = pd.DataFrame(people.features, columns=self.time), {"entry_time": people.entry}
        known |= {} if self.cured_from is None else {"known_negative": people.cured}
        return model.fit(table, people.event.astype(int), time=people.time, **known)

    def cox_people(self):
        """The people of a Cox model as a second program takes them, who are cured when followed beyond all events."""
        table = read_table(self.table)
        table = table[table["entered"] == 1] if self.late else table
        time, event = table["time"].to_numpy(), table["event"].to_numpy() == 1
        if self.cured_from is None:
            cured = ~event & (time > time[event].max())
        else:
            cured, event = time >= self.cured_from, event & (time < self.cured_from)
        entry = table["entry"].to_numpy() if self.late else np.zeros(len(table))
        return People(table[list(self.time)].to_numpy(float), event, time, cured, entry)

    def _observed(self, table):
        """Event and times, between visits if asked for: kinds are 0 without, 1 exact, 2 before `right`, 3 between."""
        entry = {"entry_time": table["entry"]} if self.late else {}
        if not self.visits:
            return {"y": table["event"], "time": table["time"], **entry}
        between = table["kind"] >= 2
        lower = np.where(table["kind"] == 2, 0.0, np.where(table["kind"] == 3, table["left"], np.nan))
        times = {"time": np.where(between, table["right"], table["left"]), "time_lower": lower}
        return {"y": table["kind"] > 0, **times, **entry}


def find_case(record):
    """Return the case of a record, or the reason why it has none."""
    reason = _find_difference(record)
    if reason:
        return reason
    if record["package"] in COX:
        return _find_cox(record)
    family, design = _family(record), _design(record)
    table = BREAST_CANCER if record["id"].startswith("bc_") else record["data"].split(" ")[0]
    named = COVARIATES[table]
    outcome = named if design in ("cure", "both") else ()
    time = named if design in ("both", "latency") else ()
    if not has_table(table):
        return f"the table {table!r} is not at hand"
    if outcome and link_of(record) not in FAMILIES[family][1]:
        return f"another link of the cured fraction ({link_of(record)})"
    words = record["id"].split("_")
    kinds = "weighted" in words, bool({"lt", "ltic"} & {*words[1:]}), bool({"ic", "ltic"} & {*words[1:]})
    return Case(family, DISTRIBUTIONS[_distribution(record)], table, outcome, time, *kinds)


def _find_cox(record):
    """Efron's rule is penPHcure's if asked for; curephEM has it in one of its steps, over a baseline by Breslow's."""
    table, name = record["data"], record["id"]
    ties = "efron" if record["package"] == "penPHcure" and record["ties"] == "efron" else "breslow"
    cured_from = CURED_FROM[table] if "knowncured" in name else None
    named = COVARIATES[table]
    return Case("Cox mixture cure", ties, table, named, named, late="lefttrunc" in name, cured_from=cured_from)


def _find_difference(record):
    name = record["id"]
    if record["package"] in OTHER_MODELS:
        return OTHER_MODELS[record["package"]]
    if name.startswith("coxph_"):
        return "promotion time with a free baseline"
    if "_good" in name:
        return "another link of the cured fraction (loglog), and prognostic groups that are not at hand"
    return ""


def _family(record):
    name = record["id"]
    if name.startswith("survreg_"):
        return "no cure"
    return "promotion time" if "nonmix" in name or "nmixture" in name else "mixture cure"


def _design(record):
    """Which parts have covariates."""
    if record["id"].startswith("survreg_"):
        return "latency"
    if record["id"].startswith("bc_"):
        return "none"
    if record.get("design"):
        return record["design"]
    return next(word for word in record["id"].split("_")[::-1] if word in ("none", "cure", "both"))


def _distribution(record):
    if record.get("distribution"):
        return record["distribution"]
    return next(word for word in record["id"].split("_") if word in DISTRIBUTIONS)


def link_of(record):
    """Link of the cured fraction."""
    if record["id"].startswith("survreg_"):
        return ""
    if record.get("link"):
        return record["link"]
    if record["package"] == "cuRe":
        return "logit" if record["model"] == "mixture" else "loglog"
    return next((word for word in record["id"].split("_") if word in ("logistic", "loglog")), "logistic")
