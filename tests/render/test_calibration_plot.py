"""Calibration and learning curves."""

from __future__ import annotations

import numpy as np
import pytest

from acumen.errors import DataError
from acumen.render.calibration_plot import CalibrationCurve, CalibrationFigure, calibration_svg
from acumen.render.learning_plot import Band, LearningFigure, learning_svg
from figure_cases import SVG, circles, lines_of, parsed, rects, texts


def test_bins_are_drawn_in_the_order_of_their_probability_and_empty_ones_left_out():
    curve = CalibrationCurve("m", [0.8, 0.2, 0.5], [0.9, 0.1, np.nan], [10, 40, 0])
    root = parsed(calibration_svg(CalibrationFigure([curve])))
    points = circles(root)
    assert len(points) == 2 and lines_of(root, 0)[0] == pytest.approx(points[:, :2])
    step = (points[1] - points[0])[:2]
    # A square panel: 0.6 to the right and 0.8 up.
    assert step[0] / 0.6 == pytest.approx(-step[1] / 0.8, rel=1e-3)
    assert points[0, 2] > points[1, 2]


def test_the_strip_counts_the_rows():
    curve = CalibrationCurve("m", [0.11, 0.12, 0.91], [0.1, 0.2, 0.9], [10, 20, 15])
    bars = rects(parsed(calibration_svg(CalibrationFigure([curve]))))
    assert len(bars) == 2 and bars[0, 3] == pytest.approx(2 * bars[1, 3], rel=1e-3)


def test_several_models_have_shapes_of_their_own():
    curves = [CalibrationCurve(f"m{i}", [0.2, 0.8], [0.3, 0.7], [5, 5]) for i in range(3)]
    root = parsed(calibration_svg(CalibrationFigure(curves)))
    assert len(circles(root)) == 2 and len(rects(root)) == 0
    assert len(lines_of(root, 2)) == 1


def test_a_log_scale_spreads_powers_evenly():
    figure = LearningFigure([10, 100, 1000], [Band("a", [0.5, 0.3, 0.2])], log=True)
    (curve,) = lines_of(parsed(learning_svg(figure)), 0)
    assert curve[1, 0] - curve[0, 0] == pytest.approx(curve[2, 0] - curve[1, 0], abs=0.02)
    assert (curve[1, 1] - curve[0, 1]) / (curve[2, 1] - curve[0, 1]) == pytest.approx(2 / 3, abs=1e-3)


def test_x_is_sorted_and_the_band_goes_round_it():
    low, high = np.array([0.1, 0.3]), np.array([0.3, 0.5])
    figure = LearningFigure([20, 10], [Band("a", [0.2, 0.4], low, high)])
    root = parsed(learning_svg(figure))
    (curve,) = lines_of(root, 0)
    assert curve[0, 0] < curve[1, 0] and curve[0, 1] < curve[1, 1]
    shade = next(p.get("d") for p in root.iter(f"{SVG}path") if p.get("class") == "f0")
    assert shade.endswith("Z") and shade.count("L") == 3


def test_a_gap_in_a_band_parts_it():
    low = np.array([0.1, 0.1, np.nan, 0.1, 0.1, np.nan, 0.1])
    root = parsed(learning_svg(LearningFigure(np.arange(7), [Band("a", low + 0.1, low, low + 0.2)])))
    assert sum(p.get("class") == "f0" for p in root.iter(f"{SVG}path")) == 2
    assert len(circles(root)) == 5


def test_named_places_are_ticks_and_the_chosen_one_is_marked():
    figure = LearningFigure(["linear", "rbf"], [Band("a", [0.5, 0.3])], chosen=1)
    root = parsed(learning_svg(figure))
    where = {t: x for t, x, _ in texts(root)}
    (curve,) = lines_of(root, 0)
    assert curve[:, 0] == pytest.approx([where["linear"], where["rbf"]], abs=0.02)
    assert "chosen: rbf" in where
    dashed = [e for e in root.iter(f"{SVG}line") if e.get("stroke-dasharray") and e.get("x1") == e.get("x2")]
    assert float(dashed[0].get("x1")) == pytest.approx(where["rbf"], abs=0.02)


@pytest.mark.parametrize("x", [[5], [1e7, 2e7], [-1e-9, 1e-9], [0, 9_999_999]])
def test_any_range_of_x_keeps_its_numbers_on_the_sheet(x):
    root = parsed(learning_svg(LearningFigure(x, [Band("a", np.arange(len(x)))])))
    assert all(-1 < at < 445 for _, at, _ in texts(root))
    assert len(circles(root)) == len(x)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Band("a", [1], low=[0]), "low and high go together"),
        (lambda: Band("a", [1], [0, 1], [1, 2]), "low must have 1 values"),
        (lambda: LearningFigure([1, 2], [Band("a", [1])]), "a must have 2 means"),
        (lambda: LearningFigure([1], [], chosen=1), "chosen must be a place of x"),
        (lambda: LearningFigure(["a"], [], log=True), "log needs numbers"),
        (lambda: CalibrationCurve("a", [0.5], [0.5], [1, 2]), "rows must have 1 values"),
    ],
)
def test_wrong_figures_are_refused_in_a_sentence(make, said):
    with pytest.raises(DataError, match=said):
        make()


def test_bars_stand_over_their_bins():
    import re

    edges = np.linspace(0, 1, 11)
    used = np.array([0, 3, 9])
    curve = CalibrationCurve(
        "m", np.array([0.09, 0.31, 0.99]), np.array([0.1, 0.3, 1.0]), np.array([10.0, 5.0, 20.0]),
        left=edges[:-1][used], right=edges[1:][used],
    )  # fmt: skip
    drawn = calibration_svg(CalibrationFigure([curve]))
    bars = [
        {k: float(v) for k, v in re.findall(r'(x|width|height)="([-\d.]+)"', tag)}
        for tag in re.findall(r"<rect[^>]*>", drawn)
        if "fill-opacity" in tag
    ]
    assert len(bars) == 3
    widths = {round(bar["width"]) for bar in bars}
    step = bars[0]["width"] + 1
    assert len(widths) == 1
    assert (bars[1]["x"] - bars[0]["x"]) / step == pytest.approx(3, abs=0.02)
    assert (bars[2]["x"] - bars[0]["x"]) / step == pytest.approx(9, abs=0.02)
    assert bars[2]["height"] == pytest.approx(4 * bars[1]["height"], rel=0.02)
