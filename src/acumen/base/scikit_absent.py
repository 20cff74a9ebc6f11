"""Replacements for what learners use of scikit-learn, for machines without it: a server that loads models and predicts.

Parameters by name, copies, methods that only some learners have, warnings and errors, with the same names and the same
results. Methods that only scikit-learn itself calls (tags, routing, its drawing of a learner) are declared here for
type checkers and do not exist at run time.
"""

from __future__ import annotations

import copy
import html
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from acumen.base.availability import available
from acumen.errors import MissingExtra

if TYPE_CHECKING:
    from acumen.types import Array

F = TypeVar("F", bound=Callable[..., Any])


class NotFittedError(ValueError, AttributeError):
    """The learner is not fitted yet."""


class ConvergenceWarning(UserWarning):
    """An iterative fit stopped before it converged."""


class DataConversionWarning(UserWarning):
    """Data were converted to another shape."""


class BaseEstimator:
    """Parameters by name: those of `__init__`."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        declared = inspect.signature(cls.__init__).parameters.values()
        others = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        return sorted(p.name for p in declared if p.name != "self" and p.kind not in others)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters; with `deep` also those of learners among them, as `name__inner`."""
        params: dict[str, Any] = {}
        for name in self._get_param_names():
            value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                params |= {
                    f"{name}__{inner}": inner_value for inner, inner_value in value.get_params().items()
                }
            params[name] = value
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, or those of learners among them as `name__inner`."""
        known = self._get_param_names()
        nested: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            outer, _, inner = name.partition("__")
            if outer not in known:
                raise ValueError(
                    f"Invalid parameter {outer!r} for estimator {self}. Valid parameters are: {known}."
                )
            if inner:
                nested.setdefault(outer, {})[inner] = value
            else:
                setattr(self, outer, value)
        for outer, inner_params in nested.items():
            getattr(self, outer).set_params(**inner_params)
        return self

    def __repr__(self) -> str:
        declared = inspect.signature(type(self).__init__).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if repr(value) != repr(declared[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_mimebundle_(self, **given: Any) -> dict[str, Any]:
        return {"text/plain": repr(self)}

    @property
    def _repr_html_(self) -> Callable[[], str]:
        return lambda: f"<pre>{html.escape(repr(self))}</pre>"

    if TYPE_CHECKING:

        def get_metadata_routing(self) -> Any: ...
        def __sklearn_tags__(self) -> Any: ...
        def __sklearn_clone__(self) -> Self: ...
        def __getstate__(self) -> dict[str, Any]: ...
        def __setstate__(self, state: dict[str, Any]) -> None: ...


class ClassifierMixin:
    """Accuracy as the score."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        right = np.asarray(self.predict(X)) == np.asarray(y)  # type: ignore[attr-defined]
        return float(np.average(right, weights=sample_weight))


class RegressorMixin:
    """Empty: acumen's regressors define their own score."""

    if TYPE_CHECKING:

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...


class DensityMixin:
    """Empty: acumen's density models define their own score."""

    if TYPE_CHECKING:

        def score(self, X: Any, y: Any = None) -> Any: ...


class ClusterMixin:
    """Empty: acumen's clusterers define their own `fit_predict`."""

    if TYPE_CHECKING:

        def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array: ...


class TransformerMixin:
    """Fit and transform in one step."""

    def fit_transform(self, X: Any, y: Any = None, **given: Any) -> Any:
        """Fit on rows and return their new columns."""
        return self.fit(X, y, **given).transform(X)  # type: ignore[attr-defined]

    def set_output(self, *, transform: Any = None) -> Self:
        """Only scikit-learn can return data frames."""
        if transform not in (None, "default"):
            raise MissingExtra(
                "set_output needs scikit-learn, which is not installed: pip install scikit-learn"
            )
        return self


def available_if(check: Callable[[Any], Any]) -> Callable[[F], F]:
    """Provide a method only on learners for which `check` holds."""
    return available(check, lambda learner: "it is not available with these parameters or this model")


def clone(estimator: Any, *, safe: bool = True) -> Any:
    """An unfitted learner with the same parameters; for a list, one of each."""
    if isinstance(estimator, (list, tuple, set, frozenset)):
        return type(estimator)(clone(each, safe=safe) for each in estimator)
    if hasattr(estimator, "get_params") and not isinstance(estimator, type):
        params = {name: clone(value, safe=False) for name, value in estimator.get_params(deep=False).items()}
        return type(estimator)(**params)
    if safe:
        raise TypeError(f"{estimator!r} is not a learner: it has no get_params.")
    return copy.deepcopy(estimator)


def get_config() -> dict[str, Any]:
    """The default configuration of scikit-learn."""
    return {"transform_output": "default"}
