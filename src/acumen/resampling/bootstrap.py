"""The bootstrap: training sets drawn with replacement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from acumen.errors import ParameterError, did_you_mean
from acumen.resampling.plan import (
    ResamplingPlan,
    Split,
    as_groups,
    codes_of,
    require_rows,
    require_whole,
    streams,
)
from acumen.types import Indices

Kind = Literal["632", "632+", "out-of-bag", "plain"]


@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap(ResamplingPlan):
    """Bootstrap: training sets of n rows drawn with replacement, tested on the rows not drawn.

    About 1/e = 36.8 % of the rows are never drawn in a repeat: (1 - 1/n)^n of n.

    Parameters
    ----------
    n_repeats : int, default 50
    kind : {"632", "632+", "out-of-bag", "plain"}, default "632"
        The test rows and the estimate: `plain` tests each model on all rows, including its training rows;
        `out-of-bag` tests on the rows not drawn; `632` weights the out-of-bag estimate by 0.632 and the
        resubstitution estimate by 0.368 (Efron 1983); `632+` moves more weight to the out-of-bag estimate
        the more the model overfits (Efron and Tibshirani 1997).

    groups : array, optional
        One value per row; whole groups are drawn, the same number as there are groups, so that the rows of
        a group are never both training and out-of-bag test rows.

    With very few rows a sample may contain every row; it is then drawn again, unless the kind is `plain`.
    """

    n_repeats: int = 50
    kind: Kind = "632"
    groups: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        require_whole("Bootstrap", "n_repeats", self.n_repeats, 1)
        object.__setattr__(self, "groups", as_groups("Bootstrap", self.groups))
        if self.kind not in get_args(Kind):
            kinds = ", ".join(map(repr, get_args(Kind)))
            raise ParameterError(
                f"Bootstrap: kind must be one of {kinds}; got {self.kind!r}."
                + did_you_mean(self.kind, get_args(Kind))
            )

    def splits(self, n_rows: int, labels: Any = None, random_state: Any = None) -> Iterator[Split]:
        plain = self.kind == "plain"
        least = 1 if plain else 2
        require_rows("Bootstrap", n_rows, least, "to draw from")
        every = np.arange(n_rows)
        unit = every if self.groups is None else codes_of("Bootstrap", "groups", self.groups, n_rows)
        n_units = int(unit.max()) + 1
        if n_units < least:
            raise ParameterError("Bootstrap: there must be at least 2 groups to draw from; got 1.")
        for repeat, rng in zip(range(self.n_repeats), streams(random_state, "Bootstrap"), strict=False):
            times = _draw_counts(n_units, rng)
            while not plain and times.all():
                times = _draw_counts(n_units, rng)
            times = times[unit]
            yield Split(np.repeat(every, times), every if plain else np.flatnonzero(times == 0), repeat)

    def len_for(self, n_rows: int) -> int:
        return self.n_repeats

    def __str__(self) -> str:
        name = {"632": ".632 bootstrap", "632+": ".632+ bootstrap"}.get(self.kind, f"{self.kind} bootstrap")
        return f"{name}, {self.n_repeats} samples" + (", by groups" if self.groups is not None else "")


def _draw_counts(n: int, rng: np.random.Generator) -> Indices:
    """Draw n times from n with replacement; the number of times that each is drawn."""
    return np.bincount(rng.integers(n, size=n), minlength=n)
