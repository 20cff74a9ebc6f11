"""The search for a mixture: starts by k-means on a sample, EM from the best on all rows, k by BIC or MDL.

SampleSummary   the table: its weight, and the variances and covariance of the attributes that vary
search          the best mixture of several starts, and of several k
bic             -2 log-likelihood + p ln n: smaller is better (scikit-learn's sign; mclust's is the opposite)
description     in bits, each component's parameters stated as precisely as its own rows allow
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from acumen.base.grouping import by_first_row
from acumen.clusters.lloyd import lloyd, nearest
from acumen.clusters.mixture import (
    Covariance,
    MixtureBlock,
    MixtureFit,
    MixtureParameters,
    climb,
    degenerate,
    start_mixture,
)
from acumen.clusters.sampling import require_distinct
from acumen.clusters.space import Blocks, Points
from acumen.clusters.starts import distinct, draw_centres, sample_points
from acumen.engines.executors import map_in_threads
from acumen.rows.persisted import Persisted
from acumen.types import Bools, Codes, Floats

#: Passes of k-means before the first step: a start need not be exact.
_PASSES = 30


@dataclass(frozen=True, slots=True)
class MixtureOptions:
    """What is asked for."""

    k: int | str
    covariance: Covariance
    init: str | Floats
    max_iter: int
    tol: float
    floor: float
    max_k: int


@dataclass(frozen=True, slots=True, eq=False)
class SampleSummary:
    """What is known of all rows: variances about the mean, their covariance, and the weight that knows each."""

    n_rows: int
    weight: float
    variance: Floats
    whole: Floats
    known: Floats

    @classmethod
    def of(cls, source: Blocks, n_rows: int, weight: float) -> SampleSummary:
        sums = source.sum(_products, None)
        known, products = sums[0], sums[1:]
        by = np.where(known > 0, known, 1.0)
        variance = np.diagonal(products) / by
        unit = np.sqrt(variance)
        # Products of gaps count as none: what is missed of a covariance only makes the table look less flat.
        root = np.sqrt(by)
        whole = products / np.outer(root, root)
        return cls(n_rows, weight, variance, whole if unit.all() else np.diag(variance), known)


def _products(nothing: None, block: MixtureBlock) -> Floats:
    weights = block.weights if block.weights.size else np.ones(len(block))
    known = ~np.isnan(block.values)
    filled = np.where(known, block.values, 0.0)
    return np.vstack([(known * weights[:, None]).sum(axis=0), (filled * weights[:, None]).T @ filled])


@dataclass(frozen=True, slots=True, eq=False)
class ChosenMixture:
    """The best mixture, which of its components are degenerate, and where k was chosen what by (infinite: never)."""

    climbed: MixtureFit
    flat: Bools
    lengths: Floats = field(default_factory=lambda: np.empty(0))
    tried: float = 0.0  # the weight of the rows that k was chosen on


def search(
    source: Blocks,
    about: SampleSummary,
    asked: MixtureOptions,
    starts: Iterator[np.random.Generator],
    who: str,
) -> ChosenMixture:
    """The mixture of rows in blocks."""
    generators = list(starts)
    most = asked.max_k if isinstance(asked.k, str) else asked.k
    rows = sample_points(source.map_items(_as_points), about.n_rows, about.weight, most, generators[0])
    n_distinct = len(distinct(Persisted.of([rows]), most)) if rows.values.shape[1] else 1
    if n_distinct < most:
        n_distinct = len(distinct(source.map_items(_as_points), most)) if rows.values.shape[1] else 1
        if isinstance(asked.k, str):
            most = max(n_distinct, 1)
        else:
            require_distinct(who, most, n_distinct, about.n_rows)
    sample = MixtureBlock.of(rows.values, rows.weights)
    small = float(rows.row_weights.sum())

    def fit_components(k: int) -> ChosenMixture:
        sample_about = SampleSummary(len(sample), small, about.variance, about.whole, about.known)
        return _best(sample, k, sample_about, asked, generators)

    if isinstance(asked.k, str):
        every = [fit_components(k) for k in range(1, most + 1)]
        lengths = np.array(
            [
                np.inf if each.flat.any() and k > 1 else _length(each.climbed, sample, small, asked)
                for k, each in enumerate(every, 1)
            ]
        )
        best = every[int(np.argmin(lengths))]
        best = ChosenMixture(best.climbed, best.flat, lengths, small)
    else:
        best = fit_components(most)
    if about.n_rows > len(sample):
        best = ChosenMixture(
            climb(source, best.climbed.mixture, asked.max_iter, asked.tol, asked.floor, about.variance),
            best.flat,
            best.lengths,
            best.tried,
        )
    return _with_rows(source, best, about, asked)


def _best(
    sample: MixtureBlock,
    k: int,
    about: SampleSummary,
    asked: MixtureOptions,
    starts: list[np.random.Generator],
) -> ChosenMixture:
    """The best of all starts: one without degenerate components before any with, then the most probable."""

    def search_from(rng: np.random.Generator) -> MixtureFit:
        points = Points(sample.values, sample.weights)
        if isinstance(asked.init, np.ndarray):
            labels = nearest(sample.values, asked.init)
        else:
            centres = draw_centres(points, k, rng, asked.init == "k-means")
            if asked.init == "k-means":
                lloyd(Persisted.of([points]), centres, _PASSES)
                labels = points.labels
            else:
                labels = nearest(sample.values, centres)
        start = start_mixture(sample, labels, k, asked.covariance, asked.floor, about.variance)
        return climb(Persisted.of([sample]), start, asked.max_iter, asked.tol, asked.floor, about.variance)

    if not sample.values.shape[1]:
        labels = np.zeros(len(sample), dtype=np.int32)
        start = start_mixture(sample, labels, 1, asked.covariance, asked.floor, about.variance)
        return ChosenMixture(
            MixtureFit(start, 0.0, np.zeros(1), np.array([about.weight]), 1), np.zeros(1, dtype=bool)
        )
    # A generator for each k, whatever was drawn before: what k = 3 finds does not depend on k = 2 having been tried.
    seeds = [np.random.default_rng([*rng.bit_generator.seed_seq.generate_state(2), k]) for rng in starts]
    if k == 1 or isinstance(asked.init, np.ndarray):
        seeds = seeds[:1]
    tries = list(map_in_threads(seeds, search_from))
    flat = [degenerate(each.mixture, each.weight, asked.floor, about.variance, about.whole) for each in tries]
    at = min(range(len(tries)), key=lambda i: (bool(flat[i].any()), -tries[i].path[-1]))
    return ChosenMixture(tries[at], flat[at])


def _with_rows(
    source: Blocks, best: ChosenMixture, about: SampleSummary, asked: MixtureOptions
) -> ChosenMixture:
    """Go on without components that are the most probable one of no row, until every one has some."""
    fit = best.climbed
    while True:
        mixture = fit.mixture
        kept = sorted(set(_order(source, mixture)))
        if len(kept) == len(mixture) or not kept:
            break
        fit = climb(source, mixture.take(kept), asked.max_iter, asked.tol, asked.floor, about.variance)
    if about.variance.size:
        flat = degenerate(fit.mixture, fit.weight, asked.floor, about.variance, about.whole)
    else:
        flat = best.flat
    return ChosenMixture(fit, flat, best.lengths, best.tried)


@dataclass(frozen=True, slots=True, eq=False)
class NumberedComponents:
    """Sort components by their first rows, and return the most probable one of each row."""

    order: list[int]
    labels: Codes  # empty unless they are kept


def number_components(source: Blocks, mixture: MixtureParameters, keep: bool = False) -> NumberedComponents:
    """The order of components by their first rows; with `keep` also the most probable one of each row."""
    order: dict[int, None] = {}
    kept = [np.empty(0, dtype=np.int32)]

    def assign_block(block: MixtureBlock) -> tuple[list[int], Codes]:
        labels = most_probable(mixture.logs(block.values, block.gaps))
        # A row of which nothing is known is in no group, so it is the first row of none.
        if block.values.shape[1]:
            labels = np.where(np.isnan(block.values).all(axis=1), np.int32(-1), labels)
        return by_first_row(labels)[1].tolist(), labels if keep else labels[:0]

    for met, labels in source.each(assign_block):
        order.update(dict.fromkeys(met))
        kept.append(labels)
    return NumberedComponents(list(order), np.concatenate(kept))


def most_probable(logs: Floats) -> Codes:
    """The component of the largest density, of equal ones the first."""
    return np.argmax(logs, axis=1).astype(np.int32) if logs.size else np.zeros(len(logs), dtype=np.int32)


def _order(source: Blocks, mixture: MixtureParameters) -> list[int]:
    return number_components(source, mixture).order


def _as_points(block: MixtureBlock) -> Points:
    return Points(block.values, block.weights)


def n_parameters(covariance: Covariance, k: int, d: int) -> tuple[int, int]:
    """Free parameters of each component, and those of all together (shares among them)."""
    each = {"full": d * (d + 1) // 2, "shared": 0, "diagonal": d, "spherical": 1 if d else 0}[covariance] + d
    return each, k - 1 + (d * (d + 1) // 2 if covariance == "shared" else 0)


def _length(found: MixtureFit, sample: MixtureBlock, n: float, asked: MixtureOptions) -> float:
    return bic(found, n) if asked.k == "bic" else description(found, sample)


def bic(found: MixtureFit, n: float) -> float:
    """-2 log-likelihood + p ln n, in the units of the points."""
    each, common = n_parameters(found.mixture.covariance, *found.mixture.means.shape)
    return float(-2 * found.likelihood + (each * len(found.mixture) + common) * np.log(max(n, 2.0)))


def description(found: MixtureFit, sample: MixtureBlock) -> float:
    """I(D|T) + I(T) in bits, as for k-means: the component of each row, the row by that, then p / 2 log2 n.

    The first part is minus the log-likelihood of rows with their most probable components known (Biernacki, Celeux and
    Govaert, 2000, call twice the whole ICL): separating components that overlap does not pay off.
    """
    mixture = found.mixture
    each, common = n_parameters(mixture.covariance, *mixture.means.shape)
    weights = sample.weights if sample.weights.size else np.ones(len(sample))
    log_likelihood = (mixture.logs(sample.values, sample.gaps).max(axis=1) * weights).sum()
    nats = -log_likelihood + (each * len(mixture) + common) / 2 * np.log(max(float(weights.sum()), 2.0))
    return float(nats / np.log(2))
