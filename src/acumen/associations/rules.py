"""AssociationRules: rules between items, with what chance has to say of them.

    fit   baskets -> frequent sets -> each cut in two -> measures -> FoundRules

A rule is tested by Fisher's exact test, which fixes how often body and head occur. So leaving out bodies and
heads that are too rare is free, while rules left out for their own support, confidence or lift were tested
and count: `n_tested` is every pair of a frequent body and a frequent head, and the p-values are corrected for
all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated, Any, Literal, Self

import numpy as np

from acumen.associations.baskets import Baskets, Longs
from acumen.associations.constraints import Constraints, matches
from acumen.associations.found_rules import ALL_MEASURES, CHANCE, FoundRules
from acumen.associations.itemsets import Itemsets
from acumen.associations.mine import LIMIT, TooManySets, Wish, mined
from acumen.associations.miner import Miner
from acumen.associations.supports import Supports
from acumen.associations.taxonomy import Taxonomy
from acumen.associations.thresholds import checked_supports
from acumen.base.parameters import AtLeast, Between, MoreThan
from acumen.base.rule_statistics import benjamini_hochberg, benjamini_yekutieli, fisher
from acumen.engines.cores import cores
from acumen.errors import ParameterError, did_you_mean
from acumen.types import Bools, Codes, Floats

Heads = Literal[1, "any"]

#: Heads of several items: so many sets are compared with each other to count the rules tested.
COMPARED, _BLOCK = 8192, 512


class AssociationRules(Miner):
    """Rules between items that hold often enough, with honest statistics.

    Parameters
    ----------
    min_support : float, or one for each size
        The least share of baskets that hold all of a rule's items.
    min_confidence : float
        The least share of the baskets with the body that have the head too.
    max_body : int, optional
        The most items of a body.
    heads : 1, "any", or names
        One item; any number of them; or one of these (names or patterns such as `Class=*`).
    measures : sequence of names
        Of support, confidence, lift, leverage, conviction, p (Fisher's, one-sided), productivity (the largest
        chance that explains one item of the body away), adjusted (p corrected for all rules tested).
    control : {"hochberg", "yekutieli"}
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
        min_support: Annotated[float, MoreThan(0), Between(0, 1)] | list | tuple = 0.1,  # type: ignore[type-arg]
        min_confidence: Annotated[float, Between(0, 1)] = 0.5,
        max_body: Annotated[int, AtLeast(1)] | None = None,
        heads: Heads | str | list | tuple = 1,  # type: ignore[type-arg]
        measures: list | tuple = ALL_MEASURES,  # type: ignore[type-arg]
        control: Literal["hochberg", "yekutieli"] = "hochberg",
        productive: bool = False,
        redundant: bool = True,
        top: Annotated[int, AtLeast(1)] | None = None,
        by: str = "confidence",
        constraints: Constraints | Mapping[str, Any] | None = None,
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
        self.control = control
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
        """Find the rules of baskets, in any form that `frequent_itemsets` takes; `y` plays no part."""
        who = "AssociationRules"
        self.check_parameters()
        for name in (*self.measures, self.by):
            if name not in ALL_MEASURES:
                raise ParameterError(
                    f"{who}: there is no measure {name!r}; there are {', '.join(ALL_MEASURES)}."
                )
        if self.top is not None and self.by in CHANCE and self.by not in self.measures:
            raise ParameterError(f"{who}: rules are sorted by {self.by!r}, so it must be among the measures.")
        taxonomy = None if self.taxonomy is None else Taxonomy.of(self.taxonomy, who)
        rules = Constraints.of(self.constraints, who)
        baskets = Baskets.of(data, discretise=self.discretise, who=who)
        wish = Wish(
            checked_supports(self.min_support, who), None if self.max_body is None or self.heads == "any" else
            self.max_body + 1, "all", "auto", self.item_supports, self.support_difference,
            Constraints(excludes=rules.excludes), taxonomy, self.level_supports, self.limit, cores(self.n_jobs),
        )  # fmt: skip
        self.itemsets_ = found = mined(baskets, wish)
        if taxonomy is not None:
            baskets = taxonomy.extended(baskets)
        rules.check(baskets.names, who)
        supports = Supports(baskets, found, whole=wish.plain and found.complete)
        self.rules_ = self._chosen(_Search(self, baskets, found, supports).rules(), rules)
        return self

    def _chosen(self, found: FoundRules, rules: Constraints) -> FoundRules:
        if rules != Constraints():
            lets = (rules.lets(found.body(i), found.head(i)) for i in range(len(found)))
            found = found.take(np.fromiter(lets, dtype=np.bool_, count=len(found)))
        if not self.redundant:
            found = found.take(~found.redundant())
        return found if self.top is None else found.sort(self.by)[: self.top]


class _Search:
    """The rules of some sets."""

    def __init__(self, wish: AssociationRules, baskets: Baskets, found: Itemsets, supports: Supports) -> None:
        self.wish, self.baskets, self.found, self.supports = wish, baskets, found, supports
        self.n = len(baskets)
        counts = baskets.counts()
        self.may_head = self._heads(counts)

    def _heads(self, counts: Longs) -> Bools:
        """Which items a head may be made of."""
        heads, names = self.wish.heads, self.baskets.names
        if heads == "any" or (isinstance(heads, int) and heads == 1):
            return np.ones(len(names), dtype=np.bool_)
        wanted = (heads,) if isinstance(heads, str) else tuple(heads)
        made = np.array([any(matches(n, str(p)) for p in wanted) for n in names], dtype=np.bool_)
        if not made.any():
            raise ParameterError(
                f"AssociationRules: heads must be 1, 'any' or names of items; none is called {wanted[0]!r}."
                + did_you_mean(str(wanted[0]), names)
            )
        return made

    def rules(self) -> FoundRules:
        pieces = list(self._pieces())
        width = [(p[0].shape[1], p[1].shape[1]) for p in pieces]
        counts = _flat([p[2] for p in pieces])
        bodies = _lists([p[0] for p in pieces], [w[0] for w in width])
        heads = _lists([p[1] for p in pieces], [w[1] for w in width])
        of_body, of_head = _flat([p[3] for p in pieces]), _flat([p[4] for p in pieces])
        made = FoundRules(
            self.baskets.names, self.n, bodies, heads, counts, of_body, of_head, self._tested(),
            self.found.complete, tuple(self.wish.measures), self.baskets.conditions, _redundant=self._redundant,
        )  # fmt: skip
        if any(name in CHANCE for name in self.wish.measures):
            made._columns.update(self._chances(made))
        return made.take(np.lexsort((np.arange(len(made)), -made.counts, -made["confidence"])))

    def _pieces(self) -> Iterator[tuple[Codes, Codes, Longs, Longs, Longs]]:
        """Bodies, heads and counts of the rules that are sure enough, one way of cutting sets of one size
        at a time.
        """
        most, limit, made = self.wish.max_body, self.wish.limit, 0
        for size, (lines, counts) in self.found.matrices().items():
            widths = range(1, size) if self.wish.heads == "any" else (1,)
            for width in widths:
                if size - width < 1 or (most is not None and size - width > most):
                    continue
                for head in combinations(range(size), width):
                    body = [j for j in range(size) if j not in head]
                    some = self.may_head[lines[:, list(head)]].all(axis=1)
                    chosen, times = lines[some], counts[some].astype(np.int64)
                    of_body = self.supports.of(chosen[:, body])
                    sure = times / of_body >= self.wish.min_confidence
                    made += int(sure.sum())
                    if limit is not None and made > limit:
                        raise TooManySets(
                            f"AssociationRules: there are more than {limit:,} rules; raise min_confidence or "
                            "min_support, or give max_body.", float(made),
                        )  # fmt: skip
                    heads = chosen[sure][:, list(head)]
                    yield chosen[sure][:, body], heads, times[sure], of_body[sure], self.supports.of(heads)

    def _tested(self) -> int:
        """All pairs of a frequent body and a frequent head that could go together."""
        most = self.wish.max_body
        if self.wish.heads == "any":
            return self._tested_apart()
        single = self.found.matrices().get(1, (np.empty((0, 1), np.int32), None))[0].ravel()
        heads = np.zeros(self.baskets.n_items, dtype=np.bool_)
        heads[single] = self.may_head[single]
        groups = self.baskets.groups
        # How many heads an item of a body rules out: itself, or all levels of its attribute.
        of_group = np.bincount(groups[heads & (groups >= 0)], minlength=int(groups.max(initial=-1)) + 1)
        out = np.where(groups >= 0, of_group[groups] if len(of_group) else 0, heads.astype(np.int64))
        tested = 0
        for size, (lines, _) in self.found.matrices().items():
            if most is None or size <= most:
                tested += int((heads.sum() - out[lines].sum(axis=1)).sum())
        return tested

    def _tested_apart(self) -> int:
        """Pairs of frequent sets that share neither an item nor an attribute.

        Of more sets than are compared with each other in a moment all pairs are counted, which makes the
        correction too strict rather than too lenient.
        """
        n, most = len(self.found), self.wish.max_body
        few = n if most is None else int((self.found.sizes <= most).sum())
        groups = self.baskets.groups
        # Levels of an attribute exclude each other as an item does itself.
        unit = np.where(groups >= 0, groups, int(groups.max(initial=-1)) + 1 + np.arange(len(groups)))
        if n > COMPARED:
            return few * n
        held = np.zeros((n, int(unit.max(initial=0)) + 1), dtype=np.float32)
        at, body = 0, np.zeros(n, dtype=np.bool_)
        for size, (lines, _) in self.found.matrices().items():
            held[np.arange(at, at + len(lines))[:, None], unit[lines]] = 1
            body[at : at + len(lines)] = most is None or size <= most
            at += len(lines)
        bodies = held[body]
        blocks = (bodies[i : i + _BLOCK] @ held.T for i in range(0, len(bodies), _BLOCK))
        return sum(int((shared == 0).sum()) for shared in blocks)

    def _chances(self, rules: FoundRules) -> dict[str, Floats]:
        chance = _Chances()
        p = chance.of(rules.counts, rules.body_counts, rules.head_counts, np.full(len(rules), self.n))
        worst = p.copy()
        for body, head, some in self._groups(rules):
            if body.shape[1] < 2:
                continue
            each = np.zeros(len(some))
            for j in range(body.shape[1]):
                rest = np.delete(body, j, axis=1)
                inside = self.supports.of(np.concatenate([rest, head], axis=1))
                of_rest = self.supports.of(rest)
                each = np.maximum(
                    each, chance.of(rules.counts[some], rules.body_counts[some], inside, of_rest)
                )
            worst[some] = each
        adjust = benjamini_hochberg if self.wish.control == "hochberg" else benjamini_yekutieli
        tested = max(rules.n_tested, len(rules))
        return {
            "p": p,
            "productivity": worst,
            "adjusted": adjust(np.maximum(p, worst) if self.wish.productive else p, tested),
        }

    def _redundant(self, rules: FoundRules) -> Bools:
        """By whole counts: a shorter body of at least the same confidence, right' * covered >= right *
        covered'.
        """
        made: Bools = np.zeros(len(rules), dtype=np.bool_)
        for body, head, some in self._groups(rules):
            right, covered = rules.counts[some].astype(object), rules.body_counts[some].astype(object)
            for size in range(body.shape[1]):
                for kept in combinations(range(body.shape[1]), size):
                    part = body[:, list(kept)]
                    both = self.supports.of(np.concatenate([part, head], axis=1)).astype(object)
                    of_part = self.supports.of(part).astype(object)
                    made[some] |= (both * covered >= right * of_part).astype(np.bool_)
        return made

    @staticmethod
    def _groups(rules: FoundRules) -> Iterator[tuple[Codes, Codes, Any]]:
        """Bodies and heads as matrices, of rules of one shape at a time."""
        sizes = np.column_stack([np.diff(rules.bodies[0]), np.diff(rules.heads[0])])
        for b, h in np.unique(sizes, axis=0).tolist():
            some = np.flatnonzero((sizes[:, 0] == b) & (sizes[:, 1] == h))
            body = rules.bodies[1][rules.bodies[0][some, None] + np.arange(b)]
            head = rules.heads[1][rules.heads[0][some, None] + np.arange(h)]
            yield body, head, some


class _Chances:
    """Fisher's p-values, each different table reckoned once."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, int, int, int], float] = {}

    def of(self, right: Any, covered: Any, head: Any, total: Any) -> Floats:
        tables = np.column_stack([right, covered, head, total]).astype(np.int64)
        different, back = np.unique(tables, axis=0, return_inverse=True)
        values = np.empty(len(different))
        for i, line in enumerate(map(tuple, different.tolist())):
            found = self.known.get(line)
            if found is None:
                found = self.known[line] = fisher(*line)
            values[i] = found
        return values[back.ravel()]


def _flat(pieces: Sequence[Longs]) -> Longs:
    return np.concatenate([np.empty(0, np.int64), *pieces])


def _lists(pieces: Sequence[Codes], widths: Iterable[int]) -> tuple[Longs, Codes]:
    sizes = [np.full(len(p), w, dtype=np.int64) for p, w in zip(pieces, widths, strict=True)]
    starts = np.concatenate([[0], np.cumsum(_flat(sizes))]).astype(np.int64)
    items = np.concatenate([np.empty(0, np.int32), *(p.ravel() for p in pieces)])
    return starts, items
