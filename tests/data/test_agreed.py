"""Several files as one table: the schema of all is the one of a single file of their rows."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import acumen
from acumen.data.concat import concat
from acumen.data.shared_schema import agree, scan_like
from acumen.errors import DataError


def files_of(folder, *texts):
    made = []
    for i, text in enumerate(texts):
        path = folder / f"{i}.csv"
        path.write_text(text)
        made.append((path.name, partial(acumen.scan, path)))
    return made


def together(files, **options):
    """The rows of all files under the schema they agree on."""
    agreed = agree(files, **options)
    parts = [part for name, scan in files for part in scan_like(scan, agreed.schema, agreed.options, name)]
    return agreed.schema, concat(parts)


def same(table, other):
    assert table.schema.difference(other.schema) is None
    for mine, theirs in zip(table.numeric.columns, other.numeric.columns, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    for mine, theirs in zip(table.nominal.columns, other.nominal.columns, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    for mine, theirs in zip(table.text, other.text, strict=True):
        assert mine.tolist() == theirs.tolist()
    for mine, theirs in ((table.labels, other.labels), (table.response, other.response)):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(table.row_weights, other.row_weights)
    pairs = zip(table.schema.attributes, other.schema.attributes, strict=True)
    assert all(a.form == b.form and a.choices == b.choices for a, b in pairs)


CELLS = {
    "numbers": ["1", "2.5", "-3", "", "1e3"],
    "words": ["a", "b", "New York", "", "zz top"],
    "either": ["1", "2", "x", "", "3.0"],
    "perhaps": ["None", "one", "-", "two", ""],
    "dates": ["2024-01-02", "2023-12-31", ""],
    "money": ["1,234.50", "950.00", "", "12.25"],
    "codes": ["007", "12", "3", ""],
    "classes": ["0", "1", "2", ""],
}


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_files_agree_on_what_a_single_file_of_their_rows_is(data, tmp_path):
    columns = data.draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=3, unique=True))
    target = data.draw(st.sampled_from(["classes", "words", "numbers", None]))
    names = [*(f"c {name}" for name in columns), "pad", *(["y"] if target else [])]
    rows = data.draw(st.integers(8, 30))
    drawn = [
        data.draw(st.lists(st.sampled_from(CELLS[name]), min_size=rows, max_size=rows)) for name in columns
    ]
    drawn.append([f"{i % 5}.5" for i in range(rows)])
    if target:
        drawn.append(data.draw(st.lists(st.sampled_from(CELLS[target]), min_size=rows, max_size=rows)))
    lines = [
        ",".join(f'"{cell}"' if "," in cell else cell for cell in row) for row in zip(*drawn, strict=True)
    ]
    cuts = sorted(data.draw(st.sets(st.integers(1, rows - 1), max_size=3)))
    borders = [0, *cuts, rows]
    head = ",".join(names)
    texts = ["\n".join([head, *lines[a:b]]) + "\n" for a, b in itertools.pairwise(borders)]
    (tmp_path / "all.csv").write_text("\n".join([head, *lines]) + "\n")
    kinds = {"y": "numeric" if target == "numbers" else "nominal"} if target else {}
    # Money and dates are found by how a whole column is written: told here, as files of few rows leave them open.
    kinds |= {f"c {name}": "numeric" for name in ("money", "dates", "numbers") if name in columns}
    kinds |= {f"c {name}": "nominal" for name in ("codes", "perhaps") if name in columns}
    options = {"kinds": kinds, **({"target": "y"} if target else {})}
    try:
        whole = acumen.read(tmp_path / "all.csv", **options)
    except DataError:
        return  # nobody can read it
    try:
        schema, table = together(files_of(tmp_path, *texts), **options)
    except DataError as error:
        # A file of few rows may not show the order of its dates or its decimal mark: then an error gives advice.
        assert any(word in str(error) for word in ("Choose one with", "Use ", "use ", "set ", "holds")), error
        return
    same(table, whole)
    assert schema.names == whole.schema.names


def test_levels_are_those_of_all_files_in_the_usual_order_whoever_had_them_first(tmp_path):
    texts = ["c,n,y\nz,10,b\nm,9,b\n", "c,n,y\na,x,a\n", "c,n,y\nnew one,2,c\n"]
    files = files_of(tmp_path, *texts)
    schema, table = together(files, target="y")
    assert schema["c"].levels == ("a", "m", "new one", "z") and schema.classes == ("a", "b", "c")
    assert schema["n"].levels == ("10", "2", "9", "x")
    assert table.column("c").tolist() == ["z", "m", "a", "new one"]
    other, _ = together(files[::-1], target="y")
    assert other.difference(schema) is None


def test_whole_numbers_are_classes_only_where_they_are_few_in_all_files(tmp_path):
    few = "x,y\n" + "".join(f"{i}.5,{i % 3}\n" for i in range(20))
    many = "x,y\n" + "".join(f"{i}.5,{i}\n" for i in range(60))
    assert agree(files_of(tmp_path, few, few), target="y").schema.target.kind == "nominal"
    assert agree(files_of(tmp_path, few, many), target="y").schema.target.kind == "numeric"
    halves = ["x,y\n" + "".join(f"{i}.5,{i}\n" for i in range(a, a + 30)) for a in (0, 30)]
    assert agree(files_of(tmp_path, *halves), target="y").schema.target.kind == "numeric"


def test_a_file_of_a_header_alone_says_nothing_and_has_no_rows(tmp_path):
    files = files_of(tmp_path, "x,y\n", "x,y\n1.5,a\n2,b\n", "x,y\n")
    schema, table = together(files, target="y")
    assert len(table) == 2 and schema.classes == ("a", "b")
    with pytest.raises(DataError, match="has a header but no rows"):
        agree(files[:1], target="y")


def test_levels_that_are_one_are_so_in_all_files_also_where_a_file_has_none_of_them(tmp_path):
    texts = ["c,y\nfibre,a\nfiber,b\n", "c,y\nnone at all,a\n"]
    merge = {"c": {"fiber": "fibre"}}
    _schema, table = together(files_of(tmp_path, *texts), target="y", merge=merge)
    assert table.column("c").tolist() == ["fibre", "fibre", "none at all"]
    (tmp_path / "all.csv").write_text("c,y\nfibre,a\nfiber,b\nnone at all,a\n")
    same(table, acumen.read(tmp_path / "all.csv", target="y", merge=merge))
    with pytest.raises(DataError, match="merge= names 'fibbre' in column 'c', which has no such level"):
        agree(files_of(tmp_path, *texts), target="y", merge={"c": {"fibbre": "fibre"}})


def test_columns_given_by_position_are_those_of_the_first_file_and_may_stand_elsewhere_in_others(tmp_path):
    files = files_of(tmp_path, "y,x,w\na,1.5,2\nb,2.5,1\n", "w,x,y\n3,9.5,a\n")
    schema, table = together(files, target=0, weight=2)
    assert schema.target.name == "y" and table.numeric.columns[0].tolist() == [1.5, 2.5, 9.5]
    assert table.row_weights.tolist() == [2, 1, 3]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["x,y\n1.5,a\n2,b\n", "z,y\n1.5,a\n2,b\n"], r"1\.csv has no column 'x', but 0\.csv has"),
        (["x,y\n1.5,a\n2,b\n", "x,y,z\n1.5,a,1\n2,b,1\n"], r"0\.csv has no column 'z', but 1\.csv has"),
        (["x,y\n1.5,1\n2,2\n", "x,y\n1.5,1.0\n2,2.0\n"], r"'1' in one file and '1\.0' in another"),
    ],
)
def test_what_files_cannot_agree_on_is_a_sentence(tmp_path, texts, said):
    with pytest.raises(DataError, match=said):
        agree(files_of(tmp_path, *texts), target="y")


def test_a_level_that_was_not_agreed_on_is_a_sentence_unless_levels_were_given(tmp_path):
    files = files_of(tmp_path, "c,y\nu,a\nv,b\n", "c,y\nu,a\n")
    agreed = agree(files, target="y")
    (tmp_path / "1.csv").write_text("c,y\nw,a\n")
    with pytest.raises(DataError, match="column 'c' holds a value that none of the files had"):
        list(scan_like(files[1][1], agreed.schema, agreed.options, "1.csv"))
    given = agree(files, target="y", levels={"c": ["u", "v"]})
    (part,) = scan_like(files[1][1], given.schema, given.options, "1.csv")
    assert part.nominal.columns[0].tolist() == [-2]


def test_parquet_and_arff_and_text_agree(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    for i, levels in enumerate((["b", "a"], ["c", "a"])):
        pq.write_table(
            pa.table({"c": levels, "x": [1.5, 2.0], "y": ["no", "yes"]}), tmp_path / f"{i}.parquet"
        )
    (tmp_path / "2.csv").write_text("c,x,y\nd,7.25,no\n")
    paths = [tmp_path / name for name in ("0.parquet", "1.parquet", "2.csv")]
    schema, table = together([(path.name, partial(acumen.scan, path)) for path in paths], target="y")
    assert schema["c"].levels == ("a", "b", "c", "d")
    assert table.column("c").tolist() == ["b", "a", "c", "a", "d"]
    assert table.numeric.columns[0].tolist() == [1.5, 2.0, 1.5, 2.0, 7.25]
