"""The k-means learners: parameters, documentation, and the algorithm behind each."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.grouping import Grouping
from acumen.clusters import kmeans
from acumen.clusters.constrained_means import search_constrained
from acumen.clusters.interfaces import ConstrainedClusterer, LinkPairs, RestartingClusterer
from acumen.clusters.kmeans import MeansModel
from acumen.clusters.space import Points, PointSpace, no_words, points_in
from acumen.data.schema import Schema
from acumen.errors import ParameterError
from acumen.models.parameters import AtLeast, with_parameters_of
from acumen.preprocessing.coded import coded_width
from acumen.rows.training_rows import Rows
from acumen.types import Floats


class KMeans(ConstrainedClusterer, RestartingClusterer):
    """Cluster rows around means: each row belongs to the nearest centre, and each centre is the mean of its rows.

    This is exact Lloyd iteration; bounds on distances avoid most comparisons after the first passes without changing
    the result. A missing value is ignored in a row's distances and in means. Nominal attributes have a coordinate for
    each level (see `acumen.KPrototypes` for modes). From 32,768 rows on, acumen tries the starts on a sample drawn by
    weight and continues with the best one on all rows. `fit_stream` reads parts several times and gives the same result
    as `fit`, to the byte; a `tol` above 0 saves the last passes.

    Parameters
    ----------
    n_clusters : int or "mdl"
        How many clusters [default: 3]. "mdl": the number, from 1 to `max_clusters`, with the shortest description of
        the rows.
    init : {"k-means++", "random"} or array of (k, columns)
        How a search starts: from rows drawn far apart, from rows drawn at random, or from your centres in the units of
        the columns (one for each number or ordinal code, and one for each level); then there is one search.
    gamma : float, optional
        With n_clusters="mdl": choose the k of the least sum of squares + gamma k, instead of the description in bits,
        n H(groups) + n d / 2 log2(2 pi e s^2 / p^2) + (k d + k - 1) / 2 log2 n with a precision p of a thousandth of
        the rows' spread. gamma = s^2 d ln n is BIC's where s^2, the variance within groups, is known.
    max_clusters : int
        With n_clusters="mdl": the largest number of clusters to try.
    must_link, cannot_link : pairs of row numbers
        Rows, counted from 0, that must be in the same cluster, and rows that must not. Rows that must be together move
        together. Rows that must be separate get the cheapest allowed clusters, by branch and bound. The links hold in
        `labels_`; `predict` ignores them and takes the nearest centre. Contradicting pairs are refused. Every start is
        searched on all rows. Not with n_clusters="mdl", nor for `fit_stream`.
    tol : float
        Stop when the squared moves of the centres sum to at most this; 0: when no centre moves.
    scale : bool
        Scale every attribute to variance 1 first, so that units do not matter.
    max_iter : int
        The largest number of passes of a search.
    n_init : int
        The number of searches with different starts; the one with the smallest sum of squares is used.
    random_state : int, generator or None
        Seeds the starts.
    n_jobs : int, optional
        Number of threads; None for all available cores. The result does not depend on it.

    Attributes
    ----------
    labels_ : array of int
        The cluster of each row; -1 if all its values are missing. Not available after `fit_stream`.
    objective_ : float
        The sum of squared distances of rows to their centres, in the units of the distance.
    cluster_centers_ : array of (groups, columns)
        In the units of the columns.
    inertias_, criterion_values_ : arrays
        With n_clusters="mdl", for k = 1, 2, ...: the sum of squares, and what k was chosen by.
    n_iter_ : int
        The passes of the search that was kept; of those over all rows where there was a sample.

    Examples
    --------
    >>> import acumen
    >>> model = acumen.KMeans(3, scale=False, random_state=0).fit(acumen.datasets.load("iris"))
    >>> round(model.objective_, 4), model.labels_[[0, 50, 100]].tolist()
    (78.9408, [0, 1, 2])
    """

    kind: ClassVar[str] = "k-means"
    model_type = MeansModel

    @with_parameters_of(RestartingClusterer)
    def __init__(
        self,
        n_clusters: Annotated[int, AtLeast(1)] | Literal["mdl"] = 3,
        *,
        init: Literal["k-means++", "random"] | np.ndarray | list = "k-means++",  # type: ignore[type-arg]
        gamma: Annotated[float, AtLeast(0)] | None = None,
        max_clusters: Annotated[int, AtLeast(1)] = 10,
        tol: Annotated[float, AtLeast(0)] = 0.0,
        must_link: LinkPairs = (),
        cannot_link: LinkPairs = (),
        **others: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.gamma = gamma
        self.max_clusters = max_clusters
        self.tol = tol
        self.must_link = must_link
        self.cannot_link = cannot_link
        super().__init__(**others)

    def objection(self, schema: Schema) -> str | None:
        return no_words(schema)

    def check_parameters(self) -> None:
        super().check_parameters()
        if self.has_links and self.n_clusters == "mdl":
            raise ParameterError(
                f'{self._name}: must_link and cannot_link do not go with n_clusters="mdl"; '
                "give n_clusters a number."
            )

    def memory(self, rows: int, schema: Schema) -> int | None:
        away = 24 * int(self.n_clusters) if self.has_links and self.n_clusters != "mdl" else 0
        return rows * (8 * coded_width(schema) + 28 + away)

    @property
    def streams(self) -> bool:
        return True

    def cluster(self, rows: Rows) -> Grouping:
        if self.has_links and rows.table is None:
            raise ParameterError(
                f"{self._name}: must_link and cannot_link need all rows in memory; use fit, not fit_stream."
            )
        space = PointSpace.fit(rows, self.scale, self._name)
        source = points_in(rows, space)
        if self.has_links:
            return self._fit_linked(Points.concatenate(source), space, rows.schema)
        options = kmeans.KMeansOptions(
            self.n_clusters,
            self._init(space, rows.schema),
            self.max_iter,
            self.tol,
            self.max_clusters,
            self.gamma,
        )
        chosen = kmeans.search(source, len(rows), rows.weight, options, self.starts(), self._name)
        end = kmeans.number_centres(source, chosen.search.centres, rows.table is not None)
        model = MeansModel(
            space, end.centres, end.sizes, chosen.search.objective, chosen.squares, chosen.lengths
        )
        return Grouping(model, end.labels, chosen.search.n_iter)

    def _fit_linked(self, points: Points, space: PointSpace, schema: Schema) -> Grouping:
        """Groups that keep to the links."""
        options = kmeans.KMeansOptions(
            self.n_clusters, self._init(space, schema), self.max_iter, self.tol, self.max_clusters, self.gamma
        )
        links = self._links(len(points))
        end, search = search_constrained(points, links, options, self.starts(), self._name)
        nothing = np.empty(0)
        model = MeansModel(space, end.centres, end.sizes, search.objective, nothing, nothing)
        return Grouping(model, end.labels, search.n_iter)

    def _init(self, space: PointSpace, schema: Schema) -> str | Floats:
        if isinstance(self.init, str):
            return self.init
        if self.n_clusters == "mdl":
            raise ParameterError(
                f'{self._name}: centres that are given do not go with n_clusters="mdl"; say how many.'
            )
        centres = np.array(self.init, dtype=np.float64, ndmin=2)
        if centres.shape != (self.n_clusters, space.width) or not np.isfinite(centres).all():
            raise ParameterError(
                f"{self._name}: init must be finite numbers, {self.n_clusters} lines of {space.width}, "
                "one for each column; "
                f"got an array of {centres.shape}."
            )
        space.place(centres)
        return centres

    @property
    def cluster_centers_(self) -> Floats:
        """The cluster centres, in the units of the columns."""
        model: MeansModel = self.model_
        return model.space.values(model.centres)

    @property
    def inertias_(self) -> Floats:
        """With n_clusters="mdl", the sums of squares for k = 1, 2, ..."""
        squares: Floats = self.model_.squares
        return squares

    @property
    def criterion_values_(self) -> Floats:
        """With n_clusters="mdl", the criterion for k = 1, 2, ..."""
        lengths: Floats = self.model_.lengths
        return lengths
