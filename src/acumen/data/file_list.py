"""Several files as one table: their rows one after another, under one schema.

    files_of     a list of paths or a pattern -> the paths, in order; None for any other source
    scan_files   the parts of each file -> Parts of all
    read_files   the same as one table in memory

Each file is scanned separately, and the shared schema is found as for planned parts (`shared_schema`), so that a
pattern, a list of paths and a plan of the same files give the same model. A file that was read differently is scanned
again. A file with a header but no rows adds nothing.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from acumen.data.align import align
from acumen.data.concat import concat, recut
from acumen.data.databases.address import is_address
from acumen.data.joint_columns import names_of
from acumen.data.located import Located, Narrowed
from acumen.data.parts import Parts
from acumen.data.report import Report
from acumen.data.schema import Schema
from acumen.data.shared_schema import agree, scan_unaligned
from acumen.data.table import Table
from acumen.errors import DataError, did_you_mean


def files_of(source: Any) -> list[str] | None:
    """The files that a list of paths or a pattern (`data/*.csv`) means; None where it is neither."""
    if (
        isinstance(source, (list, tuple))
        and source
        and all(isinstance(s, (str, os.PathLike)) for s in source)
    ):
        return [path for each in source for path in (files_of(each) or [os.fspath(each)])]
    if not isinstance(source, (str, os.PathLike)):
        return None
    text = os.fspath(source)
    if not isinstance(text, str) or not glob.has_magic(text) or is_address(text) or "\n" in text:
        return None
    if Path(text).exists():
        return None
    matches = sorted(glob.glob(str(Path(text).expanduser()), recursive=True))  # noqa: PTH207 - ** and ~ as shells have them
    if not matches:
        raise DataError(f"read: no file matches {text!r}.")
    return matches


def scan_files(
    paths: Sequence[str], options: Mapping[str, Any], scan: Callable[..., Parts], rows: int
) -> Parts:
    """The rows of all files, in parts of `rows`; `scan` takes a path and options of `acumen.scan`."""
    files = [(path, partial(scan, path)) for path in paths]
    agreed = agree(files, **{name: _lasting(value) for name, value in options.items()})
    schema = agreed.schema
    each: list[tuple[str, Parts]] = []
    for (path, way), survey in zip(files, agreed.surveys, strict=True):
        if survey is not None:
            if not _reads_as(survey.schema, schema):
                survey = scan_unaligned(way, schema, agreed.options, path)
            _require_carried(path, survey.schema, schema)
            each.append((path, survey))
    report = Report(f"{paths[0]} and {len(paths) - 1} more files" if len(paths) > 1 else paths[0])
    for path, parts in each:
        report.notes += [replace(note, text=f"{path}: {note.text}") for note in parts.report]
    bring = partial(align_file, schema=schema)

    def tables() -> Iterator[Table]:
        for table in recut(map(bring, chain.from_iterable(parts for _, parts in each)), rows):
            table.report = report
            yield table

    alike = all(parts.schema.columns == schema.columns and parts.cells is not None for _, parts in each)
    places = [parts.located for _, parts in each]
    located = None
    if all(place is not None for place in places):
        located = SeveralFiles(
            tuple(Narrowed(place, schema, bring) for place in places if place is not None), alike
        )
    return Parts(
        schema, report, sum(parts.n_rows for _, parts in each), rows, tables,
        (lambda: chain.from_iterable(parts.source_cells() for _, parts in each)) if alike else None, located,
    )  # fmt: skip


def read_files(paths: Sequence[str], options: Mapping[str, Any], scan: Callable[..., Parts]) -> Table:
    """The rows of all files as one table."""
    parts = scan_files(paths, options, scan, 1 << 20)
    table = concat(list(parts))
    table.report = parts.report
    return table


def _lasting(value: Any) -> Any:
    """What can be gone through once for every file."""
    return tuple(value) if isinstance(value, Iterator) else value


@dataclass(frozen=True)
class SeveralFiles(Located):
    """The stretches of all files, one file after another."""

    files: tuple[Located, ...]
    alike: bool = False  # whether all files have the same columns in the same order

    @property
    def name(self) -> str:
        return f"{self.files[0].name} and {len(self.files) - 1} more files"

    @property
    def schema(self) -> Schema:
        return self.files[0].schema

    @property
    def sizes(self) -> Sequence[int]:
        return [size for file in self.files for size in file.sizes]

    def tables(self, first: int, last: int) -> Iterator[Table]:
        for file, begin, end in self._files(first, last):
            yield from file.tables(begin, end)

    def _files(self, first: int, last: int) -> Iterator[tuple[Located, int, int]]:
        """The files that hold some stretches, and which of its own these are."""
        at = 0
        for file in self.files:
            n = len(file.sizes)
            if first < at + n and last > at:
                yield file, max(first - at, 0), min(last - at, n)
            at += n

    def cells(self, first: int, last: int) -> Iterator[Sequence[Any]]:
        if not self.alike:  # nobody wrote such rows
            yield from super().cells(first, last)
            return
        for file, begin, end in self._files(first, last):
            yield from file.cells(begin, end)

    def where(self, begin: int, end: int) -> str:
        places, at = [], 0
        for file in self.files:
            n = file.n_rows
            if begin < at + n and end > at:
                places.append(file.where(max(begin - at, 0), min(end - at, n)))
            at += n
        return " and ".join(
            places if len(places) < 4 else [places[0], f"{len(places) - 2} more files", places[-1]]
        )


# -- one schema -----------------------------------------------------------------------------------


def _reads_as(file_schema: Schema, schema: Schema) -> bool:
    """Whether a file was read as the schema of all has it, but for levels, which can be told apart afterwards."""
    names = names_of(schema)
    if set(names) != set(names_of(file_schema)):
        return False
    return all(
        (one.kind, one.form, one.choices) == (other.kind, other.form, other.choices)
        for one, other in ((file_schema[name], schema[name]) for name in names)
    )


def _require_carried(path: str, file_schema: Schema, schema: Schema) -> None:
    """A sentence where a file lacks a column that is only carried along."""
    for attribute in schema.ignored:
        if attribute not in file_schema.ignored:
            raise DataError(
                f"{path} has no column {attribute.name!r}, which the first of the files has; files of one table have "
                f"the same columns.{did_you_mean(attribute.name, file_schema.columns)}"
            )


def align_file(table: Table, schema: Schema) -> Table:
    """The rows of one file under the schema of all."""
    if table.schema == schema and _reads_as(table.schema, schema):  # `==` does not look at forms and choices
        return table
    aligned = align(table, schema)
    order = [table.schema.ignored.index(attribute) for attribute in schema.ignored]
    return aligned.replace(
        schema=schema, ignored=[table.ignored[place] for place in order], report=table.report
    )
