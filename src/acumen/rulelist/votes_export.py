"""Export voting rules as SQL and Python: sums over all rules that hold, and the default if none does.

Votes are linear in the rules' counts, and priors and costs are linear in votes, so each class has one sum: its counts
weighted by the priors, or, with costs, the negative expected cost.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acumen.codegen import sql, sql_select
from acumen.codegen.python_module import Writer, matrix, module
from acumen.codegen.python_source import comment, literal
from acumen.codegen.sql_probabilities import sums_statement
from acumen.codegen.terms import Count, LevelCases, Term, TermSum, sum_of
from acumen.conditions.condition import Condition
from acumen.models.decision import softmax
from acumen.models.predictor import Predictor
from acumen.render.text import many
from acumen.types import Floats

_VOTES = '''
def predict_proba(row):
    """The probability of each of CLASSES for a row: a mapping from attributes to values, None for missing."""
    votes = _votes(row)
    if any(votes):
        votes = [(v + s) * p for v, s, p in zip(votes, SMOOTHING, PRIORS)]
    else:
        votes = DEFAULT
    return [v / sum(votes) for v in votes]
'''

_LIKELIEST = '''
def predict(row):
    """The class of a row."""
    proba = predict_proba(row)
    return CLASSES[proba.index(max(proba))]
'''

_CHEAPEST = '''
def predict(row):
    """The class with the lowest expected cost for a row."""
    proba = predict_proba(row)
    costs = [sum(c * p for c, p in zip(line, proba)) for line in COSTS]
    return CLASSES[costs.index(min(costs))]
'''


def votes_sql(
    predictor: Predictor,
    bodies: Sequence[tuple[Condition, ...]],
    counts: Floats,
    smoothing: Floats,
    default: Floats,
    table: str | Sequence[str],
    column: str | None,
) -> str:
    """Write the statement; `counts` has a line for each body, `default` are the scores if none holds."""
    schema = predictor.schema
    each, start = (
        _apply_priors_and_costs(predictor, counts),
        _apply_priors_and_costs(predictor, smoothing[None])[0],
    )
    otherwise = schema.classes[int(predictor.choose(_scores(predictor, default[None]))[0])]
    if not bodies:
        constant = sql_select.flat(sql.literal(otherwise))
        return sql_select.select(schema, table, column, constant)
    sums = []
    for first, weights in zip(start.tolist(), each.T.tolist(), strict=True):
        terms = [Count(weight, body) for weight, body in zip(weights, bodies, strict=True)]
        sums.append(sql_select.weighted_sum(sum_of(first, terms), schema))
    some = _either([f"({sql_select.body(body, schema)})" for body in bodies])
    answer = sql_select.indent(sql_select.largest(sums, schema.classes), 2)
    return sql_select.select(
        schema,
        table,
        column,
        f"CASE WHEN {some}\nTHEN\n{answer}\nELSE {sql_select.flat(sql.literal(otherwise))}\nEND",
    )


def votes_sums(
    bodies: Sequence[tuple[Condition, ...]], counts: Floats, smoothing: Floats, default: Floats
) -> tuple[TermSum, ...]:
    """The votes of each class as a sum; if no body holds, the last term turns them into those of the default."""
    sums = []
    for first, weights, alone in zip(smoothing.tolist(), counts.T.tolist(), default.tolist(), strict=True):
        terms: list[Term] = [Count(weight, body) for weight, body in zip(weights, bodies, strict=True)]
        terms.append(LevelCases(tuple((body, 0.0) for body in bodies), alone - first))
        sums.append(sum_of(first, terms))
    return tuple(sums)


def votes_shares_sql(
    predictor: Predictor, sums: Sequence[TermSum], table: str | Sequence[str], column: str | None
) -> str:
    """Write the statement with the probabilities."""
    return sums_statement(
        predictor,
        votes_under_priors(predictor, sums),
        table,
        column,
        probabilities=True,
        guard=False,
        votes=True,
    )


def votes_under_priors(predictor: Predictor, sums: Sequence[TermSum]) -> list[TermSum]:
    """Weight the votes by the requested priors."""
    if predictor.shift is None:
        return list(sums)
    return [one.times(float(f)) for one, f in zip(sums, _factor(predictor.shift), strict=True)]


def _either(parts: Sequence[str]) -> str:
    """Join the parts by OR, nested only as deep as the logarithm of their number."""
    if len(parts) <= 4:
        return " OR ".join(parts)
    half = len(parts) // 2
    return f"({_either(parts[:half])}) OR ({_either(parts[half:])})"


def votes_python(
    predictor: Predictor,
    bodies: Sequence[tuple[Condition, ...]],
    counts: Floats,
    smoothing: Floats,
    default: Floats,
) -> str:
    """Write the source of a module."""
    writer = Writer(predictor.schema)
    k = len(predictor.classes)
    lines = ["def _votes(row):", '    """The class weights of all rules that hold, added up."""']
    lines.append(f"    votes = [0.0] * {k}")
    for body, mine in zip(bodies, counts.tolist(), strict=True):
        remark = comment(predictor.classes[int(np.argmax(mine))])
        lines += [f"    if {writer.body(body)}:  # {remark}"]
        lines.append(f"        votes = [v + w for v, w in zip(votes, {literal(tuple(mine))})]")
    lines.append("    return votes")
    factor = np.ones(k) if predictor.shift is None else _factor(predictor.shift)
    constants = [
        f"SMOOTHING = {literal(tuple(smoothing.tolist()))}",
        f"PRIORS = {literal(tuple(factor.tolist()))}",
        "#: If no rule holds.",
        f"DEFAULT = {literal(tuple(softmax(_scores(predictor, default[None]))[0].tolist()))}",
        *([f"COSTS = {matrix(predictor.costs)}"] if predictor.costs is not None else []),
    ]
    choice = _LIKELIEST if predictor.costs is None else _CHEAPEST
    about = f"{many(len(bodies), 'rule')} that vote"
    return module(predictor, about, constants, [choice, _VOTES, "\n".join(["", *lines])], writer)


def _apply_priors_and_costs(predictor: Predictor, counts: Floats) -> Floats:
    votes = counts if predictor.shift is None else counts * _factor(predictor.shift)
    return np.asarray(votes if predictor.costs is None else -(votes @ predictor.costs.T))


def _factor(shift: Floats) -> Floats:
    top = float(np.max(shift[np.isfinite(shift)], initial=0.0))
    return np.exp(shift - top)


def _scores(predictor: Predictor, scores: Floats) -> Floats:
    return scores if predictor.shift is None else scores + predictor.shift
