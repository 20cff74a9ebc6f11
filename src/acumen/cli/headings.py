"""The names of a table's columns from its first lines, in a moment: what the Tab key may take.

    headings("customers.csv")    ["age", "town", ...], or none where they cannot be told so quickly

Nothing of acumen's readers is imported, which know better and take longer: text with a first line of names, ARFF,
JSON lines, SQLite files of one table, each also gzipped where it is text. Anything else has no names here.
"""

from __future__ import annotations

from pathlib import Path

from acumen.data.formats import FORMATS

#: The names of more columns than this are nothing to choose from, and a first line longer than this is no line.
_MOST_COLUMNS, _MOST_BYTES = 5_000, 1 << 20
_DELIMITERS = ",;\t|"


def headings(data: str, delimiter: str | None = None) -> list[str]:
    """The names of the columns of DATA as it stands on a command line."""
    try:
        return _headings(data, delimiter)[:_MOST_COLUMNS]
    except (OSError, ValueError, EOFError):
        return []


def _headings(data: str, delimiter: str | None) -> list[str]:
    if data.startswith("sqlite:///"):
        return _of_sqlite(Path(data.removeprefix("sqlite:///")))
    path = Path(data)
    if not path.is_file():  # not a pipe either: it would be read empty
        built_in = Path(__file__).parents[1] / "datasets" / "tables" / f"{path.name}.arff"
        return _of_arff(_lines(built_in)) if data == path.name and built_in.is_file() else []
    name = path.name.lower().removesuffix(".gz")
    if name.endswith((".db", ".sqlite", ".sqlite3")):
        return _of_sqlite(path)
    where = _where(name)
    if where is None:
        return []
    lines = _lines(path)
    if where == "arff":
        return _of_arff(lines)
    if where == "json":
        return _of_json(lines)
    return _of_text(lines, delimiter)


def _where(name: str) -> str | None:
    """Where a file of this name has the names of its columns; a format that nothing declares is delimited text."""
    for each in FORMATS.values():
        if name.endswith((*each.suffixes, *each.usual_suffixes)):
            return each.headings
    return None if name.endswith(".zip") else "delimited"


def _lines(path: Path) -> list[str]:
    """Whole lines from the beginning of a file."""
    with path.open("rb") as file:
        head = file.read(2)
    if head == b"\x1f\x8b":
        import gzip

        with gzip.open(path) as file:
            data = file.read(_MOST_BYTES)
    else:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data[: len(data) & ~1].decode("utf-16", errors="replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:  # also where the last character is cut
            text = data.decode("utf-8-sig" if len(data) == _MOST_BYTES else "cp1252", errors="replace")
    lines = text.splitlines()
    return lines[:-1] if len(data) == _MOST_BYTES else lines


def _of_text(lines: list[str], delimiter: str | None) -> list[str]:
    """The first record, where every field of it is a name."""
    import csv

    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    mark = {"tab": "\t", "\\t": "\t", "space": " "}.get(delimiter or "", delimiter)
    if mark is None:
        counted = {each: len(next(csv.reader([first], delimiter=each), [])) for each in _DELIMITERS}
        mark = max(counted, key=lambda each: counted[each])
        if counted[mark] < 2 and first.split() != [first]:
            mark = " "
    if len(mark) != 1:
        return []
    fields = next(csv.reader([first], delimiter=mark, skipinitialspace=True), [])
    names = [field.strip() for field in fields]
    return names if names and not any(_is_number(name) or not name for name in names) else []


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _of_arff(lines: list[str]) -> list[str]:
    names = []
    for line in lines:
        word, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        if word.lower() == "@data":
            break
        if word.lower() == "@attribute" and rest:
            quote = rest[0]
            names.append(rest[1:].partition(quote)[0] if quote in "'\"" else rest.split()[0])
    return names


def _of_json(lines: list[str]) -> list[str]:
    import json

    text = "\n".join(lines).lstrip()
    if text.startswith("["):  # an array of objects
        first_object, _ = json.JSONDecoder().raw_decode(text, text.index("{"))
    else:
        first_object = json.loads(text.partition("\n")[0] or "{}")
    return list(first_object) if isinstance(first_object, dict) else []


def _of_sqlite(path: Path) -> list[str]:
    """The columns of the only table of a file, which is opened to be read alone."""
    import sqlite3
    from contextlib import closing

    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as base:
            tables = [name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            if len(tables) != 1:
                return []
            quoted = tables[0].replace('"', '""')
            return [row[1] for row in base.execute(f'PRAGMA table_info("{quoted}")')]
    except sqlite3.Error:
        return []
