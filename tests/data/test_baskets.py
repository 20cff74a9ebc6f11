"""Baskets: items as 0/1 columns, four ways to give a class, and the twin line by line."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen import Dialect, _native
from acumen.errors import DataError, ParameterError
from doors import same_in_parts
from reference import sparse_text

TEXT = 'bread,whole milk,class=a\nbeer, bread ,bread\n\n"x,y",beer,class=b\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.basket"
    path.write_text(TEXT)
    return path


def held(table):
    return [{table.schema.names[j] for j in row.indices} for row in table.sparse]


def test_items_are_columns(file):
    table = same_in_parts(file)
    assert table.schema.names == ("beer", "bread", "class=a", "class=b", "whole milk", "x,y")
    assert held(table) == [
        {"bread", "class=a", "whole milk"}, {"beer", "bread"}, set(), {"beer", "class=b", "x,y"}
    ]  # fmt: skip
    assert set(table.sparse.data) == {1.0}
    assert (
        "1 item is repeated within its basket" in table.report
        and "1 blank line is an empty basket" in table.report
    )


@pytest.mark.parametrize(
    ("text", "rows", "said"),
    [("\na,b\n\n  \nc\n\n\n", [set(), {"a", "b"}, set(), set(), {"c"}], "3 blank lines are empty baskets"),
     ("a,b\n#x\n\n#y\n\nc\n,\n", [{"a", "b"}, set(), set(), {"c"}, set()], "2 blank lines are empty baskets"),
     ("a,b\n\n", [{"a", "b"}], "1 blank line at the end was skipped")],
)  # fmt: skip
def test_a_blank_line_before_the_last_basket_is_an_empty_basket(tmp_path, text, rows, said):
    path = tmp_path / "shop.basket"
    path.write_text(text)
    table = same_in_parts(path, dialect=Dialect(delimiter=",", comment="#"))
    assert held(table) == rows and said in table.report
    placed = same_in_parts(path, dialect=Dialect(delimiter=",", comment="#"), target=0)
    assert len(placed) == len(rows) and sum(v is None for v in placed.label_values()) == rows.count(set())


def test_an_item_as_target_is_whether_it_is_there(file):
    table = same_in_parts(file, target="beer")
    assert "beer" not in table.schema.names
    assert table.label_values().tolist() == ["0", "1", "0", "1"]


def test_items_with_a_name_before_their_value_give_the_class(file):
    table = same_in_parts(file, target="class")
    assert table.schema.names == ("beer", "bread", "whole milk", "x,y")
    assert table.label_values().tolist() == ["a", None, None, "b"]


@pytest.mark.parametrize(
    ("target", "labels"), [(0, ["bread", "beer", None, "x,y"]), (-1, ["class=a", "bread", None, "class=b"])]
)
@pytest.mark.parametrize("as_text", [False, True])
def test_the_class_may_stand_first_or_last(file, target, labels, as_text):
    table = same_in_parts(file, target=str(target) if as_text else target)
    assert table.schema.target.name == "class" and table.label_values().tolist() == labels


def test_an_item_called_zero_goes_before_a_position(tmp_path):
    path = tmp_path / "numbers.basket"
    path.write_text("0 1 2\n1 10\n")
    assert same_in_parts(path, target="0").label_values().tolist() == ["1", "0"]
    assert same_in_parts(path, target=0).label_values().tolist() == ["0", "1"]
    assert same_in_parts(path).schema.names == ("0", "1", "2", "10")


def test_two_classes_in_one_basket_are_told_with_their_line(tmp_path):
    path = tmp_path / "two.basket"
    path.write_text("class=a,b\n\nb,class=a,class=c\n")
    with pytest.raises(DataError, match="line 3 has several items that begin with 'class='"):
        acumen.read(path, target="class")


def test_an_item_that_is_not_there_is_told(file):
    with pytest.raises(DataError, match=r"there is no item 'bier'.*Did you mean 'beer'"):
        acumen.read(file, target="bier")
    with pytest.raises(ParameterError, match="the target of baskets must be an item"):
        acumen.read(file, target=3)


@pytest.mark.parametrize(("text", "delimiter"), [
    ("a b\nc  d\n", " "), ("a\tb c\nd\te\n", "\t"), ("a;b\nc\nd;e\n", ";"), ("new york|b\nc|d\n", "|"),
    ("a,b\nc\n", ","),
])  # fmt: skip
def test_the_delimiter_is_found(text, delimiter):
    table = acumen.read(io.StringIO(text), dialect=Dialect(format="basket"))
    assert held(table) == sparse_text.baskets(text, delimiter)


def test_any_character_may_be_the_delimiter(tmp_path):
    path = tmp_path / "odd.txt"
    path.write_text("a~b, c\n~c~\n#~no\n")
    table = same_in_parts(path, dialect=Dialect(format="basket", delimiter="~", comment="#"))
    assert held(table) == [{"a", "b, c"}, {"c"}] and "1 comment was skipped" in table.report


def test_other_encodings_are_read_and_bad_bytes_told(tmp_path):
    path = tmp_path / "latin.basket"
    path.write_bytes("café,thé\n".encode("latin-1"))
    assert acumen.read(path, dialect=Dialect(encoding="latin-1")).schema.names == ("café", "thé")
    with pytest.raises(DataError, match="is not UTF-8; name the encoding"):
        acumen.read(path)


ITEM = st.text(st.sampled_from("ab c"), min_size=1, max_size=3).map(str.strip).filter(bool)


@given(
    st.lists(st.lists(ITEM, min_size=1, max_size=5), min_size=1, max_size=8),
    st.integers(1, 20),
    st.booleans(),
)
def test_the_kernel_gives_what_its_twin_gives_however_the_text_is_cut(rows, step, quote):
    text = "\n".join(", ".join(f'"{item}"' if quote else item for item in row) for row in rows)
    reader = _native.BasketReader(delimiter=",", quote='"', comment="", label=0, longest=1000)
    data = np.frombuffer(text.encode(), np.uint8)
    for start in range(0, len(data), step):
        reader.feed(data[start : start + step])
    reader.feed(data[:0], last=True)
    names = [item.decode() for item in reader.items()]
    starts, positions = reader.starts().tolist(), reader.positions().tolist()
    found = [{names[j] for j in positions[a:b]} for a, b in pairwise(starts)]
    assert found == [set(row) for row in rows]
    assert all(positions[a:b] == sorted(set(positions[a:b])) for a, b in pairwise(starts))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty: it has no baskets"),
        ("a,b\nc,\x00\n", "line 2 holds a NUL byte"),
        ('a,b\n"c,d\n', "line 2 has an unclosed quote"),
        ('a,b\n"c"d,e\n', "line 2 has an unclosed quote or text after"),
    ],
)
def test_what_is_wrong_is_told(tmp_path, text, said):
    path = tmp_path / "bad.basket"
    path.write_text(text)
    for how in (acumen.read, acumen.scan):
        with pytest.raises(DataError) as error:
            how(path)
        assert said in str(error.value)


def test_quotes_may_be_ordinary_characters(tmp_path):
    path = tmp_path / "quotes.basket"
    path.write_text('6" nail,board\n"x,board\n')
    assert held(same_in_parts(path, dialect=Dialect(quote=""))) == [{'6" nail', "board"}, {'"x', "board"}]


def test_a_model_takes_baskets_without_some_of_its_items(tmp_path):
    train, later = tmp_path / "train.basket", tmp_path / "later.basket"
    train.write_text("".join("yes,a,b\nno,c\nyes,a\nno,c,b\n" for _ in range(5)))
    later.write_text("?,a,never seen\n?,c\n")
    model = acumen.NaiveBayes(var_floor=0.01).fit(acumen.read(train, target=0))
    assert model.predict(acumen.read(later, target=0)).tolist() == ["yes", "no"]
