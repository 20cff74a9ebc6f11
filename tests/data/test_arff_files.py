"""Real ARFF files read with the counts that were taken of them by other means."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from acumen import Table, read, scan
from acumen.errors import DataError

FILES = [
    "anneal",
    "audiology",
    "autos",
    "bank",
    "breast-w",
    "car",
    "contact-lenses",
    "credit-g",
    "diabetes",
    "glass",
    "hepatitis",
    "hypothyroid",
    "iris",
    "kr-vs-kp",
    "labor",
    "letter",
    "monks-1-test",
    "monks-1-train",
    "mushroom",
    "segment",
    "sonar",
    "soybean",
    "spect_test",
    "spect_train",
    "splice",
    "titanic",
    "vote",
    "weather.nominal",
    "weather.numeric",
    "zoo",
]


@pytest.fixture(scope="module")
def manifest(shared_data: Path) -> dict[str, dict[str, str]]:
    """The counts taken of each file, by its name."""
    with (shared_data / "MANIFEST.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["file"].endswith(".arff")]
    return {row["file"].removesuffix(".arff"): row for row in rows}


def test_every_file_of_the_manifest_is_listed(manifest: dict[str, dict[str, str]]) -> None:
    assert sorted(manifest) == sorted(FILES)


def missing_inputs(table: Table) -> int:
    numbers = sum(int(np.isnan(values).sum()) for _, values in table.numeric_columns())
    codes = sum(int((codes < 0).sum()) for _, codes in table.nominal_columns())
    return numbers + codes + sum(int(np.equal(text, None).sum()) for _, text in table.text_columns())


@pytest.mark.parametrize("name", FILES)
def test_a_file_reads_with_the_counts_of_the_manifest(
    name: str, manifest: dict[str, dict[str, str]], shared_data: Path
) -> None:
    row = manifest[name]
    table = read(shared_data / row["file"], target=row["class_attribute"])
    schema = table.schema
    assert table.labels is not None
    counts = np.bincount(table.labels[table.labels >= 0], minlength=schema.n_classes)
    found = {
        "rows": len(table),
        "attributes": len(schema),
        "numeric": len(schema.numeric),
        "nominal": len(schema.nominal),
        "string": len(schema.text),
        "classes": int(np.count_nonzero(counts)),
        "missing": missing_inputs(table),
    }
    assert found == {name: int(row[name]) for name in found}
    assert round(counts.max() / len(table), 4) == float(row["majority"])
    assert not (table.labels < 0).any()


@pytest.mark.parametrize("name", FILES)
def test_scanning_a_file_gives_the_table_that_reading_gives(name: str, shared_data: Path) -> None:
    whole = read(shared_data / f"{name}.arff")
    parts = scan(shared_data / f"{name}.arff", rows=97)
    assert (parts.schema, parts.n_rows) == (whole.schema, len(whole))
    taken = [*parts]
    assert [len(part) for part in taken] == [
        min(97, len(whole) - start) for start in range(0, len(whole), 97)
    ]
    assert np.array_equal(np.concatenate([p.labels for p in taken]), whole.labels)  # type: ignore[type-var,arg-type]
    for j in range(len(whole.schema.numeric)):
        column = np.concatenate([part.numeric.columns[j] for part in taken])
        assert np.array_equal(column, whole.numeric.columns[j], equal_nan=True)
    for j in range(len(whole.schema.nominal)):
        assert np.array_equal(np.concatenate([p.nominal.columns[j] for p in taken]), whole.nominal.columns[j])


def test_anneal_has_its_quoted_question_marks_as_values(shared_data: Path) -> None:
    table = read(shared_data / "anneal.arff")
    assert sum("?" in attribute.levels for attribute in table.schema.nominal) == 29
    assert missing_inputs(table) == 0


# -- the files SciPy tests its own reader with ------------------------------------------------------


@pytest.fixture(scope="module")
def scipy_files() -> Path:
    import scipy.io

    folder = Path(scipy.io.__file__).parent / "arff" / "tests" / "data"
    if not folder.is_dir():
        pytest.skip("this SciPy came without its tests")
    return folder


#: file -> rows, numeric, nominal and text inputs, missing inputs
READ = {
    "iris": (150, 4, 0, 0, 0),
    "missing": (3, 1, 0, 0, 1),
    "quoted_nominal": (6, 1, 0, 0, 0),
    "quoted_nominal_spaces": (6, 1, 0, 0, 0),
    "test1": (1, 4, 0, 0, 0),
    "test4": (3, 4, 0, 0, 0),
    "test5": (3, 4, 0, 0, 0),
    "test6": (3, 4, 0, 0, 0),
    "test7": (6, 4, 0, 0, 0),
    "test8": (6, 1, 0, 0, 0),
    "test11": (3, 4, 0, 0, 0),
}
#: file -> why it is refused
REFUSED = {
    "nodata": "no rows",
    "test2": r"line 15.*5 fields.*10",  # ten attributes are declared, the row has five fields
    "test3": r"line 3: attribute 'attr0' has the type 'crap'",
    "test9": r"line 3: attribute 'attr_date_number' is relational",
    "test10": r"line 3: attribute 'attr_relational' is relational",
}


def test_every_file_of_scipy_is_listed(scipy_files: Path) -> None:
    assert {path.stem for path in scipy_files.glob("*.arff")} == {*READ, *REFUSED}


@pytest.mark.parametrize("name", READ)
def test_a_file_of_scipy_reads(name: str, scipy_files: Path) -> None:
    table = read(scipy_files / f"{name}.arff")
    schema = table.schema
    kinds = (len(schema.numeric), len(schema.nominal), len(schema.text))
    assert (len(table), *kinds, missing_inputs(table)) == READ[name]


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_of_scipy_is_refused_for_a_stated_reason(name: str, scipy_files: Path) -> None:
    with pytest.raises(DataError, match=REFUSED[name]):
        read(scipy_files / f"{name}.arff")


def test_dates_agree_with_scipy(scipy_files: Path) -> None:
    from scipy.io.arff import loadarff

    rows, _ = loadarff(scipy_files / "test7.arff")
    table = read(scipy_files / "test7.arff", target="attr_datetime_missing")
    for name in table.schema.names:
        days = rows[name].astype("datetime64[m]").astype(float) / 1440
        assert table.column(name) == pytest.approx(days, abs=1e-9), name
    response = rows["attr_datetime_missing"].astype("datetime64[m]")
    assert table.response is not None
    assert np.array_equal(np.isnan(table.response), np.isnat(response))


@pytest.mark.parametrize("name", ["iris", "test11", "quoted_nominal_spaces"])
def test_values_agree_with_scipy(name: str, scipy_files: Path) -> None:
    from scipy.io.arff import loadarff

    rows, meta = loadarff(scipy_files / f"{name}.arff")
    table = read(scipy_files / f"{name}.arff")
    for column in meta.names():
        theirs = [v.decode() if isinstance(v, bytes) else v for v in rows[column].tolist()]
        assert table.column(column).tolist() == theirs
