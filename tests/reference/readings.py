"""Coefficients of other programs in our parameterisation.

Ours: logit of the probability of the event (mixture) or log of the promotion rate; location of log time; log scale;
shape. A standard error is None where a change of parameters would need a covariance that the record does not have.
"""

import math

from tests.reference.cases import link_of


def read_package(record, case):
    """Estimates and standard errors of the package, by part and term."""
    rows = record["coefficients"]
    if case.family == "Cox mixture cure":  # a hundred resamples give standard errors to a digit
        has_errors = not record["id"].endswith("_boot")
        return {
            (_COX[row["part"]], _term(row["name"])): (row["estimate"], row["se"] if has_errors else None)
            for row in rows
        }
    if record["package"] == "MixtureRegLTIC":
        return {(_LTIC[row["part"]], _term(row["name"])): (row["estimate"], row["se"]) for row in rows}
    if record["package"] == "survival":
        errors = record.get("naive_se") or [row["se"] for row in rows]
        return {_survreg(row["name"]): (row["estimate"], se) for row, se in zip(rows, errors, strict=True)}
    named = {row["name"]: (row["estimate"], row["se"]) for row in rows}
    return _read_cure(named, record, case) if record["package"] == "cuRe" else _read_flexsurv(named, record, case)


def read_check(check, record, case):
    """The same of the independent optimiser."""
    read = {}
    for row in check["coefficients"]:
        kind, _, term = row["name"].partition(":")
        value = row["estimate"], row["se"]
        if kind == "cure":
            read["outcome", _term(term)] = _from_cured(value, record, case)
        else:
            read[_PARTS[kind], _term(term or "1")] = value
    return read


_COX = {"uncured_logit": "outcome", "latency_loghazard": "hazard"}
_LTIC = {"uncured_logit": "outcome", "latency_location": "location", "log_scale": "log scale"}
_PARTS = {"location": "location", "log(sigma)": "log scale", "Q": "shape"}


def read_directly(estimates, errors, case):
    """The same of a direct search over coefficients and baseline."""
    names = [("outcome", "intercept"), *(("outcome", name) for name in case.outcome)]
    names += [("hazard", name) for name in case.time]
    return dict(zip(names, zip(estimates, errors, strict=True), strict=True))


def _term(name):
    return "intercept" if name in ("1", "(Intercept)", "log(sigma)") else name


def _survreg(name):
    return ("log scale", "intercept") if name == "Log(scale)" else ("location", _term(name))


def _from_cured(value, record, case):
    """From the link of the cured fraction to ours."""
    estimate, error = value
    is_logit, wants_logit = link_of(record) in ("logistic", "logit"), case.family == "mixture cure"
    if is_logit and wants_logit:
        return -estimate, error
    if not is_logit and not wants_logit:
        return estimate, error  # log(-log(cured)) is the log of the promotion rate
    log_cured = -math.log1p(math.exp(-estimate)) if is_logit else -math.exp(estimate)
    if wants_logit:  # from log(-log) to the logit of the event
        return math.log(-math.expm1(log_cured)) - log_cured, error * math.exp(estimate) / -math.expm1(log_cured)
    return math.log(-log_cured), error * -math.expm1(log_cured) / -log_cured


def _weibull_hazards(log_rate, log_shape):
    """From S = exp(-rate t^shape) to location and log scale; the location's error would need their covariance."""
    location = -log_rate[0] * math.exp(-log_shape[0])
    return {("location", "intercept"): (location, None), ("log scale", "intercept"): (-log_shape[0], log_shape[1])}


def _read_cure(named, record, case):
    read = {
        ("outcome", _term(name[2:])): _from_cured(value, record, case)
        for name, value in named.items()
        if name.startswith("1.")
    }
    second, third = named["2.(Intercept)"], named["3.(Intercept)"]
    if case.distribution == "weibull":
        return read | _weibull_hazards(second, third)
    return read | {("location", "intercept"): second, ("log scale", "intercept"): third}


def _read_flexsurv(named, record, case):
    if "weibullPH" in record["call"]:
        read = {("outcome", "intercept"): _from_cured(named["theta"], record, case)}
        return read | _weibull_hazards(named["scale"], named["shape"])
    has_shape, read = case.distribution in ("weibull", "loglogistic"), {}
    for name, (estimate, error) in named.items():
        base, _, inside = name.rstrip(")").partition("(")
        if base in ("scale", "meanlog", "mu", "rate"):
            read["location", inside or "intercept"] = (-estimate if base == "rate" else estimate, error)
        elif base in ("shape", "sdlog", "sigma"):
            read["log scale", "intercept"] = (-estimate if has_shape else estimate, error)
        elif base == "Q":
            read["shape", "intercept"] = estimate, error
        else:
            read["outcome", "intercept" if base == "theta" else base] = _from_cured((estimate, error), record, case)
    return read
