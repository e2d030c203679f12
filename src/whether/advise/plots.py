"""Pictures of the evidence. Loaded only when drawn: matplotlib is slow to import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import norm

from whether.survival import SurvivalCurve

if TYPE_CHECKING:
    from whether.advise.evidence import Evidence
    from whether.advise.track_record import Backtest

EVENTS, FOLLOW_UP, LABELS = "#1b6ca8", "#8a8a8a", "#c8553d"
# Groups of people with similar follow-up in the picture of labels beside times.
N_GROUPS = 12


def draw_evidence(evidence: Evidence) -> Any:
    """Draw what there is: the curve of events with follow-up, labels by follow-up, and the features' effects.

    Parameters
    ----------
    evidence : Evidence
    """
    import matplotlib.pyplot as plt

    panels = [
        (draw_curves, evidence.follow_up is not None),
        (draw_labels, evidence.material.has_follow_up),
        (draw_drivers, evidence.dependence is not None and bool(evidence.dependence.time_drivers)),
    ]
    shown = [draw for draw, there in panels if there]
    if not shown:
        raise ValueError("There are no times and no follow-up in this evidence: nothing to draw.")
    figure, axes = plt.subplots(1, len(shown), figsize=(4.6 * len(shown), 3.8), squeeze=False, layout="constrained")
    for draw, ax in zip(shown, axes[0], strict=True):
        draw(evidence, ax)
    return figure


def draw_curves(evidence: Evidence, ax: Any) -> None:
    """Kaplan and Meier's curve of events with its band, and the curve of follow-up.

    Parameters
    ----------
    evidence : Evidence
    ax : matplotlib axes
    """
    found = evidence.follow_up
    assert found is not None
    if found.events is not None:
        curve = found.events.curve
        lower, upper = curve.interval()
        ax.fill_between(curve.times, lower, upper, step="post", color=EVENTS, alpha=0.2, linewidth=0)
        _step(ax, curve, EVENTS, "event-free")
        ax.axvline(found.events.last_event, color=EVENTS, linewidth=0.8, linestyle=":")
    _step(ax, found.curve, FOLLOW_UP, "still followed")
    if _is_skewed(found.curve.times):
        ax.set_xscale("log")
    reading = found.reading(trust_times=evidence.times_trusted)
    ax.set(xlabel="time", ylabel="share", ylim=(0, 1.02), title=f"The curve of events: {reading}")
    ax.legend(frameon=False, loc="best")


def draw_labels(evidence: Evidence, ax: Any) -> None:
    """Share labeled by length of follow-up, beside what the recorded event times say it should be.

    Parameters
    ----------
    evidence : Evidence
    ax : matplotlib axes
    """
    cohort, found = evidence.material.cohort, evidence.follow_up
    assert found is not None
    follow_up = cohort.required("follow_up")
    groups = np.array_split(np.argsort(follow_up, kind="stable"), min(N_GROUPS, max(1, cohort.n // 20)))
    center = np.array([np.median(follow_up[group]) for group in groups])
    share = np.array([cohort.labeled[group].mean() for group in groups])
    size = np.array([group.size for group in groups])
    error = norm.ppf(0.975) * np.sqrt(share * (1 - share) / size)
    ax.errorbar(center, share, error, fmt="o", color=LABELS, markersize=4, capsize=2, label="labeled")
    if found.events is not None:
        curve = found.events.curve
        ax.step(curve.times, 1 - curve.survival, where="post", color=EVENTS, label="by recorded times")
    if _is_skewed(follow_up):
        ax.set_xscale("log")
    trust = evidence.trust
    title = "Labels by follow-up" if trust is None else f"Event times: {trust.reading}"
    ax.set(xlabel="potential follow-up", ylabel="share with the event", ylim=(0, None), title=title)
    ax.legend(frameon=False, loc="best")


def draw_drivers(evidence: Evidence, ax: Any) -> None:
    """Effects of the features that drive event times.

    Parameters
    ----------
    evidence : Evidence
    ax : matplotlib axes
    """
    assert evidence.dependence is not None
    drivers = evidence.dependence.time_drivers[:12][::-1]
    effects = np.array([driver.effect for driver in drivers])
    errors = np.abs(effects / np.array([driver.z for driver in drivers]))
    ax.errorbar(effects, np.arange(len(drivers)), xerr=1.96 * errors, fmt="o", color=EVENTS, markersize=4, capsize=2)
    ax.axvline(0, color="0.7", linewidth=1)
    ax.set_yticks(np.arange(len(drivers)), [driver.feature for driver in drivers])
    ax.set(xlabel="effect on log time, in its spreads", title="What drives event times")
    ax.margins(y=0.15)


def draw_backtest(record: Backtest) -> Any:
    """Draw the AUC of each row of a backtest with its interval, and the paired differences from LR beside it.

    Parameters
    ----------
    record : Backtest
    """
    import matplotlib.pyplot as plt

    from whether.methods import METHODS

    names = list(record.scores)[::-1]
    panels = [("AUC", {name: record.interval(name) for name in names})]
    if "LR" in record.scores:
        panels.append(("AUC minus that of LR", {name: record.difference(name) for name in names if name != "LR"}))
    figure, axes = plt.subplots(
        1, len(panels), figsize=(4.8 * len(panels), 1.3 + 0.32 * len(names)), sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for (title, found), ax in zip(panels, axes[0], strict=True):
        for name, interval in found.items():
            # A limit that is not known leaves the point alone.
            limits = np.nan_to_num(
                [[interval.estimate - interval.lower], [interval.upper - interval.estimate]], nan=0.0
            )
            color = EVENTS if name in METHODS else FOLLOW_UP
            ax.errorbar(
                interval.estimate, names.index(name), xerr=limits, fmt="o", color=color, markersize=5, capsize=3
            )
        ax.set(xlabel=f"{title} ({100 * record.level:g} % interval)")
        ax.grid(axis="x", color="0.9")
        ax.set_axisbelow(True)
    axes[0, 0].set_yticks(range(len(names)), names)
    if len(panels) > 1:
        axes[0, 1].axvline(0, color="0.6", linewidth=1)
    axes[0, 0].margins(y=0.08)
    return figure


def _step(ax: Any, curve: SurvivalCurve, color: str, label: str) -> None:
    ax.step(
        np.append(curve.times[0], curve.times), np.append(1.0, curve.survival), where="post", color=color, label=label
    )


def _is_skewed(times: Any) -> bool:
    """Whether most of the times would be squeezed into a corner of a linear axis."""
    return float(np.median(times)) < 0.05 * float(np.max(times))
