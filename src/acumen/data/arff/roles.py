"""The roles of an ARFF file's attributes (class, instance weights, sparse inputs), and the sentences of its report."""

from __future__ import annotations

import re
from dataclasses import replace

from acumen import _native, messages
from acumen.data.arff.header import ArffAttribute
from acumen.data.arff.rows import ArffBody
from acumen.data.naming import free_name
from acumen.data.report import Report, note_lost_digits, note_numbers, note_ragged
from acumen.data.request import Column, Request, Roles, resolve
from acumen.errors import DataError

_BEFORE_ROWS = re.compile(rb"(?:\s+|%[^\r\n]*)*")


def weight_name(rows: ArffBody, table: _native.TextTable) -> str | None:
    """What the column of instance weights is called; None if all rows weigh one."""
    return free_name("weight", rows.header.names) if table.weighted else None


def roles_of(rows: ArffBody, request: Request, weight: str | None, report: Report) -> Roles:
    """The roles a request gives; `weight` is the name of the instance weights, if there are any.

    The last attribute is the class unless another is asked for, or it is the weight, or it stands alone.
    Positions count the declared attributes, so that -1 is the last of these and not the weights.
    """
    names = rows.header.names
    request = _by_name(request, names)
    if weight is not None:
        text = f"rows carry instance weights, which become the row weights under the name {weight!r}."
        if request.weight is None and weight not in request.ignore:
            request = replace(request, weight=weight)
        elif request.weight is not None and request.weight != weight and weight not in request.ignore:
            raise DataError(
                f"read: the rows carry instance weights of their own, so column {request.weight!r} cannot be the "
                f"weight too; leave {messages.option('weight')} out, or say {messages.option('ignore', weight)}."
            )
        report.note("instance-weights", text, column=weight)
    known = (*names, weight) if weight is not None else names
    last = next((name for name in reversed(names) if name != request.weight), None)
    roles = Roles.of(request, known, last if len(names) > 1 else None)
    if request.target is None and roles.target is not None:
        report.note(
            "target", f"attribute {roles.target!r}, the last, is taken as the target.", column=roles.target
        )
    return roles


def _by_name(request: Request, names: tuple[str, ...]) -> Request:
    """The same request with every position replaced by the attribute's name."""

    def name(column: Column) -> Column:
        # From a command line a position comes as text; a name that looks like one goes first.
        at_place = isinstance(column, str) and column.removeprefix("-").isdigit() and column not in names
        return column if isinstance(column, str) and not at_place else resolve(column, names)

    return replace(
        request,
        target=None if request.target is None else name(request.target),
        weight=None if request.weight is None else name(request.weight),
        ignore=tuple(name(column) for column in request.ignore),
        kinds={name(column): kind for column, kind in request.kinds.items()},
        levels={name(column): levels for column, levels in request.levels.items()},
        merge={name(column): pairs for column, pairs in request.merge.items()},
    )


def sparse_inputs(rows: ArffBody, request: Request) -> tuple[int, ...]:
    """The positions of the inputs if they are to be kept as a sparse matrix, else nothing.

    That is when the first row is sparse and every input is a number. (Whether the weights asked for are
    known, and the rest of the request sound, is found when the roles are given.)
    """
    if _first_mark(rows) != b"{":
        return ()
    names = rows.header.names
    request = _by_name(request, names)
    others = {request.weight, *request.ignore}
    target = request.target or next((name for name in reversed(names) if name != request.weight), None)
    inputs = [
        j for j, name in enumerate(names)
        if name != target and name not in others and request.kinds.get(name) != "ignored"
    ]  # fmt: skip
    for j in inputs:
        attribute = rows.header.attributes[j]
        kind = request.kinds.get(attribute.name, "numeric")
        if (
            attribute.kind != "numeric"
            or kind != "numeric"
            or attribute.name in {**request.levels, **request.merge}
        ):
            return ()
    return tuple(inputs)


def _first_mark(rows: ArffBody) -> bytes:
    """What the first row begins with."""
    head = b""
    for chunk in rows.chunks(1 << 16):
        head += chunk
        before = _BEFORE_ROWS.match(head)
        if before is not None and before.end() < len(head):
            return head[before.end() : before.end() + 1]
    return b""


# -- sentences of the report ----------------------------------------------------------------------
#
# What the report says about the rows of an ARFF file, worded as for delimited files.


def note_rows(rows: ArffBody, table: _native.TextTable, report: Report) -> None:
    """What of the whole deserves a word, once all of it has gone through."""
    for j, attribute in enumerate(rows.header.attributes):
        _note_declared(rows, attribute, report)
        _note_values(table, j, attribute.name, report)
    counts = (table.short_rows, table.long_rows)
    dropped = rows.ragged == "drop"
    note_ragged(report, table.ragged, counts, table.columns, "attributes declared", dropped=dropped)


def _note_declared(rows: ArffBody, attribute: ArffAttribute, report: Report) -> None:
    name = attribute.name
    if attribute.kind == "date":
        text = f"attribute {name!r} holds dates ({attribute.pattern}) and is read as days since 1970-01-01."
        report.note("dates", text, column=name)
    dropped = [level for level in attribute.levels if level in rows.missing]
    if dropped:
        text = f"attribute {name!r}: {', '.join(map(repr, dropped))} counts as missing, as asked, and is no level."
        report.note("missing-level", text, column=name)


def _note_values(table: _native.TextTable, j: int, name: str, report: Report) -> None:
    stats = table.stats(j)
    if stats.missing + stats.not_a_number == table.rows:
        report.warn("all-missing", f"attribute {name!r} has no values: every one is missing.", column=name)
    note_numbers(report, "attribute", name, stats)
    if table.form(j) == _native.FORM_NUMBER:
        note_lost_digits(report, "attribute", name, stats)
