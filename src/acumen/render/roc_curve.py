"""The ROC curve: how many of the positives are found at the price of how many false alarms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acumen.render.curves import PlotCurve, describe_curves, draw_all, draw_thresholds, has_points, square
from acumen.render.sheet import Sheet, diagonal
from acumen.render.values import Figure


@dataclass(frozen=True, slots=True, eq=False)
class RocFigure(Figure):
    """One or several curves of false positive rate (`x`) and true positive rate (`y`), AUC as their area."""

    curves: Sequence[PlotCurve]
    positive: str = ""
    title: str = "ROC curve"

    def _repr_svg_(self) -> str:
        return roc_svg(self)


def roc_svg(figure: RocFigure) -> str:
    """Draw the curves over the diagonal of chance, one alone with its thresholds; AUC stands in the legend."""
    sheet = Sheet(figure.title, "ROC curve", describe_curves(figure.curves, "AUC"))
    if not has_points(figure.curves):
        return sheet.nothing("No ROC curve: both classes must occur among rows with a score.")
    of = f" ({figure.positive})" if figure.positive else ""
    panel = square(sheet, (f"False positive rate{of}", f"True positive rate{of}"))
    sheet.add(diagonal(panel))
    draw_all(sheet, panel, figure.curves, "AUC", "chance")
    draw_thresholds(sheet, panel, figure.curves)
    return sheet.svg()
