"""The screen of a row and the command at its foot read cells as the training table was read."""

from __future__ import annotations

import io
import shlex
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.studio.answers.memory import Bench
from acumen.studio.answers.model import fit_model
from acumen.studio.answers.row import row
from acumen.studio.spec import ModelSpec, TableSpec


def german(number: float) -> str:
    return f"{number:,.2f}".translate(str.maketrans(",.", ".,"))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, dict[str, Any], Path]:
    folder = tmp_path_factory.mktemp("studio")
    path = folder / "a.csv"
    lines = ["umsatz;preis;seit;y"]
    for i in range(700):
        amount = "k. A." if i % 50 == 7 else f"{german(1000 + 1.31 * i)} €"
        lines.append(
            f"{amount};{german(3000 + 10.5 * (i % 90))};{1 + i % 28:02}.05.2023;{'ja' if i % 3 else 'nein'}"
        )
    path.write_text("\n".join(lines) + "\n")
    made = Bench(str(folder))
    model = {"table": {"data": str(path), "shown": "a.csv", "target": "y"}, "learner": "decision-tree"}
    spec = ModelSpec.of(model)
    made.models.put(spec, fit_model(made, spec))
    return made, model, path


def test_the_categories_of_a_column_hold_the_rows_own(bench: tuple[Bench, dict[str, Any], Path]) -> None:
    made, model, _ = bench
    answer = row(made, {"model": model, "position": 699, "changed": {"umsatz": "k. A."}})
    (field,) = [each for each in answer["fields"] if each["name"] == "umsatz"]
    assert {field["was"], field["now"]} <= set(field["levels"]) and field["was"] == "1.915,69 €"
    assert len(field["levels"]) <= 502


def test_the_command_of_a_row_gives_what_the_screen_shows(bench: tuple[Bench, dict[str, Any], Path]) -> None:
    made, model, _ = bench
    schema = made.model(ModelSpec.of(model)).schema_
    for position in (0, 7, 300):
        answer = row(made, {"model": model, "position": position})
        text = shlex.split(answer["command"]["cli"].partition(" && ")[2])[2]
        alone = acumen.read(io.StringIO(text), like=schema)
        table = made.table(TableSpec.of(model["table"]))
        for name in schema.names:
            assert alone.column(name)[0] == table.column(name)[position], name


def test_rows_of_another_file_are_read_for_the_model(
    bench: tuple[Bench, dict[str, Any], Path], tmp_path: Path
) -> None:
    made, model, path = bench
    other = tmp_path / "b.csv"
    lines = path.read_text().splitlines()
    other.write_text("\n".join([lines[0], *lines[1:7]]) + "\n")
    spec = TableSpec.of({"data": str(other), "shown": "b.csv"})
    assert made.table(spec).schema["umsatz"].kind == "numeric"
    rows = made.rows(spec, ModelSpec.of(model))
    assert rows.schema["umsatz"].kind == "text" and rows.column("umsatz")[0] == "1.000,00 €"
    assert made.rows(spec, ModelSpec.of(model)) is rows
