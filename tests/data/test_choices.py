"""What a reader was told travels with the schema, and is repeated with new rows by itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import acumen
from acumen.data.align import align
from acumen.data.choices import Choices
from acumen.errors import DataError

TOLD = {
    "merge": {"net": {"fiber": "Fibre", "dsl": "DSL"}},
    "missing": ["-999", "unknown"],
    "not_missing": "None",
}
TRAIN = "net,age,pet,y\nFibre,20,None,a\nfiber,-999,cat,b\nDSL,30,None,a\ndsl,unknown,cat,b\n"
NEW = "net,age,pet\nfiber,-999,None\ndsl,unknown,cat\nDSL,7,dog\n"


@pytest.fixture
def model(tmp_path: Path):
    (tmp_path / "train.csv").write_text(TRAIN)
    fitted = acumen.NaiveBayes().fit(acumen.read(tmp_path / "train.csv", target="y", **TOLD))
    acumen.save(fitted, tmp_path / "m.acm")
    return acumen.load(tmp_path / "m.acm")


def test_new_files_are_read_as_the_training_table_was(model, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text(NEW)
    for parts in (
        [acumen.read(tmp_path / "new.csv", like=model.schema_)],
        acumen.scan(tmp_path / "new.csv", like=model.schema_, rows=2),
    ):
        rows = [align(part, model.schema_) for part in parts]
        assert [level for part in rows for level in part.column("net")] == ["Fibre", "DSL", "DSL"]
        assert [value for part in rows for value in part.column("age")][2] == 7.0
        assert [value for part in rows for value in part.column("pet")] == ["None", "cat", None]
        assert sum(int(np.isnan(part.column("age")).sum()) for part in rows) == 2


def test_frames_are_taken_in_by_the_same_choices(model) -> None:
    told = pd.DataFrame({"net": ["fiber", "dsl"], "age": [-999.0, 30.0], "pet": ["None", "cat"]})
    plain = pd.DataFrame({"net": ["Fibre", "DSL"], "age": [np.nan, 30.0], "pet": ["None", "cat"]})
    assert np.array_equal(model.predict_proba(told), model.predict_proba(plain))
    numbers = acumen.NaiveBayes().fit(
        acumen.read(pd.DataFrame({"x": [1.0, -9, 3, 4], "y": list("abab")}), target="y", missing=-9)
    )
    new = pd.DataFrame({"x": [-9.0, 2.0]})
    assert np.array_equal(
        numbers.predict_proba(new), numbers.predict_proba(pd.DataFrame({"x": [np.nan, 2.0]}))
    )


def test_what_is_said_anew_comes_first(model, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("net,age,pet\nfiber,1,None\nDSL,2,cat\n")
    table = acumen.read(tmp_path / "new.csv", like=model.schema_, missing="None")
    assert list(table.column("pet")) == [None, "cat"]


def test_schemas_keep_choices_and_compare_without_them() -> None:
    schema = acumen.read(pd.DataFrame({"net": ["a", "b"], "x": [1.0, 2]}), missing="?").schema
    again = acumen.Schema.from_json(schema.to_json())
    assert again == schema and again["x"].choices == Choices(missing=("?",))
    assert not acumen.read(pd.DataFrame({"x": [1.0]})).schema.has_choices


@pytest.mark.parametrize(
    "stored",
    [[], {"missing": "x"}, {"missing": [1]}, {"merge": [["a"]]}, {"merge": [["a", None]]}, {"other": []}],
)
def test_stored_choices_are_not_trusted(stored: object) -> None:
    with pytest.raises(DataError, match="stored"):
        acumen.Attribute.from_dict({"name": "x", "kind": "numeric", "choices": stored})
