"""A text column's figures: how long its texts are and how many differ."""

from __future__ import annotations

import numpy as np

from acumen.card.figures import ColumnFigures, TextFigures, share
from acumen.types import Floats, Objects


def text_column(name: str, strings: Objects, weights: Floats) -> ColumnFigures:
    """The figures of one attribute; `weights` is empty when every row weighs one."""
    absent = np.fromiter((s is None for s in strings), np.bool_, len(strings))
    missing = int(np.count_nonzero(absent))
    if weights.size:
        missing_share = share(float(weights[absent].sum()), float(weights.sum()))
    else:
        missing_share = share(missing, len(strings))
    known = strings[~absent]
    lengths = np.fromiter(map(len, known), np.int64, len(known))
    figures = TextFigures()
    if lengths.size:
        figures = TextFigures(
            shortest=int(lengths.min()),
            median=float(np.median(lengths)),
            longest=int(lengths.max()),
            empty=int(np.count_nonzero(lengths == 0)),
        )
    return ColumnFigures(name, "text", missing, missing_share, len(set(known)), text=figures)
