"""Plain data for fitted models: numbers, text, lists and arrays, and objects of a fixed list of classes.

`Packer` turns a value into JSON and a list of arrays, `Unpacker` turns these into the value again. Classes are looked
up by name in a fixed list and nowhere else, so a file can make nothing but the parts of a model.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Callable, Mapping
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from whether.files.model.archive import ModelFileError, require

State = dict[str, Any]


class Kind(NamedTuple):
    """How objects of one class become plain data and are made again."""

    cls: type
    to_state: Callable[[Any], State]
    from_state: Callable[[State], Any]


def record(cls: Any, check: Callable[[Any], None] = lambda made: None) -> Kind:
    """Kind of a dataclass or named tuple: all of its fields, which have the types that the class declares."""
    types = get_type_hints(cls)
    names = tuple(cls._fields) if hasattr(cls, "_fields") else tuple(field.name for field in dataclasses.fields(cls))

    def from_state(state: State) -> Any:
        require(set(state) == set(names), f"{cls.__name__} has other fields than expected")
        for name, value in state.items():
            require(_fits(value, types[name]), f"{name} of {cls.__name__} is missing or of the wrong kind")
        made = cls(**state)
        check(made)
        return made

    return Kind(cls, lambda value: {name: getattr(value, name) for name in names}, from_state)


def _fits(value: Any, declared: Any) -> bool:
    origin, inner = get_origin(declared), get_args(declared)
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is tuple:  # tuple[kind, ...]
        return type(value) is tuple and all(_fits(item, inner[0]) for item in value)
    if declared in (bool, int, float, str):  # True is an int to Python, but not here
        return type(value) is declared or (declared is float and type(value) is int)
    return declared is Any or isinstance(value, origin or declared)


def member(cls: type[enum.Enum]) -> Kind:
    """Kind of an enumeration: the name of its member."""
    return Kind(cls, lambda value: {"name": value.name}, lambda state: cls[state["name"]])


class Packer:
    """Turns values into JSON; arrays are put aside under a number."""

    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self.names = {kind.cls: (name, kind) for name, kind in kinds.items()}
        self.arrays: list[NDArray[Any]] = []

    def pack(self, value: Any) -> Any:
        """Return the JSON of a value."""
        if value is None or (isinstance(value, (bool, int, str)) and not isinstance(value, enum.Enum)):
            return value
        if isinstance(value, np.generic):
            return self.pack(value.item())
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": str(value)}
        if type(value) in self.names:
            name, kind = self.names[type(value)]
            return {"object": name, "fields": {key: self.pack(field) for key, field in kind.to_state(value).items()}}
        return self._pack_container(value)

    def _pack_container(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return self._pack_array(value)
        if type(value) is tuple:
            return {"tuple": [self.pack(item) for item in value]}
        if type(value) is list:
            return [self.pack(item) for item in value]
        if type(value) is dict and all(isinstance(key, str) for key in value):
            return {"dict": {key: self.pack(item) for key, item in value.items()}}
        raise ModelFileError(f"A model with a {type(value).__name__} in it cannot be saved.")

    def _pack_array(self, value: NDArray[Any]) -> Any:
        if value.dtype.kind in "OU":
            is_text = value.ndim == 1 and all(isinstance(item, str) for item in value.tolist())
            require(is_text, "A model with an array of objects in it cannot be saved.")
            return {"texts": value.tolist()}
        self.arrays.append(value)
        return {"array": len(self.arrays) - 1}


class Unpacker:
    """Turns JSON into values again."""

    def __init__(self, kinds: Mapping[str, Kind], arrays: Mapping[int, NDArray[Any]]) -> None:
        self.kinds, self.arrays = kinds, arrays

    def unpack(self, value: Any) -> Any:
        """Return the value of its JSON."""
        if isinstance(value, list):
            return [self.unpack(item) for item in value]
        if not isinstance(value, dict):
            return value
        if set(value) == {"object", "fields"}:
            fields = {key: self.unpack(field) for key, field in value["fields"].items()}
            return self.kinds[value["object"]].from_state(fields)
        (tag, content), *others = value.items()
        require(not others, "an entry has too many parts")
        return self._unpack_tagged(tag, content)

    def _unpack_tagged(self, tag: str, content: Any) -> Any:
        if tag == "float":
            return {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}[content]
        if tag == "array":
            return self.arrays[content]
        if tag == "tuple":
            return tuple(self.unpack(item) for item in content)
        if tag == "dict":
            return {key: self.unpack(item) for key, item in content.items()}
        if tag == "texts" and all(isinstance(item, str) for item in content):
            return np.array(content, dtype=object)
        raise ModelFileError(f"an entry has an unknown tag, {tag[:60]!r}")
