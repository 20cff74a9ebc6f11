"""Files of every format, spoiled: whatever is in them, they end in a table or in a sentence.

    SAMPLES    a small well-formed file of each format
    mutants    files made of them, the same for the same seed
    verdict    "table" or "sentence" (an error of acumen's own); anything else is raised as Foreign
    judged     verdicts counted by processes of their own, so that a crash and a hang are seen and told

Laws: only acumen's own errors; the parts of `scan` are the table of `read`; no crash, no hang, bounded memory.

By hand:  PYTHONPATH=src:tests python -m fuzz.formats COUNT [SEED [FORMAT]]
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import random
import resource
import signal
import sqlite3
import struct
import sys
import tempfile
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import acumen
from acumen.data.concat import concat
from acumen.errors import AcumenError
from fuzz.workers import run_worker

#: Seconds one file may take, and bytes of address space a process may have.
LIMIT = 20
MEMORY = 6 << 30
CSV = (
    "size,colour,note,y\n" + '1.5,red,the quick fox,yes\n2,green,,no\n?,blue,"a, b",yes\n-3e4,red,x,no\n' * 3
)
ARFF = (
    "% a comment\n@relation r\n@attribute size numeric\n@attribute colour {red,green,'b l'}\n"
    "@attribute note string\n@attribute day date yyyy-MM-dd\n@attribute y {yes,no}\n@data\n"
    + "1.5,red,'a b',2020-01-02,yes\n?,green,?,?,no\n-2,'b l',x,1999-12-31,yes\n"
    * 8
)
SPARSE = (
    "@relation r\n@attribute a numeric\n@attribute b {x,y,z}\n@attribute s string\n@attribute y {no,yes}\n@data\n"
    + "{0 1.5, 1 y, 3 yes}\n{}\n{0 -2, 2 hello}\n{1 z, 3 yes}\n" * 6
)
JSONL = '{"a": 1, "b": "x", "c": true}\n{"a": 2.5, "b": null}\n{"c": false, "d": "late", "a": -1e3}\n'
SVM = "+1 1:0.5 4:2 # first\n-1 2:1 3:-4e2\n1 qid:7 1:3\n"
BASKET = "bread,milk,class=regular\nbeer,bread\nbeer,crisps,class=once\n"
FIXED = "name   age city\nann     23 New York\nbobby  107 Rome\ncy       9 Ur\n"


def _arrow_table() -> Any:
    import pyarrow as pa

    words = pa.array(["x", "y", "x", None] * 5)
    return pa.table({"dose": [1.5, 2.0, None, 4.0] * 5, "word": ["a", "bb", "ccc", None] * 5, "n": list(range(20)),
                     "kind": words.dictionary_encode(), "flag": [True, False, None, True] * 5})  # fmt: skip


def _ipc(stream: bool) -> bytes:
    import pyarrow as pa

    sink, made = io.BytesIO(), _arrow_table()
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, made.schema) as writer:
        writer.write_table(made, max_chunksize=8)
    return sink.getvalue()


def _parquet() -> bytes:
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(_arrow_table(), sink, row_group_size=8, compression="none")
    return sink.getvalue()


def _sqlite() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.db")
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE t (a INTEGER, b TEXT, c REAL)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [(i, f"w{i % 3}", i / 2) for i in range(30)])
        connection.commit()
        connection.close()
        return path.read_bytes()


def _xlsx() -> bytes:
    from data.test_sheets import workbook

    rows = [["size", "colour", "day", "y"], [1.5, "red", ("date", 43831), True], [2, "green", None, False]]
    with tempfile.TemporaryDirectory() as folder:
        return _zipped(_members(workbook(Path(folder, "t.xlsx"), {"a": rows + rows[1:] * 4}).read_bytes()))


def _members(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def _zipped(members: dict[str, bytes]) -> bytes:
    """An archive with right checksums, the same whenever it is written."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return sink.getvalue()


#: Suffix -> the bytes of a sound file.
SAMPLES: dict[str, Callable[[], bytes]] = {
    "csv": CSV.encode,
    "arff": ARFF.encode,
    "sparse.arff": SPARSE.encode,
    "jsonl": JSONL.encode,
    "svm": SVM.encode,
    "basket": BASKET.encode,
    "fwf": FIXED.encode,
    "parquet": _parquet,
    "arrow": lambda: _ipc(False),
    "arrows": lambda: _ipc(True),
    "db": _sqlite,
    "csv.gz": lambda: gzip.compress(CSV.encode(), mtime=0),
    "csv.bz2": lambda: bz2.compress(CSV.encode()),
    "csv.xz": lambda: lzma.compress(CSV.encode()),
    "xlsx": _xlsx,
}
_BINARY = ("parquet", "arrow", "arrows", "db", "csv.gz", "csv.bz2", "csv.xz", "xlsx")
_PACKED = {"csv.gz": gzip.compress, "csv.bz2": bz2.compress, "csv.xz": lzma.compress}
#: What means something to some reader.
_TOKENS = [t.encode() for t in (
    ",", ";", "\t", "\n", "\r\n", "\r", '"', '""', "'", "{", "}", "{}", "[", "]", ":", "?", "NA", "nan", "inf", "-inf",
    "1e400", "-1", "0", "99999999999999999999", "0x10", "1.234,5", "\ufeff", "\u202e", "é", "%", "#", "@data\n",
    "@attribute q numeric\n", "@attribute s string\n", "@end", "null", "true", "NaN", '{"a": [1]}\n',
    '{"a": 1, "a": 2}\n',
    "1:1", "2000001:1", "qid:", "class=", "sep=;\n", "12%", "1'234", "{0 1, 1 y}\n", "{2 hello}\n", " ", "  ", "\\",
)] + [b"\0", b"\xff\xfe", b"\xff", b"\x80", b"\xc3", b"\x1f\x8b", b"BZh", b"PK\x03\x04"]  # fmt: skip
_WORDS = (0, 1, 2, 7, 255, 4096, 0x10000, 0x70000000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


@cache
def _sound(form: str) -> bytes:
    return SAMPLES[form]()


def mutants(form: str, seed: int, count: int) -> Iterator[tuple[int, bytes]]:
    """Numbers and bytes of spoiled files; each is the same whichever are asked for with it."""
    sound = _sound(form)
    for number in range(seed, seed + count):
        rng = random.Random(f"{form} {number}")
        made = bytearray(sound)
        for _ in range(rng.choice((1, 1, 1, 1, 2, 4))):
            change = rng.choice(_ON_BYTES if form in _BINARY else _ON_BYTES + _ON_LINES * 3)
            made = bytearray(change(made, rng))
        if form in _PACKED and rng.random() < 0.5:  # a sound archive of a spoiled text
            inner, pack = next(iter(mutants("csv", number, 1)))[1], _PACKED[form]
            made = bytearray(pack(inner) + (pack(CSV.encode()) if rng.random() < 0.3 else b""))
        elif form == "xlsx" and rng.random() < 0.7:  # a sound archive, one of its documents spoiled
            members = _members(sound)
            name = rng.choice(list(members))
            change = rng.choice(_ON_BYTES + _ON_LINES)
            made = bytearray(_zipped(members | {name: bytes(change(bytearray(members[name]), rng))}))
        yield number, bytes(made)


# -- changes ----------------------------------------------------------------------------------------------


def _flipped(made: bytearray, rng: random.Random) -> bytearray:
    if made:
        made[rng.randrange(len(made))] ^= 1 << rng.randrange(8)
    return made


def _word(made: bytearray, rng: random.Random) -> bytearray:
    if len(made) >= 8:
        at = rng.randrange(len(made) // 4 - 1) * 4
        form = rng.choice(("<I", ">I", "<Q", "<H"))
        value = rng.choice(_WORDS) % (1 << 8 * struct.calcsize(form))
        made[at : at + struct.calcsize(form)] = struct.pack(form, value)
    return made


def _token(made: bytearray, rng: random.Random) -> bytearray:
    at = rng.randrange(len(made) + 1)
    made[at : at + rng.choice((0, 0, 1, 3))] = rng.choice(_TOKENS)
    return made


def _cut(made: bytearray, rng: random.Random) -> bytearray:
    at = rng.randrange(len(made) + 1)
    return made[:at] if rng.random() < 0.6 else made[at:]


def _repeated(made: bytearray, rng: random.Random) -> bytearray:
    at = rng.randrange(len(made) + 1)
    piece = made[at : at + rng.randrange(1, 40)]
    return made[:at] + piece * rng.choice((2, 3, 50)) + made[at + len(piece) :]


def _lines(change: Callable[[list[bytes], int, random.Random], None]) -> Callable[..., bytearray]:
    def changed(made: bytearray, rng: random.Random) -> bytearray:
        lines = bytes(made).splitlines(keepends=True)
        if lines:
            change(lines, rng.randrange(len(lines)), rng)
        return bytearray(b"".join(lines))

    return changed


def _drop(lines: list[bytes], at: int, rng: random.Random) -> None:
    del lines[at]


def _double(lines: list[bytes], at: int, rng: random.Random) -> None:
    lines[at:at] = [lines[at]] * rng.choice((1, 2, 300))


def _swap(lines: list[bytes], at: int, rng: random.Random) -> None:
    other = rng.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]


def _fields(lines: list[bytes], at: int, rng: random.Random) -> None:
    """A field left out, doubled, or put in the place of another."""
    mark = rng.choice((b",", b" ", b":", b'"'))
    fields = lines[at].split(mark)
    j = rng.randrange(len(fields))
    fields[j : j + rng.choice((0, 1))] = rng.choice(
        ([], [fields[j]] * 2, [rng.choice(_TOKENS)], [fields[-1]])
    )
    lines[at] = mark.join(fields)


_ON_BYTES = (_flipped, _word, _token, _cut, _repeated)
_ON_LINES = tuple(_lines(change) for change in (_drop, _double, _swap, _fields))


# -- verdicts ---------------------------------------------------------------------------------------------


class Foreign(AssertionError):  # noqa: N818
    """The promise is broken: an exception that is not acumen's own, or parts that are not the table."""


def verdict(path: Path, options: dict[str, Any]) -> str:
    """What becomes of a file; both ways of reading it must say the same."""
    whole, refused = _asked(lambda: acumen.read(path, **options))
    parts, also = _asked(lambda: concat(list(acumen.scan(path, rows=4, **options))))
    if (whole is None) != (parts is None):
        # pyarrow looks at the type of a damaged chunk when some columns are read, and not when all are: whoever
        # scans is told, and nobody gets other values.
        if (
            path.suffix == ".parquet" and "is damaged" in also + refused
        ) or "cannot be read as a Parquet" in also:
            return "told by one"
        raise Foreign(f"read says {refused or 'a table'}, and scan {also or 'a table'}")
    if whole is None:
        return "sentence"
    if whole.schema != parts.schema:
        raise Foreign(f"scan has another schema: {parts.schema} for {whole.schema}")
    different = parts.difference(whole)
    if different is not None:
        raise Foreign(f"scan differs from read: {different}")
    return "table"


def _asked(ask: Callable[[], Any]) -> tuple[Any, str]:
    try:
        return ask(), ""
    except AcumenError as error:
        said = str(error)
        if not said.strip() or "\n" in said.strip():
            raise Foreign(f"no sentence: {said!r}") from None
        return None, said
    except Exception as error:
        raise Foreign(f"{type(error).__name__}: {error}") from error


def judged(form: str, seed: int, count: int) -> tuple[Counter[str], list[str]]:
    """Counts of verdicts, and what was wrong with which file, of one format or ("") of all in turn."""
    return run_worker("fuzz.formats", [form], seed, count, form or "file")


def _hung(*_: Any) -> None:
    raise Foreign(f"it took more than {LIMIT} seconds")


def _files(form: str, seed: int, count: int) -> Iterator[tuple[int, str, bytes]]:
    """Numbers, formats and bytes; without a format, the first spoiled file of each, then the second of each."""
    if form:
        for number, data in mutants(form, seed, count):
            yield number, form, data
        return
    kinds = list(SAMPLES)
    for number in range(seed, seed + count):
        kind = kinds[number % len(kinds)]
        yield number, kind, next(mutants(kind, number // len(kinds), 1))[1]


def _work(form: str, seed: int, count: int) -> None:
    warnings.simplefilter("ignore")
    if "asan" not in os.environ.get(
        "LD_PRELOAD", ""
    ):  # which takes terabytes of addresses, and limits memory itself
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, _hung)  # by the processor: others may be at work too
    with tempfile.TemporaryDirectory() as folder:
        for number, kind, data in _files(form, seed, count):
            path = Path(folder, f"t.{kind}")
            path.write_bytes(data)
            options: dict[str, Any] = {"target": -1} if number % 3 == 0 and kind != "svm" else {}
            signal.setitimer(signal.ITIMER_PROF, LIMIT)
            try:
                said, why = verdict(path, options), ""
            except Foreign as error:
                said, why = "foreign", f"{kind} {options or ''} {error}"[:400]
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            print(json.dumps([number, said, why]), flush=True)


def main(words: list[str]) -> int:
    """Spoil COUNT files of each format, or of one, and tell the counts."""
    if words[:1] == ["--worker"]:
        _work(words[1], int(words[2]), int(words[3]))
        return 0
    count, seed = int(words[0]), int(words[1]) if len(words) > 1 else 0
    total: Counter[str] = Counter()
    for form in words[2:3] or SAMPLES:
        counts, wrong = judged(form, seed, count)
        total += counts
        print(f"{form:<12}", "  ".join(f"{name} {n:,}" for name, n in sorted(counts.items())), flush=True)
        for line in wrong[:20]:
            print("   ", line)
    print("all         ", "  ".join(f"{name} {n:,}" for name, n in sorted(total.items())))
    return int(bool(total["foreign"] or total["died"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
