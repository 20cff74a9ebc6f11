"""Tables on which learners are judged: mixed, weighted, with gaps, with rare classes and levels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acumen.data.table import Table
from tables import table_of

WORDS = ("grass", "river", "stone", "cloud", "ember")


def mixed(
    seed: int = 0,
    n: int = 60,
    *,
    classes: Sequence[str] = ("a", "b", "c"),
    weights: bool = False,
    missing: float = 0.0,
    kinds: str = "numeric nominal",
) -> Table:
    """Numbers, levels and texts that have something to do with the class, in no order."""
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(len(classes)), rng.integers(0, len(classes), n - len(classes))])
    rng.shuffle(codes)
    columns: dict[str, list[object]] = {}
    if "numeric" in kinds:
        columns["x"] = (rng.normal(size=n) + codes).round(3).tolist()
        columns["y"] = (3 * rng.normal(size=n) - 2 * codes + 100).round(3).tolist()
    if "nominal" in kinds:
        columns["u"] = [f"u{v}" for v in (codes + rng.integers(0, 3, n)) % 4]
        columns["v"] = ["yes" if v else "no" for v in rng.random(n) < (1 + codes) / 5]
    if "text" in kinds:
        columns["t"] = [
            " ".join(rng.choice(WORDS, size=3, p=np.roll([0.4, 0.3, 0.1, 0.1, 0.1], c))) for c in codes
        ]
    if "counts" in kinds:
        for j, word in enumerate(WORDS):
            columns[word] = rng.poisson(1 + (codes == j % len(classes))).astype(float).tolist()
    for name, values in columns.items():
        for i in np.flatnonzero(rng.random(n) < missing).tolist():
            values[i] = float("nan") if name in ("x", "y") else None
    return table_of(
        columns,  # type: ignore[arg-type]
        [classes[c] for c in codes],
        classes=classes,
        levels={"u": ("u0", "u1", "u2", "u3"), "v": ("no", "yes")} if "nominal" in kinds else None,
        text=("t",) if "text" in kinds else (),
        weights=(rng.random(n) + 0.2).round(3).tolist() if weights else None,
    )
