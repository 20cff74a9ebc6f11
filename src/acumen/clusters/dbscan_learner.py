"""The learner that finds clusters in dense regions (DBSCAN)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from acumen.base.grouping import Grouping
from acumen.clusters.dbscan import DenseModel, find_dense
from acumen.clusters.interfaces import DistanceClusterer
from acumen.clusters.row_distances import RowsApart
from acumen.models.parameters import AtLeast, MoreThan, with_parameters_of
from acumen.rows.training_rows import Rows
from acumen.types import Array, Floats


class DBSCAN(DistanceClusterer):
    """Find clusters of any shape in dense regions, and noise rows that belong to none (Ester and others 1996).

    A row is a core if rows of weight `min_samples`, itself among them, lie within `eps` of it. Cores within `eps` of
    each other belong to one group; any other row within `eps` of a core goes to the group of the nearest, so that no
    order of rows decides; the rest is noise, -1. Neighbours are counted, never stored: memory does not grow with `eps`.

    Parameters
    ----------
    eps : "auto" or float
        The reach, in units of the distance (of deviations, where numbers are scaled). "auto": the knee of the curve of
        all rows' distances to their `min_samples`-th neighbour, which `to_figure` draws.
    min_samples : int
        The weight within reach that makes a core.
    distance, scale, n_jobs
        As for KMedoids.

    Attributes
    ----------
    labels_ : array
        The group of each row, -1 for noise; groups are numbered by their first row.
    objective_ : float
        The sum of the distances of border rows to the nearest core; no number of groups makes it least.
    eps_ : float
        The reach.
    cores_ : array
        The rows that are cores.
    curve_ : array
        With eps="auto" the distances it was chosen by, largest first.
    distance_ : Distance

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.DBSCAN(eps=0.6).fit(iris)
    >>> model.n_clusters_, int((model.labels_ < 0).sum())
    (2, 26)
    """

    kind: ClassVar[str] = "dbscan"
    model_type = DenseModel

    @with_parameters_of(DistanceClusterer)
    def __init__(
        self,
        *,
        eps: Literal["auto"] | Annotated[float, MoreThan(0)] = "auto",
        min_samples: Annotated[int, AtLeast(1)] = 5,
        **others: Any,
    ) -> None:
        self.eps = eps
        self.min_samples = min_samples
        super().__init__(**others)

    def cluster(self, rows: Rows) -> Grouping:
        table = rows.require_local(self._name)
        apart = RowsApart.of(self._name, table, self.distance, self.scale, "tree")
        apart.search.require_pairs(self._name, "use KPrototypes")
        return find_dense(apart, None if self.eps == "auto" else float(self.eps), float(self.min_samples))

    @property
    def eps_(self) -> float:
        """The neighbourhood radius."""
        eps: float = self._require_fitted().model.eps
        return eps

    @property
    def cores_(self) -> Array:
        """The core rows."""
        cores: Array = self._require_fitted().model.rows
        return cores

    @property
    def curve_(self) -> Floats:
        """The distances from which `eps` was chosen, largest first; empty if `eps` was given."""
        curve: Floats = self._require_fitted().model.curve
        return curve
