"""What an edit by hand does on held-out rows: the model before and after it, judged on the same folds.

    held_out_effect   before, after, table -> HeldOutEffect

A learner is learned anew in each fold, with its changes where they are a parameter of it (`edits` of `Additive`). A
list of rules cannot be: another fold has other rules. So it stays as it is, and only the rows behind its rules are
counted anew; if it was learned from these rows, or changed after looking at them, it errs too little on them. How much
that flatters is shown by the third who is judged: the learner that made the rules, learned anew in each fold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Final

from acumen.assessment.comparison import Comparison
from acumen.assessment.disagreement import Disagreement
from acumen.assessment.statistics.result import TestResult
from acumen.assessment.verdicts import PairJudge
from acumen.base.estimator import LearnerLike
from acumen.data.align import align
from acumen.data.escape import printable_lines
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.resampling import KFold
from acumen.rulelist.rule_list import RuleList

#: What the three are called in the comparison.
BEFORE: Final = "before"
AFTER: Final = "after"
RETRAINED: Final = "retrained"


@dataclass(frozen=True, slots=True, eq=False)
class HeldOutEffect:
    """A model before and after an edit by hand, on held-out rows.

    Attributes
    ----------
    comparison : Comparison
        Of "before", "after" and, for rules that a learner found, "retrained".
    retrained : bool
        Whether "retrained" is among them.
    given : bool
        Whether rules stay as they are in every fold.
    refitted : bool
        Whether "before" or "after" is fitted again in each fold.
    """

    comparison: Comparison = field(repr=False)
    retrained: bool
    given: bool
    refitted: bool = True

    @property
    def apart(self) -> Disagreement | None:
        """For classes: the rows on which only one of the two is right, with McNemar's test; `a` is before."""
        comparison = self.comparison
        return None if comparison.assessments[AFTER].confusion is None else comparison.disagree(BEFORE, AFTER)

    @property
    def test(self) -> TestResult | None:
        """The test of after - before, as in a comparison; None where there is none.

        Its interval covers the effect on new rows: of these two models if neither is refitted, else of models of all
        rows. For rules that stay as they are, p is that of McNemar's exact test.
        """
        judge = PairJudge(self.comparison.assessments, self.comparison.measure, refitted=self.refitted)
        return judge.test(AFTER, BEFORE)

    @property
    def names(self) -> tuple[str, ...]:
        """The models judged, in order of time."""
        return (*((RETRAINED,) if self.retrained else ()), BEFORE, AFTER)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        comparison, test, apart = self.comparison, self.test, self.apart
        judged = {}
        for name in self.names:
            one = comparison.assessments[name]
            low, high = one.interval_of(comparison.measure)
            judged[name] = {"mean": _plain(one.mean), "low": _plain(low), "high": _plain(high)}
        return {
            "schema_version": 1,
            "measure": comparison.measure,
            "folds": getattr(comparison.method, "n_splits", None),
            "seed": comparison.seed,
            "given": self.given,
            "judged": judged,
            "difference": None if test is None else _plain(test.estimate),
            "low": None if test is None else _plain(test.low),
            "high": None if test is None else _plain(test.high),
            "p": None if test is None else _plain(test.p),
            "fixed": None if apart is None else len(apart.only_b),
            "broken": None if apart is None else len(apart.only_a),
            "mcnemar": None if apart is None else _plain(apart.test.p),
            "text": str(self),
        }

    def __str__(self) -> str:
        comparison = self.comparison
        k = getattr(comparison.method, "n_splits", 0)
        lines = [f"On {k} folds, each row judged once, by {comparison.measure}:"]
        for name in self.names:
            one = comparison.assessments[name]
            low, high = one.interval_of(comparison.measure)
            sure = f" (95 % from {low:.4g} to {high:.4g})" if math.isfinite(low) else ""
            lines.append(f"  {name:<12}  {one.mean:.4g}{sure}")
        if (apart := self.apart) is not None:
            lines.append(
                f"The change fixes {len(apart.only_b):,} and breaks {len(apart.only_a):,} of "
                f"{sum(len(getattr(apart, c)) for c in _CELLS):,} rows (McNemar's test p = {apart.test.p:.3g})."
            )
        elif (test := self.test) is not None:
            lines.append(
                f"The change adds {test.estimate:+.4g} (95 % from {test.low:.4g} to {test.high:.4g}, p = {test.p:.3g})."
            )
        if self.given:
            lines.append(
                "The rules are the same in every fold. If you got them from these rows, or edited them after looking "
                "at these rows, their error here is too low"
                + (f"; {RETRAINED!r} shows by how much." if self.retrained else ".")
            )
        return printable_lines("\n".join(lines))


_CELLS: Final = ("both_right", "only_a", "only_b", "both_wrong")


def held_out_effect(
    before: Any,
    after: Any,
    table: Table,
    *,
    folds: int = 10,
    random_state: Any = 0,
    progress: Any = None,
) -> HeldOutEffect:
    """Evaluate a model before and after a manual change on the same folds of a table.

    Parameters
    ----------
    before, after : RuleList, or learners
        Learners (fitted or not) are fitted again in each fold; rule lists stay as they are. If `before` is a fitted
        rule learner and `after` a list, acumen judges the rules of `before`, and also the learner fitted in each fold.
    table : Table with labels
    folds : int
    random_state : int or Generator
        Seeds the folds.
    progress : callable, optional
        As for `compare`.

    Examples
    --------
    >>> import acumen
    >>> loan = acumen.datasets.load("loan")
    >>> model = acumen.CN2().fit(loan)
    >>> found = acumen.held_out_effect(model, model.to_rules().without(0), loan, folds=5)
    >>> found.to_dict()["broken"]
    4
    """
    from acumen.assessment.compare import compare

    if not isinstance(table, Table):
        raise ParameterError(
            f"held_out_effect: give a Table, such as acumen.read returns; got {type(table).__name__}."
        )
    named: dict[str, LearnerLike] = {}
    fitted = getattr(before, "predictor_", None)
    anew = isinstance(after, RuleList) and not isinstance(before, RuleList) and not _is_given(before)
    if anew:
        from acumen.codegen.export import rules_of

        if fitted is None:
            raise ParameterError("held_out_effect: a learner whose rules were changed must be fitted.")
        named[RETRAINED] = before
    if fitted is not None:
        table = align(table, fitted.schema)
    old = rules_of(fitted) if anew and fitted is not None else before
    named |= {BEFORE: _learner(old, before), AFTER: _learner(after, before)}
    # Columns that look idle were a matter for whoever learned the model.
    comparison = compare(
        named, table, KFold(folds), random_state=random_state, keep_ids=True, progress=progress
    )
    for name in named:
        if name not in comparison.assessments:
            raise DataError(
                f"held_out_effect: {name} could not be judged: {comparison.unjudged.get(name, '')}"
            )
    refitted = not all(_is_given(named[name]) for name in (BEFORE, AFTER))
    has_rules = any(_is_given(each) for each in named.values())
    return HeldOutEffect(comparison, anew, has_rules, refitted)


def _is_given(model: object) -> bool:
    return isinstance(model, RuleList) or getattr(model, "kind", "") == "rule-classifier"


def _learner(model: Any, like: object) -> LearnerLike:
    """Return something that `compare` accepts; rules use the costs and priors of the learner they come from."""
    if not isinstance(model, RuleList):
        if not hasattr(model, "fit"):
            raise ParameterError(
                f"held_out_effect: give lists of rules or learners; got {type(model).__name__}."
            )
        return model
    from acumen.rules.learners import RuleClassifier

    same = {name: getattr(like, name, None) for name in ("costs", "priors", "class_weight")}
    return RuleClassifier(model, **same)


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
