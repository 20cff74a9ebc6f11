"""Let `score` be both a parameter and the method that every estimator has.

`BayesNetwork(score="bic").score` is the string "bic", and can be called as `score(X, y)`: the literature and
scikit-learn use the same name for two things, and both work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class ScoreWord(str):
    """The parameter's value, which scores rows when called."""

    __slots__ = ("_method",)
    _method: Callable[..., float]

    @classmethod
    def of(cls, value: Any, method: Callable[..., float]) -> ScoreWord:
        word = cls(value)
        word._method = method
        return word

    def __call__(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        return self._method(X, y, sample_weight)

    def __reduce__(self) -> Any:
        return str, (str(self),)  # a copy is a plain string


class ScoreParameter:
    """A descriptor that keeps the parameter in the instance's dictionary, like any parameter."""

    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        if instance is None:
            return owner._score_rows
        value = instance.__dict__["score"]
        # A value that is not a string is returned unchanged; `fit` refuses it.
        return ScoreWord.of(value, instance._score_rows) if isinstance(value, str) else value

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__["score"] = value
