"""A machine of two numeric attributes as a drawing: the line it decides by, margins, support vectors."""

from __future__ import annotations

import numpy as np

from acumen.data.align import align
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.models.predictor import Predictor
from acumen.render.margin_plot import MarginFigure
from acumen.svm.model import SVMModel
from acumen.svm.reading.report import MachineReport
from acumen.types import Floats

_GRID = 121
_OTHER_ROWS = (
    "figure: the rows are not those the machine was trained on; give table, labels and weights as to fit."
)


def margin_figure(predictor: Predictor, report: MachineReport, machine: int, rows: Table) -> MarginFigure:
    """The drawing of one machine over the rows it was trained on; DataError where they are not of two numbers."""
    model = predictor.model
    assert isinstance(model, SVMModel)
    schema = predictor.schema
    if len(schema) != 2 or len(schema.numeric) != 2:
        raise DataError(
            f"figure: a drawing needs exactly two numeric attributes; this model has {len(schema)} attributes, "
            f"{len(schema.numeric)} of them numeric. Fit another on two columns to draw it."
        )
    if model.decoding == "largest" and not (model.code[machine] < 0).any():
        raise DataError(
            "figure: the one machine of all classes has no two sides to draw; see acumen.regions."
        )
    rows = align(rows, schema)
    if rows.labels is None or len(rows) <= int(report.rows.max(initial=-1)):
        raise DataError(_OTHER_ROWS)
    rows = rows.take(report.rows)
    signs = model.code[machine][rows.class_codes]
    if not np.allclose(signs * model.decisions(rows)[:, machine], report.margin, rtol=1e-3, atol=1e-3):
        raise DataError(_OTHER_ROWS)
    points = np.column_stack([np.asarray(column) for _, column in rows.numeric_columns()])
    x, y = (_around(points[:, j]) for j in (0, 1))
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    grid_table = Table(Schema(schema.attributes), len(grid), numeric=[grid[:, 0].copy(), grid[:, 1].copy()])
    decisions = model.decisions(grid_table)[:, machine].reshape(len(y), len(x))
    first, second = (attribute.name for attribute in schema)
    low, high = (", ".join(map(str, side)) for side in (report.negative, report.positive))
    return MarginFigure(
        x=x,
        y=y,
        decisions=decisions,
        classes=(low, high),
        points=points,
        labels=(signs > 0).astype(np.intp),
        support=report.alpha > 0,
        x_label=first,
        y_label=second,
        title=f"Margin of {high} against {low}",
        alphas=np.asarray(report.alpha, dtype=np.float64),
    )


def _around(values: Floats) -> Floats:
    """A grid somewhat wider than the values."""
    known = values[np.isfinite(values)]
    if not len(known):
        raise DataError("figure: an attribute has no known value.")
    low, high = float(known.min()), float(known.max())
    room = 0.08 * (high - low) or 1.0
    return np.linspace(low - room, high + room, _GRID)
