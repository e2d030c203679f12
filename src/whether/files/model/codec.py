"""Plain data for fitted models: numbers, text, lists and arrays, and objects of a fixed list of classes.

`Packer` turns a value into JSON and a list of arrays, `Unpacker` turns these into the value again. Classes are looked
up by name in the registry and nowhere else, so a file can make nothing but the parts of a model.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whether.files.model.archive import ModelFileError

State = dict[str, Any]


class Kind(NamedTuple):
    """How objects of one class become plain data and are made again."""

    cls: type
    to_state: Callable[[Any], State]
    from_state: Callable[[State], Any]


def record(cls: Any) -> Kind:
    """Kind of a dataclass or named tuple: its fields, all of them."""
    names = tuple(cls._fields) if hasattr(cls, "_fields") else tuple(field.name for field in dataclasses.fields(cls))

    def to_state(value: Any) -> State:
        return {name: getattr(value, name) for name in names}

    def from_state(state: State) -> Any:
        if set(state) != set(names):
            raise ModelFileError(f"{cls.__name__} has other fields than expected")
        return cls(**state)

    return Kind(cls, to_state, from_state)


def member(cls: type[enum.Enum]) -> Kind:
    """Kind of an enumeration: the name of its member."""
    return Kind(cls, lambda value: {"name": value.name}, lambda state: cls[state["name"]])


class Registry:
    """Classes whose objects a model may be made of, by name."""

    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self.kinds = dict(kinds)
        self.names = {kind.cls: name for name, kind in kinds.items()}


class Packer:
    """Turns values into JSON; arrays are put aside under a number."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.arrays: list[NDArray[Any]] = []

    def pack(self, value: Any) -> Any:
        """Return the JSON of a value."""
        if value is None or (isinstance(value, (bool, int, str)) and not isinstance(value, enum.Enum)):
            return value
        if isinstance(value, (float, np.generic)):
            return self._pack_number(value.item() if isinstance(value, np.generic) else value)
        if type(value) in self.registry.names:
            name = self.registry.names[type(value)]
            fields = self.registry.kinds[name].to_state(value)
            return {"object": name, "fields": {key: self.pack(field) for key, field in fields.items()}}
        return self._pack_container(value)

    def _pack_number(self, value: Any) -> Any:
        if isinstance(value, float) and not math.isfinite(value):
            return {"float": str(value)}
        return value

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
            if value.ndim != 1 or not all(isinstance(item, str) for item in value.tolist()):
                raise ModelFileError("A model with an array of objects in it cannot be saved.")
            return {"texts": value.tolist()}
        self.arrays.append(value)
        return {"array": len(self.arrays) - 1}


class Unpacker:
    """Turns JSON into values again."""

    def __init__(self, registry: Registry, arrays: Mapping[int, NDArray[Any]]) -> None:
        self.registry, self.arrays = registry, arrays

    def unpack(self, value: Any) -> Any:
        """Return the value of its JSON."""
        if isinstance(value, list):
            return [self.unpack(item) for item in value]
        if not isinstance(value, dict):
            return value
        if set(value) == {"object", "fields"}:
            fields = {key: self.unpack(field) for key, field in value["fields"].items()}
            return self.registry.kinds[value["object"]].from_state(fields)
        (tag, content), *others = value.items()
        if others:
            raise ModelFileError("an entry has too many parts")
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
