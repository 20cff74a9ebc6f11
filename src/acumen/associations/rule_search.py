"""Rules from frequent sets, with their p-values: the second step of `AssociationRules`.

    RulesOfSize   rules whose bodies and heads have one size, with their counts
    RuleSearch    every rule of every set: those confident enough, their p-values, and the number tested
    Supports      how often any set occurs: looked up among the frequent sets, or counted

A rule is tested by Fisher's exact test, which fixes how often body and head occur. So leaving out bodies and heads that
are too rare is free. Rules left out for their own support, confidence or lift were tested and count: `n_tested` is the
number of pairs of a frequent body and a frequent head, and the p-values are corrected for all of them. Rules left out
for their confidence keep their p-values in the ranking, so `adjusted` does not depend on `min_confidence`. Those whose
items are too rare together count as p-value 1, which is never too lenient.

`Supports` finds a set by the sum of one random number for each of its items. The numbers are drawn again until the sums
of all frequent sets differ, so a set known to be among them is found with certainty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from acumen import messages
from acumen.associations.basket_sources import LocalBaskets, PartedBaskets
from acumen.associations.baskets import Longs
from acumen.associations.constraints import matches
from acumen.associations.itemsets import Itemsets
from acumen.associations.mining import MiningPlan, MiningRequest, TooManySets
from acumen.associations.rule_table import CHANCE, FoundRules
from acumen.conditions.rule_statistics import benjamini_hochberg, benjamini_yekutieli, fisher_p_values
from acumen.engines.cores import cores
from acumen.errors import ParameterError, did_you_mean
from acumen.types import Bools, Codes, Floats

if TYPE_CHECKING:
    from acumen.associations.rules import AssociationRules


#: Heads of several items: so many sets are compared with each other to count the rules tested.
COMPARED, _BLOCK = 8192, 512


class RulesOfSize(NamedTuple):
    """Rules of one shape, and how many baskets have all of a rule's items, its body, its head."""

    body: Codes
    head: Codes
    counts: Longs
    of_body: Longs
    of_head: Longs

    def take(self, some: Bools) -> RulesOfSize:
        body, head, *rest = (each[some] for each in self)
        return RulesOfSize(body, head, *rest)  # type: ignore[arg-type]


class RuleSearch:
    """The rules of some sets."""

    def __init__(
        self,
        wish: AssociationRules,
        source: LocalBaskets | PartedBaskets,
        found: Itemsets,
        sought: MiningRequest,
    ) -> None:
        self.wish, self.source, self.found, self.sought = wish, source, found, sought
        self.baskets, self.n = source.baskets, len(source.baskets)
        whole = sought.plain and found.complete
        self.supports = Supports(self.n, self.baskets.n_items, source.count, found, whole=whole)
        self.may_head = self._heads()

    def _heads(self) -> Bools:
        """Which items a head may be made of."""
        heads, names = self.wish.heads, self.baskets.names
        if heads == "any" or (isinstance(heads, int) and heads == 1):
            return np.ones(len(names), dtype=np.bool_)
        wanted = (heads,) if isinstance(heads, str) else tuple(heads)
        if not wanted:
            raise ParameterError("AssociationRules: heads must be 1, 'any' or names of items; got none.")
        can_be_head = np.array([any(matches(n, str(p)) for p in wanted) for n in names], dtype=np.bool_)
        if not can_be_head.any():
            raise ParameterError(
                (
                    messages.at_the_command_line(f"{messages.option('head')} must name an item")
                    or "AssociationRules: heads must be 1, 'any' or names of items"
                )
                + f"; none is called {wanted[0]!r}."
                + did_you_mean(str(wanted[0]), names)
            )
        return can_be_head

    def rules(self) -> FoundRules:
        kept: list[RulesOfSize] = []
        sure_of: list[Bools] = []
        tested: list[Floats] = []
        for piece in self._pieces():
            sure = piece.counts / piece.of_body >= self.wish.min_confidence
            kept.append(piece.take(sure))
            self._few(kept)
            if "adjusted" in self.wish.measures:
                tested.append(self._correct(piece))
                sure_of.append(sure)
        rules = self._collect(kept)
        for name in CHANCE:
            if name in self.wish.measures:
                rules._columns[name] = self._chance(name, kept, tested, sure_of, rules.n_tested)
        return rules.take(np.lexsort((np.arange(len(rules)), -rules.counts, -rules["confidence"])))

    def _collect(self, kept: Sequence[RulesOfSize]) -> FoundRules:
        bodies = _lists([p.body for p in kept], [p.body.shape[1] for p in kept])
        heads = _lists([p.head for p in kept], [p.head.shape[1] for p in kept])
        counts = _flat([p.counts for p in kept])
        of_body, of_head = _flat([p.of_body for p in kept]), _flat([p.of_head for p in kept])
        return FoundRules(
            names=self.baskets.names,
            n=self.n,
            bodies=bodies,
            heads=heads,
            counts=counts,
            body_counts=of_body,
            head_counts=of_head,
            n_tested=self._count_tests(),
            complete=self.found.complete,
            measures=tuple(self.wish.measures),
            conditions=self.baskets.conditions,
            _redundant=self._redundant,
        )

    def _few(self, kept: Sequence[RulesOfSize]) -> None:
        limit, n_rules = self.wish.limit, sum(len(piece.counts) for piece in kept)
        if limit is not None and n_rules > limit:
            raise TooManySets(
                f"AssociationRules: there are more than {limit:,} rules; raise min_confidence or min_support, or give "
                "max_body.",
                float(n_rules),
            )

    def _pieces(self) -> Iterator[RulesOfSize]:
        """Every rule of every set, one way of cutting sets of one size at a time."""
        most = self.wish.max_body
        for size, (lines, counts) in self.found.matrices().items():
            widths = range(1, size) if self.wish.heads == "any" else (1,)
            for width in widths:
                if size - width < 1 or (most is not None and size - width > most):
                    continue
                for head in combinations(range(size), width):
                    body = [j for j in range(size) if j not in head]
                    some = self.may_head[lines[:, list(head)]].all(axis=1)
                    chosen, times = lines[some], counts[some].astype(np.int64)
                    bodies, heads = chosen[:, body], chosen[:, list(head)]
                    yield RulesOfSize(bodies, heads, times, self.supports.of(bodies), self.supports.of(heads))

    # -- what chance says -------------------------------------------------------------------------

    def _chance(
        self,
        name: str,
        kept: Sequence[RulesOfSize],
        tested: Sequence[Floats],
        sure: Sequence[Bools],
        n_tested: int,
    ) -> Floats:
        if name == "adjusted":
            adjust = benjamini_hochberg if self.wish.correction == "hochberg" else benjamini_yekutieli
            every = np.concatenate([np.empty(0), *tested])
            return adjust(every, max(n_tested, len(every)))[_truths(sure)]
        of = self._p if name == "p" else self._productivity
        return np.concatenate([np.empty(0), *(of(piece) for piece in kept)])

    def _correct(self, piece: RulesOfSize) -> Floats:
        """The chance that is corrected for all rules tested."""
        p = self._p(piece)
        return np.maximum(p, self._productivity(piece)) if self.wish.productive else p

    def _p(self, piece: RulesOfSize) -> Floats:
        return fisher_p_values(piece.counts, piece.of_body, piece.of_head, self.n)

    def _productivity(self, piece: RulesOfSize) -> Floats:
        """The largest chance of one item of the body among the baskets with all the others."""
        p_values = np.zeros(len(piece.counts))
        for j in range(piece.body.shape[1]):
            rest = np.delete(piece.body, j, axis=1)
            inside = self.supports.of(np.concatenate([rest, piece.head], axis=1))
            p_values = np.maximum(
                p_values, fisher_p_values(piece.counts, piece.of_body, inside, self.supports.of(rest))
            )
        return p_values

    def _count_tests(self) -> int:
        """All pairs of a frequent body and a frequent head that could go together."""
        most = self.wish.max_body
        if not self._is_downward_closed:
            return self._count_rare_tests()
        if self.wish.heads == "any":
            return self._count_disjoint_tests()
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

    @property
    def _is_downward_closed(self) -> bool:
        """Whether every part of a frequent set is frequent, so that bodies and heads of rules are."""
        sought = self.sought
        return len(sought.supports) == 1 and sought.item_supports is None and sought.level_supports is None

    def _count_rare_tests(self) -> int:
        """Where a rule's body may be rarer than sets of its size must be: all pairs that are frequent enough for the
        rarest rule, which makes the correction too strict rather than too lenient.
        """
        least = int(MiningPlan.of(self.baskets, self.sought).lowest) / max(self.n, 1)
        plain = replace(
            self.sought, supports=(least,), item_supports=None, level_supports=None,
            max_size=None if self.wish.heads == "any" else self.wish.max_body,
        )  # fmt: skip
        try:
            bodies = len(self.source.mine(plain))
        except TooManySets as error:
            bodies = ceil(error.estimate)
        return bodies * (bodies if self.wish.heads == "any" else int(self.may_head.sum()))

    def _count_disjoint_tests(self) -> int:
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

    def _redundant(self, rules: FoundRules) -> Bools:
        """By whole counts: a shorter body of at least the same confidence, right' * covered >= right *
        covered'.
        """
        redundant: Bools = np.zeros(len(rules), dtype=np.bool_)
        for body, head, some in self._groups(rules):
            right, covered = rules.counts[some].astype(object), rules.body_counts[some].astype(object)
            for size in range(body.shape[1]):
                for kept in combinations(range(body.shape[1]), size):
                    part = body[:, list(kept)]
                    both = self.supports.of(np.concatenate([part, head], axis=1)).astype(object)
                    of_part = self.supports.of(part).astype(object)
                    redundant[some] |= (both * covered >= right * of_part).astype(np.bool_)
        return redundant

    @staticmethod
    def _groups(rules: FoundRules) -> Iterator[tuple[Codes, Codes, Any]]:
        """Bodies and heads as matrices, of rules of one shape at a time."""
        sizes = np.column_stack([np.diff(rules.bodies[0]), np.diff(rules.heads[0])])
        for b, h in np.unique(sizes, axis=0).tolist():
            some = np.flatnonzero((sizes[:, 0] == b) & (sizes[:, 1] == h))
            body = rules.bodies[1][rules.bodies[0][some, None] + np.arange(b)]
            head = rules.heads[1][rules.heads[0][some, None] + np.arange(h)]
            yield body, head, some


def _flat(pieces: Sequence[Longs]) -> Longs:
    return np.concatenate([np.empty(0, np.int64), *pieces])


def _truths(pieces: Sequence[Bools]) -> Bools:
    return np.concatenate([np.empty(0, np.bool_), *pieces])


def _lists(pieces: Sequence[Codes], widths: Iterable[int]) -> tuple[Longs, Codes]:
    sizes = [np.full(len(p), w, dtype=np.int64) for p, w in zip(pieces, widths, strict=True)]
    starts = np.concatenate([[0], np.cumsum(_flat(sizes))]).astype(np.int64)
    items = np.concatenate([np.empty(0, np.int32), *(p.ravel() for p in pieces)])
    return starts, items


#: (starts, items, threads) -> the count of each set.
Count: TypeAlias = Callable[[Longs, Codes, int], Longs]


class Supports:
    """Counts of sets, given as lines of item numbers."""

    def __init__(self, n: int, n_items: int, count: Count, found: Itemsets, *, whole: bool) -> None:
        """`whole`: every subset of a set that was found was found too."""
        self.n, self._n_items, self._count = n, n_items, count
        self._sums: np.ndarray[tuple[int], np.dtype[np.uint64]] | None = None
        if whole:
            self._index(found)

    def _index(self, found: Itemsets) -> None:
        starts, items, counts = found.to_arrays()
        for seed in range(100):
            self._numbers = np.random.default_rng(seed).integers(
                0, 2**64 - 1, size=max(self._n_items, 1), dtype=np.uint64
            )
            sums = (
                np.add.reduceat(self._numbers[items], starts[:-1]) if len(items) else np.empty(0, np.uint64)
            )
            order = np.argsort(sums, kind="stable")
            self._sums, self._counts = sums[order], counts[order].astype(np.int64)
            if not (self._sums[1:] == self._sums[:-1]).any():
                return
        self._sums = None  # never seen; then every set is counted afresh

    def of(self, lines: Codes) -> Longs:
        """The count of each line's set; all baskets hold the empty one."""
        n, size = lines.shape
        if size == 0:
            return np.full(n, self.n, dtype=np.int64)
        if self._sums is not None:
            places = np.searchsorted(self._sums, self._numbers[lines].sum(axis=1, dtype=np.uint64))
            return np.asarray(self._counts[places])
        different, back = np.unique(np.sort(lines, axis=1), axis=0, return_inverse=True)
        starts = np.arange(0, different.size + 1, size, dtype=np.int64)
        counted = self._count(starts, np.ascontiguousarray(different.ravel(), dtype=np.int32), cores())
        return np.asarray(counted[back.ravel()])
