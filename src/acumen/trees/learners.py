"""The trees' faces: parameters, documentation, and which algorithm stands behind each."""

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
    """Classify by a tree of tests: C4.5's by default, CART's and others' by its parameters.

    Each inner node tests one attribute: numbers against a threshold, levels each by a branch of its own or as one
    set against the others, ordered levels against one of them, texts for a word. Missing values need no filling in.

    Parameters
    ----------
    measure : {"gain-ratio", "gain", "gini", "cart", "error", "twoing"}
        What makes a split good: C4.5's gain ratio, the entropy gain of ID3, Gini's index, the difference between
        the branches' class distributions, the number of errors, or twoing.
    split : {"multiway", "binary"}
        Whether a nominal attribute is split into all its levels or into two sets of levels. Two classes, or few
        levels: the best set; else a good one (see `trees.options`).
    prune : {"pessimistic", "none", "reduced-error", "cost-complexity", "mdl", "significance"}
        How the grown tree is made smaller: by C4.5's pessimistic error estimate with `cf`, not at all, by the errors
        on a `validation_fraction` part held back, by cost and complexity with alpha from `folds`-fold
        cross-validation, by description length, or by tests at `significance` from the leaves up.
    missing : {"fractional", "surrogate", "branch", "majority"}
        Where a row goes whose value is missing: down all branches in shares, where the best stand-in of the test
        sends it, down a branch of its own, or down the heaviest branch.
    stop_size : float
        A node of no more weight is a leaf.
    min_samples_leaf : float or "auto"
        A split needs two branches of so much weight; "auto" is 2 for the gain ratio, else 1.
    purity : float
        A node whose largest class has this share is a leaf.
    min_gain : float
        A split needs this decrease of impurity.
    max_depth, max_leaf_nodes : int, optional
        Limits of the grown tree, before `stop` and `prune` take from it. With `max_leaf_nodes` the node whose split
        gains most is split first.
    stop : {None, "significance", "mdl"}
        Whether a split must also be significant (chi-square at `significance`) or pay for its description.
    significance : float
        The level of the tests that `stop` and `prune` make.
    cf : float
        The confidence of pessimistic pruning; the smaller, the smaller the tree.
    max_subset : int, optional
        How many levels `X in V` may name.
    intervals : int
        Into how many intervals a numeric attribute may be split at a node; 2 is a threshold.
    leaf_estimate : {"frequency", "laplace", "m"}
        How a leaf's class probabilities come from its counts; "m" adds `prior_weight` rows of the root's distribution.
    attribute_costs : mapping, optional
        What it costs to know an attribute, by name, above 0 and 1 unless given: scores are divided by it.
    attribute_weights : mapping of attribute to "use", "ignore" or number, optional
        What the scores of its tests are multiplied by; 1 unless given, "use" is 2. "ignore", or 0, is never tested.
    construct : {None, "pairs"}
        Whether products, ratios and differences of numeric attributes and conjunctions of nominal ones may be
        tested too, of at most 14 attributes of each kind.
    method : {"exact", "histogram"}
        Whether every cut between two values is tried, or those between `bins` intervals of about equal weight. With
        histograms trees can be grown from parts (`fit_stream`), the same for any cut into parts; pessimistic pruning
        then raises no subtrees, and there are no surrogates.
    bins : int
        How many intervals of a numeric attribute, for method="histogram".
    validation_fraction, folds
        For prune="reduced-error" and prune="cost-complexity".
    costs : matrix or mapping, optional
        What wrong answers cost, rows predicted, columns true: in growing (classes count by what their errors cost), in
        pruning and in the decision.
    priors, class_weight
        As for NaiveBayes.
    random_state : seed or Generator, optional
        For the parts that "reduced-error" and "cost-complexity" draw.
    n_jobs : int, optional
        Threads; None means every core. The tree is the same.
    ccp_alpha : float, optional
        The price of a leaf, for prune="cost-complexity" without cross-validation.
    one_se : bool
        Take the smallest tree within one standard error of the best, for prune="cost-complexity".
    prior_weight : float
        For leaf_estimate="m".
    threshold_penalty, require_average_gain : bool
        C4.5's price of a threshold, and its rule that only attributes of average gain compete by their ratio.

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
        cf: Annotated[float, MoreThan(0), Between(0, 1)] = 0.25,
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
        self.cf = cf
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

    def prepared(self, rows: Table) -> Presorted | None:
        """The order of the rows' numbers, which no draw changes."""
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

        def grown(some: Sample) -> Tree:
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

        tree = drop_unused_inputs(grow_and_prune(sample, grown, schema, self._prune_options(costs), rng))
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
        """What the score of each input is divided by: what it costs to know, over its weight; None where all is 1.

        Attributes of weight 0 are not there to be tested, and their cost does not matter.
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
    """A tree that at each node looks at a few attributes drawn at random: what forests are made of.

    At each node attributes are drawn until `max_features` have been found by which its rows can be split at all; the
    best of these is taken. What is drawn depends on `random_state` and on the way to the node alone.

    Parameters
    ----------
    max_features : {"sqrt", "log2"}, int, float or None
        How many: the root or the binary logarithm of their number, so many, such a share, or all.
    measure, split, prune
        As for DecisionTree; but Gini's index, binary splits and no pruning unless asked for.
    missing, stop_size, min_samples_leaf, purity, min_gain, max_depth, max_leaf_nodes, stop, significance, cf,
    max_subset
        As for DecisionTree.
    intervals, leaf_estimate, attribute_costs, attribute_weights, construct, method, bins, validation_fraction, folds,
    costs
        As for DecisionTree.
    priors, class_weight
        As for DecisionTree.
    random_state : seed or Generator, optional
        For what is drawn at the nodes, and as for DecisionTree.
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
        return plain.drawing(self._wanted(len(inputs)), int(rng.integers(2**63)))

    def _wanted(self, inputs: int) -> int | None:
        """How many of so many inputs are looked at; None: all."""
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
