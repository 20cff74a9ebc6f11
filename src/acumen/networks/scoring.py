"""Scores of structures, each a sum over families.

    bic   log-likelihood - p ln(n) / 2, p free parameters counted by levels (Schwarz 1978)
    aic   log-likelihood - p (Akaike 1974)
    mdl   bic - ln(d) for each edge, which must be named too (Lam and Bacchus 1994, in nats)
    bde   log marginal likelihood under a Dirichlet prior of `alpha` rows spread evenly over each table (Heckerman,
          Geiger and Chickering 1995; "BDeu")
    k2    the same under a prior of 1 in each cell (Cooper and Herskovits 1992)

Larger is better. bic, aic and bde are equal for all structures that imply the same independences.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from acumen.errors import ParameterError

Score = Literal["bic", "bde", "k2", "aic", "mdl"]


@dataclass(frozen=True, slots=True)
class Scoring:
    """The parameters of the scoring kernel."""

    per_parameter: float = 0.0
    per_parent: float = 0.0
    prior: float = 0.0
    spread: bool = False


def scoring(score: Score, weight: float, nodes: int, alpha: float, who: str) -> Scoring:
    """The scoring parameters of a named score for rows of this total weight."""
    half = 0.5 * math.log(max(weight, 1.0))
    if score == "bic":
        return Scoring(per_parameter=half)
    if score == "mdl":
        return Scoring(per_parameter=half, per_parent=math.log(max(nodes, 1)))
    if score == "aic":
        return Scoring(per_parameter=1.0)
    if score == "k2":
        return Scoring(prior=1.0)
    if not alpha > 0:
        raise ParameterError(
            f"{who}: the score 'bde' needs an alpha above 0, its prior's number of rows; got {alpha!r}."
        )
    return Scoring(prior=float(alpha), spread=True)


# -- `score` as a parameter and as a method -------------------------------------------------------
#
# `BayesNetwork(score="bic").score` is the string "bic", and can be called as `score(X, y)`: the literature and
# scikit-learn use the same name for two things, and both work.


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
