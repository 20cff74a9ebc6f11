"""The confusion matrix as a map."""

from __future__ import annotations

import numpy as np
import pytest

from acumen.errors import DataError
from acumen.render.confusion_plot import DEEPEST, MOST_CLASSES, ConfusionFigure, confusion_svg
from figure_cases import SVG, parsed, texts

MATRIX = np.array([[50, 0, 0], [0, 47, 6], [0, 3, 44]])


def cells(root, n):
    return list(root.iter(f"{SVG}rect"))[: n * n]


def test_counts_stand_in_row_predicted_and_column_true():
    root = parsed(confusion_svg(ConfusionFigure(MATRIX, ["a", "b", "c"])))
    where = {t: (x, y) for t, x, y in texts(root)}
    boxes = [[float(r.get(k)) for k in ("x", "y", "width", "height")] for r in cells(root, 3)]
    for place, count in ((5, "6"), (7, "3"), (0, "50")):
        x, y, width, height = boxes[place]
        assert x < where[count][0] < x + width and y < where[count][1] < y + height
    assert boxes[5][0] > boxes[4][0] and boxes[5][1] == boxes[4][1]
    assert where["12.0 %"][0] == where["6"][0]


def test_shades_go_by_the_share_of_the_true_class_and_hues_by_right_and_wrong():
    root = parsed(confusion_svg(ConfusionFigure(MATRIX, ["a", "b", "c"])))
    shades = np.array([float(r.get("fill-opacity")) for r in cells(root, 3)]).reshape(3, 3)
    assert shades[0, 0] == DEEPEST and shades[2, 1] < shades[1, 2] < shades[2, 2] < shades[1, 1]
    hues = [r.get("class") for r in cells(root, 3)]
    assert hues == ["f0", None, None, None, "f0", "f1", None, "f1", "f0"]


def test_the_rest_of_many_classes_is_one_class_and_nothing_is_lost():
    random = np.random.default_rng(0)
    matrix = random.integers(0, 5, (60, 60)) + 40 * np.eye(60, dtype=int)
    root = parsed(confusion_svg(ConfusionFigure(matrix, [f"c{i}" for i in range(60)])))
    assert len(cells(root, MOST_CLASSES)) == MOST_CLASSES**2
    said = " ".join(t for t, _, _ in texts(root))
    # Right is what was right, not what fell into one cell.
    assert f"{np.trace(matrix):,} of {matrix.sum():,} rows are classified correctly" in said
    assert "The 21 smallest classes" in said


def test_weighted_counts_and_one_class_are_drawn():
    assert "2.5" in confusion_svg(ConfusionFigure([[2.5]], ["only"]))


@pytest.mark.parametrize(
    ("matrix", "labels", "said"),
    [
        ([[1, 2]], ["a"], "must be square"),
        ([[1]], ["a", "b"], "must have 2 values"),
        ([[-1]], ["a"], "counts of at least 0"),
        ([[np.nan]], ["a"], "counts of at least 0"),
        ([[1]], "a", "must be a list of names"),
    ],
)
def test_what_is_no_matrix_is_refused(matrix, labels, said):
    with pytest.raises(DataError, match=said):
        ConfusionFigure(matrix, labels)
