"""The npy members: what is written numpy reads, and nothing else than what is written is read."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from acumen.errors import ModelFileError
from acumen.store.container import DTYPES, MAX_NDIM, npy_header, parse_npy, storable
from acumen.types import Array

arrays = st.sampled_from(DTYPES).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=MAX_NDIM, min_side=0, max_side=4))
)


def member(array: Array) -> Array:
    return np.frombuffer(npy_header(array.dtype, array.shape) + array.tobytes(), dtype=np.uint8)


def forged(header: str, data: bytes = b"") -> Array:
    text = header.encode()
    return np.frombuffer(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data, dtype=np.uint8)


@given(arrays)
def test_every_array_comes_back_and_numpy_reads_it(array: Array) -> None:
    kept = storable("x", array)
    back = parse_npy("x", member(kept))
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.tobytes() == array.tobytes()
    assert not back.flags.writeable
    by_numpy = np.load(io.BytesIO(member(kept).tobytes()), allow_pickle=False)
    assert by_numpy.tobytes() == array.tobytes()


@given(arrays)
def test_data_begin_on_a_multiple_of_64(array: Array) -> None:
    assert len(npy_header(array.dtype, array.shape)) % 64 == 0


def test_order_and_byte_order_do_not_show() -> None:
    array = np.arange(6.0).reshape(2, 3)
    twins = [np.asfortranarray(array), array.astype(">f8"), np.arange(12.0).reshape(2, 6)[:, ::2] / 2]
    assert {member(storable("x", twin)).tobytes() for twin in twins} == {member(array).tobytes()}


@pytest.mark.parametrize("dtype", ["<f4", "<c16", "O", "<U3", "<M8[s]", "<i2"])
def test_other_types_are_not_written(dtype: str) -> None:
    with pytest.raises(ModelFileError, match="'x' is of type"):
        storable("x", np.zeros(3, dtype))


def test_five_axes_are_not_written() -> None:
    with pytest.raises(ModelFileError, match="5 axes"):
        storable("x", np.zeros((1,) * 5))


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (1,), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (01,), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': __import__('os').getpid(), }\n",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'x': 1}\n",
        "(" * 500,
        "(" * 65_000,
        "",
    ],
)
def test_foreign_headers_are_refused(header: str) -> None:
    with pytest.raises(ModelFileError, match="header"):
        parse_npy("x", forged(header, bytes(8)))


@pytest.mark.parametrize(
    ("shape", "size"),
    [((2,), 8), ((2**61,), 8), ((2**32, 2**32), 0), ((), 0), ((1,), 7), ((0,), 8), ((0, 2**62), 0)],
)
def test_a_shape_must_fit_the_data_without_overflow(shape: tuple[int, ...], size: int) -> None:
    data = np.frombuffer(npy_header(np.dtype("<f8"), shape) + bytes(size), dtype=np.uint8)
    with pytest.raises(ModelFileError, match="shape"):
        parse_npy("x", data)


def test_a_truth_value_of_two_is_refused() -> None:
    data = np.frombuffer(npy_header(np.dtype("|b1"), (2,)) + b"\x01\x02", dtype=np.uint8)
    with pytest.raises(ModelFileError, match="truth value"):
        parse_npy("x", data)


@pytest.mark.parametrize("cut", [0, 3, 8, 9, 10, 40, 63])
def test_a_member_cut_in_its_header_is_refused(cut: int) -> None:
    with pytest.raises(ModelFileError):
        parse_npy("x", member(np.zeros(4))[:cut])


def test_numpy_versions_two_and_three_are_refused() -> None:
    for version in (2, 3):
        made = io.BytesIO()
        np.lib.format.write_array(made, np.zeros(3), version=(version, 0))
        with pytest.raises(ModelFileError, match=r"version 1\.0"):
            parse_npy("x", np.frombuffer(made.getvalue(), dtype=np.uint8))
