"""From counts to probabilities of levels: maximum likelihood, MAP and Bayes, and where zeros go.

Under a Dirichlet prior with parameters a_1..a_L, counts n_1..n_L and their sums A and N (W001-18, W001-19):

    mle     n_l / N
    map     (n_l + a_l - 1) / (N + A - L)     the posterior's mode; a_l = 1 gives mle
    bayes   (n_l + a_l) / (N + A)             the posterior's mean; Laplace a_l = 1, Lidstone a_l = lambda
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from acumen.data.schema import Attribute
from acumen.errors import ParameterError, did_you_mean
from acumen.preprocessing.stored_arrays import stored_floats
from acumen.types import Array, Floats

Estimator = Literal["bayes", "map", "mle"]


@dataclass(frozen=True, slots=True)
class CountsBehind:
    """What probabilities were made of: the counts, and what was added to each. They are shown, never computed with."""

    counts: Floats  # (classes, levels)
    added: Floats  # (levels,)

    @classmethod
    def of(cls, counts: Floats, alpha: Floats | float, estimator: Estimator) -> Self:
        """The counts with what the estimator adds to them."""
        prior = np.broadcast_to(np.asarray(alpha, dtype=np.float64), (counts.shape[-1],))
        extra = {"bayes": prior, "map": prior - 1.0, "mle": np.zeros(counts.shape[-1])}[estimator]
        return cls(np.ascontiguousarray(counts), np.ascontiguousarray(extra))

    def to_arrays(self, head: str) -> dict[str, Array]:
        return {f"{head}counts": self.counts, f"{head}added": self.added}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], head: str, shape: tuple[int, int]) -> Self:
        """What `to_arrays` gave, checked."""
        return cls(
            stored_floats(arrays, f"{head}counts", shape, low=0.0),
            stored_floats(arrays, f"{head}added", shape[1:], low=0.0),
        )


def log_shares(
    counts: Floats, alpha: Floats | float, estimator: Estimator, only_zeros: bool = False
) -> Floats:
    """Log probabilities along the last axis of `counts` (classes, levels).

    With `only_zeros` a level that occurs keeps its relative frequency and only levels with count zero get
    the smoothed share, as in the documents' first example (W000-10); the shares then sum to more than 1.
    A class without any count has equal shares under mle and map.
    """
    levels = counts.shape[-1]
    prior = np.broadcast_to(np.asarray(alpha, dtype=np.float64), (levels,))
    total = counts.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        frequency = np.where(total > 0, counts / total, 1.0 / max(levels, 1))
        if estimator == "mle":
            return np.log(frequency)
        extra = prior if estimator == "bayes" else prior - 1.0
        below = total + extra.sum()
        smoothed = np.where(below > 0, (counts + extra) / below, frequency)
        if only_zeros:
            smoothed = np.where(counts > 0, frequency, smoothed)
        return np.log(smoothed)


def alphas_of(
    alpha: Any, attributes: Sequence[Attribute], estimator: Estimator, who: str
) -> tuple[Floats, ...]:
    """The Dirichlet parameters of each nominal attribute.

    `alpha` is one number for all, an array of one number for each attribute, or a mapping from attribute to a
    number, to numbers in level order, or to a mapping from level to number; attributes left out have 1.
    """
    if isinstance(alpha, Mapping):
        names = [attribute.name for attribute in attributes]
        for name in alpha:
            if name not in names:
                raise ParameterError(
                    f"{who}: alpha names {name!r}, which is not a nominal "
                    f"attribute.{did_you_mean(name, names)}"
                )
        by_attribute = [alpha.get(attribute.name, 1.0) for attribute in attributes]
    elif isinstance(alpha, (list, tuple)) or np.ndim(alpha) == 1:
        if len(alpha) != len(attributes):
            raise ParameterError(
                f"{who}: alpha has {len(alpha)} values for {len(attributes)} nominal attributes; give one for each."
            )
        by_attribute = list(alpha)
    else:
        by_attribute = [alpha] * len(attributes)
    return tuple(
        _one(value, attribute, estimator, who)
        for value, attribute in zip(by_attribute, attributes, strict=True)
    )


def _one(value: Any, attribute: Attribute, estimator: Estimator, who: str) -> Floats:
    levels = attribute.levels
    if isinstance(value, Mapping):
        for level in value:
            if level not in levels:
                raise ParameterError(
                    f"{who}: alpha of {attribute.name!r} names {level!r}, which is no level."
                    + did_you_mean(str(level), map(str, levels))
                )
        value = [value.get(level, 1.0) for level in levels]
    try:
        pseudo_counts = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"{who}: alpha of {attribute.name!r} must be numbers; got {value!r}.") from None
    pseudo_counts = np.full(len(levels), float(pseudo_counts)) if pseudo_counts.ndim == 0 else pseudo_counts
    if pseudo_counts.shape != (len(levels),):
        raise ParameterError(
            f"{who}: alpha of {attribute.name!r} must be one number or {len(levels)}, one per level; got {value!r}."
        )
    least = 1.0 if estimator == "map" else 0.0
    if not np.all(np.isfinite(pseudo_counts)) or np.any(pseudo_counts < least):
        raise ParameterError(
            f"{who}: alpha must be at least {least:g} for estimator={estimator!r}; got {value!r}."
        )
    return pseudo_counts
