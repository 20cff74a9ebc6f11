"""What fits need in memory is known before, about, and said in a sentence instead of being taken."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import acumen
from acumen.base.memory_budget import Widths
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.engines import memory
from acumen.engines.memory import free_memory, limit, limited_memory, size_of
from acumen.errors import AcumenError, DataError, MemoryShortage, ParameterError


def table_of_size(rows: int, columns: int, levels: int = 0, classes: int = 2) -> Table:
    rng = np.random.default_rng(0)
    attributes = [Attribute(f"x{j}", "numeric") for j in range(columns)]
    nominal = []
    if levels:
        attributes.append(Attribute("u", "nominal", tuple(f"u{v}" for v in range(levels))))
        nominal = [rng.integers(0, levels, rows).astype(np.int32)]
    target = Attribute("class", "nominal", tuple(f"c{v}" for v in range(classes)))
    return Table(
        Schema(tuple(attributes), target), rows, numeric=list(rng.normal(size=(columns, rows))), nominal=nominal,
        labels=rng.integers(0, classes, rows).astype(np.int32),
    )  # fmt: skip


def taken(learner: object, table: Table) -> int:
    """The most that a fit took at a time, as numpy was asked for it."""
    type(learner)().fit(table.take(np.arange(60)))  # what is loaded is not taken
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        learner.fit(table)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


WIDE = table_of_size(700, 4, levels=500)
LONG = table_of_size(3000, 20)


@pytest.mark.parametrize(
    ("learner", "table"),
    [
        (acumen.Fisher(), WIDE),
        (acumen.LeastSquares(), WIDE),
        (acumen.LeastSquares(), LONG),
        (acumen.Logistic(), WIDE),
        pytest.param(acumen.MaxEnt(), WIDE, marks=pytest.mark.slow, id="MaxEnt-700 rows"),
        (acumen.NearestMean(), WIDE),
        (acumen.Perceptron(max_iter=2), WIDE),
        (acumen.Parzen(), LONG),
        (acumen.OneR(), LONG),
        (acumen.KernelFisher(), table_of_size(1200, 5)),
        (acumen.SVM(), table_of_size(2000, 5)),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, Table) else f"{len(value)} rows",
)
@pytest.mark.filterwarnings("ignore")
def test_what_a_fit_takes_is_known_within_a_factor_of_three(learner, table):
    real, said = taken(learner, table), learner.memory_for(table)
    assert real / 3 <= said <= 3 * real, (real, said)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "learner", [acumen.NaiveBayes(), acumen.Majority(), acumen.HistogramBayes()], ids=repr
)
def test_who_says_nothing_takes_little(learner):
    assert not learner.memory_for(LONG) and taken(learner, LONG) < 2 * 8 * 3000 * 20


def test_a_learner_objects_before_it_takes_more_than_there_is():
    table = table_of_size(3000, 3, levels=2500)
    with limited_memory("20MB"):
        tracemalloc.start()
        try:
            with pytest.raises(
                DataError, match=r"Logistic: a fit on 3,000 rows of 4 columns \(2,503 columns once"
            ):
                acumen.Logistic().fit(table)
            assert tracemalloc.get_traced_memory()[1] < 10e6
        finally:
            tracemalloc.stop()
        acumen.NaiveBayes().fit(table)


def test_a_shortage_is_a_line_of_the_comparison_and_names_what_may_be_used():
    table = table_of_size(300, 3, levels=250)
    with limited_memory("1MB"):
        found = acumen.compare([acumen.Fisher(), acumen.NaiveBayes()], table, acumen.KFold(2), random_state=0)
    assert "would take about" in found.unjudged["Fisher"] and "1 MB may be used" in found.unjudged["Fisher"]
    assert "NaiveBayes" in found.names


def test_folds_are_fitted_one_by_one_where_their_summaries_would_not_fit_together():
    table = table_of_size(200, 3, levels=80)
    whole = acumen.compare([acumen.Fisher()], table, acumen.KFold(5), random_state=0, keep_ids=True)
    one = acumen.Fisher().memory_for(table)
    assert one is not None and acumen.Fisher().shortage(table, 5) is None
    with limited_memory(str(one + 100_000)):
        assert acumen.Fisher().shortage(table) is None and acumen.Fisher().shortage(table, 5) is not None
        apart = acumen.compare([acumen.Fisher()], table, acumen.KFold(5), random_state=0, keep_ids=True)
    same = [found.assessments["Fisher"].values for found in (whole, apart)]
    np.testing.assert_array_equal(*same)


def test_sparse_rows_that_stay_sparse_are_counted_by_what_is_in_them():
    from scipy.sparse import random

    X = random(2000, 4_000, density=0.001, random_state=0, format="csr")
    y = np.arange(2000) % 2
    table = acumen.read((X, y))
    for learner in (acumen.Logistic(), acumen.TextBayes(), acumen.SVM(kernel="linear")):
        assert learner.memory_for(table) < 4e6
    assert acumen.SVM().memory_for(table) > 64e6


def test_the_limit_is_told_by_the_environment_or_within_a_block(monkeypatch):
    monkeypatch.delenv("ACUMEN_MEMORY", raising=False)
    monkeypatch.setattr(memory, "free_memory", lambda: 1000)
    assert limit() == 900
    monkeypatch.undo()
    assert free_memory() > 0
    monkeypatch.setenv("ACUMEN_MEMORY", "3GB")
    assert limit() == 3 * 10**9
    with limited_memory(5):
        assert limit() == 5
    monkeypatch.setenv("ACUMEN_MEMORY", "much")
    with pytest.raises(ParameterError, match="ACUMEN_MEMORY must be a size"):
        limit()
    monkeypatch.setattr(memory, "_system", lambda: 1000)
    monkeypatch.setattr(memory, "_group", lambda: 300)
    monkeypatch.setattr(memory, "_address_space", lambda: None)
    assert free_memory() == 300


def test_sizes_are_written_as_people_write_them():
    assert [size_of(text, "x") for text in ("4GB", "512 MB", "1k", "1.5GiB", "7")] == [
        4 * 10**9, 512 * 10**6, 1024, 3 << 29, 7,
    ]  # fmt: skip


def test_levels_are_columns_and_ordered_ones_are_one():
    schema = Schema(
        (
            Attribute("a", "numeric"),
            Attribute("b", "nominal", ("x", "y", "z")),
            Attribute("c", "ordinal", ("s", "l")),
        )
    )
    widths = Widths.of(schema)
    assert (widths.numeric, widths.coded, widths.plain) == (1, 5, False)


@pytest.mark.parametrize("fit", ["fit", "fit_stream", "partial_fit"])
def test_a_fit_that_runs_out_of_memory_ends_in_a_sentence(fit, monkeypatch):
    def none_left(*_, **__):
        raise MemoryError

    monkeypatch.setattr(acumen.NaiveBayes, "summarise", staticmethod(none_left))
    with pytest.raises(MemoryShortage, match="NaiveBayes: there is not enough memory for a fit") as e:
        getattr(acumen.NaiveBayes(), fit)(LONG)
    assert (
        isinstance(e.value, MemoryError)
        and isinstance(e.value, AcumenError)
        and e.value.__context__.__traceback__ is None
    )


def test_sets_of_levels_are_counted_while_a_forest_grows_and_end_in_a_sentence():
    """Each of 3,000 rows has a level of its own, so a tree of numbers has a set of levels for nearly every row."""
    table = table_of_size(3000, 0, levels=3000)
    schema = Schema(table.schema.attributes, Attribute("y"))
    rng = np.random.default_rng(0)
    codes = rng.permutation(3000).astype(np.int32)
    table = Table(schema, 3000, nominal=[codes], response=rng.normal(size=3000))
    learner = acumen.BaggingRegressor(n_estimators=1, random_state=0)
    with (
        limited_memory("2MB"),
        pytest.raises(MemoryShortage, match="enough memory for a fit on 3,000 rows of 1 col"),
    ):
        learner.fit(table)
    with limited_memory("20MB"):
        learner.fit(table)
