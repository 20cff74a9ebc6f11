"""How far chance could have made a rule: exact tests, and what testing many rules costs.

    fisher                  the chance of so many right, were body and head independent (one-sided, exact)
    fishers                 the same of many rules at once
    productivity            the same for each condition, inside the rows that fulfil all the others
    benjamini_hochberg      p-values so that of the rules called true a stated share is false
    benjamini_yekutieli     the same whatever the dependence between tests
    judge_rules             all of these for many rules on one table

Fisher's null fixes the margins, so rules may be left out by how many rows their bodies cover before they are
tested, at no cost. Leaving them out by how often they are right (support, confidence, lift) is testing: such rules
count among `n_tested` (Webb 2007; Hämäläinen and Webb 2019, doi 10.1007/s10618-018-0590-x).
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
    """P(at least `right` of `covered` rows have the head), `head` of `total` rows having it, all equally likely.

    Whole counts of rows; sums of fractional weights have no such chance.
    """
    a, n, k, whole = (_whole(value) for value in (right, covered, head, total))
    if not (0 <= a <= min(n, k) and max(n, k) <= whole and a >= n + k - whole):
        raise DataError(
            f"fisher: {right:g} right of {covered:g} covered does not go with {head:g} of {total:g} rows in all."
        )
    least = max(0, n + k - whole)
    if a == least:
        return 1.0
    if a * whole > n * k:  # above the mean the upper tail is the shorter sum, below it the lower one
        return min(_tail(a, n, k, whole, up=True), 1.0)
    return max(1.0 - _tail(a - 1, n, k, whole, up=False), 0.0)


def fishers(right: Any, covered: Any, head: Any, total: Any) -> Floats:
    """The same of many rules: whole counts, one of each for every rule, or one for all."""
    tables = np.broadcast_arrays(
        *(np.asarray(each, dtype=np.int64) for each in (right, covered, head, total))
    )
    try:
        return _native.fisher_tails(*(np.ascontiguousarray(each) for each in tables))
    except ValueError as error:
        raise DataError(f"fishers: {error}.") from None


def _tail(a: int, n: int, k: int, whole: int, *, up: bool) -> float:
    """The hypergeometric chance of `a` and everything beyond it, on the side where terms fall."""
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
    """The logarithm of the number of ways; exact whole numbers where they are small enough."""
    if n <= 1000:
        return math.log(math.comb(n, k))
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _whole(value: float) -> int:
    made = round(float(value))
    if abs(made - value) > 1e-6:
        raise DataError(
            f"fisher: counts must be whole numbers of rows; got {value!r}. Test without row weights."
        )
    return made


def rule_chance(rule: Rule) -> float:
    """Fisher's p-value of a rule that knows its counts, its total and its head's total (`Rule.counted`)."""
    if rule.head_total is None:
        raise ParameterError(
            f"rule_chance: {str(rule)!r} does not know how often its head occurs; count it by Rule.counted."
        )
    return fisher(rule.right, rule.covered, rule.head_total, rule.total)


# -- many rules -----------------------------------------------------------------------------------


def benjamini_hochberg(p: Sequence[float] | Floats, n_tested: int | None = None) -> Floats:
    """Adjusted p-values: calling those at most q true lets at most a share q of them be false, on average.

    Holds for independent tests and for tests that rise together (Benjamini and Hochberg 1995). `n_tested` counts all
    tests that were done, where `p` are only the smallest of them; NaN is of a test that was not done.
    """
    given, order, m = _sorted(p, n_tested, "benjamini_hochberg")
    return _stepped_up(given, order, float(m))


def benjamini_yekutieli(p: Sequence[float] | Floats, n_tested: int | None = None) -> Floats:
    """The same whatever the dependence between the tests (Benjamini and Yekutieli 2001); dearer by about ln m."""
    given, order, m = _sorted(p, n_tested, "benjamini_yekutieli")
    return _stepped_up(given, order, m * math.fsum(1.0 / i for i in range(1, m + 1)))


def _sorted(p: Any, n_tested: int | None, who: str) -> tuple[Floats, Any, int]:
    given = np.asarray(p, dtype=np.float64)
    if given.ndim != 1 or ((given < 0) | (given > 1)).any():
        raise DataError(f"{who}: p-values must be one sequence of numbers from 0 to 1; got {p!r}.")
    known = np.flatnonzero(~np.isnan(given))
    m = len(known) if n_tested is None else n_tested
    if isinstance(m, bool) or not isinstance(m, (int, np.integer)) or m < len(known):
        raise ParameterError(
            f"{who}: n_tested must be a whole number of at least the {len(known)} tests given; got {n_tested!r}."
        )
    return given, known[np.argsort(given[known], kind="stable")], int(m)


def _stepped_up(given: Floats, order: Any, factor: float) -> Floats:
    made = np.full(len(given), np.nan)
    each = given[order] * factor / np.arange(1, len(order) + 1)
    made[order] = np.minimum(1.0, np.minimum.accumulate(each[::-1])[::-1])
    return made


@dataclass(frozen=True, slots=True)
class RuleTest:
    """What chance has to say of one rule.

    `p` is Fisher's p-value; `conditions` has for each condition that of its part in the rule, and `productivity` is
    the largest of them: a rule with a large one has a condition that it could do without. `adjusted` is `p`, or
    the productivity where that is larger, corrected for all rules tested; None where their number is not known.
    """

    rule: Rule
    p: float
    conditions: tuple[float, ...]
    adjusted: float | None

    @property
    def productivity(self) -> float:
        """The largest p-value of a condition; of a rule without conditions 1."""
        return max(self.conditions, default=1.0)

    @property
    def needless(self) -> Condition | None:
        """The condition whose part in the rule chance explains best, where there is one."""
        if not self.conditions:
            return None
        return self.rule.conditions[self.conditions.index(self.productivity)]

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
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
    """For each condition Fisher's p-value against the head, among the rows that fulfil all other conditions."""
    return _Judge(table).conditions(rule)


def judge_rules(
    rules: Sequence[Rule],
    table: Table,
    *,
    n_tested: int | None = None,
    control: Control = "hochberg",
    productive: bool = True,
) -> tuple[RuleTest, ...]:
    """Each rule tested on the rows of a table, which weigh one each, corrected for all rules tested.

    Parameters
    ----------
    rules : sequence of Rule
        Their counts play no part; rows of the table are counted anew.
    table : Table
        Rows held out of the search give the plainest answer; on those searched, `n_tested` must count the search.
    n_tested : int, optional
        All rules that were looked at, also those that were left out for being wrong too often; as many as `rules`
        unless given.
    control : {"hochberg", "yekutieli"}
        The latter whatever the dependence between rules.
    productive : bool
        Whether a rule must also need each of its conditions.
    """
    if control not in ("hochberg", "yekutieli"):
        raise ParameterError(f"judge_rules: control must be 'hochberg' or 'yekutieli'; got {control!r}.")
    judge = _Judge(table)
    found = [(judge.whole(rule), judge.conditions(rule)) for rule in rules]
    worst = [max(p, *each) if productive and each else p for p, each in found]
    adjust = benjamini_hochberg if control == "hochberg" else benjamini_yekutieli
    adjusted = adjust(worst, n_tested).tolist()
    return tuple(
        RuleTest(rule, p, each, q) for rule, (p, each), q in zip(rules, found, adjusted, strict=True)
    )


class _Judge:
    """The rows that count, and each condition judged on them once."""

    def __init__(self, table: Table) -> None:
        if table.weights.size and not np.all((table.weights == 0) | (table.weights == 1)):
            raise DataError(
                "the rows have weights, and chances are of rows; test on rows that weigh one each."
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
        made = np.ones(len(self.table), dtype=np.bool_)
        for condition in body:
            made &= self.holds(condition)
        return made

    def _p(self, among: Bools, covered: Bools, head: Bools) -> float:
        right, inside = covered & head, among & head
        return fisher(*(float(np.count_nonzero(some)) for some in (right, covered, inside, among)))
