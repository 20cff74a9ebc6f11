"""The faces of clusterers that need nothing but distances: parameters, documentation, and what stands behind each."""

from __future__ import annotations

import math
import warnings
from typing import Annotated, Any, ClassVar, Literal

from sklearn.exceptions import ConvergenceWarning

from acumen.base.clusterer import Clusterer, Grouping
from acumen.base.parameters import AtLeast, MoreThan, with_parameters_of
from acumen.clusters import apart
from acumen.clusters.agglomerate import cut_groups
from acumen.clusters.apart import DistanceLike, RowsApart
from acumen.clusters.dense import find_dense
from acumen.clusters.dense_model import DenseModel
from acumen.clusters.hierarchy import DivisionModel, Hierarchy, HierarchyModel
from acumen.clusters.medoid_model import DrawnModel, MedoidsModel, SampledModel
from acumen.clusters.medoids import find_by_chance, find_by_samples, find_medoids
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.geometry.distance import Distance
from acumen.geometry.distance_state import resolve
from acumen.geometry.distances import Euclidean, Mahalanobis
from acumen.resample.plan import streams
from acumen.types import Array, Codes, Floats


class DistanceFace(Clusterer):
    """What clusterers by distances have in common."""

    def __init__(
        self, *, distance: DistanceLike = "auto", scale: bool = True, n_jobs: int | None = None
    ) -> None:
        self.distance = distance
        self.scale = scale
        self.n_jobs = n_jobs

    @property
    def minds_constants(self) -> bool:
        """Whether a column that never changes may change the groups: a gap counts for less among more columns."""
        return True

    def objection(self, schema: Schema) -> str | None:
        return apart.objection(self.distance, schema, self._name)

    def memory(self, rows: int, schema: Schema) -> int | None:
        return apart.bytes_apart(self.distance, rows, schema, self._name)

    @property
    def distance_(self) -> Distance:
        """The distance that was used."""
        found: Distance = self._fitted().model.fitted.distance
        return found

    def _rows(self, table: Table, index: Any = "brute") -> RowsApart:
        return RowsApart.of(self._name, table, self.distance, self.scale, index)

    def _told(self, found: tuple[Grouping, bool]) -> Grouping:
        grouping, settled = found
        if not settled:
            warnings.warn(
                f"{self._name}: the search for medoids did not come to its end in {self.max_iter} passes; give a "  # type: ignore[attr-defined]
                "larger max_iter.",
                ConvergenceWarning,
                stacklevel=6,
            )
        return grouping


class _MedoidFace(DistanceFace):
    """What is known of medoids."""

    @property
    def medoids_(self) -> Array:
        """The row each group's medoid is, in the order of groups."""
        model = self._fitted().model
        made: Array = model.rows[model.number.argsort()]
        return made

    @property
    def losses_(self) -> Floats:
        """The sum of distances before the search that found the medoids, and after each of its swaps."""
        found: Floats = self._fitted().model.losses
        return found


class KMedoids(_MedoidFace):
    """Find k rows such that the sum of all rows' distances to the nearest of them is least.

    FasterPAM (Schubert and Rousseeuw 2021): a medoid is swapped for a row as soon as that is an improvement, until no
    swap is one. Distances are made where they are needed: there is no matrix of all pairs, and memory grows with the
    rows alone. The best of several starts is taken, each spread out by chance. One medoid is found exactly.

    Missing values are left out of a distance, which is blown up for it. Rows of which nothing is known belong to no
    group.

    Parameters
    ----------
    k : int
        How many groups.
    distance : {"auto", "euclidean", "manhattan", "gower", ...}, Distance or function
        A word for, or a distance of, `acumen.distances`, or a function of two rows. "auto" is Euclidean where all
        inputs are numeric, else Gower.
    scale : bool
        Whether numbers are brought to deviation 1 first; if not, units count. Gower has its own scales.
    max_iter : int
        Passes over the rows in one search at most; a warning tells where they were too few.
    restarts : int
        Searches, each from a start of its own; the best is taken.
    random_state : int, Generator or None
        What starts are drawn with.
    n_jobs : int or None
        Threads; the answer is the same for any number.

    Attributes
    ----------
    labels_ : array
        The group of each row; groups are numbered by their first row.
    medoids_ : array
        The row each group's medoid is.
    objective_ : float
        The sum of the rows' distances to their medoids.
    losses_ : array
        That sum before the best search, and after each of its swaps: it never rises.
    distance_ : Distance

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.KMedoids(3, scale=False, random_state=0).fit(iris)
    >>> model.medoids_.tolist(), round(model.objective_, 4)
    ([7, 78, 112], 98.2137)
    """

    kind: ClassVar[str] = "k-medoids"
    model_type = MedoidsModel

    @with_parameters_of(DistanceFace)
    def __init__(
        self,
        k: Annotated[int, AtLeast(1)] = 8,
        *,
        max_iter: Annotated[int, AtLeast(1)] = 100,
        restarts: Annotated[int, AtLeast(1)] = 5,
        random_state: Any = None,
        **others: Any,
    ) -> None:
        self.k = k
        self.max_iter = max_iter
        self.restarts = restarts
        self.random_state = random_state
        super().__init__(**others)

    def cluster(self, table: Table) -> Grouping:
        starts = streams(self.random_state, self._name)
        some = (rng for rng, _ in zip(starts, range(self.restarts), strict=False))
        return self._told(find_medoids(self._rows(table), self.k, some, self._name, self.max_iter))


class Clara(_MedoidFace):
    """Find medoids in samples, and take those that are best for all rows (Kaufman and Rousseeuw 1990, chapter 3).

    Each sample is searched as KMedoids does, the best medoids so far among its rows, and judged on all rows: time grows
    with the rows, not with their square. Ranges and deviations are those of all rows.

    Parameters
    ----------
    k : int
        How many groups.
    samples : int
        How many samples.
    sample_size : int, optional
        Rows of each, drawn by their weights; 80 + 4 k unless given. A table that is not larger is searched as a whole.
    distance, scale, max_iter, random_state, n_jobs
        As for KMedoids.

    Attributes
    ----------
    labels_, medoids_, objective_, losses_, distance_
        As for KMedoids; `losses_` is of the best sample.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.Clara(3, scale=False, random_state=0).fit(iris)
    >>> model.n_groups_, model.objective_ < 1.02 * 98.2137
    (3, True)
    """

    kind: ClassVar[str] = "clara"
    model_type = SampledModel

    @with_parameters_of(DistanceFace)
    def __init__(
        self,
        k: Annotated[int, AtLeast(1)] = 8,
        samples: Annotated[int, AtLeast(1)] = 5,
        sample_size: Annotated[int, AtLeast(2)] | None = None,
        *,
        max_iter: Annotated[int, AtLeast(1)] = 100,
        random_state: Any = None,
        **others: Any,
    ) -> None:
        self.k = k
        self.samples = samples
        self.sample_size = sample_size
        self.max_iter = max_iter
        self.random_state = random_state
        super().__init__(**others)

    def cluster(self, table: Table) -> Grouping:
        size = 80 + 4 * self.k if self.sample_size is None else self.sample_size
        if size < self.k:
            raise ParameterError(
                f"{self._name}: sample_size must be at least k, which is {self.k}; got {self.sample_size}."
            )
        rng = next(iter(streams(self.random_state, self._name)))
        found = find_by_samples(self._rows(table), self.k, rng, self._name, self.samples, size, self.max_iter)
        return self._told(found)


class Clarans(_MedoidFace):
    """Find medoids by swaps drawn at random (Ng and Han 2002).

    A swap of a medoid for a row is drawn anew each time, and made if it is an improvement; after so many in vain the
    search ends, and another starts elsewhere.

    Parameters
    ----------
    k : int
        How many groups.
    neighbours : "auto" or int
        So many swaps in vain end a search. "auto": 1.25 % of all k (n - k) of them, at least 250.
    restarts : int
        Searches; the best is taken.
    distance, scale, random_state, n_jobs
        As for KMedoids.

    Attributes
    ----------
    labels_, medoids_, objective_, losses_, distance_
        As for KMedoids.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.Clarans(3, scale=False, random_state=0).fit(iris)
    >>> model.n_groups_, model.objective_ < 1.02 * 98.2137
    (3, True)
    """

    kind: ClassVar[str] = "clarans"
    model_type = DrawnModel

    @with_parameters_of(DistanceFace)
    def __init__(
        self,
        k: Annotated[int, AtLeast(1)] = 8,
        neighbours: Literal["auto"] | Annotated[int, AtLeast(1)] = "auto",
        restarts: Annotated[int, AtLeast(1)] = 2,
        *,
        random_state: Any = None,
        **others: Any,
    ) -> None:
        self.k = k
        self.neighbours = neighbours
        self.restarts = restarts
        self.random_state = random_state
        super().__init__(**others)

    def cluster(self, table: Table) -> Grouping:
        rows, most = self._rows(table), self.neighbours
        if not isinstance(most, int):
            count = float(rows.weights.sum())  # a weight of two is two rows
            most = max(250, math.ceil(0.0125 * self.k * max(count - self.k, 0.0)))
        starts = streams(self.random_state, self._name)
        some = (rng for rng, _ in zip(starts, range(self.restarts), strict=False))
        return find_by_chance(rows, self.k, some, self._name, most)[0]


class _HierarchyFace(DistanceFace):
    """What is known of a hierarchy."""

    model_type: ClassVar[type[HierarchyModel]]

    @property
    def hierarchy_(self) -> Hierarchy:
        """All joins."""
        found: Hierarchy = self._fitted().model.joins
        return found

    @property
    def merges_(self) -> Floats:
        """One line for each join: first group, second, height, rows. Line t makes group n + t; rows are 0 to n - 1."""
        return self.hierarchy_.table()

    @property
    def coefficient_(self) -> float:
        """The mean over rows of 1 - (height of a row's first join) / (height of the last): near 1, clear groups."""
        return self.hierarchy_.coefficient

    def cut(self, k: int | None = None, *, theta: float | None = None) -> Codes:
        """The groups of the training rows at another cut: k groups, or all joins up to height `theta`.

        Rows of which nothing is known have no part in the hierarchy, nor here.
        """
        return self.hierarchy_.cut(k, theta=theta, who=f"{self._name}.cut")

    def _cut(self, table: Table, linkage: str, k: int | None, theta: float | None) -> Grouping:
        if k is not None and theta is not None:
            raise ParameterError(f"{self._name}: give k, the number of groups, or theta, a height; not both.")
        return cut_groups(self._rows(table), linkage, k, theta, self._name)


class Agglomerative(_HierarchyFace):
    """Join the two nearest groups again and again, from single rows to one group; and cut the hierarchy.

    The distance of two groups is the mean of their rows' distances (average), the least (single), the largest
    (complete), or what joining them adds to the sum of squares (ward: the height is the root of twice that, which is
    the Euclidean distance of two single rows). Single linkage needs memory for the rows alone, Ward's for their
    centroids; average and complete linkage need all n (n - 1) / 2 distances, and say so before they take more memory
    than there is.

    Of several nearest groups the one the search came from is joined, then the one nearest to an outermost row. Equal
    rows are joined first. A new row belongs where the nearest training row does.

    Parameters
    ----------
    k : int, optional
        How many groups are left. Without k and theta the hierarchy is cut where heights leap most.
    linkage : {"average", "single", "complete", "ward"}
        How far two groups are apart. "ward" is for numbers without gaps under Euclidean or Mahalanobis distances.
    theta : float, optional
        Joins above this height are undone.
    distance, scale, n_jobs
        As for KMedoids.

    Attributes
    ----------
    labels_ : array
        The group of each row; groups are numbered by their first row.
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

    @with_parameters_of(DistanceFace)
    def __init__(
        self,
        k: Annotated[int, AtLeast(1)] | None = None,
        *,
        linkage: Literal["average", "single", "complete", "ward"] = "average",
        theta: Annotated[float, AtLeast(0)] | None = None,
        **others: Any,
    ) -> None:
        self.k = k
        self.linkage = linkage
        self.theta = theta
        super().__init__(**others)

    def objection(self, schema: Schema) -> str | None:
        if self.linkage == "ward":
            rule = resolve(self.distance, schema, self._name)
            named = next((a for a in schema.attributes if not a.is_numeric), None)
            if named is not None:
                return f"ward's centroids are of numbers, and {named.name!r} is {named.kind}; use linkage='average'."
            if not isinstance(rule, (Euclidean, Mahalanobis)):
                return f"ward's sums of squares are of Euclidean distances, not of {rule.name}; use linkage='average'."
        return super().objection(schema)

    def memory(self, rows: int, schema: Schema) -> int | None:
        pairs = 4 * rows * rows if self.linkage in ("average", "complete") else 0
        return (super().memory(rows, schema) or 0) + pairs

    def cluster(self, table: Table) -> Grouping:
        if self.linkage == "ward" and any(
            math.isnan(float(c.min())) for c in table.numeric.columns if len(c)
        ):
            raise DataError(
                f"{self._name}: ward's centroids need every number, and some are missing; complete them, or use "
                "linkage='average'."
            )
        return self._cut(table, self.linkage, self.k, self.theta)


class Divisive(_HierarchyFace):
    """Divide all rows into two groups, and those again, down to single rows: DIANA; and cut the hierarchy.

    Of the group of the largest diameter the row furthest from the others on average leaves first; then, one by one,
    those that are nearer on average to the rows that left than to those that stay (Kaufman and Rousseeuw 1990, chapter
    6). The height of a group is its diameter. Distances are made where they are needed, in memory for the rows alone;
    the time grows with the square of the rows times the depth of the hierarchy, so it is for thousands of them.

    Parameters
    ----------
    k : int, optional
        How many groups. Without k and theta the hierarchy is cut where heights leap most.
    theta : float, optional
        Groups of a larger diameter are divided.
    distance, scale, n_jobs
        As for KMedoids.

    Attributes
    ----------
    labels_, merges_, hierarchy_, distance_
        As for Agglomerative.
    coefficient_ : float
        The divisive coefficient.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.Divisive(3).fit(iris)
    >>> model.n_groups_, model.merges_.shape
    (3, (149, 4))
    """

    kind: ClassVar[str] = "divisive"
    model_type = DivisionModel

    @with_parameters_of(DistanceFace)
    def __init__(
        self,
        k: Annotated[int, AtLeast(1)] | None = None,
        *,
        theta: Annotated[float, AtLeast(0)] | None = None,
        **others: Any,
    ) -> None:
        self.k = k
        self.theta = theta
        super().__init__(**others)

    def cluster(self, table: Table) -> Grouping:
        return self._cut(table, "divisive", self.k, self.theta)


class DBSCAN(DistanceFace):
    """Find groups of any form where rows lie densely, and rows that belong to none (Ester and others 1996).

    A row is a core if rows of weight `min_rows`, itself among them, lie within `eps` of it. Cores within `eps` of each
    other belong to one group; any other row within `eps` of a core goes to the group of the nearest, so that no order
    of rows decides; the rest is noise, -1. Neighbours are counted, never stored: memory does not grow with `eps`.

    Parameters
    ----------
    eps : "auto" or float
        The reach, in units of the distance (of deviations, where numbers are scaled). "auto": the knee of the curve of
        all rows' distances to their `min_rows`-th neighbour, which `to_figure` draws.
    min_rows : int
        The weight within reach that makes a core.
    distance, scale, n_jobs
        As for KMedoids.

    Attributes
    ----------
    labels_ : array
        The group of each row, -1 for noise; groups are numbered by their first row.
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
    >>> model.n_groups_, int((model.labels_ < 0).sum())
    (2, 26)
    """

    kind: ClassVar[str] = "dbscan"
    model_type = DenseModel

    @with_parameters_of(DistanceFace)
    def __init__(
        self,
        *,
        eps: Literal["auto"] | Annotated[float, MoreThan(0)] = "auto",
        min_rows: Annotated[int, AtLeast(1)] = 5,
        **others: Any,
    ) -> None:
        self.eps = eps
        self.min_rows = min_rows
        super().__init__(**others)

    def cluster(self, table: Table) -> Grouping:
        rows = RowsApart.of(self._name, table, self.distance, self.scale, "tree")
        return find_dense(rows, None if self.eps == "auto" else float(self.eps), float(self.min_rows))

    @property
    def eps_(self) -> float:
        """The reach."""
        found: float = self._fitted().model.eps
        return found

    @property
    def cores_(self) -> Array:
        """The rows that are cores."""
        found: Array = self._fitted().model.rows
        return found

    @property
    def curve_(self) -> Floats:
        """The distances that the reach was chosen by, largest first; empty where it was given."""
        found: Floats = self._fitted().model.curve
        return found
