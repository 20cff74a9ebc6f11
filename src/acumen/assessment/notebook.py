"""Results of assessments in a notebook: figures, pictures and notes in one block.

assessment_html, confusion_block, bias_variance_html, comparison_html, tables_html
                a result -> HTML, bounded and escaped
figure_html     of a result that is best seen as its figure alone
"""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.assessment.assessment import Assessment, note_lines
from acumen.assessment.bias_variance import BiasVariance
from acumen.assessment.calibration import Calibration
from acumen.assessment.compare_tables import ComparisonOverTables
from acumen.assessment.comparison import Comparison
from acumen.assessment.comparison_text import (
    answer_lines,
    heading,
    left_out_lines,
    unjudged_lines,
    value_text,
)
from acumen.assessment.confusion import Confusion
from acumen.assessment.decide import Decision
from acumen.assessment.figures import confusion_figure, fit_figure, ranking_figure
from acumen.assessment.lift import Lift, Profit
from acumen.assessment.roc import PrecisionRecall, Roc
from acumen.assessment.scores import measure as measure_of
from acumen.render.bars_plot import Bar, BarsFigure
from acumen.render.confusion_plot import confusion_html
from acumen.render.interval_plot import IntervalFigure, IntervalRow
from acumen.render.notebook import block, notebook_html, render_figure
from acumen.render.report import Code, Details, Paragraph, Piece, PointsPanel, ReportTable, pieces_html
from acumen.render.text import many, number
from acumen.render.views import register_renderers

#: Splits that have a line of their own in the picture; classes whose matrix is drawn.
_SPLITS, _CLASSES = 30, 20


def assessment_html(found: Assessment) -> str:
    """Every measure with its interval, the values of the splits, and the confusion matrix."""
    rows = []
    for name in found.measures:
        around = found.interval_of(name)
        form = ".4f" if measure_of(name).most == 1 else ".4g"
        within = f"{around.low:{form}} to {around.high:{form}}" if np.isfinite(around.low) else ""
        value = found.mean_of(name)
        rows.append([name, "undefined" if np.isnan(value) else format(value, form), within])
    pieces: list[Piece] = [
        ReportTable(["measure", "mean", "95 % interval"], rows, ["left", "right", "right"])
    ]
    splits = _splits(found)
    if splits is not None:
        pieces.append(splits)
    if found.confusion is not None and len(found.confusion.labels) <= _CLASSES:
        pieces.append(render_figure(confusion_figure(found.confusion)))
    elif found.confusion is None and found.runs:
        pieces.append(render_figure(fit_figure(*found.residuals(), "number")))
    if found.notes:
        pieces.append(PointsPanel(note_lines(found.notes)))
    return notebook_html(found.learner, pieces, f"{found.method}, seed {found.seed}")


def _splits(found: Assessment) -> Piece | None:
    """The first measure on each split, and the mean of all with its interval."""
    name = found.measures[0]
    values = found.table[name]
    if not 1 < len(values) <= _SPLITS or not np.isfinite(values).any():
        return None
    around = found.interval_of(name)
    low, high = (around.low, around.high) if np.isfinite(around.low) else (found.mean, found.mean)
    rows = [IntervalRow("all", found.mean, float(low), float(high))]
    rows += [IntervalRow(f"split {i}", v, v, v) for i, v in enumerate(values.tolist(), 1) if np.isfinite(v)]
    return Details("Split by split", (render_figure(IntervalFigure(rows, name, f"{name} of each split")),))


def confusion_block(found: Confusion) -> str:
    """The confusion matrix with each class's figures, and its picture."""
    pictures: list[Piece] = []
    if 1 < len(found.labels) <= _CLASSES and found.total > 0:
        pictures.append(render_figure(confusion_figure(found)))
    return block(confusion_html(found.to_dict()) + pieces_html(pictures))


def bias_variance_html(found: BiasVariance) -> str:
    """The terms as bars, and the advice."""
    bars = [Bar("bias", found.bias), Bar("variance", found.variance)]
    if found.decomposition == "domingos":
        bars += [
            Bar("that harms", found.unbiased, sure=False),
            Bar("that helps", -found.biased, sure=False),
        ]
    title = f"Mean {found.loss} loss {number(found.mean_loss)}"
    figure = BarsFigure([*bars, Bar("mean loss", found.mean_loss)], f"{found.loss} loss", title)
    text = f"{number(found.mean_loss)} = bias {number(found.bias)} + variance {number(found.variance)}"
    if found.decomposition == "domingos":
        text += f" ({number(found.unbiased)} that harms minus {number(found.biased)} that helps)"
    pieces: list[Piece] = [Paragraph(text), render_figure(figure), Paragraph(found.advice)]
    under = f"{many(found.rounds, 'model')} from {found.train_rows:,} rows, {found.test_rows:,} test rows"
    return notebook_html(f"{found.learner}: bias and variance", pieces, under)


def comparison_html(found: Comparison) -> str:
    """The ranking as a figure and a table, the answer in words, and the full text collapsed."""
    measure = found.measure
    rows = [
        [
            f"{row['rank']}.",
            row["learner"],
            value_text(row[measure], measure),
            f"{value_text(row['low'], measure)} to {value_text(row['high'], measure)}"
            if np.isfinite(row["low"])
            else "",
            row["verdict"],
        ]
        for row in found.table
    ]
    headings = ["", "learner", measure, "95 % interval", f"versus {found.reference}"]
    pieces: list[Piece] = [
        render_figure(ranking_figure(found)),
        ReportTable(headings, rows, ["right", "left", "right", "right", "left"]),
        *(Paragraph(line) for line in answer_lines(found)),
    ]
    notes = [
        *(line.strip(" -") for line in unjudged_lines(found)),
        *left_out_lines(found),
        *note_lines(found.notes),
    ]
    if notes:
        pieces.append(PointsPanel(notes))
    pieces.append(Details("In words", (Code(str(found)),)))
    return notebook_html("Comparison", pieces, heading(found))


def tables_html(found: ComparisonOverTables) -> str:
    """The critical-difference diagram, and the tests in words."""
    return notebook_html("Comparison over tables", [render_figure(found.figure()), Code(str(found))])


def figure_html(result: Any) -> str:
    """The figure of a result."""
    return f'<div style="max-width:44rem">{result.figure()._repr_svg_()}</div>'


register_renderers(
    "html",
    {
        Assessment: assessment_html,
        Confusion: confusion_block,
        BiasVariance: bias_variance_html,
        Comparison: comparison_html,
        ComparisonOverTables: tables_html,
        **dict.fromkeys((Roc, PrecisionRecall, Lift, Profit, Decision, Calibration), figure_html),
    },
)
