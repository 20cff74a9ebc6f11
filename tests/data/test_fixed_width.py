"""Fixed width: columns found or given, lines of one length cut at once like all others."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen import Dialect
from acumen.data.delimited.fixed import MARK, Cut, _mark_block
from acumen.errors import DataError, ParameterError
from doors import same_in_parts

TEXT = "name   age city\nann     23 New York\nbobby  107 Rome\n\ncy         Oslo\n"


def test_columns_end_where_all_lines_are_blank(tmp_path):
    path = tmp_path / "people.fwf"
    path.write_text(TEXT)
    table = same_in_parts(path)
    assert table.schema.columns == ("name", "age", "city")
    assert table.column("name").tolist() == ["ann", "bobby", "cy"]
    assert [None if v != v else v for v in table.column("age")] == [23, 107, None]
    assert table.column("city").tolist() == ["New York", "Rome", "Oslo"]
    assert "columns begin at the same character" in table.report and "\x1f" not in str(table.report)


def test_widths_may_be_given_for_columns_that_touch(tmp_path):
    path = tmp_path / "tight.txt"
    path.write_text("001AB23\n002CD 4\n003\n")
    dialect = Dialect(widths=(3, 2, 2), header=False)
    table = same_in_parts(path, dialect=dialect)
    assert table.schema.columns == ("x1", "x2", "x3")
    assert table.column("x1").tolist() == ["001", "002", "003"] and table.column("x2").tolist() == [
        "AB",
        "CD",
        None,
    ]
    assert [None if v != v else v for v in table.column("x3")] == [23, 4, None]


def test_characters_count_and_not_bytes(tmp_path):
    path = tmp_path / "accents.fwf"
    path.write_text("né  1\nöäü 2\nabc 3\n", encoding="utf-8")
    assert same_in_parts(path, dialect=Dialect(header=False)).column("x1").tolist() == ["né", "öäü", "abc"]
    path.write_text("né  1\nöäü 2\nabc 3\n", encoding="latin-1")
    table = acumen.read(path, dialect=Dialect(header=False, encoding="latin-1"))
    assert table.column("x1").tolist() == ["né", "öäü", "abc"]


def test_text_in_a_gap_is_told_with_its_line(tmp_path):
    path = tmp_path / "late.fwf"
    path.write_text("aa  1\n" * 10_500 + "aaa 2\n")
    with pytest.raises(DataError, match=r"late.fwf: line 10501 has 'a' at character 3, .*Dialect\(widths="):
        acumen.read(path, dialect=Dialect(header=False))


def test_text_behind_the_widths_is_told_with_its_line(tmp_path):
    path = tmp_path / "long.fwf"
    path.write_text("aa1 \nbb2 x\n")
    with pytest.raises(DataError, match="line 2 continues after character 3, where the widths end"):
        acumen.read(path, dialect=Dialect(widths=[2, 1], header=False))


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "bc", "7", "12.5", ""]), min_size=3, max_size=3),
        min_size=1,
        max_size=20,
    )
)
def test_lines_of_one_length_are_cut_like_others(rows):
    text = "".join(f"{a:<4}{b:<5}{c:<4}|\n" for a, b, c in rows)
    cut = Cut((0, 4, 9, 13), 14)
    made = _mark_block(text.encode(), cut)
    assert made is not None
    expected = [[line[0:4], line[4:9], line[9:13], line[13:14]] for line in text.splitlines()]
    assert [line.split(MARK) for line in made.decode().splitlines()] == expected


def test_the_way_of_cutting_changes_nothing(tmp_path):
    rng = np.random.default_rng(0)
    lines = [
        f"{i:>6}{v:>12.4f}  {w:<5}"
        for i, (v, w) in enumerate(zip(rng.normal(size=400), rng.choice(["a", "b c"], 400), strict=True))
    ]
    even, odd = tmp_path / "even.fwf", tmp_path / "odd.fwf"
    even.write_text("\n".join(lines) + "\n")
    odd.write_text("\n".join(line.rstrip() for line in lines))
    assert same_in_parts(even, sizes=(50,)).difference(same_in_parts(odd, sizes=(50,))) is None


@pytest.mark.parametrize("dialect", [{"delimiter": ","}, {"quote": ""}])
def test_what_has_no_meaning_here_is_refused(dialect):
    with pytest.raises(ParameterError, match="a fixed-width file has no"):
        acumen.read(io.StringIO(TEXT), dialect=Dialect(format="fixed", **dialect))


def test_lines_are_never_ragged():
    with pytest.raises(ParameterError, match="has no ragged rows"):
        acumen.read(io.StringIO(TEXT), dialect=Dialect(format="fixed"), ragged="drop")


def test_widths_may_be_numbers_of_numpy():
    assert Dialect(widths=np.array([3, 2])) == Dialect(widths=(3, 2))


@pytest.mark.parametrize("widths", [(), (0, 1), (1.5,), ("a",)])
def test_widths_are_whole_numbers(widths):
    with pytest.raises(ParameterError, match="widths must be whole numbers of at least 1"):
        Dialect(widths=widths)


def test_widths_belong_to_fixed_width():
    with pytest.raises(ParameterError, match="widths are for fixed-width files"):
        Dialect(widths=(3,), format="jsonl")


def test_an_empty_file_is_told(tmp_path):
    path = tmp_path / "none.fwf"
    path.write_text("\n\n")
    with pytest.raises(DataError, match="is empty: it has no rows"):
        acumen.read(path)
