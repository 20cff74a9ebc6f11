"""What rows without a label changed: labels given round by round, and errors on rows left out, with them and without.

    Unlabelled   the report; prints itself
    judge_unlabelled   the report of a way of learning, by folds of the labelled rows

Rows without a label help where classes are clumps, and hurt where they are not; only rows that were left out tell. Each
fold of the labelled rows is predicted by what is learned from the other labelled rows alone, and by what is learned
from these and all rows without a label. Where the two differ, one of them may be right: under the hypothesis that it is
as often the one as the other, the number of rows that got worse is binomial (McNemar's exact test, one-sided).
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

#: A harm that chance would do more seldom is warned of.
LEVEL = 0.1


@dataclass(frozen=True, slots=True)
class Unlabelled:
    """What rows without a label changed.

    Attributes
    ----------
    labelled, unlabelled : int
        How many rows there were of each.
    rounds : tuple of int
        How many rows were given a label in each round.
    folds : int
        In how many folds labelled rows were left out; 0 where none could be.
    tested : int
        How many labelled rows were predicted both ways.
    changed, better, worse : int
        How many of their predictions differ; of those, how many are right only with unlabelled rows, or only without.
    error_with, error_without : float
        The share (by weight) predicted wrongly; NaN where none were tested.
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
        """How many rows were given a label."""
        return sum(self.rounds)

    @property
    def hurts(self) -> bool:
        """Whether the rows without a label make predictions worse, beyond what chance does in one case of ten."""
        return self.error_with > self.error_without and self.p <= LEVEL

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready values; undefined values become None."""
        record: dict[str, Any] = {name: getattr(self, name) for name in self.__dataclass_fields__}
        record["rounds"] = list(self.rounds)
        numbers = {n: v if not isinstance(v, float) or math.isfinite(v) else None for n, v in record.items()}
        return {**numbers, "hurts": self.hurts}

    def __str__(self) -> str:
        lines = [
            f"{many(self.labelled, 'row')} with a label, {many(self.unlabelled, 'row')} without, of which "
            f"{self.n_pseudo_labels:,} were given one"
            + (f" in {many(len(self.rounds), 'round')}: " + _list_rounds(self.rounds) if self.rounds else "")
        ]
        if not self.tested:
            lines.append("no labelled rows were held out, so the effect is unknown")
            return "\n".join(lines)
        lines.append(
            f"of {many(self.tested, 'labelled row')} left out in {self.folds} folds {self.changed:,} are predicted "
            f"otherwise for it: {self.better:,} rightly now, {self.worse:,} wrongly now"
        )
        lines.append(
            f"error {self.error_with:.4f} with the unlabelled rows, {self.error_without:.4f} without: {self._verdict()}"
        )
        return "\n".join(lines)

    def _verdict(self) -> str:
        if self.hurts:
            return f"they hurt (chance would do as much in {self.p:.2g} of all cases)"
        if self.error_with > self.error_without:
            return "worse, which may be chance"
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
    """The report; `learn` and `alone` take rows and give a function that predicts codes.

    `learn` gets labelled rows and all those without a label, `alone` the same labelled rows. Folds are dealt by what
    is in rows, so that they depend on neither order nor repetition. A fold that leaves one class alone, or that cannot
    be learned from, is passed over.
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
                warnings.simplefilter("ignore")  # said of the whole already
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
    """P(at least so many heads) of a fair coin."""
    if tries > 1000:  # the normal curve, with the half that a whole number is wide
        return 0.5 * math.erfc((hits - 0.5 - tries / 2) / math.sqrt(tries / 2))
    return sum(math.comb(tries, k) for k in range(hits, tries + 1)) / 2**tries


def warn_of_harm(report: Unlabelled, who: str) -> None:
    """Warn where rows without a label made predictions of rows left out worse."""
    if report.hurts:
        warnings.warn(
            f"{who}: the rows without a label hurt: of {many(report.tested, 'labelled row')} left out {report.worse:,} "
            f"are wrong because of them and {report.better:,} right (error {report.error_with:.4f} with them, "
            f"{report.error_without:.4f} without). Learn from the labelled rows alone.",
            AcumenWarning,
            stacklevel=4,
        )
