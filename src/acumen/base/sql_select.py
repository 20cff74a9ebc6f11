"""A model as a SELECT: all columns of a table, and what is predicted of each row last.

    select        the statement around an expression
    body          conditions that must all hold, as an expression
    first_match   the answer of the first body that holds: one flat CASE
    weighed       a sum of terms
    largest       the label of the largest of several sums; of equals the first

Databases limit how deep expressions nest (SQLite's parser: 100 symbols), so sums are nested only as deep as the
logarithm of their length. Line breaks within names and levels are kept from the layout by `flat`, until `select`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from acumen.base import sql
from acumen.base.condition import Condition
from acumen.base.terms import Choice, Count, Sum, Term
from acumen.data.schema import Schema
from acumen.errors import DataError, ParameterError
from acumen.types import Label


def select(schema: Schema, table: str | Sequence[str], column: str | None, expression: str) -> str:
    """The statement; `table` is a name or its parts, `column` what the last column is called."""
    parts = (table,) if isinstance(table, str) else tuple(table)
    if not parts or not all(isinstance(part, str) and part for part in parts):
        raise ParameterError(
            f"to_sql: table must be a name, or the parts of one such as ('main', 'rows'); got {table!r}."
        )
    last = prediction_name(schema) if column is None else column
    return (
        f"SELECT {sql.ALIAS}.*,\n{_unflat(indented(expression, 2))} AS {sql.identifier(last)}\n"
        f"FROM {'.'.join(sql.identifier(part) for part in parts)} AS {sql.ALIAS}"
    )


def prediction_name(schema: Schema) -> str:
    """`prediction`, or where a column is called so, with underscores behind it."""
    taken = {column.casefold() for column in schema.columns}
    name = "prediction"
    while name in taken:
        name += "_"
    return name


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


def weighed(whole: Sum, schema: Schema) -> str:
    """A sum of terms; a number that is missing or infinite adds what its term says."""
    terms = [_term(term, schema) for term in whole.terms]
    return summed([sql.number(float(whole.constant)), *terms] if whole.constant or not terms else terms)


def _term(term: Term, schema: Schema) -> str:
    if isinstance(term, Choice):
        last = _signed(term.otherwise)
        whens = [
            f"WHEN {body(conditions, schema)} THEN {_signed(weight)}" for conditions, weight in term.cases
        ]
        return " ".join(["CASE", *whens, f"ELSE {last}", "END"]) if whens else last
    if isinstance(term, Count):
        return f"CASE WHEN {body(term.body, schema)} THEN {sql.number(float(term.weight))} ELSE 0.0 END"
    if isinstance(term.attribute, str) and schema[term.attribute].is_moment:
        raise DataError(
            f"to_sql: the model counts the days of {term.attribute!r}, for which databases have no common word. Use "
            "to_python, or learn from the parts of the date, or a tree."
        )
    of, most = flat(sql.expression(term.attribute, schema)), sql.number(sys.float_info.max)
    away = of if term.centre == 0 else f"({of} - {_signed(term.centre)})"
    return (
        f"CASE WHEN {of} BETWEEN -{most} AND {most} THEN {away} * {_signed(term.weight)} "
        f"ELSE {_signed(term.absent)} END"
    )


def _signed(value: float) -> str:
    text = sql.number(float(value))
    return f"({text})" if text.startswith("-") else text


def largest(sums: Sequence[str], labels: Sequence[Label]) -> str:
    """The label of the largest sum; of equals the first."""
    named = [f"{indented(one, 2)} AS {sql.identifier(f'v{c}')}" for c, one in enumerate(sums)]
    lines = ["(SELECT CASE"]
    for c in range(len(labels) - 1):
        wins = " AND ".join(f'"v{c}" >= "v{d}"' for d in range(c + 1, len(labels)))
        lines.append(f"WHEN {wins} THEN {flat(sql.literal(labels[c]))}")
    lines.append(f"ELSE {flat(sql.literal(labels[-1]))} END")
    return "\n".join([*lines, "FROM (SELECT", ",\n".join(named), ") AS s)"])


def summed(terms: Sequence[str]) -> str:
    """A sum that nests only as deep as the logarithm of its length."""
    if not terms:
        return "0.0"
    if len(terms) <= 4:
        return " + ".join(terms)
    half = len(terms) // 2
    return f"({summed(terms[:half])}) + ({summed(terms[half:])})"


# -- layout ---------------------------------------------------------------------------------------


def behind(text: str) -> str:
    """A short answer on the same line, a longer one below."""
    return f" {text}" if "\n" not in text else f"\n{indented(text, 2)}"


def indented(text: str, by: int) -> str:
    """Lines moved to the right."""
    return "\n".join(" " * by + line for line in text.split("\n"))


def flat(text: str) -> str:
    """A piece without layout: line breaks in names and levels are kept from being indented."""
    return text.replace("\n", "\0")  # which no statement can hold, so `_unflat` meets no other


def _unflat(text: str) -> str:
    return text.replace("\0", "\n")
