"""Where delimited text may come from, and in which encodings."""

from __future__ import annotations

import bz2
import codecs
import contextlib
import encodings.aliases
import gzip
import io
import lzma
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen import Dialect
from acumen.data.encoding import to_utf8
from acumen.data.files import open_source
from acumen.errors import DataError, ParameterError

TEXT = "name,n\nZoë,1\nŁukasz,2\n"


def names(source: Any, **options: Any) -> list[str]:
    return acumen.read(source, **options).column("name").tolist()


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".txt"])
def test_compression_is_told_by_the_content(tmp_path: Path, pack: Any, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    path.write_bytes(pack(TEXT.encode()))
    assert names(path) == names(str(path)) == ["Zoë", "Łukasz"]


def test_damaged_compression_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(TEXT.encode() * 1000)[:-20])
    with pytest.raises(DataError, match="compressed data are damaged or truncated"):
        acumen.read(path)


def test_open_files_are_read_from_where_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TEXT, encoding="utf-8")
    with path.open("rb") as binary, path.open(encoding="utf-8") as text:
        assert names(binary) == names(text) == ["Zoë", "Łukasz"]
    assert names(io.StringIO(TEXT)) == names(io.BytesIO(TEXT.encode())) == ["Zoë", "Łukasz"]
    later = io.BytesIO(b"skip me\n" + TEXT.encode())
    later.readline()
    assert names(later) == ["Zoë", "Łukasz"]


def test_a_compressed_open_file_is_unpacked() -> None:
    assert names(io.BytesIO(gzip.compress(TEXT.encode()))) == ["Zoë", "Łukasz"]


def test_a_text_file_decodes_itself(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("name,n\nZoë,1\nÅsa,2\n", encoding="cp1252")
    with path.open(encoding="cp1252") as text:
        assert names(text, dialect=Dialect(encoding="utf-16")) == ["Zoë", "Åsa"]


def test_standard_input_and_pipes_are_spooled(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(TEXT.encode())
    with os.fdopen(reading, "r", encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        parts = acumen.scan("-", rows=1)
        assert [part.column("name").tolist() for part in parts] == [["Zoë"], ["Łukasz"]]
        assert [len(part) for part in parts] == [1, 1]


def test_a_large_spool_goes_to_disk_and_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acumen.data.files._SPOOL_IN_MEMORY", 100)
    text = "a,b\n" + "1,2\n" * 5000
    parts = acumen.scan(io.StringIO(text), rows=2000)
    assert sum(len(part) for part in parts) == 5000


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"PK\x03\x04rest", "zip archive or an Excel workbook"),
        (b"PAR1rest", "Parquet"),
        (b"a,b\n1,\0\n", "line 2 holds a NUL byte"),
    ],
)
def test_what_is_no_text_is_refused_in_a_sentence(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=says):
        acumen.read(path)


def test_a_path_that_is_not_there_is_a_sentence_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "flowers.csv").write_text(TEXT, encoding="utf-8")
    with pytest.raises(DataError, match=r"there is no file .*flower.csv'. Did you mean 'flowers.csv'"):
        acumen.read(tmp_path / "flower.csv")
    with pytest.raises(DataError, match="is a directory"):
        acumen.read(tmp_path)
    with pytest.raises(DataError, match="there is no folder"):
        acumen.read(tmp_path / "nowhere" / "t.csv")
    with pytest.raises(DataError, match=r"wrap text in io\.StringIO"):
        acumen.read(TEXT)
    closed = io.StringIO(TEXT)
    closed.close()
    with pytest.raises(DataError, match="is closed"):
        acumen.read(closed)


# -- encodings -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "big-mark"]
)
def test_unicode_in_all_its_forms_is_told_by_its_beginning(encoding: str) -> None:
    data = codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be") if encoding == "big-mark" else TEXT.encode(encoding)
    table = acumen.read(io.BytesIO(data))
    assert table.schema.columns == ("name", "n") and table.column("name").tolist() == ["Zoë", "Łukasz"]


def test_latin_1_is_the_last_resort_with_a_warning_that_names_the_line() -> None:
    rows = "".join(f"plain,{i}\n" for i in range(200_000))
    table = acumen.read(io.BytesIO(f"name,n\n{rows}Zoë,5\n".encode("latin-1")))
    assert table.column("name")[-1] == "Zoë"
    (note,) = table.report.about("encoding")
    assert note.level == "warning" and note.lines == (200_002,)


def test_what_windows_writes_where_latin_1_has_controls_is_read() -> None:
    """A euro sign and curly quotes; the five bytes that Windows leaves open are what Latin-1 says."""
    data = b"price;word\n63,10 \x80;\x93gut\x94\n1.234,50 \x80;\x81\n7,00 \x80;\xfc\n"
    table = acumen.read(io.BytesIO(data))
    assert table.column("price").tolist() == [63.1, 1234.5, 7.0]
    assert table.column("word").tolist() == ["\u201cgut\u201d", "\x81", "ü"]
    (note,) = table.report.about("encoding")
    assert note.level == "warning" and note.lines == (2,)
    with pytest.raises(DataError, match="line 3 holds bytes that are not cp1252"):
        acumen.read(io.BytesIO(data), dialect=Dialect(encoding="windows-1252"))


def test_a_stated_encoding_is_binding() -> None:
    data = "name,n\nxyz,0\nZoë,1\n".encode("latin-1")
    assert names(io.BytesIO(data), dialect=Dialect(encoding="latin-1")) == ["xyz", "Zoë"]
    for encoding in ("utf-8", "ascii"):
        with pytest.raises(DataError, match="line 3 holds bytes that are not"):
            acumen.read(io.BytesIO(data), dialect=Dialect(encoding=encoding))
    with pytest.raises(ParameterError, match="'latin-99' is no encoding Python knows"):
        acumen.read(io.BytesIO(data), dialect=Dialect(encoding="latin-99"))


def test_utf_16_without_a_mark_says_what_to_name() -> None:
    data = "name,n\nxyz,0\n".encode("utf-16-le")
    with pytest.raises(DataError, match=r"no byte-order mark.*'utf-16-le' or 'utf-16-be'"):
        acumen.read(io.BytesIO(data), dialect=Dialect(encoding="utf-16"))
    assert names(io.BytesIO(data), dialect=Dialect(encoding="utf-16-le")) == ["xyz"]


ENCODINGS = sorted(
    {
        *encodings.aliases.aliases,
        *encodings.aliases.aliases.values(),
        "idna",
        "punycode",
        "undefined",
        "",
        "\0",
        "a b",
    }
)


@pytest.mark.parametrize("suffix", [".csv", ".arff", ".jsonl", ".svm", ".basket", ".fwf"])
def test_every_codec_reads_or_is_refused_in_a_sentence(suffix: str) -> None:
    # All formats decode by the same code: one reads every codec, the others some.
    for encoding in ENCODINGS if suffix == ".csv" else ENCODINGS[::9]:
        for data in (b"a,b\n1,x\n", bytes(range(256)), b"a,b\n\\u12,\xff\n", "@data".encode("utf-16-le")):
            file = io.BytesIO(data)
            file.name = "x" + suffix  # type: ignore[attr-defined]
            with contextlib.suppress(DataError, ParameterError):
                acumen.read(file, dialect=Dialect(encoding=encoding))


@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30).filter(
        lambda t: not t.startswith("\ufeff")
    ),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252", "shift_jis", "latin-1"]),
    st.integers(1, 7),
)
def test_chunks_of_any_size_decode_to_the_same_text(text: str, encoding: str, size: int) -> None:
    data = text.encode(encoding, "replace")
    name = "utf-8" if encoding == "utf-8-sig" else encoding
    chunks = [data[i : i + size] for i in range(0, len(data), size)]
    made = b"".join(bytes(chunk) for chunk in to_utf8(chunks, name, "t"))
    assert made.decode() == data.decode(encoding)


def test_a_source_can_be_gone_through_again() -> None:
    source = open_source(io.BytesIO(TEXT.encode()))
    assert [b"".join(map(bytes, source.chunks(5))) for _ in range(2)] == [TEXT.encode()] * 2
    assert source.head(6) == (b"name,n", False) and source.head(1000) == (TEXT.encode(), True)
