"""The slots of additive shapes and the codes of forests: numbers by their cuts, levels by their codes."""

from __future__ import annotations

import numpy as np
import pytest

from acumen import _native


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_forest_codes_are_the_places_among_the_cuts(kind: type) -> None:
    rng = np.random.default_rng(3)
    numbers = np.round(rng.normal(size=50), 1)
    numbers[[4, 9]] = np.nan
    numbers[[0, 1, 2]] = [0.3, -np.inf, np.inf]
    levels = rng.integers(-2, 6, 50).astype(np.int32)  # of four; -1 is missing, -2 unknown, 4 and 5 too large
    cuts = np.array([-0.7, 0.3, 0.8])
    out = [np.empty(50, dtype=kind) for _ in range(2)]
    slots = np.array([0, 4], dtype=np.int32)
    _native.forest_codes([numbers, levels], [cuts, np.empty(0)], slots, out, 50, 1)
    known = ~np.isnan(numbers)
    none = np.iinfo(kind).max
    assert out[0][known].tolist() == [sum(cut < x for cut in cuts) for x in numbers[known]]
    assert set(out[0][~known].tolist()) == {none}
    assert out[1].tolist() == [code if 0 <= code < 4 else none for code in levels.tolist()]
