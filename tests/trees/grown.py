"""Small tables of every kind of column and trees of the slow twin, for tests of what is done with trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from acumen.data.schema import Attribute, Schema
from acumen.trees.inputs import Inputs
from acumen.trees.sample import Sample
from acumen.trees.tree import Tree
from reference.tree import How, grow


@dataclass(frozen=True)
class Case:
    """Rows under a schema, and the tree grown of them."""

    schema: Schema
    sample: Sample
    how: How

    @property
    def inputs(self) -> Inputs:
        return Inputs.of(self.schema)

    def tree(self) -> Tree:
        return grow(
            self.sample.columns, self.inputs, self.schema, self.sample.labels, self.sample.weights, self.how
        )


def schema_of(classes: int) -> Schema:
    return Schema(
        (
            Attribute("a", "numeric"),
            Attribute("b", "nominal", ("p", "q", "r")),
            Attribute("c", "ordinal", ("low", "mid", "high")),
            Attribute("d", "numeric"),
        ),
        Attribute("y", "nominal", tuple(f"c{i}" for i in range(classes))),
    )


def sample_of(rng: np.random.Generator, rows: int, classes: int, missing: float, weighted: bool) -> Sample:
    """Columns that say something of the class, noise, holes; values with ties."""
    labels = rng.integers(0, classes, rows).astype(np.int32)
    noisy = np.where(rng.random(rows) < 0.3, rng.integers(0, classes, rows), labels)
    a = np.round(noisy + rng.normal(0, 0.8, rows), 1)
    b = np.where(rng.random(rows) < 0.4, rng.integers(0, 3, rows), noisy % 3).astype(np.int32)
    c = np.where(rng.random(rows) < 0.6, rng.integers(0, 3, rows), labels % 3).astype(np.int32)
    d = rng.integers(0, 6, rows).astype(np.float64)
    columns: list[Any] = [a, b, c, d]
    for column in columns:
        column[rng.random(rows) < missing] = -1 if column.dtype == np.int32 else np.nan
    weights = rng.choice([0.5, 1.0, 2.0, 3.0], rows) if weighted else np.ones(rows)
    return Sample(columns, labels, weights)


@st.composite
def cases(draw: st.DrawFn, max_rows: int = 40, **fixed: Any) -> Case:
    classes = draw(st.integers(2, 4))
    rows = draw(st.integers(1, max_rows))
    missing = draw(st.sampled_from([0.0, 0.0, 0.15]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sample = sample_of(rng, rows, classes, missing, draw(st.booleans()))
    options: dict[str, Any] = {
        "measure": draw(st.sampled_from(["gain-ratio", "gain", "gini", "cart", "error", "twoing"])),
        "split": draw(st.sampled_from(["multiway", "binary"])),
        "missing": draw(st.sampled_from(["fractional", "surrogate", "branch", "majority"])),
        "min_branch": draw(st.sampled_from([1.0, 2.0])),
    }
    return Case(schema_of(classes), sample, How(**{**options, **fixed}))
