"""Fit the filling of missing values: a chain of predictors or a low-rank model, with hidden cells to measure errors.

hidden_cells   for each attribute some rows whose cell is known and will be hidden
fit            columns, attributes -> Filling; and what came out in the hidden cells
Filling        apply: columns -> the same without gaps, and the probabilities of what was filled in
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from acumen.data.schema import Attribute
from acumen.imputation.chain import AttributeFiller, Fills, fill_round, links, nearest, plain_answer
from acumen.imputation.errors import HiddenCellError, HiddenCells, RoundChoice
from acumen.imputation.low_rank import LowRank
from acumen.imputation.rows import ColumnValues
from acumen.types import Array, Floats

#: Of the known cells of an attribute this share is hidden, so many at least (a quarter of few) and so many at most.
SHARE, LEAST, MOST = 0.1, 20, 500
#: Rows times columns of the cells that are hidden, at most (but LEAST cells of each attribute): eight bytes each.
PROBED = 10_000_000
#: Where more than this share was hidden, the filling is learned again from all cells.
LITTLE = 0.05
#: Cells filled times levels whose probabilities are kept: half a gigabyte for an attribute.
HELD = 1 << 26
#: From so many columns on, so much of them missing, hidden traits of rows and columns are looked for.
WIDE, GAPPY = 30, 0.3


@dataclass(frozen=True, slots=True, eq=False)
class FittedFilling:
    """A fitted filling: rounds of predictors, or a low-rank model of the numeric columns."""

    attributes: tuple[Attribute, ...]
    rounds: tuple[Mapping[str, AttributeFiller], ...]
    low_rank: LowRank | None = None
    #: The attributes that are filled with their mean, median or mode, since nothing predicts them better.
    plain: Mapping[str, AttributeFiller] = field(default_factory=dict)

    def apply(self, columns: ColumnValues, names: Sequence[str]) -> tuple[ColumnValues, dict[str, Floats]]:
        """The columns with the named attributes filled, and the level probabilities of each filled cell."""
        gaps = {name: np.flatnonzero(columns.gaps(name)) for name in names}
        if self.low_rank is not None:
            now, shares = _traits(self.low_rank, columns, gaps)
        else:
            now, shares = self._apply_rounds(columns, gaps)
        more = {}
        for name, link in self.plain.items():
            if name in gaps:
                answers, own_answers = link.answers(columns, gaps[name])
                more[name] = now.values[name].copy()
                more[name][gaps[name]] = answers
                if name in shares:
                    shares[name] = own_answers
        return now.replace_columns(more), shares

    def _apply_rounds(
        self, columns: ColumnValues, gaps: Mapping[str, Array]
    ) -> tuple[ColumnValues, dict[str, Floats]]:
        """Fill by rounds of predictors."""
        now, inputs = columns, columns
        for round_ in self.rounds:
            now = fill_round(columns, gaps, round_, inputs)
            before, inputs = inputs, now
        shares = {
            name: self.rounds[-1][name].answers(before, at)[1]
            for name, at in gaps.items()
            if self.rounds
            and name in self.rounds[-1]
            and self._keep_known(self.rounds[-1][name].attribute, len(at))
        }
        return now, shares

    @staticmethod
    def _keep_known(attribute: Attribute, cells: int) -> bool:
        return attribute.is_nominal and cells * len(attribute.levels) <= HELD


@dataclass(frozen=True, slots=True, eq=False)
class FilledTable:
    """A filling, its errors, and the deviations of numbers in hidden cells."""

    filling: FittedFilling
    errors: tuple[HiddenCellError, ...]
    residuals: dict[str, Floats] = field(default_factory=dict)


def hidden_cells(columns: ColumnValues, names: Sequence[str], rng: np.random.Generator) -> dict[str, Array]:
    """Draw some rows for each attribute at random from those where it is known."""
    most = min(MOST, max(LEAST, PROBED // max(len(columns.attributes) ** 2, 1)))
    hidden = {}
    for name in names:
        known = np.flatnonzero(columns.is_known(name))
        n = min(most, max(int(SHARE * len(known)), min(LEAST, len(known) // 4)))
        hidden[name] = np.sort(rng.choice(known, n, replace=False)) if n else known[:0]
    return hidden


def rating_like(columns: ColumnValues) -> bool:
    """Whether the table is wide, of numbers or two-level attributes, and mostly missing, as ratings are."""
    if len(columns.attributes) < WIDE or not all(_numberlike(a) for a in columns.attributes):
        return False
    return float(np.mean([columns.gaps(a.name).mean() for a in columns.attributes])) >= GAPPY


def _numberlike(attribute: Attribute) -> bool:
    return attribute.is_numeric or attribute.ordered or len(attribute.levels) <= 2


def fit(
    columns: ColumnValues,
    names: Sequence[str],
    learner: Fills,
    rounds: int,
    seed: int,
    n_jobs: int | None = None,
) -> FilledTable:
    """Fit a filling for the named attributes, and measure it on hidden known cells."""
    hidden = hidden_cells(columns, names, np.random.default_rng(seed))
    shown = columns.replace_columns({name: columns.without(name, at) for name, at in hidden.items()})
    if learner == "low-rank" or (learner == "auto" and rating_like(columns)):
        few = _low_rank(shown, seed)
        traits = {name: _traits_of(few, columns, name, at) for name, at in hidden.items()}
        judged = HiddenCells.of(columns, shown, hidden).with_round(traits).choose_rounds()
        filling = FittedFilling(columns.attributes, (), _low_rank(columns, seed))
    else:
        filling, judged = _chain(columns, shown, names, hidden, learner, rounds, seed, n_jobs)
        if any(len(at) > LITTLE * columns.is_known(name).sum() for name, at in hidden.items()):
            filling = _chain(columns, columns, names, {}, learner, len(filling.rounds), seed, n_jobs)[0]
    plain = {
        a.name: AttributeFiller(a, None, *plain_answer(a, columns.values[a.name], columns.weights))
        for a in columns.attributes
        if a.name in judged.plain
    }
    return FilledTable(replace(filling, plain=plain), judged.errors, judged.residuals)


def _chain(
    columns: ColumnValues, shown: ColumnValues, names: Sequence[str], hidden: Mapping[str, Array], learner: Fills,
    rounds: int, seed: int, n_jobs: int | None,
) -> tuple[FittedFilling, RoundChoice]:  # fmt: skip
    """Add rounds as long as hidden cells improve; without hidden cells, all rounds."""
    gaps = {name: np.flatnonzero(columns.gaps(name)) for name in names}
    probe = _probe(columns, hidden)
    probed = {name: np.flatnonzero(probe.gaps(name)) for name in names}
    rounds_links: list[Mapping[str, AttributeFiller]] = []
    inputs, probe_values = columns, probe
    cells = HiddenCells.of(columns, shown, hidden)
    for at in range(rounds):
        round_ = _round(shown, inputs, names, learner, seed + at, n_jobs)
        rounds_links.append(round_)
        if hidden:
            probe_values = fill_round(probe, probed, round_, probe_values)
            cells = cells.with_round(_blocks(probe_values, hidden))
            if cells.is_settled:
                break
        if at + 1 < rounds:
            inputs = fill_round(columns, gaps, round_, inputs)
    judged = cells.choose_rounds()
    return FittedFilling(
        columns.attributes, tuple(rounds_links[: judged.rounds] if hidden else rounds_links)
    ), judged


def _probe(columns: ColumnValues, hidden: Mapping[str, Array]) -> ColumnValues:
    """The rows of every hidden cell, one attribute after another, each with only its own hidden cell missing.

    Were all cells hidden at once, a row would lack more than rows with gaps do, and errors would come out too large.
    """
    rows = np.concatenate([np.empty(0, dtype=np.intp), *hidden.values()])
    probe = columns.take(rows)
    more, start = {}, 0
    for name, at in hidden.items():
        more[name] = probe.without(name, np.arange(start, start + len(at)))
        start += len(at)
    return probe.replace_columns(more)


def _blocks(out: ColumnValues, hidden: Mapping[str, Array]) -> dict[str, Array]:
    """Each attribute's own cells of the rows of `_probe`."""
    blocks, start = {}, 0
    for name, at in hidden.items():
        blocks[name] = out.values[name][start : start + len(at)]
        start += len(at)
    return blocks


def _round(
    shown: ColumnValues,
    inputs: ColumnValues,
    names: Sequence[str],
    learner: Fills,
    seed: int,
    n_jobs: int | None,
) -> dict[str, AttributeFiller]:
    round_links: dict[str, AttributeFiller] = {}
    for name in names:
        # The attribute itself as far as it is shown, all others as far as they are known or filled.
        round_links |= links(
            inputs.replace_columns({name: shown.values[name]}), (name,), learner, seed, n_jobs
        )
    return round_links


# -- hidden traits --------------------------------------------------------------------------------


def spread_over(attribute: Attribute) -> int:
    """The number of matrix columns of an attribute: one per unordered level, or one if there are two."""
    return 1 if _numberlike(attribute) else len(attribute.levels)


def _matrix(columns: ColumnValues) -> Floats:
    lines = []
    for attribute in columns.attributes:
        column, known = columns.values[attribute.name], columns.is_known(attribute.name)
        width = spread_over(attribute)
        column_block = [column] if width == 1 else [column == level for level in range(width)]
        lines += [np.where(known, each, np.nan).astype(np.float64) for each in column_block]
    return np.column_stack(lines)


def _low_rank(columns: ColumnValues, seed: int) -> LowRank:
    return LowRank.fit(_matrix(columns), seed)


def _traits_of(model: LowRank, columns: ColumnValues, name: str, at: Array) -> Array:
    """The low-rank prediction of an attribute's cells at some rows, each hidden on its own."""
    rows = columns.take(at)
    alone = rows.replace_columns({name: rows.without(name, np.arange(len(at)))})
    return _traits(model, alone, {name: np.arange(len(at))})[0].values[name]


def _traits(
    model: LowRank, columns: ColumnValues, gaps: Mapping[str, Array]
) -> tuple[ColumnValues, dict[str, Floats]]:
    predictions = model.predict(_matrix(columns))
    more, shares = {}, {}
    starts = np.cumsum([0, *(spread_over(a) for a in columns.attributes)]).tolist()
    for j, attribute in zip(starts, columns.attributes, strict=False):
        at = gaps.get(attribute.name)
        if at is None:
            continue
        column = columns.values[attribute.name].copy()
        k = len(attribute.levels)
        if attribute.is_numeric:
            column[at] = nearest(attribute, predictions[at, j])
        elif attribute.ordered and k > 2:
            column[at] = np.clip(np.rint(predictions[at, j]), 0, max(k - 1, 0))
            shares[attribute.name] = np.eye(k)[column[at]]
        elif k > 2:
            probabilities = np.clip(predictions[at, j : j + k], 1e-9, 1.0)
            shares[attribute.name] = probabilities / probabilities.sum(axis=1, keepdims=True)
            column[at] = probabilities.argmax(axis=1)
        elif k:
            second = np.clip(predictions[at, j], 0.0, 1.0) if k > 1 else np.zeros(len(at))
            shares[attribute.name] = np.column_stack([1 - second, second])[:, :k]
            column[at] = second > 0.5
        more[attribute.name] = column
    return columns.replace_columns(more), shares
