"""Pictures of clusters: rows in the plane of their principal components, silhouettes, and typical values.

    picture      clusterer, table -> a figure value, which shows itself in a notebook as SVG

A hierarchy's dendrogram and the curve that DBSCAN's reach was chosen by need no rows: `model.to_figure()`.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from acumen.clusters.quality import silhouette
from acumen.clusters.space import PointSpace, no_words
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.render.groups_plot import GroupsFigure
from acumen.render.profile_plot import ProfileFigure
from acumen.render.silhouette_plot import SilhouetteFigure
from acumen.render.text import percent
from acumen.rows.training_rows import TableRows
from acumen.types import Codes, Floats

Picture = Literal["components", "silhouette", "profile"]
#: Rows whose silhouettes are drawn; of more, a sample.
_MOST = 2_000


def picture(
    model: Any, table: Any, kind: Picture = "components", *, title: str | None = None
) -> GroupsFigure | SilhouetteFigure | ProfileFigure:
    """Draw a clusterer's clusters on a table's rows.

    Parameters
    ----------
    model : fitted clusterer
    table : Table, data frame or array
    kind : {"components", "silhouette", "profile"}
        Rows in the plane of their two principal components, with medoids or centres; a bar for each row's silhouette,
        group by group; or how far each group is from all other rows in each attribute.
    title : str, optional

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.KMedoids(3, random_state=0).fit(iris)
    >>> figure = acumen.clustering.picture(model, iris)
    >>> figure.x_label
    'first component, 72.8 % of the variance'
    """
    if kind == "profile":
        return model.profile(table).to_figure(**({} if title is None else {"title": title}))
    groups = model.predict(table)
    # The target plays no part, nor do columns that the model does not know.
    rows = model._query(table)
    if kind == "components":
        return components_figure(model, rows, groups, title or "Clusters, by principal components")
    if kind == "silhouette":
        return silhouette_figure(model, rows, groups, title or "Silhouettes")
    raise ParameterError(f'picture: kind must be "components", "silhouette" or "profile"; got {kind!r}.')


def group_names(model: Any) -> list[str]:
    """What groups are called in pictures."""
    return [f"cluster {group}" for group in range(model.n_clusters_)]


def components_figure(model: Any, rows: Table, groups: Codes, title: str) -> GroupsFigure:
    """Rows in the plane in which they differ most; what is missing is taken as the mean."""
    if (sentence := no_words(rows.schema)) is not None:
        raise DataError(f"picture: {sentence}")
    space = PointSpace.fit(TableRows(rows), bool(getattr(model, "scale", True)), "picture")
    points = np.nan_to_num(space.write(rows), nan=0.0)
    weights = rows.row_weights
    turn, shares = _components(points, weights)
    middles, middle = _middles(model, rows, space)
    return GroupsFigure(
        points @ turn, groups, group_names(model), middles @ turn, middle,
        f"first component, {percent(shares[0])} of the variance",
        f"second component, {percent(shares[1])}" if len(shares) > 1 else "", title,
    )  # fmt: skip


def _components(points: Floats, weights: Floats) -> tuple[Floats, list[float]]:
    """The two directions of the largest variance, as columns, and what share of it each has."""
    with np.errstate(over="ignore", invalid="ignore"):
        scatter = (points * weights[:, None]).T @ points
    if not np.isfinite(scatter).all():
        raise DataError(
            "picture: the numbers are so large that their squares cannot be added; divide by a constant."
        )
    values, vectors = np.linalg.eigh(scatter)
    order = np.argsort(-values, kind="stable")[:2]
    turn = vectors[:, order]
    # A direction and its opposite are one: the largest entry points up, so that the picture is the same anywhere.
    signs = np.sign(turn[np.argmax(np.abs(turn), axis=0), np.arange(turn.shape[1])])
    turn = turn * np.where(signs == 0, 1.0, signs)
    total = max(float(values.sum()), 1e-300)
    shares = [max(float(values[j]), 0.0) / total for j in order]
    if turn.shape[1] < 2:
        turn = np.column_stack([turn, np.zeros(len(turn))])
    return turn, shares


def _middles(model: Any, rows: Table, space: PointSpace) -> tuple[Floats, str]:
    """Medoids where rows are those learned from, centres where the model has some; else none."""
    nothing = np.empty((0, space.width))
    fitted = model.model_
    if hasattr(model, "medoids_"):
        medoids = np.asarray(model.medoids_)
        if len(medoids) == model.n_clusters_ and medoids.max(initial=-1) < len(rows) and len(medoids):
            # Only of the table that was learned from are these rows the medoids.
            medoid_rows = rows.take(medoids)
            if (model.predict(medoid_rows) == np.arange(len(medoids))).all():
                return np.nan_to_num(space.write(medoid_rows), nan=0.0), "medoid"
        return nothing, "medoid"
    centres = getattr(fitted, "centres", None)
    if isinstance(centres, np.ndarray) and getattr(fitted, "space", None) is not None:
        values = fitted.space.values(centres)
        if values.shape == (model.n_clusters_, space.width):
            values_shown = values.copy()
            space.place(values_shown)
            return np.nan_to_num(values_shown, nan=0.0), "centre"
    return nothing, "medoid"


def silhouette_figure(model: Any, rows: Table, groups: Codes, title: str) -> SilhouetteFigure:
    """The silhouettes of all rows, or of a sample of many, by the distance that the model has."""
    distance = getattr(model, "distance", "auto")
    widths = silhouette(
        rows, groups, distance=distance, scale=bool(getattr(model, "scale", True)),
        sample=None if len(rows) <= _MOST else _MOST,
    )  # fmt: skip
    # Rows in no group were left out before they were numbered.
    there = np.flatnonzero((groups >= 0) & (rows.row_weights > 0))
    return SilhouetteFigure(widths.values, groups[there[widths.rows]], group_names(model), title)
