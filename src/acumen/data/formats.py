"""The file formats acumen reads, each declared once.

    FORMATS       name -> Format: the module that reads it, its suffixes, how such a file begins
    SUFFIXES      suffix -> the module that reads it
    BEGINNINGS    first bytes -> the module that reads what begins so

To add a format, write a module with `read(source, request)` and `scan(source, request, rows)` and add a line here.
`read`, `Dialect`, the command line, shell completion and the studio derive what they offer from this table.
Nothing is imported here, so that completion stays fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

SQL, ARROW = "acumen.data.databases.sql", "acumen.data.batches.arrow_files"
DELIMITED = "acumen.data.delimited.reader"


@dataclass(frozen=True, slots=True)
class Format:
    """One file format."""

    name: str
    #: The module that reads it.
    reader: str
    #: Endings that decide, in lower case and without compression.
    suffixes: tuple[str, ...] = ()
    #: Endings that such files often have, which do not decide.
    usual_suffixes: tuple[str, ...] = ()
    #: First bytes that decide, whatever the file is called.
    beginnings: tuple[bytes, ...] = ()
    #: Whether its cells are text and nothing else, so that options such as `date_order` apply.
    is_text: bool = False
    #: Where shell completion finds the names of the columns; None: it does not look.
    headings: Literal["delimited", "arff", "json"] | None = None


FORMATS: Mapping[str, Format] = {
    format.name: format
    for format in (
        Format("arff", "acumen.data.arff.reader", usual_suffixes=(".arff",), headings="arff"),
        Format("arrow", ARROW, (".arrow", ".feather", ".ipc", ".arrows"), beginnings=(b"ARROW1\0\0",)),
        Format("basket", "acumen.data.batches.baskets", (".basket", ".baskets")),
        Format("binary", "acumen.data.delimited.binary"),
        Format(
            "delimited",
            DELIMITED,
            (".csv", ".tsv"),
            usual_suffixes=(".txt", ".data", ".tab"),
            is_text=True,
            headings="delimited",
        ),
        Format(
            "excel", "acumen.data.delimited.sheets", (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), is_text=True
        ),
        Format("fixed", "acumen.data.delimited.fixed", (".fwf",), is_text=True),
        Format("jsonl", "acumen.data.batches.jsonl", (".jsonl", ".ndjson", ".json"), headings="json"),
        Format("parquet", ARROW, (".parquet", ".pq"), beginnings=(b"PAR1",)),
        Format("svmlight", "acumen.data.batches.svmlight", (".svm", ".svmlight", ".libsvm")),
    )
}

SUFFIXES: Mapping[str, str] = {s: each.reader for each in FORMATS.values() for s in each.suffixes}
#: A database file is no format to choose: it is one whatever it is called.
BEGINNINGS: Mapping[bytes, str] = {
    b"SQLite format 3\0": SQL,
    **{start: each.reader for each in FORMATS.values() for start in each.beginnings},
}
