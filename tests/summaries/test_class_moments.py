"""Moments: certified numbers, hard values, degenerate data, analysis of variance."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import scipy
from scipy import stats

import acumen
from acumen.data.block import Block
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError, SchemaMismatch
from acumen.summaries import ClassMoments, LevelCounts, add_up, leave_each_out

NIST = Path(scipy.__file__).parent / "stats" / "tests" / "data" / "nist_anova"
needs_nist = pytest.mark.skipif(not NIST.is_dir(), reason="this SciPy came without its test data")


def certified(name: str) -> tuple[float, np.ndarray, np.ndarray]:
    """F, groups and values of one of NIST's StRD ANOVA sets."""
    lines = (NIST / f"{name}.dat").read_text().splitlines()
    f = next(float(line.split()[-1]) for line in lines if line.startswith("Between"))
    rows = [line.split() for line in lines[60:] if re.fullmatch(r"\s*\d+\s+[\d.]+\s*", line)]
    return f, np.array([int(g) - 1 for g, _ in rows], dtype=np.int32), np.array([float(y) for _, y in rows])


def digits(found: float, f: float) -> float:
    return 16.0 if found == f else -np.log10(abs(found - f) / f)


@needs_nist
@pytest.mark.parametrize(
    ("name", "least"),
    [(f"SmLs0{i}", 12.0) for i in (1, 2, 3)]
    + [(f"SmLs0{i}", 8.0) for i in (4, 5, 6)]
    + [(f"SmLs0{i}", 2.5) for i in (7, 8, 9)]
    + [("SiRstv", 10.0), ("AtmWtAg", 8.0)],
)
def test_f_of_eight_shuffled_parts_has_the_certified_digits(name: str, least: float) -> None:
    f, groups, values = certified(name)
    order = np.random.default_rng(0).permutation(len(values))
    classes = int(groups.max()) + 1
    parts = [ClassMoments.of(values[p], groups[p], None, classes) for p in np.array_split(order, 8)]
    assert digits(add_up(parts).f_statistic()[0], f) >= least
    left = leave_each_out([*parts, parts[0]])[-1]
    assert digits(left.f_statistic()[0], f) >= least


@needs_nist
def test_anova_of_a_table_gives_the_certified_f() -> None:
    f, groups, values = certified("SmLs05")
    target = Attribute("y", "nominal", tuple(str(g) for g in range(9)))
    table = Table(Schema((Attribute("x"),), target), len(values), numeric=[values], labels=groups)
    found = acumen.anova(table, "x")
    assert digits(found.f, f) >= 8
    assert (found.df_between, found.df_within) == (8, 1800)
    assert found.p == pytest.approx(stats.f.sf(found.f, 8, 1800))
    assert str(found).startswith("x: F(8, 1800) = 201")


def test_anova_equals_scipy_and_leaves_missing_rows_out() -> None:
    rng = np.random.default_rng(2)
    values = np.concatenate([rng.normal(size=20), rng.normal(0.5, size=30), [np.nan, 100.0]])
    labels = np.array([0] * 20 + [1] * 30 + [0, -1], dtype=np.int32)
    schema = Schema((Attribute("x"),), Attribute("y", "nominal", ("a", "b", "never")))
    found = acumen.anova(Table(schema, 52, numeric=[values], labels=labels), "x")
    oracle = stats.f_oneway(values[:20], values[20:50])
    assert found.f == pytest.approx(oracle.statistic, rel=1e-12)
    assert found.p == pytest.approx(oracle.pvalue, rel=1e-10)


def test_anova_says_what_it_needs() -> None:
    nominal = Attribute("n", "nominal", ("a",))
    schema = Schema((Attribute("x"), nominal), Attribute("y", "nominal", ("a", "b")))
    zeros = np.zeros(2, dtype=np.int32)
    table = Table(schema, 2, numeric=[np.ones(2)], nominal=[zeros], labels=zeros)
    assert np.isnan(acumen.anova(table, "x").p)
    with pytest.raises(DataError, match="'n' must be a numeric input"):
        acumen.anova(table, "n")
    with pytest.raises(DataError, match="nominal target"):
        acumen.anova(Table(Schema((Attribute("x"),)), 2, numeric=[np.ones(2)]), "x")


def test_f_is_infinite_without_spread_and_nan_without_difference() -> None:
    labels = np.array([0, 0, 1, 1], dtype=np.int32)
    apart = ClassMoments.of(np.array([1.0, 1, 2, 2]), labels, None, 2)
    alike = ClassMoments.of(np.ones(4), labels, None, 2)
    alone = ClassMoments.of(np.array([1.0, 2, 3, 4]), np.zeros(4, dtype=np.int32), None, 2)
    assert apart.f_statistic()[0] == np.inf
    assert np.isnan(alike.f_statistic()[0])
    assert np.isnan(alone.f_statistic()[0])


def test_infinite_values_are_missing_in_their_own_attribute_only() -> None:
    values = np.array([[1.0, np.inf], [3.0, 5.0], [np.nan, 7.0], [-np.inf, -np.inf]])
    made = ClassMoments.of(values, np.zeros(4, dtype=np.int32), None, 1)
    np.testing.assert_array_equal(made.weight, [[2, 2]])
    np.testing.assert_array_equal(made.mean, [[2, 6]])
    np.testing.assert_array_equal(made.scatter, [[2, 2]])


def test_the_largest_values_leave_a_finite_mean() -> None:
    top = np.finfo(float).max
    labels = np.zeros(4, dtype=np.int32)
    parts = [ClassMoments.of(np.array(v), labels[:2], None, 1) for v in ([top, top], [-top, -top])]
    made = parts[0] + parts[1]
    assert made.mean[0, 0] == 0
    assert made.scatter[0, 0] == np.inf
    whole = ClassMoments.of(np.array([top, top, -top, top]), labels, None, 1)
    assert whole.mean[0, 0] == pytest.approx(top / 2)
    assert not np.isnan(whole.scatter).any()


def test_parts_near_a_million_add_to_a_hundred_thousandth_of_a_billionth() -> None:
    rng = np.random.default_rng(4)
    values = 1e6 + rng.normal(size=2000)
    labels = np.zeros(2000, dtype=np.int32)
    whole = ClassMoments.of(values, labels, None, 1).scatter[0, 0]
    for n in (2, 7, 100):
        parts = [ClassMoments.of(v, labels[: len(v)], None, 1) for v in np.array_split(values, n)]
        assert add_up(parts).scatter[0, 0] == pytest.approx(whole, rel=1e-14)


def test_every_way_to_hand_values_over_is_the_same() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(50, 3))
    labels = rng.integers(0, 2, 50)
    expected = ClassMoments.of(values, labels.astype(np.int32), None, 2)
    assert ClassMoments.of(Block.of_matrix(values), labels, np.empty(0), 2) == expected
    assert ClassMoments.of(list(values.T), labels, np.ones(50), 2) == expected
    assert ClassMoments.of(values.astype(">f8"), labels.astype(np.uint8), None, 2) == expected
    packed = np.zeros(50, dtype=[("pad", "i1"), ("x", "f8")])
    packed["x"] = values[:, 0]
    assert ClassMoments.of(packed["x"], labels, None, 2) == ClassMoments.of(values[:, 0], labels, None, 2)


def test_labels_must_be_codes() -> None:
    with pytest.raises(DataError, match="whole numbers"):
        ClassMoments.of(np.ones(2), np.array([0.0, 1.0]), None, 2)
    far = np.array([0, 2**40, -(2**40)])
    assert ClassMoments.of(np.ones(3), far, None, 1).weight[0, 0] == 1


def test_moments_of_other_widths_do_not_add() -> None:
    labels = np.zeros(2, dtype=np.int32)
    with pytest.raises(SchemaMismatch, match="one has 1 numeric attributes, the other 2"):
        ClassMoments.of(np.ones((2, 1)), labels, None, 1) + ClassMoments.of(np.ones((2, 2)), labels, None, 1)


def test_total_and_pooled_variance_are_those_of_the_rows() -> None:
    rng = np.random.default_rng(6)
    values, labels = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    made = ClassMoments.of(values, labels, None, 4)
    np.testing.assert_allclose(made.total().scatter[0], values.var(axis=0) * 60, rtol=1e-13)
    np.testing.assert_allclose(made.between() + made.scatter.sum(axis=0), made.total().scatter[0], rtol=1e-13)
    np.testing.assert_allclose(made.pooled_variance() * 60, made.scatter.sum(axis=0), rtol=1e-13)
    assert ClassMoments.of(np.empty((0, 2)), labels[:0], None, 4).pooled_variance().tolist() == [0, 0]


def test_widened_counts_add_to_later_ones_with_more_levels() -> None:
    early = LevelCounts.of(np.array([0, 1, -1, -2]), np.array([0, 0, 1, -1]), None, 2, 2)
    late = LevelCounts.of(np.array([3, 2]), np.array([2, 0]), None, 3, 4)
    both = LevelCounts.of(np.array([0, 1, -1, -2, 3, 2]), np.array([0, 0, 1, -1, 2, 0]), None, 3, 4)
    assert early.widen(4, classes=3) + late == both
    assert early.widen(2) == early
    assert early.known_counts.tolist() == [[1, 1], [0, 0]]
    with pytest.raises(SchemaMismatch, match="widen it first"):
        early + LevelCounts.of(np.array([0]), np.array([0]), None, 2, 3)
    with pytest.raises(ParameterError, match="cannot take away"):
        both.widen(2)
