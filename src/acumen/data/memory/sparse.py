"""Sparse matrices: the numeric attributes stay one CSR block, other roles are written out.

A CSR matrix of float64 is borrowed; COO, CSC and the others are turned into one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen import messages
from acumen.data.columns import RawColumn
from acumen.data.memory.arrays import check_shape, not_a_table
from acumen.data.report import Report
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.types import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def is_sparse(source: Any) -> bool:
    """Whether this is one of scipy's sparse matrices or arrays, without importing scipy."""
    return type(source).__module__.startswith("scipy.sparse") and hasattr(source, "nnz")


def csr_of(source: Any) -> csr_matrix:
    """As a CSR matrix of float64 in canonical form; borrowed when it is one."""
    from scipy.sparse import csr_matrix

    if source.ndim != 2:
        raise not_a_table(source.ndim)
    check_shape(source.shape)
    if source.dtype.kind == "c":
        raise DataError("Complex data not supported: a table holds real numbers, levels and text.")
    rows = source.tocsr()
    data = rows.data if rows.dtype == np.float64 else rows.data.astype(np.float64)
    matrix = csr_matrix((data, rows.indices, rows.indptr), shape=rows.shape)
    matrix.has_canonical_format = rows.has_canonical_format  # which the source remembers
    if not matrix.has_canonical_format:
        matrix = matrix.copy()  # what was handed in is not ours to change
        matrix.sum_duplicates()
    return matrix


def plain_table(matrix: csr_matrix, report: Report) -> Table:
    """All columns as numeric inputs x0, x1, ..., nothing else being asked."""
    return Table(_inputs(matrix.shape[1]), matrix.shape[0], sparse=matrix, report=report)


@lru_cache(maxsize=4)
def _inputs(width: int) -> Schema:
    """Made once: tens of thousands of attributes take longer to make than their matrix takes to be read."""
    return Schema(tuple(Attribute(f"x{j}") for j in range(width)))


def column_from(matrix: csr_matrix, position: int) -> Floats:
    """One column written out."""
    values: Floats = matrix[:, [position]].toarray().ravel()
    return values


def blank_numbers(matrix: csr_matrix, numbers: Sequence[float]) -> csr_matrix:
    """The matrix with these stored values missing."""
    from scipy.sparse import csr_matrix

    if 0.0 in numbers:
        raise DataError(
            f"read: the zeros of a sparse matrix are not stored, so {messages.option('missing')} cannot name them."
        )
    data = np.where(np.isin(matrix.data, numbers), np.nan, matrix.data)
    return csr_matrix((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def choose_columns(
    matrix: csr_matrix, at: Mapping[str, int], beside: Mapping[str, RawColumn], names: Sequence[str]
) -> csr_matrix:
    """The columns of these names as one CSR matrix; the matrix itself when they are all of it, in order.

    `at` places names in the matrix, `beside` holds columns that came dense.
    """
    from scipy.sparse import csr_matrix, hstack

    dense = [name for name in names if name in beside]
    if dense:
        block = np.column_stack([beside[name].to_floats() for name in dense])
        at = {**at, **{name: matrix.shape[1] + j for j, name in enumerate(dense)}}
        matrix = hstack([matrix, csr_matrix(block)], format="csr")
    positions = [at[name] for name in names]
    return matrix if positions == list(range(matrix.shape[1])) else matrix[:, positions]
