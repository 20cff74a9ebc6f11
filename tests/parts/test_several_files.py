"""A pattern, a list of paths and a plan of the same files are one table, and give one model."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import acumen
from acumen.errors import DataError
from acumen.store import save


def _written(folder: Path, *texts: str) -> list[Path]:
    made = [folder / f"part{i}.csv" for i in range(len(texts))]
    for path, text in zip(made, texts, strict=True):
        path.write_text(text)
    return made


def _bytes(model, path: Path) -> bytes:
    save(model, path, summary=True)
    return path.read_bytes()


def _rows(head: str, *rows: str) -> str:
    return "\n".join([head, *rows]) + "\n"


NUMBERS = _rows("k,x,y", *(f"{i % 4},{i / 7:.3f},{'pn'[i % 2]}" for i in range(24)))
WORDS = _rows("k,x,y", *(f"{'abc'[i % 3]},{i / 5:.3f},{'pnq'[i % 3]}" for i in range(30)))
MESSY = {
    "numbers and words": ((NUMBERS, WORDS), {}),
    "words and numbers": ((WORDS, NUMBERS), {}),
    "columns in another order": ((NUMBERS, _rows("y,x,k", *(f"p,{i},b" for i in range(20)))), {}),
    "other delimiters": ((NUMBERS, WORDS.replace(",", ";"), WORDS.replace(",", "\t")), {}),
    "a header alone, first and last": (("k,x,y\n", NUMBERS, WORDS, "k,x,y\n"), {}),
    "classes that are numbers in one file and words in another": (
        (_rows("x,y", *(f"{i},{i % 2}" for i in range(20))), _rows("x,y", *(f"{i},no" for i in range(20)))),
        {},
    ),
    "levels that are one": ((NUMBERS, WORDS), {"merge": {"k": {"a": "b"}}}),
    "levels in an order": (
        (
            _rows("o,y", *("low,p", "mid,n") * 9),
            _rows("o,y", *("high,p", "mid,n") * 9),
        ),
        {"levels": {"o": ["low", "mid", "high"]}, "kinds": {"o": "ordinal"}},
    ),
    "dates": (
        (
            _rows("d,y", *(f"0{i % 9 + 1}/02/2023,{'pn'[i % 2]}" for i in range(20))),
            _rows("d,y", *(f"{i + 10}/02/2023,{'pn'[i % 2]}" for i in range(18))),
        ),
        {"date_order": "dmy"},
    ),
    "by position": ((NUMBERS, WORDS), {"target": -1, "kinds": {0: "nominal"}}),
    "few inputs of many": ((NUMBERS, WORDS), {"columns": ["x"]}),
    "a gap in one file": ((NUMBERS, _rows("k,x,y", *(f",{i},n" for i in range(20)))), {}),
    "a word for what is missing": ((NUMBERS, WORDS), {"missing": ["a"]}),
}


@pytest.mark.parametrize("case", MESSY)
def test_a_pattern_and_a_plan_of_the_same_files_give_the_same_model(case, tmp_path):
    texts, options = MESSY[case]
    paths = _written(tmp_path, *texts)
    options = {"target": "y", **options}
    pattern = str(tmp_path / "part*.csv")
    learner = acumen.NaiveBayes()
    plan = acumen.parts.plan(paths, learner, **options)
    door = _bytes(
        acumen.parts.merge([acumen.parts.summarise(path, plan) for path in paths]).fit(), tmp_path / "m.acm"
    )
    streamed = acumen.NaiveBayes().fit_stream(acumen.scan(pattern, rows=7, **options))
    assert _bytes(streamed, tmp_path / "m.acm") == door
    assert _bytes(acumen.NaiveBayes().fit(acumen.read(paths, **options)), tmp_path / "m.acm") == door


@pytest.mark.parametrize("case", ["numbers and words", "other delimiters", "dates"])
def test_several_files_can_be_read_from_the_middle(case, tmp_path):
    texts, options = MESSY[case]
    _written(tmp_path, *texts)
    pattern = str(tmp_path / "part*.csv")
    parts = acumen.scan(pattern, target="y", rows=11, **options)
    whole = acumen.read(pattern, target="y", **options)
    for i in range(len(parts)):
        assert parts.block(i).difference(whole.take(slice(11 * i, 11 * i + 11))) is None


def test_what_is_told_once_may_be_told_by_an_iterator(tmp_path):
    _written(tmp_path, NUMBERS, WORDS)
    table = acumen.read(str(tmp_path / "part*.csv"), target="y", columns=iter(["x"]), ignore=iter(["k"]))
    assert table.schema.names == ("x",)


def test_rows_are_read_like_those_of_a_model(tmp_path):
    paths = _written(tmp_path, *MESSY["dates"][0])
    model = acumen.NaiveBayes().fit(acumen.read(paths, target="y", date_order="dmy"))
    like = acumen.read([paths[0], paths[0]], target="y", like=model.schema_)
    whole = acumen.read(paths, target="y", date_order="dmy")
    assert like.column("d").tolist()[:20] == whole.column("d").tolist()[:20]


def test_dates_that_files_write_in_two_orders_are_a_sentence(tmp_path):
    one, other = ("13/02/2023,p", "14/02/2023,n"), ("02/13/2023,p", "02/14/2023,n")
    _written(tmp_path, _rows("d,y", *one * 5), _rows("d,y", *other * 5))
    with pytest.raises(
        DataError, match=r"column 'd' has the format .* in .*part0\.csv but .* in .*part1\.csv"
    ):
        acumen.read(str(tmp_path / "part*.csv"), target="y")


def test_a_column_that_is_carried_along_must_be_in_every_file(tmp_path):
    _written(tmp_path, _rows("id,x,y", "1,2,p", "2,3,n"), _rows("ids,x,y", "1,2,p", "2,3,n"))
    with pytest.raises(DataError, match="no column 'id'"):
        acumen.read(str(tmp_path / "part*.csv"), target="y", ignore="id")


def test_files_of_headers_alone_are_a_sentence(tmp_path):
    _written(tmp_path, "x,y\n", "x,y\n")
    with pytest.raises(DataError, match="has a header but no rows"):
        acumen.scan(str(tmp_path / "part*.csv"), target="y")


def _typed(folder, name, values):
    path = folder / name
    pd.DataFrame({"a": values, "b": range(len(values)), "y": ["p", "n"] * (len(values) // 2)}).to_parquet(
        path
    )
    return path


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["x", "z"] * 4, "text"),
        (pd.to_datetime(["2023-01-01", "2023-01-02"] * 4), "dates"),
        ([True, False] * 4, "truth values"),
    ],
)
def test_files_that_state_two_types_of_a_column_are_refused_by_name(tmp_path, values, said):
    _typed(tmp_path, "0.parquet", [1.5, 2.5] * 4)
    _typed(tmp_path, "1.parquet", values)
    sentence = (
        rf"column 'a' holds numbers in .*0\.parquet but {said} in .*1\.parquet\. Use kinds={{'a': 'nominal'}}"
    )
    for ask in (
        acumen.read,
        acumen.scan,
        lambda paths, **o: acumen.parts.plan(paths, acumen.NaiveBayes(), **o),
    ):
        with pytest.raises(DataError, match=sentence):
            ask(sorted(map(str, tmp_path.glob("*.parquet"))), target="y")
    if said == "text":
        table = acumen.read(str(tmp_path / "*.parquet"), target="y", kinds={"a": "nominal"})
        assert table.schema["a"].levels == ("1.5", "2.5", "x", "z") or set(table.schema["a"].levels) == {
            1.5,
            2.5,
            "x",
            "z",
        }
    assert acumen.read(str(tmp_path / "*.parquet"), target="y", ignore="a").schema.names == ("b",)


def test_a_file_without_values_in_a_column_states_no_type_of_it(tmp_path):
    _typed(tmp_path, "0.parquet", [None] * 8)
    _typed(tmp_path, "1.parquet", ["x", "z"] * 4)
    table = acumen.read(str(tmp_path / "*.parquet"), target="y")
    assert table.schema["a"].levels == ("x", "z") and len(table) == 16


def test_reading_and_scanning_know_dates_behind_a_file_without_values(tmp_path):
    _typed(tmp_path, "0.parquet", [None] * 8)
    _typed(tmp_path, "1.parquet", pd.to_datetime(["2023-01-01", "2023-01-02"] * 4))
    scanned = acumen.scan(str(tmp_path / "*.parquet"), target="y")
    assert scanned.schema["a"].form
    for table in (acumen.read(str(tmp_path / "*.parquet"), target="y"), *scanned):
        assert table.schema["a"].form == scanned.schema["a"].form
