"""Tables for tests of additive models and boosting: mixed kinds with gaps, a pair that counts, a number."""

from __future__ import annotations

import numpy as np

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table


def mixed(rows: int, seed: int, classes: int) -> Table:
    """Two columns of numbers (one spiky), an ordinal and a nominal one, with gaps; no classes: a number."""
    rng = np.random.default_rng(seed)
    smooth = rng.normal(size=rows)
    spiky = np.where(rng.random(rows) < 0.5, 0.0, rng.integers(1, 30, rows)).astype(float)
    grade = rng.integers(0, 4, rows).astype(np.int32)
    colour = rng.integers(0, 3, rows).astype(np.int32)
    score = np.sin(2 * smooth) + 0.05 * spiky + 0.4 * grade - (colour == 1) + rng.normal(size=rows)
    smooth[rng.random(rows) < 0.1] = np.nan
    colour[rng.random(rows) < 0.1] = -1
    attributes = (
        Attribute("smooth"), Attribute("spiky"), Attribute("grade", "nominal", tuple("abcd"), ordered=True),
        Attribute("colour", "nominal", ("red", "green", "blue", "never")),
    )  # fmt: skip
    given = {"numeric": [smooth, spiky], "nominal": [grade, colour]}
    if not classes:
        return Table(Schema(attributes, Attribute("y")), rows, response=1e6 + 50 * score, **given)
    labels = np.searchsorted(np.quantile(score, np.arange(1, classes) / classes), score).astype(np.int32)
    target = Attribute("y", "nominal", tuple(f"c{k}" for k in range(classes)))
    return Table(Schema(attributes, target), rows, labels=labels, **given)


def numbers(rows: int, seed: int) -> Table:
    return mixed(rows, seed, 0)


def interacting(rows: int, seed: int) -> Table:
    """Two levels that are alike or not decide; a number and a third attribute say nothing."""
    rng = np.random.default_rng(seed)
    a, b, c = (rng.integers(0, 3, rows).astype(np.int32) for _ in range(3))
    labels = ((a == b) ^ (rng.random(rows) < 0.05)).astype(np.int32)
    levels = ("x", "y", "z")
    schema = Schema(
        (Attribute("u"), *(Attribute(name, "nominal", levels) for name in "abc")),
        Attribute("same", "nominal", ("no", "yes")),
    )
    return Table(schema, rows, numeric=[rng.normal(size=rows)], nominal=[a, b, c], labels=labels)
