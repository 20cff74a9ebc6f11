"""Combine the columns of several files.

    FileSchema          the schema of a single file
    require_types       refuse files that state different types for a column
    kind_of             the kind of a column over all files, where it differs from that in each file
    join_schemas        the schema of all files, once they agree on kinds
    join_file_schemas   the same, with an error if they do not agree

Levels of all files are sorted in the usual order; it does not matter which file had a level first. If files state no
types, a column with numbers in one file and words in another holds words, as in a single file of both. Whether words
are levels or text is decided over all rows. Numbers of a target are classes if there are few over all files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from acumen import messages
from acumen.data.choices import Choices
from acumen.data.columns import MANY_CLASSES, _maybe_number, sorted_levels, string_kind
from acumen.data.schema import Attribute, Schema
from acumen.errors import DataError, SchemaMismatch, did_you_mean
from acumen.types import Kind, Label


@dataclass(frozen=True, slots=True)
class FileSchema:
    """The schema of a single file, with the number of its rows."""

    name: str
    schema: Schema
    rows: int
    kinds: Mapping[str, Kind]
    typed: frozenset[str] = frozenset()  # columns whose type the file states


def join_file_schemas(files: Sequence[tuple[str, Schema]], rows: Sequence[int], levelled: set[str]) -> Schema:
    """Join the schemas of files that were scanned separately, without reading them again.

    `levelled` are the columns whose levels the caller gave. A column whose kind over all files differs from its kind in
    one of them raises SchemaMismatch.
    """
    surveys = [FileSchema(name, schema, n, {}) for (name, schema), n in zip(files, rows, strict=True)]
    for other in surveys[1:]:
        require_columns(surveys[0], other)
    for name in names_of(surveys[0].schema):
        kind = None if name in levelled else kind_of(name, surveys, False)
        if kind is not None:
            kinds = {each.schema[name].kind: each.name for each in surveys}
            conflict = " and ".join(f"{one} in {where}" for one, where in kinds.items())
            raise SchemaMismatch(
                f"column {name!r} is {conflict}, but {kind} over all files; plan every part with "
                f"{messages.option('kinds', {name: kind})}."
            )
    return join_schemas(surveys[0].schema, surveys, {}, levelled)


def names_of(schema: Schema) -> tuple[str, ...]:
    return schema.names if schema.target is None else (*schema.names, schema.target.name)


def require_columns(first: FileSchema, other: FileSchema) -> None:
    mine, theirs = set(names_of(first.schema)), set(names_of(other.schema))
    for has, lacks, names in ((first, other, mine - theirs), (other, first, theirs - mine)):
        if names:
            column = min(names)
            raise DataError(
                f"{lacks.name} has no column {column!r}, but {has.name} has; files of one training set must have the "
                "same columns."
                f"{did_you_mean(column, lacks.schema.columns)}"
            )


def require_types(name: str, files: Sequence[FileSchema]) -> None:
    """Refuse two files that state different types for the same column."""
    seen: dict[str, str] = {}
    for file in files:
        if name in file.typed and name in file.schema and (what := _type_of(file.schema[name])):
            seen.setdefault(what, file.name)
    if len(seen) > 1:
        (one, first), (other, second) = list(seen.items())[:2]
        raise DataError(
            f"column {name!r} holds {one} in {first} but {other} in {second}. Use "
            f"{messages.option('kinds', {name: 'nominal'})} to read it as categories in all files, or "
            f"{messages.option('ignore', name)} to leave it out."
        )


def _type_of(attribute: Attribute) -> str:
    """The type of values in a column; empty if it has none."""
    if attribute.is_moment:
        return "times" if attribute.form.startswith("time") else "dates"
    if attribute.is_numeric:
        return "numbers"
    if attribute.kind == "text":
        return "text"
    types = {type(level) for level in attribute.levels}
    return "" if not types else "text" if str in types else "truth values" if types == {bool} else "numbers"


def widest(files: Sequence[FileSchema]) -> int:
    """The position of a file that has the columns of all files; the first, unless files list only what they hold."""
    every = {name for file in files for name in names_of(file.schema)}
    for i, file in enumerate(files):
        if len(names_of(file.schema)) == len(every):
            return i
    lacking = min(every - set(names_of(files[0].schema)))
    raise DataError(
        f"{files[0].name} has no column {lacking!r}, and no file has all columns; include one that does."
    )


def kind_of(name: str, files: Sequence[FileSchema], merged: bool) -> Kind | None:
    """The kind of a column over all files; None if each file has that kind already."""
    schemas = [file.schema for file in files if name in file.schema]
    attributes = [schema[name] for schema in schemas]
    kinds = {attribute.kind for attribute in attributes}
    target = schemas[0].target
    if target is not None and target.name == name:
        return _target_kind(attributes, kinds, merged)
    if kinds <= {"numeric"} or kinds == {"text"} or merged:
        return None
    if kinds & {"numeric", "text"}:
        is_text = any(file.kinds.get(name) == "text" for file in files)
        return "text" if is_text else "nominal"
    sets = [set(attribute.levels) for attribute in attributes]
    every = set().union(*sets)
    if "ordinal" in kinds or any(len(each) == len(every) for each in sets):
        return None
    blanks = sum(isinstance(level, str) and " " in level for level in every)
    rows = sum(file.rows for file in files)
    return None if string_kind(rows, len(every), blanks) == "nominal" else "text"


def _target_kind(attributes: Sequence[Attribute], kinds: set[Kind], merged: bool) -> Kind | None:
    """The kind of the target: numbers are classes if they are whole and few over all files."""
    if kinds == {"numeric"} or merged:
        return None
    levels = {level for attribute in attributes for level in attribute.levels}
    numbers = all(_number(level) is not None for level in levels)
    if "numeric" in kinds:
        return "numeric" if numbers else "nominal"
    if not numbers or len(levels) <= MANY_CLASSES:
        return None
    codes = any(isinstance(level, str) and len(level) > 1 and level.startswith("0") for level in levels)
    return None if codes else "numeric"


def _number(level: Label) -> float | None:
    if isinstance(level, bool):
        return None
    return _maybe_number(level) if isinstance(level, str) else float(level)


def join_schemas(
    schema: Schema,
    files: Sequence[FileSchema],
    merged: Mapping[str, Mapping[Label, Label]],
    levelled: set[str],
) -> Schema:
    """Join the schemas of all files; the order of columns is that of `schema`."""

    def join_attribute(attribute: Attribute) -> Attribute:
        name = attribute.name
        each = [(file, file.schema[name]) for file in files if name in file.schema]
        combined = replace(attribute, form=_form(name, each), choices=_choices(each))
        if not combined.is_nominal:
            return combined
        if name not in levelled:
            combined = combined.with_levels(_levels(name, each))
        return _with_merged(combined, merged[name]) if name in merged else combined

    attributes = tuple(map(join_attribute, schema.attributes))
    target = None if schema.target is None else join_attribute(schema.target)
    if target is not None and target.is_nominal and target.name not in (*levelled, *merged):
        _require_one_spelling(target)
    return Schema(attributes, target, schema.weight, schema.ignored, schema.columns)


def _form(name: str, each: Sequence[tuple[FileSchema, Attribute]]) -> str:
    """The format of the column's numbers, from the files that have one."""
    forms = {attribute.form: file for file, attribute in each if attribute.form}
    if len(forms) > 1:
        (one, mine), (other, theirs) = list(forms.items())[:2]
        raise DataError(
            f"column {name!r} has the format {one} in {mine.name} but {other} in {theirs.name}. Choose one with "
            f"{messages.option('date_order')} or {messages.dialect('decimal')}, or leave the column out with "
            f"{messages.option('ignore', name)}."
        )
    return next(iter(forms), "")


def _choices(each: Sequence[tuple[FileSchema, Attribute]]) -> Choices:
    choices = each[0][1].choices
    for _, attribute in each[1:]:
        if attribute.choices != choices:
            choices = choices + attribute.choices
    return choices


def _levels(name: str, each: Sequence[tuple[FileSchema, Attribute]]) -> tuple[Label, ...]:
    """The levels of all files: unchanged if they are the same everywhere, otherwise in the usual order."""
    declared = dict.fromkeys(attribute.levels for _, attribute in each)
    if len(declared) == 1:
        return next(iter(declared))
    every = dict.fromkeys(level for levels in declared for level in levels)
    if any(attribute.ordered for _, attribute in each):
        full = [levels for levels in declared if len(levels) == len(every)]
        if len(full) == 1 and all(_in_order(levels, full[0]) for levels in declared):
            return full[0]
        raise DataError(
            f"column {name!r} has its levels in different orders in these files; set their order with "
            f"{messages.option('levels', {name: list(every)})}."
        )
    return sorted_levels(every)


def _in_order(some: Sequence[Label], full: Sequence[Label]) -> bool:
    places = [full.index(level) for level in some]
    return places == sorted(places)


def _with_merged(attribute: Attribute, pairs: Mapping[Label, Label]) -> Attribute:
    """Merge levels of an attribute, as the reader of a single file does."""
    absent = [old for old in pairs if old not in attribute.levels]
    if absent:
        raise DataError(
            f"read: {messages.option('merge')} names {absent[0]!r} in column {attribute.name!r}, which has no "
            "such level." + did_you_mean(str(absent[0]), [str(level) for level in attribute.levels])
        )
    levels = sorted_levels(dict.fromkeys(pairs.get(level, level) for level in attribute.levels))
    choices = attribute.choices + Choices(merge=tuple(pairs.items()))
    return replace(attribute, levels=levels, choices=choices)


def _require_one_spelling(target: Attribute) -> None:
    """Refuse two spellings of one number in the target, which would be one class in a single file."""
    seen: dict[float, Label] = {}
    for level in target.levels:
        number = _number(level) if isinstance(level, str) else None
        if number is None or number != number:
            return
        if number in seen:
            raise DataError(
                f"the target {target.name!r} has {seen[number]!r} in one file and {level!r} in another, which are the "
                f"same number. Use {messages.option('merge', {target.name: {level: seen[number]}})}, or one spelling."
            )
        seen[number] = level
