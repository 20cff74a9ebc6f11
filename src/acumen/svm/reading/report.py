"""What is known of each training row of a support vector machine, and the drawing of a machine of two attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.align import align
from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.models.predictor import Predictor
from acumen.render.margin_plot import MarginFigure
from acumen.svm.machine import Machine
from acumen.svm.model import SVMModel
from acumen.svm.solvers.certificate import Certificate
from acumen.types import Array, Bools, Floats, Indices, Label

#: The types a row may have, by where it lies.
TYPES = ("outside", "on the margin", "inside", "wrong side")


@dataclass(frozen=True, slots=True)
class MachineReport:
    """One machine and its training rows.

    Attributes
    ----------
    positive, negative : tuples of classes
        The two sides.
    rows : array of int
        Which training rows it saw (rows without label or weight are not counted).
    alpha : array of float64
        Each row's multiplier, 0 to its cost.
    margin : array of float64
        side x decision: 1 on the margin, below 0 on the wrong side.
    slack : array of float64
        How far the row is short of its margin: max(0, 1 - margin).
    type : array of str
        "outside", "on the margin", "inside" (the margin, on the right side) or "wrong side".
    norm : float
        |w| in the space of the kernel.
    bias : float
    certificate : Certificate
    solver : str
    steps : int
        What the solver counts: steps, working sets or sweeps.
    """

    positive: tuple[Label, ...]
    negative: tuple[Label, ...]
    rows: Indices
    alpha: Floats
    margin: Floats
    slack: Floats
    type: Array
    norm: float
    bias: float
    certificate: Certificate
    solver: str
    steps: int

    @property
    def margin_width(self) -> float:
        """The width of the margin, 2 / |w|."""
        return 2.0 / self.norm if self.norm > 0 else float("inf")

    @property
    def support(self) -> Indices:
        """The rows that are support vectors."""
        return self.rows[self.alpha > 0]

    def type_counts(self) -> dict[str, int]:
        """The number of rows of each type."""
        return {t: int(np.count_nonzero(self.type == t)) for t in TYPES}

    def __str__(self) -> str:
        up, down = (", ".join(printable(str(c)) for c in side) for side in (self.positive, self.negative))
        sides = f"{up} (+) against {down} (-)" if down else f"all of {up}"
        counts = ", ".join(f"{n} {t}" for t, n in self.type_counts().items())
        return (
            f"{sides}: {len(self.support)} support vectors, margin {self.margin_width:.4g} wide\n"
            f"  rows: {counts}\n  {self.certificate}\n  by {self.solver} in {self.steps} steps"
        )


def reports_of(
    machines: Sequence[Machine],
    sides: Sequence[Floats],
    rows: Sequence[Indices],
    names: Sequence[tuple[tuple[Label, ...], ...]],
    tol: float,
) -> list[MachineReport]:
    """A report of each machine, `names` being the classes of its two sides.

    A row counts as on the margin when it is within `tol` of it. All machines' rows are looked at in one go.
    """
    margins = np.concatenate([side * machine.decision for side, machine in zip(sides, machines, strict=True)])
    slacks, types = np.maximum(1.0 - margins, 0.0), row_types(margins, tol)
    reports, start = [], 0
    for machine, machine_rows, (positive, negative) in zip(machines, rows, names, strict=True):
        part = slice(start, start + len(machine_rows))
        start = part.stop
        reports.append(
            MachineReport(
                positive=positive,
                negative=negative,
                rows=machine_rows,
                alpha=np.abs(machine.b),
                margin=margins[part],
                slack=slacks[part],
                type=types[part],
                norm=machine.norm,
                bias=machine.bias,
                certificate=machine.certificate,
                solver=machine.solver,
                steps=machine.steps,
            )
        )
    return reports


def row_types(margin: Floats, tol: float) -> Array:
    """The type of each row by its margin."""
    near: Bools = np.abs(margin - 1.0) <= tol
    return np.select([near, margin > 1.0, margin > 0.0], [TYPES[1], TYPES[0], TYPES[2]], TYPES[3])


# -- drawing of a machine of two attributes -------------------------------------------------------
#
# A machine of two numeric attributes as a drawing: the line it decides by, margins, support vectors.


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
