"""Baseline learners: the most frequent class, and the best single attribute."""

from __future__ import annotations

from typing import Annotated, ClassVar

from acumen.base.classifier import Classifier
from acumen.base.memory_budget import Widths, dense_bytes
from acumen.bayes import majority, oner, oner_model
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.models.parameters import AtLeast, ClassWeight, Costs, MoreThan, Priors
from acumen.types import Bools, Floats


class Majority(Classifier):
    """Always predict the most frequent class: the baseline that every learner must beat.

    Attributes are ignored; probabilities are the class frequencies of the training rows.

    Parameters
    ----------
    costs : matrix or mapping, optional
        Predicted class by true class, or keyed (predicted, true). Default: 1 for missing pairs, 0 on the diagonal.
    priors : mapping, array or "uniform", optional
        Class probabilities to use instead of the training frequencies.
    class_weight : mapping or "balanced", optional
        Multiplies the row weights.

    Examples
    --------
    >>> import acumen
    >>> print(acumen.Majority().fit(acumen.datasets.load("loan")).to_rules())
    always Yes  (confidence 9/15)
    """

    kind: ClassVar[str] = "majority"
    poor_score: ClassVar[bool] = True
    model_type = majority.MajorityModel
    summarise = staticmethod(majority.summarise)
    solve = staticmethod(majority.solve)
    restore_summary = staticmethod(majority.restore_summary)

    def __init__(
        self, *, costs: Costs = None, priors: Priors = None, class_weight: ClassWeight = None
    ) -> None:
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight

    def can_leave_one_out(self, rows: Table) -> bool:
        return True

    def leave_one_out(self, rows: Table) -> tuple[Floats, Bools]:
        return majority.leave_one_out(self.summary_, rows)


class OneR(Classifier):
    """Classify by the single attribute whose one-level rules have the fewest training errors (1R; Holte 1993).

    Each category of a nominal attribute predicts its most frequent class. Numbers are cut into buckets first. A text
    is tested for the one word with the fewest errors. A missing value is a category of its own. The first of equally
    good attributes is chosen. Categories without training rows, and unseen ones, get the class frequencies.

    Parameters
    ----------
    min_bucket : number
        The smallest weight of the most frequent class in every bucket but the last.
    alpha : number
        Added to the class weights of a category for its probabilities (1: Laplace smoothing, 0: plain frequencies).
        Classes without training rows stay at 0. The rule itself does not depend on it.
    costs : matrix or mapping, optional
        Predicted class by true class, or keyed (predicted, true). Default: 1 for missing pairs, 0 on the diagonal.
    priors : mapping, array or "uniform", optional
        Class probabilities to use instead of the training frequencies.
    class_weight : mapping or "balanced", optional
        Multiplies the row weights.
    n_jobs : int, optional
        Number of threads; None uses all available cores.

    Examples
    --------
    >>> import acumen
    >>> model = acumen.OneR().fit(acumen.datasets.load("loan"))
    >>> print(model.to_rules())
    1. if Own_house = false then No  (support 6/15, confidence 6/9)
    2. if Own_house = true then Yes  (support 6/15, confidence 6/6)
       otherwise Yes
    """

    kind: ClassVar[str] = "one-r"
    poor_score: ClassVar[bool] = True
    model_type = oner_model.OneRModel
    plan = staticmethod(oner.plan)
    summarise = staticmethod(oner.summarise)
    solve = staticmethod(oner.solve)
    restore_plan = staticmethod(oner.restore_plan)
    restore_summary = staticmethod(oner.restore_summary)

    def __init__(
        self,
        *,
        min_bucket: Annotated[float, MoreThan(0)] = 6,
        alpha: Annotated[float, AtLeast(0)] = 1.0,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.min_bucket = min_bucket
        self.alpha = alpha
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def memory(self, rows: int, schema: Schema) -> int | None:
        # Of each numeric attribute the values that differ, with their classes.
        widths = Widths.of(schema)
        return dense_bytes(rows, widths.numeric, 2.3 + 1.1 * widths.classes)

    def needs_plan(self, schema: Schema) -> bool:
        return oner.needs_plan(schema)
