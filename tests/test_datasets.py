"""The built-in tables are the tables the worked examples are computed from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import acumen
from acumen.data.table import Table
from acumen.datasets import describe, load, names
from acumen.errors import DataError

#: name -> rows, inputs, numeric inputs, target, classes
SHAPES: dict[str, tuple[int, int, int, str, tuple[str, ...]]] = {
    "iris": (150, 4, 4, "class", ("Iris-setosa", "Iris-versicolor", "Iris-virginica")),
    "loan": (15, 4, 0, "Class", ("No", "Yes")),
    "loan-b": (15, 4, 0, "Class", ("No", "Yes")),
    "weather": (14, 4, 2, "play", ("yes", "no")),
    "weather-nominal": (14, 4, 0, "play", ("yes", "no")),
    "lens": (24, 4, 0, "contact-lenses", ("soft", "hard", "none")),
    "version-space": (4, 3, 0, "class", ("-", "+")),
    "bayes-abc": (10, 2, 0, "C", ("t", "f")),
    "svm-separable": (14, 2, 2, "y", ("-1", "+1")),
    "svm-soft": (18, 2, 2, "y", ("-1", "+1")),
    "svm-quadratic": (6, 2, 2, "y", ("-1", "+1")),
    "boolean-and": (4, 2, 2, "y", ("0", "1")),
}


def rows(table: Table) -> list[tuple[object, ...]]:
    return list(zip(*(table.column(name).tolist() for name in table.schema.columns), strict=True))


def test_every_table_is_named_and_tested() -> None:
    assert names() == tuple(SHAPES)


@pytest.mark.parametrize("name", SHAPES)
def test_a_table_comes_with_its_target_and_source(name: str) -> None:
    table = load(name)
    n_rows, inputs, numeric, target, classes = SHAPES[name]
    assert (len(table), len(table.schema), len(table.schema.numeric)) == (n_rows, inputs, numeric)
    assert table.schema.target is not None
    assert (table.schema.target.name, table.schema.classes) == (target, classes)
    assert table.labels is not None
    assert np.all(table.labels >= 0)
    assert all(np.all(codes >= 0) for _, codes in table.nominal_columns())
    assert all(np.all(np.isfinite(values)) for _, values in table.numeric_columns())
    assert not table.report.warnings
    assert table.report.source == name
    assert describe(name) in table.report


def test_tables_are_reached_from_the_package() -> None:
    assert acumen.datasets.load is load
    assert len(acumen.datasets.load("weather")) == 14


def test_W000_01_iris_is_the_uci_version() -> None:  # noqa: N802
    iris = load("iris")
    assert iris.schema.names == ("sepal_length", "sepal_width", "petal_length", "petal_width")
    assert iris.numeric[34].tolist() == iris.numeric[37].tolist() == [4.9, 3.1, 1.5, 0.1]
    assert iris.column("sepal_width")[:50].mean() == pytest.approx(3.418, abs=1e-12)


def test_iris_differs_from_scikit_learn_in_two_rows_only() -> None:
    from sklearn.datasets import load_iris

    other = load_iris()
    differing = np.flatnonzero(np.any(load("iris").numeric.matrix() != other.data, axis=1))
    assert differing.tolist() == [34, 37]
    assert np.array_equal(load("iris").labels, other.target)


def test_loan_attributes_have_their_levels_in_natural_order() -> None:
    assert [a.levels for a in load("loan").schema.attributes] == [
        ("young", "middle", "old"), ("false", "true"), ("false", "true"), ("fair", "good", "excellent"),
    ]  # fmt: skip
    assert load("loan").schema == load("loan-b").schema


def test_W002_04_the_two_loan_tables_differ_in_two_ratings() -> None:  # noqa: N802
    a, b = rows(load("loan")), rows(load("loan-b"))
    differing = [(i + 1, x[3], y[3]) for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    assert differing == [(2, "good", "excellent"), (4, "fair", "good")]


@pytest.mark.parametrize(
    ("attribute", "gain"),
    [
        ("Age", 0.0830074999),
        ("Own_house", 0.4199730940),
        ("Has_Job", 0.3236501982),
        ("Credit_Rating", 0.3629895625),
    ],
)
def test_W002_03_loan_gives_the_gains_of_table_a(attribute: str, gain: float) -> None:  # noqa: N802
    loan = load("loan")
    assert loan.labels is not None

    def entropy(labels: np.ndarray) -> float:
        share = np.bincount(labels) / len(labels)
        share = share[share > 0]
        return float(-np.sum(share * np.log2(share)))

    column = loan.column(attribute)
    left = sum(np.mean(column == v) * entropy(loan.labels[column == v]) for v in set(column))
    assert entropy(loan.labels) - left == pytest.approx(gain, abs=1e-10)


def test_W001_02_the_version_space_toy() -> None:  # noqa: N802
    assert rows(load("version-space")) == [
        ("Y", "Y", "N", "+"), ("N", "N", "N", "+"), ("Y", "Y", "Y", "+"), ("Y", "N", "Y", "-"),
    ]  # fmt: skip


def test_W002_14_the_ten_rows_give_two_and_one_in_25() -> None:  # noqa: N802
    table = rows(load("bayes-abc"))
    joint = []
    for label in "tf":
        mine = [row for row in table if row[2] == label]
        p_m, p_q = sum(r[0] == "m" for r in mine) / len(mine), sum(r[1] == "q" for r in mine) / len(mine)
        joint.append(len(mine) / len(table) * p_m * p_q)
    assert joint == pytest.approx([2 / 25, 1 / 25])


def test_W000_25_26_the_printed_line_keeps_margin_one_and_the_printed_slack() -> None:  # noqa: N802
    for name, slack in (("svm-separable", 0.0), ("svm-soft", 17 / 3)):
        table = load(name)
        sign = np.array([float(str(v)) for v in table.label_values()])
        margin = sign * (table.numeric.matrix() @ [5 / 6, 1 / 3] - 10 / 3)
        assert np.maximum(0, 1 - margin).sum() == pytest.approx(slack, abs=1e-12)
    assert rows(load("svm-soft"))[:14] == rows(load("svm-separable"))


def test_W000_29_all_six_points_lie_on_the_margin() -> None:  # noqa: N802
    table = load("svm-quadratic")
    x, y = table.numeric.matrix(), np.array([float(str(v)) for v in table.label_values()])
    alpha = np.array([1451 / 2340, 323 / 156, 742 / 195, 149 / 468, 77 / 26, 601 / 156])
    assert (alpha * y) @ (1 + x @ x.T) ** 2 + 115 / 13 == pytest.approx(y, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("iris", "iris.arff"),
        ("weather", "weather.numeric.arff"),
        ("weather-nominal", "weather.nominal.arff"),
        ("lens", "contact-lenses.arff"),
    ],
)
def test_tables_equal_the_files_they_come_from(name: str, file: str, shared_data: Path) -> None:
    assert rows(load(name)) == rows(acumen.read(shared_data / file))


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(DataError, match=r"no built-in table 'irs'.*Did you mean 'iris'"):
        load("irs")
    with pytest.raises(DataError, match="no built-in table"):
        describe("tables/iris")


def test_listing_the_tables_needs_no_numpy() -> None:
    code = "import sys, acumen.datasets as d; d.names(); d.describe('iris'); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
