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

from whether.estimators import CensoredClassifier
from whether.estimators.parameters import check_parameters
from whether.learners import EMFit
from whether.methods import METHODS
from whether.model_file.archive import (
    DESCRIPTION,
    ModelFileError,
    array_from_bytes,
    array_to_bytes,
    read_archive,
    write_archive,
)
from whether.model_file.boosted_state import BOOSTED_KINDS
from whether.model_file.codec import Packer, Registry, Unpacker
from whether.model_file.linear_state import LINEAR_KINDS, propensity_kinds
from whether.model_file.neural_state import NEURAL_KINDS
from whether.tables import Encoder

VERSION = version("whether")
FORMAT = "whether model"
FORMAT_VERSION = 1
MOST_FEATURES = 1_000_000
LARGEST_FILE = 2**31


def known_classifiers() -> dict[str, type[CensoredClassifier]]:
    """Classifiers that a file may name: those of the catalogue."""
    return {method.estimator.__name__: method.estimator for method in METHODS.values()}


def known_parts() -> Registry:
    """Parts that a model in a file may be made of."""
    return Registry({**propensity_kinds(), **LINEAR_KINDS, **BOOSTED_KINDS, **NEURAL_KINDS})


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds.

    Attributes
    ----------
    model : CensoredClassifier
        The fitted classifier.
    encoder : Encoder or None
        Turns the columns of a table into the classifier's features.
    method : str
        Name in the catalogue, where it was saved under one.
    training : dict
        What the file says about the training: people, events, notes.
    library_version : str
        Version of whether that wrote it.
    """

    model: CensoredClassifier
    encoder: Encoder | None = None
    method: str = ""
    training: dict[str, Any] = field(default_factory=dict)
    library_version: str = VERSION


def save(
    model: CensoredClassifier,
    path: str | os.PathLike[str],
    *,
    encoder: Encoder | None = None,
    method: str = "",
    training: dict[str, Any] | None = None,
) -> None:
    """Save a fitted classifier; the file is there whole or not at all.

    Parameters
    ----------
    model : CensoredClassifier
        With a linear, boosted or neural model. The random state is not saved.
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
    >>> save(model, path)
    >>> bool((load(path).predict_proba(cohort.X) == model.predict_proba(cohort.X)).all())
    True
    """
    if type(model) not in known_classifiers().values():
        raise ModelFileError(f"A {type(model).__name__} cannot be saved: it is none of whether's own classifiers.")
    if not hasattr(model, "model_"):
        raise ModelFileError("The model has not been fitted, so there is nothing to save.")
    if isinstance(model.model_, EMFit):
        raise ModelFileError(
            "A model whose outcome part is a scikit-learn classifier cannot be saved: such classifiers can only be "
            "pickled, and opening a pickle can run anything. Use learner='linear', 'boosted' or 'neural'."
        )
    parameters = {**model.get_params(deep=False), "random_state": None}
    fitted = {name: value for name, value in vars(model).items() if name not in parameters}
    packer = Packer(known_parts())
    description = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "whether_version": VERSION,
        "method": method,
        "classifier": type(model).__name__,
        "parameters": {name: packer.pack(value) for name, value in parameters.items()},
        "features": model._names(),
        "encoder": None if encoder is None else packer.pack(encoder.to_state()),
        "training": training or {},
        "fitted": {name: packer.pack(value) for name, value in fitted.items()},
    }
    members = {DESCRIPTION: json.dumps(description, indent=1, allow_nan=False).encode()}
    members |= {f"arrays/{number}.npy": array_to_bytes(array) for number, array in enumerate(packer.arrays)}
    write_archive(path, members)


def load(path: str | os.PathLike[str]) -> CensoredClassifier:
    """Open a model file and return the fitted classifier, which predicts the same to the last bit.

    Parameters
    ----------
    path : path-like

    Raises
    ------
    ModelFileError
        If the file is no model, is damaged, or was written by a newer version. Nothing in a file is ever executed.
    """
    return read(path).model


def read(path: str | os.PathLike[str]) -> ModelFile:
    """Open a model file with all that is in it; see `load`."""
    where = Path(path)
    if not where.is_file():
        raise ModelFileError(f"There is no file {str(path)!r}.")
    if where.stat().st_size > LARGEST_FILE:
        raise ModelFileError(f"{str(path)!r} is larger than any model file.")
    content = where.read_bytes()
    if not content.startswith(b"PK\x03\x04"):
        raise ModelFileError(f"{str(path)!r} is no model file of whether.")
    try:
        return _restore(path, read_archive(content))
    except ModelFileError as error:
        if str(error).startswith(repr(str(path))):
            raise
        raise ModelFileError(f"{str(path)!r} is damaged: {error}.") from error
    # Whatever goes wrong while plain data are put together means that they do not belong together.
    except Exception as error:
        raise ModelFileError(f"{str(path)!r} is damaged, or no model file of whether.") from error


def _restore(path: str | os.PathLike[str], members: dict[str, bytes]) -> ModelFile:
    description = json.loads(members[DESCRIPTION])
    _check_version(path, description)
    arrays = {
        int(Path(name).stem): array_from_bytes(content)
        for name, content in members.items()
        if name.startswith("arrays/")
    }
    unpacker = Unpacker(known_parts(), arrays)
    model = known_classifiers()[description["classifier"]](
        **{name: unpacker.unpack(value) for name, value in description["parameters"].items()}
    )
    for name, value in description["fitted"].items():
        if not re.fullmatch(r"[a-z][a-z_0-9]*_", name):
            raise ModelFileError(f"{name[:60]!r} is no attribute of a model")
        setattr(model, name, unpacker.unpack(value))
    state = unpacker.unpack(description["encoder"])
    encoder = None if state is None else Encoder.from_state(state)
    _try_out(model, description["features"], encoder)
    return ModelFile(
        model, encoder, str(description["method"]), dict(description["training"]), str(description["whether_version"])
    )


def _check_version(path: str | os.PathLike[str], description: dict[str, Any]) -> None:
    if description["format"] != FORMAT:
        raise ModelFileError(f"{str(path)!r} is no model file of whether.")
    number = description["format_version"]
    if not isinstance(number, int) or number < 1:
        raise ModelFileError("its format has no version")
    if number > FORMAT_VERSION:
        raise ModelFileError(
            f"{str(path)!r} was written by a newer whether ({str(description['whether_version'])[:20]}, format "
            f"{number}); this one ({VERSION}) reads format {FORMAT_VERSION}. Update it."
        )


def _try_out(model: CensoredClassifier, features: list[str], encoder: Encoder | None) -> None:
    """Predict two people of zeros: parts that do not fit together fail here and not later."""
    if len(features) != model.n_features_in_ or len(features) > MOST_FEATURES or model._names() != features:
        raise ModelFileError("the names of the features do not fit")
    if encoder is not None and list(encoder.features) != features:
        raise ModelFileError("the encoder makes other features")
    check_parameters(model.get_params(deep=False))
    people: Any = np.zeros((2, len(features)))
    if hasattr(model, "feature_names_in_"):
        people = pd.DataFrame(people, columns=features)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zeros may be far from all data
        for predicted, shape in ((model.predict_proba(people), (2, 2)), (model.predict_propensity(people), (2,))):
            if predicted.shape != shape:
                raise ModelFileError("its predictions have the wrong shape")
