"""The k-medoids learners: all swaps, swaps in samples, random swaps."""

from __future__ import annotations

import math
import warnings
from typing import Annotated, Any, ClassVar, Literal

from acumen import messages
from acumen.base.grouping import Grouping
from acumen.base.scikit import ConvergenceWarning
from acumen.clusters.constrained_means import find_constrained
from acumen.clusters.interfaces import ConstrainedClusterer, DistanceClusterer, LinkPairs
from acumen.clusters.medoids import (
    DrawnModel,
    MedoidsModel,
    SampledModel,
    find_by_chance,
    find_by_samples,
    find_medoids,
)
from acumen.data.schema import Schema
from acumen.errors import ParameterError
from acumen.models.parameters import AtLeast, with_parameters_of
from acumen.resampling.plan import streams
from acumen.rows.training_rows import Rows
from acumen.types import Array, Floats


class _MedoidClusterer(DistanceClusterer):
    """What is known of medoids."""

    @property
    def medoids_(self) -> Array:
        """The row number of each cluster's medoid."""
        model = self._require_fitted().model
        medoids: Array = model.rows[model.number.argsort()]
        return medoids

    max_iter: int

    @property
    def losses_(self) -> Floats:
        """The sum of distances before the search and after each swap."""
        losses: Floats = self._require_fitted().model.losses
        return losses

    def _warn_unless_converged(self, found: tuple[Grouping, bool]) -> Grouping:
        grouping, settled = found
        if not settled:
            warnings.warn(
                f"{self._name}: the search for medoids did not come to its end in {self.max_iter} passes; give a "
                "larger max_iter.",
                ConvergenceWarning,
                stacklevel=6,
            )
        return grouping


class KMedoids(ConstrainedClusterer, _MedoidClusterer):
    """Find k medoids: rows that minimise the sum of distances from all rows to the nearest of them.

    FasterPAM (Schubert and Rousseeuw 2021): a medoid is swapped for a row as soon as that is an improvement, until no
    swap is one. Distances are made where they are needed: there is no matrix of all pairs, and memory grows with the
    rows alone. The best of several starts is taken, each spread out by chance. One medoid is found exactly.

    Missing values are left out of a distance, which is blown up for it. Rows of which nothing is known belong to no
    group.

    Parameters
    ----------
    n_clusters : int
        How many clusters. [default: 3]
    distance : {"auto", "euclidean", "manhattan", "gower", ...}, Distance or function
        A word for, or a distance of, `acumen.distances`, or a function of two rows. "auto" is Euclidean where all
        inputs are numeric, else Gower.
    scale : bool
        Whether numbers are brought to deviation 1 first; if not, units count. Gower has its own scales.
    max_iter : int
        Passes over the rows in one search at most; a warning tells where they were too few.
    n_init : int
        Searches, each from a start of its own; the best is taken.
    random_state : int, Generator or None
        What starts are drawn with.
    must_link, cannot_link : pairs of row numbers
        Rows, counted from 0, that must be in one group, and rows that must not be. Swaps are then judged by the
        cheapest groups that keep to the links, found by branch and bound, and all distances are held. A medoid is any
        row, one that links keep in another group too. Links hold in `labels_`; `predict` takes the nearest medoid, and
        knows of none. Pairs that contradict each other are refused.
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

    @with_parameters_of(DistanceClusterer)
    def __init__(
        self,
        n_clusters: Annotated[int, AtLeast(1)] = 3,
        *,
        max_iter: Annotated[int, AtLeast(1)] = 100,
        n_init: Annotated[int, AtLeast(1)] = 5,
        random_state: Any = None,
        must_link: LinkPairs = (),
        cannot_link: LinkPairs = (),
        **others: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state
        self.must_link = must_link
        self.cannot_link = cannot_link
        super().__init__(**others)

    def memory(self, rows: int, schema: Schema) -> int | None:
        room = super().memory(rows, schema)
        return room if room is None or not self.has_links else room + 33 * rows * rows

    def cluster(self, rows: Rows) -> Grouping:
        table = rows.require_local(self._name)
        starts = streams(self.random_state, self._name)
        some = (rng for rng, _ in zip(starts, range(self.n_init), strict=False))
        apart = self._rows(table)
        apart.search.require_pairs(self._name, "use Clara")
        if self.has_links:
            return self._warn_unless_converged(
                find_constrained(
                    apart, self.n_clusters, some, self._name, self.max_iter, self._links(len(table))
                )
            )
        return self._warn_unless_converged(
            find_medoids(apart, self.n_clusters, some, self._name, self.max_iter)
        )


class Clara(_MedoidClusterer):
    """Find medoids in samples and keep the best for all rows (CLARA; Kaufman and Rousseeuw 1990, chapter 3).

    Each sample includes the best medoids so far and is searched as in KMedoids; the result is judged on all rows. Time
    grows with the number of rows, not with its square. Ranges and deviations are those of all rows.

    Parameters
    ----------
    n_clusters : int
        How many clusters. [default: 3]
    samples : int
        The number of samples.
    sample_size : int, optional
        Rows of each, drawn by weight. [default: 80 + 4 k] A table that is not larger is searched as a whole.
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
    >>> model.n_clusters_, model.objective_ < 1.02 * 98.2137
    (3, True)
    """

    kind: ClassVar[str] = "clara"
    model_type = SampledModel

    @with_parameters_of(DistanceClusterer)
    def __init__(
        self,
        n_clusters: Annotated[int, AtLeast(1)] = 3,
        samples: Annotated[int, AtLeast(1)] = 5,
        sample_size: Annotated[int, AtLeast(2)] | None = None,
        *,
        max_iter: Annotated[int, AtLeast(1)] = 100,
        random_state: Any = None,
        **others: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.samples = samples
        self.sample_size = sample_size
        self.max_iter = max_iter
        self.random_state = random_state
        super().__init__(**others)

    def cluster(self, rows: Rows) -> Grouping:
        table = rows.require_local(self._name)
        size = 80 + 4 * self.n_clusters if self.sample_size is None else self.sample_size
        if size < self.n_clusters:
            raise ParameterError(
                f"{self._name}: sample_size must be at least n_clusters, which is {self.n_clusters}; "
                f"got {self.sample_size}."
            )
        rng = next(iter(streams(self.random_state, self._name)))
        search = find_by_samples(
            self._rows(table), self.n_clusters, rng, self._name, self.samples, size, self.max_iter
        )
        return self._warn_unless_converged(search)


class Clarans(_MedoidClusterer):
    """Find medoids by random swaps (CLARANS; Ng and Han 2002).

    Each step draws a random swap of a medoid for a row and makes it if it is an improvement. After `max_neighbors`
    failures in a row the search ends, and the next one starts elsewhere.

    Parameters
    ----------
    n_clusters : int
        How many clusters. [default: 3]
    max_neighbors : "auto" or int
        The number of failed swaps that ends a search. "auto": 1.25 % of all k (n - k) swaps, at least 250.
    n_init : int
        The number of searches; the best result is used.
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
    >>> model.n_clusters_, model.objective_ < 1.02 * 98.2137
    (3, True)
    """

    kind: ClassVar[str] = "clarans"
    model_type = DrawnModel

    @with_parameters_of(DistanceClusterer)
    def __init__(
        self,
        n_clusters: Annotated[int, AtLeast(1)] = 3,
        max_neighbors: Literal["auto"] | Annotated[int, AtLeast(1)] = "auto",
        n_init: Annotated[int, AtLeast(1)] = 2,
        *,
        random_state: Any = None,
        **others: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.max_neighbors = max_neighbors
        self.n_init = n_init
        self.random_state = random_state
        super().__init__(**others)

    def cluster(self, rows: Rows) -> Grouping:
        table = rows.require_local(self._name)
        apart = self._rows(table)
        if isinstance(self.max_neighbors, int):
            most = self.max_neighbors
        else:
            count = float(apart.weights.sum())  # a weight of two is two rows
            most = max(250, math.ceil(0.0125 * self.n_clusters * max(count - self.n_clusters, 0.0)))
        lower = messages.setting("neighbours", 250)
        apart.search.require_pairs(
            self._name, f"use Clara or {lower}", float(self.n_init) * most * len(table)
        )
        starts = streams(self.random_state, self._name)
        some = (rng for rng, _ in zip(starts, range(self.n_init), strict=False))
        return find_by_chance(apart, self.n_clusters, some, self._name, most)[0]
