"""Which models of other packages the field study has: a row each.

A row is a method like those of the catalogue, so that plans, stores, tables and figures treat them alike. Its adapter
is imported when it is built: nobody needs a package for a study that does not call it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

from whether.estimators import CensoredClassifier, LabelClassifier
from whether.methods import Look, Method
from whether.palette import GREEN, GREY, ORANGE, PINK, SKY
from whether.study.errors import StudyError


@dataclass(frozen=True)
class Peer(Method):
    """A model of another package.

    Attributes
    ----------
    package : str
        What pip calls the package.
    modules : tuple of str
        What its adapter imports, which is done before the clock runs.
    adapter : str
        Module and class in this folder.
    cost : float
        Seconds that a fit takes compared with a linear cure model of ours, roughly.
    """

    package: str = ""
    modules: tuple[str, ...] = ()
    adapter: str = ""
    cost: float = 1.0

    @property
    def installed(self) -> bool:
        """Whether the package is there."""
        return is_installed(self.modules[0].partition(".")[0])

    def build(self, features: Sequence[str | int] | None = None, **parameters: Any) -> CensoredClassifier:
        """Return the model, not fitted; it is told the seed and nothing else."""
        if not self.installed:
            raise StudyError(f"{self.package} is not installed: pip install 'whether[peers]'.")
        for module in self.modules:
            import_module(module)
        module, _, name = self.adapter.partition(".")
        adapter = getattr(import_module(f"whether.study.peers.{module}"), name)
        return cast(CensoredClassifier, adapter(parameters.get("random_state")))


def is_installed(module: str) -> bool:
    """Whether a package can be imported; it is not."""
    return find_spec(module) is not None


_IMPORTS = {
    "scikit-learn": ("sklearn.linear_model", "sklearn.pipeline", "sklearn.preprocessing"),
    "lightgbm": ("lightgbm",),
    "pulearn": ("pulearn", "sklearn.linear_model", "sklearn.pipeline", "sklearn.preprocessing"),
    "lifelines": ("lifelines.fitters", "lifelines.exceptions", "autograd.numpy", "autograd.scipy.special"),
    "scikit-survival": ("sksurv.linear_model", "sksurv.ensemble", "sksurv.util"),
    "pycox": ("pycox.models", "torchtuples"),
}


def _row(name: str, package: str, adapter: str, cost: float, restriction: str, look: tuple[str, str]) -> Peer:
    color, marker = look
    shown = Look(f"{name} ({package})", color, marker, ":")
    return Peer(
        name,
        LabelClassifier,  # stands in for the adapter, which is imported late
        restriction,
        (),
        "",
        in_paper=False,
        look=shown,
        package=package,
        modules=_IMPORTS[package],
        adapter=adapter,
        cost=cost,
    )


_SEEN, _BY_THE_END, _CONSTANT = "none: every positive is seen", "none: the event by the end of the data", "constant"
PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        _row("LogisticRegression", "scikit-learn", "labels.Logistic", 0.05, _SEEN, (GREY, "1")),
        _row("LightGBM", "lightgbm", "labels.Trees", 0.5, _SEEN, (GREY, "2")),
        _row("Elkan-Noto", "pulearn", "positive_unlabeled.ElkanNoto", 0.1, _CONSTANT, (ORANGE, "1")),
        _row("nnPU-pulearn", "pulearn", "positive_unlabeled.NonNegative", 0.5, _CONSTANT, (ORANGE, "2")),
        _row("Weibull-cure", "lifelines", "cure.WeibullMixture", 6.0, "event times", (PINK, "1")),
        _row("Cox", "scikit-survival", "survival.Cox", 0.3, _BY_THE_END, (SKY, "1")),
        _row("GradientBoosting", "scikit-survival", "survival.Boosting", 8.0, _BY_THE_END, (SKY, "2")),
        _row("LogisticHazard", "pycox", "hazard_network.LogisticHazardNetwork", 6.0, _BY_THE_END, (GREEN, "1")),
    )
}
