"""Fit the filling of missing values: a chain of predictors or a low-rank model, with hidden cells to measure errors.

hidden_cells    for each attribute some rows whose known cell will be hidden
fit             columns, attributes -> FilledTable, with the values filled into hidden cells
FittedFilling   apply: columns -> columns without missing values, and the probabilities of filled levels
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
#: Where fewer cells are hidden than this, others are hidden in further deals, up to so many: a choice between
#: predictions and the mean or mode by a few cells is luck, and so is their error.
ENOUGH, DEALS = 100, 4
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


def hidden_cells(
    columns: ColumnValues, names: Sequence[str], rng: np.random.Generator
) -> list[dict[str, Array]]:
    """Draw some rows for each attribute at random from those where it is known, in one or several deals."""
    most = min(MOST, max(LEAST, PROBED // max(len(columns.attributes) ** 2, 1)))
    deals: list[dict[str, Array]] = [{} for _ in range(DEALS)]
    for name in names:
        known = np.flatnonzero(columns.is_known(name))
        n = min(most, max(int(SHARE * len(known)), min(LEAST, len(known) // 4)))
        drawn = rng.choice(known, n, replace=False) if n else known[:0]
        others = rng.permutation(np.setdiff1d(known, drawn))
        deals[0][name] = np.sort(drawn)
        for at, deal in enumerate(deals[1:], start=1):
            more = n if 0 < at * n < ENOUGH else 0
            deal[name] = np.sort(others[(at - 1) * n :][:more])
    return [deal for deal in deals if deal is deals[0] or any(len(rows) for rows in deal.values())]


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
    if learner == "low-rank" or (learner == "auto" and rating_like(columns)):
        models = [_low_rank(_without(columns, deal), seed) for deal in hidden]
        traits = [
            {name: _traits_of(model, columns, name, at) for name, at in deal.items()}
            for model, deal in zip(models, hidden, strict=True)
        ]
        judged = HiddenCells.of(columns, hidden).with_round(_joined(traits)).choose_rounds()
        filling = FittedFilling(columns.attributes, (), _low_rank(columns, seed))
    else:
        filling, judged = _judged_chain(columns, names, hidden, learner, rounds, seed, n_jobs)
        if any(len(at) > LITTLE * columns.is_known(name).sum() for name, at in hidden[0].items()):
            every_link = _Chain(columns, names, {}, learner, seed, n_jobs)
            for _ in range(len(filling.rounds)):
                every_link.add_round()
            filling = FittedFilling(columns.attributes, tuple(every_link.rounds))
    plain = {
        a.name: AttributeFiller(a, None, *plain_answer(a, columns.values[a.name], columns.weights))
        for a in columns.attributes
        if a.name in judged.plain
    }
    return FilledTable(replace(filling, plain=plain), judged.errors, judged.residuals)


def _judged_chain(
    columns: ColumnValues, names: Sequence[str], hidden: Sequence[Mapping[str, Array]], learner: Fills,
    rounds: int, seed: int, n_jobs: int | None,
) -> tuple[FittedFilling, RoundChoice]:  # fmt: skip
    """Add rounds as long as hidden cells improve."""
    chains = [_Chain(columns, names, deal, learner, seed, n_jobs) for deal in hidden]
    cells = HiddenCells.of(columns, hidden)
    for _ in range(rounds):
        cells = cells.with_round(_joined([chain.add_round() for chain in chains]))
        if cells.is_settled:
            break
    judged = cells.choose_rounds()
    return FittedFilling(columns.attributes, tuple(chains[0].rounds[: judged.rounds])), judged


class _Chain:
    """Rounds of predictors learned without some hidden cells."""

    def __init__(
        self, columns: ColumnValues, names: Sequence[str], hidden: Mapping[str, Array], learner: Fills, seed: int,
        n_jobs: int | None,
    ) -> None:  # fmt: skip
        self.columns, self.names, self.hidden = columns, names, hidden
        self.learner, self.seed, self.n_jobs = learner, seed, n_jobs
        self.shown = _without(columns, hidden)
        self.gaps = {name: np.flatnonzero(columns.gaps(name)) for name in names}
        self.probe = _probe(columns, hidden)
        self.probed = {name: np.flatnonzero(self.probe.gaps(name)) for name in names}
        self.rounds: list[Mapping[str, AttributeFiller]] = []
        self.inputs, self.probe_values = columns, self.probe

    def add_round(self) -> dict[str, Array]:
        """Fit one more round; what it fills into the hidden cells."""
        if self.rounds:
            self.inputs = fill_round(self.columns, self.gaps, self.rounds[-1], self.inputs)
        seed = self.seed + len(self.rounds)
        self.rounds.append(_round(self.shown, self.inputs, self.names, self.learner, seed, self.n_jobs))
        if not self.hidden:
            return {}
        self.probe_values = fill_round(self.probe, self.probed, self.rounds[-1], self.probe_values)
        return _blocks(self.probe_values, self.hidden)


def _without(columns: ColumnValues, hidden: Mapping[str, Array]) -> ColumnValues:
    """The columns with some of their cells missing."""
    return columns.replace_columns({name: columns.without(name, at) for name, at in hidden.items()})


def _joined(deals: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """What several deals have of each attribute, one behind the other."""
    return {name: np.concatenate([deal[name] for deal in deals]) for name in deals[0]}


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
