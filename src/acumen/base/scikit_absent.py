"""What the faces need of scikit-learn, for machines that have none: a server that loads models and predicts.

Parameters by name, copies, methods that only some learners have, and the warnings and errors, with the same names and
the same answers. What only scikit-learn itself asks for (tags, routing, its own drawing of a learner) is not here.
"""

from __future__ import annotations

import copy
import html
import inspect
from collections.abc import Callable
from typing import Any, Self, TypeVar

import numpy as np

from acumen.base.availability import available
from acumen.errors import MissingExtra

F = TypeVar("F", bound=Callable[..., Any])


class NotFittedError(ValueError, AttributeError):
    """Nothing was learned yet."""


class ConvergenceWarning(UserWarning):
    """A search ended before it had settled."""


class DataConversionWarning(UserWarning):
    """Data were taken in another shape than they had."""


class BaseEstimator:
    """Parameters by name: those of `__init__`."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        declared = inspect.signature(cls.__init__).parameters.values()
        others = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        return sorted(p.name for p in declared if p.name != "self" and p.kind not in others)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters; with `deep` also those of learners among them, as `name__theirs`."""
        made: dict[str, Any] = {}
        for name in self._get_param_names():
            value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                made |= {f"{name}__{inner}": own for inner, own in value.get_params().items()}
            made[name] = value
        return made

    def set_params(self, **params: Any) -> Self:
        """Set parameters, or those of learners among them as `name__theirs`."""
        known = self._get_param_names()
        nested: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            own, _, inner = name.partition("__")
            if own not in known:
                raise ValueError(
                    f"Invalid parameter {own!r} for estimator {self}. Valid parameters are: {known}."
                )
            if inner:
                nested.setdefault(own, {})[inner] = value
            else:
                setattr(self, own, value)
        for own, inner_params in nested.items():
            getattr(self, own).set_params(**inner_params)
        return self

    def __repr__(self) -> str:
        declared = inspect.signature(type(self).__init__).parameters
        given = [
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if repr(value) != repr(declared[name].default)
        ]
        return f"{type(self).__name__}({', '.join(given)})"

    def _repr_mimebundle_(self, **given: Any) -> dict[str, Any]:
        return {"text/plain": repr(self)}

    @property
    def _repr_html_(self) -> Callable[[], str]:
        return lambda: f"<pre>{html.escape(repr(self))}</pre>"


class ClassifierMixin:
    """The share of rows predicted right."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        right = np.asarray(self.predict(X)) == np.asarray(y)  # type: ignore[attr-defined]
        return float(np.average(right, weights=sample_weight))


class RegressorMixin:
    """Regressors here have a score of their own."""


class DensityMixin:
    """Models of all attributes here have a score of their own."""


class ClusterMixin:
    """Clusterers here have `fit_predict` of their own."""


class TransformerMixin:
    """Learning and transforming in one."""

    def fit_transform(self, X: Any, y: Any = None, **given: Any) -> Any:
        """Learn from rows, and give their new columns."""
        return self.fit(X, y, **given).transform(X)  # type: ignore[attr-defined]

    def set_output(self, *, transform: Any = None) -> Self:
        """Frames are made by scikit-learn alone."""
        if transform not in (None, "default"):
            raise MissingExtra(
                "set_output needs scikit-learn, which is not installed: pip install scikit-learn"
            )
        return self


def available_if(check: Callable[[Any], Any]) -> Callable[[F], F]:
    """Give a method to those learners alone for which `check` holds."""
    return available(check, lambda learner: "with these parameters, or this model, there is none")


def clone(estimator: Any, *, safe: bool = True) -> Any:
    """A learner of the same parameters that has learned nothing; of a list, one of each."""
    if isinstance(estimator, (list, tuple, set, frozenset)):
        return type(estimator)(clone(each, safe=safe) for each in estimator)
    if hasattr(estimator, "get_params") and not isinstance(estimator, type):
        given = {name: clone(value, safe=False) for name, value in estimator.get_params(deep=False).items()}
        return type(estimator)(**given)
    if safe:
        raise TypeError(f"{estimator!r} is no learner: it has no get_params.")
    return copy.deepcopy(estimator)


def get_config() -> dict[str, Any]:
    """How scikit-learn would be set."""
    return {"transform_output": "default"}
