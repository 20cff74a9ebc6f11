"""ROC, precision-recall, gain: points are where the data are."""

from __future__ import annotations

import numpy as np
import pytest

from acumen.errors import DataError
from acumen.render.curves import PlotCurve, PrFigure, RocFigure, pr_svg, roc_svg
from acumen.render.lift_chart import GainFigure, gain_svg
from figure_cases import SVG, lines_of, parsed, place_of, texts


def in_square(points, corners):
    """Pixels as shares between two corners of the unit square."""
    low, high = np.asarray(corners, dtype=float)
    return (points - low) / (high - low)


def corners(root, zero="0.0", one="1.0"):
    """Where (0, 0) and (1, 1) lie, read from the numbers on the axes."""
    ends = {said: [(x, y) for t, x, y in texts(root) if t == said] for said in (zero, one)}
    # On the axes y is written first, at the left; its baseline is 4 below the line it names.
    return [(ends[zero][1][0], ends[zero][0][1] - 4), (ends[one][1][0], ends[one][0][1] - 4)]


@pytest.mark.parametrize(
    ("draw", "figure", "marks"),
    [
        (roc_svg, RocFigure([PlotCurve("a", [0, 0.25, 1], [0, 0.75, 1])]), ("0.0", "1.0")),
        (gain_svg, GainFigure([PlotCurve("a", [0, 0.25, 1], [0, 0.75, 1])]), ("0 %", "100 %")),
    ],
)
def test_points_lie_where_the_axes_say(draw, figure, marks):
    root = parsed(draw(figure))
    (drawn,) = lines_of(root, 0)
    shares = in_square(drawn, corners(root, *marks))
    assert shares == pytest.approx(np.array([[0, 0], [0.25, 0.75], [1, 1]]), abs=1e-3)


def test_precision_is_drawn_as_steps_in_either_order():
    recall, precision = np.array([0.25, 0.5, 1.0]), np.array([1.0, 0.5, 0.75])
    root = parsed(pr_svg(PrFigure([PlotCurve("a", recall, precision)], prevalence=0.3)))
    steps = in_square(lines_of(root, 0)[0], corners(root))
    expected = [[0.25, 1], [0.25, 0.5], [0.5, 0.5], [0.5, 0.75], [1, 0.75]]
    assert steps == pytest.approx(np.array(expected), abs=1e-3)
    backwards = pr_svg(PrFigure([PlotCurve("a", recall[::-1], precision[::-1])], prevalence=0.3))
    assert lines_of(parsed(backwards), 0)[0] == pytest.approx(lines_of(root, 0)[0])
    assert "chance: 30.0 % are positive" in [t for t, _, _ in texts(root)]


def test_missing_points_are_left_out_and_empty_curves_named():
    full = PlotCurve("full", [0, np.nan, 0.5, 1], [0, 0.3, 0.9, 1])
    root = parsed(roc_svg(RocFigure([full, PlotCurve("one", [0.5], [0.5])])))
    assert len(lines_of(root, 0)[0]) == 3
    assert "No curve of one." in [t for t, _, _ in texts(root)]


def test_the_legend_has_each_name_with_its_area():
    root = parsed(
        roc_svg(RocFigure([PlotCurve("a", [0, 1], [0, 1], 0.5), PlotCurve("bb", [0, 1], [0, 1], 0.75)]))
    )
    for name, area in (("a", "AUC 0.5"), ("bb", "AUC 0.75")):
        assert place_of(root, name)[1] == place_of(root, area)[1]
    sides = {
        place_of(root, area)[0] - place_of(root, name)[0]
        for name, area in (("a", "AUC 0.5"), ("bb", "AUC 0.75"))
    }
    assert len({round(side, 6) for side in sides}) == 1


def test_curves_differ_in_dashes_as_well():
    root = parsed(roc_svg(RocFigure([PlotCurve(f"{i}", [0, 1], [0, 1]) for i in range(4)])))
    dashes = [p.get("stroke-dasharray") for p in root.iter(f"{SVG}path")]
    assert len(set(dashes)) == 4


@pytest.mark.parametrize(("x", "y"), [([0, 1], [0]), (["a"], [1]), ([[0, 1]], [[0, 1]]), (None, [1])])
def test_a_curve_of_unequal_lists_is_refused(x, y):
    with pytest.raises(DataError, match=r"Curve: [xy] must"):
        PlotCurve("a", x, y)
