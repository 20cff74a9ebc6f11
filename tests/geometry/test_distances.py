"""Distances: worked examples, R's figures, axioms where declared, gaps, and model-file states."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.distances import (
    Absence,
    Chebyshev,
    Cosine,
    Euclidean,
    Function,
    Gower,
    Jaccard,
    Mahalanobis,
    Manhattan,
    Minkowski,
    Mixture,
    Odds,
    Ordinal,
    Presence,
    SimpleMatching,
    Symmetric,
    ValueDifference,
    Words,
    resolve,
)
from acumen.errors import DataError, ModelFileError, ParameterError
from acumen.geometry.distance_state import from_arrays, from_state, to_arrays
from oracles import daisy


def mixed_table(seed: int, n: int = 12, *, gaps: bool = False, labels: bool = True) -> Table:
    """Numbers, an ordinal and two nominal attributes."""
    rng = np.random.default_rng(seed)
    inputs = (
        Attribute("x"), Attribute("z"), Attribute("size", "ordinal", ("s", "m", "l"), True),
        Attribute("colour", "nominal", ("red", "green", "blue")), Attribute("there", "nominal", ("no", "yes")),
    )  # fmt: skip
    numbers = [rng.integers(0, 9, n) / 10.0, rng.normal(size=n)]
    codes = [rng.integers(0, 3, n).astype(np.int32), rng.integers(0, 3, n).astype(np.int32),
             rng.integers(0, 2, n).astype(np.int32)]  # fmt: skip
    if gaps:
        for column in numbers:
            column[rng.random(n) < 0.25] = np.nan
        for code in codes:
            code[rng.random(n) < 0.25] = -1
    target = Attribute("y", "nominal", ("u", "v"))
    return Table(
        Schema(inputs, target),
        n,
        numeric=numbers,
        nominal=codes,
        labels=rng.integers(0, 2, n).astype(np.int32),
    )


def rows(*values: Any) -> Table:
    return acumen.read([list(row) for row in values])


# -- worked examples ------------------------------------------------------------------------------


def test_w001_26_distances_and_cosine() -> None:
    pair = rows((1.0, 2.0), (4.0, 6.0))
    assert Manhattan().between(pair)[0, 1] == 7
    assert Euclidean().between(pair)[0, 1] == 5
    assert Minkowski(3).between(pair)[0, 1] == pytest.approx(4.4979414453, abs=1e-10)
    assert Chebyshev().between(pair)[0, 1] == 4
    assert 1 - Cosine().between(pair)[0, 1] == pytest.approx(0.9922778767, abs=1e-10)
    squared = Mahalanobis([[4, 0], [0, 9]]).between(pair)[0, 1] ** 2
    assert squared == pytest.approx(4.0277777778, abs=1e-10)


def test_w001_27_binary_measures() -> None:
    pair = rows((1, 1, 0, 0, 1), (1, 0, 1, 0, 1))
    made = [d.between(pair)[0, 1] for d in (Symmetric(), Odds(), Presence(), Absence(), Jaccard())]
    assert made == pytest.approx([0.4, 2 / 3, 0.6, 0.8, 0.5])


def test_w003_05_cosine() -> None:
    assert 1 - Cosine().between(rows((1.0, 2.0), (2.0, 4.0)))[0, 1] == pytest.approx(1, abs=1e-15)
    assert 1 - Cosine().between(rows((1.0, 2.0), (2.0, -1.0)))[0, 1] == pytest.approx(0, abs=1e-15)


def test_w001_25_ranges_are_min_max() -> None:
    apart = Gower().between(rows((1.0,), (2.0,), (3.0,), (10.0,)))
    assert apart[0] == pytest.approx([0, 1 / 9, 2 / 9, 1])


@pytest.mark.shared_data
def test_gower_is_rs_daisy_of_flower(shared_data: Path) -> None:
    """R cluster 2.1.8.2, daisy(flower); V5 and V6 by rank."""
    path = shared_data / "clusters" / "flower.csv"
    cells = [list(map(float, line.split(","))) for line in path.read_text().splitlines()[1:]]
    columns = np.array(cells).T
    inputs, numbers, codes = [], [], []
    for j in range(8):
        name = f"V{j + 1}"
        if j >= 6:
            inputs.append(Attribute(name))
            numbers.append(columns[j])
            continue
        levels, found = np.unique(columns[j], return_inverse=True)
        inputs.append(
            Attribute(name, "ordinal" if j in (4, 5) else "nominal", tuple(map(str, levels)), j in (4, 5))
        )
        codes.append(found.ravel().astype(np.int32))
    flower = Table(Schema(tuple(inputs)), len(cells), numeric=numbers, nominal=codes)
    apart = Gower().between(flower)
    assert [apart[1, 0], apart[2, 0], apart[2, 1]] == pytest.approx(
        [0.8875408, 0.5272467, 0.5147059], abs=5e-8
    )
    assert Gower(asymmetric=["V3"]).between(flower)[2, 1] == pytest.approx(0.5882353, abs=5e-8)


@pytest.mark.parametrize(
    ("table", "distance", "expected"),
    [
        (daisy.mixed_table(), Gower(asymmetric=["asym"]), daisy.MIXED),
        (daisy.mixed_table(), Gower(), daisy.SYMMETRIC),
        (daisy.mixed_table().select(["num1", "num2"]), Gower(), daisy.NUMBERS),
        (daisy.mixed_table().select(["size"]), Gower(), daisy.ORDINAL),
        (daisy.gap_table(), Gower(), daisy.GAP),
        (
            daisy.mixed_table().head(6),
            Gower(weights=[1, 2, 3, 1, 0.5, 2], asymmetric=["asym"]),
            daisy.WEIGHTED,
        ),
    ],
    ids=["asymmetric", "symmetric", "numbers", "ordinal", "unused-level", "weights"],
)
def test_gower_is_rs_daisy_of_mixed_rows_with_missing_values(table, distance, expected) -> None:
    distances = distance.between(table)
    triangle = np.concatenate([distances[j + 1 :, j] for j in range(len(table))])
    comparable = np.where(np.isinf(triangle), np.nan, triangle)
    assert comparable == pytest.approx(np.array(expected), abs=1e-15, nan_ok=True)


# -- twins ----------------------------------------------------------------------------------------


def test_mahalanobis_is_the_inverse_covariance() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 3)) + 1e6
    apart = Mahalanobis().between(acumen.read(X))
    inverse = np.linalg.inv(np.cov(X.T, bias=True))
    away = X[:, None] - X[None]
    assert apart == pytest.approx(
        np.sqrt(np.einsum("ijk,kl,ijl->ij", away, inverse, away)), rel=1e-7, abs=1e-7
    )


def test_value_differences_are_those_of_class_shares() -> None:
    table = mixed_table(3, 60).select(["colour"])
    assert table.labels is not None
    codes = table.nominal.columns[0]
    shares = np.array([[np.mean(table.labels[codes == a] == c) for c in (0, 1)] for a in range(3)])
    apart = ValueDifference().between(table)
    naive = np.sqrt(((shares[codes][:, None] - shares[codes][None]) ** 2).sum(axis=2))
    assert apart == pytest.approx(naive, abs=1e-12)


def test_the_two_part_mixture_weighs_discrete_against_the_rest() -> None:
    table = mixed_table(5, 20)
    wide = np.ptp(table.numeric[:, 0]), np.ptp(table.numeric[:, 1])
    x, z = table.numeric.columns
    size, colour, there = table.nominal.columns
    numeric = (
        abs(x[:, None] - x) / wide[0] + abs(z[:, None] - z) / wide[1] + abs(size[:, None] - size) / 2
    ) / 3
    discrete = ((colour[:, None] != colour).astype(float) + (there[:, None] != there)) / 2
    assert Mixture(0.3).between(table) == pytest.approx(0.3 * discrete + 0.7 * numeric)
    with pytest.raises(ParameterError, match="add up to 1"):
        Mixture(0.3, 0.3)


def test_words_are_compared_by_cosine() -> None:
    texts = ["spam spam eggs", "spam eggs", "tea", "", None]
    table = Table(Schema((Attribute("t", "text"),)), 5, text=[np.array(texts, dtype=object)])
    apart = Words().between(table)
    a, b = np.array([math.log(3), math.log(2)]), np.array([math.log(2), math.log(2)])
    cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    assert apart[0, 1] == pytest.approx(1 - cosine)
    assert apart[0, 2] == 1 and apart[3, 3] == 0 and apart[0, 0] == 0 and apart[3, 0] == 1
    assert np.isinf(apart[4]).all()  # nothing is known of a missing text


def test_a_function_of_two_rows_is_a_distance() -> None:
    table = mixed_table(1)
    seen: list[Any] = []

    def differ(a: Any, b: Any) -> int:
        seen.append(a)
        return sum(x != y for x, y in zip(a, b, strict=True))

    apart = Function(differ).between(table)
    assert apart[0, 0] == 0 and apart.max() > 1 and len(seen[0]) == 5 and seen[0][2] in ("s", "m", "l")
    with pytest.raises(DataError, match="at least 0"):
        Function(lambda a, b: -1.0).between(table)


@pytest.mark.parametrize(
    "distance", [Euclidean(), Manhattan(), Chebyshev(), Minkowski(3), Gower()], ids=lambda d: d.name
)
def test_partial_distances_leave_gaps_out(distance: Any) -> None:
    full = rows((1.0, 5.0, 2.0), (4.0, 9.0, 2.0))
    gappy = rows((1.0, math.nan, 2.0), (4.0, 9.0, math.nan))
    alone = distance.between(rows((1.0,), (4.0,)))[0, 1]
    found = distance.fit(full).between(gappy)[0, 1]
    times = {"euclidean": math.sqrt(3), "manhattan": 3, "minkowski": 3 ** (1 / 3)}.get(distance.name, 1)
    assert found == pytest.approx(alone * times)
    assert distance.fit(full).between(rows((math.nan,) * 3), full)[0, 0] == math.inf


# -- axioms ---------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.booleans())
def test_declared_metrics_keep_the_axioms(seed: int, scale: bool) -> None:
    whole = mixed_table(seed)
    numeric, nominal = whole.select(["x", "z"]), whole.select(["colour", "there"])
    cases = [
        (d, whole)
        for d in (
            Euclidean(),
            Manhattan(),
            Minkowski(2.5),
            Chebyshev(),
            Gower(),
            Mixture(0.4),
            ValueDifference(),
        )
    ]
    cases += [
        (Mahalanobis(), numeric),
        (SimpleMatching(), nominal),
        (Symmetric(), nominal),
        (Jaccard(), nominal),
    ]
    cases += [(Ordinal(), whole.select(["size"]))]
    for distance, table in cases:
        assert distance.is_metric(table), distance.name
        apart = distance.between(table, scale=scale)
        assert (np.diagonal(apart) == 0).all() and (apart >= 0).all(), distance.name
        assert np.array_equal(apart, apart.T), distance.name
        assert (apart[:, None] <= apart[:, :, None] + apart[None] + 1e-12).all(), distance.name


def test_what_is_no_metric_is_not_declared_one() -> None:
    whole, gappy = mixed_table(0), mixed_table(0, gaps=True)
    nominal = whole.select(["colour", "there"])
    assert not Gower().is_metric(gappy) and not Euclidean().is_metric(gappy)
    assert not Minkowski(0.5).is_metric(whole) and not Cosine().is_metric(whole.select(["x"]))
    assert not any(d.is_metric(nominal) for d in (Odds(), Presence(), Absence()))
    # Two rows that have nothing in common but a third make the triangle fail.
    table = rows((0.0, math.nan), (0.0, 0.0), (math.nan, 0.0), (1.0, 1.0))
    apart = Gower().between(table)
    assert apart[0, 2] > apart[0, 1] + apart[1, 2]
    with pytest.raises(DataError, match="metric"):
        acumen.KNN(1, distance="gower", index="vantage").fit(gappy)


# -- units and rounding ---------------------------------------------------------------------------


@pytest.mark.parametrize("distance", ["euclidean", "manhattan", "gower"])
@pytest.mark.parametrize("scale", [False, True])
def test_differences_of_written_decimals_are_exact(distance: str, scale: bool) -> None:
    # In binary 0.3 - 0.2 < 0.2 - 0.1: z-scores, or plain subtraction, would take one row for nearer.
    table = rows((0.1, 5.0), (0.3, 5.0), (0.9, 6.0))
    apart = resolve(distance, table.schema).fit(table, scale=scale).between(rows((0.2, 5.0)), table)
    assert apart[0, 0] == apart[0, 1]


# -- objections and states ------------------------------------------------------------------------


def test_distances_object_in_sentences() -> None:
    table = mixed_table(0)
    for distance, words in (
        (SimpleMatching(), "rounding"), (Ordinal(), "ordinal"), (Mahalanobis(), "nominal"), (Cosine(), "nominal"),
        (Words(), "words"), (Symmetric(), "0 or 1"), (Gower(weights={"nix": 1}), "no attribute"),
        (Gower(asymmetric=["colour"]), "two levels"), (Gower(weights=[1, 2]), "5 numbers"),
    ):  # fmt: skip
        with pytest.raises(DataError, match=words):
            distance.between(table)
    with pytest.raises(DataError, match="classes"):
        ValueDifference().between(rows((1.0,), (2.0,)))
    for make in (lambda: Minkowski(0), lambda: Gower(weights={"x": -1}), lambda: Mahalanobis([[1, 2]])):
        with pytest.raises(ParameterError):
            make()
    with pytest.raises(ParameterError, match="Did you mean 'euclidean'"):
        resolve("euclidian", table.schema)


@pytest.mark.parametrize(
    "distance",
    [
        Euclidean(),
        Minkowski(1.5),
        Gower(weights={"x": 2.0}, asymmetric=["there"]),
        Mixture(0.25),
        ValueDifference(),
    ],
    ids=lambda d: d.name,
)
def test_fitted_distances_survive_their_arrays(distance: Any) -> None:
    table = mixed_table(2, gaps=True)
    made = distance.fit(table, scale=True)
    again = from_arrays(to_arrays(made), made.schema)
    assert np.array_equal(made.between(table), again.between(table))
    assert again.distance == distance


def test_forged_states_are_refused() -> None:
    with pytest.raises(ModelFileError):
        from_state({"distance": "function"})
    with pytest.raises(ModelFileError):
        from_state({"distance": "minkowski", "p": -1})
    made = Euclidean().fit(mixed_table(0))
    arrays = to_arrays(made)
    for name in ("factor", "weight", "differ", "places"):
        with pytest.raises(ModelFileError):
            from_arrays(arrays | {name: arrays[name][:-1]}, made.schema)
