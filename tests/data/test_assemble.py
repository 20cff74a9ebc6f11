"""From columns to a table: names and positions, kinds, levels, weights and the rule for targets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen import read, scan
from acumen.data.columns import MANY_LEVELS, RawColumn, id_like, label_of, sorted_levels, string_kind
from acumen.data.naming import column_names, free_name
from acumen.data.report import Report
from acumen.data.request import Request, Roles, resolve
from acumen.errors import DataError, ParameterError

FRAME = pd.DataFrame(
    {"age": [30.0, 40, 50], "colour": ["red", "blue", None], "w": [1.0, 0, 2], "class": ["n", "y", "n"]}
)


# -- names and positions --------------------------------------------------------------------------


@given(st.lists(st.text(max_size=3), unique=True, min_size=1), st.data())
def test_a_position_and_a_name_mean_the_same_column(names: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(names) - 1))
    assert resolve(names[at], names) == resolve(at, names) == resolve(at - len(names), names) == names[at]
    assert resolve(np.int64(at), names) == names[at]  # type: ignore[arg-type]


def test_names_and_positions_mix_in_every_argument() -> None:
    by_name = read(FRAME, target="class", weight="w", ignore="colour", kinds={"age": "nominal"})
    by_place = read(FRAME, target=-1, weight=2, ignore=[1], kinds={0: "nominal"})
    assert by_name.difference(by_place) is None
    assert by_name.schema.columns == tuple(FRAME.columns)
    assert by_name.schema["age"].levels == (30.0, 40.0, 50.0)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"target": "clas"}, "no column 'clas'; the columns are 'age', .* Did you mean 'class'"),
        ({"target": 4}, "no column at position 4; the table has 4 columns"),
        ({"target": -5}, "no column at position -5"),
        ({"ignore": [True]}, "by its name or its position; got True"),
        ({"ignore": [1.5]}, "by its name or its position; got 1.5"),
        ({"target": "w", "weight": "w"}, "cannot be the target"),
        ({"target": "age", "ignore": "age"}, "cannot be the target"),
        ({"weight": "w", "ignore": ["w"]}, "cannot be the weight and be ignored"),
        ({"weight": "w", "kinds": {"w": "nominal"}}, "holds the weights"),
        ({"kinds": {"age": "numeric"}, "levels": {"age": (1,)}}, "asked to be numeric, so levels="),
        ({"weight": "colour"}, "should be numeric but holds '(red|blue)'"),
        ({"kinds": {"colour": "numeric"}}, "should be numeric but holds '(red|blue)'"),
        (
            {"target": "class", "kinds": {"class": "text"}},
            "a target is nominal, ordinal or numeric, never text",
        ),
        ({"target": "class", "ignore": ["age", "colour", "w"]}, "no input left"),
        ({"levels": {"colour": ("red", "red")}}, "'red' is given twice"),
    ],
)
def test_requests_that_cannot_be_met_are_answered_in_a_sentence(asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        read(FRAME, **asked)


def test_requests_that_make_no_sense_anywhere_are_parameter_errors() -> None:
    with pytest.raises(ParameterError, match=r"must be one of .* Did you mean 'nominal'"):
        read(FRAME, kinds={"age": "nominl"})  # type: ignore[dict-item]
    with pytest.raises(ParameterError, match="'error', 'fill' or 'drop'; got 'cut'"):
        read(FRAME, ragged="cut")  # type: ignore[arg-type]


def test_a_request_takes_one_column_or_several() -> None:
    one = Request.of(ignore="a", missing="NA")
    assert (one.ignore, one.missing) == (("a",), ("NA",))
    assert Request.of(ignore=3).ignore == (3,)
    several = Request.of(ignore=["a", 3], missing=["x", "y"])
    assert (several.ignore, several.missing) == (("a", 3), ("x", "y"))


def test_a_sources_own_target_gives_way() -> None:
    names = ("a", "b")
    assert Roles.of(Request(), names, "b").target == "b"
    assert Roles.of(Request(target="a"), names, "b").target == "a"
    assert Roles.of(Request(ignore=("b",)), names, "b").target is None


@given(st.lists(st.sampled_from(["", "a", "b", "a_2", "column_1", "column_2", 1, None])))
def test_names_are_strings_each_its_own_and_kept_where_they_can_be(found: list[Any]) -> None:
    report = Report()
    names = column_names(found, report)
    assert len(set(names)) == len(names) == len(found) and all(names)
    wanted = ["" if name is None else str(name) for name in found]
    changed = [made for made, name in zip(names, wanted, strict=True) if made != name]
    assert [note.column for note in report] == changed
    firsts = {name: i for i, name in reversed(list(enumerate(wanted))) if name}
    assert all(names[i] == name for name, i in firsts.items())


def test_a_taken_name_gets_a_number() -> None:
    assert free_name("y", ["x"]) == "y" and free_name("y", ["y", "y_2"]) == "y_3"


# -- kinds and levels -----------------------------------------------------------------------------


def test_kinds_and_levels_are_the_callers_to_say() -> None:
    table = read(FRAME, kinds={"age": "ordinal"}, levels={"colour": ("blue",)})
    assert table.schema["age"].kind == "ordinal"
    assert table.schema["colour"].levels == ("blue",) and table.nominal.columns[1].tolist() == [-2, 0, -1]
    assert [(w.column, w.count) for w in table.report.about("unknown-level")] == [("colour", 1)]
    numbers = read(FRAME, levels={"age": ("40", "30")})
    assert numbers.schema["age"].kind == "nominal" and numbers.nominal.columns[0].tolist() == [1, 0, -2]
    assert read(FRAME, kinds={"age": "text"}).column("age").tolist() == ["30", "40", "50"]
    assert read(FRAME, kinds={"age": "ignored"}).schema.ignored[0].name == "age"


@pytest.mark.parametrize(
    ("values", "distinct", "with_blank", "kind"),
    [
        (10, 10, 6, "text"),
        (10, 10, 5, "nominal"),
        (10, 5, 5, "nominal"),
        (10, 6, 6, "text"),
        (0, 0, 0, "nominal"),
        (10 * MANY_LEVELS, MANY_LEVELS + 1, 0, "text"),
        (MANY_LEVELS + 1, MANY_LEVELS + 1, 0, "nominal"),
    ],
)
def test_strings_are_text_when_they_read_like_it(
    values: int, distinct: int, with_blank: int, kind: str
) -> None:
    assert string_kind(values, distinct, with_blank) == kind


def test_a_column_of_more_levels_than_anyone_needs_is_text_or_flagged() -> None:
    n = MANY_LEVELS + 1
    own = read(pd.DataFrame({"id": np.arange(n).astype(str), "a": np.ones(n)}))
    assert own.schema["id"].kind == "nominal" and [w.column for w in own.report.about("id-like")] == ["id"]
    assert len(own) == n
    shared = read(pd.DataFrame({"s": np.repeat(np.arange(n).astype(str), 2), "a": np.ones(2 * n)}))
    assert shared.schema["s"].kind == "text" and "and is text" in shared.report
    assert id_like(20, 19) and not id_like(19, 19) and not id_like(100, 94)


@given(
    st.lists(st.integers() | st.floats(allow_nan=False) | st.text(max_size=3) | st.booleans(), unique_by=str)
)
def test_sorting_levels_loses_none(levels: list[Any]) -> None:
    assert sorted(map(repr, sorted_levels(levels))) == sorted(map(repr, levels))


def test_numbers_written_as_text_sort_by_size() -> None:
    assert sorted_levels({"10", "9", "-1.5"}) == ("-1.5", "9", "10")
    assert sorted_levels({"10", "9", "b"}) == ("10", "9", "b")
    assert sorted_levels({"1_0", "9"}) == ("1_0", "9")
    assert sorted_levels([3, 1, 2]) == (1, 2, 3) and sorted_levels(["b", 1]) == (1, "b")


def test_labels_are_written_as_their_source_would() -> None:
    assert (label_of(3.0, int), label_of(3.0, float), label_of(3.0, str)) == (3, 3.0, "3")
    assert label_of(0.5, str) == "0.5" and label_of(1e300, str) == "1e+300"


@given(st.lists(st.none() | st.sampled_from(["a", "1", "2.5", "b c"]), min_size=1))
def test_a_column_of_strings_and_its_codes_are_the_same_column(cells: list[str | None]) -> None:
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    plain = RawColumn("c", "text", strings=array)
    levels = plain.distinct()
    coded = RawColumn("c", "nominal", codes=plain.to_codes(levels), levels=levels)
    assert coded.distinct() == levels and coded.to_strings().tolist() == plain.natural().tolist() == cells
    for other in (levels[::-1], levels[1:], ("2.5", "zz")):
        assert coded.to_codes(other).tolist() == plain.to_codes(other).tolist()
    try:
        numbers = plain.to_floats()
    except DataError:
        with pytest.raises(DataError, match="should be numeric but holds"):
            coded.to_floats()
    else:
        np.testing.assert_array_equal(numbers, coded.to_floats())


# -- targets and weights --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "kind", "levels"),
    [
        (["b", "a", "b"], "nominal", ("a", "b")),
        ([True, False, True], "nominal", (False, True)),
        ([2, 1, 2], "nominal", (1, 2)),
        ([2.0, 1.0, np.nan], "nominal", (1.0, 2.0)),
        ([0.5, 1.0, 2.0], "numeric", ()),
        ([1.0, np.inf, 2.0], "numeric", ()),
        (["a b c", "d e f", "g h i"], "nominal", ("a b c", "d e f", "g h i")),
    ],
)
def test_the_rule_for_targets(cells: list[Any], kind: str, levels: tuple[Any, ...]) -> None:
    target = read(pd.DataFrame({"x": [1.0, 2, 3], "y": cells}), target="y").schema.target
    assert target is not None and (target.kind, target.levels) == (kind, levels)


def test_whole_numbers_are_labels_up_to_fifty_values() -> None:
    def target(n: int, repeat: int = 1) -> Any:
        values = np.tile(np.arange(n), repeat)
        return read(pd.DataFrame({"x": np.ones(len(values)), "y": values}), target="y")

    assert target(50).schema.n_classes == 50 and "class labels" in target(50).report
    assert target(51).schema.target.kind == "numeric" and "regressed on" in target(51).report
    late = np.concatenate([np.zeros(5000), np.arange(60)])  # the many values come after the first rows
    assert read((np.ones((5060, 1)), late)).schema.target.kind == "numeric"  # type: ignore[union-attr]
    asked = read(pd.DataFrame({"x": [1.0, 2], "y": [0, 1]}), target="y", kinds={"y": "numeric"})
    assert asked.response is not None and asked.response.tolist() == [0, 1] and asked.labels is None
    ordered = read(pd.DataFrame({"x": [1.0, 2], "y": [0, 1]}), target="y", kinds={"y": "ordinal"})
    assert ordered.schema.target.kind == "ordinal"  # type: ignore[union-attr]
    given_levels = read(pd.DataFrame({"x": [1.0, 2], "y": [0, 1]}), target="y", levels={"y": (1, 0, 2)})
    assert given_levels.labels is not None and given_levels.labels.tolist() == [1, 0]


@pytest.mark.parametrize(("weight", "row"), [(-1.0, 2), (np.nan, 2), (np.inf, 2)])
def test_weights_must_be_numbers_of_at_least_zero(weight: float, row: int) -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3], "w": [0.0, weight, 1]})
    with pytest.raises(DataError, match=f"weight column 'w': row {row} has weight"):
        read(frame, weight="w")


def test_ignored_columns_travel_as_they_came() -> None:
    frame = pd.DataFrame({"x": [1.0, 2], "i": ["p", None], "j": [1, 2], "k": pd.Categorical(["u", "v"])})
    table = read(frame, ignore=["i", "j", "k"])
    assert [column.tolist() for column in table.ignored] == [["p", None], [1, 2], ["u", "v"]]
    assert table.take([1]).column("i").tolist() == [None]


def test_the_report_tells_who_was_read_and_finds_its_notes() -> None:
    report = read(FRAME, levels={"colour": ("blue",)}).report
    assert str(report).startswith("Read a pandas DataFrame\n- warning: column 'colour'")
    assert len(report) == 1 and bool(report) and 5 not in report
    assert report.warnings[0].to_dict()["code"] == "unknown-level"


def test_an_option_is_declared_once():
    import inspect

    from acumen.data.request import ReadOptions

    for reading in (read, scan):
        shown = inspect.signature(reading).parameters
        assert set(ReadOptions.__annotations__) <= set(shown)
        with pytest.raises(TypeError, match="unexpected keyword argument 'tagret'"):
            reading("x.csv", tagret="y")
    assert {p.name for p in Request.parameters()} == set(ReadOptions.__annotations__)
