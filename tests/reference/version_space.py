"""Version spaces by listing every hypothesis there is: slow, and nothing of how acumen counts.

A row is a tuple of codes, None where a value is missing. A hypothesis is the set of rows it covers among `rows`: all
there can be, those with gaps too for conjunctions, complete ones for disjunctions and functions.
"""

from __future__ import annotations

from itertools import chain, combinations, product


def complete(sizes):
    return list(product(*map(range, sizes)))


def with_gaps(sizes):
    return list(product(*([*range(size), None] for size in sizes)))


def subsets(things):
    return chain.from_iterable(combinations(things, k) for k in range(len(things) + 1))


def completions(row, sizes):
    return set(
        product(*([code] if code is not None else range(size) for code, size in zip(row, sizes, strict=True)))
    )


def partitions(things):
    if not things:
        yield []
        return
    first, *rest = things
    for k in range(len(rest) + 1):
        for others in combinations(rest, k):
            left = [thing for thing in rest if thing not in others]
            for parts in partitions(left):
                yield [(first, *others), *parts]


def passes(row, tests):
    """`tests`: for each attribute a set of codes, or None for "?"."""
    return all(
        test is None or (code is not None and code in test) for code, test in zip(row, tests, strict=True)
    )


def conjunctions(sizes):
    cells = [[None, *({code} for code in range(size))] for size in sizes]
    return [frozenset(row for row in with_gaps(sizes) if passes(row, tests)) for tests in product(*cells)]


def several_levels(sizes):
    cells = [[None, *(set(s) for s in subsets(range(size)) if 0 < len(s) < size)] for size in sizes]
    return [frozenset(row for row in with_gaps(sizes) if passes(row, tests)) for tests in product(*cells)]


def equalities(sizes):
    def covers(row, parts):
        return all(len({row[place] for place in part}) == 1 and row[part[0]] is not None
                   for part in parts if len(part) > 1)  # fmt: skip

    return [
        frozenset(row for row in with_gaps(sizes) if covers(row, parts))
        for parts in partitions(list(range(len(sizes))))
    ]


def agreeing(language, sizes, positives, negatives):
    """The distinct hypotheses that agree with all examples, each as the set of rows it covers."""
    if language in ("dnf", "single-test-dnf"):
        return disjunctions(sizes, positives, negatives, language == "single-test-dnf")
    if language == "cnf":
        return functions(sizes, positives, negatives)
    every = {
        "conjunction": conjunctions,
        "internal-disjunction": several_levels,
        "attribute-equality": equalities,
    }
    found = {frozenset(), *every[language](sizes)}
    return {h for h in found if h.issuperset(positives) and h.isdisjoint(negatives)}


def disjunctions(sizes, positives, negatives, single):
    choices = []
    for row in dict.fromkeys(positives):
        known = [place for place, code in enumerate(row) if code is not None]
        kept = []
        for chosen in subsets(known):
            if single and len(chosen) != 1 and len(chosen) != len(known):
                continue
            tests = [{row[place]} if place in chosen else None for place in range(len(row))]
            if not any(passes(other, tests) for other in negatives):
                kept.append(frozenset(cell for cell in complete(sizes) if passes(cell, tests)))
        choices.append(kept)
    return {frozenset().union(*chosen) for chosen in product(*choices)}


def functions(sizes, positives, negatives):
    found = set()
    for chosen in subsets(complete(sizes)):
        covered = frozenset(chosen)
        if all(completions(row, sizes) <= covered for row in positives) and not any(
            completions(row, sizes) <= covered for row in negatives
        ):
            found.add(covered)
    return found


def most_general(found):
    return {h for h in found if not any(h < other for other in found)}


def most_specific(found):
    return {h for h in found if not any(other < h for other in found)}
