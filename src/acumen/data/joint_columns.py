"""What several files say of their columns, put together.

    Said             what a file says of itself when it is looked at alone
    require_types    a sentence where files state two types for one column
    kind_of          what a column is in all files together, where that is not what each of them says
    joined_schema    the schema of all, once they agree on kinds
    join_file_schemas   the same, with a sentence where they do not

Levels of all files stand in the usual order: whoever had a level first plays no part. Where files state no types, a
column of numbers in one and of words in another is one of words, as in a file of both; words are levels or text by the
rule for all rows; numbers of a target are classes where they are few in all files.
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
    """What a file says of itself."""

    name: str
    schema: Schema
    rows: int
    kinds: Mapping[str, Kind]
    typed: frozenset[str] = frozenset()  # columns whose type the file states


def join_file_schemas(files: Sequence[tuple[str, Schema]], rows: Sequence[int], levelled: set[str]) -> Schema:
    """The schema of files that were looked at apart, `given` being the columns whose levels were; nobody looks again.

    A column that is something else in all files together than in one of them is a SchemaMismatch that says which.
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
                f"column {name!r} is {conflict}, and {kind} in all together; plan every part with "
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
                f"{lacks.name} has no column {column!r}, which {has.name} has; files that are learned from together "
                "have the same columns."
                f"{did_you_mean(column, lacks.schema.columns)}"
            )


def require_types(name: str, files: Sequence[FileSchema]) -> None:
    """A sentence where two files that state the types of their columns state two for one column."""
    seen: dict[str, str] = {}
    for file in files:
        if name in file.typed and name in file.schema and (what := _type_of(file.schema[name])):
            seen.setdefault(what, file.name)
    if len(seen) > 1:
        (one, first), (other, second) = list(seen.items())[:2]
        raise DataError(
            f"column {name!r} holds {one} in {first} and {other} in {second}; files of one table have the same types. "
            f"Say {messages.option('kinds', {name: 'nominal'})} to read it as categories in all of them, or "
            f"{messages.option('ignore', name)} to leave it out."
        )


def _type_of(attribute: Attribute) -> str:
    """What values a column holds; nothing where it has none."""
    if attribute.is_moment:
        return "times" if attribute.form.startswith("time") else "dates"
    if attribute.is_numeric:
        return "numbers"
    if attribute.kind == "text":
        return "text"
    types = {type(level) for level in attribute.levels}
    return "" if not types else "text" if str in types else "truth values" if types == {bool} else "numbers"


def widest(files: Sequence[FileSchema]) -> int:
    """Which file has the columns of all; the first, but where files name only what they hold."""
    every = {name for file in files for name in names_of(file.schema)}
    for i, file in enumerate(files):
        if len(names_of(file.schema)) == len(every):
            return i
    lacking = min(every - set(names_of(files[0].schema)))
    raise DataError(
        f"{files[0].name} names no column {lacking!r}, and no file names all columns; plan with one that does."
    )


def kind_of(name: str, files: Sequence[FileSchema], merged: bool) -> Kind | None:
    """What a column is in all files together; None where that is what each of them says."""
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
    """Numbers are classes where they are few in all files together, and whole."""
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
    """The schema of all files, their columns as in the one given."""

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
    """How its numbers are written, in the words of those files that tell."""
    forms = {attribute.form: file for file, attribute in each if attribute.form}
    if len(forms) > 1:
        (one, mine), (other, theirs) = list(forms.items())[:2]
        raise DataError(
            f"column {name!r} is written as {one} in {mine.name} and as {other} in {theirs.name}; say which, with "
            f"{messages.option('date_order')} or {messages.dialect('decimal')}, or leave it out with "
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
    """The levels of all files: as each has them if they are the same, else in the usual order."""
    declared = dict.fromkeys(attribute.levels for _, attribute in each)
    if len(declared) == 1:
        return next(iter(declared))
    every = dict.fromkeys(level for levels in declared for level in levels)
    if any(attribute.ordered for _, attribute in each):
        full = [levels for levels in declared if len(levels) == len(every)]
        if len(full) == 1 and all(_in_order(levels, full[0]) for levels in declared):
            return full[0]
        raise DataError(
            f"column {name!r} has levels in an order that the files do not agree on; give them with "
            f"{messages.option('levels', {name: list(every)})}."
        )
    return sorted_levels(every)


def _in_order(some: Sequence[Label], full: Sequence[Label]) -> bool:
    places = [full.index(level) for level in some]
    return places == sorted(places)


def _with_merged(attribute: Attribute, pairs: Mapping[Label, Label]) -> Attribute:
    """The attribute with levels that are one; the reader of a single file does the same."""
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
    """A sentence where files spell one number in two ways, which is one class in a single file."""
    seen: dict[float, Label] = {}
    for level in target.levels:
        number = _number(level) if isinstance(level, str) else None
        if number is None or number != number:
            return
        if number in seen:
            raise DataError(
                f"the target {target.name!r} is written {seen[number]!r} in one file and {level!r} in another; say "
                f"{messages.option('merge', {target.name: {level: seen[number]}})}, or write it in one way."
            )
        seen[number] = level
