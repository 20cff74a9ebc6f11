"""Lines that make no table are said to be lists, with what to do."""

from __future__ import annotations

import io

import pytest

import acumen
from acumen import Dialect
from acumen.errors import DataError
from doors import same_in_parts

BASKETS = [
    "milk,bread", "butter", "bread,butter,jam,tea", "milk", "tea,milk,bread", "jam", "milk,jam", "bread",
    "tea,butter,jam", "milk,bread,butter,jam,tea", "tea", "butter,bread,milk,jam", "jam,tea,milk",
]  # fmt: skip
PROSE = [
    "It was late, and the house was still.", "Nobody came.", "She waited, read a little, and waited again.",
    "Then, towards morning, a knock.", "The door, which had been locked, stood open.", "It rained.",
    "He said nothing, sat down, took off his hat, and slept.", "Later, much later, he spoke.",
    "Why, she asked, had he come?", "No answer.", "The clock struck, once.", "Well, so it goes.",
]  # fmt: skip


def text(lines: list[str]) -> io.BytesIO:
    return io.BytesIO("\n".join(lines).encode())


def test_lists_of_items_in_a_csv_are_named(tmp_path) -> None:
    path = tmp_path / "groceries.csv"
    path.write_text("\n".join(BASKETS))
    table = same_in_parts(path)
    (note,) = table.report.about("item-lists")
    assert note.level == "warning" and "1 to 5 fields" in note.text
    assert "Dialect(format='basket')" in note.text and "ragged=" in note.text
    assert len(acumen.read(path, dialect=Dialect(format="basket")).schema) == 5
    assert len(acumen.read(path, dialect=Dialect(delimiter=",", header=False), ragged="fill").schema) >= 1


@pytest.mark.parametrize("delimiter", [";", "\t", "|", " "])
def test_whatever_stands_between_the_items(delimiter: str) -> None:
    lines = [line.replace(",", delimiter) for line in BASKETS]
    if delimiter == " ":
        lines = [delimiter.join(str(len(item)) for item in line.split(delimiter)) for line in lines]
    assert acumen.read(text(lines)).report.about("item-lists")


def test_prose_with_commas_is_no_list() -> None:
    assert not acumen.read(text(PROSE)).report.about("item-lists")


def test_a_column_of_words_is_no_list() -> None:
    assert not acumen.read(text(["word", "a", "b", "a", "c"])).report.about("item-lists")


def test_an_error_about_many_ragged_rows_names_baskets() -> None:
    with pytest.raises(DataError, match=r"ragged='fill'.*format='basket'"):
        acumen.read(text(["a,b", "c", "d,e,f", "a,b,c,d", "b,c"]))
    many = ["a,b", *["1,2"] * 40, "1,2,3"]
    with pytest.raises(DataError) as error:
        acumen.read(text(many))
    assert "basket" not in str(error.value)
