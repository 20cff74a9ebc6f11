"""Small tables as codes, which forests and boosted stumps are grown from."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

N, SLOTS, MISSING, NO_VALUE = 40, [9, 7, 5], 255, 0xFFFF
NO_NUMBERS, NO_CODES = np.empty(0), np.empty(0, dtype=np.int32)


class Rows(NamedTuple):
    """Codes (rows, columns), the classes or numbers to learn, and which columns have levels without an order."""

    codes: np.ndarray
    y: np.ndarray
    classes: int
    nominal: list[bool]

    @property
    def columns(self) -> list[np.ndarray]:
        return [np.ascontiguousarray(column) for column in self.codes.T.astype(np.uint8)]

    @property
    def prior(self) -> np.ndarray:
        return np.bincount(self.y, minlength=self.classes) / N if self.classes else NO_NUMBERS

    def arguments(self) -> dict[str, Any]:
        return {
            "columns": self.columns,
            "slots": np.array(SLOTS, dtype=np.int32),
            "nominal": np.array(self.nominal, dtype=np.uint8),
            "low": [NO_NUMBERS] * 3,
            "high": [NO_NUMBERS] * 3,
            "labels": self.y if self.classes else NO_CODES,
            "response": NO_NUMBERS if self.classes else self.y,
            "weights": NO_NUMBERS,
            "units": NO_CODES,
            "classes": self.classes,
        }

    def labelled(self) -> dict[str, Any]:
        """The arguments of a kernel that takes labels alone."""
        return {name: each for name, each in self.arguments().items() if name not in ("response", "units")}

    def cells(self) -> list[list[int | None]]:
        return [[None if code == MISSING else code for code in row] for row in self.codes.tolist()]


def rows(classes: int, seed: int = 0) -> Rows:
    """Two columns of numbers and one of levels, with missing values; of three classes all have an order."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, slots, N) for slots in SLOTS])
    score = codes[:, 0] + 2.0 * (codes[:, 2] % 3) + rng.normal(0, 1, N)
    codes[rng.random(codes.shape) < 0.1] = MISSING
    edges = np.quantile(score, np.arange(1, max(classes, 1)) / max(classes, 1))
    y = np.searchsorted(edges, score).astype(np.int32) if classes else np.round(score, 3)
    return Rows(codes, y, classes, [False, False, classes < 3])


def wide(codes: np.ndarray) -> np.ndarray:
    """Codes of two bytes, as rows that are asked have them."""
    return np.where(codes == MISSING, NO_VALUE, codes).astype(np.uint16)
