"""The promise: on tables of an extreme size each learner answers within a minute, or says in a sentence why not.

All kinds on all tables are a run by hand (`python -m fuzz.limits`). Here are those that once broke the promise and the
cheapest of those that hold it by another way: a fit that is quick, an objection by columns, one by memory.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from acumen.models.task import CLASSES
from fuzz import limits

#: Kinds of learner by table, each with what must become of it.
CHECKED = {
    "levels": {
        "bagging": "model", "additive": "model", "k-means": "refused", "bayes-network": "refused",
        "dbscan": "refused", "divisive": "refused", "edit": "refused", "knn": "refused",
    },
    "wide": {
        "ada-boost": "model", "bayes-network": "refused", "gaussian-mixture": "refused", "logistic": "refused",
        "max-ent": "model",
    },
    "long": {
        "naive-bayes": "model", "linear-regression": "model", "kernel-fisher": "refused",
        "k-medoids": "refused", "divisive": "refused",
    },
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("table", CHECKED)
def test_a_table_of_an_extreme_size_ends_in_a_model_or_a_sentence(table: str) -> None:
    attempts = limits.run(table, tuple(CHECKED[table]))
    assert {each.kind: each.outcome for each in attempts} == CHECKED[table], attempts


class Hungry:
    """A learner whose fit ends as it is told to."""

    def __init__(self, end: Any) -> None:
        self.end = end

    def fit(self, table: Any) -> Any:
        raise self.end


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        (MemoryError("std::bad_alloc"), "failed"),
        (MemoryError(), "failed"),
        (RuntimeError("x"), "failed"),
        (limits.AcumenError("There is too little memory."), "refused"),
    ],
)
def test_an_end_without_a_sentence_is_a_failure(end: Exception, outcome: str) -> None:
    entry: Any = SimpleNamespace(kind="hungry", learner=lambda: Hungry(end), task=CLASSES)
    assert limits.attempt(entry, limits.table_of(limits.Shape(4, 1), numbers=False), {}).outcome == outcome
