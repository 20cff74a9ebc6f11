"""Rows in parts: whatever the cut or the engine, every Bayes learner ends in the same bytes."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.base.training import Training
from acumen.data.table import Table
from acumen.engines import run
from acumen.errors import DataError
from tables import table_of

LEARNERS = (
    acumen.NaiveBayes(),
    acumen.NaiveBayes(numeric="histogram"),
    acumen.NaiveBayes(numeric="kernel"),
    acumen.NaiveBayes(numeric="discretise"),
    acumen.FullBayes(),
    acumen.FullBayes(covariance="shared"),
    acumen.HistogramBayes(bins=4),
    acumen.Parzen(),
    acumen.TextBayes(),
    acumen.TextBayes(event="bernoulli"),
)


def rows_for(learner: Any, n: int = 70_000) -> Table:
    """More rows than a canonical block holds, few of them for windows; weights, gaps, kinds as it takes them."""
    rng = np.random.default_rng(0)
    if isinstance(learner, acumen.Parzen):
        n = 66_000
    if isinstance(learner, acumen.TextBayes):
        n = 3_000
        words = np.array(["to", "be", "or", "not", "that"])
        notes = [" ".join(line) for line in rng.choice(words, size=(n, 4))]
        table = table_of(
            {"note": notes}, rng.choice(["a", "b"], n).tolist(), text=["note"], classes=("a", "b")
        )
    else:
        x = rng.normal(size=(n, 2)).round(1)
        x[rng.random(n) < 0.05, 0] = np.nan
        columns = {"x": x[:, 0].tolist(), "z": x[:, 1].tolist(), "c": rng.choice(["p", "q", "r"], n).tolist()}
        levels = {"c": ["p", "q", "r"]}
        table = table_of(columns, rng.choice(["a", "b"], n).tolist(), levels=levels, classes=("a", "b"))
    table.weights = rng.random(n).round(2) + 0.5
    return table


def cut(table: Table, *borders: int) -> list[Table]:
    edges = [0, *borders, len(table)]
    return [table.take(slice(a, b)) for a, b in pairwise(edges)]


def bytes_of(model: Any) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in model.to_arrays().items()}


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_streams_and_every_engine_end_in_the_same_bytes(learner: Any) -> None:
    table = rows_for(learner)
    whole = learner.fit(table)
    expected = bytes_of(whole.model_)
    parts = cut(table, 1, 1_000, len(table) // 2)
    for engine in ("serial", "threads", "disk"):
        summary = run(partial(learner.summarise, plan=whole.plan_), parts, engine=engine, n_jobs=2)
        assert (
            bytes_of(
                Training(
                    learner, table.schema, (), plan=whole.plan_, summary=summary, weighing=whole.weighing_
                ).model
            )
            == expected
        )
    assert bytes_of(learner.fit_stream(parts).model_) == expected


@pytest.mark.filterwarnings("ignore::acumen.errors.AcumenWarning")  # of a class of one row so far
@pytest.mark.parametrize("learner", [acumen.NaiveBayes(), acumen.FullBayes(), acumen.Parzen()], ids=repr)
def test_later_rows_may_bring_levels(learner: Any) -> None:
    first = table_of({"x": [0.0, 1.0, 2.5], "c": ["p", "q", "p"]}, ["a", "b", "a"])
    later = table_of({"x": [3.0, 4.0, 1.0], "c": ["r", "p", "s"]}, ["b", "a", "b"], classes=("a", "b"))
    both = table_of(
        {"x": [0.0, 1.0, 2.5, 3.0, 4.0, 1.0], "c": ["p", "q", "p", "r", "p", "s"]},
        ["a", "b", "a", "b", "a", "b"],
    )
    going = learner.partial_fit(first).partial_fit(later)
    assert going.schema_["c"].levels == ("p", "q", "r", "s")
    found = going.predict_proba(both)
    fresh = type(learner)(**learner.get_params()).fit(both)
    np.testing.assert_allclose(found, fresh.predict_proba(both), rtol=1e-12)
    assert going.training_["rows"] == 6


@pytest.mark.parametrize("learner", [acumen.HistogramBayes(), acumen.TextBayes()], ids=repr)
def test_a_plan_needs_parts_that_can_be_read_twice(learner: Any) -> None:
    table = rows_for(learner).take(slice(0, 50))
    with pytest.raises(DataError, match="only once"):
        learner.fit_stream(iter([table]))
