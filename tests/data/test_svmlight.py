"""svmlight and libsvm files: the reference, scikit-learn's reader, and sentences for what is wrong."""

from __future__ import annotations

import io
import warnings
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

TEXT = "# made by hand\n+1 qid:3 1:0.5 4:2 # first\n-1 qid:3 2:1\n\n+1 qid:4 3:1e3 4:-0.25\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.svm"
    path.write_text(TEXT)
    return path


def test_rows_labels_and_query_ids(file):
    table = same_in_parts(file)
    assert table.sparse.toarray().tolist() == [[0.5, 0, 0, 2], [0, 1, 0, 0], [0, 0, 1000, -0.25]]
    assert table.schema.names == ("x1", "x2", "x3", "x4")
    assert table.label_values().tolist() == ["1", "-1", "1"]
    assert table.column("qid").tolist() == [3, 3, 4] and table.schema.ignored[0].name == "qid"


def test_positions_from_zero_keep_their_names(tmp_path):
    path = tmp_path / "zero.libsvm"
    path.write_text("0 0:1 2:3\n1 1:2\n")
    table = same_in_parts(path)
    assert table.schema.names == ("x0", "x1", "x2")
    assert table.sparse.toarray().tolist() == [[1, 0, 3], [0, 2, 0]]


def test_fractions_as_labels_are_regressed_on(tmp_path):
    path = tmp_path / "a.svmlight"
    path.write_text("0.5 1:1\n2.25 1:2\n")
    table = same_in_parts(path)
    assert table.response.tolist() == [0.5, 2.25]


def test_roles_may_be_given(file):
    table = same_in_parts(file, target="x4", ignore=["x1"])
    assert table.schema.names == ("target", "x2", "x3")
    assert table.response.tolist() == [2, 0, -0.25]
    assert table.column("x1").tolist() == [0.5, 0, 0]


def test_any_name_will_do_with_a_format():
    table = acumen.read(io.StringIO("1 1:1\n-1 1:2\n"), dialect=Dialect(format="svmlight"))
    assert table.sparse.toarray().ravel().tolist() == [1, 2]


def test_the_same_as_scikit_learns_reader(tmp_path):
    from sklearn.datasets import dump_svmlight_file, load_svmlight_file

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 40)) * (rng.random((300, 40)) < 0.1)
    X[0, -1], X[:, 0] = 1.5, np.arange(300) % 7
    path = str(tmp_path / "made.svm")
    dump_svmlight_file(X, rng.integers(0, 3, 300), path, zero_based=False)
    matrix, labels = load_svmlight_file(path)
    table = same_in_parts(path, sizes=(37,))
    assert (table.sparse != matrix).nnz == 0
    assert [float(v) for v in table.label_values()] == labels.tolist()


VALUE = st.floats(allow_nan=False, allow_infinity=False, width=32)
ROW = st.tuples(
    st.integers(-5, 5), st.none() | st.integers(0, 9), st.dictionaries(st.integers(1, 60), VALUE, max_size=6)
)


@given(st.lists(ROW, min_size=1, max_size=12), st.integers(1, 30), st.sampled_from(["\n", "\r\n"]))
def test_the_kernel_gives_what_its_twin_gives_however_the_text_is_cut(rows, step, end):
    lines = []
    for label, query, cells in rows:
        qid = [] if query is None else [f"qid:{query}"]
        lines.append(" ".join([str(label), *qid, *(f"{j}:{cells[j]!r}" for j in sorted(cells))]) + " # note")
    text = end.join(lines)
    labels, queries, expected = sparse_text.svmlight(text.replace("\r", ""))
    reader = _native.SvmReader(1000, 100)
    data = np.frombuffer(text.encode(), np.uint8)
    for start in range(0, len(data), step):
        reader.feed(data[start : start + step])
    reader.feed(data[:0], last=True)
    assert reader.fault == 0
    starts, positions, values = reader.starts(), reader.positions(), reader.values()
    found = [
        dict(zip(positions[a:b].tolist(), values[a:b].tolist(), strict=True)) for a, b in pairwise(starts)
    ]
    assert found == expected and reader.labels().tolist() == labels
    assert [None if np.isnan(q) else q for q in reader.queries()] == queries


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("word 1:2", "line 2 must begin with a number, the label; it begins with 'word'"),
        ("1,2 1:2", "line 2 has several labels, '1,2'"),
        ("1 2", "line 2 holds '2', which is not position:value"),
        ("1 a:2", "line 2 holds 'a:2', which is not position:value"),
        ("1 1:x", "line 2 holds '1:x', which is not position:value"),
        ("1 3:1 3:2", "line 2 holds '3:2' after an equal or higher position"),
        ("1 3:1 2:2", "positions must increase"),
        ("1 4000000000:1", "positions above 2,000,000 are refused"),
        ("1 qid:x 1:1", "line 2 holds 'qid:x'; a query id must be a whole number"),
        ("1 1:1\x00", "line 2 holds a NUL byte"),
    ],
)
@pytest.mark.parametrize("how", [acumen.read, acumen.scan])
def test_what_is_wrong_is_told_with_its_line(tmp_path, line, said, how):
    path = tmp_path / "bad.svm"
    path.write_text(f"1 1:1\n{line}\n1 1:1\n")
    with pytest.raises(DataError, match=r"bad\.svm: ") as error:
        how(path)
    assert said in str(error.value)


@pytest.mark.parametrize("text", ["", "\n\n# only a comment\n", "1\n-1\n"])
def test_a_file_that_names_no_position_is_refused(tmp_path, text):
    path = tmp_path / "none.svm"
    path.write_text(text)
    with pytest.raises(DataError, match="no data to train on"):
        acumen.read(path)


def test_a_dialect_that_means_nothing_here_is_refused(file):
    with pytest.raises(ParameterError, match="an svmlight file has no delimiter"):
        acumen.read(file, dialect=Dialect(delimiter=","))


def test_a_model_takes_files_that_name_fewer_columns(tmp_path):
    train, later = tmp_path / "train.svm", tmp_path / "later.svm"
    train.write_text(
        "".join(f"{1 if i % 2 else -1} {1 if i % 2 else 3}:1 4:{i % 3 + 1}\n" for i in range(30))
    )
    later.write_text("1 1:1\n-1 2:5\n")  # knows nothing of x3 and x4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = acumen.NaiveBayes().fit(acumen.read(train))
    full = tmp_path / "full.svm"
    full.write_text("1 1:1 4:0\n-1 2:5 4:0\n")
    np.testing.assert_array_equal(
        model.predict_proba(acumen.read(later)), model.predict_proba(acumen.read(full))
    )


def test_numbers_beyond_doubles_are_told(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 1:0.5\n-1 2:1e400 3:-1e999\n1 1:2\n")
    table = acumen.read(path)
    assert table.sparse is not None and np.isinf(table.sparse.toarray()).sum() == 2
    (note,) = table.report.about("infinite")
    assert note.level == "warning" and note.lines == (2,) and note.count == 2 and "2:1e400" in note.text
    assert [str(n) for n in acumen.scan(path, rows=1).report] == [str(n) for n in table.report]
