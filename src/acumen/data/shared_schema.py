"""Read several files as one table: find their shared schema, and scan each file with it.

    agree            files -> the schema of all their rows
    scan_like        a file and that schema -> its rows with this schema, in parts
    scan_unaligned   the same before `align` brings the rows under the schema

Each file is scanned separately, and `joint_columns` combines the results. Files that differ from the combined kinds are
scanned again with those kinds. Nothing is guessed: other columns, or dates in another order, are an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.data.align import ABSENT_ZERO, align
from acumen.data.joint_columns import (
    FileSchema,
    join_schemas,
    kind_of,
    names_of,
    require_columns,
    require_types,
    widest,
)
from acumen.data.parts import Parts
from acumen.data.report import Report
from acumen.data.request import resolve
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, HeaderAlone, did_you_mean
from acumen.types import UNKNOWN, Kind

#: Reads a source in parts under options of `acumen.scan`.
Scan = Callable[..., Parts]

#: Options about columns, which are already part of the shared schema.
_OF_COLUMNS = ("kinds", "levels", "merge")


@dataclass(frozen=True, slots=True)
class SharedSchema:
    """The schema of several files, and the options with which all are read."""

    schema: Schema
    options: Mapping[str, Any]
    #: The latest scan of each file; None for a file that has a header but no rows.
    surveys: tuple[Parts | None, ...]


@dataclass(slots=True)
class _ScannedFile:
    """One file: how it is scanned, and its latest scan."""

    name: str
    scan: Scan
    options: dict[str, Any]
    kinds: dict[str, Kind]
    parts: Parts

    @classmethod
    def of(cls, name: str, scan: Scan, options: dict[str, Any]) -> _ScannedFile:
        return cls(name, scan, options, {}, scan(**options))

    @property
    def file_schema(self) -> FileSchema:
        return FileSchema(self.name, self.parts.schema, self.parts.n_rows, self.kinds, self.parts.typed)

    def look_again(self, kinds: Mapping[str, Kind]) -> bool:
        """Scan the file again if its kinds differ from these; returns whether they did."""
        wrong = {name: kind for name, kind in kinds.items() if self.parts.schema[name].kind != kind}
        if not wrong:
            return False
        self.kinds |= wrong
        self.parts = self.scan(**{**self.options, "kinds": {**self.options.get("kinds", {}), **self.kinds}})
        return True


def agree(files: Sequence[tuple[str, Scan]], **options: Any) -> SharedSchema:
    """Find the shared schema of several files, each given by its name and a function that scans it.

    `options` are those of `acumen.scan`. Positions of columns refer to the first file.
    """
    merge = options.pop("merge", None) or {}
    first, behind = _first(files, options)
    names = first.parts.schema.columns
    if date_parts := options.get("date_parts"):
        several = (date_parts,) if isinstance(date_parts, str) else tuple(date_parts)
        names = tuple(name for name in names if name.rpartition(".")[0] not in several)
    named = by_name(_by_role(options, first.parts.schema), names)
    merged = by_name({"merge": merge}, names)["merge"]
    others = [_maybe(name, scan, dict(named)) for name, scan in behind]
    every = [*[None] * (len(files) - len(behind) - 1), first, *others]
    present = [file for file in every if file is not None]
    first.options = dict(named)
    for file in present[1:]:
        _same_columns(first, file)
    first = present[widest([file.file_schema for file in present])]
    kinds = {**named.get("kinds", {}), **dict.fromkeys(named.get("levels", {}), None)}
    for name in names_of(first.parts.schema):
        if name not in kinds and name not in merged:
            require_types(name, [file.file_schema for file in present])
    wishes: dict[str, Kind] = dict.fromkeys(merged, "nominal")
    for file in present:
        file.look_again(wishes)
    # A column may turn from numbers to levels, and from levels to text: no further.
    for _ in range(3):
        wishes = {}
        for name in names_of(first.parts.schema):
            if name not in kinds and (
                kind := kind_of(name, [f.file_schema for f in present], name in merged)
            ):
                wishes[name] = kind
        again = [file.look_again(wishes) for file in present]
        if not any(again):
            break
    schema = join_schemas(
        first.parts.schema, [f.file_schema for f in present], merged, set(named.get("levels", {}))
    )
    surveys = tuple(None if file is None else file.parts for file in every)
    return SharedSchema(schema, {**named, "merge": merged} if merged else named, surveys)


def _maybe(name: str, scan: Scan, options: dict[str, Any]) -> _ScannedFile | None:
    """Scan a file; None if it has a header but no rows, so that its columns are unknown."""
    try:
        return _ScannedFile.of(name, scan, options)
    except HeaderAlone:
        return None


def _first(
    files: Sequence[tuple[str, Scan]], options: Mapping[str, Any]
) -> tuple[_ScannedFile, Sequence[tuple[str, Scan]]]:
    """The first file with rows, and those after it; if there is none, the error of the last one."""
    for i, (name, scan) in enumerate(files[:-1]):
        if (survey := _maybe(name, scan, dict(options))) is not None:
            return survey, files[i + 1 :]
    return _ScannedFile.of(*files[-1], dict(options)), ()


def scan_like(scan: Scan, schema: Schema, options: Mapping[str, Any], name: str) -> Parts:
    """Scan a file with the shared schema of several files.

    A level that the schema lacks is an error, unless the caller gave the levels: the file must have changed.
    """
    levelled = set(options.get("levels", {}))
    exact = Schema(schema.attributes, schema.target, options.get("weight"))
    try:
        survey = scan_unaligned(scan, schema, options, name)
    except HeaderAlone:
        return Parts(exact, Report(name), 0, 65_536, lambda: iter(()))

    def open_tables() -> Iterator[Table]:
        for part in survey.open():
            yield _under(align(part, schema), schema, levelled, name)

    return Parts(exact, survey.report, survey.n_rows, survey.rows, open_tables)


def scan_unaligned(scan: Scan, schema: Schema, options: Mapping[str, Any], name: str) -> Parts:
    """Scan a file with the kinds and formats of a schema; `align` can then bring its rows under it."""
    levelled = set(options.get("levels", {}))
    plain = {key: value for key, value in options.items() if key not in (*_OF_COLUMNS, "like")}
    levels = {a.name: a.levels for a in schema.nominal if a.levels and not a.choices.merge}
    kinds = {a.name: a.kind for a in schema.attributes if a.kind == "ordinal"}
    if schema.target is not None and schema.target.name in levelled:
        levels[schema.target.name] = schema.target.levels
    parts_of_dates = plain.get("date_parts", ())
    several = (parts_of_dates,) if isinstance(parts_of_dates, str) else tuple(parts_of_dates)
    derived = {n for n in levels if n.rpartition(".")[0] in several}
    declared = {"levels": {n: each for n, each in levels.items() if n not in derived}, "kinds": kinds}
    survey = scan(like=schema, **plain, **declared)
    wanted = [*schema.attributes, *([schema.target] if schema.target is not None else [])]
    absent = [a.name for a in wanted if a.name not in survey.schema]
    if absent and not survey.report.about(ABSENT_ZERO):
        raise DataError(
            f"{name} has no column {absent[0]!r}, which the other files have."
            f"{did_you_mean(absent[0], survey.schema.columns)}"
        )
    wrong = {
        a.name: a.kind for a in wanted if a.name in survey.schema and survey.schema[a.name].kind != a.kind
    }
    if wrong:
        survey = scan(like=schema, **plain, **{**declared, "kinds": {**kinds, **wrong}})
    return survey


def _under(table: Table, schema: Schema, levelled: set[str], name: str) -> Table:
    """The rows with exactly this schema, including the formats and choices of its attributes."""
    columns = list(table.nominal_columns())
    if table.labels is not None and schema.target is not None:
        columns.append((schema.target, table.labels))
    for attribute, codes in columns:
        if attribute.name not in levelled and codes.size and codes.min() == UNKNOWN:
            raise DataError(
                f"{name}: column {attribute.name!r} holds a value that none of the files had when they were planned; "
                "plan them again."
            )
    return table.replace(schema=Schema(schema.attributes, schema.target, table.schema.weight), ignored=())


def _by_role(options: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Replace target and weight in the options by names: positions count all columns, of which some may be left out."""
    changed = dict(options)
    if changed.get("target") is not None and schema.target is not None:
        changed["target"] = schema.target.name
    if changed.get("weight") is not None and schema.weight is not None:
        changed["weight"] = schema.weight
    return changed


def by_name(options: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Replace positions of columns in the options by names, because positions may differ between files."""
    renamed = dict(options)
    for key in ("target", "weight"):
        if renamed.get(key) is not None:
            renamed[key] = _column_name(renamed[key], names)
    if renamed.get("ignore"):
        ignored = renamed["ignore"]
        several = (ignored,) if isinstance(ignored, (str, int, np.integer)) else tuple(ignored)
        renamed["ignore"] = tuple(_column_name(column, names) for column in several)
    for key in ("kinds", "levels", "merge"):
        if renamed.get(key):
            renamed[key] = {_column_name(column, names): value for column, value in renamed[key].items()}
    return renamed


def _column_name(column: str | int, names: Sequence[str]) -> str:
    """The name of a column, which may have been left out on reading."""
    if isinstance(column, str) and not column.removeprefix("-").isdigit():
        return column  # the reader of the first file knew it
    return resolve(column, names)


def _same_columns(first: _ScannedFile, other: _ScannedFile) -> None:
    """Refuse two files with different columns."""
    if first.parts.report.about(ABSENT_ZERO) and other.parts.report.about(ABSENT_ZERO):
        return  # they list only what they hold
    require_columns(first.file_schema, other.file_schema)
