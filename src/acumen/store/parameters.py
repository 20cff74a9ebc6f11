"""A learner's parameters as JSON and back, exactly.

None, bool, int, float, str, list    as JSON has them
inf, -inf, nan                       {"float": "inf"}
tuple                                {"tuple": [...]}
dict or other mapping                {"dict": [[key, value], ...]}, so that keys may be numbers or tuples
numpy array                          {"array": {"dtype": "<f8", "shape": [2, 2], "values": [...]}}
kernel of acumen.kernels             {"kernel": its state}
distance of acumen.distances         {"distance": its state}
RuleList                             {"rules": its form}
acumen learner                       {"learner": {"kind": "naive-bayes", "parameters": {...}}}, unfitted
numpy scalar                         the Python value it stands for
random generator                     null: its state has moved on and cannot be replayed

Anything else is refused when saving, by the name of the parameter.
"""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from acumen.errors import ParameterError
from acumen.models.kinds import kind_of, learner_class
from acumen.models.parameters import check_parameters, specs_of
from acumen.preprocessing.stored_arrays import require
from acumen.types import Array

MAX_DEPTH: Final = 16
#: Numbers beyond what any parameter means; also far below what Python refuses to print.
MAX_BITS: Final = 4096
MAX_TEXT_CELLS: Final = 2**24
_SPECIAL: Final = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
#: The classes of parameters that have a form of their own; a file without them does not import their modules.
_CLASSES: Final = {
    "rules": ("acumen.rulelist.rule_list", "RuleList"),
    "rule": ("acumen.conditions.rule", "Rule"),
    "kernel": ("acumen.geometry.kernel", "Kernel"),
    "distance": ("acumen.geometry.distance", "Distance"),
}
#: What reads the state of those that are no rules.
_STATES: Final = {
    "kernel": "acumen.geometry.kernel_state",
    "distance": "acumen.geometry.distance_state",
}
_NUMBERS: Final = ("|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8")


def encode(value: Any, name: str, depth: int = 0) -> Any:
    """One parameter as a JSON value; ParameterError where it has none."""
    if depth > MAX_DEPTH:
        raise ParameterError(
            f"save: the parameter {name} nests deeper than {MAX_DEPTH}; it cannot be stored."
        )
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (np.random.Generator, np.random.RandomState)):
        return None
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and value.bit_length() <= MAX_BITS:
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"float": repr(float(value))}
    if isinstance(value, str):
        return str(value)
    if isinstance(value, list):
        return [encode(part, name, depth + 1) for part in value]
    if isinstance(value, tuple):
        return {"tuple": [encode(part, name, depth + 1) for part in value]}
    if isinstance(value, Mapping):
        pairs = [[encode(key, name, depth + 1), encode(part, name, depth + 1)] for key, part in value.items()]
        return {"dict": pairs}
    if isinstance(value, np.ndarray):
        return {"array": _encode_array(value, name, depth)}
    for form, (module, cls) in _CLASSES.items():
        if module in sys.modules and isinstance(value, getattr(sys.modules[module], cls)):
            state = value.to_state() if form in _STATES else encode(value.to_dict(), name, depth + 1)
            return {form: state}
    if (kind := kind_of(value)) is not None:
        parameters = value.get_params(deep=False)
        inner = {key: encode(part, f"{name}__{key}", depth + 1) for key, part in parameters.items()}
        return {"learner": {"kind": kind, "parameters": inner}}
    raise ParameterError(
        f"save: the parameter {name} is {_short_repr(value)}, which a model file cannot hold; give numbers,"
        " text, lists, tuples, mappings or numpy arrays of these."
    )


def decode(value: Any) -> Any:
    """The parameter a JSON value stands for; ModelFileError where it stands for none."""
    if isinstance(value, list):
        return [decode(part) for part in value]
    if not isinstance(value, dict):
        return value
    require(len(value) == 1, "a stored parameter has more than one form")
    ((form, content),) = value.items()
    if form == "float":
        require(isinstance(content, str) and content in _SPECIAL, "a stored parameter is no known number")
        return _SPECIAL[content]
    if form == "array":
        return _decode_array(content)
    if form in _STATES:
        return importlib.import_module(_STATES[form]).from_state(content)
    if form == "learner":
        return _decode_learner(content)
    if form in _CLASSES:
        module, cls_name = _CLASSES[form]
        return _decode_rules(content, getattr(importlib.import_module(module), cls_name))
    require(isinstance(content, list), "a stored parameter is not a list where one is expected")
    if form == "tuple":
        return tuple(decode(part) for part in content)
    require(form == "dict", f"a stored parameter has the unknown form {form[:40]!r}")
    require(
        all(isinstance(pair, list) and len(pair) == 2 for pair in content), "a stored mapping is not pairs"
    )
    entries = {decode(key): decode(part) for key, part in content}
    require(len(entries) == len(content), "a stored mapping gives a key twice")
    return entries


def _decode_rules(content: Any, kind: Any) -> Any:
    """Rules from their form, which checks itself."""
    try:
        return kind.from_dict(decode(content))
    except ParameterError as error:
        require(False, str(error).rstrip(".")[:300])
    raise AssertionError


def _decode_learner(content: Any) -> Any:
    """An unfitted learner of the fixed table of kinds, its parameters checked by its own declaration."""
    require(
        isinstance(content, dict)
        and content.keys() == {"kind", "parameters"}
        and isinstance(content["parameters"], dict),
        "a stored learner is not one",
    )
    cls = learner_class(content["kind"])
    known = {spec.name for spec in specs_of(cls)}
    require(set(content["parameters"]) <= known, f"{cls.__name__} has no such parameters")
    learner = cls(**{key: decode(part) for key, part in content["parameters"].items()})
    check_parameters(cls.__name__, cls, learner.get_params(deep=False))
    return learner


def _encode_array(array: Array, name: str, depth: int) -> dict[str, Any]:
    text = array.dtype.kind == "U"
    dtype = array.dtype.newbyteorder("<").str
    if not text and dtype not in _NUMBERS:
        raise ParameterError(
            f"save: the parameter {name} is an array of {array.dtype}; a model file holds arrays of"
            " numbers, truth values and text as parameters."
        )
    values = [encode(part, name, depth + 1) for part in array.ravel().tolist()]
    return {"dtype": "text" if text else dtype, "shape": list(array.shape), "values": values}


def _decode_array(content: Any) -> Array:
    require(
        isinstance(content, dict) and content.keys() == {"dtype", "shape", "values"},
        "a stored array is not one",
    )
    dtype, shape, values = content["dtype"], content["shape"], content["values"]
    require(isinstance(shape, list) and isinstance(values, list), "a stored array has no shape or no values")
    require(
        all(type(axis) is int and 0 <= axis < 2**31 for axis in shape), "a stored array has no true shape"
    )
    require(len(shape) <= 8 and math.prod(shape) == len(values), "a stored array's shape is not its length")
    parts = [decode(part) for part in values]
    if dtype == "text":
        require(all(isinstance(part, str) for part in parts), "a stored array of text holds something else")
        # numpy gives every text the room of the longest.
        room = max(map(len, parts), default=0) * len(parts)
        require(room <= MAX_TEXT_CELLS, "a stored array of text is too large")
        return np.array(parts, dtype=np.str_).reshape(shape)
    require(isinstance(dtype, str) and dtype in _NUMBERS, "a stored array has an unknown type")
    wanted = {"b": bool, "f": float}.get(np.dtype(dtype).kind, int)
    require(all(type(part) is wanted for part in parts), f"a stored array of {dtype} holds something else")
    return np.array(parts, dtype=dtype).reshape(shape)


def _short_repr(value: Any) -> str:
    return f"a number of {value.bit_length()} bits" if isinstance(value, int) else f"a {type(value).__name__}"
