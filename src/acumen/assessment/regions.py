"""`acumen.regions`: a learner's decision regions over two attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.assessment.runs import fresh, judged_rows
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.profiling.fit_warnings import data_warnings_off
from acumen.render.regions import Density, RegionsFigure
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.base.learner import Learner

_GRID = 160


def regions(
    learner: Learner, table: Table, x: str | None = None, y: str | None = None, *, undecided: bool = False
) -> RegionsFigure:
    """Show the decision regions of a learner over two numeric attributes.

    A copy of the learner is fitted on these two attributes alone. For Gaussian models the line on which the
    density has fallen to 1 % of its peak is drawn around each class.

    Parameters
    ----------
    learner : a classifier of acumen
    table : Table with a nominal target
    x, y : str, optional
        The attributes. [default: the first two numeric ones]
    undecided : bool
        For learners that combine two-class learners (OneVsRest, OneVsOne, OutputCodes): draw the places where only the
        decoding decides as a separate region.

    Returns
    -------
    RegionsFigure
        Shows itself in a notebook; `acumen.render.regions.regions_svg` and `acumen.render.mpl` draw it.
    """
    names = [attribute.name for attribute in table.schema.numeric]
    if x is None or y is None:
        if len(names) < 2:
            raise DataError(f"regions: two numeric attributes are needed; the table has {len(names)}.")
        x, y = x or names[0], y or next(name for name in names if name != (x or names[0]))
    for name in (x, y):
        if not table.schema[name].is_numeric:
            raise DataError(
                f"regions: attribute {name!r} is {table.schema[name].kind}; regions need numeric ones."
            )
    rows = judged_rows(learner, table.select([x, y]))
    with data_warnings_off():
        fitted = fresh(learner).fit(rows)
    points = np.column_stack([column for _, column in rows.numeric_columns()])
    across, up = (_axis(points[:, j]) for j in (0, 1))
    grid_x, grid_y = np.meshgrid(across, up)
    grid = Table(Schema(rows.schema.attributes), grid_x.size, numeric=[grid_x.ravel(), grid_y.ravel()])
    predictor = fitted.predictor_
    if predictor.model.probabilistic and predictor.costs is None:
        shares = predictor.proba(grid)
    else:
        shares = np.eye(len(predictor.classes))[predictor.predict(grid)]
    classes = [str(label) for label in rows.schema.classes]
    if undecided:
        if not hasattr(fitted, "ambiguous"):
            raise DataError(
                f"regions: undecided=True is for OneVsRest, OneVsOne and OutputCodes; {type(learner).__name__} has a "
                "class for every row."
            )
        lost = fitted.ambiguous(grid)
        shares = np.column_stack([np.where(lost[:, None], 0.0, shares), lost])
        classes.append("undecided")
    known = np.isfinite(points).all(axis=1)
    return RegionsFigure(
        x=across,
        y=up,
        probabilities=shares.reshape(len(up), len(across), len(classes)),
        classes=classes,
        points=points[known],
        labels=rows.class_codes[known].astype(np.intp),
        densities=_densities(predictor.model),
        x_label=x,
        y_label=y,
        title=f"{type(learner).__name__} on {x} and {y}",
    )


def _axis(values: Floats) -> Floats:
    known = values[np.isfinite(values)]
    if not known.size:
        raise DataError("regions: an attribute has no values at all.")
    low, high = float(known.min()), float(known.max())
    margin = 0.06 * (high - low) or 0.5
    return np.linspace(low - margin, high + margin, _GRID)


def _densities(model: Any) -> list[Density]:
    """The Gaussians of naive and full Bayes; other models have none."""
    numeric = getattr(model, "numeric", model)
    mean = getattr(numeric, "mean", None)
    if mean is None or np.shape(mean)[1:] != (2,):
        return []
    variance = getattr(numeric, "variance", None)
    seen = getattr(model, "weight", np.ones(len(mean))) > 0
    if variance is not None:
        matrices = [np.diag(v) for v in variance]
    else:
        shared = getattr(model, "covariance", None)
        if shared is None:  # means alone, such as those of NearestMean, are no density
            return []
        matrices = [shared[0] if len(shared) == 1 else shared[c] for c in range(len(mean))]
    return [Density(c, mean[c], matrices[c]) for c in range(len(mean)) if seen[c]]
