"""How far each rule of a list can be trusted.

    rule_report   a fitted learner of rules, or a list, and a table -> RuleReport
    RuleReport    one RuleLine for each rule

Of each rule: how many rows it covers and how often it is right, with intervals, on the rows learned from and on rows
left out; in how many of the folds the same rule was learned again; how far chance could have made it (Fisher's exact
test, and for each condition its part in the rule, among the rows that earlier rules leave, or all where they leave all
of its own), corrected for all rules that the search looked at. Where a learner does not count them (trees, C45Rules),
nothing is corrected: of the many rules that a search looks at, some fit pure noise.

Rows left out are honest: in each fold the learner learns from the other folds, and where it finds the same rule again,
that rule is judged on the fold's own rows. A list that no learner stands behind has no such figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from acumen import messages
from acumen.assessment.contestants import fixed_seed
from acumen.assessment.statistics.intervals import Interval, error_interval
from acumen.base.estimator import LearnerLike
from acumen.conditions.condition import Condition
from acumen.conditions.coverage import first_covers
from acumen.conditions.rule import Rule
from acumen.conditions.rule_statistics import (
    Control,
    RuleTest,
    benjamini_hochberg,
    benjamini_yekutieli,
    judge_rules,
)
from acumen.data.escape import printable_lines
from acumen.data.table import NO_WEIGHTS, Table
from acumen.errors import DataError, ParameterError
from acumen.profiling.fit_warnings import data_warnings_off
from acumen.resampling import KFold
from acumen.rows.intake import replace_target
from acumen.rulelist.rule_list import RuleList
from acumen.types import Bools, Indices, Label


@dataclass(frozen=True, slots=True)
class RuleCounts:
    """Rows that reach a rule: how many of the total, and how many of them it predicts right."""

    covered: int
    right: int
    rows: int
    level: float = 0.95

    @property
    def coverage(self) -> Interval | None:
        """The fraction of rows that reach the rule."""
        return _share(self.covered, self.rows, self.level)

    @property
    def accuracy(self) -> Interval | None:
        """The fraction of those it predicts right; None if none reach it."""
        return _share(self.right, self.covered, self.level)

    def to_dict(self) -> dict[str, Any]:
        record: dict[str, Any] = {"covered": self.covered, "right": self.right, "rows": self.rows}
        for name, one in (("coverage", self.coverage), ("accuracy", self.accuracy)):
            record[name] = None if one is None else [one.estimate, one.low, one.high]
        return record

    def __str__(self) -> str:
        if self.accuracy is None:
            return f"0/{self.rows}"
        low, high = self.accuracy
        return f"{self.right}/{self.covered} ({100 * low:.0f} to {100 * high:.0f} %)"


@dataclass(frozen=True, slots=True)
class RuleLine:
    """The results for one rule; `left_out` and `returned` are None without folds."""

    place: int
    rule: Rule
    training: RuleCounts
    left_out: RuleCounts | None
    returned: int | None
    test: RuleTest

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {
            "place": self.place,
            "training": self.training.to_dict(),
            "left_out": None if self.left_out is None else self.left_out.to_dict(),
            "returned": self.returned,
            **self.test.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class RuleReport(Sequence[RuleLine]):
    """A report on all rules of a list, each judged on its own."""

    lines: tuple[RuleLine, ...]
    folds: int
    n_tested: int | None
    level: float

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[RuleLine]:
        return iter(self.lines)

    def __getitem__(self, at: Any) -> Any:
        return self.lines[at]

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {
            "schema_version": 1,
            "folds": self.folds,
            "n_tested": self.n_tested,
            "level": self.level,
            "rules": [line.to_dict() for line in self.lines],
        }

    def __str__(self) -> str:
        lines = []
        for line in self.lines:
            bare = Rule(line.rule.body, line.rule.head)
            lines.append(f"{line.place + 1}. {bare}")
            parts = [f"right {line.training} in training"]
            if line.left_out is not None:
                parts.append(f"{line.left_out} left out; back in {line.returned} of {self.folds} folds")
            lines.append("   " + "; ".join(parts))
            sure = line.training.accuracy
            share = "" if sure is None else f"{100 * sure.estimate:.0f} % sure, "
            test = line.test
            needless = ""
            if len(test.conditions) > 1 and test.productivity > 1 - self.level and test.needless is not None:
                needless = f"; it could do without {test.needless} (p = {test.productivity:.2g})"
            corrected = "" if test.adjusted is None else f", corrected {test.adjusted:.2g}"
            lines.append(f"   {share}p = {test.p:.2g}{corrected}{needless}")
        return printable_lines("\n".join([*lines, self._correction()]))

    def _correction(self) -> str:
        """Describe what the p-values are corrected for."""
        if self.n_tested is not None:
            return f"Corrected for the {self.n_tested:,} rules that the search examined."
        if all(line.test.adjusted is not None for line in self.lines):
            count = messages.in_python(
                " If a search chose them, give n_tested, the number of rules that it examined."
            )
            return f"Corrected for the rules of the list alone, as if written by hand.{count}"
        return (
            "The p-values are not corrected: this learner does not count the rules that its search looked at. Of many "
            "rules some fit by chance."
        )


def rule_report(
    subject: Any,
    table: Table,
    *,
    folds: int = 10,
    level: float = 0.95,
    correction: Control = "hochberg",
    n_tested: int | None = None,
    random_state: Any = None,
) -> RuleReport:
    """Report how far you can trust each rule.

    Parameters
    ----------
    subject : fitted rule learner, or RuleList
        A learner is fitted again on each fold; the rules of a `RuleClassifier` or a bare list stay the same.
    table : Table
        The training rows with their classes; every row counts as one, whatever its weight.
    folds : int
        The number of folds of held-out rows; 0 for none.
    level : float
        The confidence level of the intervals (Wilson's).
    correction : {"hochberg", "yekutieli"}
        How to correct p-values; "yekutieli" holds for any dependence between rules.
    n_tested : int, optional
        The number of rules that the search examined. [default: the learner's `n_tested_`; without one, p-values of
        learned rules are not corrected]
    random_state : seed or Generator, optional
        Seeds the folds.
    """
    if not isinstance(table, Table) or table.labels is None:
        raise ParameterError("rule_report: give a Table with its target, such as acumen.read returns.")
    if isinstance(folds, bool) or not isinstance(folds, int) or folds == 1 or folds < 0:
        raise ParameterError(f"rule_report: folds must be 0 or a whole number of at least 2; got {folds!r}.")
    rules = _rules_of(subject)
    known = np.flatnonzero((table.labels >= 0) & (table.row_weights > 0))
    rows = table.take(known) if len(known) < len(table) else table
    if rows.weights.size:
        rows = replace_target(rows, rows.schema, rows.labels, NO_WEIGHTS)
    tested = n_tested if n_tested is not None else getattr(subject, "n_tested_", None)
    by_hand = isinstance(subject, RuleList) or getattr(type(subject), "kind", "") == "rule-classifier"
    looked_at = max(tested or 0, len(rules))
    tests = _tests(rules, rows, looked_at, correction)
    if tested is None and not by_hand:
        tests = tuple(replace(test, adjusted=None) for test in tests)
    training = _rule_counts(rules, rows, None, level)
    learns = (
        folds
        and not isinstance(subject, RuleList)
        and getattr(type(subject), "kind", "") != "rule-classifier"
    )
    apart: list[RuleCounts | None] = [None] * len(rules)
    back: list[int | None] = [None] * len(rules)
    if learns:
        apart[:], back[:] = _over_folds(subject, rules, rows, folds, level, random_state)
    lines = tuple(
        RuleLine(at, rule, training[at], apart[at], back[at], tests[at]) for at, rule in enumerate(rules)
    )
    return RuleReport(lines, folds if learns else 0, tested, level)


def _tests(rules: RuleList, table: Table, n_tested: int | None, control: Control) -> tuple[RuleTest, ...]:
    """Test each rule on the rows that reach it, corrected for all rules examined.

    Where earlier rules take no row of a rule, as in a list made of a tree, it means the same wherever it stands, and is
    tested on all rows: on what earlier ones leave the last rule would have nothing to be told apart from.
    """
    if not rules.ordered:
        return judge_rules(tuple(rules), table, n_tested=n_tested, control=control)
    first = first_covers([rule.conditions for rule in rules], table)
    tests: list[RuleTest] = []
    for at, rule in enumerate(rules):
        remaining = (first < 0) | (first >= at)  # what earlier rules leave
        alone = not (rule.covers(table) & ~remaining).any()
        rows = table if alone else table.take(np.flatnonzero(remaining))
        tests += judge_rules((rule,), rows, control=control)
    adjust = benjamini_hochberg if control == "hochberg" else benjamini_yekutieli
    adjusted = adjust([max(test.p, *test.conditions, 0.0) for test in tests], n_tested)
    return tuple(replace(test, adjusted=q) for test, q in zip(tests, adjusted.tolist(), strict=True))


def _rules_of(subject: Any) -> RuleList:
    rules = subject if isinstance(subject, RuleList) else None
    if rules is None and hasattr(subject, "to_rules"):
        rules = subject.to_rules()
    if rules is None:
        raise ParameterError(
            f"rule_report: give a fitted rule learner or a RuleList; got {type(subject).__name__}."
        )
    return rules


def _share(part: int, whole: int, level: float) -> Interval | None:
    if whole <= 0:
        return None
    wrong = error_interval(whole - part, whole, level)
    return Interval(part / whole, 1.0 - wrong.high, 1.0 - wrong.low, level, "wilson")


def _coming(rules: RuleList, table: Table) -> list[Bools]:
    """For each rule, the rows that reach it: in an ordered list those that no earlier rule covers."""
    if rules.ordered:
        first = first_covers([rule.conditions for rule in rules], table)
        return [np.asarray(first == at) for at in range(len(rules))]
    return [rule.covers(table) for rule in rules]


def _rule_counts(rules: RuleList, table: Table, only: Indices | None, level: float) -> list[RuleCounts]:
    part = table if only is None else table.take(only)
    return [
        RuleCounts(int(come.sum()), int((come & rule.holds(part)).sum()), len(part), level)
        for rule, come in zip(rules, _coming(rules, part), strict=True)
    ]


def _over_folds(
    learner: LearnerLike, rules: RuleList, table: Table, folds: int, level: float, random_state: Any
) -> tuple[list[RuleCounts], list[int]]:
    """How each rule did on held-out rows when each fold learned it again, and in how many folds that was."""
    from acumen.base.scikit import clone

    if len(table) < folds:
        raise DataError(f"rule_report: {folds} folds need at least {folds} rows; there are {len(table)}.")
    sums = np.zeros((len(rules), 3), dtype=np.int64)
    back = [0] * len(rules)
    places: dict[tuple[frozenset[Condition], Label], list[int]] = {}
    for at, rule in enumerate(rules):
        places.setdefault((frozenset(rule.conditions), rule.label), []).append(at)
    for split in KFold(folds).splits(len(table), table.labels, fixed_seed(random_state)):
        with data_warnings_off():
            fold_rules = clone(learner).fit(table.take(split.train)).to_rules()
        judged = _rule_counts(fold_rules, table, split.test, level)
        for rule, one in zip(fold_rules, judged, strict=True):
            for at in places.get((frozenset(rule.conditions), rule.label), ()):
                sums[at] += (one.covered, one.right, one.rows)
                back[at] += 1
    return [RuleCounts(int(c), int(r), int(n), level) for c, r, n in sums.tolist()], back
