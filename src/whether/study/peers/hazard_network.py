"""pycox: a network for the hazards of discrete times, with the settings of its introductory notebook."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from whether.study.peers.adapter import Array, Labels, SurvivalPeer, standardize

_INTERVALS, _LAYERS, _DROPOUT, _RATE = 10, [32, 32], 0.1, 0.01
_BATCH, _EPOCHS, _VALIDATION = 256, 100, 0.2


class LogisticHazardNetwork(SurvivalPeer):
    """Two layers of 32 units with dropout, ten intervals, early stopping on a fifth of the rows.

    The intervals are quantiles of the event times: equally wide ones put most events of a skewed cohort into the first.
    Its answer is the risk by the last cut but one.
    """

    def fit(self, X: Array, y: Labels, *, time: Array, follow_up: Array) -> LogisticHazardNetwork:
        """Fit to events and times."""
        import torch

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.random_state)
            self._train(X, y, time)
        return self

    def _train(self, X: Array, y: Labels, time: Array) -> None:
        import torchtuples
        from pycox.models import LogisticHazard

        self.center_, self.spread_ = standardize(X)
        held = np.random.default_rng(self.random_state).random(X.shape[0]) < _VALIDATION
        transform = LogisticHazard.label_transform(_INTERVALS, scheme="quantiles")
        transform.fit_transform(time[~held].astype("float32"), y[~held].astype("float32"))
        parts = []
        for rows in (~held, held):
            target = transform.transform(time[rows].astype("float32"), y[rows].astype("float32"))
            parts.append((self._scale(X[rows]), target))
        network = torchtuples.practical.MLPVanilla(X.shape[1], _LAYERS, transform.out_features, True, _DROPOUT)
        model = LogisticHazard(network, torchtuples.optim.Adam(_RATE), duration_index=transform.cuts)
        with (
            tempfile.TemporaryDirectory() as folder
        ):  # it keeps the best weights in a file, by default beside the user's
            stop = [torchtuples.callbacks.EarlyStopping(file_path=str(Path(folder) / "best.pt"))]
            model.fit(*parts[0], _BATCH, _EPOCHS, stop, verbose=False, val_data=parts[1])
        self.model_, self.cuts_ = model, np.asarray(transform.cuts, dtype=float)
        # Censored people count as followed to the cut before, so that in the last interval only events are left.
        self.end_ = float(self.cuts_[-2])

    def _scale(self, X: Array) -> np.ndarray:
        return ((X - self.center_) / self.spread_).astype("float32")

    def _survival(self, X: Array, times: Array) -> Array:
        curves = np.asarray(self.model_.predict_surv(self._scale(X)), dtype=float)
        return np.array([np.interp(times, self.cuts_, curve) for curve in curves])
