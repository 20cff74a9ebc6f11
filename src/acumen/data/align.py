"""Align a table with the schema of a model, so that the model can predict it.

    align          match columns by name: in any order; drops extra columns, recodes levels
    by_position    match columns by position: for arrays, which have no names

Levels that the schema does not know become UNKNOWN. The target may be absent; if present, its labels are recoded like
levels, and labels that the model has not seen are UNKNOWN. A sparse source whose report has ABSENT_ZERO lists only the
columns that it holds; all others are zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from acumen import messages
from acumen.data.columns import READ_LIKE, RawColumn, _maybe_number, merge_levels, number_in
from acumen.data.date_parts import find_needed_dates, with_parts
from acumen.data.dialect import NOT_A_NUMBER
from acumen.data.forms import ZONED, is_moment, known_as
from acumen.data.memory import sparse
from acumen.data.raw_table import RawTable, blank_values, of_table
from acumen.data.report import POINTS_OF_THREE, STATED_MARKS, Report
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, did_you_mean
from acumen.messages import at_the_command_line
from acumen.types import Codes, Floats, Label

#: The note of sources in which what is not named is zero: baskets, svmlight.
ABSENT_ZERO = "absent-zero"
#: The notes of columns whose every decimal mark may also stand between thousands.
_OPEN_MARKS = ("decimal-points", "decimal-comma", POINTS_OF_THREE)


def align(table: Table, schema: Schema, *, fill: bool = False) -> Table:
    """The rows of `table` under `schema`: its attributes in its order, its levels, its target if present.

    A column that is not there, or holds what cannot be what the schema wants, is a DataError that names it; with
    `fill` a column that is not there is one of missing values. A table that needs no change is returned as it is.
    """
    if _fits(table.schema, schema) and not _read_otherwise(table, schema):
        return table
    if dates := find_needed_dates([name for name in schema.names if name not in table.schema], table.schema):
        table = with_parts(table, dates)
    target = () if schema.target is None else (schema.target.name,)
    columns = of_table(table, only={*schema.names, *target})
    absent = [name for name in schema.names if name not in columns.names]
    if absent and table.sparse is not None and table.report.about(ABSENT_ZERO):
        return _build_table(schema, _add_zero_columns(columns, absent), table)
    if absent and fill:
        return _build_table(schema, _add_missing_columns(columns, absent), table)
    if absent:
        others = [name for name in table.schema.columns if name not in schema]
        more = f" (and {len(absent) - 1} more)" if len(absent) > 1 else ""
        raise DataError(
            f"the table has no column {absent[0]!r}{more}, which the model needs.{did_you_mean(absent[0], others)}"
            + at_the_command_line(
                f" Use --rename NEW={absent[0]}, or --missing-columns to treat it as missing."
            )
        )
    return _build_table(schema, columns, table)


def _add_zero_columns(raw: RawTable, absent: Sequence[str]) -> RawTable:
    """The same rows with zeros for columns the source did not name."""
    from scipy.sparse import csr_matrix

    matrix = raw.matrix
    assert matrix is not None
    width = len(raw.matrix_names) + len(absent)
    wide = csr_matrix((matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], width))
    return replace(raw, names=(*raw.names, *absent), matrix=wide, matrix_names=(*raw.matrix_names, *absent))


def absent_columns(table: Schema, schema: Schema) -> list[str]:
    """The inputs of a schema that a table lacks, and that cannot be made of its dates."""
    absent = [name for name in schema.names if name not in table]
    computed = find_needed_dates(absent, table)
    return [name for name in absent if name.rpartition(".")[0] not in computed]


def _add_missing_columns(raw: RawTable, absent: Sequence[str]) -> RawTable:
    """The same rows with columns in which all is missing."""
    gaps = {name: RawColumn(name, "numeric", values=np.full(raw.n_rows, np.nan)) for name in absent}
    return replace(raw, names=(*raw.names, *absent), columns={**raw.columns, **gaps})


def by_position(table: Table, schema: Schema, who: str) -> Table:
    """The rows of `table` with its inputs called, one by one, as the schema's attributes are.

    For arrays, whose columns are known by their place alone; `who` is the learner that speaks.
    """
    if len(table.schema) != len(schema):
        # scikit-learn's own words, which its estimator checks look for.
        raise DataError(
            f"X has {len(table.schema)} features, but {who} is expecting {len(schema)} features as input."
        )
    if _fits(table.schema, schema) and not _read_otherwise(table, schema):
        return table
    called = dict(zip(table.schema.names, schema.names, strict=True))
    if table.schema.target is not None and schema.target is not None:
        called[table.schema.target.name] = schema.target.name
    columns = of_table(table, only=set(called))
    renamed = replace(
        columns,
        names=tuple(called[name] for name in columns.names),
        columns={
            called[name]: _rename_column(column, called[name]) for name, column in columns.columns.items()
        },
        matrix_names=tuple(called[name] for name in columns.matrix_names),
    )
    return _build_table(schema, renamed, table)


def _fits(has: Schema, wanted: Schema) -> bool:
    """Whether a table of one schema needs no change for the other."""
    if has is wanted:
        return True
    if has.attributes != wanted.attributes or (wanted.has_choices and not _same_choices(has, wanted)):
        return False
    if has.target is None and wanted.target is not None:
        return wanted.target.name not in has.columns
    return has.target == wanted.target


def _same_choices(has: Schema, wanted: Schema) -> bool:
    pairs = zip(has.attributes, wanted.attributes, strict=True)
    return all(a.choices == b.choices for a, b in pairs)


def _read_otherwise(table: Table, schema: Schema) -> list[str]:
    """The columns whose decimal marks or order of dates differ from the model's, unless the caller stated them."""
    if table.report.about(STATED_MARKS):
        return []
    return [
        attribute.name
        for attribute in schema.numeric
        if attribute.name in table.schema and _differ(table.schema[attribute.name].form, attribute.form)
    ]


def _differ(form: str, wanted: str) -> bool:
    """Whether one text can be two numbers, or two days, in these forms."""
    if form.startswith("number ") and wanted.startswith("number "):
        return form[7] != wanted[7]
    orders = {each.removesuffix(ZONED).partition(" ")[2] for each in (form, wanted)}
    return is_moment(form) and is_moment(wanted) and orders == {"dmy", "mdy"}


def _read_again(column: RawColumn, attribute: Attribute, report: Report) -> RawColumn:
    """Such a column as its cells read in the model's form; as it is where a cell proves its own form."""
    if column.written is not None:
        codes, texts = column.written
        assert column.values is not None
        missing = set(codes[np.isnan(column.values)].tolist())
        numbers = [
            None if code in missing else number_in(text, attribute.form) for code, text in enumerate(texts)
        ]
        if any(number is None and code not in missing for code, number in enumerate(numbers)):
            return column
        values = np.array([*(np.nan if n is None else n for n in numbers), np.nan, np.nan])[codes]
        return replace(column, values=values, form=attribute.form, written=None)
    notes = [note for code in _OPEN_MARKS for note in report.about(code) if note.column == column.name]
    if not any(note.code == POINTS_OF_THREE or note.level == "warning" for note in notes):
        return column
    mark = column.form[7]
    raise DataError(
        f"column {column.name!r} of this table was read with the decimal mark {mark!r}, which is always followed by "
        f"three digits; in the model the decimal mark is {attribute.form[7]!r}; {READ_LIKE}"
    )


def _refuse_levels_read_as_missing(column: RawColumn, attribute: Attribute, report: Report) -> None:
    """Refuse missing values that may be tokens which the model knows as values of the attribute."""
    tokens = report.missing_tokens.get(column.name, frozenset()) - set(attribute.choices.missing)
    known = {*map(str, attribute.levels), *map(str, attribute.choices.known)}
    if attribute.kind == "text":
        known.update(NOT_A_NUMBER)
    if not (tokens & known) or not column.has_missing():
        return
    raise DataError(
        f"column {column.name!r} of this table has missing values, which may be {min(tokens & known)!r} in the file; "
        f"the model knows that as a value; {READ_LIKE}"
    )


def apply_choices(column: RawColumn, attribute: Attribute) -> RawColumn:
    """A column with the model's choices: tokens that are missing, and levels that go by the name of others."""
    choices = attribute.choices
    if not choices or column.choices == choices:
        return column
    if choices.missing:
        numbers = [number for token in choices.missing if (number := _maybe_number(token)) is not None]
        column = blank_values(column, choices.missing, numbers)
    return merge_levels(column, dict(choices.merge)) if choices.merge and column.values is None else column


def value_replacements(attribute: Attribute) -> dict[Label, Label | None]:
    """The same for who has no table: values of an attribute and what each is taken for, None for missing."""
    choices = attribute.choices
    if attribute.is_numeric:
        numbers = (_maybe_number(token) for token in choices.missing)
        return {number: None for number in numbers if number is not None}
    return {**dict.fromkeys(choices.missing), **dict(choices.merge)}


def _rename_column(column: RawColumn, name: str) -> RawColumn:
    return replace(column, name=name)


def _build_table(schema: Schema, raw: RawTable, table: Table) -> Table:
    """Each column as the schema wants it."""
    target = schema.target if schema.target is not None and schema.target.name in raw.names else None
    weight = (
        table.schema.weight if table.schema.weight not in (*schema.names, target and target.name) else None
    )
    aligned = Schema(schema.attributes, target, weight)
    names = [attribute.name for attribute in aligned.numeric]
    columns = dict(raw.columns)
    for attribute in (*aligned.nominal, *aligned.text):
        if attribute.name in columns:
            columns[attribute.name] = columns[attribute.name].as_written(attribute.levels)
            _refuse_levels_read_as_missing(columns[attribute.name], attribute, table.report)
    for name in _read_otherwise(table, aligned):
        columns[name] = _read_again(columns[name], aligned[name], table.report)
    if aligned.has_choices:
        for attribute in (*aligned.attributes, *([target] if target is not None else ())):
            if attribute.name in columns:
                columns[attribute.name] = apply_choices(columns[attribute.name], attribute)
    place = {name: j for j, name in enumerate(raw.matrix_names)}
    for name, j in place.items():
        # A model may know levels, or a target, where the rows came sparse: those few are written out.
        if name in raw.names and name not in names:
            columns[name] = RawColumn(name, "numeric", values=sparse.column_from(raw.matrix, j))
    for attribute in (*aligned.numeric, *([target] if target is not None and target.is_numeric else [])):
        if attribute.name in columns:
            columns[attribute.name] = _numeric(columns[attribute.name], attribute.form)
    block = None if raw.matrix is None else sparse.choose_columns(raw.matrix, place, columns, names)
    labels: Codes | None = None
    response: Floats | None = None
    if target is not None and target.is_nominal:
        labels = columns[target.name].to_codes(target.levels)
    elif target is not None:
        response = columns[target.name].to_floats()
    return Table(
        aligned,
        len(table),
        numeric=[columns[name].to_floats() for name in names] if block is None else (),
        nominal=[columns[attribute.name].to_codes(attribute.levels) for attribute in aligned.nominal],
        text=[columns[attribute.name].to_strings() for attribute in aligned.text],
        sparse=block,
        labels=labels,
        response=response,
        weights=table.weights,
        report=table.report,
    )


def _numeric(column: RawColumn, form: str) -> RawColumn:
    """A column as numbers, of texts what they say in the model's form; or a sentence that names the first other."""
    if column.values is not None:
        return column
    held = column.levels if column.strings is None else column.strings
    by_text = {value: number_in(value, form) for value in dict.fromkeys(held) if value is not None}
    for value, number in by_text.items():
        if number is None:
            raise DataError(
                f"column {column.name!r} holds {value!r}, but in the model it is {known_as(form)}, "
                f"or use {messages.option('missing', value)} when you read the table."
            )
    numbers: Floats = np.array(
        [np.nan if v is None else by_text[v] for v in held] + [np.nan], dtype=np.float64
    )
    if column.codes is not None:
        return RawColumn(
            column.name, "numeric", values=numbers[np.where(column.codes >= 0, column.codes, -1)]
        )
    return RawColumn(column.name, "numeric", values=numbers[:-1])
