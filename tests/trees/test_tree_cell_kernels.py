"""Histograms of the rows at nodes, and the tests chosen from them, against counting and the slow twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acumen import _native
from acumen.trees.grow import kernel_options
from acumen.trees.inputs import Inputs
from acumen.trees.options import GrowOptions
from reference.tree import Grower, How
from trees.grown import schema_of

CLASSES, N, NODES = 3, 60, 2
NUMBERS, CODES = np.array([0, 3], dtype=np.int32), np.array([1, 2], dtype=np.int32)
LEVELS, ORDERED = np.array([3, 3], dtype=np.int32), np.array([0, 1], dtype=np.uint8)
SIZES = [8, 3, 3, 6]  # cells of known values; one of missing values follows each
AT = np.cumsum([0, *(size + 1 for size in SIZES)]).astype(np.int32)
NONE = np.empty(0)


def table(seed: int) -> dict[str, np.ndarray]:
    """Codes (columns, rows), labels, and instances: the row, the node and the weight of each."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, CLASSES, N).astype(np.int32)
    codes = np.array([np.minimum(rng.integers(0, size, N) + labels, size - 1) for size in SIZES])
    codes[rng.random(codes.shape) < 0.1] = -1
    codes = np.where(codes < 0, np.array(SIZES)[:, None], codes).astype(np.uint16)
    rows = np.concatenate([np.arange(N), [3, 4, 5]])
    slots = np.concatenate([np.arange(N) % NODES, [0, 1, 0]])
    return {
        "codes": codes,
        "labels": labels,
        "rows": rows.astype(np.uint32),
        "slots": slots.astype(np.int32),
        "weights": rng.choice([0.5, 1.0, 2.0], len(rows)),
        "at": AT,
    }


def count(some: dict[str, np.ndarray]) -> np.ndarray:
    cells = np.zeros((NODES, AT[-1], CLASSES))
    for row, slot, weight in zip(some["rows"], some["slots"], some["weights"], strict=True):
        for j, code in enumerate(some["codes"][:, row]):
            cells[slot, AT[j] + code, some["labels"][row]] += weight
    return cells


@pytest.mark.parametrize("n_threads", [1, 2])
def test_tree_count_cells_adds_each_instance_to_a_cell_of_every_column(n_threads: int) -> None:
    some = table(0)
    cells = np.ones((NODES, AT[-1], CLASSES))
    _native.tree_count_cells(**some, cells=cells, n_threads=n_threads)
    np.testing.assert_allclose(cells, 1.0 + count(some), rtol=1e-12)


def splitting(some: dict[str, np.ndarray], how: How) -> dict[str, Any]:
    choices = GrowOptions(measure=how.measure, split=how.split, missing=how.missing)  # type: ignore[arg-type]
    return {
        "cells": count(some),
        "at": AT,
        "number_at": NUMBERS,
        "code_at": CODES,
        "levels": LEVELS,
        "ordered": ORDERED,
        "rows": N,
        "depth": 0,
        "paths": np.zeros(NODES, dtype=np.uint64),
        "factors": NONE,
        "attribute_costs": NONE,
        "options": kernel_options(choices),
    }


def grower(some: dict[str, np.ndarray], how: How) -> Grower:
    """The slow twin, for which numbers are the numbers of their cells."""
    schema = schema_of(CLASSES)
    known = some["codes"] < np.array(SIZES)[:, None]
    columns = [
        np.where(known[j], some["codes"][j].astype(np.float64), np.nan)
        if j in NUMBERS
        else np.where(known[j], some["codes"][j].astype(np.int32), -1)
        for j in range(len(SIZES))
    ]
    return Grower(columns, Inputs.of(schema), schema, some["labels"].tolist(), how)


@pytest.mark.parametrize("missing", ["fractional", "branch", "majority"])
@pytest.mark.parametrize("measure", ["gain-ratio", "gain", "gini", "cart", "error", "twoing"])
@pytest.mark.parametrize("split", ["multiway", "binary"])
def test_tree_split_cells_chooses_the_test_of_the_twin(measure: str, missing: str, split: str) -> None:
    least = GrowOptions(measure=measure).least  # type: ignore[arg-type]
    how = How(measure=measure, missing=missing, split=split, min_branch=least, max_depth=1)
    inputs = set()
    for seed in range(4):
        some = table(seed)
        twin = grower(some, how)
        splits = _native.tree_split_cells(**splitting(some, how))
        counts = splits["child_counts"].reshape(-1, CLASSES)
        child = 0
        for node in range(NODES):
            mine = some["slots"] == node
            rows = list(zip(some["rows"][mine].tolist(), some["weights"][mine].tolist(), strict=True))
            root = twin.grow(rows)
            assert root.best is not None
            test = root.best.test
            inputs.add(test.input)
            assert splits["input"][node] == test.input
            assert splits["branches"][node] == len(root.children)
            cuts = slice(*splits["cut_at"][node : node + 2])
            middle = (splits["below"][cuts] + splits["above"][cuts]) / 2
            assert middle.tolist() == list(test.cuts)
            levels = splits["branch"][slice(*splits["branch_at"][node : node + 2])]
            assert test.cuts or tuple(levels[: SIZES[test.input]].tolist()) == tuple(test.branches)
            for each in root.children:
                np.testing.assert_allclose(counts[child], twin.counts(each.rows), rtol=1e-9)
                child += 1
        assert child == len(counts)
    assert len(inputs) > 1


def test_cell_kernels_refuse_arrays_that_do_not_fit() -> None:
    some, cells = table(0), np.zeros((NODES, AT[-1], CLASSES))
    for name, value, message in [
        ("codes", some["codes"][:3], "shapes differ"),
        ("weights", some["weights"][1:], "shapes differ"),
        ("labels", some["labels"] + np.int32(1), "a label is no class"),
        ("rows", some["rows"] + np.uint32(1), "an instance has no row or no node"),
        ("slots", some["slots"] + np.int32(1), "an instance has no row or no node"),
    ]:
        with pytest.raises(ValueError, match=f"tree_count_cells: {message}"):
            _native.tree_count_cells(**(some | {name: value}), cells=cells)
    good = splitting(some, How())
    for name, value, message in [
        ("paths", good["paths"][1:], "shapes differ"),
        ("code_at", NUMBERS, "each input has one place"),
        ("levels", LEVELS + np.int32(1), "levels and cells differ"),
        ("factors", np.ones(2), "a factor for each class"),
        ("attribute_costs", np.ones(2), "a cost for each input"),
    ]:
        with pytest.raises(ValueError, match=f"tree_split_cells: {message}"):
            _native.tree_split_cells(**(good | {name: value}))
