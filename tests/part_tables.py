"""A table of every kind of column, cut into files; blocks so small that a few rows make many of them."""

from __future__ import annotations

import contextlib
import importlib
import itertools
from pathlib import Path

import numpy as np
import pytest

#: Where the number of rows in a block is looked at.
_LOOKED_AT = (
    "acumen.engines.run",
    "acumen.parts.plan",
    "acumen.parts.part_sums",
    "acumen.parts.sum_file",
)


@contextlib.contextmanager
def blocks_of(rows):
    """Within this a canonical block has so many rows, wherever it is looked at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("acumen.engines.blocks.blocks.__defaults__", (rows,))
        for place in _LOOKED_AT:
            patch.setattr(importlib.import_module(place), "BLOCK_ROWS", rows)
        yield


WORDS = ["sun", "rain", "wind", "ice", "fog", "hail", "storm", "calm"]


def lines(n, seed=0, columns=("x", "z", "c", "late", "o", "t", "w", "y", "r")):
    """Rows of CSV: numbers, levels (one only near the end), words, fractional weights, gaps, answers of two kinds."""
    rng = np.random.default_rng(seed)
    made = []
    for i in range(n):
        y = ("no", "yes", "perhaps", "")[min(3, int(4 * rng.random() ** 1.5))]
        cells = {
            "x": "" if rng.random() < 0.1 else f"{rng.normal(len(y)):.5f}",
            "z": f"{rng.normal() * 10:.3f}",
            "c": rng.choice(["", "red", "green", "blue"]),
            "late": "new" if i >= n - 3 else rng.choice(["old", "older"]),
            "o": rng.choice(["low", "mid", "high"]),
            "t": " ".join(rng.choice(WORDS, size=rng.integers(0, 5))),
            "w": f"{rng.integers(0, 4) * 0.3 + 0.1:.1f}" if rng.random() < 0.9 else "0",
            "y": y,
            "r": "" if y == "" else f"{rng.normal(2):.4f}",
        }
        made.append(",".join(cells[name] for name in columns))
    return ",".join(columns), made


def written(folder: Path, head, rows, cuts):
    """The rows in one file, and cut into parts: (all, [part, ...])."""
    borders = [0, *cuts, len(rows)]
    whole = folder / "all.csv"
    whole.write_text("\n".join([head, *rows]) + "\n")
    parts = []
    for i, (a, b) in enumerate(itertools.pairwise(borders)):
        part = folder / f"part{i}.csv"
        part.write_text("\n".join([head, *rows[a:b]]) + "\n")
        parts.append(part)
    return whole, parts
