"""Views: fitted on training rows, applied to others.

Run it with `python examples/views.py`.
"""

from __future__ import annotations

import numpy as np

from acumen import Attribute, Schema, Table
from acumen.preprocessing import (
    ChiMerge,
    EntropyMDL,
    EqualWidth,
    KMeansBins,
    NumericMatrix,
    Vocabulary,
    WordCounts,
    discretise_table,
)

COLOURS = ("red", "green", "blue")
schema = Schema(
    (Attribute("age"), Attribute("colour", "nominal", COLOURS), Attribute("said", "text")),
    Attribute("class", "nominal", ("no", "yes")),
)


def rows(ages: list[float], colours: list[int], said: list[str | None], labels: list[int]) -> Table:
    """A table made by hand; usually `acumen.read` makes it."""
    return Table(
        schema,
        len(ages),
        numeric=[np.array(ages)],
        nominal=[np.array(colours, dtype=np.int32)],
        text=[np.array(said, dtype=object)],
        labels=np.array(labels, dtype=np.int32),
    )


training = rows(
    [23, 31, np.nan, 54, 62, 29, 58, 61],
    [0, 1, 1, 2, -1, 0, 2, 2],
    ["free prize now", "see you", None, "Free, free!", "see the prize", "you", "prize", "free"],
    [0, 0, 0, 1, 1, 0, 1, 1],
)
new = rows([40, np.nan], [-2, 2], ["A PRIZE for you", "nothing known"], [0, 1])

print("One matrix of numbers, as the training rows say:")
view = NumericMatrix.fit(training, scale="z-score", impute="mean", indicators=True, max_words=3)
for name, column in zip(view.names, view.transform(new).toarray().T, strict=True):
    print(f"  {name:20s}", np.round(column, 3))

print("Intervals where the class changes:")
binning = EntropyMDL().fit(training)
print(" ", binning["age"].levels, "-> new rows", binning["age"].transform(new.numeric.columns[0]))

print("Intervals of one width:")
print(" ", discretise_table(training, EqualWidth(3)).column("age").tolist())

print("Intervals that differ in class by the chi-square test, and those around two centres:")
print(" ", ChiMerge(significance=0.8).fit(training)["age"].levels)
print(" ", KMeansBins(2).fit(training)["age"].levels)

print("Words counted part by part:")
texts = training.column("said")
counts = WordCounts.of(texts[:4], attribute="said") + WordCounts.of(texts[4:], attribute="said")
print(" ", Vocabulary.of(counts, min_count=2).words)
