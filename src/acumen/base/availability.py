"""Methods that only some learners have, with an error that explains why one is missing.

    @available(lambda self: self.model_type.probabilistic, lambda self: self.model_type.without_probabilities())
    def predict_proba(self, X): ...

`hasattr` is False for a missing method, as with scikit-learn's `available_if`, whose error gives no reason.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import MethodType
from typing import Any, Generic, TypeVar

from acumen import messages
from acumen.errors import DataError

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
    """Provide a method only on learners for which `check` holds; `why` gives the reason if it does not."""

    def decorate(function: F) -> F:
        return _Available(function, check, why)  # type: ignore[return-value]

    return decorate


# -- learners that can be fitted from parts -------------------------------------------------------
#
# Which learners can be fitted from parts, and which of them where rows are on many machines.
#
# require_parts    a sentence where a learner cannot on many machines
# no_stream        why a learner has no `fit_stream`


def require_parts(learner: Any) -> None:
    """DataError unless a learner can be fitted from blocks that are read apart."""
    if not learner.streams:
        name = type(learner).__name__
        if (would := _would(learner)) is not None:
            name += ", as it is set,"
        raise DataError(
            f"{name} is for one machine: it must see all rows together to be fitted. {_else(would, 'Leave')} the "
            "engine out; in a comparison it runs as one task a fold."
        )


def no_stream(learner: Any) -> str:
    """Why there is no `fit_stream`, as part of a sentence."""
    fit = _else(_would(learner), "Fit")
    return f"it is for one machine, and must see all rows together to be fitted. {fit} it on a table"


def _else(would: str | None, verb: str) -> str:
    return f"{would}; else {verb.lower()}" if would else verb


def _would(learner: Any) -> str | None:
    """What could be set otherwise, in words if these are few; None where nothing would help."""
    try:
        if type(learner)().streams:
            return ""
        histograms = "method" in learner.get_params(deep=False) and type(learner)(method="histogram").streams
    except TypeError:  # its parameters have no defaults
        return None
    return f"With {messages.setting('method', 'histogram')} it learns from parts" if histograms else None
