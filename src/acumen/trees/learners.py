"""Decision tree learners: parameters, documentation, and the algorithm behind each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.attribute_weights import AttributeWeights, weights_of, without_ignored
from acumen.base.classifier import Classifier
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import ParameterError, did_you_mean
from acumen.models.decision import resolve_costs
from acumen.models.model import Model
from acumen.models.parameters import (
    AtLeast,
    Between,
    ClassWeight,
    Costs,
    Described,
    MoreThan,
    Priors,
    with_parameters_of,
)
from acumen.resampling.plan import streams
from acumen.rows.training_rows import Rows
from acumen.trees.candidate_inputs import costs_of_inputs, drop_unused_inputs, inputs_of
from acumen.trees.fitted_tree import Prunable, Stepped
from acumen.trees.grow import grow
from acumen.trees.inputs import Inputs
from acumen.trees.levels import grow_by_levels
from acumen.trees.measures import MeasureName
from acumen.trees.model import DecisionTreeModel, LeafEstimate, RandomTreeModel, node_shares
from acumen.trees.options import GrowOptions, Missing, options_of
from acumen.trees.prune import PruneOptions, grow_and_prune
from acumen.trees.reading.face import TreeFace
from acumen.trees.risk import class_cost_factors
from acumen.trees.sample import Presorted, Sample
from acumen.trees.streamed import Streamed
from acumen.trees.tree import Tree
from acumen.types import Floats, Indices

Pruning = Literal["pessimistic", "none", "reduced-error", "cost-complexity", "mdl", "significance"]
Seed = Annotated[Any, Described("a whole number, a random generator, or None")]


class DecisionTree(TreeFace, Stepped, Prunable, Streamed, Classifier):  # type: ignore[misc]  # to_svg takes a row
    """Classify by a decision tree: C4.5 by default, CART and others by its parameters.

    Each inner node tests one attribute: a number against a threshold; a category by one branch each, or one set
    against the others; an ordered level against another; a text for a word. Missing values need no imputation.

    Parameters
    ----------
    measure : {"gain-ratio", "gain", "gini", "cart", "error", "twoing"}
        The split criterion: C4.5's gain ratio, ID3's entropy gain, Gini's index, the difference between the branches'
        class distributions, the number of errors, or twoing.
    split : {"multiway", "binary"}
        Split a nominal attribute into all its categories or into two sets of them. With two classes or few categories
        the two sets are the best possible, else good ones (see `trees.options`).
    prune : {"pessimistic", "none", "reduced-error", "cost-complexity", "mdl", "significance"}
        How to prune the grown tree: by C4.5's pessimistic error estimate with `confidence_factor`, not at all, by the
        errors on a held-out fraction `validation_fraction`, by cost and complexity with alpha from `folds`-fold
        cross-validation, by description length, or by tests at `significance` from the leaves up.
    missing : {"fractional", "surrogate", "branch", "majority"}
        Where a row with a missing value goes: down all branches in fractions, where a surrogate test sends it, down a
        branch of its own, or down the heaviest branch.
    stop_size : float
        A node with at most this weight is a leaf.
    min_samples_leaf : float or "auto"
        A split needs two branches of at least this weight; "auto" is 2 for the gain ratio, else 1.
    purity : float
        A node whose largest class has at least this fraction is a leaf.
    min_gain : float
        The smallest decrease of impurity for a split.
    max_depth, max_leaf_nodes : int, optional
        Limits of the grown tree, before `stop` and `prune` reduce it. With `max_leaf_nodes` the node whose split
        gains most is split first.
    stop : {None, "significance", "mdl"}
        Also require a split to be significant (chi-square at `significance`) or to pay for its description.
    significance : float
        The significance level of the tests made by `stop` and `prune`.
    confidence_factor : float
        The confidence level of pessimistic pruning; smaller values give smaller trees.
    max_subset : int, optional
        The largest number of categories that `X in V` may name.
    intervals : int
        The number of intervals into which a node may split a numeric attribute; 2 is a threshold.
    leaf_estimate : {"frequency", "laplace", "m"}
        How a leaf's class probabilities are computed from its counts; "m" adds `prior_weight` rows of the root's
        distribution.
    attribute_costs : mapping, optional
        The cost of measuring each attribute, by name, above 0. Scores are divided by it. Default: 1.
    attribute_weights : mapping of attribute to "use", "ignore" or number, optional
        Factor for the scores of an attribute's tests. "use" is 2; "ignore", or 0, means never tested. Default: 1.
    construct : {None, "pairs"}
        Also test products, ratios and differences of numeric attributes and conjunctions of nominal ones, for at most
        14 attributes of each kind.
    method : {"exact", "histogram"}
        Try every cut between two values, or only those between `bins` intervals of about equal weight. With
        histograms a tree can be grown from parts (`fit_stream`), with the same result for any parts; pessimistic
        pruning then raises no subtrees, and there are no surrogates.
    bins : int
        The number of intervals of a numeric attribute, for method="histogram".
    validation_fraction, folds
        For prune="reduced-error" and prune="cost-complexity".
    costs : matrix or mapping, optional
        The cost of each wrong answer, predicted class by true class. It counts in growing (classes are weighted by
        the cost of their errors), in pruning and in the decision.
    priors, class_weight
        As for NaiveBayes.
    random_state : seed or Generator, optional
        Seed for the parts drawn by "reduced-error" and "cost-complexity".
    n_jobs : int, optional
        Number of threads; None uses every core. The tree is the same.
    ccp_alpha : float, optional
        The cost of a leaf, for prune="cost-complexity" without cross-validation.
    one_se : bool
        Choose the smallest tree within one standard error of the best, for prune="cost-complexity".
    prior_weight : float
        For leaf_estimate="m".
    threshold_penalty, require_average_gain : bool
        C4.5's penalty for a threshold, and its rule that only attributes of average gain compete by their ratio.

    Examples
    --------
    >>> import acumen
    >>> tree = acumen.DecisionTree().fit(acumen.datasets.load("loan"))
    >>> tree.explain({"Age": "young", "Has_Job": False, "Own_house": False, "Credit_Rating": "good"}).label
    'No'
    """

    kind: ClassVar[str] = "decision-tree"
    model_type = DecisionTreeModel

    def __init__(
        self,
        *,
        measure: MeasureName = "gain-ratio",
        split: Literal["multiway", "binary"] = "multiway",
        prune: Pruning = "pessimistic",
        missing: Missing = "fractional",
        stop_size: Annotated[float, AtLeast(0)] = 1,
        min_samples_leaf: Literal["auto"] | Annotated[float, MoreThan(0)] = "auto",
        purity: Annotated[float, MoreThan(0), Between(0, 1)] = 1.0,
        min_gain: Annotated[float, AtLeast(0)] = 0.0,
        max_depth: Annotated[int, AtLeast(1)] | None = None,
        max_leaf_nodes: Annotated[int, AtLeast(2)] | None = None,
        stop: Literal["significance", "mdl"] | None = None,
        significance: Annotated[float, MoreThan(0), Between(0, 1)] = 0.05,
        confidence_factor: Annotated[float, MoreThan(0), Between(0, 1)] = 0.25,
        max_subset: Annotated[int, AtLeast(1)] | None = None,
        intervals: Annotated[int, AtLeast(2)] = 2,
        leaf_estimate: LeafEstimate = "frequency",
        attribute_costs: Mapping[str, Any] | None = None,
        attribute_weights: AttributeWeights = None,
        construct: Literal["pairs"] | None = None,
        method: Literal["exact", "histogram"] = "exact",
        bins: Annotated[int, Between(2, 65_534)] = 256,
        validation_fraction: Annotated[float, MoreThan(0), Between(0, 0.95)] = 1 / 3,
        folds: Annotated[int, AtLeast(2)] = 10,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        ccp_alpha: Annotated[float, AtLeast(0)] | None = None,
        one_se: bool = False,
        prior_weight: Annotated[float, MoreThan(0)] = 2.0,
        threshold_penalty: bool = True,
        require_average_gain: bool = True,
    ) -> None:
        self.measure = measure
        self.split = split
        self.prune = prune
        self.missing = missing
        self.stop_size = stop_size
        self.min_samples_leaf = min_samples_leaf
        self.purity = purity
        self.min_gain = min_gain
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.stop = stop
        self.significance = significance
        self.confidence_factor = confidence_factor
        self.max_subset = max_subset
        self.intervals = intervals
        self.leaf_estimate = leaf_estimate
        self.attribute_costs = attribute_costs
        self.attribute_weights = attribute_weights
        self.construct = construct
        self.method = method
        self.bins = bins
        self.validation_fraction = validation_fraction
        self.folds = folds
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.ccp_alpha = ccp_alpha
        self.one_se = one_se
        self.prior_weight = prior_weight
        self.threshold_penalty = threshold_penalty
        self.require_average_gain = require_average_gain

    @property
    def draws_numbers(self) -> bool:
        """Whether it uses `random_state`."""
        return self.prune == "reduced-error" or (self.prune == "cost-complexity" and self.ccp_alpha is None)

    def objection(self, schema: Schema) -> str | None:
        if self.method == "histogram" and self.missing == "surrogate":
            return "method='histogram' has no surrogates; choose another rule for missing values, or method='exact'."
        return None

    def memory(self, rows: int, schema: Schema) -> int | None:
        # The order of each numeric attribute's values, twice; what is grown is less.
        return 24 * rows * (len(schema.numeric) + len(schema.nominal))

    def prepare_rows(self, rows: Table) -> Presorted | None:
        """The sorted order of each numeric column, shared by fits on samples."""
        if self.method != "exact":
            return None
        rows = without_ignored(rows, weights_of(self.attribute_weights, rows.schema, self._name))
        return Presorted.of(rows, inputs_of(rows, pairs=self.construct == "pairs"))

    def use_prepared_rows(self, prepared: Any, places: Indices) -> None:
        self._draw = (prepared, places)

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        table = rows.require_local(self._name)
        schema = table.schema
        table = without_ignored(table, weights_of(self.attribute_weights, schema, self._name))
        self.keep_rows(table)
        inputs = inputs_of(table, pairs=self.construct == "pairs")
        order, places = self.__dict__.pop("_draw", (None, ()))
        drawn = order.draw(places, inputs) if order is not None and len(places) == len(table) else None
        sample = Sample.of(table, inputs, drawn)
        costs = resolve_costs(self.costs, schema.classes, self._name)
        rng = next(streams(self.random_state, self._name))
        options = self._grow_options(inputs, schema, rng)

        def grow_tree(some: Sample) -> Tree:
            altered = class_cost_factors(costs, some.totals(schema.n_classes))
            node_options = options if altered is None else options.with_factors(altered)
            if self.method == "histogram":
                return grow_by_levels([some], inputs, schema, options=node_options, bins=self.bins)
            return grow(
                some.columns,
                inputs,
                schema,
                some.labels,
                some.weights,
                options=node_options,
                drawn=some.drawn,
            )

        tree = drop_unused_inputs(grow_and_prune(sample, grow_tree, schema, self._prune_options(costs), rng))
        shares = node_shares(tree, self.leaf_estimate, self.prior_weight)
        return self.model_type(tree, shares), sample.totals(schema.n_classes)

    def _grow_options(self, inputs: Inputs, schema: Schema, rng: np.random.Generator) -> GrowOptions:
        return options_of(GrowOptions, self, attribute_costs=self._input_costs(inputs, schema))

    def _prune_options(self, costs: Floats | None) -> PruneOptions:
        return options_of(
            PruneOptions,
            self,
            method=self.prune,
            multiway=self.split == "multiway",
            raising=self.method == "exact",
            costs=costs,
        )

    def _input_costs(self, inputs: Inputs, schema: Schema) -> tuple[float, ...] | None:
        """Divisors of the scores of all inputs: an attribute's cost over its weight; None if all are 1.

        Attributes of weight 0 are never tested, so their cost does not matter.
        """
        weights = weights_of(self.attribute_weights, schema, self._name)
        if weights is None or (weights[weights > 0] == 1.0).all():
            weights = np.ones(len(schema))
            if self.attribute_costs is None:
                return None
        costs = dict.fromkeys(schema.names, 1.0)
        for name, cost in (self.attribute_costs or {}).items():
            if name not in costs:
                raise ParameterError(
                    f"{self._name}: attribute_costs names {name!r}, which is no attribute of the table."
                    + did_you_mean(str(name), schema.names)
                )
            if not isinstance(cost, (int, float, np.number)) or not 0 < cost < math.inf:
                raise ParameterError(
                    f"{self._name}: the cost of attribute {name!r} must be a number above 0; got {cost!r}."
                )
            costs[name] = float(cost)
        divisors = np.array(list(costs.values())) / np.where(weights > 0, weights, 1.0)
        return costs_of_inputs(inputs, schema, divisors.tolist())


class RandomTree(DecisionTree):
    """A decision tree that draws a few attributes at random at each node, as in a random forest.

    At each node attributes are drawn until `max_features` of them can split its rows; the best of these is taken. The
    draw depends only on `random_state` and the path to the node.

    Parameters
    ----------
    max_features : {"sqrt", "log2"}, int, float or None
        How many: the square root or the binary logarithm of their number, a number, a fraction, or all.
    measure, split, prune
        As for DecisionTree, but by default Gini's index, binary splits and no pruning.
    missing, stop_size, min_samples_leaf, purity, min_gain, max_depth, max_leaf_nodes, stop, significance
        As for DecisionTree.
    confidence_factor
        As for DecisionTree.
    max_subset
        As for DecisionTree.
    intervals, leaf_estimate, attribute_costs, attribute_weights, construct, method, bins, validation_fraction, folds
        As for DecisionTree.
    costs
        As for DecisionTree.
    priors, class_weight
        As for DecisionTree.
    random_state : seed or Generator, optional
        Seed for the draws at the nodes, and as for DecisionTree.
    n_jobs, ccp_alpha, one_se, prior_weight, threshold_penalty, require_average_gain
        As for DecisionTree.

    Examples
    --------
    >>> import acumen
    >>> tree = acumen.RandomTree(random_state=0).fit(acumen.datasets.load("iris"))
    >>> tree.score(acumen.datasets.load("iris"))
    1.0
    """

    kind: ClassVar[str] = "random-tree"
    model_type = RandomTreeModel

    @with_parameters_of(DecisionTree, measure="gini", split="binary", prune="none")
    def __init__(
        self,
        *,
        max_features: Literal["sqrt", "log2"]
        | Annotated[int, AtLeast(1)]
        | Annotated[float, MoreThan(0), Between(0, 1)]
        | None = "sqrt",
        **others: Any,
    ) -> None:
        self.max_features = max_features
        super().__init__(**others)

    @property
    def draws_numbers(self) -> bool:
        return self.max_features is not None or super().draws_numbers

    def _grow_options(self, inputs: Inputs, schema: Schema, rng: np.random.Generator) -> GrowOptions:
        plain = super()._grow_options(inputs, schema, rng)
        return plain.drawing(self._n_candidates(len(inputs)), int(rng.integers(2**63)))

    def _n_candidates(self, inputs: int) -> int | None:
        """The number of inputs to consider; None means all."""
        match self.max_features:
            case None:
                return None
            case "sqrt":
                wanted = round(math.sqrt(inputs))
            case "log2":
                wanted = round(math.log2(max(inputs, 1)))
            case int(number):
                wanted = number
            case share:
                wanted = round(share * inputs)
        return max(wanted, 1)
