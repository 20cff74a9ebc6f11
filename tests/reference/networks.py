"""Networks the long way: every row that there could be, every path, every structure of a node's family."""

from __future__ import annotations

from itertools import product
from math import lgamma, log

import numpy as np


def joint(network):
    """P of every combination of levels, an axis a node."""
    sizes = network.sizes
    made = np.ones(sizes)
    for row in product(*map(range, sizes)):
        for v, above in enumerate(network.parents):
            made[row] *= network.tables[v][(*(row[u] for u in above), row[v])]
    return made


def product_of(field):
    """The product of all factors, divided by its sum."""
    made = np.ones(field.sizes)
    for row in product(*map(range, field.sizes)):
        for factor in field.factors:
            made[row] *= factor.table[tuple(row[v] for v in factor.scope)]
    return made / made.sum()


def conditional(whole, keep, known):
    """P(keep | known) from a table of everything."""
    part = whole[tuple(slice(code, code + 1) if (code := known.get(v)) is not None else slice(None)
                       for v in range(whole.ndim))]  # fmt: skip
    table = part.sum(axis=tuple(v for v in range(whole.ndim) if v not in keep))
    order = sorted(keep)
    table = np.transpose(table, [order.index(v) for v in keep])
    return table / table.sum()


def separated(parents, a, b, given):
    """d-separation by its definition: every path without repetition is looked at."""
    n = len(parents)
    below = {v: _descendants(parents, v) for v in range(n)}
    near = [{*parents[v], *(c for c in range(n) if v in parents[c])} for v in range(n)]

    def blocked(path):
        for left, node, right in zip(path, path[1:], path[2:], strict=False):
            if left in parents[node] and right in parents[node]:
                if node not in given and not (below[node] & given):
                    return True
            elif node in given:
                return True
        return False

    def paths(path):
        if path[-1] == b:
            yield path
            return
        for other in near[path[-1]]:
            if other not in path:
                yield from paths([*path, other])

    return all(blocked(path) for path in paths([a]))


def is_active(parents, path, given):
    """Whether one path is open."""
    below = {v: _descendants(parents, v) for v in range(len(parents))}
    for left, node, right in zip(path, path[1:], path[2:], strict=False):
        collides = left in parents[node] and right in parents[node]
        if collides and node not in given and not (below[node] & given):
            return False
        if not collides and node in given:
            return False
    return True


def _descendants(parents, v):
    found, waiting = set(), [v]
    while waiting:
        here = waiting.pop()
        for child, above in enumerate(parents):
            if here in above and child not in found:
                found.add(child)
                waiting.append(child)
    return found


def family_score(codes, sizes, child, parents, score, alpha=1.0, weights=None):
    """One family's score from its definition, over rows that know it; counts are raised to all rows."""
    n = codes.shape[1]
    weights = np.ones(n) if weights is None else weights
    table = np.zeros([sizes[v] for v in (*parents, child)])
    for i in range(n):
        cell = tuple(codes[v, i] for v in (*parents, child))
        if min(cell) >= 0:
            table[cell] += weights[i]
    total = weights.sum()
    table *= total / table.sum()
    lines = table.reshape(-1, sizes[child])
    if score in ("bde", "k2"):
        each = alpha / table.size if score == "bde" else 1.0
        made = 0.0
        for line in lines:
            made += lgamma(each * len(line)) - lgamma(each * len(line) + line.sum())
            made += sum(lgamma(each + cell) - lgamma(each) for cell in line)
        return made
    made = sum(cell * log(cell / line.sum()) for line in lines for cell in line if cell > 0)
    free = len(lines) * (sizes[child] - 1)
    price = 1.0 if score == "aic" else log(total) / 2
    return made - free * price - (len(parents) * log(len(sizes)) if score == "mdl" else 0.0)


def information(codes, sizes, a, b, given=None):
    """I(a; b | given) over the rows that know all of them."""
    nodes = [a, b] if given is None else [a, b, given]
    table = np.zeros([sizes[v] for v in nodes] + ([1] if given is None else []))
    for i in range(codes.shape[1]):
        cell = [codes[v, i] for v in nodes]
        if min(cell) >= 0:
            table[(*cell, 0) if given is None else tuple(cell)] += 1
    p = table / table.sum()
    made = 0.0
    for i, j, k in np.ndindex(*p.shape):
        if p[i, j, k] > 0:
            made += p[i, j, k] * log(p[i, j, k] * p[:, :, k].sum() / (p[i, :, k].sum() * p[:, j, k].sum()))
    return made


def penalised_pairs(codes, sizes, penalty, ridge=1.0, step=0.3, most=3000):
    """Pairs that a group penalty on the mean log pseudo-likelihood keeps, by plain proximal gradient descent."""
    n, hot = codes.shape[1], [np.eye(size)[column] for size, column in zip(sizes, codes, strict=True)]
    alone = [np.zeros(size) for size in sizes]
    pairs = {(u, v): np.zeros((sizes[u], sizes[v])) for v in range(len(sizes)) for u in range(v)}
    for _ in range(most):
        errors = []
        for v in range(len(sizes)):
            others = [u for u in range(len(sizes)) if u != v]
            logits = alone[v] + sum(hot[u] @ (pairs[u, v] if u < v else pairs[v, u].T) for u in others)
            shares = np.exp(logits - logits.max(axis=1, keepdims=True))
            errors.append(shares / shares.sum(axis=1, keepdims=True) - hot[v])
        for v, error in enumerate(errors):
            alone[v] = alone[v] - step * (error.mean(axis=0) + ridge / n * alone[v])
        change = 0.0
        for (u, v), before in pairs.items():
            slope = (hot[u].T @ errors[v] + errors[u].T @ hot[v] + ridge * before) / n
            after = before - step * slope
            length = np.linalg.norm(after)
            after = after * max(0.0, 1 - step * penalty / length) if length else after
            change = max(change, np.abs(after - before).max())
            pairs[u, v] = after
        if change < 1e-7:
            break
    return {pair for pair, table in pairs.items() if table.any()}
