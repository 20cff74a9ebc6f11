"""Answers of network queries, as values that print as text.

Distribution   the probability of each level of an attribute, or of each combination of several
Likeliest      the most likely values of all attributes together
Separation     whether attributes are independent given others, and if not, the path that connects them
Dirichlet      posterior distributions of the probabilities in one table
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from acumen.data.escape import printable
from acumen.errors import ParameterError
from acumen.networks.network_text import align_columns
from acumen.networks.nodes import Node
from acumen.types import Floats, Label


class Distribution(Mapping[Any, float]):
    """Probabilities by level; by tuples of levels where there are several attributes.

    `table` holds them as an array with an axis for each attribute of `names`, `levels` the levels of each.
    """

    __slots__ = ("_places", "errors", "given", "levels", "names", "note", "table")

    def __init__(
        self,
        nodes: tuple[Node, ...],
        table: Floats,
        given: Mapping[str, Label] | None = None,
        errors: Floats | None = None,
        note: str = "",
    ) -> None:
        self.names = tuple(node.name for node in nodes)
        self.levels = tuple(node.levels for node in nodes)
        self.table = table
        self.given = dict(given or {})
        #: Standard errors, if the probabilities were estimated by sampling.
        self.errors = errors
        #: Whether samples can be relied on.
        self.note = note
        self._places = [{level: i for i, level in enumerate(levels)} for levels in self.levels]

    def __getitem__(self, key: Any) -> float:
        parts = (key,) if len(self.names) == 1 else key
        if not isinstance(parts, tuple) or len(parts) != len(self.names):
            raise KeyError(key)
        try:
            at = tuple(places[part] for places, part in zip(self._places, parts, strict=True))
        except (KeyError, TypeError):
            raise KeyError(key) from None
        return float(self.table[at])

    def __iter__(self) -> Iterator[Any]:
        return iter(self.levels[0]) if len(self.names) == 1 else product(*self.levels)

    def __len__(self) -> int:
        return int(self.table.size)

    @property
    def likeliest(self) -> Any:
        """The level, or the combination, of the largest probability; the first of equal ones."""
        best = np.unravel_index(int(self.table.argmax()), self.table.shape)
        best_levels = tuple(levels[i] for levels, i in zip(self.levels, best, strict=True))
        return best_levels[0] if len(best_levels) == 1 else best_levels

    def __repr__(self) -> str:
        return f"{self.heading}: {dict(self)}"

    @property
    def heading(self) -> str:
        """`P(D | A = yes)`."""
        condition = ", ".join(f"{name} = {level}" for name, level in self.given.items())
        return f"P({', '.join(self.names)}{' | ' + condition if condition else ''})"

    def __str__(self) -> str:
        lines = []
        for key, value in self.items():
            label = ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)
            lines.append([label, f"{value:.6g}"])
        if self.errors is not None:
            for line, error in zip(lines, self.errors.ravel().tolist(), strict=True):
                line.append(f"+- {error:.2g}")
        width = max((len(line[0]) for line in lines), default=0)
        body = "\n".join(
            "  " + printable(line[0]).ljust(width) + "  " + "  ".join(line[1:]) for line in lines
        )
        return f"{printable(self.heading)}\n{body}" + (f"\n{self.note}" if self.note else "")


class Likeliest(dict[str, Label]):
    """The jointly most likely values of all attributes, given some; `probability` is their joint probability."""

    __slots__ = ("log_probability",)

    def __init__(self, values: Mapping[str, Label], log_probability: float) -> None:
        super().__init__(values)
        #: log P(all these values together), the given ones among them.
        self.log_probability = log_probability

    @property
    def probability(self) -> float:
        return math.exp(self.log_probability)


@dataclass(frozen=True, slots=True)
class Separation:
    """True where `first` and `second` are independent given `given`, whatever the tables hold."""

    first: str
    second: str
    given: tuple[str, ...]
    #: The path along which they depend on each other; empty where there is none.
    path: tuple[str, ...] = ()
    #: Why the path is open at each node between its ends.
    reasons: tuple[str, ...] = ()
    #: The path with its arrows.
    drawn: str = ""

    def __bool__(self) -> bool:
        return not self.path

    def __str__(self) -> str:
        condition = f" given {', '.join(self.given)}" if self.given else ""
        if self:
            return printable(
                f"{self.first} and {self.second} are independent{condition}: every path between them is blocked."
            )
        why = "; ".join(self.reasons)
        sentence = f"{self.first} and {self.second} may depend on each other{condition}, along {self.drawn}"
        return printable(f"{sentence}{': ' + why if why else ''}.")


@dataclass(frozen=True, slots=True, eq=False)
class Dirichlet:
    """The posterior of one attribute's probabilities: for each line of its table a Dirichlet distribution.

    `alpha` has an axis for each parent, then one for the levels: pseudo-counts of the prior and weights of rows.
    """

    name: str
    levels: tuple[Label, ...]
    parents: tuple[str, ...]
    parent_levels: tuple[tuple[Label, ...], ...]
    alpha: Floats

    @property
    def total(self) -> Floats:
        """The total pseudo-count of each line."""
        return np.asarray(self.alpha.sum(axis=-1, keepdims=True))

    @property
    def mean(self) -> Floats:
        """The probabilities of the network."""
        return np.asarray(self.alpha / self.total)

    @property
    def sd(self) -> Floats:
        """The standard deviation of each probability."""
        mean = self.mean
        return np.asarray(np.sqrt(mean * (1 - mean) / (self.total + 1)))

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Credible intervals of each probability: quantiles of its beta distribution."""
        if not 0 < level < 1:
            raise ParameterError(f"interval: level must be a number above 0 and below 1; got {level!r}.")
        from scipy.special import betaincinv

        rest = np.maximum(self.total - self.alpha, 1e-300)
        alpha = np.maximum(self.alpha, 1e-300)
        low, high = ((1 - level) / 2, (1 + level) / 2)
        return betaincinv(alpha, rest, low), betaincinv(alpha, rest, high)

    def __str__(self) -> str:
        heads = [*self.parents, *(str(level) for level in self.levels)]
        mean, sd = self.mean.reshape(-1, len(self.levels)), self.sd.reshape(-1, len(self.levels))
        lines = []
        for at, above in enumerate(product(*self.parent_levels)):
            cells = [f"{m:.4f} +- {s:.4f}" for m, s in zip(mean[at], sd[at], strict=True)]
            lines.append([*map(str, above), *cells])
        return "\n".join(align_columns(heads, lines, len(self.parents)))
