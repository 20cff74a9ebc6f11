"""The bootstrap: training sets drawn with replacement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from acumen.errors import ParameterError, did_you_mean
from acumen.resample.plan import Plan, Split, require_rows, require_whole, streams

Kind = Literal["632", "632+", "out-of-bag", "plain"]


@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap(Plan):
    """Training sets of as many rows as there are, drawn with replacement.

    About 1/e = 36.8 % of the rows are never drawn in a repeat: (1 - 1/n)^n of n.

    Parameters
    ----------
    repeats : int, default 50
    kind : {"632", "632+", "out-of-bag", "plain"}, default "632"
        What is tested, and how whoever judges combines it: `plain` tests each model on all rows, those it
        was trained on included; `out-of-bag` on the rows that were not drawn; `632` weighs the out-of-bag
        estimate by 0.632 and resubstitution by 0.368 (Efron 1983); `632+` shifts this weight to the
        out-of-bag estimate the more the model overfits (Efron and Tibshirani 1997).

    A sample that leaves no row out, which happens with a handful of rows, is drawn again unless the kind
    is `plain`.
    """

    repeats: int = 50
    kind: Kind = "632"

    def __post_init__(self) -> None:
        require_whole("Bootstrap", "repeats", self.repeats, 1)
        if self.kind not in get_args(Kind):
            kinds = ", ".join(map(repr, get_args(Kind)))
            raise ParameterError(
                f"Bootstrap: kind must be one of {kinds}; got {self.kind!r}."
                + did_you_mean(self.kind, get_args(Kind))
            )

    def splits(self, n_rows: int, labels: Any = None, random_state: Any = None) -> Iterator[Split]:
        plain = self.kind == "plain"
        require_rows("Bootstrap", n_rows, 1 if plain else 2, "to draw from")
        for repeat, rng in zip(range(self.repeats), streams(random_state, "Bootstrap"), strict=False):
            times = np.bincount(rng.integers(n_rows, size=n_rows), minlength=n_rows)
            while not plain and times.all():
                times = np.bincount(rng.integers(n_rows, size=n_rows), minlength=n_rows)
            every = np.arange(n_rows)
            yield Split(np.repeat(every, times), every if plain else np.flatnonzero(times == 0), repeat)

    def len_for(self, n_rows: int) -> int:
        return self.repeats

    def __str__(self) -> str:
        name = {"632": ".632 bootstrap", "632+": ".632+ bootstrap"}.get(self.kind, f"{self.kind} bootstrap")
        return f"{name}, {self.repeats} samples"
