"""Methods that only some learners have, and that say why where one is asked for that is not there.

    @available(lambda self: self.model_type.probabilistic, lambda self: self.model_type.without_probabilities())
    def predict_proba(self, X): ...

`hasattr` is then False, as scikit-learn's own `available_if` has it, whose sentence says only that there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import MethodType
from typing import Any, Generic, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class _Available(Generic[F]):
    """The method, for learners that have it."""

    def __init__(self, function: F, check: Callable[[Any], Any], why: Callable[[Any], str]) -> None:
        self._function, self._check, self._why = function, check, why
        update_wrapper(self, function)  # type: ignore[arg-type]

    def __get__(self, learner: Any, owner: type | None = None) -> Any:
        if learner is None:
            return self._function
        if not self._check(learner):
            name = self._function.__name__
            raise AttributeError(
                f"this {type(learner).__name__!r} has no attribute {name!r}: {self._why(learner)}."
            )
        return MethodType(self._function, learner)


def available(check: Callable[[Any], Any], why: Callable[[Any], str]) -> Callable[[F], F]:
    """Give a method to those learners alone for which `check` holds; `why` is the reason where it does not."""

    def made(function: F) -> F:
        return _Available(function, check, why)  # type: ignore[return-value]

    return made
