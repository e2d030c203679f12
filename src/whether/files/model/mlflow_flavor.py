"""Models in MLflow, as a Python function whose only content is our model file: nothing is pickled."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from whether.files.model.archive import ModelFileError
from whether.files.model.files import ModelFile, load_model, save_model
from whether.files.whole_files import atomic_path

FILE = "model.whether"


def log_mlflow(model: Any, name: str = "model", **settings: Any) -> Any:
    """Log a fitted classifier, a pipeline that ends in one, or a model file of the program, in the active MLflow run.

    ``mlflow.pyfunc.load_model`` opens it: ``predict`` takes a data frame and returns one with ``risk``, the probability
    that the event ever happens. A model that the program has fitted to a table takes tables as they are, with
    categories and gaps, and gives intervals beside the risks. ``get_raw_model`` has the `ModelFile`.

    Parameters
    ----------
    model : CensoredClassifier, Pipeline or path-like
        What `save_model` can save, or a file that it wrote.
    name : str
        Name of the model in MLflow.
    **settings
        Handed on to ``mlflow.pyfunc.log_model``: ``signature``, ``input_example``, ``registered_model_name``, ...

    Returns
    -------
    mlflow.models.model.ModelInfo

    Raises
    ------
    ModelFileError
        If the model cannot be saved, or the package mlflow is missing.
    """
    try:
        import mlflow.pyfunc
    except ImportError as error:
        raise ModelFileError("Logging to MLflow needs its package: pip install 'whether[mlflow]'.") from error
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FILE
        if isinstance(model, (str, os.PathLike)):
            load_model(model)  # what is no model is refused here and not where it is served
            with atomic_path(path) as unfinished:
                unfinished.write_bytes(Path(model).read_bytes())
        else:
            save_model(model, path)
        requirements = settings.pop("pip_requirements", ["whether[skops]"])
        return mlflow.pyfunc.log_model(
            name=name, loader_module=__name__, data_path=str(path), pip_requirements=requirements, **settings
        )


class Served:
    """What MLflow asks for predictions."""

    def __init__(self, opened: ModelFile) -> None:
        self.opened = opened

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> pd.DataFrame:
        """Risks of the rows of a data frame."""
        if self.opened.encoder is not None:
            return self.opened.predict(model_input)
        return pd.DataFrame({"risk": np.asarray(self.opened.model.predict_proba(model_input))[:, 1]})

    def get_raw_model(self) -> ModelFile:
        """Return all that is in the model file."""
        return self.opened


def _load_pyfunc(path: str) -> Served:
    """Open a logged model; MLflow looks for this name."""
    where = Path(path)
    return Served(load_model(where / FILE if where.is_dir() else where))
