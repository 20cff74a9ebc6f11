"""Neighbours and votes against a naive twin, on small tables full of ties, gaps and levels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from reference import neighbours as twin

LEVELS = ("a", "b", "c")


@st.composite
def mixed(
    draw: Any, numeric: int | None = None, nominal: int | None = None, gaps: bool = True
) -> dict[str, Any]:
    """Rows of few different values, so that most distances are shared by several."""
    d = draw(st.integers(0, 3)) if numeric is None else numeric
    q = draw(st.integers(0 if d else 1, 2)) if nominal is None else nominal
    n, m = draw(st.integers(1, 14)), draw(st.integers(1, 4))
    number = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, -0.4, 1.1, 2.5])
    level: Any = st.sampled_from([0, 1, 2])
    value: Any = number
    if gaps:
        value, level = st.one_of(number, st.none()), st.one_of(level, st.none())
    row = st.tuples(*[value] * d, *[level] * q)
    rows = draw(st.lists(row, min_size=n, max_size=n))
    asked = draw(st.lists(row, min_size=m, max_size=m))
    labels = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    weights = draw(st.one_of(st.just([1] * n), st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    return {"d": d, "q": q, "rows": rows, "asked": asked, "labels": labels, "weights": weights,
            "k": draw(st.integers(1, 6))}  # fmt: skip


def table_of(case: dict[str, Any], rows: Any, labels: Any = None, weights: Any = None) -> Table:
    d, q = case["d"], case["q"]
    inputs = [Attribute(f"x{j}") for j in range(d)] + [
        Attribute(f"c{j}", "nominal", LEVELS) for j in range(q)
    ]
    target = Attribute("y", "nominal", ("u", "v", "w"))
    numbers = [np.array([np.nan if r[j] is None else r[j] for r in rows], dtype=np.float64) for j in range(d)]
    codes = [np.array([-1 if r[d + j] is None else r[d + j] for r in rows], dtype=np.int32) for j in range(q)]
    known = np.array([0] * len(rows) if labels is None else labels, dtype=np.int32)
    heavy = np.array([1.0] * len(rows) if weights is None else weights, dtype=np.float64)
    return Table(
        Schema(tuple(inputs), target, "w"),
        len(rows),
        numeric=numbers,
        nominal=codes,
        labels=known,
        weights=heavy,
    )


def deviations(case: dict[str, Any]) -> list[float | None]:
    made: list[float | None] = []
    for j in range(case["d"]):
        known = [(r[j], w) for r, w in zip(case["rows"], case["weights"], strict=True) if r[j] is not None]
        total = sum(w for _, w in known)
        mean = sum(w * x for x, w in known) / total if total else 0.0
        spread = math.sqrt(sum(w * (x - mean) ** 2 for x, w in known) / total) if total else 0.0
        made.append(spread if len({x for x, _ in known}) > 1 else 0.0)
    return made + [None] * case["q"]


def distances(case: dict[str, Any], kind: str, scaled: bool, row: Any) -> list[float]:
    if kind == "gower":
        ranges: list[float | None] = []
        for j in range(case["d"]):
            known = [r[j] for r in case["rows"] if r[j] is not None]
            # Decimals as written: their range is one too.
            ranges.append(round(max(known) - min(known), 9) if known else 0.0)
        ranges += [None] * case["q"]
        return [twin.gower(row, other, ranges, [1.0] * len(row)) for other in case["rows"]]
    scale = deviations(case) if scaled else [1.0] * case["d"] + [None] * case["q"]
    p = {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": 1.0, "minkowski": 3.0}[kind]
    return [twin.numbers_apart(row, other, kind, scale, p) for other in case["rows"]]


@given(
    case=mixed(),
    kind=st.sampled_from(["euclidean", "manhattan", "chebyshev", "minkowski", "gower"]),
    scaled=st.booleans(),
    say=st.sampled_from(["uniform", "distance", "kernel"]),
    shuffled=st.randoms(use_true_random=False),
)
def test_votes_are_those_of_the_twin_in_any_order_of_rows(
    case: dict[str, Any], kind: str, scaled: bool, say: Any, shuffled: Any
) -> None:
    order = list(range(len(case["rows"])))
    shuffled.shuffle(order)
    for places in (list(range(len(order))), order):
        rows, labels, weights = ([case[name][i] for i in places] for name in ("rows", "labels", "weights"))
        table = table_of(case, rows, labels, weights)
        model = acumen.KNN(case["k"], distance=kind, scale=scaled, weights=say).fit(table)
        proba = model.predict_proba(table_of(case, case["asked"]))
        said = model.predict(table_of(case, case["asked"]))
        for i, row in enumerate(case["asked"]):
            apart = distances(case, kind, scaled, row)
            got, winner = twin.votes(apart, case["weights"], case["labels"], case["k"], say, 3)
            assert proba[i] == pytest.approx(np.array(got) / sum(got), abs=1e-9)
            assert said[i] == ("u", "v", "w")[winner]


@given(case=mixed(), kind=st.sampled_from(["euclidean", "gower"]), scaled=st.booleans())
def test_the_curve_is_each_row_left_out_in_turn(case: dict[str, Any], kind: str, scaled: bool) -> None:
    n, weights, labels = len(case["rows"]), case["weights"], case["labels"]
    table = table_of(case, case["rows"], labels, weights)
    model = acumen.KNN(distance=kind, scale=scaled, max_neighbors=6).fit(table)
    if not len(model.curve_):
        assert sum(weights) == 1
        return
    assert len(model.curve_) == min(6, sum(weights) - 1)
    for k, error in enumerate(model.curve_, 1):
        wrong = 0.0
        for i in range(n):  # one of as many rows as the weight says is left out
            others = [w - (j == i) for j, w in enumerate(weights)]
            apart = distances(case, kind, scaled, case["rows"][i])
            wrong += weights[i] * (twin.votes(apart, others, labels, k, "uniform", 3)[1] != labels[i])
        assert error == pytest.approx(wrong / sum(weights), abs=1e-12)
    least = model.curve_.min()
    assert model.n_neighbors_ == 1 + int(np.flatnonzero(model.curve_ <= least + 1e-12)[0])


@given(
    data=st.data(),
    d=st.sampled_from([1, 2, 3, 7]),
    kind=st.sampled_from(["euclidean", "manhattan", "chebyshev"]),
    k=st.sampled_from([1, 2, 3, 5, 9, 16, 40]),
)
def test_every_index_finds_the_same_neighbours(data: Any, d: int, kind: str, k: int) -> None:
    seed = data.draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    n = data.draw(st.sampled_from([1, 2, 63, 64, 65, 200, 700]))
    steps = data.draw(st.sampled_from([2, 5, 1000]))  # few steps: many ties
    X = rng.integers(0, steps, (n, d)) / 10.0 + data.draw(st.sampled_from([0.0, 1e6]))
    Q = np.vstack([X[: n // 2 + 1], rng.integers(0, steps, (5, d)) / 10.0, np.full((1, d), 1e200)])
    labels = rng.integers(0, 3, n)
    found = {}
    for index in ("brute", "kd", "blocked", "vantage"):
        if index == "blocked" and kind != "euclidean":
            continue
        model = acumen.KNN(k, distance=kind, scale=False, index=index).fit(X, labels)
        lists = model.model_.search.lists(model.model_.fitted.raw(acumen.read(Q)), k)
        found[index] = (lists.ends.tolist(), lists.rows.tolist(), lists.distances.tolist())
        assert model.model_.search.way == index
    assert all(each == found["brute"] for each in found.values())
