"""From scores to probabilities and decisions in SQL, as columns over columns of a step before.

sums_statement    sums of terms -> the statement: scores, shares, decision
numbered_statement  the number of a rule or leaf, and what each stands for -> the statement
shares_statement  columns of shares, however they were come by -> the statement
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acumen import messages
from acumen.codegen import sql
from acumen.codegen.sql_select import (
    LOWEST,
    Columns,
    flat,
    free_name,
    indent,
    largest,
    last_name,
    nest_steps,
    select,
    signed_literal,
    sum_lines,
    weighted_sum,
)
from acumen.codegen.terms import TIE, TermSum, difference, is_finite
from acumen.data.schema import Schema
from acumen.errors import DataError
from acumen.models.predictor import Predictor
from acumen.types import Floats, Label

_BELOW_ALL = -1e200


def sums_statement(
    predictor: Predictor,
    sums: Sequence[TermSum],
    table: str | Sequence[str],
    column: str | None,
    *,
    probabilities: bool,
    guard: bool,
    votes: bool,
) -> str:
    """The class of the largest sum; with `probabilities` scores and shares in columns of their own before it.

    The sums are logarithms of probabilities up to a constant; with `votes` probabilities up to a factor.
    """
    schema, costs = predictor.schema, predictor.costs
    if probabilities and not predictor.model.probabilistic:
        raise DataError(f"to_sql: {predictor.model.without_probabilities()}.")
    if costs is not None and not probabilities and not votes:
        raise DataError(
            f"to_sql: this {predictor.model.kind} model decides by costs, for which SQL needs the probabilities; "
            f"ask for them too ({messages.option('probabilities', True)}), or learn without costs."
        )
    able = [
        c for c, one in enumerate(sums) if one.constant > (0.0 if votes else -np.inf) or (votes and one.terms)
    ]
    labels, some = [schema.classes[c] for c in able], [sums[c] for c in able]
    finite = all(map(is_finite, some))
    plain = not votes and finite
    if not probabilities:
        return select(schema, table, column, _decide_label(some, labels, schema, guard, plain))
    two = plain and len(able) == 2
    lines = [difference(some[1], some[0])] if two else some
    names = score_names(schema, able[1:] if two else able)
    texts = [weighted_sum(one, schema, guard=guard) for one in lines]
    scores: list[Columns] = [list(zip(names, texts, strict=True))]
    columns = [column_of(name) for name in names]
    if not finite:
        scores.append([(f"{name}, possible", floor_score(c)) for name, c in zip(names, columns, strict=True)])
        columns = [column_of(f"{name}, possible") for name in names]
    shares = shares_of_odds(columns[0]) if two else (shares_of_votes if votes else shares_of_logs)(columns)
    decided = above(columns[0], 0.0, labels) if two else largest(columns, labels)
    every = ["0.0"] * len(sums)
    for c, share in zip(able, shares, strict=True):
        every[c] = share
    return shares_statement(predictor, scores, every, decided, table, column)


def shares_statement(
    predictor: Predictor,
    steps: Sequence[Columns],
    shares: Sequence[str],
    decided: str,
    table: str | Sequence[str],
    column: str | None,
) -> str:
    """Steps, then the share of each class, and last the class: `decided`, or of least cost where there are costs."""
    schema = predictor.schema
    names = share_names(schema)
    last: Columns = [(last_name(schema, column), decided)]
    named: Columns = list(zip(names, shares, strict=True))
    if predictor.costs is None:
        return nest_steps(schema, table, [*steps, [*named, *last]])
    cheap = cheapest([column_of(name) for name in names], predictor.costs, schema.classes)
    return nest_steps(schema, table, [*steps, named, [(last[0][0], cheap)]])


def numbered_statement(
    predictor: Predictor,
    noun: str,
    numbered: str,
    labels: Sequence[Label],
    shares: Floats,
    table: str | Sequence[str],
    column: str | None,
) -> str:
    """What answers has a number from 1, in a column of its own; labels and shares are looked up by it."""
    schema = predictor.schema
    name = free_name(schema, noun)
    of = column_of(name)

    def looked_up(values: Sequence[str]) -> str:
        same = max(dict.fromkeys(values), key=list(values).count)
        whens = [f"WHEN {at} THEN {text}" for at, text in enumerate(values, 1) if text != same]
        return " ".join([f"CASE {of}", *whens, f"ELSE {same} END"]) if whens else same

    columns = [looked_up([sql.number(p) for p in line]) for line in shares.T.tolist()]
    label_column = looked_up([flat(sql.literal(label)) for label in labels])
    named: Columns = [
        *zip(share_names(schema), columns, strict=True),
        (last_name(schema, column), label_column),
    ]
    return nest_steps(schema, table, [[(name, numbered)], named])


def _decide_label(
    sums: Sequence[TermSum], labels: Sequence[Label], schema: Schema, guard: bool, plain: bool
) -> str:
    """The label of the largest sum; of two classes by one sum, if the numbers allow a difference."""
    if plain and len(sums) == 2:
        one, other = sums[1], sums[0]
        if not other.terms:
            return above(weighted_sum(one, schema, guard=guard), float(other.constant), labels)
        return above(weighted_sum(difference(one, other), schema, guard=guard), 0.0, labels)
    texts = [weighted_sum(one, schema, guard=guard) for one in sums]
    impossible = not all(map(is_finite, sums))
    return largest(texts, labels, floor_score if impossible else None)


def score_names(schema: Schema, able: Sequence[int]) -> list[str]:
    """What the columns of scores are called."""
    return [free_name(schema, f"score of {schema.classes[c]}") for c in able]


def share_names(schema: Schema) -> list[str]:
    """What the columns of probabilities are called: `P(yes)`."""
    return [free_name(schema, f"P({label})") for label in schema.classes]


def column_of(name: str) -> str:
    """A column of a step before."""
    return f"{sql.ALIAS}.{flat(sql.identifier(name))}"


def shares_of_logs(scores: Sequence[str]) -> list[str]:
    """Probabilities of columns that hold logarithms of them up to a constant, each 1 / (sum of exponentials).

    Exponentials are kept within what a database takes without an error.
    """
    columns = []
    for c in scores:
        others = [f"({d} - {c})" for d in scores if d != c]
        parts = [f"EXP(CASE WHEN {x} > 700 THEN 700 WHEN {x} < -700 THEN -700 ELSE {x} END)" for x in others]
        columns.append(f"1.0 / ({sum_lines(['1.0', *parts], ' + ')})" if parts else "1.0")
    return columns


def shares_of_odds(odds: str) -> list[str]:
    """Probabilities of two classes by a column that holds the log-odds of the second."""
    within = f"CASE WHEN {odds} > 700 THEN 700 WHEN {odds} < -700 THEN -700 ELSE {odds} END"
    return [f"1.0 / (1.0 + EXP({within}))", f"1.0 / (1.0 + EXP(-({within})))"]


def shares_of_votes(votes: Sequence[str]) -> list[str]:
    """Probabilities of columns that hold votes, their sum above 0."""
    total = " + ".join(votes)
    return [f"{vote} * 1.0 / ({total})" for vote in votes]


def floor_score(score: str) -> str:
    """A score in which every impossible class is as low as any other."""
    return f"CASE WHEN {score} < {sql.number(_BELOW_ALL)} THEN {sql.number(LOWEST)} ELSE {score} END"


def cheapest(shares: Sequence[str], costs: Floats, labels: Sequence[Label]) -> str:
    """The label of least expected cost by columns of probabilities; of equals the first."""
    expected = [
        sum_lines(
            [f"{signed_literal(float(cost))} * {p}" for cost, p in zip(line, shares, strict=True) if cost],
            " + ",
        )
        for line in -costs
    ]
    return largest(expected, labels)


def above(score: str, level: float, labels: Sequence[Label]) -> str:
    """The second label where a score is above a level; at -0.0 where it is at least 0."""
    inner = f"(\n{indent(score, 4)}\n  )" if "\n" in score else score
    first, second = (flat(sql.literal(label)) for label in labels)
    return f"CASE WHEN {inner} {_beyond(level)} THEN {second} ELSE {first} END"


def _beyond(level: float) -> str:
    if level == TIE:
        return ">= 0"
    return f"> {signed_literal(level) if level else '0'}"
