"""A model as a SELECT: all columns of a table, and what is predicted of each row last.

    select        the statement around an expression
    layered       the same in steps, each a SELECT of the one before: scores, then what is made of them
    body          conditions that must all hold, as an expression
    first_match   the answer of the first body that holds: one flat CASE
    weighed       a sum of terms, a line each
    largest       the label of the largest of several sums; of equals the first

A missing number is handled by one COALESCE: its term is worked out, and where that is NULL something else stands for
it. Numbers that are none (NaN, infinities), which some databases can hold, are looked for only with `guard`.

Databases limit how deep expressions nest (SQLite's parser: 100 symbols, a thousand operations), so sums of very many
terms are nested only as deep as the logarithm of their length. Line breaks within names and levels are kept from the
layout by `flat`, until `select`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import TypeAlias

from acumen import messages
from acumen.codegen import sql
from acumen.codegen.terms import Count, LevelCases, Slope, Square, Term, TermSum
from acumen.conditions.condition import Condition
from acumen.data.schema import Schema
from acumen.errors import DataError, ParameterError
from acumen.types import Label

#: A sum of so many terms is written as it is read, longer ones nested.
_FLAT = 200
#: What the last digits of a mean can amount to, as a share of it.
_ROUNDING = 8 * sys.float_info.epsilon
#: Stands for minus infinity: the logarithm of a probability of 0, which databases have no common word for.
LOWEST = -1e300

Columns: TypeAlias = Sequence[tuple[str, str]]


def select(schema: Schema, table: str | Sequence[str], column: str | None, expression: str) -> str:
    """The statement; `table` is a name or its parts, `column` what the last column is called."""
    return nest_steps(schema, table, [[(last_name(schema, column), expression)]])


def nest_steps(schema: Schema, table: str | Sequence[str], steps: Sequence[Columns]) -> str:
    """Steps of named expressions, each over the columns of the table and of the steps before it."""
    parts = (table,) if isinstance(table, str) else tuple(table)
    if not parts or not all(isinstance(part, str) and part for part in parts):
        raise ParameterError(
            f"to_sql: table must be a name, or the parts of one such as ('main', 'rows'); got {table!r}."
        )
    query = ".".join(sql.identifier(part) for part in parts)
    for step in steps:
        named = ",\n".join(f"{indent(text, 2)} AS {flat(sql.identifier(name))}" for name, text in step)
        query = f"SELECT {sql.ALIAS}.*,\n{named}\nFROM {query} AS {sql.ALIAS}"
        if step is not steps[-1]:
            query = f"(\n{indent(query, 2)}\n)"
    moments = [
        a for a in schema.attributes if a.is_moment and f"{sql.ALIAS}.{flat(sql.identifier(a.name))}" in query
    ]
    return "".join(f"{sql.column_comment(attribute)}\n" for attribute in moments) + _unflat(query)


def last_name(schema: Schema, column: str | None) -> str:
    """What the column of predictions is called."""
    return prediction_name(schema) if column is None else column


def free_name(schema: Schema, wanted: str) -> str:
    """A name that no column of the schema has: with underscores behind it where one does."""
    taken = {column.casefold() for column in schema.columns}
    while wanted.casefold() in taken:
        wanted += "_"
    return wanted


def prediction_name(schema: Schema) -> str:
    """`prediction`, or where a column is called so, with underscores behind it."""
    return free_name(schema, "prediction")


# -- rules ----------------------------------------------------------------------------------------


def body(conditions: Sequence[Condition], schema: Schema) -> str:
    """That all conditions hold; NULL or false where they do not."""
    return flat(" AND ".join(sql.condition(one, schema) for one in conditions)) or "1 = 1"


def first_match(
    bodies: Sequence[Sequence[Condition]], labels: Sequence[Label], default: Label, schema: Schema
) -> str:
    """The label of the first body that holds, else the default."""
    if not bodies:
        return flat(sql.literal(default))
    lines = ["CASE"]
    lines += [
        f"WHEN {body(conditions, schema)} THEN {flat(sql.literal(label))}"
        for conditions, label in zip(bodies, labels, strict=True)
    ]
    return "\n".join([*lines, f"ELSE {flat(sql.literal(default))}", "END"])


# -- sums -----------------------------------------------------------------------------------------


def weighted_sum(whole: TermSum, schema: Schema, *, guard: bool = False) -> str:
    """A sum of terms, one a line; a number that is missing adds what its term says, with `guard` one that is infinite
    or NaN too.
    """
    terms = [_term(term, schema, guard) for term in _gather_levels(whole.terms)]
    return sum_lines(
        [sql.number(number_literal(whole.constant)), *terms] if whole.constant or not terms else terms
    )


def _gather_levels(terms: Sequence[Term]) -> list[Term | tuple[str, dict[Label, float]]]:
    """The weights of single levels of one attribute together, where the first of them stands."""
    groups: list[Term | tuple[str, dict[Label, float]]] = []
    levels: dict[str, dict[Label, float]] = {}
    for term in terms:
        if not isinstance(term, Count) or len(term.body) != 1 or not isinstance(term.body[0].attribute, str):
            groups.append(term)
            continue
        name, one = term.body[0].attribute, term.body[0]
        if one.op != "=":
            groups.append(term)
            continue
        if name not in levels:
            levels[name] = {}
            groups.append((name, levels[name]))
        levels[name][one.value] = levels[name].get(one.value, 0.0) + float(term.weight)
    return groups


def _term(term: Term | tuple[str, dict[Label, float]], schema: Schema, guard: bool) -> str:
    if isinstance(term, tuple):
        name, levels = term
        of = flat(sql.column(name, schema))
        whens = [
            f"WHEN {flat(sql.literal(v))} THEN {sql.number(number_literal(w))}" for v, w in levels.items()
        ]
        return " ".join([f"CASE {of}", *whens, "ELSE 0.0 END"])
    if isinstance(term, LevelCases):
        last = sql.number(number_literal(term.otherwise))
        whens = [
            f"WHEN {body(b, schema)} THEN {sql.number(number_literal(weight))}"
            for b, weight in _explicit_cases(term)
        ]
        return " ".join(["CASE", *whens, f"ELSE {last}", "END"]) if whens else signed_literal(term.otherwise)
    if isinstance(term, Count):
        return (
            f"CASE WHEN {body(term.body, schema)} THEN {sql.number(number_literal(term.weight))} ELSE 0.0 END"
        )
    return _of_number(term, schema, guard)


def _explicit_cases(choice: LevelCases) -> list[tuple[tuple[Condition, ...], float]]:
    """The cases that must be asked for: a missing value that has what the ELSE has comes there by itself."""
    cases = list(choice.cases)
    if not cases or [c.op for c in cases[0][0]] != ["missing"] or cases[0][1] != choice.otherwise:
        return cases
    name = cases[0][0][0].attribute
    others = [c for conditions, _ in cases[1:] for c in conditions]
    alone = all(c.attribute == name and c.op not in ("missing", "not in", "!=") for c in others)
    return cases[1:] if alone else cases


def _of_number(term: Slope | Square, schema: Schema, guard: bool) -> str:
    if isinstance(term.attribute, str) and schema[term.attribute].is_moment:
        raise DataError(
            f"to_sql: the model counts the days of {term.attribute!r}, which every database writes in its own way. Use "
            f"{messages.in_python('to_python')}{messages.at_the_command_line('--python')}, learn from the parts "
            "of the date "
            f"({messages.option('date_parts', term.attribute)}), or learn a tree."
        )
    of = flat(sql.expression(term.attribute, schema))
    away = of if term.centre == 0 else f"({of} - {signed_literal(term.centre)})"
    if isinstance(term, Square):
        sign = "-" if term.weight < 0 else "+"
        start, weight = number_literal(term.start), abs(number_literal(term.weight))
        value = f"{sql.number(start)} {sign} {sql.number(weight)} * {away} * {away}"
        value = _within_squares(term, of, value)
    else:
        value = f"{sql.number(number_literal(term.weight))} * {away}"
    if guard:
        most = sql.number(sys.float_info.max)
        return (
            f"CASE WHEN {of} BETWEEN -{most} AND {most} THEN {value} ELSE {signed_literal(_absent(term))} END"
        )
    return f"COALESCE({value}, {sql.number(number_literal(_absent(term)))})"


def _within_squares(term: Square, of: str, value: str) -> str:
    """The value where the square stays finite, else what stands for it; missing numbers go on to the value, NULL."""
    far = term.beyond
    low, high = (term.centre + sign * 2.0 * far.half_distance for sign in (-1, 1))
    if not math.isfinite(far.half_distance) or not (math.isfinite(low) or math.isfinite(high)):
        return value
    half = f"{of} * 0.5" if term.centre == 0 else f"({of} * 0.5 - {signed_literal(term.centre * 0.5)})"
    capped = f"{sql.number(term.start)} + {signed_literal(far.slope)} * LN(ABS({half})) + {signed_literal(far.level)}"
    outside = [
        f"{of} < {signed_literal(low)}" if math.isfinite(low) else "",
        f"{of} > {signed_literal(high)}" if math.isfinite(high) else "",
    ]
    return f"CASE WHEN {' OR '.join(filter(None, outside))} THEN {capped} ELSE {value} END"


def _absent(term: Slope | Square) -> float:
    """What stands for a missing number; 0 where that is only what rounding left of a mean less a mean."""
    if isinstance(term, Slope) and abs(term.absent) <= _ROUNDING * abs(term.weight * term.centre):
        return 0.0
    return term.absent


def number_literal(value: float) -> float:
    """A number that a database can hold."""
    return LOWEST if value == -math.inf else float(value) + 0.0  # no zero is below zero


def signed_literal(value: float) -> str:
    """A number that may stand behind a sign."""
    text = sql.number(number_literal(value))
    return f"({text})" if text.startswith("-") else text


def largest(sums: Sequence[str], labels: Sequence[Label], made: Callable[[str], str] | None = None) -> str:
    """The label of the largest sum, or of what is `made` of each; of equals the first."""
    if len(labels) == 1:
        return flat(sql.literal(labels[0]))
    named = [f"{indent(one, 2)} AS {sql.identifier(f'v{c}')}" for c, one in enumerate(sums)]
    inner = "\n".join(["(SELECT", ",\n".join(named), ")"])
    if made is not None:
        again = ", ".join(f'{made(f"""s."v{c}" """.strip())} AS "v{c}"' for c in range(len(sums)))
        inner = f"(SELECT {again} FROM\n{indent(inner, 2)} AS s)"
    lines = ["(SELECT CASE"]
    for c in range(len(labels) - 1):
        wins = " AND ".join(f'"v{c}" >= "v{d}"' for d in range(c + 1, len(labels)))
        lines.append(f"WHEN {wins} THEN {flat(sql.literal(labels[c]))}")
    lines.append(f"ELSE {flat(sql.literal(labels[-1]))} END")
    return "\n".join([*lines, f"FROM {inner} AS s)"])


def sum_lines(terms: Sequence[str], joint: str = "\n+ ") -> str:
    """A sum, a line for each term; of very many one that nests only as deep as the logarithm of its length."""
    if not terms:
        return "0.0"
    if len(terms) <= _FLAT:
        return joint.join(terms)
    half = len(terms) // 2
    return f"({sum_lines(terms[:half], ' + ')}) + ({sum_lines(terms[half:], ' + ')})"


# -- layout ---------------------------------------------------------------------------------------


def behind(text: str) -> str:
    """A short answer on the same line, a longer one below."""
    return f" {text}" if "\n" not in text else f"\n{indent(text, 2)}"


def indent(text: str, by: int) -> str:
    """Lines moved to the right."""
    return "\n".join(" " * by + line for line in text.split("\n"))


def flat(text: str) -> str:
    """A piece without layout: line breaks in names and levels are kept from being indented."""
    return text.replace("\n", "\0")  # which no statement can hold, so `_unflat` meets no other


def _unflat(text: str) -> str:
    return text.replace("\0", "\n")
