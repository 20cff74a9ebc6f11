"""`AssociationRules`: rules between items, with p-values.

    fit   baskets -> frequent sets -> each cut in two -> measures -> FoundRules

`cutting` has how sets are cut and what is tested.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

import numpy as np

from acumen.associations.basket_sources import source_of
from acumen.associations.constraints import ItemConstraints
from acumen.associations.miner import Miner, check_supports
from acumen.associations.mining import LIMIT, MiningRequest
from acumen.associations.rule_search import RuleSearch
from acumen.associations.rule_table import ALL_MEASURES, CHANCE, FoundRules
from acumen.associations.taxonomy import Taxonomy
from acumen.engines.cores import cores
from acumen.errors import ParameterError
from acumen.models.parameters import AtLeast, Between, MoreThan

Heads = Literal[1, "any"]


class AssociationRules(Miner):
    """Mine association rules between items, with p-values corrected for all rules tested.

    Parameters
    ----------
    min_support : float, or one for each size, or None
        The least share of baskets that hold all of a rule's items. None with `top`: as low as it takes to be certain
        that no rarer rule is among the first.
    min_confidence : float
        The least share of the baskets with the body that have the head too.
    max_body : int, optional
        The most items of a body.
    heads : 1, "any", or names
        One item; any number of them; or one of these (names or patterns such as `Class=*`).
    measures : sequence of names
        Of support, confidence, lift, leverage, conviction, p (Fisher's, one-sided), productivity (the largest
        chance that explains one item of the body away), adjusted (p corrected for all rules tested).
    correction : {"hochberg", "yekutieli"}
        How `adjusted` is corrected: by Benjamini and Hochberg, or whatever the dependence between rules.
    productive : bool
        Whether `adjusted` is to answer for the productivity too: it is then the larger of the two that is
        corrected.
    redundant : bool
        Whether rules are kept that say no more than a shorter one.
    top, by : int and measure, optional
        So many rules of the largest (of chances the smallest) value.
    constraints : Constraints or mapping, optional
        `contains`, `any_of`, `excludes`, each also by side, and `templates`.
    item_supports, support_difference, taxonomy, level_supports, discretise, limit, n_jobs
        As in `frequent_itemsets`. Under a taxonomy no head is what an item of the body is of.

    Attributes
    ----------
    rules_ : FoundRules
    itemsets_ : Itemsets

    Examples
    --------
    >>> import acumen
    >>> loan = acumen.datasets.load("loan")
    >>> miner = acumen.AssociationRules(min_support=0.3, min_confidence=0.8, heads="Class=*", max_body=1)
    >>> for rule in miner.fit(loan).rules_:
    ...     print(rule)
    if Own_house = true then Class = Yes  (support 6/15, confidence 6/6)
    if Has_Job = true then Class = Yes  (support 5/15, confidence 5/5)
    """

    def __init__(
        self,
        *,
        min_support: Annotated[float, MoreThan(0), Between(0, 1)] | list | tuple | None = 0.1,  # type: ignore[type-arg]
        min_confidence: Annotated[float, Between(0, 1)] = 0.5,
        max_body: Annotated[int, AtLeast(1)] | None = None,
        heads: Heads | str | list | tuple = 1,  # type: ignore[type-arg]
        measures: list | tuple = ALL_MEASURES,  # type: ignore[type-arg]
        correction: Literal["hochberg", "yekutieli"] = "hochberg",
        productive: bool = False,
        redundant: bool = True,
        top: Annotated[int, AtLeast(1)] | None = None,
        by: str = "confidence",
        constraints: ItemConstraints | Mapping[str, Any] | None = None,
        item_supports: Mapping[str, float] | None = None,
        support_difference: Annotated[float, Between(0, 1)] | None = None,
        taxonomy: Taxonomy | Mapping[str, Any] | None = None,
        level_supports: list | tuple | None = None,  # type: ignore[type-arg]
        discretise: Any = None,
        limit: Annotated[int, AtLeast(1)] | None = LIMIT,
        n_jobs: int | None = None,
    ) -> None:
        self.min_support = min_support
        self.min_confidence = min_confidence
        self.max_body = max_body
        self.heads = heads
        self.measures = measures
        self.correction = correction
        self.productive = productive
        self.redundant = redundant
        self.top = top
        self.by = by
        self.constraints = constraints
        self.item_supports = item_supports
        self.support_difference = support_difference
        self.taxonomy = taxonomy
        self.level_supports = level_supports
        self.discretise = discretise
        self.limit = limit
        self.n_jobs = n_jobs

    def fit(self, data: Any, y: Any = None) -> Self:
        """Find rules in baskets, given in any form `frequent_itemsets` accepts; `y` is ignored.

        Parts as `acumen.scan` gives them are gone through some times, and never held together.
        """
        who = "AssociationRules"
        self.check_parameters()
        for name in (*self.measures, self.by):
            if name not in ALL_MEASURES:
                raise ParameterError(
                    f"{who}: there is no measure {name!r}; there are {', '.join(ALL_MEASURES)}."
                )
        if self.min_support is None and (self.top is None or self.by in ("productivity", "adjusted")):
            raise ParameterError(
                f"{who}: without min_support there must be top, by a measure that tells how rare a rule may be: "
                "support, confidence, lift, leverage, conviction or p."
            )
        if self.top is not None and self.by in CHANCE and self.by not in self.measures:
            raise ParameterError(f"{who}: rules are sorted by {self.by!r}, so it must be among the measures.")
        taxonomy = None if self.taxonomy is None else Taxonomy.of(self.taxonomy, who)
        rules = ItemConstraints.of(self.constraints, who)
        source = source_of(data, self.discretise, taxonomy, who)
        rules.check(source.baskets.names, who)
        n = max(len(source.baskets), 1)
        least = 1 if self.min_support is not None else max(n // 2, 1)
        wish = MiningRequest(
            supports=(least / n,) if self.min_support is None else check_supports(self.min_support, who),
            max_size=None if self.max_body is None or self.heads == "any" else self.max_body + 1,
            kind="all",
            algorithm="auto",
            item_supports=self.item_supports,
            support_difference=self.support_difference,
            constraints=ItemConstraints(excludes=rules.excludes),
            taxonomy=taxonomy,
            level_supports=self.level_supports,
            limit=self.limit,
            threads=cores(self.n_jobs),
        )
        while True:
            self.itemsets_ = itemsets = source.mine(wish)
            self.rules_ = self._select_rules(RuleSearch(self, source, itemsets, wish).rules(), rules)
            if least == 1 or not itemsets.complete or self._certain(least, n):
                return self
            least //= 2
            wish = replace(wish, supports=(least / n,))

    def _certain(self, least: int, n: int) -> bool:
        """Whether no rule of fewer baskets could be among the first: body and head are in no fewer than both are."""
        assert self.top is not None
        if len(self.rules_) < self.top:
            return False
        right = least - 1
        worst = float(self.rules_[self.by][-1])
        if self.by == "p":  # the least likely is that the same baskets, and no others, have either
            return worst <= math.exp(math.lgamma(right + 1) + math.lgamma(n - right + 1) - math.lgamma(n + 1))
        share = right / n
        best = {"support": share, "leverage": min(share, 0.5) - min(share, 0.5) ** 2, "lift": n / right}
        # Of what has a largest value, ties go to the more frequent.
        return worst >= best.get(self.by, {"confidence": 1.0, "conviction": math.inf}.get(self.by, math.inf))

    def _select_rules(self, chosen: FoundRules, rules: ItemConstraints) -> FoundRules:
        if rules != ItemConstraints():
            lets = (rules.lets(chosen.body(i), chosen.head(i)) for i in range(len(chosen)))
            chosen = chosen.take(np.fromiter(lets, dtype=np.bool_, count=len(chosen)))
        if not self.redundant:
            chosen = chosen.take(~chosen.redundant())
        return chosen if self.top is None else chosen.sort(self.by)[: self.top]
