"""What a fitted tree can do: other prunings, the pruning path, a decision list, and how it was grown.

Prunable   other prunings of the tree, their sequence, and a decision list
Stepped    the score of every attribute at each node
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from acumen import messages
from acumen.base.classifier import Classifier
from acumen.base.kept_rows import KeepsRows
from acumen.data.align import align
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.models.predictor import Predictor
from acumen.rows.class_order import drop_unlabelled
from acumen.rows.intake import training_rows
from acumen.rows.weights import in_units, total_weight
from acumen.rulelist.rule_list import RuleList
from acumen.trees.binning import plan_bins
from acumen.trees.cost_complexity import PruningPath
from acumen.trees.decision_list import decision_list
from acumen.trees.model import DecisionTreeModel, LeafEstimate, node_shares
from acumen.trees.prune import Method, PruneOptions, prune_tree
from acumen.trees.reading.phrases import weight
from acumen.trees.reading.steps import TreeSteps, tree_steps
from acumen.trees.risk import class_cost_factors
from acumen.trees.sample import Sample
from acumen.types import Floats


class Prunable(Classifier):
    """The part of a tree's face that prunes and lists."""

    if TYPE_CHECKING:  # of the trees' faces
        leaf_estimate: LeafEstimate
        prior_weight: float
        confidence_factor: float

        def _prune_options(self, costs: Floats | None) -> PruneOptions: ...

    def with_pruning(
        self, method: Method, X: Any = None, y: Any = None, sample_weight: Any = None, **parameters: Any
    ) -> Self:
        """Prune this fitted tree in another way; returns a fitted learner without growing a new tree.

        Fit with `prune="none"` to keep the whole tree; then you can compare several pruning methods on one tree.

        Parameters
        ----------
        method : {"pessimistic", "none", "reduced-error", "cost-complexity", "mdl", "significance"}
        X, y, sample_weight
            For "pessimistic" the training rows: without them no subtree is raised. For "reduced-error", and for
            "cost-complexity" without `ccp_alpha`, held-out rows. Not needed otherwise.
        **parameters
            Other values of `confidence_factor`, `significance`, `ccp_alpha`, `one_se`, `leaf_estimate` and so on, for
            the new learner.
        """
        predictor = self._require_fitted()
        learner = type(self)(**{**self.get_params(deep=False), **parameters, "prune": method})
        learner.check_parameters()
        options: PruneOptions = learner._prune_options(predictor.costs)
        model = _model(predictor)
        rows = None if X is None else Sample.of(self._rows(X, y, sample_weight), model.tree.inputs)
        tree = prune_tree(model.tree, method, predictor.schema, rows, options)
        shares: Floats = node_shares(tree, learner.leaf_estimate, learner.prior_weight)
        learner.predictor_ = replace(predictor, model=replace(model, tree=tree, shares=shares))
        for name in ("classes_", "training_", "weighing_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(learner, name, getattr(self, name))
        return learner

    def pruning_path(self) -> PruningPath:
        """The cost-complexity pruning path: `alphas`, `leaves`, `errors`."""
        predictor = self._require_fitted()
        return PruningPath.of(_model(predictor).tree, costs=predictor.costs)

    def to_decision_list(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, confidence_factor: float | None = None
    ) -> RuleList:
        """Convert the tree to a simplified, ordered rule list (C4.5rules).

        It drops conditions if the pessimistic error does not rise, then rules that their class does not need, by
        message length. Classes are ordered by how rarely their rules are wrong. The list may predict differently from
        the tree.

        Parameters
        ----------
        X, y, sample_weight
            The training rows of the tree.
        confidence_factor : float, optional
            The confidence of the error estimate; smaller values drop more. [default: the learner's `confidence_factor`]
        """
        predictor = self._require_fitted()
        confidence_factor = float(self.confidence_factor) if confidence_factor is None else confidence_factor
        if not 0 < confidence_factor <= 1:
            raise ParameterError(
                "to_decision_list: confidence_factor must be a number above 0 and at most 1; "
                f"got {confidence_factor!r}."
            )
        rules: RuleList = _model(predictor).to_rules(predictor.schema)
        return decision_list(rules, self._rows(X, y, sample_weight), cf=confidence_factor)

    def _rows(self, X: Any, y: Any, sample_weight: Any) -> Table:
        """Labelled rows under the schema learned under, weighted as in learning."""
        predictor = self._require_fitted()
        classes = None if isinstance(X, Table) else predictor.classes
        table, shares = training_rows(X, y, sample_weight, self._name, classes)
        table = align(table, predictor.schema)
        factors = self.class_factors(table)
        weighing = self.weighing_of(table, shares, factors)
        rows = self.counted_places(drop_unlabelled(table), factors)[0]
        return in_units(rows, weighing.factor(total_weight(rows.weights), self._name))


def _model(predictor: Predictor) -> DecisionTreeModel:
    assert isinstance(predictor.model, DecisionTreeModel)
    return predictor.model


def _ask_for_data() -> str:
    """What to do where the rows were not kept."""
    fewer = messages.at_the_command_line("Fit on fewer rows to see the steps.")
    return fewer or "Pass them with data=."


class Stepped(KeepsRows):
    """What a tree can tell of its growing."""

    if TYPE_CHECKING:  # of the trees' faces
        method: str
        bins: int

        def _grow_options(self, inputs: Any, schema: Any, rng: np.random.Generator) -> Any: ...
        def _rows(self, X: Any, y: Any, sample_weight: Any) -> Table: ...

    def describe(self, full: bool = False, steps: bool = False, data: Any = None) -> str:
        """Describe the fitted model in words, in at most 40 lines unless `full` is true.

        Parameters
        ----------
        full : bool
            Everything, however long.
        steps : bool
            Also the score of every attribute at each node by the tree's measure, with the counts behind it.
        data : Table with its target, or pair (X, y), optional
            For `steps`: the training rows. `fit` keeps them itself if there are few.
        """
        text: str = super().describe(full)
        if not steps:
            return text
        return f"{text}\n\n{self.steps(data).text(full=full)}"

    def steps(self, data: Any = None) -> TreeSteps:
        """The worth of every attribute at each node, as values; see `describe`."""
        predictor = self._require_fitted()
        model, schema = predictor.model, predictor.schema
        assert isinstance(model, DecisionTreeModel)
        rows = Sample.of(self._step_rows(data), model.tree.inputs)
        options: Any = self._grow_options(model.tree.inputs, schema, np.random.default_rng(0))
        drawn = options.max_attributes
        options = replace(options, max_attributes=None)
        if predictor.costs is not None:
            altered = class_cost_factors(predictor.costs, rows.totals(schema.n_classes))
            options = options if altered is None else options.with_factors(altered)
        notes = []
        if not np.allclose(rows.totals(schema.n_classes), model.tree.counts[0], rtol=1e-9, atol=1e-9):
            root_weight = weight(float(model.tree.weight[0]))
            notes.append(
                f"By {weight(rows.weight)} rows; the counts of the tree itself are of {root_weight}."
            )
        if drawn is not None and drawn < len(model.tree.inputs):
            notes.append(
                f"At each node {drawn} of {len(model.tree.inputs)} attributes, drawn at random, were considered."
            )
        edges: tuple[Any, ...] = ()
        if self.method == "histogram":
            edges = plan_bins([rows], model.tree.inputs, schema, self.bins).edges
        if options.factors is not None:
            notes.append("Classes are weighted by the cost of their errors.")
        return tree_steps(model.tree, model.shares, rows, schema, options, notes, edges)

    def _step_rows(self, data: Any) -> Table:
        if data is not None:
            X, y = data if isinstance(data, tuple) else (data, None)
            rows: Table = self._rows(X, y, None)
            return rows
        table: Table = self.kept_rows("telling its steps", _ask_for_data())[0]
        return table
