"""Several classes from two-class learners: where one-versus-rest and one-versus-one leave rows undecided.

Writes three pictures into the current folder.
"""

from pathlib import Path

import numpy as np

import acumen
from acumen.render.regions import regions_svg

# Three classes in a ring; a third of each lies in the way of the next, so that pairs of classes disagree.
rng = np.random.default_rng(3)
labels = np.repeat([0, 1, 2], 60)
straying = np.arange(180) % 60 < 20
turn = np.deg2rad(np.array([210, 330, 90])[labels] + np.where(straying, 100, 0))
distance = np.where(straying, 2.2, 3.0)
points = np.column_stack([distance * np.cos(turn), distance * np.sin(turn)]) + 0.35 * rng.standard_normal(
    (180, 2)
)
table = acumen.read((points, np.array(["left", "right", "top"])[labels]))

rest = acumen.OneVsRest(acumen.Logistic(C=10.0))
pairs = acumen.OneVsOne(acumen.Logistic(C=10.0))
single = acumen.Logistic(C=10.0)

drawn = {
    "one-vs-rest": acumen.regions(rest, table, undecided=True),
    "one-vs-one": acumen.regions(pairs, table, undecided=True),
    "softmax": acumen.regions(single, table),
}
for name, figure in drawn.items():
    Path(f"{name}.svg").write_text(regions_svg(figure), encoding="utf-8")
    lost = figure.probabilities[:, :, 3].mean() if figure.probabilities.shape[2] == 4 else 0.0
    print(f"{name}: {100 * lost:.1f} % of the picture is undecided")

print(rest.fit(table).describe()[:400])
