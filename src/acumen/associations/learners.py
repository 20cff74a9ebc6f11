"""Learners of classification by association: CBA and StrongestRules; CarMiner only finds the rules."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self, cast

import numpy as np

from acumen.associations import class_rules
from acumen.associations.cba_model import Builder, CBAModel, Cover, Default, ListOptions
from acumen.associations.class_rules import CarSets, ClassRules, ItemRows, Thresholds
from acumen.associations.miner import Miner
from acumen.associations.mining import TooManySets
from acumen.associations.strongest_rules_model import StrongestModel, Vote, voting
from acumen.base.classifier import Classifier
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.errors import AcumenWarning, DataError
from acumen.models.parameters import (
    AtLeast,
    Between,
    ClassWeight,
    Costs,
    MoreThan,
    Priors,
    with_parameters_of,
)
from acumen.rows.intake import training_rows
from acumen.rows.training_rows import Rows
from acumen.rows.weights import Weighing, in_units, total_weight
from acumen.summaries.algebra import leave_each_out
from acumen.types import Codes, Floats, Label


class CarMiner(Miner):
    """Find class association rules: conditions that are frequent with a class and predict it with enough confidence.

    The target is fixed while mining, so rules of rare classes need no low support for everything. Numbers are
    cut by MDL, a missing value is no item, and row weights count.

    Parameters
    ----------
    min_support : float
        The minimum fraction of rows that fulfil a rule's conditions and have its class.
    min_confidence : float
        The least share of a rule's class among the rows that fulfil its conditions.
    class_supports : mapping of class to float, optional
        Supports of single classes, `{"rare": 0.002}`; above 1 a class has no rules.
    max_conditions : int, optional
        The most conditions of a rule.
    prune : {"pessimistic", None}
        Whether a rule goes whose upper limit of the error (C4.5's, at 25 %) is higher than that of a rule for
        the same class with one condition less, whether or not that one is sure enough itself.
    limit : int, optional
        More frequent sets of conditions than these are refused; None for no limit.
    n_jobs : int, optional
        Threads; None for all permitted cores.

    Attributes
    ----------
    rules_ : ClassRules
        A sequence of `Rule` in canonical order: confidence, support, then shorter ones, attributes and levels
        in the table's order.

    Examples
    --------
    >>> import acumen
    >>> loan = acumen.datasets.load("loan")
    >>> miner = acumen.CarMiner(min_support=2 / 15, min_confidence=0.8, prune=None).fit(loan)
    >>> len(miner.rules_)
    39
    >>> print(miner.rules_[0])
    if Own_house = true then Yes  (support 6/15, confidence 6/6)
    """

    def __init__(
        self,
        *,
        min_support: Annotated[float, MoreThan(0), Between(0, 1)] = 0.01,
        min_confidence: Annotated[float, Between(0, 1)] = 0.5,
        class_supports: Mapping[Any, float] | None = None,
        max_conditions: Annotated[int, AtLeast(1)] | None = None,
        prune: Literal["pessimistic"] | None = "pessimistic",
        limit: Annotated[int, AtLeast(1)] | None = class_rules.LIMIT,
        n_jobs: int | None = None,
    ) -> None:
        self.min_support = min_support
        self.min_confidence = min_confidence
        self.class_supports = class_supports
        self.max_conditions = max_conditions
        self.prune = prune
        self.limit = limit
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find class association rules in labelled rows."""
        self.check_parameters()
        table, shares = training_rows(X, y, sample_weight, self._name)
        weighing = Weighing.of(table, shares=shares, labelled=True)
        keep = np.flatnonzero((table.class_codes >= 0) & (table.row_weights > 0))
        sentence = class_rules.objection(table.schema)
        if sentence is not None or not len(keep):
            raise DataError(
                f"{self._name}: {sentence or 'there is no row with a class and a weight above 0.'}"
            )
        rows = table.take(keep)
        if not weighing.whole:  # as every learner takes them
            rows = in_units(rows, weighing.factor(total_weight(rows.weights), self._name))
        with limited_to(self.n_jobs):
            self.rules_ = mine_rules(self, rows, self._name, free=False)
        return self


def mine_rules(wish: Any, table: Table, who: str, *, free: bool) -> ClassRules:
    """The rules that a miner's parameters ask for; with `free`, without those that say the same of the same
    rows as a shorter one.
    """
    return rules_of(wish, ItemRows.of(table), who, free=free)[0]


def rules_of(
    wish: Any, rows: ItemRows, who: str, *, free: bool, covered: bool = False
) -> tuple[ClassRules, Cover | None]:
    """The same of rows as items, which are held no longer than they are needed; and what rules are laid over."""
    thresholds = Thresholds(float(wish.min_support), float(wish.min_confidence), wish.class_supports)
    least = thresholds.least(rows.totals, rows.classes, who)
    sets = CarSets.mine(rows, least, max_conditions=wish.max_conditions, limit=wish.limit, free=free, who=who)
    cover = Cover(rows) if covered else None
    del rows
    return sets.rules(least, thresholds.min_confidence, wish.prune is not None)[0], cover


class _Associative(Classifier):
    """What classifiers of class association rules share."""

    min_support: float
    min_confidence: float
    class_supports: Mapping[Label, float] | None
    max_conditions: int | None
    prune: str | None
    limit: int | None
    rules_: ClassRules
    n_tested_: int

    def objection(self, schema: Schema) -> str | None:
        return class_rules.objection(schema)


class CBA(_Associative):
    """Classify by a list of class association rules (Liu, Hsu and Ma 1998).

    Rules are mined as by `CarMiner` and put in a list; the first rule that matches predicts. Numbers are cut by MDL
    on the training rows; a missing value is not an item. Cross-validation of tables without numbers mines once for
    all folds, with the same result as refitting.

    Parameters
    ----------
    min_support, min_confidence, class_supports, max_conditions, prune, limit
        As of `CarMiner`.
    builder : {"m1", "m2"}
        Two ways to the same list: rule by rule, or row by row first. (M2 as it was published can lose rules;
        here it cannot.)
    cut : {"errors", None}
        End the list where it is wrong least often together with its default; or with the last rule that gets
        a row right.
    default : {"remaining", "majority"}
        The class where no rule holds: the most frequent of the rows that are left, or of all.
    costs : matrix or mapping, optional
        Rows predicted, columns true, or keyed (predicted, true); pairs not given cost 1, the diagonal 0.
    priors : mapping, array or "uniform", optional
        Class probabilities to answer to instead of the training frequencies.
    class_weight : mapping or "balanced", optional
        Multiplies the row weights.
    n_jobs : int, optional
        Threads; None for all permitted cores.

    Attributes
    ----------
    rules_ : ClassRules
        The rules that the list was made of, in canonical order, with the counts of all rows they cover. A
        body that covers the same rows as a shorter part of it is left out, as the list could never need it;
        `CarMiner` gives those too.

    Examples
    --------
    >>> import acumen
    >>> loan = acumen.datasets.load("loan")
    >>> print(acumen.CBA(min_support=2 / 15, min_confidence=0.8, cut=None, default="majority").fit(loan).to_rules())
    1. if Own_house = true then Yes  (support 6/15, confidence 6/6)
    2. if Has_Job = false and Own_house = false then No  (support 6/15, confidence 6/6)
    3. if Has_Job = true then Yes  (support 3/15, confidence 3/3)
       otherwise Yes
    """

    kind: ClassVar[str] = "cba"
    model_type = CBAModel

    @with_parameters_of(CarMiner)
    def __init__(
        self,
        *,
        builder: Builder = "m1",
        cut: Literal["errors"] | None = "errors",
        default: Default = "remaining",
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        **mining: Any,
    ) -> None:
        self.builder = builder
        self.cut = cut
        self.default = default
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        CarMiner.__init__(cast(Any, self), **mining)  # stores them, whoever self is

    @property
    def _options(self) -> ListOptions:
        return ListOptions(self.builder, self.cut, self.default)

    def learn(self, rows: Rows) -> tuple[CBAModel, Floats]:
        table = rows.require_local(self._name)
        self.rules_, cover = rules_of(self, ItemRows.of(table), self._name, free=True, covered=True)
        assert cover is not None
        self.n_tested_ = self.rules_.n_tested
        about = self.rules_.rows
        return cover.build_lists([self.rules_], self._options)[0], about.totals / about.unit

    # -- all folds from one pass ------------------------------------------------------------------

    def folds_objection(self, rows: Table) -> str | None:
        """Explain in a sentence why folds must be refitted; None if one pass gives the same result."""
        if rows.schema.numeric:
            return f"{rows.schema.numeric[0].name!r} holds numbers, which each fold cuts at different places"
        if self.class_weight is not None:
            return "class weights differ between folds"
        if not Weighing.of(rows).whole:
            return "weights that are not whole numbers are handled differently in each fold"
        return None

    def fit_folds(self, rows: Table, parts: Codes, n_parts: int) -> Iterator[Self]:
        """Fit one learner per fold on all rows outside it; mines the rows once for all folds."""
        from acumen.base.scikit import clone

        self.check_parameters()
        self.object_to(rows.schema)
        with limited_to(self.jobs):
            items = ItemRows.of(rows)
            thresholds = Thresholds(float(self.min_support), float(self.min_confidence), self.class_supports)
            totals = [items.totals_of(parts != part) for part in range(n_parts)]
            least = np.stack([thresholds.least(each, items.classes, self._name) for each in totals])
            sets: CarSets | None
            try:
                sets = CarSets.mine(
                    items, least, max_conditions=self.max_conditions, folds=parts, n_folds=n_parts,
                    limit=self.limit, free=True, who=self._name,
                )  # fmt: skip
            except (
                TooManySets
            ):  # a fold alone may have fewer, and needs one count of a class instead of all folds'
                sets = None
        if sets is None:
            warnings.warn(
                f"{self._name}: the conditions of all folds together do not fit in memory, so a model is fitted for "
                "each fold.",
                AcumenWarning,
                stacklevel=2,
            )
            for part in range(n_parts):
                yield clone(self).fit(rows.take(np.flatnonzero(parts != part)))
            return
        with limited_to(self.jobs):
            rule_sets = sets.rules(least, thresholds.min_confidence, self.prune is not None)
            each = [
                rules.of_totals(fold_totals) for rules, fold_totals in zip(rule_sets, totals, strict=True)
            ]
            models = Cover(items).build_lists(each, self._options, parts)
        del sets, rule_sets
        names = np.array(rows.schema.names, dtype=object)
        weighings = leave_each_out(Weighing.of_parts(rows, parts, n_parts, labelled=True))
        sizes = np.bincount(parts, minlength=n_parts)
        for part, (rules, model) in enumerate(zip(each, models, strict=True)):
            fold_learner = clone(self)
            fold_learner.rules_, fold_learner.n_tested_ = rules, rules.n_tested
            fold_learner.n_features_in_, fold_learner.feature_names_in_ = len(names), names
            fold_learner.weighing_ = weighings[part]
            fold_learner.settle(rows.schema, model, totals[part] / items.unit, len(rows) - int(sizes[part]))
            yield fold_learner


class StrongestRules(_Associative):
    """Classify by the strongest class association rules that apply, without building a list.

    Parameters
    ----------
    min_support, min_confidence, class_supports, max_conditions, prune, limit
        As of `CarMiner`.
    vote : {"best", "weighted", "chi2", "laplace"}
        Of the rules that hold: the first in canonical order answers; or each votes for its class, by its
        confidence, by its weighted chi-square (as CMAR does); or each class has the mean Laplace accuracy of
        its five best (as CPAR does).
    costs, priors, class_weight, n_jobs
        As of `CBA`.

    Examples
    --------
    >>> import acumen
    >>> loan = acumen.datasets.load("loan")
    >>> acumen.StrongestRules(vote="weighted").fit(loan).predict(loan)[:3].tolist()
    ['No', 'No', 'Yes']
    """

    kind: ClassVar[str] = "strongest-rules"
    model_type = StrongestModel

    @with_parameters_of(CarMiner)
    def __init__(
        self,
        *,
        vote: Vote = "best",
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        **mining: Any,
    ) -> None:
        self.vote = vote
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        CarMiner.__init__(cast(Any, self), **mining)  # stores them, whoever self is

    def learn(self, rows: Rows) -> tuple[StrongestModel, Floats]:
        table = rows.require_local(self._name)
        self.rules_ = mine_rules(self, table, self._name, free=True)
        self.n_tested_ = self.rules_.n_tested
        about = self.rules_.rows
        return voting(self.rules_, self.vote), about.totals / about.unit
