"""The Gaussian mixture learner: parameters, documentation, soft memberships."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.grouping import Grouping
from acumen.base.memory_budget import dense_bytes
from acumen.clusters import mixture_search
from acumen.clusters.interfaces import RestartingClusterer
from acumen.clusters.mixture import MixtureBlock
from acumen.clusters.mixture_model import MixtureModel
from acumen.clusters.space import PointSpace, no_words
from acumen.data.align import align
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.errors import AcumenWarning, DataError, ParameterError
from acumen.models.parameters import AtLeast, with_parameters_of
from acumen.render.text import many
from acumen.rows.training_rows import Rows
from acumen.types import Bools, Floats

#: Rows answered at a time.
_ROWS = 65_536
#: A column no value of which is further from its mean has squares too small to be told from 0.
_LEAST = 1e-140


class GaussianMixture(RestartingClusterer):
    """Cluster rows by a mixture of normal densities, fitted by EM, with a probability for each component.

    Each step computes the probability of every component for each row, then means and covariances of the weighted rows
    (divisors are the components' own weights). So the penalised log-likelihood never falls. A floor relative to each
    attribute's variance keeps covariances from collapsing, whatever the units. Missing values are marginalised: a row
    counts by its known values. Searches start from k-means; from 32,768 rows on, acumen tries starts (and k) on a
    sample drawn by weight and continues with the best on all rows. `fit_stream` gives the same result as `fit`, to the
    byte.

    A component with too few rows for its covariance, or that is flat where the table is not, is degenerate: acumen
    reports it (`degenerate_` and a warning), prefers starts without one, and never chooses an `n_components` with one.

    Parameters
    ----------
    n_components : int, "bic" or "mdl"
        The number of components. "bic": the k from 1 to `max_components` with the smallest -2 log-likelihood + p ln n.
        "mdl": the k with the shortest description of the most probable component of each row, the row given that, and
        the parameters in p / 2 log2 n bits (ICL): it merges overlapping components that BIC keeps separate.
    covariance : {"full", "shared", "diagonal", "spherical"}
        Any; one for all components; without correlations; the same in all directions (units count then: see `scale`).
    init : {"k-means", "random"} or array of (k, columns)
        How to start: from the clusters of k-means, from the nearest of rows drawn at random, or from the nearest of
        your means in the units of the columns; then there is one search.
    floor : float
        Covariances are (scatter + floor x the attributes' variances) / weight.
    tol : float
        Stop when a step gains no more than this per row.
    max_components : int
        With "bic" or "mdl": the largest number of components to try.
    scale : bool
        Scale every attribute to variance 1 first. This affects the starts and, with "spherical", the shape.
    max_iter : int
        The largest number of steps of a search.
    n_init : int
        The number of searches with different starts; the one with the highest likelihood is used.
    random_state : int, generator or None
        Seeds the starts.
    n_jobs : int, optional
        Number of threads; None for all available cores. The result does not depend on it.

    Attributes
    ----------
    labels_ : array of int
        The most probable component of each row; -1 if all its values are missing. Not available after `fit_stream`.
    objective_ : float
        Minus the log-likelihood.
    log_likelihood_ : float
        Of all rows over what they know, in the units of the columns (natural logarithms).
    log_likelihoods_ : array
        The penalised one after each step: it never falls.
    bic_ : float
        -2 log-likelihood + p ln n: the smaller the better, as in scikit-learn; mclust's has the opposite sign.
    shares_, means_, covariances_ : arrays
        Of components, in the units of the columns.
    degenerate_ : array of bool
        Which components are degenerate.
    criterion_values_ : array
        With "bic" or "mdl", for k = 1, 2, ...: what k was chosen by; infinite where a component was degenerate.
    n_iter_ : int

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.GaussianMixture(2, random_state=0).fit(iris)
    >>> round(model.log_likelihood_, 3), model.predict_proba(iris.take([0, 70])).round(3).tolist()
    (-215.166, [[1.0, 0.0], [0.0, 1.0]])
    """

    kind: ClassVar[str] = "gaussian-mixture"
    count_parameter: ClassVar[str] = "n_components"
    model_type = MixtureModel

    @with_parameters_of(RestartingClusterer, n_init=5)
    def __init__(
        self,
        n_components: Annotated[int, AtLeast(1)] | Literal["bic", "mdl"] = 3,
        *,
        covariance: Literal["full", "shared", "diagonal", "spherical"] = "full",
        init: Literal["k-means", "random"] | np.ndarray | list = "k-means",  # type: ignore[type-arg]
        floor: Annotated[float, AtLeast(1e-12)] = 1e-6,
        tol: Annotated[float, AtLeast(0)] = 1e-7,
        max_components: Annotated[int, AtLeast(1)] = 10,
        **others: Any,
    ) -> None:
        self.n_components = n_components
        self.covariance = covariance
        self.init = init
        self.floor = floor
        self.tol = tol
        self.max_components = max_components
        super().__init__(**others)

    def objection(self, schema: Schema) -> str | None:
        for attribute in schema.attributes:
            if attribute.kind == "nominal":
                return f"levels have no normal density; leave out the column {attribute.name!r}, or use k-prototypes."
        return no_words(schema)

    def memory(self, rows: int, schema: Schema) -> int | None:
        columns = len(schema.attributes)
        components = self.n_components if isinstance(self.n_components, int) else self.max_components
        matrices = {"full": 4 * components, "shared": 2 * components + 2}.get(self.covariance, 0)
        return rows * (16 * columns + 32) + dense_bytes(columns, columns, matrices)

    @property
    def streams(self) -> bool:
        return True

    def cluster(self, rows: Rows) -> Grouping:
        space = PointSpace.fit(rows, self.scale, self._name)
        active = _varying(space, rows, self._name)
        source = rows.persist(partial(_as_block, space, active), 8 * (int(active.sum()) + 2))
        about = mixture_search.SampleSummary.of(source, len(rows), rows.weight)
        if not about.known.any() and active.any():
            active = np.zeros_like(active)
        options = mixture_search.MixtureOptions(
            self.n_components,
            self.covariance,
            self._init(space, active),
            self.max_iter,
            self.tol,
            self.floor,
            self.max_components,
        )
        chosen = mixture_search.search(source, about, options, self.starts(), self._name)
        fit = chosen.climbed
        end = mixture_search.number_components(source, fit.mixture)
        units = float((np.log(space.factor[active]) * about.known).sum())
        model = MixtureModel(
            space, active, fit.mixture.take(end.order), chosen.flat[end.order], rows.weight,
            fit.likelihood + units, fit.path + units, chosen.lengths + self._unit(units, chosen, rows),
        )  # fmt: skip
        self._warn(model, rows.schema)
        if rows.table is None:
            return Grouping(model, end.labels, fit.n_iter)
        return Grouping(model, np.concatenate(list(rows.each(model.groups))), fit.n_iter)

    def _unit(self, units: float, chosen: mixture_search.ChosenMixture, rows: Rows) -> float:
        """What the units of the columns add to that which k was chosen by."""
        sample_units = units * chosen.tried / rows.weight if chosen.lengths.size else 0.0
        return -2 * sample_units if self.n_components == "bic" else -sample_units / float(np.log(2))

    def _warn(self, model: MixtureModel, schema: Schema) -> None:
        n = int(model.flat.sum())
        if n:
            warnings.warn(
                f"{self._name}: {many(n, 'component')} of {model.n_groups} "
                f"{'is' if n == 1 else 'are'} degenerate (of too few rows, or flat where the table is not); ask for "
                "fewer components, or for a covariance of fewer parameters.",
                AcumenWarning,
                stacklevel=5,
            )

    def _init(self, space: PointSpace, active: Bools) -> str | Floats:
        if isinstance(self.init, str):
            return self.init
        if isinstance(self.n_components, str):
            raise ParameterError(
                f'{self._name}: means that are given do not go with n_components="{self.n_components}"; say how many.'
            )
        means = np.array(self.init, dtype=np.float64, ndmin=2)
        if means.shape != (self.n_components, space.width) or not np.isfinite(means).all():
            raise ParameterError(
                f"{self._name}: init must be finite numbers, {self.n_components} lines of {space.width}, "
                "one for each column; "
                f"got an array of {means.shape}."
            )
        space.place(means)
        return np.ascontiguousarray(means[:, active])

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each component for each row; the mixing weights if all values are missing."""
        return self._by_blocks(X, "memberships")

    def log_density(self, X: Any) -> Floats:
        """The log density of each row over its known values, in the units of the columns."""
        return self._by_blocks(X, "log_density")

    def _by_blocks(self, X: Any, what: str) -> Floats:
        model = self._require_fitted().model
        rows: Table = align(self._query(X), self.schema_)
        with limited_to(self.jobs):
            lots = [
                getattr(model, what)(rows.take(slice(start, start + _ROWS)))
                for start in range(0, max(len(rows), 1), _ROWS)
            ]
        return np.concatenate(lots)

    @property
    def log_likelihood_(self) -> float:
        """The log-likelihood of all rows, in the units of the columns."""
        log_likelihood: float = self._require_fitted().model.likelihood
        return log_likelihood

    @property
    def log_likelihoods_(self) -> Floats:
        """The penalised log-likelihood after each step."""
        log_likelihoods: Floats = self._require_fitted().model.path
        return log_likelihoods

    @property
    def bic_(self) -> float:
        """-2 log-likelihood + p ln n."""
        bic: float = self._require_fitted().model.bic
        return bic

    @property
    def shares_(self) -> Floats:
        """The mixing weight of each component."""
        shares: Floats = self._require_fitted().model.mixture.shares
        return shares

    @property
    def means_(self) -> Floats:
        """The means, in the units of the columns."""
        means: Floats = self._require_fitted().model.means()
        return means

    @property
    def covariances_(self) -> Floats:
        """The covariance matrix of each component, in the units of the columns."""
        covariances: Floats = self._require_fitted().model.covariances()
        return covariances

    @property
    def degenerate_(self) -> Bools:
        """The degenerate components, which describe no group of rows."""
        degenerate: Bools = self._require_fitted().model.flat
        return degenerate

    @property
    def criterion_values_(self) -> Floats:
        """The criterion for k = 1, 2, ..."""
        lengths: Floats = self._require_fitted().model.lengths
        return lengths


def _as_block(space: PointSpace, active: Bools, table: Table) -> MixtureBlock:
    """The rows of a block as a mixture takes them."""
    return MixtureBlock.of(space.write(table)[:, active], table.weights)


def _varying(space: PointSpace, rows: Rows, who: str) -> Bools:
    """The columns that vary: with `scale` they have a factor, else they are examine_block for."""
    varies, known = np.zeros(space.width, dtype=np.bool_), False
    tiny = np.maximum(1e-14 * np.abs(space.centre) * np.maximum(space.factor, 0.0), _LEAST)

    def examine_block(table: Table) -> tuple[Bools, bool]:
        with np.errstate(invalid="ignore"):
            points = space.write(table)
            return np.asarray((np.abs(points) > tiny).any(axis=0)), not np.isnan(points).all()

    for here, some in rows.each(examine_block):
        varies, known = varies | here, known or some
    if not known:
        raise DataError(f"{who}: all values are missing, so there is nothing to cluster.")
    return np.asarray(varies & (space.factor > 0))
