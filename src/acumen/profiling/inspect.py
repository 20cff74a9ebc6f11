"""`acumen.inspect`: the data card of rows in memory, or of rows that workers of a cluster read.

    inspect        anything that can be read -> its card
    spread_card    parts that workers can read -> the same card, or None where their rows are here

On a cluster three passes find what one machine finds with all rows before it. The rows that pictures are made of come
here; then each block is counted, and the counts add; then columns are sorted apart, a slice each a hand (see
`engines.shuffle`), and so are rows by their keys. No worker has more of the table than a block and a hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from acumen.data.columns import id_like
from acumen.data.forms import is_moment
from acumen.data.parts import Parts
from acumen.data.read import scan
from acumen.data.request import Column
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.engines.block_source import Placement, placement_of
from acumen.engines.run import cluster
from acumen.engines.shuffle import deal_rows
from acumen.engines.tasks import fetch_rows
from acumen.profiling.block_sums import BlockSums, Cuts, NumberSums, Summing, numbers_of
from acumen.profiling.card import Card, ExaminedColumn, card_of, columns_of, findings_of, unreported_notes
from acumen.profiling.card import inspect as inspect_here
from acumen.profiling.duplicates import Duplicates, merge_duplicates
from acumen.profiling.figures import ColumnFigures, NumericFigures, TargetFigures
from acumen.profiling.leaks import INTERVALS, pure_values
from acumen.profiling.levels import counted_classes, nominal_figures
from acumen.profiling.numeric import (
    between_places,
    figures_of,
    histogram_edges,
    placeholder,
    quartile_masses,
    quartile_places,
)
from acumen.profiling.pictures import draw_pictures, row_stretches, sample
from acumen.profiling.row_keys import KeyedRows, distinct_keys, share_of, text_keys
from acumen.profiling.sorted_slices import SliceRequest, SliceSummary, SortedNumbers
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.engines.dask_engine import Dask

#: Bytes of a hand, and what a row takes in it: of a number with its classes, of a key.
HAND = 1 << 25
NUMBER, KEY, TEXT = 40, 32, 16


def inspect(source: Any, target: Column | None = None, **options: Any) -> Card:
    """Profile a table before training: statistics, warnings and possible leaks.

    Parameters
    ----------
    source : Table, or anything `acumen.read` reads
    target : str or int, optional
        The column to be predicted, by name or position. A table keeps the target it has, and ARFF takes
        its last attribute, where none is given.
    **options
        Handed to `acumen.read`.

    Returns
    -------
    Card
        Print it, look at it in a notebook, write it as a page with `to_html(path)`, or take its figures
        with `to_dict()`.

    Examples
    --------
    >>> import acumen
    >>> card = acumen.inspect(acumen.datasets.load("iris"))
    >>> card.rows, round(card.target.entropy, 3)
    (150, 1.585)
    >>> [finding.code for finding in card.findings]
    ['duplicate-rows']
    """
    if cluster() is None or isinstance(source, Table):
        return inspect_here(source, target, **options)
    card = spread_card(scan(source, target=target, **options))
    return inspect_here(source, target, **options) if card is None else card


def spread_card(parts: Parts) -> Card | None:
    """The card of parts that workers of the current cluster can read; None if the rows are in memory."""
    engine, placement = cluster(), placement_of(parts)
    if engine is None or placement is None:
        return None
    rows = sample(parts.n_rows)
    placement.keep_all_rows()
    if isinstance(rows, slice):  # as few rows as come here anyway
        table = placement.no_rows() if not parts.n_rows else fetch_rows(parts, np.arange(parts.n_rows))
        table.report = parts.report
        return card_of(table)
    return _RemoteCard(engine, placement, parts, fetch_rows(parts, rows)).card()


#: What a hand has: a slice of a numeric column, keys of a text column, or keys of rows; the column and the slice.
_Kind: TypeAlias = Literal["numbers", "texts", "rows"]
_Hand: TypeAlias = tuple[_Kind, int, int]


@dataclass(frozen=True)
class _ColumnDeal:
    """How columns are sorted and distributed; see `engines.shuffle`."""

    hands: tuple[_Hand, ...]
    cuts: tuple[Floats, ...]
    slices: tuple[tuple[SliceRequest, ...], ...]
    shares: int
    text_shares: int
    classes: bool

    def cut(self, block: Table, first_row: int, hands: Sequence[int]) -> list[Any]:
        pieces: dict[_Hand, Any] = {}
        wanted = [self.hands[hand] for hand in hands]
        numbers = numbers_of(block)
        inputs = len(block.numeric.columns)
        for column in sorted({place for kind, place, _ in wanted if kind == "numbers"}):
            ranked = SortedNumbers.of(
                numbers[column], block.labels if column < inputs else None, block.weights
            )
            ends = [0, *np.searchsorted(ranked.values, self.cuts[column]).tolist(), len(ranked.values)]
            for i, (begin, end) in enumerate(pairwise(ends)):
                pieces["numbers", column, i] = ranked.between(begin, end)
        for column in sorted({place for kind, place, _ in wanted if kind == "texts"}):
            strings = block.text[column]
            known = np.fromiter((text is not None for text in strings), np.bool_, len(strings))
            one, two = text_keys(strings[known])
            where = share_of(one, self.text_shares)
            for i in range(self.text_shares):
                pieces["texts", column, i] = distinct_keys([(one[where == i], two[where == i])])
        if any(kind == "rows" for kind, _, _ in wanted):
            for i, heap in enumerate(KeyedRows.of(block, first_row).split(self.shares)):
                pieces["rows", 0, i] = heap
        return [pieces[hand] for hand in wanted]

    def merge_heaps(self, hand: int, heaps: list[Any]) -> Any:
        kind = self.hands[hand][0]
        if kind == "numbers":
            return SortedNumbers.merge(heaps)
        return distinct_keys(heaps) if kind == "texts" else KeyedRows.concatenate(heaps)

    def summarise_hand(self, hand: int, heap: Any) -> Any:
        kind, column, i = self.hands[hand]
        if kind == "numbers":
            return self.slices[column][i].summarise(heap)
        return len(heap[0]) if kind == "texts" else heap.twice(self.classes)


class _RemoteCard:
    """A table inspected by workers, where it is stored."""

    def __init__(self, engine: Dask, placement: Placement, parts: Parts, some: Table) -> None:
        self.engine, self.placement, self.parts, self.some = engine, placement, parts, some
        self.n = parts.n_rows
        cuts = tuple(_cuts(values, self._shares(NUMBER)) for values in numbers_of(some))
        self.cuts = Cuts(cuts, row_stretches(self.n))
        self.sums: BlockSums = engine.sum_blocks(Summing(self.cuts), placement, numbered=True)

    def _shares(self, row_bytes: int) -> int:
        """The number of slices for each column; one slice must fit into a tenth of the smallest worker's memory."""
        size = min(HAND, max(self.engine.least_memory // 10, 1 << 20) if self.engine.least_memory else HAND)
        return max(1, -(-self.n * row_bytes // size))

    def card(self) -> Card:
        """The same card that one machine would produce."""
        parts, schema = self.parts, self.parts.schema
        numbers, texts, twice = self._column_statistics()
        columns = [
            self._column(place, attribute, numbers, texts)
            for place, attribute in enumerate(schema.attributes)
        ]
        figures = [column for column, _, _ in columns]
        target = self._target(numbers)
        findings = findings_of(columns, target, twice, self.n)
        sizes = np.diff(self.cuts.ends)
        absent = {
            attribute.name: counts / sizes
            for attribute, counts in zip(schema.attributes, self.sums.absent, strict=True)
        }
        return Card(
            source=parts.report.source,
            rows=self.n,
            total_weight=self.sums.total_weight,
            weight=schema.weight,
            attributes=tuple(figures),
            target=target,
            ignored=tuple(a.name for a in schema.ignored),
            duplicates=twice,
            findings=tuple(findings),
            notes=tuple(unreported_notes(parts.report, findings)),
            pictures=draw_pictures(self.some, figures, lambda: columns_of(self.some), absent, self.n),
        )

    # -- sorted apart -----------------------------------------------------------------------------

    def _column_statistics(self) -> tuple[list[SliceSummary], list[int], Duplicates]:
        """Statistics of each numeric column, the number of distinct texts, and repeated rows."""
        schema = self.parts.schema
        shares, text_shares = self._shares(KEY), self._shares(TEXT)
        hands: list[_Hand] = [
            ("numbers", j, i) for j, cuts in enumerate(self.cuts.columns) for i in range(len(cuts) + 1)
        ]
        hands += [("texts", j, i) for j in range(len(self.some.text)) for i in range(text_shares)]
        if schema.attributes:
            hands += [("rows", 0, i) for i in range(shares)]
        parts = {"numbers": self._shares(NUMBER), "texts": text_shares, "rows": shares}
        row_bytes = {"numbers": NUMBER, "texts": TEXT, "rows": KEY}
        sizes = [self.n * row_bytes[kind] // parts[kind] for kind, _, _ in hands]
        slices = tuple(map(self._slices, range(len(self.cuts.columns))))
        deal = _ColumnDeal(
            tuple(hands), self.cuts.columns, slices, shares, text_shares, self.some.labels is not None
        )
        results = list(zip(hands, deal_rows(self.engine, deal, self.placement, sizes), strict=True))
        numbers = []
        for j in range(len(self.cuts.columns)):
            first, *others = [
                each for (kind, column, _), each in results if kind == "numbers" and column == j
            ]
            for other in others:
                first = first + other
            numbers.append(first)
        texts = [
            sum(each for (kind, column, _), each in results if kind == "texts" and column == j)
            for j in range(len(self.some.text))
        ]
        return numbers, texts, merge_duplicates([each for (kind, _, _), each in results if kind == "rows"])

    def _slices(self, column: int) -> tuple[SliceRequest, ...]:
        """What to compute for each slice of a column: its part of the histogram, and the quartiles inside it."""
        sums = self.sums.numbers[column]
        moments = sums.moments
        edges = histogram_edges(moments.low, moments.high) if moments.count else np.zeros(0)
        wanted = _quartile_weights(sums)
        before = np.concatenate([[0.0], np.cumsum(sums.slices)])
        side: Literal["left", "right"] = "right" if moments.whole else "left"
        # Of rounded sums the last weight may lie a little beyond: it is in the last slice that has any.
        last = int(np.flatnonzero(sums.slices)[-1]) if moments.count else 0
        places = np.minimum(np.searchsorted(before[1:], wanted, side=side), last)
        runs = INTERVALS * max(1, self.parts.schema.n_classes)
        return tuple(
            SliceRequest(
                edges, tuple(wanted[places == i].tolist()), float(before[i]), not moments.whole, runs
            )
            for i in range(len(sums.slices))
        )

    # -- figures ----------------------------------------------------------------------------------

    def _column(
        self, place: int, attribute: Attribute, numbers: Sequence[SliceSummary], texts: Sequence[int]
    ) -> ExaminedColumn:
        """The figures of a column, as if it were in memory."""
        schema, sums = self.parts.schema, self.sums
        wide, classed = max(1, len(schema.attributes)), sums.labels is not None
        if attribute.is_nominal:
            levels = sums.levels[schema.nominal.index(attribute)]
            column = nominal_figures(attribute, levels.tally)
            if not classed or id_like(self.n - column.missing, column.distinct):
                return column, False, None
            leak = levels.leak(sums.there[place], wide)
            return column, False, leak or sums.missing_leak(place, wide)
        if not attribute.is_numeric:
            text = [a for a in schema.attributes if a.kind == "text"].index(attribute)
            return sums.texts[text].column(attribute.name, texts[text]), False, None
        j = schema.numeric.index(attribute)
        number, summary = sums.numbers[j], numbers[j]
        distinct = summary.distinct + (number.above > 0) + (number.below > 0)
        figures = _figures(number, summary, attribute.form)
        column = ColumnFigures(
            attribute.name, "numeric", number.missing, number.missing_share, distinct, numeric=figures
        )
        identifier = not is_moment(attribute.form) and number.steps.identify(distinct)
        if not classed or identifier:
            return column, identifier, None
        classes = sums.there[place]
        leak = None
        if not summary.mixed and np.count_nonzero(classes) > 1:
            sizes = None if summary.runs is None else np.array([rows for _, rows in summary.runs])
            leak = pure_values(
                sizes, max(distinct, summary.apart), summary.apart, summary.covered, classes, wide
            )
        return column, False, leak or sums.missing_leak(place, wide)

    def _target(self, numbers: Sequence[SliceSummary]) -> TargetFigures | None:
        target = self.parts.schema.target
        if target is None:
            return None
        if self.sums.labels is not None:
            return counted_classes(target, self.sums.labels)
        number = self.sums.numbers[-1]
        figures = _figures(number, numbers[-1], target.form)
        return TargetFigures(target.name, target.kind, number.missing, number.missing_share, numeric=figures)


def _cuts(values: Floats, shares: int) -> Floats:
    """Where to cut a column into slices, from a sample of its values; fewer slices if values repeat."""
    kept = np.sort(values[np.isfinite(values)])
    if not kept.size or shares < 2:
        return np.zeros(0)
    return np.unique(kept[np.arange(1, shares) * len(kept) // shares] + 0.0)


def _quartile_weights(sums: NumberSums) -> Floats:
    """The weights at which a column's quartiles are: two each, or one each where weights are not whole numbers."""
    if not sums.moments.count:
        return np.zeros(0)
    if not sums.moments.whole:
        return quartile_masses(sums.moments.total)
    below, above, _ = quartile_places(int(sums.moments.total))
    return np.ravel(np.column_stack([below, above]))


def _figures(sums: NumberSums, told: SliceSummary, form: str) -> NumericFigures:
    infinite = sums.above + sums.below
    if not sums.moments.count:
        return NumericFigures(infinite=infinite, form=form)
    values = np.array(told.found)
    if sums.moments.whole:
        part = quartile_places(int(sums.moments.total))[2]
        values = between_places(values[0::2], values[1::2], part)
    figures = figures_of(sums.moments, values, told.counts, infinite, form)
    return replace(figures, placeholder=placeholder(told.lowest, told.highest, sums.moments))
