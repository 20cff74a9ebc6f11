"""Score each attribute against the target on its own, by one of the measures of filters, with a p-value.

    measured   table, measure -> a Worth for each attribute that is no text, in the schema's order

Numbers are cut where a shorter description of the classes is gained (`EntropyMDL`) for gain, gain ratio and Gini, which
are measures of levels. The cuts look at the classes, so a test on them would find something in noise: the chance comes
from a test that does not, the chi-square test over intervals of about equal weight
(ten, or as many as have rows enough),
or from permutations of the target with everything done anew. Where a table of counts is too thin for the chi-square
distribution, the chance is that of the statistic among 999 permutations; where few or none of them come to as much,
that of a gamma distribution of their mean and variance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from acumen import messages
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.preprocessing.discretise.counts import ValueCounts
from acumen.preprocessing.discretise.entropy import mdl_cuts
from acumen.profiling.association import correlation_ratio, f_chance, pieces, with_response
from acumen.profiling.contingency import ContingencyTable, effective_size
from acumen.tuning.relief import information_with_classes, information_with_numbers, relief
from acumen.types import MISSING, Array, Codes, Floats

By = Literal[
    "gain", "gain-ratio", "gini", "chi2", "correlation", "anova", "relief", "near-constant", "mutual"
]
MEASURES: tuple[str, ...] = get_args(By)
#: Those that a numeric target has too.
OF_NUMBERS = ("correlation", "anova", "mutual", "near-constant")
#: Permutations behind the chance of a table too thin for the chi-square distribution.
THIN = 999
#: Where fewer of them come to as much, the tail of a gamma distribution is taken.
FEW = 10


@dataclass(frozen=True, slots=True)
class Worth:
    """The score of an attribute, NaN if the measure is not defined for it; its p-value, if there is one."""

    score: float
    p: float | None = None


def require_measure(by: str, table: Table, who: str) -> None:
    """Refuse an unknown measure, or one that does not suit the target."""
    if by not in MEASURES:
        raise ParameterError(
            f"{who}: by must be one of {', '.join(MEASURES)}; got {by!r}.{did_you_mean(str(by), MEASURES)}"
        )
    if by == "near-constant" or table.labels is not None:
        return
    if table.response is None:
        raise DataError(
            f"{who}: by={by!r} needs a target, and the table has none; name one with "
            f"{messages.option('target')}, or use by='near-constant'."
        )
    if by not in OF_NUMBERS:
        raise DataError(
            f"{who}: by={by!r} is for classes, and the target is numeric; take one of {', '.join(OF_NUMBERS)}."
        )


def measure_worths(
    table: Table,
    by: str,
    *,
    k: int = 10,
    permutations: int | None = None,
    rng: Any = None,
    n_jobs: int | None = None,
) -> list[Worth]:
    """Score each attribute; with `permutations` the p-value comes from permuted targets."""
    rng = np.random.default_rng(0) if rng is None else rng
    columns = columns_of(table)
    if by == "near-constant":
        return [Worth(fraction_varying(attribute, values, table.weights)) for attribute, values in columns]
    target = table.labels if table.labels is not None else table.response
    assert target is not None
    scores = _worths(table, columns, by, target, k, n_jobs)
    if permutations is not None:
        return _permutation_chance(table, columns, by, target, k, n_jobs, scores, permutations, rng)
    if by == "relief":
        return [Worth(score) for score in scores.tolist()]
    worths = []
    for (attribute, values), score in zip(columns, scores.tolist(), strict=True):
        chance = _chance(table, attribute, values, by, rng) if not math.isnan(score) else None
        worths.append(Worth(score, chance))
    return worths


def columns_of(table: Table) -> list[tuple[Attribute, Array]]:
    """Every input that is not text with its column, in the schema's order; infinite numbers count as missing."""
    numeric = {a.name: np.where(np.isfinite(v), v, np.nan) for a, v in table.numeric_columns()}
    nominal = {a.name: v for a, v in table.nominal_columns()}
    both: dict[str, Array] = {**numeric, **nominal}
    return [(a, both[a.name]) for a in table.schema.attributes if a.name in both]


def _permutation_chance(
    table: Table,
    columns: list[tuple[Attribute, Array]],
    by: str,
    target: Array,
    k: int,
    n_jobs: int | None,
    found: Floats,
    permutations: int,
    rng: np.random.Generator,
) -> list[Worth]:
    """p-values from shuffled targets, where missing targets stay missing; a score at least as large counts."""
    known = np.flatnonzero(target >= 0 if table.labels is not None else ~np.isnan(target))
    as_large = np.ones(len(found))
    moved = target.copy()
    for _ in range(permutations):
        moved[known] = target[known[rng.permutation(len(known))]]
        again = _worths(table, columns, by, moved, k, n_jobs)
        as_large += again >= found - 1e-12 * np.abs(found)
    chances = as_large / (permutations + 1)
    return [
        Worth(score, None if math.isnan(score) else p)
        for score, p in zip(found.tolist(), chances.tolist(), strict=True)
    ]


def _worths(
    table: Table, columns: list[tuple[Attribute, Array]], by: str, target: Array, k: int, n_jobs: int | None
) -> Floats:
    """The score of each attribute for a target, which may be the table's own in another order."""
    if by == "relief":
        if table.weights.size and not (table.weights == 1).all():
            raise DataError("rank_attributes: by='relief' compares rows one by one and takes no row weights.")
        weights = relief(table, target, k, n_jobs)
        order = [a.name for a in (*table.schema.numeric, *table.schema.nominal)]
        of = dict(zip(order, weights.tolist(), strict=True))
        return np.array([of[attribute.name] for attribute, _ in columns])
    score = _of_classes if table.labels is not None else _of_numbers
    return np.array([score(a, values, target, table.weights, by) for a, values in columns], dtype=np.float64)


# -- scores ---------------------------------------------------------------------------------------


def _of_classes(attribute: Attribute, values: Array, labels: Codes, weights: Floats, by: str) -> float:
    if by in ("gain", "gain-ratio", "gini"):
        codes = mdl_codes(values, labels, weights) if attribute.is_numeric else values
        cells = ContingencyTable.of(codes, labels, weights)
        known = _known_share(codes, labels, weights)
        if by == "gini":
            return gini_gain(cells) * known
        return (cells.gain if by == "gain" else cells.gain_ratio or 0.0) * known
    if by == "chi2":
        codes = pieces(values, weights) if attribute.is_numeric else values
        return float(ContingencyTable.of(codes, labels, weights).chi_square()[0])
    if by == "mutual":
        if attribute.is_nominal:
            cells = ContingencyTable.of(values, labels, weights)
            return max(0.0, cells.gain - cells.by_chance)
        _no_weights(weights)
        there = ~np.isnan(values) & (labels >= 0)
        return information_with_classes(values[there], labels[there])
    if by == "correlation" and attribute.is_nominal and not attribute.ordered:
        return ContingencyTable.of(values, labels, weights).cramers_v or 0.0
    if attribute.is_nominal and not attribute.ordered:
        return math.nan  # levels have no mean
    eta2, _, groups, n = _between_classes(attribute, values, labels, weights)
    if eta2 is None:
        return 0.0
    return math.sqrt(eta2) if by == "correlation" else _f(eta2, groups - 1.0, n - groups)


def _of_numbers(attribute: Attribute, values: Array, response: Floats, weights: Floats, by: str) -> float:
    plain = attribute.is_numeric or attribute.ordered
    numbers = values if attribute.is_numeric else np.where(values >= 0, values, np.nan)
    if by == "mutual":
        _no_weights(weights)
        there = ~np.isnan(numbers) & np.isfinite(response)
        if plain:
            return information_with_numbers(numbers[there], response[there])
        return information_with_classes(response[there], values[there])
    information = with_response(
        Attribute(attribute.name) if plain else attribute, numbers if plain else values, response, weights
    )
    if by == "correlation":
        return information.strength or 0.0
    there = (~np.isnan(numbers)) & np.isfinite(response)
    mass = weights[there] if weights.size else weights
    n = effective_size(mass, int(there.sum())) if there.any() else 0.0
    if plain:
        return _f((information.strength or 0.0) ** 2, 1.0, n - 2)
    eta2, _, levels = correlation_ratio(values[there], response[there], mass)
    return 0.0 if eta2 is None else _f(eta2, levels - 1.0, n - levels)


def _between_classes(
    attribute: Attribute, values: Array, labels: Codes, weights: Floats
) -> tuple[float | None, float | None, int, float]:
    """Eta squared of numbers over the classes, and the numbers of classes and rows."""
    numbers = values if attribute.is_numeric else np.where(values >= 0, values, np.nan)
    there = ~np.isnan(numbers) & (labels >= 0)
    if weights.size:
        there &= weights > 0
    mass = weights[there] if weights.size else weights
    n = effective_size(mass, int(there.sum())) if there.any() else 0.0
    return *correlation_ratio(labels[there], numbers[there], mass), n


def _f(explained: float, between: float, within: float) -> float:
    """F from a fraction of explained variance; 0 without degrees of freedom."""
    if between < 1 or within < 1e-9:
        return 0.0
    return math.inf if explained >= 1 else explained / between / ((1 - explained) / within)


def _no_weights(weights: Floats) -> None:
    if weights.size and not (weights == 1).all():
        raise DataError("rank_attributes: by='mutual' goes by neighbours and takes no row weights.")


def _known_share(codes: Codes, labels: Codes, weights: Floats) -> float:
    """The fraction of labelled rows in which the value is known: unknown values are not informative (Quinlan 1993)."""
    mass = weights if weights.size else np.ones(len(codes))
    total = float(mass[labels >= 0].sum())
    return float(mass[(labels >= 0) & (codes >= 0)].sum()) / total if total > 0 else 0.0


def mdl_codes(values: Floats, labels: Codes, weights: Floats) -> Codes:
    """Numbers in the intervals of `EntropyMDL`, coded from 0; missing is -1."""
    counts = ValueCounts.of("", values, labels, weights, tuple(range(int(labels.max(initial=-1)) + 1)))
    known = counts.weights[:, :-1]
    seen = known.sum(axis=1) > 0
    starts = counts.values[seen][mdl_cuts(known[seen])] if seen.any() else np.empty(0)
    return np.where(np.isnan(values), MISSING, np.searchsorted(starts, values, side="right")).astype(np.int32)


def gini_gain(cells: ContingencyTable) -> float:
    """The decrease in Gini impurity of the classes: sum p_ij^2 / p_i - sum p_j^2."""
    total = float(cells.first.sum())
    if not total > 0:
        return 0.0
    within = float((cells.joint / total * (cells.joint / cells.joint_first)).sum())
    return max(0.0, within - float(np.square(cells.second / total).sum()))


def fraction_varying(attribute: Attribute, values: Array, weights: Floats) -> float:
    """The fraction of rows that do not have the most common value; missing counts as a value."""
    shown = values if attribute.is_numeric else np.maximum(values, MISSING)
    mass = weights if weights.size else np.ones(len(values))
    if not mass.sum() > 0:
        return 0.0
    which = np.unique(shown, return_inverse=True)[1]
    return 1.0 - float(np.bincount(which, mass).max()) / float(mass.sum())


# -- chances --------------------------------------------------------------------------------------


def _chance(
    table: Table, attribute: Attribute, values: Array, by: str, rng: np.random.Generator
) -> float | None:
    """The p-value of the score, by a test that does not use intervals chosen with the classes."""
    weights = table.weights
    if table.labels is None:
        plain = attribute.is_numeric or attribute.ordered
        numbers = values if attribute.is_numeric else np.where(values >= 0, values, np.nan)
        if by == "mutual" and plain:
            return _chi_square(pieces(numbers, weights), pieces(table.target_numbers, weights), weights, rng)
        return with_response(
            Attribute(attribute.name) if plain else attribute,
            numbers if plain else values,
            table.target_numbers,
            weights,
        ).p
    if by in ("correlation", "anova") and (attribute.is_numeric or attribute.ordered):
        eta2, _, groups, n = _between_classes(attribute, values, table.labels, weights)
        return None if eta2 is None else f_chance(eta2, groups - 1.0, n - groups)
    codes = blind(values, table.labels, weights) if attribute.is_numeric else values
    return _chi_square(codes, table.labels, weights, rng)


def blind(values: Floats, labels: Codes, weights: Floats) -> Codes:
    """Numbers in at most ten intervals of about equal weight, with about eight rows of the rarest class in each."""
    codes = pieces(values, weights)
    there = (codes >= 0) & (labels >= 0)
    counts = np.bincount(labels[there])
    rarest = int(counts[counts > 0].min(initial=len(labels)))
    n_levels = int(codes.max(initial=-1)) + 1
    few = max(2, min(n_levels, rarest // 8))
    return (
        codes if few >= n_levels else np.where(codes >= 0, codes * few // n_levels, MISSING).astype(np.int32)
    )


def _chi_square(codes: Codes, labels: Codes, weights: Floats, rng: np.random.Generator) -> float | None:
    cells = ContingencyTable.of(codes, labels, weights)
    statistic, degrees, p = cells.chi_square()
    if not degrees or not cells.rough:
        return p
    again = _by_chance(cells, codes, labels, weights, rng)
    as_large = int((again >= statistic * (1 - 1e-9)).sum())
    mean, variance = float(again.mean()), float(again.var())
    if as_large >= FEW or not variance > 1e-12 * mean * mean:
        return (1 + as_large) / (1 + THIN)
    from scipy.special import gammaincc

    tail = float(gammaincc(mean * mean / variance, statistic * mean / variance))
    return min(tail, (1 + as_large) / (1 + THIN))


def _by_chance(
    cells: ContingencyTable, codes: Codes, labels: Codes, weights: Floats, rng: np.random.Generator
) -> Floats:
    """Draw the statistic of tables without association.

    Of counts the tables are drawn by their margins (Patefield 1981), as permuted rows would give them; neither the
    order of rows matters, nor whether a row is repeated or has a weight. Of other weights the rows are permuted.
    """
    if (cells.first == np.rint(cells.first)).all() and (cells.second == np.rint(cells.second)).all():
        from scipy.stats import random_table

        margins = cells.first.astype(np.int64), cells.second.astype(np.int64)
        drawn = random_table(*margins, seed=rng).rvs(THIN)
        expected = np.outer(cells.first, cells.second) / cells.first.sum()
        statistics: Floats = ((drawn - expected) ** 2 / expected).sum(axis=(1, 2))
        return statistics
    known = np.flatnonzero((codes >= 0) & (labels >= 0))
    first, second, mass = codes[known], labels[known], weights[known]
    every = (ContingencyTable.of(first, second[rng.permutation(len(second))], mass) for _ in range(THIN))
    return np.array([each.chi_square()[0] for each in every])
