"""Data frames and arrays: a frame with categories, an array with labels, and the conversion back."""

from __future__ import annotations

import numpy as np
import polars as pl

import acumen

frame = pl.DataFrame(
    {
        "height": [1.62, 1.80, None, 1.75],
        "colour": pl.Series(["red", "blue", "red", None], dtype=pl.Enum(["red", "green", "blue"])),
        "member": [True, False, True, True],
        "grade": pl.Series(["low", "high", "high", "low"], dtype=pl.Enum(["low", "high"])),
    }
)
table = acumen.read(frame, target="grade", kinds={"grade": "ordinal"})
print(table.schema)
print(table.report)

# Another question to the same rows: what decides the colour?
print(acumen.read(table, target="colour").schema.target)

# Arrays and labels; the labels keep their type, and the numbers stay where they are.
X, y = np.array([[5.1, 3.5], [6.2, 2.9], [5.9, 3.0]]), [0, 1, 1]
pair = acumen.read((X, y))
print(pair.schema)
print("borrowed:", np.shares_memory(pair.numeric.matrix(), X))

# Back to a frame, every column in its place.
print(table.to_polars())
