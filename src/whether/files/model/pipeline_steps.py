"""Pipelines that end in one of our classifiers: the steps before it, by skops.

Our own part of the file stays numbers and text. Steps of other libraries are kept as skops writes them, and only of
types that skops trusts without being asked, or that are listed here: parts of scikit-learn, NumPy and SciPy. Any other
type is refused, when it is saved as when it is opened, so that nobody has to decide whom to trust.
"""

from __future__ import annotations

import io
import warnings
import zipfile
from typing import Any

from sklearn.pipeline import Pipeline

from whether.estimators import CensoredClassifier
from whether.files.model.archive import STEPS, ModelFileError, check_uncompressed, require

INSTALL = "needs the package skops: pip install 'whether[skops]'"
NOTHING = "passthrough"  # what stands for our step among the others
# Beyond what skops trusts: descriptions of numbers and columns, tests of features, curves. They only read arguments.
HARMLESS = (
    "numpy.dtype",
    "scipy._lib.array_api_compat.numpy._aliases.asarray",
    "scipy.interpolate._bsplines.BSpline",
    "sklearn.compose._column_transformer.make_column_selector",
    *(
        f"sklearn.feature_selection._univariate_selection.{name}"
        for name in ("chi2", "f_classif", "f_regression", "mutual_info_classif")
    ),
)


def take_apart(model: Any) -> tuple[Any, Pipeline | None]:
    """Return the classifier that can be saved, and the pipeline without it if there is one."""
    if not isinstance(model, Pipeline) or not isinstance(model.steps[-1][1], CensoredClassifier):
        return model, None
    name, last = model.steps[-1]
    return last, Pipeline([*model.steps[:-1], (name, NOTHING)])


def pack_steps(steps: Pipeline | None) -> dict[str, bytes]:
    """Part of a model file that holds the steps; nothing without any."""
    if steps is None:
        return {}
    skops = _skops(f"Saving a pipeline {INSTALL}. Or save the last step alone, save_model(pipeline[-1], ...).")
    try:
        content = skops.dumps(steps)
        foreign = _foreign(skops, content)
    except Exception as error:
        raise ModelFileError(f"A step of the pipeline cannot be written by skops: {error}") from error
    if foreign:
        raise ModelFileError(
            f"The pipeline has parts that nobody should have to trust: {', '.join(foreign[:5])}. Save the last step "
            "alone, save_model(pipeline[-1], ...), and rebuild the steps before it where the model is used."
        )
    return {STEPS: content}


def put_together(model: CensoredClassifier, content: bytes | None) -> Any:
    """Return the classifier, or the pipeline that it was the last step of."""
    if content is None:
        return model
    skops = _skops(f"The model is the last step of a pipeline, and opening one {INSTALL}.")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        check_uncompressed(archive.infolist(), len(content))
    foreign = _foreign(skops, content)
    require(not foreign, f"its steps are of types that are not trusted: {', '.join(foreign[:5])}"[:300])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other versions of scikit-learn, which skops knows better
        steps = skops.loads(content, trusted=list(HARMLESS))
    require(isinstance(steps, Pipeline) and steps.steps[-1][1] == NOTHING, "its steps are no pipeline")
    return Pipeline([*steps.steps[:-1], (steps.steps[-1][0], model)])


def _foreign(skops: Any, content: bytes) -> list[str]:
    """Names of types that are neither trusted by skops nor harmless."""
    return [name for name in skops.get_untrusted_types(data=content) if name not in HARMLESS]


def _skops(complaint: str) -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise ModelFileError(complaint) from error
    return skops.io
