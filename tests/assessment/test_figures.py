"""Every result that can be drawn gives a figure value, as SVG and as matplotlib axes."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen import KFold
from acumen.render import mpl

RNG = np.random.default_rng(5)
Y = RNG.integers(0, 2, 80)
SCORES = np.clip(0.4 * Y + 0.6 * RNG.random(80), 0, 1)


def compared(tables):
    return acumen.compare([acumen.NaiveBayes(), acumen.OneR()], tables, KFold(3), random_state=0)


def tables(*names):
    return [acumen.datasets.load(name) for name in names]


DRAWN = {
    "roc": (lambda: acumen.roc(Y, SCORES, 1).figure(), "roc_axes"),
    "precision-recall": (lambda: acumen.precision_recall(Y, SCORES, 1).figure(), "pr_axes"),
    "lift": (lambda: acumen.lift(Y, SCORES, 1).figure(), "lift_axes"),
    "gain": (lambda: acumen.lift(Y, SCORES, 1).gain_figure(), "gain_axes"),
    "profit": (lambda: acumen.lift(Y, SCORES, 1).profit(0.5, 5).figure(), "profit_axes"),
    "confusion": (lambda: acumen.confusion(Y, SCORES > 0.5).figure(), "confusion_axes"),
    "calibration": (lambda: acumen.calibration(Y, SCORES, 1).figure(), "calibration_axes"),
    "comparison": (lambda: compared(acumen.datasets.load("iris")).figure(), "interval_axes"),
    "several tables": (lambda: compared(tables("iris", "loan", "weather")).figure(), "cd_axes"),
    "learning curve": (
        lambda: acumen.learning_curve(
            acumen.NaiveBayes(), acumen.datasets.load("iris"), random_state=0
        ).figure(),
        "learning_axes",
    ),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_result_is_drawn_as_svg_and_by_matplotlib(name):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    make, axes = DRAWN[name]
    figure = make()
    assert figure._repr_svg_().startswith("<svg")
    drawn = getattr(mpl, axes)(figure)
    assert drawn.has_data() or drawn.texts or drawn.images
    matplotlib.pyplot.close(drawn.figure)


def test_a_gain_curve_starts_at_nothing_and_ends_at_all():
    (curve,) = acumen.lift(Y, SCORES, 1).gain_figure().curves
    found = acumen.lift(Y, SCORES, 1)
    assert (curve.x[0], curve.y[0], curve.x[-1], curve.y[-1]) == (0, 0, 1, 1)
    np.testing.assert_allclose(curve.y[1:], found.cumulative_shares)


def test_chance_achieves_the_share_of_the_positive_class_in_a_precision_recall_figure():
    assert acumen.precision_recall(Y, SCORES, 1).figure().prevalence == pytest.approx(Y.mean())


def test_an_undefined_measure_is_said_to_be_undefined():
    table = acumen.read(([[1.0], [2.0], [3.0], [4.0], [5.0]], ["a", "a", "a", "a", "a"]))
    found = acumen.assess(acumen.Majority(), table, KFold(2), ("kappa", "error", "auc"), random_state=0)
    assert "kappa undefined" in str(found) and "auc: undefined" in str(found)


@pytest.mark.parametrize(
    "learner",
    [acumen.NearestMean(), acumen.KernelFisher(), acumen.Fisher()],
    ids=["means", "kernel", "lines"],
)
def test_regions_of_means_without_a_density_have_no_contour(learner):
    found = acumen.regions(learner, acumen.datasets.load("iris"), "petal_length", "petal_width")
    assert not found.densities and "<svg" in found._repr_svg_()
