"""Significance tests for rules: exact p-values, corrected for testing many rules.

    fisher                  Fisher's exact test of one rule (one-sided: body and head independent)
    fisher_p_values         the same for many rules at once
    productivity            the same for each condition, among the rows that meet all other conditions
    benjamini_hochberg      p-values adjusted to control the false discovery rate
    benjamini_yekutieli     the same for any dependence between the tests
    judge_rules             all of these for many rules on one table

Fisher's null hypothesis fixes the margins, so you may drop rules by the number of rows their bodies cover before
testing, at no cost. Dropping them by how often they are right (support, confidence, lift) is testing: such rules
count in `n_tested` (Webb 2007; Hämäläinen and Webb 2019, doi 10.1007/s10618-018-0590-x).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import gammaln

from acumen import _native
from acumen.conditions.condition import Condition
from acumen.conditions.rule import Rule
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.types import Bools, Floats

Control = Literal["hochberg", "yekutieli"]


# -- one rule -------------------------------------------------------------------------------------


def fisher(right: float, covered: float, head: float, total: float) -> float:
    """P(at least `right` of `covered` rows have the head) if `head` of `total` rows have it and all are equally likely.

    Give whole counts of rows; the test is not defined for sums of fractional weights.
    """
    a, n, k, whole = (_whole(value) for value in (right, covered, head, total))
    if not (0 <= a <= min(n, k) and max(n, k) <= whole and a >= n + k - whole):
        raise DataError(
            f"fisher: {right:g} right of {covered:g} covered rows is impossible with {head:g} of {total:g} rows in all."
        )
    least = max(0, n + k - whole)
    if a == least:
        return 1.0
    if a * whole > n * k:  # above the mean the upper tail is the shorter sum, below it the lower one
        return min(_tail(a, n, k, whole, up=True), 1.0)
    return max(1.0 - _tail(a - 1, n, k, whole, up=False), 0.0)


def fisher_p_values(right: Any, covered: Any, head: Any, total: Any) -> Floats:
    """Fisher's p-values of many rules. Each argument has one whole count per rule, or one for all rules."""
    tables = np.broadcast_arrays(
        *(np.asarray(each, dtype=np.int64) for each in (right, covered, head, total))
    )
    try:
        return _native.fisher_tails(*(np.ascontiguousarray(each) for each in tables))
    except ValueError as error:
        raise DataError(f"fisher_p_values: {error}.") from None


def _tail(a: int, n: int, k: int, whole: int, *, up: bool) -> float:
    """The hypergeometric probability of `a` and everything beyond it, on the side where terms decrease."""
    last = min(n, k) if up else max(0, n + k - whole)
    x = np.arange(a, last, 1 if up else -1, dtype=np.float64)
    # each term over the one before it
    if up:
        ratios = (k - x) * (n - x) / ((x + 1) * (whole - k - n + x + 1))
    else:
        ratios = x * (whole - k - n + x) / ((k - x + 1) * (n - x + 1))
    beyond = 1.0 + float(np.cumprod(ratios).sum())
    first = _choose(k, a) + _choose(whole - k, n - a) - _choose(whole, n)
    return math.exp(first) * beyond


def _choose(n: int, k: int) -> float:
    """The logarithm of the binomial coefficient; from exact whole numbers if they are small enough."""
    if n <= 1000:
        return math.log(math.comb(n, k))
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _whole(value: float) -> int:
    count = round(float(value))
    if abs(count - value) > 1e-6:
        raise DataError(
            f"fisher: counts must be whole numbers of rows; got {value!r}. Test without row weights."
        )
    return count


def rule_chance(rule: Rule) -> float:
    """Fisher's p-value of a rule with counts, `total` and `head_total`, as `Rule.from_table` sets them."""
    if rule.head_total is None:
        raise ParameterError(
            f"rule_chance: {str(rule)!r} does not know how often its head occurs; count it with Rule.from_table."
        )
    return fisher(rule.right, rule.covered_weight, rule.head_total, rule.total)


# -- many rules -----------------------------------------------------------------------------------


def benjamini_hochberg(p: Sequence[float] | Floats, n_tested: int | None = None) -> Floats:
    """Adjust p-values for the false discovery rate: of results with an adjusted p of at most q, at most a fraction q is
    false on average.

    Valid for independent and for positively dependent tests (Benjamini and Hochberg 1995). Give `n_tested`, the number
    of all tests, if `p` holds only the smallest p-values; NaN marks a test that was not done.
    """
    values, order, m = _sort_p_values(p, n_tested, "benjamini_hochberg")
    return _step_up(values, order, float(m))


def benjamini_yekutieli(p: Sequence[float] | Floats, n_tested: int | None = None) -> Floats:
    """The same for any dependence between the tests (Benjamini and Yekutieli 2001); p-values grow by about ln m."""
    values, order, m = _sort_p_values(p, n_tested, "benjamini_yekutieli")
    return _step_up(values, order, m * math.fsum(1.0 / i for i in range(1, m + 1)))


def _sort_p_values(p: Any, n_tested: int | None, who: str) -> tuple[Floats, Any, int]:
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1 or ((values < 0) | (values > 1)).any():
        raise DataError(f"{who}: p-values must be one sequence of numbers from 0 to 1; got {p!r}.")
    known = np.flatnonzero(~np.isnan(values))
    m = len(known) if n_tested is None else n_tested
    if isinstance(m, bool) or not isinstance(m, (int, np.integer)) or m < len(known):
        raise ParameterError(
            f"{who}: n_tested must be a whole number of at least {len(known)}, the tests in p; got {n_tested!r}."
        )
    return values, known[np.argsort(values[known], kind="stable")], int(m)


def _step_up(given: Floats, order: Any, factor: float) -> Floats:
    adjusted = np.full(len(given), np.nan)
    each = given[order] * factor / np.arange(1, len(order) + 1)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(each[::-1])[::-1])
    return adjusted


@dataclass(frozen=True, slots=True)
class RuleTest:
    """The significance of one rule.

    `p` is Fisher's p-value. `conditions` has for each condition the p-value of its contribution to the rule, and
    `productivity` is the largest of them: a large value means that the rule has a condition it does not need.
    `adjusted` is `p`, or the productivity if that is larger, corrected for all rules tested; None if the number of
    rules tested is not known.
    """

    rule: Rule
    p: float
    conditions: tuple[float, ...]
    adjusted: float | None

    @property
    def productivity(self) -> float:
        """The largest p-value of a condition; 1 for a rule without conditions."""
        return max(self.conditions, default=1.0)

    @property
    def needless(self) -> Condition | None:
        """The condition whose contribution is least significant; None if the rule has no conditions."""
        if not self.conditions:
            return None
        return self.rule.conditions[self.conditions.index(self.productivity)]

    def to_dict(self) -> dict[str, Any]:
        """The test as JSON-ready values."""
        return {
            "rule": self.rule.to_dict(),
            "p": self.p,
            "conditions": list(self.conditions),
            "productivity": self.productivity,
            "adjusted": self.adjusted,
        }

    def __str__(self) -> str:
        adjusted = "" if self.adjusted is None else f", adjusted {self.adjusted:.4g}"
        return f"{self.rule}  p = {self.p:.4g}, productivity {self.productivity:.4g}{adjusted}"


def productivity(rule: Rule, table: Table) -> tuple[float, ...]:
    """For each condition Fisher's p-value against the head, among the rows that meet all other conditions."""
    return _Judge(table).conditions(rule)


def judge_rules(
    rules: Sequence[Rule],
    table: Table,
    *,
    n_tested: int | None = None,
    control: Control = "hochberg",
    productive: bool = True,
) -> tuple[RuleTest, ...]:
    """Test each rule on the rows of a table and correct the p-values for all rules tested. All rows have weight 1.

    Parameters
    ----------
    rules : sequence of Rule
        Their own counts are not used: the rows of `table` are counted.
    table : Table
        Best are rows that were not used to search for the rules. Otherwise `n_tested` must include every rule that the
        search tried.
    n_tested : int, optional
        The number of rules examined, including those dropped for being wrong too often. [default: the number of
        `rules`]
    control : {"hochberg", "yekutieli"}
        "yekutieli" allows any dependence between rules.
    productive : bool
        Whether a rule must also need each of its conditions.
    """
    if control not in ("hochberg", "yekutieli"):
        raise ParameterError(f"judge_rules: control must be 'hochberg' or 'yekutieli'; got {control!r}.")
    judge = _Judge(table)
    p_values = [(judge.whole(rule), judge.conditions(rule)) for rule in rules]
    worst = [max(p, *each) if productive and each else p for p, each in p_values]
    adjust = benjamini_hochberg if control == "hochberg" else benjamini_yekutieli
    adjusted = adjust(worst, n_tested).tolist()
    return tuple(
        RuleTest(rule, p, each, q) for rule, (p, each), q in zip(rules, p_values, adjusted, strict=True)
    )


class _Judge:
    """Test rules on the rows of a table, each distinct condition once."""

    def __init__(self, table: Table) -> None:
        if table.weights.size and not np.all((table.weights == 0) | (table.weights == 1)):
            raise DataError(
                "rules cannot be tested on weighted rows; use a table without weights (all weights 1)."
            )
        there = table.row_weights > 0
        if table.labels is not None:
            there &= table.labels >= 0
        self.table = table if there.all() else table.take(np.flatnonzero(there))
        self.held: dict[Condition, Bools] = {}

    def holds(self, condition: Condition) -> Bools:
        if condition not in self.held:
            self.held[condition] = condition.holds(self.table)
        return self.held[condition]

    def whole(self, rule: Rule) -> float:
        return self._p(
            np.ones(len(self.table), dtype=np.bool_), self._all(rule.conditions), rule.holds(self.table)
        )

    def conditions(self, rule: Rule) -> tuple[float, ...]:
        head, body = rule.holds(self.table), rule.conditions
        covered = self._all(body)
        return tuple(self._p(self._all(body[:at] + body[at + 1 :]), covered, head) for at in range(len(body)))

    def _all(self, body: Sequence[Condition]) -> Bools:
        holds = np.ones(len(self.table), dtype=np.bool_)
        for condition in body:
            holds &= self.holds(condition)
        return holds

    def _p(self, among: Bools, covered: Bools, head: Bools) -> float:
        right, inside = covered & head, among & head
        return fisher(*(float(np.count_nonzero(some)) for some in (right, covered, inside, among)))
