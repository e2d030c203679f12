"""Model files that are safe to open: numbers and text, no pickles, nothing that is executed.

A file is a zip archive without compression, so ``numpy.load(path, allow_pickle=False)`` lists its arrays. It holds

``whether.json``
    ``format`` ("whether model"), ``format_version``, ``whether_version``, ``method`` (name in the catalogue, or ""),
    ``classifier`` (class), ``parameters`` (of the class), ``features`` (their names, in order), ``encoder`` (how the
    columns of a table become these features, or null), ``training`` (people, events, notes) and ``fitted`` (everything
    that was learned). In ``parameters``, ``encoder`` and ``fitted`` a JSON object is one of

    - ``{"array": 3}``: the numbers in ``arrays/3.npy``;
    - ``{"tuple": [...]}``, ``{"dict": {...}}``, ``{"texts": [...]}``, ``{"float": "inf"}``;
    - ``{"object": name, "fields": {...}}``: a part of a model, of a fixed list of classes.

``arrays/N.npy``
    Little-endian numbers in NumPy's format 1.0, without pickles.
``steps.skops``
    Of a pipeline: the steps before the classifier as skops writes them, of types that it trusts.

Trees and networks are arrays as well: trees one after the other, with LightGBM's names of their parts, and networks
as rows of one matrix. The same model without such steps gives the same bytes. Not part of a model are the random state,
what LightGBM keeps about the ranges of features, and whatever has a number for every person of the training table.
"""

from whether.files.model.archive import ModelFileError
from whether.files.model.files import ModelFile, load_model, save_model
from whether.files.model.mlflow_flavor import log_mlflow
from whether.files.model.onnx_export import save_onnx

__all__ = ["ModelFile", "ModelFileError", "load_model", "log_mlflow", "save_model", "save_onnx"]
