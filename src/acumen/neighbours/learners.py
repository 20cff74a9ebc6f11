"""The faces of classifiers by neighbours: parameters, documentation, and which algorithm stands behind each."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.classifier import Classifier
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.models.model import Model
from acumen.models.parameters import AtLeast, Between, ClassWeight, Costs, Priors, with_parameters_of
from acumen.neighbours import condensing, fitting
from acumen.neighbours.fitting import CurveLearner, NeighbourLearner
from acumen.neighbours.leave_out import exact_scores, has_exact_folds, has_exact_rows, part_scores
from acumen.neighbours.models import CondensedModel, EditedModel, KNNModel, ball_densities
from acumen.rows.class_order import class_totals
from acumen.rows.training_rows import Rows
from acumen.types import Array, Bools, Codes, Floats


class _Voting(NeighbourLearner, Classifier):
    """What classifiers by neighbours have in common."""

    model_type: ClassVar[type[KNNModel]]

    @with_parameters_of(NeighbourLearner)
    def __init__(
        self,
        *,
        smoothing: Annotated[float, Between(0, 1e100)] = 0.0,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        **others: Any,
    ) -> None:
        self.smoothing = smoothing
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        super().__init__(**others)

    def _how(self) -> dict[str, Any]:
        names = (
            "n_neighbors",
            "distance",
            "weights",
            "scale",
            "index",
            "max_neighbors",
            "selection_rule",
            "smoothing",
            "attribute_weights",
        )
        parameters = {"max_neighbors": 50, "selection_rule": "best", **self.get_params(deep=False)}
        return {name: parameters[name] for name in names}

    def _learn_model(self, table: Table) -> KNNModel:
        return fitting.learn_classes(table, who=self._name, whole=self.weighing_.whole, **self._how())

    def density(self, X: Any) -> Floats:
        """The density of rows at each row, K / (n V): K of n rows lie in the ball of volume V up to the k-th of them.

        In the units of the attributes; for numbers under Euclidean distances alone. Infinite where k rows are at the
        very same place.
        """
        rows = self._query(X)
        with limited_to(self.jobs):
            return ball_densities(self.model_, rows)


class KNN(CurveLearner, _Voting):
    """Classify by the k nearest training rows: P(class | row) is the fraction of their votes.

    All rows as near as the k-th vote, so the prediction does not depend on the order of the rows. If classes have equal
    votes, the one whose neighbours are nearer on average wins, then the larger, then the first. k counts weight: a row
    of weight 2 is two neighbours. By default acumen chooses k from 1 to `max_neighbors` by leave-one-out in one search,
    and keeps the errors.

    Missing values are left out of a distance, which is scaled up to compensate; rows without common known values are
    infinitely far apart. An unseen level differs from all others. Decimal numbers are compared in whole units of their
    last digit, and distances that differ by less than one part in 10^12 are equal: rounding never decides.

    Parameters
    ----------
    n_neighbors : "loo" or int
        The number of neighbours that vote. "loo": the k with the lowest leave-one-out error, the smallest if tied; see
        `selection_rule`. It ignores costs and priors. Beyond 200,000 rows, the error is that of 200,000 of them.
    distance : {"auto", "euclidean", "manhattan", "gower", ...}, Distance or function
        The name of a distance or a distance of `acumen.distances`, or a function of two rows. "auto" is Euclidean if
        all inputs are numeric, else Gower.
    weights : {"uniform", "distance", "kernel"}
        The weight of a neighbour's vote: the same for all; 1 / distance (rows at distance 0 then vote alone); or
        exp(-2 (d / d_k)^2), d_k being the distance of the k-th.
    scale : bool
        Whether to scale numbers to mean 0 and deviation 1 over the training rows; if not, units matter. Gower, mixtures
        and value differences have their own scales.
    index : {"auto", "kd", "blocked", "vantage", "brute"}
        How to search for the nearest rows; all methods find the same ones. "kd": a k-d tree; "blocked": products in
        single precision propose, differences in double precision decide; "vantage": a vantage-point tree, for metrics;
        "brute": all rows.
    attribute_weights : mapping of attribute to "use", "ignore" or number, optional
        The factor of its part in a distance (in Euclidean distances, in the square); "use" is 2, "ignore" 0.
        [default: 1]
    max_neighbors : int
        The largest k to try.
    selection_rule : {"best", "one-se"}
        With n_neighbors="loo": the k with the lowest error, or the largest k within one standard error of it.
    smoothing : float
        Additional votes, divided by class frequency: with 0 a class without a vote has probability 0. Not used to
        choose k.
    costs, priors, class_weight, n_jobs
        As for NaiveBayes.

    Attributes
    ----------
    n_neighbors_ : int
        How many neighbours vote.
    curve_ : array
        With n_neighbors="loo" the leave-one-out error of k = 1, 2, ...; `to_figure` draws it.
    curve_se_ : array
        The standard error of each.
    one_se_n_neighbors_ : int or None
        The largest k whose error is within one standard error of the least.
    distance_ : Distance

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.KNN().fit(iris)
    >>> model.n_neighbors_, model.curve_[:3].round(4).tolist()
    (12, [0.0533, 0.0533, 0.0533])
    """

    kind: ClassVar[str] = "knn"
    model_type = KNNModel

    @with_parameters_of(_Voting)
    def __init__(
        self,
        n_neighbors: Literal["loo"] | Annotated[int, AtLeast(1)] = "loo",
        *,
        max_neighbors: Annotated[int, AtLeast(1)] = 50,
        selection_rule: Literal["best", "one-se"] = "best",
        **others: Any,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.max_neighbors = max_neighbors
        self.selection_rule = selection_rule
        super().__init__(**others)

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        table = rows.require_local(self._name)
        model = self._learn_model(table)
        return model, model.totals

    # -- with rows left out -----------------------------------------------------------------------

    def can_leave_one_out(self, rows: Table) -> bool:
        return self.n_neighbors != "loo" and has_exact_rows(self.distance, self.scale, rows, self._name)

    def leave_one_out(self, rows: Table) -> tuple[Floats, Bools]:
        return exact_scores(self.model_, rows), np.zeros(len(rows), dtype=np.bool_)

    def can_leave_parts_out(self, rows: Table) -> bool:
        return (
            self.n_neighbors != "loo"
            and self.class_weight is None
            and self.weighing_of(rows).whole
            and has_exact_folds(self.distance, self.scale, rows, self._name)
        )

    def leave_parts_out(self, rows: Table, parts: Codes, n_parts: int) -> Floats:
        return part_scores(self.model_, rows, parts, n_parts)


class Condense(_Voting):
    """Nearest neighbours among fewer rows: keep only those needed to classify all others correctly (Hart 1968).

    Rows join, those nearest to another class first, until the nearest row kept has the class of every training row.
    Each row kept has one vote, whatever it weighed. What that costs in error, `compare` tells.

    Parameters
    ----------
    n_neighbors : int
        How many of the rows kept vote.
    distance, weights, scale, index, attribute_weights, smoothing, costs, priors, class_weight, n_jobs
        As for KNN.

    Attributes
    ----------
    kept_ : array of int
        Which of the training rows were kept.
    n_neighbors_ : int
    distance_ : Distance

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.Condense().fit(iris)
    >>> len(model.kept_) < 40, model.score(iris) > 0.99
    (True, True)
    """

    kind: ClassVar[str] = "condense"
    model_type = CondensedModel

    @with_parameters_of(_Voting)
    def __init__(self, n_neighbors: Annotated[int, AtLeast(1)] = 1, **others: Any) -> None:
        self.n_neighbors = n_neighbors
        super().__init__(**others)

    kept_: Array

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        table = rows.require_local(self._name)
        model, self.kept_ = condensing.condense_model(self._learn_model(table))
        return model, class_totals(table)


class Edit(_Voting):
    """Nearest neighbours among fewer rows: drop rows whose k nearest neighbours have another class (Wilson 1972).

    Rows that lie among those of another class no longer speak, and borders become smoother. Should no row agree with
    its neighbours, all are kept. What that costs in error, `compare` tells.

    Parameters
    ----------
    n_neighbors : int
        How many neighbours judge a row, and how many of the rows kept vote.
    smoothing : float
        So many votes more, shared out by how common the classes are; without them the rows left out would be
        impossible.
    distance, weights, scale, index, attribute_weights, costs, priors, class_weight, n_jobs
        As for KNN.

    Attributes
    ----------
    kept_ : array of int
        Which of the training rows were kept.
    n_neighbors_ : int
    distance_ : Distance

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.Edit().fit(iris)
    >>> len(model.kept_), round(model.score(iris), 3)
    (142, 0.953)
    """

    kind: ClassVar[str] = "edit"
    model_type = EditedModel

    @with_parameters_of(_Voting, smoothing=1.0)
    def __init__(self, n_neighbors: Annotated[int, AtLeast(1)] = 3, **others: Any) -> None:
        self.n_neighbors = n_neighbors
        super().__init__(**others)

    kept_: Array

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        table = rows.require_local(self._name)
        model, self.kept_ = condensing.edit_model(self._learn_model(table), self.weighing_.whole)
        return model, class_totals(table)
