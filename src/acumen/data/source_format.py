"""The format of a source by its address, suffix or first bytes; no reader is imported to find out.

module_for    anything -> the module of this room that reads it, or None: then its text must be looked at more closely
"""

from __future__ import annotations

from typing import Any

from acumen.data.databases.address import is_database
from acumen.data.files import head_of, suffix_of

SQL, ARROW = "acumen.data.databases.sql", "acumen.data.batches.arrow_files"
DELIMITED = "acumen.data.delimited.reader"
PARQUET_SUFFIXES = (".parquet", ".pq")
PARQUET_BEGINS = b"PAR1"
#: By suffix, in lower case, whatever the compression.
SUFFIXES = {
    **dict.fromkeys((*PARQUET_SUFFIXES, ".arrow", ".feather", ".ipc", ".arrows"), ARROW),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "acumen.data.batches.jsonl"),
    **dict.fromkeys((".svm", ".svmlight", ".libsvm"), "acumen.data.batches.svmlight"),
    **dict.fromkeys((".basket", ".baskets"), "acumen.data.batches.baskets"),
    **dict.fromkeys((".csv", ".tsv"), DELIMITED),
    ".fwf": "acumen.data.delimited.fixed",
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "acumen.data.delimited.sheets"),
}
_BEGINS = {b"SQLite format 3\0": SQL, PARQUET_BEGINS: ARROW, b"ARROW1\0\0": ARROW}


def module_for(source: Any) -> str | None:
    """The name of the module that reads this; an SQLite file is one whatever it is called."""
    if isinstance(source, str) and is_database(source):
        return SQL
    head = head_of(source)
    by_start = next((module for start, module in _BEGINS.items() if head.startswith(start)), None)
    return by_start or SUFFIXES.get(suffix_of(source))
