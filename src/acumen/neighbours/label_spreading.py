"""The face of labels spread over neighbours: parameters and documentation."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Annotated, ClassVar, Literal

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.unlabelled_report import Unlabelled, judge_unlabelled, warn_of_harm
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import AcumenWarning
from acumen.geometry.distance import fit_rows
from acumen.geometry.distance_state import require_distance, resolve
from acumen.models.decision import softmax
from acumen.models.model import Model
from acumen.models.parameters import AtLeast, Between, ClassWeight, Costs, MoreThan, Priors
from acumen.neighbours.fitting import DistanceLike, NeighbourLearner, learn_classes
from acumen.neighbours.label_spreading_model import LabelSpreadingModel, graph_of, lines_of, spread_labels
from acumen.neighbours.stored_rows import KCurve
from acumen.rows.class_order import class_totals, drop_unlabelled
from acumen.rows.training_rows import Rows
from acumen.types import Array, Codes, Floats


class LabelSpreading(NeighbourLearner, Classifier):
    """Semi-supervised learning: spread labels from row to row along neighbours, through unlabelled rows.

    Each row is connected to its k nearest rows. Its class proportions are a mixture of its neighbours' and of its own
    label, if it has one (Zhou et al. 2004). If classes are clumps or bands, a handful of labels is enough. If they
    overlap or are connected by bridges, unlabelled rows hurt: `report_` shows what they changed, by folds of the
    labelled rows, and acumen warns if they hurt. A new row gets the mean of its k nearest rows. Rows without a label
    are those whose label is None or NaN.

    Parameters
    ----------
    n_neighbors : int
        The number of neighbours each row is connected to. Rows with the same values count as one neighbour, so
        repeating every row changes little; such rows are always connected.
    clamping : float
        The weight of a row's neighbours, the rest being its own label: below 1; near 1 they can overrule a wrong label.
    distance : {"auto", "euclidean", "manhattan", "gower", ...}, Distance or function
        As for KNN, except distances that use the classes.
    weights : {"kernel", "uniform"}
        The weight of a neighbour: exp(-d^2 / (2 r r')), r and r' being the distances of both rows' k-th neighbours; or
        the same for all.
    scale, index
        As for KNN.
    tol : float
        Stop when the proportions are certainly within this distance of their limit.
    max_iter : int
        The largest number of steps of conjugate gradients; acumen warns if they are too few.
    folds : int or None
        The number of folds of labelled rows for the report; None for no errors in the report.
    costs, priors, class_weight, n_jobs
        As for NaiveBayes.

    Attributes
    ----------
    report_ : Unlabelled
        Rows that got a label, changed predictions on held-out labelled rows, errors with and without the unlabelled
        rows (without them it is KNN); `print` it.
    transduction_ : array
        The most probable class of each training row; None if no label reached it.
    shares_ : array of (training rows, classes)
    n_iter_ : int

    Examples
    --------
    >>> import acumen
    >>> rows = [[float(v)] for v in (0, 1, 2, 3, 4, 20, 21, 22, 23, 24)]
    >>> y = ["a", None, None, None, None, None, None, None, None, "b"]
    >>> model = acumen.LabelSpreading(2).fit(rows, y)
    >>> model.transduction_.tolist()
    ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'b', 'b', 'b']
    """

    kind: ClassVar[str] = "label-spreading"
    model_type = LabelSpreadingModel

    def __init__(
        self,
        n_neighbors: Annotated[int, AtLeast(1)] = 7,
        *,
        clamping: Annotated[float, MoreThan(0), Between(0, 0.9999)] = 0.9,
        distance: DistanceLike = "auto",
        weights: Literal["kernel", "uniform"] = "kernel",
        scale: bool = True,
        index: Literal["auto", "kd", "blocked", "vantage", "brute"] = "auto",
        tol: Annotated[float, MoreThan(0)] = 1e-9,
        max_iter: Annotated[int, AtLeast(1)] = 1000,
        folds: Annotated[int, AtLeast(2)] | None = 5,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.clamping = clamping
        self.distance = distance
        self.weights = weights  # fewer ways than neighbours that vote have
        self.scale = scale
        self.index = index
        self.tol = tol
        self.max_iter = max_iter
        self.folds = folds
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    @property
    def learns_unlabelled(self) -> bool:
        """Whether unlabelled rows are used for training too: always."""
        return True

    def objection(self, schema: Schema) -> str | None:
        problem = super().objection(schema)
        if problem is not None:
            return problem
        rule = resolve(self.distance, schema, self._name)
        if rule.needs_classes:
            return f"the distance {rule.name!r} looks at classes, which rows without a label have none of."
        return None

    def reason_to_skip(self, table: Table) -> str | None:
        if table.known_target().all():
            return "every row has a label, so there is nothing to spread them to."
        return None

    def memory(self, rows: int, schema: Schema) -> int | None:
        # The rows as for neighbours, the lists, the graph both ways, and two matrices of shares.
        return (
            24 * rows * max(len(schema), 1)
            + 80 * rows * int(self.n_neighbors)
            + 32 * rows * max(len(schema.classes), 1)
        )

    # -- learning ---------------------------------------------------------------------------------

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        table = rows.require_local(self._name)
        model, self.n_iter_ = self._spread(table)
        fresh = (table.class_codes < 0) & (model.shares[model.line].sum(axis=1) > 0)
        rounds = (int(fresh.sum()),) if fresh.any() else ()
        self.report_: Unlabelled = judge_unlabelled(table, rounds, self.folds, self._codes, self._codes_alone)
        warn_of_harm(self.report_, self._name)
        return model, model.totals

    def _spread(self, table: Table) -> tuple[LabelSpreadingModel, int]:
        rule = require_distance(self.distance, table.schema, self._name)
        fitted, raw = fit_rows(rule, table, bool(self.scale))
        heavy = np.ascontiguousarray(table.row_weights, dtype=np.float64)
        k, say = int(self.n_neighbors), str(self.weights)
        n_rows = len(raw)
        lines = lines_of(raw, heavy, table.class_codes, bool(self.weighing_.whole))
        raw, labels = (
            raw.take(lines.first),
            np.ascontiguousarray(table.class_codes[lines.first], dtype=np.int32),
        )
        graph = graph_of(fitted, raw, lines, k, say, self.index)
        classes = table.schema.n_classes
        scores, steps = spread_labels(
            graph, lines, labels, classes, float(self.clamping), float(self.tol), int(self.max_iter)
        )
        if steps >= int(self.max_iter):
            warnings.warn(
                f"{self._name}: {steps} steps were not enough for the shares to come within tol={self.tol:g}; raise "
                "max_iter or tol.",
                AcumenWarning,
                stacklevel=4,
            )
        total = scores.sum(axis=1, keepdims=True)
        model = LabelSpreadingModel(
            fitted=fitted, raw=raw, weights=lines.weights, k=k, say=say,  # type: ignore[arg-type]
            index=self.index, curve=KCurve(np.empty(0), np.empty(0)), n_rows=n_rows,
            shares=scores / np.where(total > 0, total, 1.0), reach=graph.reach, labels=labels, line=lines.of_row,
            totals=np.ascontiguousarray(class_totals(drop_unlabelled(table))),
        )  # fmt: skip
        return model, steps

    def _codes(self, table: Table) -> Callable[[Table], Codes]:
        model = self._spread(table)[0]
        return _predict_most_probable(model)

    def _codes_alone(self, table: Table) -> Callable[[Table], Codes]:
        """What the labelled rows alone say, as neighbours do: spreading is poor where there are but few rows."""
        model = learn_classes(
            table, who=self._name, whole=bool(self.weighing_.whole), smoothing=0.0, n_neighbors="loo",
            distance=self.distance, weights="uniform", scale=bool(self.scale), index=self.index, max_neighbors=50,
            selection_rule="best", attribute_weights=None,
        )  # fmt: skip
        return _predict_most_probable(model)

    # -- what was learned -------------------------------------------------------------------------

    @property
    def transduction_(self) -> Array:
        """The most likely class of each training row; None if no label reached it."""
        shares = self.shares_
        best = np.where(shares.sum(axis=1) > 0, shares.argmax(axis=1), len(self.classes_))
        most_probable: Array = np.array([*self.classes_.tolist(), None], dtype=object)[best]
        return most_probable

    @property
    def shares_(self) -> Floats:
        """The class weights that reached each training row."""
        model = self._spreads
        return model.shares[model.line]

    @property
    def _spreads(self) -> LabelSpreadingModel:
        model = self._require_fitted().model
        assert isinstance(model, LabelSpreadingModel)
        return model


def _predict_most_probable(model: Model) -> Callable[[Table], Codes]:
    def codes(rows: Table) -> Codes:
        most_probable: Codes = softmax(model.scores(rows)).argmax(axis=1).astype(np.int32)
        return most_probable

    return codes
