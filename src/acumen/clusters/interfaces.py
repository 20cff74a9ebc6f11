"""Base classes that clusterers share: common parameters and one random stream per start.

    RestartingClusterer     `scale`, `max_iter`, the number of starts, `random_state` and `n_jobs`
    ConstrainedClusterer    pairs of rows that must, or must not, be in one cluster
    DistanceClusterer       clusterers that need only distances: which distance, its scale, its memory

A clusterer is two files: the algorithm (numpy and kernels, a frozen `GroupModel` with `to_arrays` and a checking
`from_arrays`) and its scikit-learn interface. The interface derives from one of these classes, implements
`cluster(rows) -> Grouping`, and lists its own parameters first:

    class KMedoids(RestartingClusterer):
        kind: ClassVar[str] = "k-medoids"
        model_type = MedoidsModel

        @with_parameters_of(RestartingClusterer, max_iter=100)
        def __init__(self, n_clusters: Annotated[int, AtLeast(1)], *, distance: DistanceLike = "auto", **others: Any)
        -> None:
            self.n_clusters = n_clusters
            self.distance = distance
            super().__init__(**others)

A clusterer that does not use a parameter (agglomeration draws nothing at random) derives from `Clusterer` and declares
only its own: no parameter is accepted and ignored. Register it with one line in `models/kinds.py` (task GROUPS), one in
`acumen/__init__.py` and one in CLUSTERERS of tests/checks/contract_forms.py, which runs every law and scikit-learn's
checks on it. `acumen.base.clusterer` says what all clusterers guarantee.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any, Self

import numpy as np

from acumen.base.clusterer import Clusterer
from acumen.clusters import row_distances
from acumen.clusters.pair_constraints import Links
from acumen.clusters.row_distances import DistanceLike, RowsApart
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.geometry.distance import Distance
from acumen.models.parameters import AtLeast, Described
from acumen.resampling.plan import streams
from acumen.rows.intake import as_table, row_weights


class RestartingClusterer(Clusterer):
    """What clusterers that search from several starts have in common."""

    n_init: int

    def __init__(
        self,
        *,
        scale: bool = True,
        max_iter: Annotated[int, AtLeast(1)] = 300,
        n_init: Annotated[int, AtLeast(1)] = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.scale = scale
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    def starts(self) -> Iterator[np.random.Generator]:
        """A generator for each restart: the r-th depends on `random_state` and r alone."""
        return islice(streams(self.random_state, self._name), self.n_init)


#: What `must_link` and `cannot_link` may be: pairs of row numbers.
LinkPairs = Annotated[Any, Described("pairs of row numbers, such as [[0, 3], [2, 5]]")]


class ConstrainedClusterer(Clusterer):
    """Pairs of rows that must, or must not, be in one group."""

    must_link: Any
    cannot_link: Any

    @property
    def has_links(self) -> bool:
        """Whether any must-link or cannot-link pair is given."""
        return any(
            not hasattr(pairs, "__len__") or len(pairs) > 0 for pairs in (self.must_link, self.cannot_link)
        )

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        self.check_parameters()
        if self.has_links and (sample_weight is not None or isinstance(X, Table)):
            weights = row_weights(sample_weight, as_table(X), self._name)
            if weights.size and not weights.all():
                raise DataError(
                    f"{self._name}: must_link and cannot_link number the rows given, and one of them has "
                    "weight 0; leave rows of weight 0 out."
                )
        return super().fit(X, y, sample_weight)

    def _links(self, n_rows: int) -> Links:
        return Links.of(self.must_link, self.cannot_link, n_rows, self._name)


def require_clusterer(learner: Any, who: str) -> None:
    """Refuse what finds no groups, and a learner whose links number rows, where it is to be fitted on other rows."""
    if isinstance(learner, type):
        raise ParameterError(
            f"{who}: give a learner, not its class: {learner.__name__}() instead of {learner.__name__}."
        )
    if not hasattr(learner, "fit_predict") or not hasattr(learner, "get_params"):
        raise ParameterError(
            f"{who}: {type(learner).__name__} finds no clusters; give a clusterer, such as acumen.KMeans()."
        )
    if getattr(learner, "has_links", False):
        raise ParameterError(
            f"{who}: {type(learner).__name__} has must_link or cannot_link, which number the rows of one "
            "table, and is to be fitted on others; leave them out."
        )


class DistanceClusterer(Clusterer):
    """What clusterers by distances have in common."""

    def __init__(
        self, *, distance: DistanceLike = "auto", scale: bool = True, n_jobs: int | None = None
    ) -> None:
        self.distance = distance
        self.scale = scale
        self.n_jobs = n_jobs

    @property
    def constant_sensitive(self) -> bool:
        """Whether a constant column may change the clusters: a missing value counts less among more columns."""
        return True

    def objection(self, schema: Schema) -> str | None:
        return row_distances.objection(self.distance, schema, self._name)

    def memory(self, rows: int, schema: Schema) -> int | None:
        return row_distances.bytes_apart(self.distance, rows, schema, self._name)

    @property
    def distance_(self) -> Distance:
        """The distance used."""
        distance: Distance = self._require_fitted().model.fitted.distance
        return distance

    def _rows(self, table: Table, index: Any = "brute") -> RowsApart:
        return RowsApart.of(self._name, table, self.distance, self.scale, index)
