"""What a fitted tree can be turned into: other prunings of it, their sequence, and a decision list."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from acumen.base.classifier import Classifier
from acumen.data.align import align
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.models.predictor import Predictor
from acumen.rows.class_totals import labelled
from acumen.rows.intake import training_rows
from acumen.rows.weights import in_units, total_weight
from acumen.rulelist.rule_list import RuleList
from acumen.trees.decision_list import decision_list
from acumen.trees.model import DecisionTreeModel, LeafEstimate, node_shares
from acumen.trees.prune import Method, PruneOptions, pruned
from acumen.trees.sample import Sample
from acumen.trees.weakest import PruningPath
from acumen.types import Floats


class Prunable(Classifier):
    """The part of a tree's face that prunes and lists."""

    if TYPE_CHECKING:  # of the trees' faces
        leaf_estimate: LeafEstimate
        prior_weight: float
        cf: float

        def _prune_options(self, costs: Floats | None) -> PruneOptions: ...

    def pruned(
        self, method: Method, X: Any = None, y: Any = None, sample_weight: Any = None, **parameters: Any
    ) -> Self:
        """This fitted tree pruned in another way, as a fitted learner of its own; nothing is grown anew.

        Fit with `prune="none"` to have the whole tree to prune; so several ways can be compared on one tree.

        Parameters
        ----------
        method : {"pessimistic", "none", "reduced-error", "cost-complexity", "mdl", "significance"}
        X, y, sample_weight
            For "pessimistic" the training rows: without them no subtree is raised. For "reduced-error", and for
            "cost-complexity" without `ccp_alpha`, rows that the tree has not seen. Not needed otherwise.
        **parameters
            Other values of `cf`, `significance`, `ccp_alpha`, `one_se`, `leaf_estimate` and so on, for the new learner.
        """
        predictor = self._fitted()
        made = type(self)(**{**self.get_params(deep=False), **parameters, "prune": method})
        made.check_parameters()
        options: PruneOptions = made._prune_options(predictor.costs)
        model = _model(predictor)
        rows = None if X is None else Sample.of(self._rows(X, y, sample_weight), model.tree.inputs)
        tree = pruned(model.tree, method, predictor.schema, rows, options)
        shares: Floats = node_shares(tree, made.leaf_estimate, made.prior_weight)
        made.predictor_ = replace(predictor, model=replace(model, tree=tree, shares=shares))
        for name in ("classes_", "training_", "weighing_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(made, name, getattr(self, name))
        return made

    def pruning_path(self) -> PruningPath:
        """All trees that cost-complexity pruning can make of this one: `alphas`, `leaves`, `errors`."""
        predictor = self._fitted()
        return PruningPath.of(_model(predictor).tree, costs=predictor.costs)

    def to_decision_list(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, cf: float | None = None
    ) -> RuleList:
        """The tree's rules made shorter and fewer, in an order: C4.5rules.

        Conditions go where the pessimistic error does not rise by it, then rules that their class can do
        without, by message length; classes are ordered by how seldom their rules are wrong. What the list says may
        differ from what the tree says.

        Parameters
        ----------
        X, y, sample_weight
            The rows that the tree was grown on.
        cf : float, optional
            The confidence with which errors are estimated, the smaller the more goes; the learner's `cf` unless given.
        """
        predictor = self._fitted()
        cf = float(self.cf) if cf is None else cf
        if not 0 < cf <= 1:
            raise ParameterError(f"to_decision_list: cf must be a number above 0 and at most 1; got {cf!r}.")
        rules: RuleList = _model(predictor).to_rules(predictor.schema)
        return decision_list(rules, self._rows(X, y, sample_weight), cf=cf)

    def _rows(self, X: Any, y: Any, sample_weight: Any) -> Table:
        """Labelled rows under the schema learned under, weighted as in learning."""
        predictor = self._fitted()
        classes = None if isinstance(X, Table) else predictor.classes
        given, shares = training_rows(X, y, sample_weight, self._name, classes)
        given = align(given, predictor.schema)
        factors = self.class_factors(given)
        weighing = self.weighing_of(given, shares, factors)
        rows = self.counted_places(labelled(given), factors)[0]
        return in_units(rows, weighing.factor(total_weight(rows.weights), self._name))


def _model(predictor: Predictor) -> DecisionTreeModel:
    assert isinstance(predictor.model, DecisionTreeModel)
    return predictor.model
