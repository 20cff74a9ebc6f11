"""The face of the clusterer that works on a graph of near rows."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from acumen.base.grouping import Grouping
from acumen.clusters.chameleon import ChameleonModel, merge_parts
from acumen.clusters.interfaces import DistanceClusterer
from acumen.clusters.row_distances import RowsApart
from acumen.clusters.row_graph import Cutter
from acumen.data.schema import Schema
from acumen.models.parameters import AtLeast, Between, with_parameters_of
from acumen.resampling.plan import streams
from acumen.rows.training_rows import Rows
from acumen.types import Floats


class Chameleon(DistanceClusterer):
    """Find groups of any form and density: cut a graph of near rows into parts, and join what belongs together.

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
    part_share : float
        The graph is cut until no part has more than this share of the rows.
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
        part_share: Annotated[float, Between(0, 1)] = 0.025,
        smallest: Annotated[float, Between(0, 1)] = 0.1,
        cutter: Cutter = "own",
        random_state: Any = None,
        **others: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.closeness_exponent = closeness_exponent
        self.part_share = part_share
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
            part_share=self.part_share,
            smallest=self.smallest, cutter=self.cutter, seed=int(rng.integers(0, 2**62)), who=self._name,
        )  # fmt: skip

    @property
    def joins_(self) -> Floats:
        """The joins: sizes of the two parts, inter-connectivity, closeness."""
        joins: Floats = self._fitted().model.joins
        return joins
