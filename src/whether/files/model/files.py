"""Saving a fitted classifier, and opening it again."""

from __future__ import annotations

import json
import os
import re
import warnings
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from whether.estimators import CensoredClassifier
from whether.estimators.intervals import risk_intervals
from whether.estimators.parameters import check_parameters
from whether.files.model import archive
from whether.files.model.archive import DESCRIPTION, STEPS, ModelFileError, require
from whether.files.model.boosted_state import BOOSTED_KINDS
from whether.files.model.can_be_saved import check_can_be_saved
from whether.files.model.codec import Kind, Packer, Unpacker, record
from whether.files.model.hindsight_state import HINDSIGHT_KINDS
from whether.files.model.linear_state import LINEAR_KINDS, LONGEST, propensity_kinds
from whether.files.model.neural_state import NEURAL_KINDS
from whether.files.model.pipeline_steps import pack_steps, put_together, take_apart
from whether.files.model.refits_state import REFIT_KINDS
from whether.files.model.when import when_columns
from whether.files.table import Encoder, Finding, open_table
from whether.files.table.encoder import CategoryPlan, NumberPlan
from whether.files.table.roles import check_column
from whether.learners.parallel import one_blas_thread
from whether.methods import METHODS

VERSION = version("whether")
FORMAT = "whether model"
FORMAT_VERSION = 1
MOST_FEATURES = 100_000
LARGEST_FILE = 2**31


def known_classifiers() -> dict[str, type[CensoredClassifier]]:
    """Classifiers that a file may name: those of the catalogue."""
    return {method.estimator.__name__: method.estimator for method in METHODS.values()}


def known_parts() -> dict[str, Kind]:
    """Parts that a model in a file may be made of."""
    plans = {"NumberPlan": record(NumberPlan), "CategoryPlan": record(CategoryPlan)}
    encoding = {**plans, "Encoder": record(Encoder, _check_encoder)}
    fits = {**LINEAR_KINDS, **BOOSTED_KINDS, **NEURAL_KINDS, **HINDSIGHT_KINDS, **REFIT_KINDS}
    return {**propensity_kinds(), **fits, **encoding}


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds.

    Attributes
    ----------
    model : CensoredClassifier or Pipeline
        The fitted classifier, or the pipeline that ends in it.
    encoder : Encoder or None
        Turns the columns of a table into the classifier's features.
    method : str
        Name in the catalogue, where it was saved under one.
    training : dict
        What the file says about the training: people, events, notes.
    library_version : str
        Version of whether that wrote it.
    """

    model: Any
    encoder: Encoder | None = None
    method: str = ""
    training: dict[str, Any] = field(default_factory=dict)
    library_version: str = VERSION

    def predict(
        self, table: Any, *, level: float = 0.95, within: float | None = None, event_free_for: str | None = None
    ) -> pd.DataFrame:
        """Risks of the people in a table as it is, with categories and gaps: what ``whether predict`` writes.

        Parameters
        ----------
        table : path-like, data frame or pyarrow.Table
            With the columns of the training table that became features.
        level : float
            Confidence level of the intervals.
        within : float, optional
            Length of a window, in the unit of the times of the fit; for models of event times.
        event_free_for : str, optional
            Column that says for how long each person has been observed without the event.

        Returns
        -------
        DataFrame
            ``risk``, the probability that the event ever happens, and where the model has intervals ``risk_lower`` and
            ``risk_upper``; with ``event_free_for``, ``still_to_come``, the probability that the event still happens;
            with ``within``, ``risk_within``, that it does within the window. One row per row of the table.
        """
        opened = open_table(table)
        wanted = self.table_encoder().columns_among(opened.column_names)
        if event_free_for is not None:
            check_column(event_free_for, opened.column_names)
            wanted = list(dict.fromkeys([*wanted, event_free_for]))
        return self.predict_rows(opened.read(wanted), level, [], within, event_free_for)

    def table_encoder(self) -> Encoder:
        """Return the encoder; a model that was not made from a table has none, and is refused."""
        if self.encoder is None:
            raise ModelFileError(
                "The model was not made from a table by `whether fit` or `whether analyze`, so it does not know how to "
                "read one. Give its classifier, `model`, the features it was fitted to."
            )
        return self.encoder

    def predict_rows(
        self,
        table: pa.Table,
        level: float,
        findings: list[Finding],
        within: float | None = None,
        event_free_for: str | None = None,
    ) -> pd.DataFrame:
        """Risks of the rows of a table; the findings get what was done to its columns."""
        features = self.table_encoder().encode_table(table, findings)
        frame = pd.DataFrame(features, columns=list(self.table_encoder().features), copy=False)
        with one_blas_thread():  # threads would divide the rows otherwise and change a risk's last digit
            columns = {"risk": self.model.predict_proba(frame)[:, 1]}
            when = when_columns(self.model, self.method, frame, table, within, event_free_for)
            intervals = risk_intervals(self.model, frame, level)
        if intervals is not None:
            columns["risk_lower"], columns["risk_upper"] = intervals
        return pd.DataFrame(columns | when)


def save_model(
    model: Any,
    path: str | os.PathLike[str],
    *,
    encoder: Encoder | None = None,
    method: str = "",
    training: dict[str, Any] | None = None,
) -> None:
    """Save a fitted classifier; the file is there whole or not at all.

    Parameters
    ----------
    model : CensoredClassifier or Pipeline
        With a linear, boosted or neural model. The random state and metadata requests are not saved. A pipeline that
        ends in such a classifier needs the package skops, and steps of types that skops trusts.
    path : path-like
    encoder : Encoder, optional
        What made the features of a table.
    method : str, optional
        Name in the catalogue of methods.
    training : dict, optional
        Anything in plain JSON that is to be kept about the training.

    Examples
    --------
    >>> import tempfile, whether as wh
    >>> cohort = wh.simulate("baseline", n=500, seed=0)
    >>> model = wh.LabelClassifier().fit(cohort.X, cohort.y)
    >>> path = Path(tempfile.mkdtemp()) / "model.whether"
    >>> wh.save_model(model, path)
    >>> bool((wh.load_model(path).model.predict_proba(cohort.X) == model.predict_proba(cohort.X)).all())
    True
    """
    model, steps = take_apart(model)
    check_can_be_saved(model, known_classifiers())
    parameters = {**model.get_params(deep=False), "random_state": None}
    # What scikit-learn is to route to the next fit, and who asked for risks, is no part of the fit.
    left_out = (*parameters, "_metadata_request", "compared_with_labels_")
    fitted = {name: value for name, value in vars(model).items() if name not in left_out}
    packer = Packer(known_parts())
    description = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "whether_version": VERSION,
        "method": method,
        "classifier": type(model).__name__,
        "parameters": {name: packer.pack(value) for name, value in parameters.items()},
        "features": model._names(),
        "encoder": packer.pack(encoder),
        "training": training or {},
        "fitted": {name: packer.pack(value) for name, value in fitted.items()},
    }
    members = {DESCRIPTION: json.dumps(description, indent=1, allow_nan=False).encode()}
    members |= {f"arrays/{number}.npy": archive.array_to_bytes(array) for number, array in enumerate(packer.arrays)}
    archive.write_archive(path, members | pack_steps(steps))


def load_model(path: str | os.PathLike[str]) -> ModelFile:
    """Open a model file; its classifier predicts the same to the last bit.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    ModelFile
        ``model`` is the classifier; ``predict`` takes tables as they are, where it was fitted to one.

    Raises
    ------
    ModelFileError
        If the file is no model, is damaged, or was written by a newer version. Nothing in a file is ever executed.
    """
    where = Path(path)
    if not where.is_file():
        raise ModelFileError(f"There is no file {str(path)!r}.")
    if where.stat().st_size > LARGEST_FILE:
        raise ModelFileError(f"{str(path)!r} is too large to be a model file: it has more than 2 GB.")
    content = where.read_bytes()
    if not content.startswith(b"PK\x03\x04"):
        raise ModelFileError(
            f"{str(path)!r} is not a model file of whether. `whether predict` takes the model first, then the table."
        )
    try:
        return _restore(path, archive.read_archive(content))
    except ModelFileError as error:
        if str(error).startswith(repr(str(path))):
            raise
        raise ModelFileError(f"{str(path)!r} is damaged: {error}.") from error
    # Whatever goes wrong while plain data are put together means that they do not belong together.
    except Exception as error:
        raise ModelFileError(f"{str(path)!r} is damaged, or not a model file of whether.") from error


def _restore(path: str | os.PathLike[str], members: dict[str, bytes]) -> ModelFile:
    description = json.loads(members[DESCRIPTION])
    _check_version(path, description)
    arrays = {
        int(Path(name).stem): archive.array_from_bytes(content)
        for name, content in members.items()
        if name.startswith("arrays/")
    }
    unpacker = Unpacker(known_parts(), arrays)
    model = known_classifiers()[description["classifier"]](
        **{name: unpacker.unpack(value) for name, value in description["parameters"].items()}
    )
    for name, value in description["fitted"].items():
        require(re.fullmatch(r"[a-z][a-z_0-9]*_", name), f"{name[:60]!r} is no attribute of a model")
        part = unpacker.unpack(value)
        is_short = name == "feature_names_in_" or np.size(part) <= LONGEST if isinstance(part, np.ndarray) else True
        require(is_short, "a part is too long")
        setattr(model, name, part)
    encoder = unpacker.unpack(description["encoder"])
    _try_out(model, description["features"], encoder)
    whole = put_together(model, members.get(STEPS))
    said = str(description["method"]), dict(description["training"]), str(description["whether_version"])
    return ModelFile(whole, encoder, *said)


def _check_version(path: str | os.PathLike[str], description: dict[str, Any]) -> None:
    if description["format"] != FORMAT:
        raise ModelFileError(f"{str(path)!r} is not a model file of whether.")
    number = description["format_version"]
    require(isinstance(number, int) and number >= 1, "its format has no version")
    if number > FORMAT_VERSION:
        raise ModelFileError(
            f"{str(path)!r} was written by a newer whether ({str(description['whether_version'])[:20]}, format "
            f"{number}); this one ({VERSION}) reads format {FORMAT_VERSION}. Update it."
        )


def _try_out(model: CensoredClassifier, features: list[str], encoder: Encoder | None) -> None:
    """Predict a few people: parts that do not fit together, or give no number, fail here and not later."""
    is_named = len(features) == model.n_features_in_ <= MOST_FEATURES and model._names() == features
    require(is_named, "the names of the features do not fit")
    require(encoder is None or list(encoder.features) == features, "the encoder makes other features")
    check_parameters(model.get_params(deep=False))
    people: Any = np.array([[0.0], [1.0], [-1.0]]) * np.ones(len(features))
    if hasattr(model, "feature_names_in_"):
        people = pd.DataFrame(people, columns=features)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they may be far from all data
        for predicted, shape in ((model.predict_proba(people), (3, 2)), (model.predict_propensity(people), (3,))):
            require(predicted.shape == shape, "its predictions have the wrong shape")
            require(np.isfinite(predicted).all(), "its predictions are not numbers")
        limits = risk_intervals(model, people, 0.95)
        require(limits is None or np.isfinite(limits).all(), "its intervals are not numbers")


def _check_encoder(encoder: Encoder) -> None:
    """Refuse one that makes other features than it says, or of columns that are not plain."""
    levels = [plan.levels for plan in encoder.plans if isinstance(plan, CategoryPlan)]
    require(all(levels), "a column has no categories")
    made = [name for plan in encoder.plans for name in plan.outputs()]
    for names in (made, encoder.features, encoder.ids, *levels):
        require(len(set(names)) == len(names), "a name occurs twice")
    require(set(encoder.features) <= set(made), "features and columns do not belong together")
