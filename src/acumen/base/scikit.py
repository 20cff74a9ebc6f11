"""scikit-learn's part in the faces: its bases, its decorator and its copies, with the types it does not state.

A class whose base has no types is one of which a type checker believes everything: `.fitt()`, a parameter misspelt.
So checkers see stand-ins that say what the bases give; what runs are scikit-learn's own, or where it is not installed
those of `scikit_absent`, so that a machine which only predicts can do without.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any


def _installed() -> bool:
    """Whether there is a scikit-learn at all."""
    try:
        return find_spec("sklearn") is not None
    except (ImportError, ValueError):
        return False


if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self, TypeVar

    from acumen.types import Array

    F = TypeVar("F", bound=Callable[..., Any])

    class NotFittedError(ValueError, AttributeError): ...

    class ConvergenceWarning(UserWarning): ...

    class DataConversionWarning(UserWarning): ...

    class BaseEstimator:
        """Parameters by name, and how a learner shows itself."""

        @classmethod
        def _get_param_names(cls) -> list[str]: ...
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def get_metadata_routing(self) -> Any: ...
        def __sklearn_tags__(self) -> Any: ...
        def __sklearn_clone__(self) -> Self: ...
        def __getstate__(self) -> dict[str, Any]: ...
        def __setstate__(self, state: dict[str, Any]) -> None: ...
        def _repr_mimebundle_(self, **given: Any) -> dict[str, Any]: ...
        @property
        def _repr_html_(self) -> Callable[[], str]: ...

    class ClassifierMixin:
        """The share of rows predicted right."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

    class RegressorMixin:
        """R2."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

    class ClusterMixin:
        """Groups of the rows that are learned from."""

        def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array: ...

    class DensityMixin:
        """How probable rows are."""

        def score(self, X: Any, y: Any = None) -> Any: ...

    class TransformerMixin:
        """Learning and transforming in one; what is given back."""

        def fit_transform(self, X: Any, y: Any = None, **given: Any) -> Any: ...
        def set_output(self, *, transform: Any = None) -> Self: ...

    def available_if(check: Callable[[Any], Any]) -> Callable[[F], F]: ...
    def clone(estimator: Any, *, safe: bool = True) -> Any: ...
    def get_config() -> dict[str, Any]: ...

else:
    try:
        from sklearn import get_config
        from sklearn.base import (
            BaseEstimator,
            ClassifierMixin,
            ClusterMixin,
            DensityMixin,
            RegressorMixin,
            TransformerMixin,
            clone,
        )
        from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError
        from sklearn.utils.metaestimators import available_if
    except ImportError:
        if _installed():
            raise  # it is there and does not work, which nobody should be left to find out
        from acumen.base.scikit_absent import (
            BaseEstimator,
            ClassifierMixin,
            ClusterMixin,
            ConvergenceWarning,
            DataConversionWarning,
            DensityMixin,
            NotFittedError,
            RegressorMixin,
            TransformerMixin,
            available_if,
            clone,
            get_config,
        )

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "ClusterMixin",
    "ConvergenceWarning",
    "DataConversionWarning",
    "DensityMixin",
    "NotFittedError",
    "RegressorMixin",
    "TransformerMixin",
    "available_if",
    "clone",
    "get_config",
]
