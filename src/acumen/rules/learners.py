"""Rule learners: Ripper, CN2, C45Rules, and RuleClassifier for your own rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, cast

from acumen.base.attribute_weights import AttributeWeights, weights_of
from acumen.base.classifier import Classifier
from acumen.data.schema import Schema
from acumen.errors import DataError
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
from acumen.rulelist.row_counts import recount
from acumen.rulelist.rule_list import RuleList
from acumen.rules import c45, cn2, ripper
from acumen.rules.constraints import RuleConstraints
from acumen.rules.models import C45RulesModel, CN2Model, GivenRules, RipperModel
from acumen.trees.candidate_inputs import MOST_WORDS
from acumen.trees.learners import DecisionTree
from acumen.types import Floats

Names = Annotated[Any, Described("names of attributes, or None")]
Seed = Annotated[Any, Described("a whole number, a random generator, or None")]


class _Constrained:
    """Parameters that every rule learner has; a learner stores them by calling this."""

    def __init__(
        self,
        *,
        must_use: Names = None,
        must_not_use: Names = None,
        monotone: Mapping[str, Any] | None = None,
        smoothing: Annotated[float, AtLeast(0)] = 1.0,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.must_use = must_use
        self.must_not_use = must_not_use
        self.monotone = monotone
        self.smoothing = smoothing
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs


class _RuleLearner(Classifier):
    """What learners of rules share."""

    must_use: Any
    must_not_use: Any
    monotone: Mapping[str, Any] | None
    smoothing: float
    n_tested_: int

    def memory(self, rows: int, schema: Schema) -> int | None:
        # Every column as codes, and the rows of rules; a text has a column for each of its words.
        return 16 * rows * (len(schema.numeric) + len(schema.nominal) + MOST_WORDS * len(schema.text) + 8)


class Ripper(_RuleLearner):
    """Classify by a short list of rules (RIPPER; Cohen 1995).

    Rules are learned class by class, rarest first; rows that no rule covers get the most frequent class. Each rule is
    grown on part of the rows and pruned on the rest; then all are optimised together. Numbers are cut where it helps
    while a rule is grown. A missing value satisfies no test. Texts are tested for words.

    Parameters
    ----------
    prune_fraction : float
        The fraction of the remaining rows held out to prune the next rule, stratified by class. With 0 rules are not
        pruned, and no random numbers are used.
    n_optimisations : int
        The number of passes in which every rule competes with a newly grown one and an extended one. 0 is IREP.
    classes : {"rarest-first", "all"}
        Learn rules for all classes but the most frequent, each from the rows that earlier classes' rules leave; or
        for every class from all rows.
    deletion : {"prefix", "subsets"}
        What pruning may remove: the last conditions of a rule, or any set of them.
    stop : {"mdl", "error"}
        When to stop adding rules for a class: "mdl" when the message of rules and exceptions is 64 bits longer than
        the shortest so far, or a rule is wrong on half of the rows it covers; "error" when a rule is wrong on more
        than half of the held-out rows. Only "mdl" removes rules whose loss shortens the message.
    min_covered : float
        The smallest weight of rows of its class that each condition must leave while a rule is grown.
    gain : {"smoothed", "plain"}
        FOIL's gain with one row added to each count, as in Cohen's program, or as written.
    sets : bool
        Whether a condition may name several categories (`in`). Each named category counts as a condition in the
        message length.
    max_conditions : int, optional
        The largest number of conditions of a rule.
    attribute_weights : mapping of attribute to "use", "ignore" or number, optional
        Factor for the gain of an attribute's conditions while a rule is grown. "use" is 2; "ignore", or 0, means
        never tested. Default: 1.
    random_state : seed or Generator, optional
        Seed for the held-out rows.
    must_use : names of attributes, optional
        Every rule tests each of them.
    must_not_use : names of attributes, optional
        No rule tests any of them.
    monotone : mapping of attribute to 1 or -1, optional
        {"income": 1}: the higher the income, the later the class in the order of classes. Rules for the last class
        may then only ask for more income, rules for the first only for less. -1 is the reverse.
    smoothing : float
        Added to each class's count behind a rule to compute probabilities (Laplace smoothing: 1).
    costs : matrix or mapping, optional
        Predicted class by true class, or keyed (predicted, true). Default: 1 for missing pairs, 0 on the diagonal.
    priors : mapping, array or "uniform", optional
        Class probabilities to use instead of the training frequencies.
    class_weight : mapping or "balanced", optional
        Multiplies the row weights.
    n_jobs : int, optional
        Number of threads; None uses all available cores. The rules are the same.

    Attributes
    ----------
    n_tested_ : int
        The number of rules the search tested; `rule_report` corrects for all of them.

    Examples
    --------
    >>> import acumen
    >>> print(acumen.Ripper(random_state=0).fit(acumen.datasets.load("loan")).to_rules())
    1. if Has_Job = false and Own_house = false then No  (support 6/15, confidence 6/6)
       otherwise Yes  (confidence 9/9)
    """

    kind: ClassVar[str] = "ripper"
    model_type = RipperModel

    @with_parameters_of(_Constrained)
    def __init__(
        self,
        *,
        prune_fraction: Annotated[float, Between(0, 0.9)] = 1 / 3,
        n_optimisations: Annotated[int, AtLeast(0)] = 2,
        classes: ripper.Classes = "rarest-first",
        deletion: ripper.Deletion = "prefix",
        stop: ripper.Stopping = "mdl",
        min_covered: Annotated[float, MoreThan(0)] = 2,
        gain: ripper.Gain = "smoothed",
        sets: bool = False,
        max_conditions: Annotated[int, AtLeast(1)] | None = None,
        attribute_weights: AttributeWeights = None,
        random_state: Seed = None,
        **others: Any,
    ) -> None:
        self.prune_fraction = prune_fraction
        self.n_optimisations = n_optimisations
        self.classes = classes
        self.deletion = deletion
        self.stop = stop
        self.min_covered = min_covered
        self.gain = gain
        self.sets = sets
        self.max_conditions = max_conditions
        self.attribute_weights = attribute_weights
        self.random_state = random_state
        _Constrained.__init__(cast(Any, self), **others)  # stores them, whoever self is

    @property
    def draws_numbers(self) -> bool:
        """Whether it uses `random_state`."""
        return self.prune_fraction > 0

    def learn(self, rows: Rows) -> tuple[RipperModel, Floats]:
        table = rows.require_local(self._name)
        rng = next(streams(self.random_state, self._name))
        options = ripper.RipperOptions(
            prune_share=float(self.prune_fraction),
            optimise=int(self.n_optimisations),
            classes=self.classes,
            deletion=self.deletion,
            stop=self.stop,
            min_covered=float(self.min_covered),
            gain=self.gain,
            sets=bool(self.sets),
            max_conditions=self.max_conditions,
            smoothing=float(self.smoothing),
            seed=int(rng.integers(2**63)),
            weights=weights_of(self.attribute_weights, table.schema, self._name),
        )
        model, self.n_tested_ = ripper.learn_ripper(table, options, RuleConstraints.of(self, table.schema))
        return model, ripper.class_weights(table)


class CN2(_RuleLearner):
    """Classify by rules that beam search finds one by one (CN2; Clark and Niblett 1989).

    Every cut between two numbers may be tested, however many there are. A missing value satisfies no test. Texts are
    tested for words.

    Parameters
    ----------
    ordered : bool
        Learn an ordered list in which the first rule that holds answers, each rule from the rows that earlier ones
        leave; or rules for each class, which vote by the class counts of all rows they cover (Clark and Boswell
        1991).
    beam_width : int
        The number of rules kept at each step of the search.
    measure : {"entropy", "laplace", "m-estimate", "likelihood-ratio", "wracc"}
        The quality of a rule: the entropy of the classes it covers (lower is better), the fraction of its class with
        one row added to each class or with `prior_weight` rows of the table's distribution, how far its classes differ
        from that distribution, or weighted relative accuracy.
    significance : float, optional
        The significance level at which a rule's classes must differ from the table's; None for no test.
    min_covered : float
        The smallest weight of rows that a rule covers.
    max_conditions : int, optional
        The largest number of conditions of a rule.
    prior_weight : float
        For measure="m-estimate".
    threshold : float
        How much better a rule must be than the rule without conditions.
    must_use, must_not_use, monotone, smoothing, costs, priors, class_weight, n_jobs
        As for `Ripper`.

    Attributes
    ----------
    n_tested_ : int
        The number of rules the search tested.

    Examples
    --------
    >>> import acumen
    >>> print(acumen.CN2().fit(acumen.datasets.load("loan")).to_rules())
    1. if Own_house = true then Yes  (support 6/15, confidence 6/6)
    2. if Has_Job = false then No  (support 6/15, confidence 6/6)
       otherwise Yes  (confidence 3/3)
    """

    kind: ClassVar[str] = "cn2"
    model_type = CN2Model

    @with_parameters_of(_Constrained)
    def __init__(
        self,
        *,
        ordered: bool = True,
        beam_width: Annotated[int, AtLeast(1)] = 5,
        measure: cn2.MeasureOfRule = "entropy",
        significance: Annotated[float, MoreThan(0), Between(0, 1)] | None = 0.05,
        min_covered: Annotated[float, MoreThan(0)] = 2,
        max_conditions: Annotated[int, AtLeast(1)] | None = None,
        prior_weight: Annotated[float, MoreThan(0)] = 2.0,
        threshold: Annotated[float, AtLeast(0)] = 0.0,
        **others: Any,
    ) -> None:
        self.ordered = ordered
        self.beam_width = beam_width
        self.measure = measure
        self.significance = significance
        self.min_covered = min_covered
        self.max_conditions = max_conditions
        self.prior_weight = prior_weight
        self.threshold = threshold
        _Constrained.__init__(cast(Any, self), **others)  # stores them, whoever self is

    def learn(self, rows: Rows) -> tuple[CN2Model, Floats]:
        table = rows.require_local(self._name)
        options = cn2.CN2Options(
            ordered=bool(self.ordered),
            beam=int(self.beam_width),
            measure=self.measure,
            significance=self.significance,
            min_covered=float(self.min_covered),
            max_conditions=self.max_conditions,
            m=float(self.prior_weight),
            threshold=float(self.threshold),
            smoothing=float(self.smoothing),
        )
        model, self.n_tested_ = cn2.learn_cn2(table, options, RuleConstraints.of(self, table.schema))
        return model, ripper.class_weights(table)


class C45Rules(_RuleLearner):
    """Classify by the rules of a decision tree, made fewer and shorter (C4.5rules; Quinlan 1993).

    Parameters
    ----------
    confidence_factor : float
        The confidence level of the pessimistic error rates used to drop conditions.
    measure : {"gain-ratio", "gain", "gini", "cart", "error", "twoing"}
        As for `DecisionTree`; the tree is not pruned.
    split : {"multiway", "binary"}
        As for `DecisionTree`.
    stop_size, min_samples_leaf, max_depth
        As for `DecisionTree`.
    must_use, must_not_use, monotone, smoothing, costs, priors, class_weight, n_jobs
        As for `Ripper`.

    Examples
    --------
    >>> import acumen
    >>> print(acumen.C45Rules().fit(acumen.datasets.load("loan")).to_rules())
    1. if Own_house = false and Has_Job = false then No  (support 6/15, confidence 6/6)
    2. if Own_house = true then Yes  (support 6/15, confidence 6/6)
    3. if Has_Job = true then Yes  (support 3/15, confidence 3/3)
       otherwise Yes
    """

    kind: ClassVar[str] = "c45rules"
    model_type = C45RulesModel

    @with_parameters_of(_Constrained)
    def __init__(
        self,
        *,
        confidence_factor: Annotated[float, MoreThan(0), Between(0, 1)] = 0.25,
        measure: Literal["gain-ratio", "gain", "gini", "cart", "error", "twoing"] = "gain-ratio",
        split: Literal["multiway", "binary"] = "multiway",
        stop_size: Annotated[float, AtLeast(0)] = 1,
        min_samples_leaf: Literal["auto"] | Annotated[float, MoreThan(0)] = "auto",
        max_depth: Annotated[int, AtLeast(1)] | None = None,
        **others: Any,
    ) -> None:
        self.confidence_factor = confidence_factor
        self.measure = measure
        self.split = split
        self.stop_size = stop_size
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        _Constrained.__init__(cast(Any, self), **others)  # stores them, whoever self is

    def learn(self, rows: Rows) -> tuple[C45RulesModel, Floats]:
        table = rows.require_local(self._name)
        tree = DecisionTree(
            measure=self.measure,
            split=self.split,
            prune="none",
            stop_size=self.stop_size,
            min_samples_leaf=self.min_samples_leaf,
            max_depth=self.max_depth,
        )
        constraints = RuleConstraints.of(self, table.schema)
        model = c45.learn_c45_rules(
            table, tree, constraints, cf=float(self.confidence_factor), smoothing=float(self.smoothing)
        )
        return model, ripper.class_weights(table)


class RuleClassifier(Classifier):
    """Classify by your own rules: written by hand, read from text or JSON, or edited.

    `fit` leaves the rules unchanged and counts the rows behind each, from which probabilities are computed.

    Parameters
    ----------
    rules : RuleList, str, mapping or sequence of Rule
        A list; its text as `RuleList.parse` reads it; its form as `RuleList.to_dict` returns it; or rules, with the
        most frequent class as default.
    costs, priors, class_weight
        As for `Ripper`.

    Examples
    --------
    >>> import acumen
    >>> loan = acumen.datasets.load("loan")
    >>> print(acumen.RuleClassifier("if Own_house = true then Yes; otherwise No").fit(loan).to_rules())
    1. if Own_house = true then Yes  (support 6/15, confidence 6/6)
       otherwise No  (confidence 6/9)
    """

    kind: ClassVar[str] = "rule-classifier"
    model_type = GivenRules
    poor_score: ClassVar[bool] = True  # it learns nothing, and without rules says the most frequent class

    def __init__(
        self,
        rules: Annotated[Any, Described("a RuleList, its text or its form, or a sequence of rules")] = (),
        *,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
    ) -> None:
        self.rules = rules
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight

    def learn(self, rows: Rows) -> tuple[GivenRules, Floats]:
        table = rows.require_local(self._name)
        totals = ripper.class_weights(table)
        rule_list = self._list(table.schema, totals)
        try:
            return recount(rule_list, table), totals
        except DataError as error:
            raise DataError(f"{self._name}: {error}") from None

    def _list(self, schema: Schema, totals: Floats) -> GivenRules:
        if isinstance(self.rules, RuleList):
            rule_list: RuleList = self.rules
        elif isinstance(self.rules, str):
            rule_list = RuleList.parse(self.rules, schema)
        elif isinstance(self.rules, Mapping):
            rule_list = RuleList.from_dict(self.rules)
        elif isinstance(self.rules, Sequence):
            rule_list = RuleList(tuple(self.rules), schema.classes[int(totals.argmax())])
        else:
            raise DataError(f"{self._name}: rules must be a list of rules; got {self.rules!r}.")
        return GivenRules(
            rule_list.rules,
            rule_list.default,
            (),
            rule_list.ordered,
            {},
            rule_list.smoothing,
            rule_list.edits,
        )
