"""Decision regions: the picture, the rows, the contours."""

from __future__ import annotations

import base64
import io

import numpy as np
import pytest

from acumen.errors import DataError
from acumen.render.regions import SHADES, Density, RegionsFigure, contour, raster, regions_svg, sample_rows
from figure_cases import SVG, circles, grid, lines_of, parsed, texts


def test_each_pixel_has_its_likeliest_class_deeper_where_surer():
    pixels, colours = raster(grid(), 100, 40)
    place, shade = (pixels.astype(int) - 1) // SHADES, (pixels.astype(int) - 1) % SHADES
    assert np.all(place[:, :50] == 0) and np.all(place[:, 50:] == 1)
    assert shade[0, 0] == shade[0, -1] == SHADES - 1 and shade[0, 49] == shade[0, 50] == 0
    assert np.all(np.diff(colours[1 : SHADES + 1, 3].astype(int)) > 0)


def test_the_top_line_is_the_highest_y():
    p = np.zeros((2, 2, 2))
    p[0, :, 0] = p[1, :, 1] = 1.0  # class 0 below, class 1 above
    pixels, _ = raster(RegionsFigure([0, 1], [0, 1], p, ["low", "high"]), 4, 6)
    assert np.all(pixels[:3] > SHADES) and np.all(pixels[3:] <= SHADES)


def test_uneven_grids_are_drawn_to_scale():
    p = np.array([[[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]] * 2)
    pixels, _ = raster(RegionsFigure([0, 8, 10], [0, 1], p, ["a", "b"]), 101, 3)
    assert np.all(pixels[:, :90] <= SHADES) and np.all(pixels[:, 91:] > SHADES)


def test_what_is_not_known_has_no_colour():
    p = np.full((2, 3, 2), 0.5)
    p[:, 2] = np.nan
    pixels, colours = raster(RegionsFigure([0, 1, 2], [0, 1], p, ["a", "b"]), 9, 4)
    assert np.all(pixels[:, 5:] == 0) and np.all(pixels[:, :4] > 0)
    assert colours[0].tolist() == [0, 0, 0, 0]


def test_the_picture_in_the_drawing_is_the_raster():
    image = pytest.importorskip("PIL.Image")
    root = parsed(regions_svg(grid()))
    href = next(root.iter(f"{SVG}image")).get("href")
    with image.open(io.BytesIO(base64.b64decode(href.partition(",")[2]))) as picture:
        pixels, colours = raster(grid(), *picture.size)
        assert np.array_equal(np.asarray(picture.convert("RGBA")), colours[pixels])


def test_rows_lie_on_their_values_and_outsiders_are_counted():
    figure = grid(
        points=np.array([[0.0, 0.0], [1.0, 1.0], [0.25, 0.5], [2.0, 0.0], [np.nan, 0.0]]), labels=[0] * 5
    )
    root = parsed(regions_svg(figure))
    points = circles(root)[:3, :2]
    shares = (points - points[0]) / (points[1] - points[0])
    assert shares[2] == pytest.approx([0.25, 0.5], abs=1e-3)
    assert "Not shown (outside the plot or with a missing value): 2 rows." in " ".join(
        t for t, _, _ in texts(root)
    )


def test_a_label_outside_the_classes_is_grey():
    root = parsed(regions_svg(grid(points=np.array([[0.5, 0.5]]), labels=[-1])))
    assert next(c.get("fill") for c in root.iter(f"{SVG}circle")) == "currentColor"


def test_the_sample_is_the_same_each_time_and_keeps_the_shares_of_classes():
    figure = grid(n=50_000)
    points, labels, count = sample_rows(figure)
    assert count == 50_000 and points.shape == (2_000, 2)
    assert np.array_equal(points, sample_rows(figure)[0])
    assert abs(labels.mean() - figure.labels.mean()) < 0.05


def test_the_contour_is_where_the_density_is_a_hundredth_of_its_peak():
    density = Density(0, [1.0, -2.0], [[2.0, 0.7], [0.7, 0.5]])
    x, y = contour(density)
    away = np.stack([x - 1.0, y + 2.0])
    distance = np.einsum("in,ij,jn->n", away, np.linalg.inv(density.covariance), away)
    assert np.exp(-distance / 2) == pytest.approx(np.full(len(x), 0.01))
    # As many rows lie outside: both are exp(-d²/2).
    random = np.random.default_rng(0).multivariate_normal([0, 0], density.covariance, 100_000)
    outside = np.einsum("ni,ij,nj->n", random, np.linalg.inv(density.covariance), random) > distance[0]
    assert outside.mean() == pytest.approx(0.01, abs=0.002)


def test_contours_stay_in_the_panel():
    wide = grid(densities=[Density(1, [0.5, 0.5], [[0.2, 0.0], [0.0, 0.001]])])
    (line,) = lines_of(parsed(regions_svg(wide)), 1)
    image = next(parsed(regions_svg(wide)).iter(f"{SVG}image"))
    left, width = float(image.get("x")), float(image.get("width"))
    assert line[:, 0].min() == pytest.approx(left, abs=0.02)
    assert line[:, 0].max() == pytest.approx(left + width, abs=0.02)


@pytest.mark.parametrize("covariance", [[[np.nan, 0], [0, 1]], [[0, 0], [0, 0]], [[1, 2], [2, 1]]])
def test_what_is_no_density_has_no_contour(covariance):
    figure = grid(densities=[Density(0, [0.5, 0.5], covariance)])
    assert contour(figure.densities[0]) is None
    assert lines_of(parsed(regions_svg(figure)), 0) == []


def test_a_singular_covariance_is_a_line():
    x, y = contour(Density(0, [0, 0], [[1, 1], [1, 1]]))
    assert x == pytest.approx(y)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"x": [0, 0, 1]}, "x must be two or more finite numbers that rise"),
        ({"y": [1]}, "y must be two or more"),
        ({"classes": ["a"]}, "probabilities must be y by x by classes"),
        ({"points": [[1, 2]]}, "points and labels go together"),
        ({"points": [[1, 2]], "labels": [0, 1]}, "points must be 2 x 2"),
    ],
)
def test_wrong_figures_are_refused_in_a_sentence(change, said):
    given = {
        "x": [0, 1, 2],
        "y": [0, 1],
        "probabilities": np.full((2, 3, 2), 0.5),
        "classes": ["a", "b"],
        **change,
    }
    with pytest.raises(DataError, match=said):
        RegionsFigure(**given)


def test_a_density_of_no_class_is_refused():
    with pytest.raises(DataError, match="a density's place must be one of the 2 classes; got 7"):
        regions_svg(grid(densities=[Density(7, [0, 0], np.eye(2))]))
