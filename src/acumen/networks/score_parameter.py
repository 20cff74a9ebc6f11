"""`score` as a parameter beside the method of that name, which every estimator has.

`BayesNetwork(score="bic").score` is the word that was given, and can be called as `score(X, y)`: what the literature
and scikit-learn call by one name need not be told apart by who writes it down.
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
        made = cls(value)
        made._method = method
        return made

    def __call__(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        return self._method(X, y, sample_weight)

    def __reduce__(self) -> Any:
        return str, (str(self),)  # a copy is the word alone


class ScoreParameter:
    """Keeps the word in the instance's own dictionary, as any parameter is kept."""

    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        if instance is None:
            return owner._score_rows
        value = instance.__dict__["score"]
        # What is no word is refused by `fit`, and shown as it is until then.
        return ScoreWord.of(value, instance._score_rows) if isinstance(value, str) else value

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__["score"] = value
