"""The learners of cluster hierarchies: agglomerative, divisive, and Chameleon."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen import messages
from acumen.base.grouping import Grouping
from acumen.clusters.chameleon import ChameleonModel, merge_parts
from acumen.clusters.hierarchy import DivisionModel, Hierarchy, HierarchyModel, cut_hierarchy
from acumen.clusters.interfaces import DistanceClusterer
from acumen.clusters.row_distances import RowsApart
from acumen.clusters.row_graph import Cutter
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.geometry.distance_state import resolve
from acumen.geometry.distances import Euclidean, Mahalanobis
from acumen.models.parameters import AtLeast, Between, with_parameters_of
from acumen.resampling.plan import streams
from acumen.rows.training_rows import Rows
from acumen.types import Codes, Floats


class _HierarchicalClusterer(DistanceClusterer):
    """What is known of a hierarchy."""

    model_type: ClassVar[type[HierarchyModel]]

    @property
    def hierarchy_(self) -> Hierarchy:
        """The merges of the hierarchy."""
        hierarchy: Hierarchy = self._require_fitted().model.joins
        return hierarchy

    @property
    def merges_(self) -> Floats:
        """One line per merge: first cluster, second, height, rows. Line t makes cluster n + t; rows are 0 to n - 1."""
        return self.hierarchy_.table()

    @property
    def coefficient_(self) -> float:
        """Agglomerative coefficient: the mean of 1 - (height of a row's first merge) / (height of the last). Near 1
        means clear clusters.
        """
        return self.hierarchy_.coefficient

    def cut(self, n_clusters: int | None = None, *, distance_threshold: float | None = None) -> Codes:
        """Cluster the training rows at another cut: `n_clusters`, or all merges up to `distance_threshold`.

        Rows of which nothing is known have no part in the hierarchy, nor here.
        """
        return self.hierarchy_.cut(n_clusters, distance_threshold=distance_threshold, who=f"{self._name}.cut")

    def _cut(self, table: Table, linkage: str, k: int | None, theta: float | None) -> Grouping:
        if k is not None and theta is not None:
            raise ParameterError(f"{self._name}: give n_clusters or distance_threshold, not both.")
        rows = self._rows(table)
        if linkage == "divisive":
            rows.search.require_pairs(self._name, "use Birch")
        return cut_hierarchy(rows, linkage, k, theta, self._name)


class Agglomerative(_HierarchicalClusterer):
    """Merge the two nearest clusters repeatedly, from single rows to one cluster; then cut the hierarchy.

    The distance of two groups is the mean of their rows' distances (average), the least (single), the largest
    (complete), or what joining them adds to the sum of squares (ward: the height is the root of twice that, which is
    the Euclidean distance of two single rows). Single linkage needs memory for the rows alone, Ward's for their
    centroids; average and complete linkage need all n (n - 1) / 2 distances, and say so before they take more memory
    than there is.

    Of several nearest groups the one the search came from is joined, then the one nearest to an outermost row. Equal
    rows are joined first. A new row belongs where the nearest training row does.

    Parameters
    ----------
    n_clusters : int, optional
        How many groups are left. Without `n_clusters` and `distance_threshold` the hierarchy is cut where heights leap
        most.
    linkage : {"average", "single", "complete", "ward"}
        How far two groups are apart. "ward" is for numbers without gaps under Euclidean or Mahalanobis distances.
    distance_threshold : float, optional
        Joins above this height are undone.
    distance, scale, n_jobs
        As for KMedoids.

    Attributes
    ----------
    labels_ : array
        The group of each row; groups are numbered by their first row.
    objective_ : float
        The heights of the joins inside groups, added: the length of the spanning trees of single linkage, the
        squares about the groups' centres of Ward's.
    merges_ : array
        The table of joins: first group, second group, height, rows.
    coefficient_ : float
        The agglomerative coefficient.
    hierarchy_ : Hierarchy
    distance_ : Distance

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.Agglomerative(3).fit(iris)
    >>> model.merges_.shape, [int(n) for n in model.model_.sizes]
    ((149, 4), [50, 97, 3])
    >>> len(set(model.cut(5).tolist()))
    5
    """

    kind: ClassVar[str] = "agglomerative"
    model_type = HierarchyModel

    @with_parameters_of(DistanceClusterer)
    def __init__(
        self,
        n_clusters: Annotated[int, AtLeast(1)] | None = None,
        *,
        linkage: Literal["average", "single", "complete", "ward"] = "average",
        distance_threshold: Annotated[float, AtLeast(0)] | None = None,
        **others: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.distance_threshold = distance_threshold
        super().__init__(**others)

    def objection(self, schema: Schema) -> str | None:
        if self.linkage == "ward":
            rule = resolve(self.distance, schema, self._name)
            other = messages.setting("linkage", "average")
            named = next((a for a in schema.attributes if not a.is_numeric), None)
            if named is not None:
                return f"ward needs numbers, but {named.name!r} is {named.kind}; use {other}."
            if not isinstance(rule, (Euclidean, Mahalanobis)):
                return f"ward needs Euclidean distances, not {rule.name}; use {other}."
        return super().objection(schema)

    def memory(self, rows: int, schema: Schema) -> int | None:
        pairs = 4 * rows * rows if self.linkage in ("average", "complete") else 0
        return (super().memory(rows, schema) or 0) + pairs

    def cluster(self, rows: Rows) -> Grouping:
        table = rows.require_local(self._name)
        if self.linkage == "ward" and not all(np.isfinite(c).all() for c in table.numeric.columns):
            raise DataError(
                f"{self._name}: ward's centroids need every number, and some are missing or infinite; complete them, "
                f"or use {messages.setting('linkage', 'average')}."
            )
        return self._cut(table, self.linkage, self.n_clusters, self.distance_threshold)


class Divisive(_HierarchicalClusterer):
    """Divide all rows into two clusters, and these again down to single rows (DIANA); then cut the hierarchy.

    Of the group of the largest diameter the row furthest from the others on average leaves first; then, one by one,
    those that are nearer on average to the rows that left than to those that stay (Kaufman and Rousseeuw 1990, chapter
    6). The height of a group is its diameter. Distances are made where they are needed, in memory for the rows alone;
    the time grows with the square of the rows times the depth of the hierarchy, so it is for thousands of them.

    Parameters
    ----------
    n_clusters : int, optional
        How many groups. Without `n_clusters` and `distance_threshold` the hierarchy is cut where heights leap most.
    distance_threshold : float, optional
        Groups of a larger diameter are divided.
    distance, scale, n_jobs
        As for KMedoids.

    Attributes
    ----------
    labels_, merges_, hierarchy_, distance_
        As for Agglomerative.
    objective_ : float
        The diameters of all divisions inside groups, added.
    coefficient_ : float
        The divisive coefficient.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.Divisive(3).fit(iris)
    >>> model.n_clusters_, model.merges_.shape
    (3, (149, 4))
    """

    kind: ClassVar[str] = "divisive"
    model_type = DivisionModel

    @with_parameters_of(DistanceClusterer)
    def __init__(
        self,
        n_clusters: Annotated[int, AtLeast(1)] | None = None,
        *,
        distance_threshold: Annotated[float, AtLeast(0)] | None = None,
        **others: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.distance_threshold = distance_threshold
        super().__init__(**others)

    def cluster(self, rows: Rows) -> Grouping:
        table = rows.require_local(self._name)
        return self._cut(table, "divisive", self.n_clusters, self.distance_threshold)


# -- Chameleon ------------------------------------------------------------------------------------
#
# The clusterer that merges on a graph of near rows.


class Chameleon(DistanceClusterer):
    """Find clusters of any shape and density: partition a neighbour graph, then merge related parts (Chameleon).

    Each row is tied to its nearest rows by how alike they are. The graph is cut into many small parts so that little
    similarity is lost (multilevel bisection); then those two parts are joined, again and again, whose ties to each
    other are strongest compared with the ties within each: in number (relative inter-connectivity) and in strength
    (relative closeness). Rings, crescents and touching groups come out as a person sees them. Karypis, Han and Kumar
    (1999).

    A new row belongs where the nearest training row does. Rows of which nothing is known belong to no group.

    Parameters
    ----------
    n_clusters : int
        How many clusters. [default: 3]
    n_neighbors : int
        To how many of its nearest rows each is tied.
    closeness_exponent : float
        Above 1 closeness counts for more than inter-connectivity, below 1 for less.
    part_fraction : float
        The graph is cut until no part has more than this fraction of the rows.
    smallest : float
        Parts from this share of n / k rows on count as groups, and are not joined to make room for smaller ones: else
        scattered rows would be a group of their own. 0: no part is spared.
    cutter : {"own", "metis"}
        Who cuts the graph into parts: acumen, or METIS, which the extra `graph` installs.
    distance, scale, n_jobs
        As for KMedoids.
    random_state : int, Generator or None
        What cuts are looked for with.

    Attributes
    ----------
    labels_ : array
        The group of each row; groups are numbered by their first row.
    objective_ : float
        The similarity of all edges between groups.
    joins_ : array
        A line for each join: the sizes of the two parts, inter-connectivity and closeness; zeros where no edge tied
        them.
    distance_ : Distance

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.Chameleon(2, random_state=0).fit(iris)
    >>> [int(n) for n in model.model_.sizes], set(model.labels_[:50].tolist())
    ([50, 100], {0})
    """

    kind: ClassVar[str] = "chameleon"
    model_type = ChameleonModel

    @with_parameters_of(DistanceClusterer)
    def __init__(
        self,
        n_clusters: Annotated[int, AtLeast(1)] = 3,
        *,
        n_neighbors: Annotated[int, AtLeast(1)] = 10,
        closeness_exponent: Annotated[float, AtLeast(0)] = 2.0,
        part_fraction: Annotated[float, Between(0, 1)] = 0.025,
        smallest: Annotated[float, Between(0, 1)] = 0.1,
        cutter: Cutter = "own",
        random_state: Any = None,
        **others: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.closeness_exponent = closeness_exponent
        self.part_fraction = part_fraction
        self.smallest = smallest
        self.cutter = cutter
        self.random_state = random_state
        super().__init__(**others)

    def memory(self, rows: int, schema: Schema) -> int | None:
        # An edge stands at both ends, as a key, an end and a weight, while they are sorted and when parts are cut.
        return (super().memory(rows, schema) or 0) + 160 * rows * self.n_neighbors

    def cluster(self, rows: Rows) -> Grouping:
        table = rows.require_local(self._name)
        apart = RowsApart.of(self._name, table, self.distance, self.scale, "tree")
        apart.search.require_pairs(self._name, "use KPrototypes")
        rng = next(iter(streams(self.random_state, self._name)))
        return merge_parts(
            apart, self.n_clusters, neighbours=self.n_neighbors, alpha=self.closeness_exponent,
            part_share=self.part_fraction,
            smallest=self.smallest, cutter=self.cutter, seed=int(rng.integers(0, 2**62)), who=self._name,
        )  # fmt: skip

    @property
    def joins_(self) -> Floats:
        """The merges: sizes of the two parts, inter-connectivity, closeness."""
        joins: Floats = self._require_fitted().model.joins
        return joins
