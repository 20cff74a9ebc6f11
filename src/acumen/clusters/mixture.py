"""Mixtures of normal densities: the steps of EM over blocks of points, exact whatever the threads and the parts.

    MixtureParameters   proportions, means and covariances of components
    MixtureSums         the sums of one pass for each component, about its mean
    maximise            sums -> parameters, with the components' own weights as divisors (errata of W001-24)
    climb               repeat steps until the log-likelihood gains no more than a tolerance

What a step makes larger is the log-likelihood less a penalty, floor / 2 times the sum over components of
tr(inverse covariance x D), where D has the variance of each attribute in all rows: a covariance is then
(scatter + floor D) / weight, never singular, and in every unit the same. With `shared` the penalty counts once.
Points are centred, and sums are taken about the means of the step before, so that an offset of the numbers costs
no digit. A gap is marginalised: see `mixture_gaps`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Self

import numpy as np

from acumen import _native
from acumen.clusters.mixture_missing import MissingPatterns, gap_logs, gap_sums
from acumen.clusters.space import Blocks
from acumen.types import Bools, Codes, Floats

Covariance = Literal["full", "shared", "diagonal", "spherical"]
#: A direction in which the whole table varies no more than this share of its widest one is none.
_FLAT = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class MixtureBlock:
    """Points of attributes that vary, weights (empty: ones), and the rows with gaps by what they know."""

    values: Floats
    weights: Floats
    gaps: tuple[MissingPatterns, ...] = field(default=())

    @classmethod
    def of(cls, values: Floats, weights: Floats) -> Self:
        values = np.ascontiguousarray(values)
        return cls(values, weights, MissingPatterns.detect(values, weights))

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True, eq=False)
class MixtureParameters:
    """Components: covariances are matrices, or lines of variances where they are diagonal or spherical."""

    covariance: Covariance
    shares: Floats
    means: Floats
    covariances: Floats
    #: The inverses of the covariances' triangular factors, and log share + log density at the mean.
    factors: Floats
    constants: Floats

    @classmethod
    def of(cls, covariance: Covariance, shares: Floats, means: Floats, covariances: Floats) -> Self:
        d = means.shape[1]
        if covariances.ndim == 2:
            factors = 1.0 / np.sqrt(covariances)
            log_det = np.log(factors).sum(axis=1)
        else:
            factors = np.ascontiguousarray(np.tril(np.linalg.inv(np.linalg.cholesky(covariances))))
            log_det = np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)
        with np.errstate(divide="ignore"):
            constants = np.log(shares) + log_det - d / 2 * np.log(2 * np.pi)
        return cls(covariance, shares, np.ascontiguousarray(means), covariances, factors, constants)

    def __len__(self) -> int:
        return len(self.shares)

    @property
    def diagonal(self) -> bool:
        return self.covariances.ndim == 2

    def take(self, which: list[int]) -> Self:
        """Some components, their shares made to add up to one again."""
        shares = self.shares[which] / self.shares[which].sum()
        return self.of(self.covariance, shares, self.means[which], self.covariances[which])

    def penalty(self, floor: float, variance: Floats) -> float:
        """What is taken off the log-likelihood."""
        squares = self.factors**2 if self.diagonal else (self.factors**2).sum(axis=1)
        each = squares @ variance
        return float(floor / 2 * (each[0] if self.covariance == "shared" else each.sum()))

    def logs(self, values: Floats, gaps: tuple[MissingPatterns, ...] | None = None) -> Floats:
        """log share + log density of each component at each row, over what the row knows."""
        logs = np.empty((len(values), len(self)))
        values = np.ascontiguousarray(values)
        _native.mixture_logs(values, self.constants, self.means, self.factors, self.diagonal, logs)
        for gap in MissingPatterns.detect(values, np.empty(0)) if gaps is None else gaps:
            logs[gap.rows] = gap_logs(gap, values, self.shares, self.means, self.covariances)
        return logs


@dataclass(frozen=True, slots=True, eq=False)
class MixtureSums:
    """Of each component the weight of its rows, and the sums of differences from its mean and of their products."""

    weight: Floats
    first: Floats
    second: Floats
    likelihood: float

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.weight + other.weight, self.first + other.first, self.second + other.second,
            self.likelihood + other.likelihood,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class MixtureFit:
    """Where steps came to rest; the penalised log-likelihood after each of them."""

    mixture: MixtureParameters
    likelihood: float
    path: Floats
    weight: Floats  # of each component's rows
    n_iter: int


def scatter_of(block: MixtureBlock, mixture: MixtureParameters) -> MixtureSums:
    """Expectation and sums of one block."""
    k, d = mixture.means.shape
    shape = (k, d) if mixture.diagonal else (k, d, d)
    weight, first, second = np.zeros(k), np.zeros((k, d)), np.zeros(shape)
    likelihood = 0.0
    if d:
        likelihood = _native.mixture_pass(
            block.values, block.weights, mixture.constants, mixture.means, mixture.factors, mixture.diagonal,
            weight, first, second,
        )  # fmt: skip
    if not mixture.diagonal:  # the kernel fills lower triangles
        second = second + np.swapaxes(np.tril(second, -1), 1, 2)
    for gap in block.gaps:
        likelihood += gap_sums(
            gap, block.values, mixture.shares, mixture.means, mixture.covariances, weight, first, second
        )
    return MixtureSums(weight, first, second, likelihood)


#: A share of the rows that is none: what would be divided by it would be beyond all numbers.
_NOBODY = 1e-100


def maximise(
    sums: MixtureSums, before: MixtureParameters, floor: float, variance: Floats
) -> MixtureParameters:
    """The mixture that makes the penalised expected log-likelihood of the sums largest."""
    weight, d = sums.weight, before.means.shape[1]
    there = weight > _NOBODY * weight.sum()
    by = np.where(there, weight, 1.0)
    shift = np.where(there[:, None], sums.first / by[:, None], 0.0)
    means = before.means + shift
    shares = weight / weight.sum()
    kind = before.covariance
    if before.diagonal:
        matrices = np.maximum(sums.second - weight[:, None] * shift**2, 0.0) + floor * variance
        if kind == "spherical":
            matrices = np.repeat(matrices.sum(axis=1, keepdims=True) / max(d, 1), d, axis=1)
        covariances = np.where(there[:, None], matrices / by[:, None], before.covariances)
        return MixtureParameters.of(kind, shares, means, covariances)
    matrices = sums.second - weight[:, None, None] * shift[:, :, None] * shift[:, None, :]
    if kind == "shared":
        whole = (matrices.sum(axis=0) + floor * np.diag(variance)) / weight.sum()
        covariances = np.repeat(_positive(whole[None]), len(weight), axis=0)
    else:
        matrices = (matrices + floor * np.diag(variance)) / by[:, None, None]
        covariances = _positive(np.where(there[:, None, None], matrices, before.covariances))
    return MixtureParameters.of(kind, shares, means, covariances)


def _positive(covariances: Floats) -> Floats:
    """The same matrices, whose roots are there: what rounding took of the smallest directions is given back."""
    covariances = (covariances + np.swapaxes(covariances, 1, 2)) / 2
    try:
        np.linalg.cholesky(covariances)
        return covariances
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(covariances)
        values = np.maximum(values, 1e-12 * values[:, -1:])
        repaired: Floats = (vectors * values[:, None, :]) @ np.swapaxes(vectors, 1, 2)
        return (repaired + np.swapaxes(repaired, 1, 2)) / 2


def climb(
    source: Blocks, mixture: MixtureParameters, max_iter: int, tol: float, floor: float, variance: Floats
) -> MixtureFit:
    """Steps until one gains at most `tol` a row, or `max_iter` are done."""
    path: list[float] = []
    n_iter = 0
    sums = expectation_sums(source, mixture)
    n = float(sums.weight.sum())
    path.append(sums.likelihood - mixture.penalty(floor, variance))
    while n_iter < max_iter:
        n_iter += 1
        after = maximise(sums, mixture, floor, variance)
        there = expectation_sums(source, after)
        gained = there.likelihood - after.penalty(floor, variance)
        if not np.isfinite(gained) or gained < path[-1]:
            break  # no step is left that rounding does not hide
        mixture, sums = after, there
        path.append(gained)
        if path[-1] - path[-2] <= tol * max(n, 1e-300):
            break
    return MixtureFit(mixture, sums.likelihood, np.array(path), sums.weight, n_iter)


def expectation_sums(source: Blocks, mixture: MixtureParameters) -> MixtureSums:
    """Expectation and sums of all blocks, added in a fixed order."""
    sums: MixtureSums = source.sum(_scatter, mixture)
    return sums


def _scatter(mixture: MixtureParameters, block: MixtureBlock) -> MixtureSums:
    return scatter_of(block, mixture)


def start_mixture(
    block: MixtureBlock, labels: Codes, k: int, covariance: Covariance, floor: float, variance: Floats
) -> MixtureParameters:
    """The mixture of given groups, each covariance drawn towards the one within all groups by d + 1 rows."""
    d = block.values.shape[1]
    weights = block.weights if block.weights.size else np.ones(len(block))
    means, weight = np.zeros((k, d)), np.zeros(k)
    second = np.zeros((k, d, d))
    for c in range(k):
        members = labels == c
        x, w = block.values[members], weights[members]
        known = ~np.isnan(x)
        held = (known * w[:, None]).sum(axis=0)
        means[c] = np.where(known, x * w[:, None], 0.0).sum(axis=0) / np.where(held > 0, held, 1.0)
        y = np.where(known, x - means[c], 0.0)
        weight[c] = max(float(w.sum()), 1e-300)
        second[c] = (y * w[:, None]).T @ y + np.diag((~known * w[:, None]).sum(axis=0) * variance)
    pooled = second.sum(axis=0) / weight.sum() + np.diag(variance) * max(floor, 1e-9)
    second = second + (d + 1) * pooled
    by = weight + d + 1
    if covariance in ("diagonal", "spherical"):
        spread = np.diagonal(second, axis1=1, axis2=2) / by[:, None]
        if covariance == "spherical":
            spread = np.repeat(spread.mean(axis=1, keepdims=True), d, axis=1) if d else spread
        return MixtureParameters.of(covariance, weight / weight.sum(), means, np.ascontiguousarray(spread))
    covariances = np.repeat(pooled[None], k, axis=0) if covariance == "shared" else second / by[:, None, None]
    return MixtureParameters.of(covariance, weight / weight.sum(), means, _positive(covariances))


def degenerate(
    mixture: MixtureParameters, weight: Floats, floor: float, variance: Floats, whole: Floats
) -> Bools:
    """Components that describe no cloud of rows: of too few rows, or flat where the table (`whole`) is not."""
    k, d = mixture.means.shape
    if not d:
        return np.zeros(k, dtype=np.bool_)
    least = {"full": d + 1.0, "shared": 1.0, "diagonal": 2.0, "spherical": 2.0}[mixture.covariance]
    few = weight < least * (1 - 1e-9)
    rows = np.full(k, weight.sum()) if mixture.covariance == "shared" else weight
    bound = 10 * floor / np.maximum(rows, 1e-300)
    unit = np.sqrt(variance)
    if mixture.diagonal:
        flat = (mixture.covariances / variance).min(axis=1) <= bound
    else:
        values, vectors = np.linalg.eigh(whole / np.outer(unit, unit))
        basis = (vectors / unit[:, None])[:, values > _FLAT * values[-1]]
        least_spread = np.linalg.eigvalsh(basis.T @ mixture.covariances @ basis)[:, 0]
        flat = least_spread <= np.maximum(bound, 1e-11)
    return np.asarray(few | flat)
