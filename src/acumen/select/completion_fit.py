"""Filling learned from rows: by a chain of predictors or by few hidden traits, with cells hidden to see how well.

hidden_cells   for each attribute some rows whose cell is known and will be hidden
fit            columns, attributes -> Filling; and what came out in the hidden cells
Filling        apply: columns -> the same without gaps, and the probabilities of what was filled in
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acumen.data.schema import Attribute
from acumen.select.completion_chain import Link, filled, links, plain_answer
from acumen.select.completion_rows import Columns
from acumen.select.low_rank import LowRank
from acumen.types import Array, Floats

#: Of the known cells of an attribute this share is hidden, so many at least (a quarter of few) and so many at most.
SHARE, LEAST, MOST = 0.1, 20, 500
#: Where more than this share was hidden, the filling is learned again from all cells.
LITTLE = 0.05
#: A further round is kept where the hidden cells come out better by this share of the plain answers' error.
BETTER = 0.002
#: From so many columns on, so much of them missing, hidden traits of rows and columns are looked for.
WIDE, GAPPY = 30, 0.3


@dataclass(frozen=True, slots=True)
class CellError:
    """How far what is filled into an attribute is off, on cells that are known and were hidden.

    `measure` is "rmse" of numbers, "error" (the share filled wrongly) of levels, "mae_rank" (the mean number of levels
    it is off) of ordered ones; `baseline` is that of always saying the mean, the mode or the median. NaN where no cell
    could be hidden.
    """

    attribute: str
    measure: str
    error: float
    baseline: float
    cells: int

    @property
    def better(self) -> float:
        """By which share of the baseline's error it is smaller."""
        return 1.0 - self.error / self.baseline if self.baseline > 0 else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Filling:
    """What fills gaps: rounds of predictors, or the hidden traits of the columns that are numbers."""

    attributes: tuple[Attribute, ...]
    rounds: tuple[Mapping[str, Link], ...]
    low_rank: LowRank | None = None

    def apply(self, columns: Columns, names: Sequence[str]) -> tuple[Columns, dict[str, Floats]]:
        """The columns without gaps in the named attributes, and the probabilities of the levels of each cell filled."""
        gaps = {name: np.flatnonzero(columns.gaps(name)) for name in names}
        if self.low_rank is not None:
            return _traits(self.low_rank, columns, gaps)
        now, inputs = columns, columns
        for round_ in self.rounds:
            now = filled(columns, gaps, round_, inputs)
            before, inputs = inputs, now
        shares = {
            name: self.rounds[-1][name].answers(before, at)[1]
            for name, at in gaps.items()
            if self.rounds and name in self.rounds[-1] and self.rounds[-1][name].attribute.is_nominal
        }
        return now, shares


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A filling, its errors, and what numbers in hidden cells were off by."""

    filling: Filling
    errors: tuple[CellError, ...]
    residuals: dict[str, Floats] = field(default_factory=dict)


def hidden_cells(columns: Columns, names: Sequence[str], rng: np.random.Generator) -> dict[str, Array]:
    """Some rows for each attribute, drawn at random from those where it is known."""
    made = {}
    for name in names:
        known = np.flatnonzero(columns.known(name))
        n = min(MOST, max(int(SHARE * len(known)), min(LEAST, len(known) // 4)))
        made[name] = np.sort(rng.choice(known, n, replace=False)) if n else known[:0]
    return made


def rating_like(columns: Columns) -> bool:
    """Whether the table is wide, of numbers or two levels, and full of gaps."""
    if len(columns.attributes) < WIDE or not all(_numberlike(a) for a in columns.attributes):
        return False
    return float(np.mean([columns.gaps(a.name).mean() for a in columns.attributes])) >= GAPPY


def _numberlike(attribute: Attribute) -> bool:
    return attribute.is_numeric or attribute.ordered or len(attribute.levels) <= 2


def fit(
    columns: Columns,
    names: Sequence[str],
    learner: Any,
    rounds: int,
    seed: int,
    n_jobs: int | None = None,
    measured: bool = True,
) -> Fitted:
    """Learn to fill the named attributes; with `measured` some known cells are hidden first, to be compared with."""
    hidden = hidden_cells(columns, names, np.random.default_rng(seed)) if measured else {}
    shown = columns.changed({name: columns.without(name, at) for name, at in hidden.items()})
    if learner == "low-rank" or (learner == "auto" and rating_like(columns)):
        made = Filling(columns.attributes, (), _low_rank(shown, seed))
        out, _shares = made.apply(shown, names)
        errors = _errors(columns, shown, out, hidden)
        whole = made if not hidden else Filling(columns.attributes, (), _low_rank(columns, seed))
        return Fitted(whole, errors, _residuals(columns, out, hidden))
    made, out = _chain(columns, shown, names, hidden, learner, rounds, seed, n_jobs)
    errors, residuals = _errors(columns, shown, out, hidden), _residuals(columns, out, hidden)
    if any(len(at) > LITTLE * columns.known(name).sum() for name, at in hidden.items()):
        made = _again(columns, names, learner, len(made.rounds), seed, n_jobs)
    return Fitted(made, errors, residuals)


def _chain(
    columns: Columns, shown: Columns, names: Sequence[str], hidden: Mapping[str, Array], learner: Any, rounds: int,
    seed: int, n_jobs: int | None,
) -> tuple[Filling, Columns]:  # fmt: skip
    """Rounds as long as they help, by the hidden cells; without any, as many as asked for."""
    gaps = {name: np.flatnonzero(shown.gaps(name)) for name in names}
    made: list[Mapping[str, Link]] = []
    now, inputs, least = shown, shown, np.inf
    for at in range(rounds):
        # Targets with their gaps, inputs as they were filled: an attribute's own column is no input of its own.
        round_ = _round(shown, inputs, names, learner, seed + at, n_jobs)
        out = filled(shown, gaps, round_, inputs)
        if hidden:
            errors = [e for e in _errors(columns, shown, out, hidden) if e.cells and e.baseline > 0]
            mean = float(np.mean([e.error / e.baseline for e in errors])) if errors else 0.0
            if mean > least - BETTER:
                break
            least = mean
        made.append(round_)
        now = inputs = out
    return Filling(columns.attributes, tuple(made)), now


def _round(
    shown: Columns, inputs: Columns, names: Sequence[str], learner: Any, seed: int, n_jobs: int | None
) -> dict[str, Link]:
    made: dict[str, Link] = {}
    for name in names:
        # The attribute itself as it is known, all others as far as they are filled.
        made |= links(inputs.changed({name: shown.values[name]}), (name,), learner, seed, n_jobs)
    return made


def _again(
    columns: Columns, names: Sequence[str], learner: Any, rounds: int, seed: int, n_jobs: int | None
) -> Filling:
    return _chain(columns, columns, names, {}, learner, rounds, seed, n_jobs)[0]


# -- hidden traits --------------------------------------------------------------------------------


def _matrix(columns: Columns) -> Floats:
    lines = []
    for attribute in columns.attributes:
        column = columns.values[attribute.name]
        lines.append(np.where(columns.known(attribute.name), column, np.nan).astype(np.float64))
    return np.column_stack(lines)


def _low_rank(columns: Columns, seed: int) -> LowRank:
    return LowRank.fit(_matrix(columns), seed)


def _traits(model: LowRank, columns: Columns, gaps: Mapping[str, Array]) -> tuple[Columns, dict[str, Floats]]:
    found = model.predict(_matrix(columns))
    more, shares = {}, {}
    for j, attribute in enumerate(columns.attributes):
        at = gaps.get(attribute.name)
        if at is None:
            continue
        column = columns.values[attribute.name].copy()
        k = len(attribute.levels)
        if attribute.is_numeric:
            column[at] = found[at, j]
        elif attribute.ordered and k > 2:
            column[at] = np.clip(np.rint(found[at, j]), 0, max(k - 1, 0))
            shares[attribute.name] = np.eye(k)[column[at]]
        elif k:
            second = np.clip(found[at, j], 0.0, 1.0) if k > 1 else np.zeros(len(at))
            shares[attribute.name] = np.column_stack([1 - second, second])[:, :k]
            column[at] = second > 0.5
        more[attribute.name] = column
    return columns.changed(more), shares


# -- hidden cells compared ------------------------------------------------------------------------


def _errors(
    columns: Columns, shown: Columns, out: Columns, hidden: Mapping[str, Array]
) -> tuple[CellError, ...]:
    made = []
    for attribute in columns.attributes:
        if attribute.name not in hidden:
            continue
        at = hidden[attribute.name]
        truth, said = columns.values[attribute.name][at], out.values[attribute.name][at]
        plain = plain_answer(attribute, shown.values[attribute.name], columns.weights)[0]
        mass = columns.weights[at] if columns.weights.size else np.ones(len(at))
        measure = "rmse" if attribute.is_numeric else "mae_rank" if attribute.ordered else "error"
        error, baseline = (_off(measure, truth, one, mass) for one in (said, np.full(len(at), plain)))
        made.append(CellError(attribute.name, measure, error, baseline, len(at)))
    return tuple(made)


def _off(measure: str, truth: Array, said: Array, mass: Floats) -> float:
    if not mass.sum() > 0:
        return float("nan")
    if measure == "error":
        return float(np.average(truth != said, weights=mass))
    away = np.abs(truth.astype(np.float64) - said)
    return float(
        np.average(away, weights=mass)
        if measure == "mae_rank"
        else np.sqrt(np.average(away**2, weights=mass))
    )


def _residuals(columns: Columns, out: Columns, hidden: Mapping[str, Array]) -> dict[str, Floats]:
    numeric = {a.name for a in columns.attributes if a.is_numeric}
    return {
        name: columns.values[name][at] - out.values[name][at]
        for name, at in hidden.items()
        if name in numeric and len(at)
    }
