"""What workers write of each prediction is what the command writes on one machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.cli.main import run
from acumen.errors import ParameterError

N = 70_000


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A model, rows to be predicted in a text, and few rows in two files: cells that are written for people."""
    folder = tmp_path_factory.mktemp("answers")
    rng = np.random.default_rng(5)
    lines = [
        f"{number:.2f},2024-{i % 12 + 1:02d}-03,{'=u' if i % 3 else 'v, w'},{'np'[int(number > 0)]}\n"
        for i, number in enumerate(rng.normal(size=N))
    ]
    lines = [line.replace(",v, w,", ',"v, w",') for line in lines]
    lines[7] = "2e1,,,n\n"
    header = "number,day,level,y\n"
    (folder / "t.csv").write_text(header + "".join(lines))
    (folder / "a.csv").write_text(header + "".join(lines[:900]))
    (folder / "b.csv").write_text(header + "".join(lines[900:1500]))
    assert run(["learn", str(folder / "a.csv"), "--target", "y", "-o", str(folder / "m.acm")]) == 0
    return folder / "m.acm", folder / "t.csv", folder


def _both(cluster: Any, model: Path, source: str, folder: Path, flags: list[str]) -> tuple[str, str]:
    """What is written here, and what workers write, their files put together."""
    here, there = folder / "here.csv", folder / "there.csv"
    assert run(["predict", str(model), source, "-o", str(here), *flags]) == 0
    address = cluster.client.scheduler_info()["address"]
    flags = [*flags, "--engine", "dask", "--scheduler", address]
    assert run(["predict", str(model), source, "-o", str(there), *flags]) == 0
    files = sorted(there.iterdir())
    texts = [file.read_text() for file in files]
    heads = {text.partition("\n")[0] for text in texts}
    assert len(heads) == 1
    return here.read_text(), heads.pop() + "\n" + "".join(text.partition("\n")[2] for text in texts)


@pytest.mark.parametrize(
    "flags",
    [
        pytest.param(["--keep-columns", "--probabilities"], marks=pytest.mark.slow),
        ["--keep-columns", "--excel-safe", "--threshold", "0.3"],
    ],
    ids=" ".join,
)
def test_columns_are_kept_as_they_are_written(told, cluster, tmp_path, flags):
    model, source, _ = told
    here, there = _both(cluster, model, str(source), tmp_path, flags)
    assert there == here
    assert "\n2e1,," in here


@pytest.mark.parametrize(
    "flags",
    [
        pytest.param(["--explain"], marks=pytest.mark.slow),
        ["--explain", "--reasons", "1", "--keep-columns", "--probabilities"],
    ],
    ids=" ".join,
)
def test_reasons_of_several_files_are_those_of_one_machine(told, cluster, tmp_path, flags):
    model, _, folder = told
    here, there = _both(cluster, model, str(folder / "[ab].csv"), tmp_path, flags)
    assert there == here
    assert "because" in here


def test_parquet_has_columns_of_one_type(told, cluster, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    model, _, folder = told
    predictor = acumen.load(model)
    with acumen.engine(cluster):
        parts = acumen.scan(str(folder / "[ab].csv"))
        made = acumen.predict_parts(predictor, parts, tmp_path / "out", keep_columns=True, reasons=2)
    found = pq.read_table(tmp_path / "out")
    assert made.rows == found.num_rows == 1500
    assert found.column_names[:6] == ["number", "day", "level", "y", "row", "prediction"]
    types = {field.name: str(field.type) for field in found.schema}
    assert types["number"] == "double" and types["level"] == types["because"] == "string"
    assert types["reason_1_effect"] == "double" and types["row"] == "int64"
    assert found["number"].to_pylist()[7] == 20.0 and found["level"].to_pylist()[7] is None


def test_a_model_without_probabilities_says_so(told, cluster, tmp_path):
    source = told[2] / "a.csv"
    model = acumen.Perceptron().fit(acumen.read(source, target="y", columns=["number"]))
    with acumen.engine(cluster), pytest.raises(ParameterError, match="predict_parts"):
        acumen.predict_parts(model, acumen.scan(source), tmp_path / "out", probabilities=True)


@pytest.mark.parametrize("flag", ["--json", "--steps"])
def test_what_workers_do_not_write_is_told(told, cluster, tmp_path, flag, capsys):
    model, source, _ = told
    address = cluster.client.scheduler_info()["address"]
    flags = [flag, "--engine", "dask", "--scheduler", address, "-o", str(tmp_path / "o.csv")]
    assert run(["predict", str(model), str(source), *flags]) == 2
    assert f"remove {flag}" in capsys.readouterr().err
