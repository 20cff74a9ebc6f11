"""Kernels of clusterers against naive twins and scipy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

import acumen
from acumen import _native
from acumen.clusters.mixture import MixtureParameters
from acumen.clusters.row_distances import RowsApart


def points(n: int, seed: int, d: int = 2) -> np.ndarray:
    return np.round(np.random.default_rng(seed).normal(size=(n, d)), 3)


def apart(rows: np.ndarray, weights: Any = None) -> RowsApart:
    table = acumen.read(rows)
    made = RowsApart.of("test", table, "euclidean", False)
    return made if weights is None else made.take(np.arange(len(rows)), np.asarray(weights, dtype=np.float64))


def distances(rows: np.ndarray) -> np.ndarray:
    return np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(axis=2))


@pytest.mark.parametrize("linkage", ["single", "complete", "average", "ward"])
def test_link_rows_joins_at_the_heights_of_scipy(linkage: str) -> None:
    rows = points(25, 0)
    a, b, heights, sizes = _native.link_rows(*apart(rows).pairs, linkage, 1)
    expected = scipy_linkage(rows, linkage)
    assert np.allclose(heights, expected[:, 2])
    assert sorted(sizes.tolist()) == sorted(expected[:, 3].tolist())
    assert len(a) == len(b) == 24


def naive_cut(a: np.ndarray, b: np.ndarray, joins: int, n: int) -> list[int]:
    group = {row: [row] for row in range(n)}
    for i in range(joins):
        group[n + i] = group.pop(int(a[i])) + group.pop(int(b[i]))
    first = sorted(group.values(), key=min)
    return [next(g for g, rows in enumerate(first) if row in rows) for row in range(n)]


@pytest.mark.parametrize("joins", [0, 1, 7, 14])
def test_cut_joins_numbers_groups_by_their_first_row(joins: int) -> None:
    a, b, _, _ = _native.link_rows(*apart(points(15, 1)).pairs, "average", 1)
    assert _native.cut_joins(a, b, joins).tolist() == naive_cut(a, b, joins, 15)


def naive_dense(rows: np.ndarray, weights: np.ndarray, eps: float, enough: float) -> tuple[Any, Any]:
    near = distances(rows) <= eps
    core = near @ weights >= enough
    group = np.full(len(rows), -1)
    found = 0
    for start in range(len(rows)):
        if not core[start] or group[start] >= 0:
            continue
        reach = [start]
        group[start] = found
        while reach:
            for other in np.flatnonzero(near[reach.pop()] & core & (group < 0)):
                group[other] = found
                reach.append(int(other))
        found += 1
    return core, group


@pytest.mark.parametrize("weighted", [False, True])
def test_dense_rows_are_those_of_the_definition(weighted: bool) -> None:
    rows = np.vstack([points(20, 2) * 0.3, points(20, 3) * 0.3 + 3.0, [[9.0, 9.0]]])
    weights = np.arange(41) % 3 + 1.0 if weighted else np.ones(41)
    some = apart(rows, weights)
    core, labels, n = _native.dense_rows(some.search.index, some.extra, 0.3, 4.0, 1)
    expected, groups = naive_dense(rows, weights, 0.3, 4.0)
    assert core.astype(bool).tolist() == expected.tolist()
    partners = set(zip(labels[expected].tolist(), groups[expected].tolist(), strict=True))
    assert len(partners) == n == groups.max() + 1
    for row in np.flatnonzero(
        ~expected
    ):  # a row at the border belongs to a core within reach, any other to none
        within = expected & (distances(rows)[row] <= 0.3)
        assert labels[row] in (set(labels[within].tolist()) if within.any() else {-1})


def test_start_medoids_differ_and_are_fewer_where_fewer_rows_differ() -> None:
    drawn = np.random.default_rng(4).random(6)
    start = _native.start_medoids(*apart(points(30, 4)).pairs, drawn)
    assert len(set(start.tolist())) == 6
    repeated = np.repeat(points(3, 5), 10, axis=0)
    few = _native.start_medoids(*apart(repeated).pairs, drawn)
    assert len(few) == 3
    assert len(np.unique(repeated[few], axis=0)) == 3


@pytest.mark.parametrize("diagonal", [False, True])
def test_mixture_pass_adds_what_shares_of_rows_add_up_to(diagonal: bool) -> None:
    rng = np.random.default_rng(6)
    rows, weights = points(70, 6, 3), rng.random(70) + 0.5
    means, shares = rng.normal(size=(2, 3)), np.array([0.3, 0.7])
    root = rng.normal(size=(2, 3, 3)) * 0.3 + np.eye(3)
    full = root @ np.swapaxes(root, 1, 2)
    covariances = np.diagonal(full, axis1=1, axis2=2).copy() if diagonal else full
    mixture = MixtureParameters.of("diagonal" if diagonal else "full", shares, means, covariances)
    shape = (2, 3) if diagonal else (2, 3, 3)
    weight, first, second = np.zeros(2), np.zeros((2, 3)), np.zeros(shape)
    likelihood = _native.mixture_pass(
        rows, weights, mixture.constants, mixture.means, mixture.factors, diagonal, weight, first, second
    )
    logs = np.column_stack(
        [
            np.log(s) + multivariate_normal(m, np.diag(c) if diagonal else c).logpdf(rows)
            for s, m, c in zip(shares, means, covariances, strict=True)
        ]
    )
    whole = logsumexp(logs, axis=1)
    share = np.exp(logs - whole[:, None]) * weights[:, None]
    away = rows[:, None] - means
    products = np.einsum("ic,ica,icb->cab", share, away, away)
    assert np.isclose(likelihood, weights @ whole)
    assert np.allclose(weight, share.sum(axis=0))
    assert np.allclose(first, np.einsum("ic,ica->ca", share, away))
    expected = np.diagonal(products, axis1=1, axis2=2) if diagonal else np.tril(products)
    assert np.allclose(second, expected)


def test_cut_inside_finds_the_bridge_between_two_cliques() -> None:
    edges = [*itertools.combinations(range(5), 2), *itertools.combinations(range(5, 10), 2), (4, 5)]
    both = sorted([*edges, *((b, a) for a, b in edges)])
    starts = np.searchsorted([a for a, _ in both], range(11)).astype(np.int64)
    ends = np.array([b for _, b in both], dtype=np.int32)
    weights = np.array([0.25 if {a, b} == {4, 5} else 1.0 for a, b in both])
    graph = starts, ends, weights, np.ones(10)
    assert _native.cut_inside(*graph, np.arange(10, dtype=np.int32), 0.3, 1) == (0.25, 1)
    # Of a clique of five with at least two on each side: two against three.
    assert _native.cut_inside(*graph, np.arange(5, dtype=np.int32), 0.4, 1) == (6.0, 6)
