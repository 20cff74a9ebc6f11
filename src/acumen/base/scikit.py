"""The classes and functions of scikit-learn that learners use, typed, and optional at run time.

At run time these are scikit-learn's own, or, if it is not installed, the replacements in `scikit_absent`, so that a
machine that only predicts does not need it. Type checkers always see the replacements: scikit-learn states no types,
and a class with an untyped base would accept any attribute and any misspelt parameter.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING


def _is_installed() -> bool:
    """Whether scikit-learn is installed."""
    try:
        return find_spec("sklearn") is not None
    except (ImportError, ValueError):
        return False


if TYPE_CHECKING or not _is_installed():
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
else:  # an installation that cannot be imported raises its own error here
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
