"""JSON lines: flat objects, keys that come and go, and sentences that name the line."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen import Dialect
from acumen.data.batches import jsonl
from acumen.errors import DataError
from doors import plain, same_in_parts


def written(tmp_path, text, name="a.jsonl"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_each_key_is_a_column_and_absent_keys_are_missing(tmp_path):
    path = written(
        tmp_path, '{"a": 1, "b": "x", "c": true}\n\n{"a": 2.5, "b": "y", "d": 3}\n{"c": false, "b": null}\n'
    )
    table = same_in_parts(path, target="c")
    assert table.schema.columns == ("a", "b", "c", "d")
    assert plain(table.column("a")) == [1, 2.5, None] and plain(table.column("d")) == [None, 3, None]
    assert table.column("b").tolist() == ["x", "y", None]
    assert table.label_values().tolist() == [True, None, False] and table.schema.classes == (False, True)
    assert "1 blank line was skipped" in table.report


def test_a_type_that_changes_late_makes_the_whole_column_text(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonl, "ROWS", 2)
    rows = [{"a": 1}, {"a": 2}, {"a": 2.0}, {"a": 3.5}, {"a": 1}, {"a": "word"}, {"a": True}]
    path = written(tmp_path, "\n".join(map(json.dumps, rows)))
    table = same_in_parts(path)
    assert table.column("a").tolist() == ["1", "2", "2.0", "3.5", "1", "word", "True"]
    assert "column 'a' holds values of type bool, float, int, str, read as text" in table.report
    assert len(table.report.about("mixed-types")) == 1


def test_integers_beyond_floats_stay_whole_in_every_batch(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonl, "ROWS", 2)
    path = written(tmp_path, "\n".join(f'{{"a": {n}}}' for n in (1, 2, 2**53 + 1, 2**53, 10**30, 2)))
    table = same_in_parts(path)
    assert table.column("a").tolist() == [1, 2, 2**53 + 1, 2**53, 10**30, 2]
    assert "beyond 2^53" in table.report


def test_big_integers_beside_fractions_are_floats(tmp_path):
    table = same_in_parts(written(tmp_path, f'{{"a": {10**30}}}\n{{"a": 0.5}}\n{{"a": 1{"0" * 400}}}\n'))
    assert table.column("a").tolist() == [1e30, 0.5, float("inf")]


def test_missing_kinds_levels_and_roles_are_heard(tmp_path):
    path = written(
        tmp_path,
        "".join(f'{{"id": {i}, "a": {i % 3}, "b": "{"uvw"[i % 3]}", "w": {i + 10}}}\n' for i in range(9)),
    )
    table = same_in_parts(
        path, kinds={"a": "nominal"}, levels={"b": ["u", "v"]}, ignore="id", weight="w", missing="2"
    )
    assert table.schema["a"].levels == (0, 1) and table.column("a").tolist() == [0, 1, None] * 3
    assert "column 'b': 3 values are not among the levels given" in table.report
    assert table.weights.tolist() == list(range(10, 19))


SCALAR = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 9), st.integers(), st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=3), st.sampled_from(["a b c", "d e f", "g h i", "1"]),
)  # fmt: skip


@given(
    st.lists(st.dictionaries(st.sampled_from("abc"), SCALAR, max_size=3), min_size=1, max_size=12).filter(
        lambda rows: any(rows)
    ),
    st.sampled_from([1, 2, 5]),
    st.fixed_dictionaries({}, optional={"target": st.just(0), "missing": st.just("1")}),
)
def test_parts_are_the_whole_and_the_whole_is_what_a_frame_would_be(rows, batch, options):
    text = "\n".join(json.dumps(row) for row in rows)
    before, jsonl.ROWS = jsonl.ROWS, batch
    try:
        dialect = Dialect(format="jsonl")
        try:
            table = same_in_parts(lambda: io.StringIO(text), sizes=(1, 4), dialect=dialect, **options)
        except DataError as error:
            assert "no input left" in str(error)
            return
    finally:
        jsonl.ROWS = before
    missing = options.get("missing")
    for name in table.schema.columns:
        cells = [row.get(name) for row in rows]
        known = [cell for cell in cells if cell is not None and str(cell) != missing]
        if {type(cell) for cell in known} <= {int, float} and all(abs(cell) <= 2**53 for cell in known):
            found = [str(v) if isinstance(v, str) else v for v in plain(table.column(name)) if v is not None]
            assert [float(v) for v in found] == [float(cell) for cell in known]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"a": [1, 2]}', "line 3 holds a list under 'a'"),
        ('{"a": {"b": 1}}', "line 3 holds an object under 'a'"),
        ("[1, 2]", "line 3 holds a list; each line must be an object"),
        ("3", "line 3 holds a number; each line must be an object"),
        ('{"a": 1', "line 3, character 8 is not valid JSON: Expecting ',' delimiter"),
        ('{"a": 1} {"a": 2}', "line 3, character 10 is not valid JSON: Extra data"),
        ('{"a": 1}, {"a": 2}', "line 3, character 9 is not valid JSON: Extra data"),
        ('{"a": "\x00"}', "line 3, character 8 is not valid JSON: Invalid control character"),
        ('{"a": ' + "[" * 100_000 + "}", "line 3 "),
        ('{"a": ' + "1" * 5000 + "}", "line 3 is not valid JSON: Exceeds the limit"),
    ],
)
@pytest.mark.parametrize("how", [acumen.read, acumen.scan])
def test_what_is_wrong_is_told_with_its_line(tmp_path, line, said, how):
    path = written(tmp_path, f'{{"a": 1}}\n\n{line}\n{{"a": 2}}\n', "bad.ndjson")
    with pytest.raises(DataError) as error:
        how(path)
    assert said in str(error.value) and "bad.ndjson" in str(error.value)


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_an_empty_file_is_told(tmp_path, text):
    with pytest.raises(DataError, match="has no rows"):
        acumen.read(written(tmp_path, text))


def test_objects_without_a_key_are_told(tmp_path):
    with pytest.raises(DataError, match="has no columns: all its objects are empty"):
        acumen.read(written(tmp_path, "{}\n{}\n"))


def test_compressed_and_in_utf_16(tmp_path):
    text = '{"a": 1, "b": "é"}\n{"a": 2, "b": "z"}\n'
    packed, wide = tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl"
    packed.write_bytes(gzip.compress(text.encode()))
    wide.write_text(text, encoding="utf-16")
    assert same_in_parts(packed).difference(same_in_parts(wide)) is None


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path):
    path = tmp_path / "latin.jsonl"
    path.write_bytes('{"a": "x"}\n{"a": "é"}\n'.encode("latin-1"))
    with pytest.raises(DataError, match="line 2 holds bytes that are not UTF-8"):
        acumen.read(path)
    assert same_in_parts(path, dialect=Dialect(encoding="latin-1")).column("a").tolist() == ["x", "é"]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}, {"a": 2}\n{"a": "x\ny"}\n',
        '{"a": 1}, {"a": 2}\n{"a": 3\n"b": 4}\n',
        '{"a": 1}, {"a": 2}\n{"a": "}\n{"}\n',
        '{"a": 1}, {"a": 2}\n{"a": [{}\n{}]}\n',
    ],
)
@pytest.mark.parametrize("how", [acumen.read, acumen.scan])
def test_a_line_never_completes_another(tmp_path, text, how):
    with pytest.raises(DataError, match=r"line [123]"):
        how(written(tmp_path, text))


def test_half_a_surrogate_is_kept_readable(tmp_path):
    assert acumen.read(written(tmp_path, '{"\\ud800": 1, "\\\\ud800": 2}\n')).schema.names == (
        "\\ud800",
        "\\ud800_2",
    )
    assert acumen.read(written(tmp_path, '{"a": "\\ud800"}\n{"a": "b"}\n')).column("a").tolist() == [
        "\\ud800",
        "b",
    ]


# -- what is odd and read all the same --------------------------------------------------------------


def test_repeated_keys_are_told_and_the_last_value_counts(tmp_path):
    text = '{"a": 1, "b": "x\\":y"}\n{"a": 2, "a": 3, "b": "z"}\n{"a": 1, "b": "t", "b": "u", "b": "v"}\n'
    table = same_in_parts(written(tmp_path, text))
    assert table.column("a").tolist() == [1, 3, 1] and table.column("b").tolist() == ['x":y', "z", "v"]
    (note,) = table.report.about("repeated-key")
    assert note.level == "warning" and note.lines == (2,) and note.count == 3 and "'a'" in note.text


def test_nan_and_infinity_are_told(tmp_path):
    text = (
        '{"a": 1, "b": "NaN"}\n{"a": NaN, "b": "y"}\n{"a": -Infinity, "b": NaN}\n{"a": Infinity, "b": "y"}\n'
    )
    table = same_in_parts(written(tmp_path, text))
    assert plain(table.column("a")) == [1, None, float("-inf"), float("inf")]
    (note,) = table.report.about("no-json")
    assert note.lines == (2,) and note.count == 4 and "NaN on line 2" in note.text
    (note,) = table.report.about("infinite")
    assert note.lines == (3,) and note.count == 2 and note.column == "a"


def test_numbers_beyond_doubles_are_told(tmp_path):
    table = same_in_parts(written(tmp_path, '{"a": 1}\n{"a": 1e400}\n'))
    assert table.column("a").tolist() == [1, float("inf")]
    assert table.report.about("infinite")[0].lines == (2,)


def test_ordinary_lines_have_no_such_notes(tmp_path):
    text = '{"a": 1, "b": "at 12:30"}\n{"a" : 2, "b" :"\\": "}\n'
    table = same_in_parts(written(tmp_path, text))
    assert not table.report.warnings


def test_lines_that_each_bring_a_key_of_their_own_are_refused_before_memory_is_filled(tmp_path):
    path = written(tmp_path, "".join(f'{{"k{i}": {i}}}\n' for i in range(12_000)))
    tracemalloc.start()
    for read in (acumen.read, acumen.scan):
        with pytest.raises(DataError, match=r"8,192 lines have 8,192 different keys but only 8,192 values"):
            read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 << 20


def test_a_wide_file_with_values_is_read(tmp_path):
    keys = [f"k{i}" for i in range(300)]
    path = written(tmp_path, "".join(json.dumps(dict.fromkeys(keys, i)) + "\n" for i in range(20)))
    assert len(same_in_parts(path).schema) == 300


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("batch", [1, 2, 100])
def test_an_array_of_objects_is_read_as_its_objects_on_lines(tmp_path, monkeypatch, indent, batch):
    monkeypatch.setattr(jsonl, "ROWS", batch)
    rows = [{"a": i, "b": "x\n[{" if i % 2 else None, "y": "pq"[i % 2]} for i in range(6)]
    lines = written(tmp_path, "\n".join(map(json.dumps, rows)))
    array = written(tmp_path, "\n " + json.dumps(rows, indent=indent) + "\n", "a.json")
    assert same_in_parts(array, target="y").difference(same_in_parts(lines, target="y")) is None


@pytest.mark.parametrize("batch", [1, 100])
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[", 1),
        ('[{"a": 1}', 1),
        ('[{"a": 1},\n]', 2),
        ('[{"a": 1}]\n{"a": 2}', 1),
        ('[{"a": 1}\n{"a": 2}]', 2),
        ('[{"a": 1},\n\n{"a":}]', 3),
        ("[" * 100_000, 1),
    ],
)
def test_an_array_that_is_none_is_told_with_its_line(tmp_path, monkeypatch, text, line, batch):
    monkeypatch.setattr(jsonl, "ROWS", batch)
    with pytest.raises(DataError, match=f"line {line} does not continue the array of objects"):
        acumen.read(written(tmp_path, text, "a.json"))


def test_an_array_holds_flat_objects_alone(tmp_path):
    with pytest.raises(DataError, match="line 2 holds a list under 'a'"):
        acumen.read(written(tmp_path, '[{"a": 1},\n{"a": [1]}]', "a.json"))
    with pytest.raises(DataError, match="line 1 holds a number"):
        acumen.read(written(tmp_path, "[1, 2]", "a.json"))
    with pytest.raises(DataError, match="has no rows"):
        acumen.read(written(tmp_path, "[ ]", "a.json"))
