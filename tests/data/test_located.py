"""Rows fetched from the middle: the same rows as those of the whole, whatever the format."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import acumen
from acumen.data.arff import rows as arff_rows
from acumen.data.arff import scan as arff_scan
from acumen.data.concat import concat
from acumen.data.delimited import located as text_rows
from acumen.data.delimited import passes
from acumen.data.table import Table
from acumen.errors import DataError

N = 1_000


@pytest.fixture(autouse=True)
def often(monkeypatch):
    """Marks so often that a small file has many of them."""
    # Imported above: a module that is first imported here would take the small number for its own, and keep it.
    for module in (passes, text_rows, arff_rows, arff_scan):
        monkeypatch.setattr(module, "MARKED", 64)


def _text(header: bool = True) -> str:
    rng = np.random.default_rng(3)
    lines = ["n,word,day,quoted,y\n"] if header else []
    for i in range(N):
        word = ["red", "green", "", "blue"][i % 4]
        quoted = f'"a, ""{i % 7}""\nb"' if i % 5 else "plain"
        lines.append(f"{rng.normal():.3f},{word},2021-03-{i % 28 + 1:02d},{quoted},{'pn'[i % 2]}\n")
        if i % 97 == 0:
            lines.append("\n")
    return "".join(lines)


def _equal(table: Table, parts: acumen.data.parts.Parts) -> None:
    sent = pickle.loads(pickle.dumps(parts.located))
    assert sent.n_rows == len(table)
    assert sent.schema == table.schema
    for begin, end in ((0, len(table)), (1, 2), (63, 65), (200, len(table)), (127, 129), (3, 300)):
        found = concat(list(sent.between(begin, end)))
        assert table.take(slice(begin, end)).difference(found) is None
    cells = [list(row) for row in parts.source_cells()]
    for begin, end in ((0, len(table)), (63, 65), (200, 300)):
        assert [list(row) for row in sent.source_cells(begin, end)] == cells[begin:end]


@pytest.mark.parametrize("start", ["", "\ufeff", "a title\n\n"])
@pytest.mark.parametrize("header", [True, False])
def test_a_text_is_read_from_any_mark(tmp_path, header, start):
    path = tmp_path / "t.csv"
    path.write_text(start + _text(header), encoding="utf-8")
    options = {"target": -1, "dialect": acumen.Dialect(skip=2) if start.endswith("\n") else acumen.Dialect()}
    table, parts = acumen.read(path, **options), acumen.scan(path, **options)
    assert len(parts.located.sizes) >= N // 64
    _equal(table, parts)


@pytest.mark.parametrize("ragged", ["fill", "drop"])
def test_marks_count_the_rows_that_ragged_ones_leave(tmp_path, ragged):
    path = tmp_path / "t.csv"
    lines = [f"{i},{i % 3},{'ab'[i % 2]}" + (",9" if i % 50 == 7 else "") for i in range(400)]
    path.write_text("x,z,y\n" + "\n".join(lines) + "\n")
    _equal(acumen.read(path, target="y", ragged=ragged), acumen.scan(path, target="y", ragged=ragged))


def test_lines_are_named_as_an_editor_counts_them(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(200)))
    located = acumen.scan(path, target="y").located
    assert located.where(64, 128).endswith("t.csv, lines 66 to 129")


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_row_groups_and_record_batches_are_read_apart(tmp_path, suffix):
    pytest.importorskip("pyarrow")
    import pyarrow
    import pyarrow.parquet as pq

    source = tmp_path / "t.csv"
    source.write_text(_text())
    arrow = acumen.read(source, target="y").to_arrow()
    path = tmp_path / f"t{suffix}"
    if suffix == ".parquet":
        pq.write_table(arrow, path, row_group_size=100)
    else:
        with pyarrow.ipc.new_file(path, arrow.schema) as out:
            out.write_table(arrow, max_chunksize=100)
    parts = acumen.scan(path, target="y")
    assert len(parts.located.sizes) == 10
    _equal(acumen.read(path, target="y"), parts)


def test_arff_is_read_from_any_mark(tmp_path):
    path = tmp_path / "t.arff"
    words = ["?" if i % 9 == 0 else f"text{i % 200}" for i in range(N)]
    rows = "".join(f"{i / 7:.4f},'le vel {i % 3}',{words[i]},{'pn'[i % 2]}\n% note\n" for i in range(N))
    path.write_text(
        "@relation t\n@attribute x numeric\n@attribute l {'le vel 0','le vel 1','le vel 2'}\n@attribute s string\n"
        f"@attribute y {{p,n}}\n@data\n{rows}"
    )
    parts = acumen.scan(path)
    assert len(parts.located.sizes) >= N // 64
    _equal(acumen.read(path), parts)


def test_a_part_is_fetched_by_its_number(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(_text())
    parts = acumen.scan(path, target="y", rows=130, columns=["word", "n"])
    for i, part in enumerate(parts):
        assert part.difference(parts.block(i)) is None
    with pytest.raises(IndexError, match="there are 8 parts"):
        parts.block(8)


@pytest.mark.parametrize("packed", [True, False])
def test_a_text_that_has_no_middle_has_no_places(tmp_path, packed):
    import gzip

    path = tmp_path / ("t.csv.gz" if packed else "t.csv")
    raw = _text().encode() if packed else "é,y\n1,a\n2,b\n".encode("latin-1")
    path.write_bytes(gzip.compress(raw) if packed else raw)
    parts = acumen.scan(path, target="y")
    assert parts.located is None
    assert parts.block(0).difference(next(iter(parts))) is None


def test_a_file_that_changed_is_noticed_where_it_is_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(_text())
    located = acumen.scan(path, target="y").located
    path.write_text(_text() + "1,red,2021-03-01,plain,p\n")
    with pytest.raises(DataError, match=r"t\.csv changed while it was being read"):
        list(located.tables(2, 3))
    path.unlink()
    with pytest.raises(DataError, match="every worker must see the file at"):
        list(located.tables(2, 3))


# -- several files --------------------------------------------------------------------------------


def _cut(tmp_path: Path, text: str, *at: int) -> str:
    header, *lines = text.splitlines(keepends=True)
    for i, (a, b) in enumerate(zip((0, *at), (*at, len(lines)), strict=True)):
        (tmp_path / f"part{i}.csv").write_text(header + "".join(lines[a:b]))
    return str(tmp_path / "part*.csv")


def test_several_files_are_the_table_of_all_their_rows(tmp_path):
    text = "n,word,y\n" + "".join(
        f"{i / 3:.2f},{'zyx'[i % 3] if i > 100 else 'm'},{'pn'[i % 2]}\n" for i in range(300)
    )
    pattern = _cut(tmp_path, text, 50, 51, 190)
    (tmp_path / "whole.csv").write_text(text)
    whole = acumen.read(tmp_path / "whole.csv", target="y")
    assert whole.difference(acumen.read(pattern, target="y")) is None
    parts = acumen.scan(sorted(tmp_path.glob("part*.csv")), target="y", rows=70)
    assert [len(part) for part in parts] == [70, 70, 70, 70, 20]
    assert whole.difference(concat(list(parts))) is None
    located = pickle.loads(pickle.dumps(parts.located))
    assert whole.take(slice(40, 200)).difference(concat(list(located.between(40, 200)))) is None
    assert "part0.csv" in located.where(0, 60)
    assert "part2.csv" in located.where(0, 60)


def test_a_column_of_numbers_in_one_file_and_levels_in_another_is_levels_in_both(tmp_path):
    text = "k,y\n" + "".join(f"{i % 4 if i < 20 else 'q'},{'pn'[i % 2]}\n" for i in range(40))
    pattern = _cut(tmp_path, text, 20)
    (tmp_path / "whole.csv").write_text(text)
    assert (
        acumen.read(tmp_path / "whole.csv", target="y").difference(acumen.read(pattern, target="y")) is None
    )


def test_a_column_that_one_file_lacks_is_named_with_the_file(tmp_path):
    (tmp_path / "a.csv").write_text("x,z,y\n1,2,a\n2,3,b\n")
    (tmp_path / "b.csv").write_text("x,y\n1,a\n2,b\n")
    with pytest.raises(DataError, match=r"b\.csv has no column 'z', but .*a\.csv has"):
        acumen.scan(str(tmp_path / "?.csv"), target="y")
    with pytest.raises(DataError, match="no file matches"):
        acumen.read(str(tmp_path / "*.parquet"))


def test_a_block_of_a_table_travels_once():
    rng = np.random.default_rng(0)
    table = acumen.read((rng.normal(size=(5_000, 8)), rng.integers(0, 2, 5_000)))
    for rows in (table, table.take(slice(100, 4_000))):
        apart: list[pickle.PickleBuffer] = []
        inside = pickle.dumps(rows, protocol=5, buffer_callback=apart.append)
        size = len(inside) + sum(len(buffer.raw()) for buffer in apart)
        assert size < 1.1 * len(rows) * (8 * 8 + 4) + 5_000
        again = pickle.loads(inside, buffers=[buffer.raw() for buffer in apart])
        assert rows.difference(again) is None
