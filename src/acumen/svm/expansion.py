"""Functions over rows as a model keeps them: weights, or coefficients of support vectors.

    Expansion   decisions of all machines at once: X w + intercept, or sum of coefficients x kernel + intercept

Standard kernels on dense rows are summed by C++ tiles, never held. Bounded kernels are taken in single precision
where that moves no decision by more than about 1e-5, in double precision else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from acumen import _native
from acumen.engines.cores import cores
from acumen.errors import DataError, ModelFileError
from acumen.geometry.kernel import Kernel, Rows, is_sparse
from acumen.geometry.kernel_state import from_state
from acumen.geometry.kernels import RBF, Linear, Polynomial, Precomputed, Sigmoid
from acumen.geometry.support import tile_function, tile_rows, tiles
from acumen.preprocessing.sparse import row_products
from acumen.preprocessing.stored_arrays import require, stored_array, stored_codes, stored_floats
from acumen.types import Array, Floats, Indices

_FAR = 1e100  # values beyond are taken as this; their squares must be finite
_FAR_SINGLE = 1e15
_SINGLE = 1e-5  # how much single precision may move a decision
_FEW = 1000  # support vectors are quick in double precision, and objectives can be checked by decisions
_BLOCK = 1 << 22


@dataclass(frozen=True, slots=True)
class Expansion:
    """Machines side by side over one kernel.

    `support` are the support vectors (dense or CSR); for a linear kernel there are none and `coefficients` are
    weights, one line a column; for a precomputed one they are numbers of columns.
    """

    kernel: Kernel
    support: Rows | Indices
    coefficients: Floats  # (support vectors or columns, machines)
    intercept: Floats
    width: int  # columns of the rows it is for
    #: Of a linear kernel the training rows' mean, which reasons are counted from; nothing for any other.
    average: Floats = field(default_factory=lambda: np.empty(0))

    def __call__(self, X: Rows) -> Floats:
        """Decisions, one line a row and one column a machine."""
        if isinstance(self.kernel, Linear):
            with np.errstate(over="ignore", invalid="ignore"):
                products = (
                    X @ self.coefficients if is_sparse(X) else row_products(np.asarray(X), self.coefficients)
                )
                values = np.asarray(products, dtype=np.float64) + self.intercept
        elif isinstance(self.kernel, Precomputed):
            assert not is_sparse(X) and isinstance(self.support, np.ndarray)
            values = row_products(X[:, self.support], self.coefficients) + self.intercept
        elif tiles(self.kernel) and not is_sparse(X) and not is_sparse(self.support):
            values = self._by_tiles(X)
        else:
            values = self._by_calls(X)
        with np.errstate(over="ignore", invalid="ignore"):
            finite = np.isfinite(values.sum())
        return values if finite else np.nan_to_num(values, nan=0.0, posinf=1e300, neginf=-1e300)

    def _by_tiles(self, X: Floats) -> Floats:
        assert isinstance(self.support, np.ndarray)
        single = isinstance(self.kernel, (RBF, Sigmoid)) and self._single_suffices()
        dtype = np.float32 if single else np.float64
        far = _FAR_SINGLE if single else _FAR
        if largest_of(X) > far:
            X = np.clip(X, -far, far)
        values = np.tile(self.intercept, (len(X), 1))
        rows, squares = tile_rows(X, dtype)
        others, other_squares = tile_rows(np.asarray(self.support, dtype=np.float64), dtype)
        _native.add_kernel_sums(
            *tile_function(self.kernel), rows, squares, others, other_squares,
            np.ascontiguousarray(self.coefficients), values, cores(),
        )  # fmt: skip
        return values

    def _single_suffices(self) -> bool:
        """Errors of single kernels are independent and of either sign, so they add up as squares do."""
        assert isinstance(self.support, np.ndarray)
        if len(self.support) <= _FEW or float(np.abs(self.support).max()) > 1e4:
            return False
        largest = float(np.einsum("ij,ij->i", self.support, self.support).max())
        each = 2.0**-24 * (1.0 + 0.5 * tile_function(self.kernel)[1] * largest)
        with np.errstate(over="ignore"):
            total = float(np.sqrt((self.coefficients**2).sum(axis=0)).max(initial=0.0))
        return each * total <= _SINGLE

    def _by_calls(self, X: Rows) -> Floats:
        n, m = X.shape[0], self.support.shape[0]
        values = np.tile(self.intercept, (n, 1))
        step = max(1, _BLOCK // max(m, 1))
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, n, step) if m else ():
                block = slice(start, start + step)
                values[block] += row_products(self.kernel(X[block], self.support), self.coefficients)
        return values

    # -- storing ------------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        """Plain arrays; ParameterError in a sentence for a kernel of the user's own."""
        state = json.dumps(self.kernel.to_state()).encode()
        arrays: dict[str, Array] = {
            "kernel": np.frombuffer(state, dtype=np.uint8),
            "coefficients": np.ascontiguousarray(self.coefficients),
            "intercept": self.intercept,
            "width": np.array([self.width], dtype=np.int64),
        }
        if isinstance(self.kernel, Linear):
            return arrays | ({"average": self.average} if self.average.size else {})
        if is_sparse(self.support):
            arrays["support/values"] = np.asarray(self.support.data, dtype=np.float64)
            arrays["support/columns"] = np.asarray(self.support.indices, dtype=np.int32)
            arrays["support/starts"] = np.asarray(self.support.indptr, dtype=np.int64)
        elif isinstance(self.kernel, Precomputed):
            arrays["support"] = np.asarray(self.support, dtype=np.int32)
        else:
            arrays["support"] = np.ascontiguousarray(self.support, dtype=np.float64)
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], width: int) -> Expansion:
        """Read back for rows of `width` columns (0: any, the file says), trusting nothing."""
        try:
            state = json.loads(stored_array(arrays, "kernel", np.uint8, (None,)).tobytes().decode())
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
            raise ModelFileError("the model file is damaged or forged: its kernel is not JSON.") from None
        kernel = from_state(state)
        stored_width = int(stored_array(arrays, "width", np.int64, (1,))[0])
        require(stored_width == width, "its support vectors have another number of columns than its rows")
        intercept = stored_floats(arrays, "intercept", (None,))
        machines = len(intercept)
        if isinstance(kernel, Linear):
            weights = stored_floats(arrays, "coefficients", (width, machines))
            average = stored_floats(arrays, "average", (width,)) if "average" in arrays else np.empty(0)
            return cls(kernel, np.empty((0, width)), weights, intercept, width, average)
        coefficients = stored_floats(arrays, "coefficients", (None, machines))
        m = len(coefficients)
        support: Rows | Indices
        if "support/starts" in arrays:
            support = _read_csr(arrays, m, width)
        elif isinstance(kernel, Precomputed):
            support = stored_codes(arrays, "support", (m,), low=0, below=width).astype(np.intp)
        else:
            support = stored_floats(arrays, "support", (m, width), low=-_FAR, high=_FAR)
        return cls(kernel, support, coefficients, intercept, width)


def _read_csr(arrays: Mapping[str, Array], m: int, width: int) -> Rows:
    from scipy.sparse import csr_matrix

    starts = stored_array(arrays, "support/starts", np.int64, (m + 1,))
    values = stored_floats(arrays, "support/values", (None,), low=-_FAR, high=_FAR)
    columns = stored_codes(arrays, "support/columns", (len(values),), low=0, below=width)
    require(
        starts[0] == 0 and starts[-1] == len(values) and (np.diff(starts) >= 0).all(), "its rows do not fit"
    )
    return csr_matrix((values, columns, starts), shape=(m, width))


def require_usable(kernel: Kernel, X: Rows, who: str) -> None:
    """Refuse rows whose kernel values are not finite numbers."""
    largest = largest_of(X.data if is_sparse(X) else X)
    if not np.isfinite(largest):
        raise DataError(f"{who}: it cannot learn from infinite numbers; leave such rows out.")
    power = int(kernel.degree) if isinstance(kernel, Polynomial) else 1
    if largest > 10.0 ** (60.0 / max(power, 1)):
        raise DataError(
            f"{who}: numbers as large as {largest:.3g} cannot be used, as their products would not be finite; "
            f"scale=True, or smaller numbers, would help."
        )


def largest_of(values: Array) -> float:
    """The largest size of any number, NaN where there is one; a block at a time, as none is made of them."""
    flat = values.reshape(-1) if values.flags.c_contiguous else np.ravel(values)
    step = 1 << 17
    ends = [0.0]
    for start in range(0, len(flat), step):
        block = flat[start : start + step]
        ends += [float(block.max()), -float(block.min())]
    return float(np.max(ends))
