"""The learners of k-modes for levels, and of k-prototypes for levels and numbers together."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.clusterer import Clusterer
from acumen.base.grouping import Grouping
from acumen.clusters import prototypes as search
from acumen.clusters.mixed_space import MixedSpace
from acumen.clusters.prototype_model import ModesModel, PrototypeModel
from acumen.data.schema import Schema
from acumen.models.parameters import AtLeast, with_parameters_of
from acumen.resampling.plan import streams
from acumen.rows.training_rows import Rows
from acumen.types import Floats


class PrototypeClusterer(Clusterer):
    """What clusterers about modes have in common."""

    model_type: ClassVar[type[PrototypeModel]]
    n_clusters: int
    n_init: int

    def __init__(
        self,
        *,
        max_iter: Annotated[int, AtLeast(1)] = 100,
        n_init: Annotated[int, AtLeast(1)] = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            return f"text has no mode; leave out the text column {schema.text[0].name!r}, or use k-medoids."
        if not len(schema.attributes):
            return "the table has 0 feature(s) to compare rows by."
        return None

    def memory(self, rows: int, schema: Schema) -> int | None:
        return rows * (8 * len(schema.attributes) + 44)

    def starts(self) -> Iterator[np.random.Generator]:
        """A generator for each restart."""
        return islice(streams(self.random_state, self._name), self.n_init)

    @property
    def streams(self) -> bool:
        return True

    def cluster(self, rows: Rows) -> Grouping:
        space = self._space(rows)
        levels = space.level_counts(rows.schema)
        source = rows.persist(space.write, 8 * (space.width + 2) + 4 * len(levels))
        measure = search.MixedMeasure.of(source, levels, self._gamma(space), space.width)
        fit = search.search(
            source,
            len(rows),
            rows.weight,
            self.n_clusters,
            measure,
            self.max_iter,
            list(self.starts()),
            self._name,
        )
        end = search.number_prototypes(source, fit.prototypes, measure, rows.table is not None)
        model = self.model_type(space, end.prototypes, measure, end.sizes, fit.objective)
        return Grouping(model, end.labels, fit.n_iter)

    @abstractmethod
    def _space(self, rows: Rows) -> MixedSpace:
        """Where rows lie, as far as it counts here."""

    @abstractmethod
    def _gamma(self, space: MixedSpace) -> float:
        """What another level weighs beside a squared distance of 1."""


class KModes(PrototypeClusterer):
    """Cluster nominal rows around modes: each row belongs to the mode that it differs least from.

    A mode has the most frequent level of each attribute in its group. Made for nominal attributes, ordinal ones among
    them. Each different number is a level of its own, as in tables of codes; for measurements use
    `acumen.KPrototypes`. A missing value is neither like nor unlike a mode: a row's differences are those among
    what it knows, times attributes / known ones. Of equally frequent levels the first is the mode; a mode that
    loses all its rows takes the row that differs most. From 32,768 rows on starts are tried on a sample drawn by
    weights. `fit_stream` finds what `fit` finds, to the byte. Huang (1998).

    Parameters
    ----------
    n_clusters : int
        How many clusters. [default: 3]
    max_iter : int
        The most passes of a search.
    n_init : int
        How many searches, each from a start of its own; the one of the least sum of differences is kept.
    random_state : int, generator or None
        What starts are drawn with.
    n_jobs : int, optional
        Threads; None for all permitted cores. The answer does not depend on it.

    Attributes
    ----------
    labels_ : array of int
        The group of each row; -1 where nothing is known of it. Not there after `fit_stream`.
    objective_ : float
        How many levels are not their group's mode, summed over rows.
    modes_ : list of dict
        Of each group the most frequent level of each attribute.
    n_iter_ : int

    Examples
    --------
    >>> import acumen
    >>> model = acumen.KModes(2, random_state=0).fit(acumen.datasets.load("loan"))
    >>> model.modes_[0]["Own_house"], model.objective_
    ('false', 20.0)
    """

    kind: ClassVar[str] = "k-modes"
    model_type = ModesModel

    @with_parameters_of(PrototypeClusterer)
    def __init__(self, n_clusters: Annotated[int, AtLeast(1)] = 3, **others: Any) -> None:
        self.n_clusters = n_clusters
        super().__init__(**others)

    def _space(self, rows: Rows) -> MixedSpace:
        return MixedSpace.fit(rows, False, True, self._name)

    def _gamma(self, space: MixedSpace) -> float:
        return 1.0

    @property
    def modes_(self) -> list[dict[str, Any]]:
        """The most frequent categories of each cluster; None if an attribute is always missing."""
        model, schema = self._require_fitted().model, self.schema_
        modes = []
        for line in model.prototypes.modes.tolist():
            values = iter(model.space.distinct)
            each = {}
            for attribute, code in zip(schema.attributes, line, strict=True):
                levels = next(values).tolist() if attribute.is_numeric else attribute.levels
                each[attribute.name] = levels[code] if code >= 0 else None
            modes.append(each)
        return modes


class KPrototypes(PrototypeClusterer):
    """Cluster mixed rows around prototypes: means of numbers and most frequent categories.

    The distance of a row is the sum of squared differences of its numbers (ordinal levels by their rank) plus `gamma`
    for each level that is not the prototype's. What is missing is left out, and what is known counts for all
    attributes, in distances as in means and modes. Ties, empty groups, samples and streams as in `acumen.KModes`.
    Huang (1998).

    Parameters
    ----------
    n_clusters : int
        How many clusters. [default: 3]
    gamma : float or "huang"
        The weight of a differing category versus squared differences. "huang": half the mean standard deviation of the
        numbers, in the units of the distance: 0.5 with `scale`; 1 where there are no numbers.
    scale : bool
        Give every number variance 1 first, so that units do not count.
    max_iter, n_init, random_state, n_jobs
        As for `acumen.KModes`.

    Attributes
    ----------
    labels_ : array of int
        The group of each row; -1 where nothing is known of it. Not there after `fit_stream`.
    objective_ : float
        The sum of the distances of rows to their prototypes.
    gamma_ : float
        What a different level weighed.
    cluster_centers_ : array of (groups, numbers)
        In the units of the columns.
    n_iter_ : int

    Examples
    --------
    >>> import acumen, pandas
    >>> rows = pandas.DataFrame({"age": [20, 22, 61, 64], "car": ["old", "old", "new", "new"]})
    >>> model = acumen.KPrototypes(2, random_state=0).fit(rows)
    >>> model.labels_.tolist(), model.cluster_centers_.ravel().tolist(), model.gamma_
    ([0, 0, 1, 1], [21.0, 62.5], 0.5)
    """

    kind: ClassVar[str] = "k-prototypes"
    model_type = PrototypeModel

    @with_parameters_of(PrototypeClusterer)
    def __init__(
        self,
        n_clusters: Annotated[int, AtLeast(1)] = 3,
        gamma: Annotated[float, AtLeast(0)] | Literal["huang"] = "huang",
        *,
        scale: bool = True,
        **others: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.gamma = gamma
        self.scale = scale
        super().__init__(**others)

    def _space(self, rows: Rows) -> MixedSpace:
        return MixedSpace.fit(rows, self.scale, False, self._name)

    def _gamma(self, space: MixedSpace) -> float:
        if self.gamma != "huang":
            return float(self.gamma)
        varying = space.deviation[space.deviation > 0]
        return float(varying.mean() / 2) if varying.size else 1.0

    @property
    def gamma_(self) -> float:
        """The weight of a difference in category."""
        gamma: float = self._require_fitted().model.measure.gamma
        return gamma

    @property
    def cluster_centers_(self) -> Floats:
        """The means of the numeric attributes, in the units of the columns."""
        model: PrototypeModel = self._require_fitted().model
        return model.space.values(model.prototypes.numbers)
