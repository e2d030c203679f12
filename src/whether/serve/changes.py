"""What can be said of a table on the page: from what the page sends to options and settings."""

from __future__ import annotations

import math
from typing import Any

from whether.serve.choices import Options, give_endpoint, give_role, give_values, tell_apart
from whether.serve.work import Work
from whether.validate import ArgumentError

QUESTIONS = ("lifetime", "net")
LEARNERS = ("linear", "boosted", "auto")

Said = dict[str, Any]


def _role(work: Work, said: Said) -> tuple[Options, Said]:
    column = str(said["column"])
    return give_role(work.settled(), column, str(said["role"]), is_leak=work.is_leak(column)), work.settings


def _by(work: Work, said: Said) -> tuple[Options, Said]:
    return tell_apart(work.settled(), str(said["column"]), bool(said["wanted"])), work.settings


def _values(work: Work, said: Said) -> tuple[Options, Said]:
    meanings = {str(value): str(meaning) for value, meaning in dict(said["meanings"]).items()}
    return give_values(work.settled(), meanings), work.settings


def _settings(work: Work, said: Said) -> tuple[Options, Said]:
    """Take the assumptions; what is empty is left to the program."""
    settings: Said = {"backtest": said.get("backtest") is not False}
    for name, allowed in (("question", QUESTIONS), ("learner", LEARNERS)):
        if said.get(name) in allowed:
            settings[name] = said[name]
    for name, longest in (("unit", 40), ("sheet", 100)):
        text = str(said.get(name) or "").strip()
        if text:
            settings[name] = text[:longest]
    for name in ("prevalence", "prevalence_error"):
        share = _read_share(said.get(name), name)
        if share is not None:
            settings[name] = share
    endpoint = str(said.get("endpoint") or "").strip()
    options = work.options
    if endpoint != options.get("endpoint", ""):
        options = give_endpoint(work.settled(), endpoint[:40])
    return options, settings


def _read_share(given: Any, name: str) -> float | None:
    """A share that was given in percent."""
    if given in (None, ""):
        return None
    try:
        percent = float(given)
    except (TypeError, ValueError):
        percent = math.nan
    if not 0 < percent < 100:
        what = "The known share" if name == "prevalence" else "Its standard error"
        raise ArgumentError(f"{what} must lie between 0 and 100 %, got {str(given)[:40]!r}.")
    return float(f"{percent / 100:.6g}")


CHANGES = {"role": _role, "by": _by, "values": _values, "settings": _settings}
