"""The container of a model file: a zip archive, never compressed, of one JSON text, arrays, and steps before a model.

Without compression a member is no larger than the file it is in, so a small file cannot unfold into a large one. Arrays
are `.npy` members without pickles. Anything unusual is an error.
"""

from __future__ import annotations

import io
import math
import os
import re
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whether.files.whole_files import atomic_path
from whether.validate import DataError

DESCRIPTION, STEPS = "whether.json", "steps.skops"
MEMBER = re.compile(r"whether\.json|steps\.skops|arrays/[0-9]{1,5}\.npy")
MOST_MEMBERS = 10_000
# A description names features and settings; reading a longer one would take longer than any model is worth.
LONGEST_DESCRIPTION = 2**25
# Booleans, whole numbers and floating-point numbers; nothing that holds objects.
NUMBER_TYPES = frozenset({"|b1", "<i4", "<i8", "<f4", "<f8"})
SAME_DATE = (1980, 1, 1, 0, 0, 0)  # so that the same model gives the same bytes


class ModelFileError(DataError):
    """A model that cannot be saved, or a file that is no model, is damaged, or comes from a newer version."""


def require(holds: Any, complaint: str) -> None:
    """Refuse a file in which something does not hold that holds in every model file."""
    if not holds:
        raise ModelFileError(complaint)


def write_archive(path: str | os.PathLike[str], members: Mapping[str, bytes]) -> None:
    """Write members in their order; the file is there whole or not at all."""
    with atomic_path(path) as unfinished, zipfile.ZipFile(unfinished, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, SAME_DATE), content)


def read_archive(content: bytes) -> dict[str, bytes]:
    """All members of a file that has been read, each checked against its checksum."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        infos = archive.infolist()
        _check_members(infos, len(content))
        return {info.filename: archive.read(info) for info in infos}


def _check_members(infos: list[zipfile.ZipInfo], size: int) -> None:
    names = [info.filename for info in infos]
    is_whole = DESCRIPTION in names and len(names) <= MOST_MEMBERS and len(set(names)) == len(names)
    require(is_whole, "it lacks its description, or has too many parts")
    for info in infos:
        require(MEMBER.fullmatch(info.filename), f"it has a part that does not belong there, {info.filename[:60]!r}")
    check_uncompressed(infos, size)
    lengths = {info.filename: info.file_size for info in infos}
    require(lengths[DESCRIPTION] <= LONGEST_DESCRIPTION, "its description is too long")


def check_uncompressed(infos: list[zipfile.ZipInfo], size: int) -> None:
    """Refuse an archive of so many bytes that could unfold into more."""
    for info in infos:
        is_stored = info.compress_type == zipfile.ZIP_STORED and info.file_size == info.compress_size
        require(
            is_stored and not info.flag_bits & 1, "it has a compressed or encrypted part, and model files have none"
        )
    # Parts may not lie on top of each other either.
    require(sum(info.file_size for info in infos) <= size, "its parts are larger than the file")


def array_to_bytes(array: NDArray[Any]) -> bytes:
    """Return an array as a `.npy` file."""
    plain = np.ascontiguousarray(array).reshape(array.shape)  # ascontiguousarray makes a number a list of one
    plain = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    if plain.dtype.str not in NUMBER_TYPES:
        raise ModelFileError(f"An array of type {array.dtype} cannot be saved.")
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, plain, version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def array_from_bytes(content: bytes) -> NDArray[Any]:
    """Read a `.npy` file; its header is believed only if the numbers behind it are there."""
    buffer = io.BytesIO(content)
    require(np.lib.format.read_magic(buffer) == (1, 0), "an array has an unknown format")
    shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(buffer)
    is_plain = dtype.str in NUMBER_TYPES and not fortran_order and all(side >= 0 for side in shape)
    require(is_plain, "an array has an unknown type")
    numbers = content[buffer.tell() :]
    require(math.prod(shape) * dtype.itemsize == len(numbers), "an array is not as long as it says")
    return np.frombuffer(numbers, dtype=dtype).reshape(shape).copy()
