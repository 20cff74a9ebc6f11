"""Parameters as JSON: back exactly as they were, or refused by name."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from acumen.errors import ModelFileError, ParameterError
from acumen.store.parameters import MAX_BITS, decode, encode

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
keys = st.recursive(
    scalars.filter(lambda v: v == v), lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=4
)
arrays = hnp.arrays(
    st.sampled_from(["|b1", "<i2", "<i8", "<u8", "<f2", "<f4", "<f8", "<U3"]),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
)
values = st.recursive(
    scalars | arrays,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(keys, inner, max_size=4)
    ),
    max_leaves=10,
)


def through_json(value: Any) -> Any:
    return decode(json.loads(json.dumps(encode(value, "p"), allow_nan=False)))


def same(a: Any, b: Any) -> bool:
    """Equal in value and type, all the way down; NaN is NaN and -0.0 is not 0.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(k, m) and same(a[k], b[m]) for k, m in zip(a, b, strict=True))
    if isinstance(a, np.ndarray):
        types_agree = a.dtype == b.dtype or a.dtype.kind == b.dtype.kind == "U"
        return types_agree and a.shape == b.shape and repr(a.tolist()) == repr(b.tolist())
    return repr(a) == repr(b)


@given(values)
def test_parameters_come_back_exactly(value: Any) -> None:
    assert same(through_json(value), value)


def test_costs_keyed_by_pairs_come_back() -> None:
    costs = {("a", "b"): 5, (1, 2.5): math.inf}
    assert through_json(costs) == costs


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.float64(0.5), 0.5),
        (np.float32(0.1), float(np.float32(0.1))),
        (np.int8(-3), -3),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        (MappingProxyType({"a": 1}), {"a": 1}),
        (np.random.default_rng(1), None),
        (np.random.RandomState(1), None),
    ],
)
def test_stand_ins_become_what_they_stand_for(value: Any, plain: Any) -> None:
    assert same(through_json(value), plain)


def cyclic() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


@pytest.mark.parametrize(
    "value",
    [
        object(), {1, 2}, b"bytes", len, 1j, range(3), cyclic(), [{"a": object()}], 1 << MAX_BITS,
        np.array([None]), np.array([1j]), np.array(["2020"], "M8[Y]"), np.longdouble(1), np.float16,
    ],
)  # fmt: skip
def test_what_has_no_form_is_refused_by_name(value: Any) -> None:
    with pytest.raises(ParameterError, match="the parameter p "):
        encode(value, "p")


@pytest.mark.parametrize(
    "form",
    [
        {"float": "1"}, {"float": None}, {"float": []}, {"tuple": {}}, {"tuple": None}, {"dict": [[1]]}, {"dict": {}},
        {"dict": [[1, 1], [1.0, 2]]}, {"dict": [1]}, {"other": []}, {}, {"a": 1, "b": 2}, {"array": 1}, {"array": {}},
    ],
)  # fmt: skip
def test_forms_that_stand_for_nothing_are_refused(form: Any) -> None:
    with pytest.raises(ModelFileError):
        decode(form)


@pytest.mark.parametrize(
    ("dtype", "shape", "content"),
    [
        ("<f8", [2], [1.0]), ("<f8", [1], [1]), ("<i8", [1], [1.0]), ("|b1", [1], [1]), ("<f8", [-1], [1.0]),
        ("<f8", ["1"], [1.0]), ("<f8", [True], [1.0]), ("|O", [1], [None]), ("<U9", [1], ["a"]), (["<f8"], [1], [1.0]),
        ("text", [1], [1]), ("text", [5000], ["a" * 5000] + [""] * 4999), ("<f8", [1] * 9, [1.0]), ("<f8", 1, [1.0]),
        ("<f8", [0, 2**40], []), ("<f8", [1], [{"tuple": []}]),
    ],
)  # fmt: skip
def test_arrays_that_are_none_are_refused(dtype: Any, shape: Any, content: Any) -> None:
    with pytest.raises(ModelFileError):
        decode({"array": {"dtype": dtype, "shape": shape, "values": content}})
