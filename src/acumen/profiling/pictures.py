"""Pictures on a card's page: associations, histograms by class, a map of missing values.

    draw_pictures             reads the table once more, column by column
    Pictures                  the pictures of a page
    histogram_of, levels_of   one picture each

Limits, so that a page of any table stays small and is soon made: associations and histograms come of at
most SAMPLE rows, drawn at random by a fixed seed; DRAWN attributes are drawn and COMPARED ones compared
two by two, those that say most about the target (without one, the first).

What the rows are coloured by: their class, or the third of a numeric target they are in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.profiling.association import (
    Association,
    PairwiseAssociations,
    pairwise_associations,
    pieces,
    with_classes,
    with_response,
)
from acumen.profiling.figures import ColumnFigures
from acumen.render.class_histogram import HistogramFigure, LevelsFigure
from acumen.render.heat_maps import MissingFigure
from acumen.render.text import count, number, percent
from acumen.types import Array, Bools, Codes, Floats, Indices

#: So many groups have a colour of their own; the smaller classes share the last one.
COLOURS = 8


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Each row's group, -1 if its target is missing; the names of the groups, and what they mean."""

    codes: Codes
    names: tuple[str, ...]
    said: str


def groups_of(table: Table, rows: Indices | slice, weights: Floats) -> Groups:
    """The groups of some rows; `weights` are theirs, empty if each weighs one."""
    target = table.schema.target
    if table.labels is not None and target is not None:
        return _classes(table.labels[rows], tuple(map(str, target.levels)), weights)
    if table.response is not None and target is not None:
        return _thirds(table.response[rows], target.name)
    n = len(range(*rows.indices(len(table)))) if isinstance(rows, slice) else len(rows)
    return Groups(np.zeros(n, dtype=np.int32), ("rows",), "")


def _classes(labels: Codes, names: tuple[str, ...], weights: Floats) -> Groups:
    if len(names) <= COLOURS:
        return Groups(labels, names, "Colours show the classes.")
    known = labels >= 0
    mass = np.bincount(labels[known], weights[known] if weights.size else None, len(names))
    largest = np.sort(np.argsort(-mass, kind="stable")[: COLOURS - 1])
    place = np.full(len(names), COLOURS - 1, dtype=np.int32)
    place[largest] = np.arange(COLOURS - 1, dtype=np.int32)
    rest = len(names) - len(largest)
    return Groups(
        np.where(known, place[np.maximum(labels, 0)], -1).astype(np.int32),
        (*(names[i] for i in largest), f"{rest:,} other classes"),
        f"Colours show the {COLOURS - 1} largest classes; all others share one colour.",
    )


def _thirds(response: Floats, name: str) -> Groups:
    codes = np.full(len(response), -1, dtype=np.int32)
    known = np.isfinite(response)
    if not known.any():
        return Groups(codes, ("rows",), "")
    edges = np.unique(np.quantile(response[known], [1 / 3, 2 / 3], method="inverted_cdf"))
    edges = edges[edges < response[known].max()]
    codes[known] = np.searchsorted(edges, response[known], side="left")
    ends = [number(float(edge)) for edge in edges]
    names: tuple[str, ...]
    if len(ends) == 2:
        names = (f"{name} up to {ends[0]}", f"above {ends[0]}, up to {ends[1]}", f"above {ends[1]}")
    else:
        names = (f"{name} up to {ends[0]}", f"above {ends[0]}") if ends else (f"{name}",)
    return Groups(codes, names, "Colours show the lower, middle and upper third of the target.")


SAMPLE, DRAWN, COMPARED = 100_000, 60, 30
#: Bins of a histogram, lines of a picture of levels, stretches of the map of missing values.
BINS, LEVELS, STRETCHES = 24, 10, 60
#: Values further from the quartiles than so many times their distance are put in the outermost bars.
FAR = 3.0

Picture = HistogramFigure | LevelsFigure


@dataclass(frozen=True, slots=True, eq=False)
class Pictures:
    """The pictures of the page. `associations` has an entry for each input; None for text or if there is no target."""

    sampled: int
    associations: tuple[Association | None, ...]
    order: tuple[int, ...]
    groups: tuple[str, ...]
    grouped: str
    drawn: tuple[Picture, ...]
    between: PairwiseAssociations
    missing: MissingFigure


def draw_pictures(
    some: Table,
    figures: Sequence[ColumnFigures],
    columns: Callable[[], Iterator[tuple[Attribute, Array]]],
    absent: Mapping[str, Floats],
    n_rows: int,
) -> Pictures:
    """Draw `some` rows of a table (see `sample`) whose figures are known.

    `columns` are of these rows; `absent` is the fraction of missing values in each stretch of all `n_rows` rows, of the
    attributes that lack any.
    """
    weights = some.weights
    groups = groups_of(some, slice(0, len(some)), weights)
    associations = [
        _association(attribute, values, some.labels, some.response, weights)
        for attribute, values in columns()
    ]
    places = [j for j, a in enumerate(some.schema.attributes) if a.is_numeric or a.is_nominal]
    order = sorted(places, key=lambda j: -_rank(associations[j]))
    drawn: dict[int, Picture] = {}
    compared: dict[int, tuple[Attribute, Array]] = {}
    wanted, paired = set(order[:DRAWN]), set(order[:COMPARED])
    for j, (attribute, values) in enumerate(columns()):
        if j in wanted:
            drawn[j] = _picture(attribute, values, groups, weights, figures[j])
            if j in paired:
                compared[j] = (attribute, values)
    lacking = {f.name: (f.missing / n_rows, absent[f.name]) for f in figures if f.missing}
    return Pictures(
        sampled=len(some),
        associations=tuple(associations),
        order=tuple(order),
        groups=groups.names,
        grouped=groups.said,
        drawn=tuple(drawn[j] for j in order[:DRAWN]),
        between=pairwise_associations([compared[j] for j in order[:COMPARED]], weights),
        missing=_missing(lacking, n_rows),
    )


def sample(n: int) -> Indices | slice:
    """The rows used for pictures: all, or a fixed sample up to the limit."""
    if n <= SAMPLE:
        return slice(0, n)
    return np.sort(np.random.default_rng(0).choice(n, SAMPLE, replace=False))


def _rank(found: Association | None) -> float:
    return -np.inf if found is None else found.score


def _association(
    attribute: Attribute, values: Array, labels: Codes | None, response: Floats | None, weights: Floats
) -> Association | None:
    if not (attribute.is_numeric or attribute.is_nominal):
        return None
    if labels is not None:
        return with_classes(pieces(values, weights) if attribute.is_numeric else values, labels, weights)
    return None if response is None else with_response(attribute, values, response, weights)


def _picture(
    attribute: Attribute, values: Array, groups: Groups, weights: Floats, figure: ColumnFigures
) -> Picture:
    lacking = f"{percent(figure.missing_share)} missing" if figure.missing else ""
    if attribute.is_numeric:
        return histogram_of(attribute.name, values, groups, weights, lacking)
    return levels_of(attribute, values, groups, weights, lacking)


def histogram_of(
    name: str, values: Floats, groups: Groups, weights: Floats, lacking: str = ""
) -> HistogramFigure:
    """A numeric column's values in even bins, by group."""
    known = np.isfinite(values) & (groups.codes >= 0)
    kept, codes = values[known], groups.codes[known]
    mass = weights[known] if weights.size else None
    k = len(groups.names)
    notes = [lacking] if lacking else []
    if not kept.size:
        return HistogramFigure(np.array([0.0, 1.0]), np.zeros((k, 1)), groups.names, name, notes)
    low, high = float(kept.min()), float(kept.max())
    q1, q3 = (float(q) for q in np.quantile(kept / 2, [0.25, 0.75]) * 2)  # halves: no sum overflows
    begin, end = low, high
    with np.errstate(over="ignore"):
        reach = FAR * (q3 - q1)
        if reach > 0:
            begin, end = max(low, q1 - reach), min(high, q3 + reach)
    edges = _edges(kept, begin, end)
    n = max(1, len(edges) - 1)
    places = np.clip(np.searchsorted(edges, kept, side="right") - 1, 0, n - 1)
    counts = np.bincount(codes * n + places, mass, k * n).reshape(k, n).astype(np.float64)
    beyond = int(np.count_nonzero((kept < edges[0]) | (kept > edges[-1])))
    if beyond:
        notes.append(
            f"{count(beyond)} outlying values, from {low:.4g} to {high:.4g}, are counted in the outer bars"
        )
    return HistogramFigure(edges, counts, groups.names, name, ["; ".join(notes)] if notes else [])


def _edges(values: Floats, begin: float, end: float) -> Floats:
    """Even bins from `begin` to `end`.

    Numbers that go in steps (whole ones, or tenths) are put in bins of as many steps each, with the edges half
    a step aside; else bins of one and of two steps would take turns, and a comb would show that is not there.
    """
    if begin == end:
        return np.array([begin, end])
    steps = np.arange(BINS + 1) / BINS
    even = np.unique(begin * (1 - steps) + end * steps)
    distinct = np.unique(values)
    if max(-float(distinct[0]), float(distinct[-1])) > 1e300:  # their distances might overflow
        return even
    unit = float(np.diff(distinct).min())
    if not distinct[-1] - distinct[0] < 1e9 * unit:
        return even
    places = (distinct - distinct[0]) / unit
    if np.abs(places - np.round(places)).max() > 1e-3:
        return even
    inside = distinct[(distinct >= begin) & (distinct <= end)]
    n_steps = round(float(inside[-1] - inside[0]) / unit) + 1
    wide = -(-n_steps // BINS)
    return np.asarray(inside[0] - unit / 2 + unit * wide * np.arange(-(-n_steps // wide) + 1))


def levels_of(
    attribute: Attribute, codes: Codes, groups: Groups, weights: Floats, lacking: str = ""
) -> LevelsFigure:
    """A nominal column's most frequent levels by group, the others together; ordered ones in their order."""
    known = (codes >= 0) & (groups.codes >= 0)
    k, n = len(groups.names), len(attribute.levels)
    mass = weights[known] if weights.size else None
    keys = codes[known].astype(np.int64) * k + groups.codes[known]
    counts = np.bincount(keys, mass, n * k).reshape(n, k).T
    total = counts.sum(axis=0)
    seen = int(np.count_nonzero(total))
    top = np.argsort(-total, kind="stable")[: LEVELS if seen <= LEVELS else LEVELS - 1]
    top = top[total[top] > 0]
    if attribute.kind == "ordinal":
        top = np.sort(top)
    names = [str(attribute.levels[i]) for i in top]
    shown = counts[:, top]
    if seen > len(top):
        names.append(f"{seen - len(top):,} others")
        shown = np.column_stack([shown, counts.sum(axis=1) - shown.sum(axis=1)])
    return LevelsFigure(
        names, np.maximum(shown, 0.0), groups.names, attribute.name, [lacking] if lacking else []
    )


def row_stretches(n_rows: int) -> Indices:
    """The first row of each stretch of the map, and the number of all rows."""
    return np.append(np.unique(np.arange(STRETCHES) * n_rows // STRETCHES), n_rows)


def absences(attribute: Attribute, values: Array) -> Bools:
    """Which rows have no value of an attribute."""
    if attribute.is_numeric:
        return np.asarray(np.isnan(values))
    if attribute.is_nominal:
        return np.asarray(values == -1)
    return np.fromiter((value is None for value in values), np.bool_, len(values))


def absent_counts(attribute: Attribute, values: Array, first_row: int, ends: Indices) -> Floats:
    """How many values are missing in each stretch, of rows from `first_row` on."""
    gone = np.concatenate([[0], np.cumsum(absences(attribute, values))])
    return np.diff(gone[np.clip(ends - first_row, 0, len(values))]).astype(np.float64)


def _missing(absent: dict[str, tuple[float, Floats]], rows: int) -> MissingFigure:
    """The map of missing values, the attributes with most of them first."""
    names = sorted(absent, key=lambda name: -absent[name][0])
    shares = np.array([absent[name][1] for name in names]) if names else np.zeros((0, 0))
    return MissingFigure(names, shares, np.array([absent[name][0] for name in names]), rows, title="")
