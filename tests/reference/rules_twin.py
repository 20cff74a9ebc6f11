"""RIPPER and CN2 written as plainly as they are told, row by row: the slow twins of the kernels.

Rows are tuples of codes (-1: missing); a test is (column, op, value) with op 0 for =, 1 for <=, 2 for >=.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

MASK = 2**64 - 1


class Draws:
    """Splitmix64."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        return (self.next() * n) >> 64


def passes(test: tuple[int, int, int], row: tuple[int, ...]) -> bool:
    column, op, value = test
    code = row[column]
    if code < 0:
        return False
    return code == value if op == 0 else code <= value if op == 1 else code >= value


def holds(rule: list[tuple[int, int, int]], row: tuple[int, ...]) -> bool:
    return all(passes(test, row) for test in rule)


def subset_bits(n: float, k: float, p: float) -> float:
    p = min(p, 1 - 1e-9)
    bits = -k * math.log2(max(p, 1e-300)) if k > 0 else 0.0
    return bits - (n - k) * math.log2(1 - p) if n > k else bits


def theory_bits(k: float, n: float) -> float:
    if k <= 0:
        return 0.0
    star = math.log2(k) + (2 * math.log2(math.log2(k)) if k > 1 else 0.0)
    return 0.5 * (star + subset_bits(n, k, k / n))


def data_bits(e: float, cover: float, uncover: float, fp: float, fn: float) -> float:
    bits = math.log2(cover + uncover + 1)
    if cover > uncover:
        bits += subset_bits(cover, fp, e * (fp + fn) / cover)
        return bits + (subset_bits(uncover, fn, fn / uncover) if uncover > 0 else 0.0)
    bits += subset_bits(cover, fp, fp / cover) if cover > 0 else 0.0
    return bits + (subset_bits(uncover, fn, (1 - e) * (fp + fn) / uncover) if uncover > 0 else 0.0)


@dataclass
class Ripper:
    rows: list[tuple[int, ...]]
    labels: list[int]
    sizes: list[int]
    ordered: list[bool]
    classes: int
    conditions: float
    weights: list[float] = field(default_factory=list)
    prune_share: float = 1 / 3
    optimise: int = 2
    all_classes: bool = False
    subsets: bool = False
    by_error: bool = False
    min_covered: float = 2
    smoothed: bool = True
    seed: int = 0

    def weight(self, some: list[int], label: int | None = None) -> float:
        own = self.weights or [1.0] * len(self.rows)
        return sum(own[i] for i in some if label is None or self.labels[i] == label)

    def covered(self, rule: list, some: list[int]) -> list[int]:
        return [i for i in some if holds(rule, self.rows[i])]

    # -- one rule

    def grow(self, rule: list, some: list[int], label: int) -> list:
        rule = list(rule)
        some = self.covered(rule, some)
        one = 1.0 if self.smoothed else 0.0
        while True:
            p0, t0 = self.weight(some, label), self.weight(some)
            if p0 == 0 or p0 == t0:
                return rule
            before = math.log2(p0 + one) - math.log2(t0 + one)
            best, best_gain, best_right = None, 0.0, 0.0
            for j in range(len(self.sizes)):
                if not self.ordered[j] and any(test[0] == j for test in rule):
                    continue
                there = sorted({self.rows[i][j] for i in some} - {-1, -2})
                tests = []
                for v in there:
                    if not self.ordered[j]:
                        tests.append((j, 0, v))
                        continue
                    tests += [(j, 1, v)] if v != there[-1] else []
                    tests += [(j, 2, v)] if v != there[0] else []
                for test in tests:
                    mine = [i for i in some if passes(test, self.rows[i])]
                    p, t = self.weight(mine, label), self.weight(mine)
                    if p == 0:
                        continue
                    gain = p * (math.log2(p + one) - math.log2(t + one) - before)
                    if gain > best_gain:
                        best, best_gain, best_right = test, gain, p
            if best is None or best_right < self.min_covered:
                return rule
            rule.append(best)
            some = [i for i in some if passes(best, self.rows[i])]

    def prune(self, rule: list, held: list[int], label: int, whole: bool) -> list:
        P, T = self.weight(held, label), self.weight(held)
        if not rule or T == 0:
            return rule

        def worth(some_rule: list) -> float:
            mine = self.covered(some_rule, held)
            p, t = self.weight(mine, label), self.weight(mine)
            if whole:
                return (p + (T - P) - (t - p)) / T
            if not self.subsets:
                return (p + 1) / (t + 2)
            return (p - (t - p)) / t if t > 0 else -1.0

        if not self.subsets:
            candidates = [rule[:k] for k in range(len(rule) + 1)]
        else:
            every = range(2 ** len(rule))
            candidates = [[test for i, test in enumerate(rule) if s >> i & 1] for s in every]
        best = candidates[0]
        for candidate in candidates[1:]:
            now, then = worth(candidate), worth(best)
            if now > then or (self.subsets and now == then and len(candidate) < len(best)):
                best = candidate
        return best

    @staticmethod
    def cleaned(rule: list) -> list:
        made = []
        for i, (j, op, v) in enumerate(rule):
            weaker = False
            for k, (j2, op2, v2) in enumerate(rule):
                if k == i or (j2, op2) != (j, op):
                    continue
                weaker |= (op == 1 and v2 < v) or (op == 2 and v2 > v) or (v2 == v and k < i)
            if not weaker:
                made.append((j, op, v))
        return made

    # -- all rules

    def split(self, some: list[int]) -> tuple[list[int], list[int]]:
        if not self.prune_share > 0:
            return some, []
        taken, sofar, held = 0, 0, set()
        for c in range(self.classes):
            mine = [i for i in some if self.labels[i] == c]
            sofar += len(mine)
            upto = math.floor(self.prune_share * sofar + 1e-9)
            for i in range(upto - taken):
                k = i + self.draws.below(len(mine) - i)
                mine[i], mine[k] = mine[k], mine[i]
                held.add(mine[i])
            taken = upto
        return [i for i in some if i not in held], [i for i in some if i in held]

    def length(self, rules: list, all_rows: list[int], label: int, e: float) -> float:
        union = [i for i in all_rows if any(holds(rule, self.rows[i]) for rule in rules)]
        t, p = self.weight(union), self.weight(union, label)
        T, P = self.weight(all_rows), self.weight(all_rows, label)
        bits = sum(theory_bits(len(rule), max(self.conditions, len(rule))) for rule in rules)
        return bits + data_bits(e, t, T - t, t - p, P - p)

    def reduced(self, rules: list, first: int, all_rows: list[int], label: int, e: float) -> list:
        rules = list(rules)
        for i in reversed(range(first, len(rules))):
            less = rules[:i] + rules[i + 1 :]
            if self.length(less, all_rows, label, e) < self.length(rules, all_rows, label, e):
                rules = less
        return rules

    def build(self, rules: list, left: list[int], all_rows: list[int], label: int, e: float) -> list:
        rules = list(rules)
        shortest = min(self.length([], all_rows, label, e), self.length(rules, all_rows, label, e))
        while self.weight(left, label) > 0:
            grow, held = self.split(left)
            rule = self.cleaned(self.prune(self.grow([], grow, label), held, label, False))
            mine = self.covered(rule, left)
            p, t = self.weight(mine, label), self.weight(mine)
            if not rule or not p > 0:
                return rules
            if self.by_error:
                judged = self.covered(rule, held or grow)
                if 2 * (self.weight(judged) - self.weight(judged, label)) > self.weight(judged):
                    return rules
            else:
                now = self.length([*rules, rule], all_rows, label, e)
                shortest = min(shortest, now)
                if now > shortest + 64 or 2 * (t - p) >= t:
                    return rules
            rules.append(rule)
            left = [i for i in left if i not in set(mine)]
        return rules

    def improved(self, rules: list, all_rows: list[int], label: int, e: float) -> list:
        rules, left, at = list(rules), all_rows, 0
        while at < len(rules):
            if not self.weight(left, label) > 0:
                del rules[at if self.by_error else len(rules) :]
                break
            grow, held = self.split(left)
            if self.by_error and not self.covered(rules[at], left):
                del rules[at]
                continue
            if self.covered(rules[at], left):
                held = [i for i in held if not any(holds(r, self.rows[i]) for r in rules[at + 1 :])]
                anew = self.cleaned(self.prune(self.grow([], grow, label), held, label, True))
                revised = self.cleaned(self.prune(self.grow(rules[at], grow, label), held, label, True))

                def with_(rule: list, at: int = at) -> float:
                    if not rule:
                        return math.inf
                    mine = [*rules[:at], rule, *rules[at + 1 :]]
                    return self.length(self.reduced(mine, at + 1, all_rows, label, e), all_rows, label, e)

                old, second, first = with_(rules[at]), with_(revised), with_(anew)
                if not (old <= second and old <= first):
                    rules[at] = revised if second <= first else anew
            left = [i for i in left if not holds(rules[at], self.rows[i])]
            at += 1
        rules = self.build(rules, left, all_rows, label, e)
        return rules if self.by_error else self.reduced(rules, 0, all_rows, label, e)

    def learn(self, order: list[int]) -> list[tuple[list, int]]:
        self.draws = Draws(self.seed)
        left = list(range(len(self.rows)))
        totals = [self.weight(left, c) for c in range(self.classes)]
        to_come, made = sum(totals), []
        for label in order:
            e = totals[label] / to_come
            if not self.all_classes:
                to_come -= totals[label]
            if not self.weight(left, label) > 0:
                continue
            rules = self.build([], left, left, label, e)
            if not self.by_error:
                rules = self.reduced(rules, 0, left, label, e)
            for _ in range(self.optimise):
                rules = self.improved(rules, left, label, e)
            made += [(rule, label) for rule in rules]
            if not self.all_classes:
                left = [i for i in left if not any(holds(rule, self.rows[i]) for rule in rules)]
        return made


@dataclass
class CN2:
    rows: list[tuple[int, ...]]
    labels: list[int]
    ordered: list[bool]
    classes: int
    measure: str = "entropy"
    in_order: bool = True
    beam: int = 5
    critical: float = 0.0
    min_covered: float = 2
    m: float = 2.0
    most: int = 0

    def counts(self, some: list[int]) -> list[float]:
        return [float(sum(self.labels[i] == c for i in some)) for c in range(self.classes)]

    def ratio(self, counts: list[float]) -> float:
        n = sum(counts)
        pairs = list(zip(counts, self.prior, strict=True))
        if self.target >= 0:
            t, share = self.target, self.prior[self.target]
            pairs = [(counts[t], share), (n - counts[t], 1 - share)]
        made = sum(c * math.log(c / (n * q)) for c, q in pairs if c > 0)
        return 2 * (-made if self.target >= 0 and pairs[0][0] < pairs[0][1] * n else made)

    def quality(self, counts: list[float], c: int) -> float:
        n = sum(counts)
        known = sum(p > 0 for p in self.prior)
        if self.measure == "entropy":
            each = counts if self.target < 0 else [counts[c], n - counts[c]]
            bits = [x * math.log2(x) if x > 0 else 0.0 for x in each]
            left = n * math.log2(n)
            for part in bits if self.target < 0 else [bits[0] + bits[1]]:
                left -= part
            less = self.target >= 0 and counts[c] < n - counts[c]
            return -(2.0 - left / n) if less else -(left / n)
        if self.measure == "laplace":
            return (counts[c] + 1) / (n + known)
        if self.measure == "m-estimate":
            return (counts[c] + self.m * self.prior[c]) / (n + self.m)
        if self.measure == "likelihood-ratio":
            return self.ratio(counts)
        return (counts[c] - n * self.now[c] / sum(self.now)) / sum(self.now)

    def pure(self, counts: list[float]) -> tuple[float, float]:
        """The best any part of these rows could be: the rows of one class alone."""
        made = [(-math.inf, 0.0)]
        for c, n in enumerate(counts):
            if n > 0 and self.target in (-1, c):
                alone = [n if k == c else 0.0 for k in range(self.classes)]
                made.append((self.quality(alone, c), n))
        return max(made)

    def best_rule(self, left: list[int], target: int) -> tuple[list, int] | None:
        self.target, self.now = target, self.counts(left)
        everyday = target if target >= 0 else self.now.index(max(self.now))
        before = self.quality(self.now, everyday)
        beam: list[tuple[list, list[int]]] = [([], left)]
        best = None
        size = 0
        while beam and (not self.most or size < self.most):
            size += 1
            found, seen = [], set()
            for rule, some in beam:
                for j in range(len(self.ordered)):
                    for test in self.tests(rule, some, j):
                        mine = [i for i in some if passes(test, self.rows[i])]
                        counts = self.counts(mine)
                        if len(mine) < self.min_covered or len(mine) == len(some) or not mine:
                            continue
                        able = [
                            2 * n * math.log(1 / self.prior[c])
                            for c, n in enumerate(counts)
                            if n > 0 and target in (-1, c)
                        ]
                        if self.critical > 0 and not any(a >= self.critical for a in able):
                            continue
                        c = target if target >= 0 else counts.index(max(counts))
                        rank = (self.quality(counts, c), float(len(mine)))
                        found.append((rank, [*rule, test], mine, counts))
                        if target >= 0 and not counts[c] * sum(self.now) > self.now[c] * len(mine):
                            continue
                        if self.critical > 0 and self.ratio(counts) < self.critical:
                            continue
                        if best is None or rank > best[0]:
                            best = (rank, [*rule, test], c)
            found.sort(key=lambda one: (-one[0][0], -one[0][1]))
            beam = []
            for rank, rule, mine, counts in found:
                if len(seen) == self.beam:
                    break
                if frozenset(mine) in seen or not self.pure(counts) > rank:
                    continue
                seen.add(frozenset(mine))
                if best is None or self.pure(counts) > best[0]:
                    beam.append((rule, mine))
        if best is None or not best[0][0] - before > 0:
            return None
        return best[1], best[2]

    def tests(self, rule: list, some: list[int], j: int) -> list[tuple[int, int, int]]:
        if not self.ordered[j] and any(test[0] == j for test in rule):
            return []
        there = sorted({self.rows[i][j] for i in some} - {-1, -2})
        if not self.ordered[j]:
            return [(j, 0, v) for v in there]
        made = []
        of = {v: {self.labels[i] for i in some if self.rows[i][j] == v} for v in there}
        for v, w in itertools.pairwise(there):
            if len(of[v] | of[w]) > 1:
                made += [(j, 1, v), (j, 2, w)]
        return made

    def learn(self) -> list[tuple[list, int]]:
        every = list(range(len(self.rows)))
        self.prior = [n / len(every) for n in self.counts(every)]
        made = []
        for target in [-1] if self.in_order else range(self.classes):
            left = every
            while left and (target < 0 or any(self.labels[i] == target for i in left)):
                found = self.best_rule(left, target)
                if found is None:
                    break
                made.append(found)
                left = [
                    i
                    for i in left
                    if not holds(found[0], self.rows[i]) or (target >= 0 and self.labels[i] != target)
                ]
        return made
