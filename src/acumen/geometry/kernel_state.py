"""Kernels out of model files and out of learners' parameters.

from_state    JSON values -> Kernel, checking every one
resolve       "rbf", "linear", ... or a Kernel or a function -> Kernel
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import numpy as np

from acumen.errors import DataError, ModelFileError, ParameterError, did_you_mean
from acumen.geometry.kernel import Kernel, Multiple, Product, Rows, Sum, is_sparse, positive
from acumen.geometry.kernels import RBF, Function, Linear, Polynomial, Precomputed, Sigmoid
from acumen.preprocessing.stored_arrays import require
from acumen.types import Floats

_MAX_DEPTH: Final = 16
_MAX_TERMS: Final = 64
#: The words for kernels, here and in scikit-learn.
WORDS: Final = ("rbf", "linear", "polynomial", "poly", "sigmoid", "precomputed")

#: The simple kernels: their class, and the type of each of their values.
_FIELDS: Final[Mapping[str, tuple[type[Kernel], Mapping[str, type]]]] = {
    "linear": (Linear, {}),
    "polynomial": (Polynomial, {"degree": int, "offset": float, "scale": float}),
    "rbf": (RBF, {"gamma": float}),
    "sigmoid": (Sigmoid, {"scale": float, "offset": float}),
    "precomputed": (Precomputed, {}),
}


def from_state(state: Any) -> Kernel:
    """Restore a kernel from its `to_state`; ModelFileError if invalid."""
    return _from_state(state, 0)


def _from_state(state: Any, depth: int) -> Kernel:
    require(isinstance(state, dict) and isinstance(state.get("kernel"), str), "a stored kernel is none")
    require(depth < _MAX_DEPTH, "a stored kernel nests too deep")
    name, values = state["kernel"], {key: value for key, value in state.items() if key != "kernel"}
    if name in ("sum", "product"):
        terms = values.get("terms")
        require(values.keys() == {"terms"} and isinstance(terms, list), f"a stored {name} has no terms")
        require(2 <= len(values["terms"]) <= _MAX_TERMS, f"a stored {name} has too few or too many terms")
        parts = tuple(_from_state(term, depth + 1) for term in values["terms"])
        return Sum(parts) if name == "sum" else Product(parts)
    if name == "multiple":
        require(values.keys() == {"factor", "of"} and type(values["factor"]) is float, "a multiple is none")
        return _make(Multiple, {"factor": values["factor"], "kernel": _from_state(values["of"], depth + 1)})
    require(name in _FIELDS, f"there is no kernel {name[:40]!r}")
    kind, fields = _FIELDS[name]
    require(values.keys() == fields.keys(), f"the stored kernel {name!r} has other values than it should")
    require(
        all(type(values[key]) is fields[key] for key in fields), f"a value of {name!r} is of no such type"
    )
    return _make(kind, values)


def _make(kind: type[Kernel], values: Mapping[str, Any]) -> Kernel:
    try:
        return kind(**values)
    except ParameterError as error:
        raise ModelFileError(f"the model file is damaged or forged: {error}") from None


def resolve(
    spec: str | Kernel | Callable[[Any, Any], Any],
    *,
    gamma: float | Literal["scale", "auto"] = "scale",
    degree: int = 3,
    offset: float = 0.0,
    X: Rows | None = None,
    weights: Floats | None = None,
    who: str = "kernel",
) -> Kernel:
    """The kernel for a learner's parameters.

    A Kernel means itself and a function means `Function` of it; the other parameters are for words alone.
    As in scikit-learn, gamma="scale" is 1 / (columns x variance of all of `X`) and "auto" is 1 / columns;
    for "polynomial" (or "poly") and "sigmoid" gamma is the scale of the inner product. `weights` are the rows'
    weights, so that the variance is that of repeated rows.
    """
    if isinstance(spec, Kernel):
        return spec
    if callable(spec):
        return Function(spec)
    if spec not in WORDS:
        raise ParameterError(
            f"{who}: kernel must be one of {', '.join(map(repr, WORDS))}, a Kernel or a function; got {spec!r}."
            + (did_you_mean(spec, WORDS) if isinstance(spec, str) else "")
        )
    if spec == "linear":
        return Linear()
    if spec == "precomputed":
        return Precomputed()
    scale = resolve_gamma(gamma, X, weights, who)
    if spec == "rbf":
        return RBF(gamma=scale)
    return Sigmoid(scale, offset) if spec == "sigmoid" else Polynomial(degree, offset, scale)


def resolve_gamma(gamma: float | str, X: Rows | None, weights: Floats | None, who: str) -> float:
    """The number that `gamma` means for these rows."""
    if gamma not in ("scale", "auto"):
        if isinstance(gamma, str):
            raise ParameterError(f"{who}: gamma must be 'scale', 'auto' or a number above 0; got {gamma!r}.")
        return positive(who, gamma, "gamma")
    if X is None:
        raise DataError(f"{who}: gamma={gamma!r} needs rows to be computed from; give a number.")
    columns = max(int(X.shape[1]), 1)
    if gamma == "auto":
        return 1.0 / columns
    variance = _variance(X, weights)
    default = 1.0 / (columns * variance) if variance > 0 else 1.0
    return default if 0 < default < np.inf else 1.0


def _variance(X: Rows, weights: Floats | None) -> float:
    """The variance of all elements together."""
    n, d = X.shape
    if not n or not d:
        return 0.0
    heavy = np.ones(n) if weights is None or not weights.size else weights
    total = float(heavy.sum()) * d
    with np.errstate(over="ignore", invalid="ignore"):
        if not is_sparse(X):
            mean = float((heavy @ X).sum()) / total
            return float(sum(heavy @ (X[:, j] - mean) ** 2 for j in range(d))) / total
        of_value = np.repeat(heavy, np.diff(X.indptr))
        mean = float(of_value @ X.data) / total
        zeros = total - float(of_value.sum())
        return (float(of_value @ (X.data - mean) ** 2) + zeros * mean * mean) / total
