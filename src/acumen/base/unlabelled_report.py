"""Report on the effect of unlabelled rows: labels assigned in each round, and held-out errors with and without them.

    Unlabelled         the report; prints itself
    judge_unlabelled   compute the report by folds of the labelled rows

Unlabelled rows help if classes are separate clusters, and hurt otherwise; only held-out rows can show which. Each fold
of the labelled rows is predicted by a model trained on the other labelled rows, and by a model trained on these and all
unlabelled rows. Where the predictions differ, at most one is right. If each is right equally often, the number of rows
that got worse is binomial (McNemar's exact test, one-sided).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.data.table import Table
from acumen.errors import AcumenWarning, DataError
from acumen.render.text import many
from acumen.rows.content_folds import content_folds
from acumen.types import Codes

#: Warn if the p-value of the harm is at most this.
LEVEL = 0.1


@dataclass(frozen=True, slots=True)
class Unlabelled:
    """The effect of unlabelled rows on held-out errors.

    Attributes
    ----------
    labelled, unlabelled : int
        The number of rows of each kind.
    rounds : tuple of int
        The number of rows that got a label in each round.
    folds : int
        The number of folds of labelled rows held out; 0 if none could be.
    tested : int
        The number of labelled rows predicted both ways.
    changed, better, worse : int
        How many of their predictions differ, and how many of those are right only with, or only without, the
        unlabelled rows.
    error_with, error_without : float
        The error rate (by weight) with and without the unlabelled rows; NaN if no row was tested.
    p : float
        The probability that chance makes at least this number of rows worse; NaN if none were tested.
    """

    labelled: int
    unlabelled: int
    rounds: tuple[int, ...]
    folds: int = 0
    tested: int = 0
    changed: int = 0
    better: int = 0
    worse: int = 0
    error_with: float = math.nan
    error_without: float = math.nan
    p: float = math.nan

    @property
    def n_pseudo_labels(self) -> int:
        """The number of unlabelled rows that got a label."""
        return sum(self.rounds)

    @property
    def hurts(self) -> bool:
        """Whether the unlabelled rows make predictions worse (p of at most 0.1)."""
        return self.error_with > self.error_without and self.p <= LEVEL

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready values; undefined values become None."""
        record: dict[str, Any] = {name: getattr(self, name) for name in self.__dataclass_fields__}
        record["rounds"] = list(self.rounds)
        numbers = {n: v if not isinstance(v, float) or math.isfinite(v) else None for n, v in record.items()}
        return {**numbers, "hurts": self.hurts}

    def __str__(self) -> str:
        lines = [
            f"{many(self.labelled, 'labelled row')}, {self.unlabelled:,} unlabelled; "
            f"{self.n_pseudo_labels:,} of these got a label"
            + (f" in {many(len(self.rounds), 'round')}: " + _list_rounds(self.rounds) if self.rounds else "")
        ]
        if not self.tested:
            lines.append("no labelled rows were held out, so the effect is unknown")
            return "\n".join(lines)
        lines.append(
            f"of {many(self.tested, 'labelled row')} held out in {self.folds} folds, the prediction changes for "
            f"{self.changed:,}: {self.better:,} now right, {self.worse:,} now wrong"
        )
        lines.append(
            f"error {self.error_with:.4f} with the unlabelled rows, {self.error_without:.4f} without: {self._verdict()}"
        )
        return "\n".join(lines)

    def _verdict(self) -> str:
        if self.hurts:
            return f"they hurt (p = {self.p:.2g})"
        if self.error_with > self.error_without:
            return "worse, but this could be chance"
        if self.error_with < self.error_without:
            return "better on these rows"
        return "no difference"


def _list_rounds(rounds: tuple[int, ...]) -> str:
    shown = ", ".join(f"{each:,}" for each in rounds[:10])
    return shown + (", ..." if len(rounds) > 10 else "")


def judge_unlabelled(
    table: Table,
    rounds: tuple[int, ...],
    folds: int | None,
    learn: Callable[[Table], Callable[[Table], Codes]],
    alone: Callable[[Table], Callable[[Table], Codes]],
) -> Unlabelled:
    """Compute the report; `learn` and `alone` take rows and return a function that predicts codes.

    `learn` gets labelled rows and all unlabelled ones, `alone` the same labelled rows only. Folds depend on the content
    of rows, not on their order or repetition. A fold is skipped if the other rows have a single class or cannot be
    fitted.
    """
    known = np.flatnonzero(table.class_codes >= 0)
    rest = np.flatnonzero(table.class_codes < 0)
    plain = Unlabelled(len(known), len(rest), rounds)
    if folds is None or not len(rest):
        return plain
    labels, heavy = table.class_codes, table.row_weights
    fold_of = content_folds(table.take(known), folds)
    tested: list[Any] = []
    used = 0
    for fold in range(folds):
        held, others = known[fold_of == fold], known[fold_of != fold]
        if not len(held) or len(np.unique(labels[others])) < 2:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # already issued for the whole table
                without = alone(table.take(others))(table.take(held))
                both = learn(table.take(np.sort(np.concatenate([others, rest]))))(table.take(held))
        except DataError:
            continue
        used += 1
        tested.append(np.column_stack([labels[held], both, without, heavy[held]]))
    if not tested:
        return plain
    truth, both, without, weight = np.concatenate(tested).T
    better = int(np.count_nonzero((both == truth) & (without != truth)))
    worse = int(np.count_nonzero((both != truth) & (without == truth)))
    return Unlabelled(
        labelled=len(known),
        unlabelled=len(rest),
        rounds=rounds,
        folds=used,
        tested=len(truth),
        changed=int(np.count_nonzero(both != without)),
        better=better,
        worse=worse,
        error_with=float(weight @ (both != truth) / weight.sum()),
        error_without=float(weight @ (without != truth) / weight.sum()),
        p=upper_tail(worse, better + worse),
    )


def upper_tail(hits: int, tries: int) -> float:
    """P(at least `hits` heads in `tries` throws of a fair coin)."""
    if tries > 1000:  # normal approximation with continuity correction
        return 0.5 * math.erfc((hits - 0.5 - tries / 2) / math.sqrt(tries / 2))
    return sum(math.comb(tries, k) for k in range(hits, tries + 1)) / 2**tries


def warn_of_harm(report: Unlabelled, who: str) -> None:
    """Warn if unlabelled rows made predictions of held-out rows worse."""
    if report.hurts:
        warnings.warn(
            f"{who}: the unlabelled rows hurt: of {many(report.tested, 'held-out labelled row')}, {report.worse:,} "
            f"become wrong and {report.better:,} become right (error {report.error_with:.4f} with unlabelled rows, "
            f"{report.error_without:.4f} without). Train on the labelled rows only.",
            AcumenWarning,
            stacklevel=4,
        )
