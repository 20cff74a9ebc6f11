"""The table of kinds, the public names and the learners say the same, and nothing else imports by a string."""

from __future__ import annotations

import ast
import importlib
import tomllib
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.base.learner import Learner
from acumen.models import kinds
from acumen.models.model import AnyModel

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "acumen"


def rooms() -> dict[str, int]:
    """Each room with its layer, counted from the lowest."""
    made = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = made["tool"]["importlinter"]["contracts"]
    layers = [[room.strip(" ()") for room in layer.split("|")] for layer in contract["layers"]]
    return {room: len(layers) - at for at, layer in enumerate(layers) for room in layer}


LAYER = rooms()


def room_of(module: str) -> str:
    return module.split(".")[1]


@pytest.mark.parametrize("kind", sorted(kinds.KINDS))
def test_the_table_the_learner_and_the_public_name_agree(kind: str) -> None:
    row = kinds.KINDS[kind]
    learner, model = kinds.learner_class(kind), kinds.model_class(kind)
    assert issubclass(learner, Learner) and issubclass(model, AnyModel)
    assert learner.kind == kind and model.kind == kind
    # What a filter learns from depends on what it goes by, so that its task is told by a learner alone.
    assert model.task is row.task and (learner.task is row.task or isinstance(learner.task, property))
    assert isinstance(learner().model_type, type) and issubclass(learner().model_type, AnyModel)
    assert getattr(acumen, learner.__name__) is learner
    assert kinds.kind_of(learner()) == kind


@pytest.mark.parametrize("kind", sorted(kinds.KINDS))
def test_a_kind_lives_in_one_room_between_base_and_the_laws(kind: str) -> None:
    row = kinds.KINDS[kind]
    assert room_of(row.model) == room_of(row.learner)
    assert LAYER["base"] < LAYER[room_of(row.model)] < LAYER["checks"]


def test_every_learner_of_the_package_is_in_the_table() -> None:
    public = {name: getattr(acumen, name) for name in acumen.__all__ if name[:1].isupper()}
    found = {
        value.kind
        for value in public.values()
        if isinstance(value, type) and issubclass(value, Learner) and hasattr(value, "kind")
    }
    # Of those that choose (parameters, rows to ask about, attributes) a file keeps the learner within.
    within = {"tuned", "active-learner", "self-training", "wrapper"}
    assert found - within == set(kinds.KINDS)


@pytest.mark.parametrize("name", sorted(acumen._HOMES))
def test_a_public_name_is_where_its_row_says(name: str) -> None:
    home = acumen._HOMES[name]
    module: Any = importlib.import_module(home or f"acumen.{name}")
    assert getattr(acumen, name) is (getattr(module, name) if home else module)
    assert room_of(module.__name__) in LAYER


def imports_by_string(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    if "import_module" not in text and "__import__" not in text:
        return False  # nothing to parse for
    tree = ast.parse(text)
    names = {
        getattr(n.func, "attr", getattr(n.func, "id", "")) for n in ast.walk(tree) if isinstance(n, ast.Call)
    }
    return bool(names & {"import_module", "__import__"})


def test_only_three_tables_reach_other_rooms_by_a_string() -> None:
    found = {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if imports_by_string(path)}
    # Commands, readers, preprocessing and the studio's answers are found within their own room; only the studio lies
    # above the command line and is opened by a command. Exports import other people's packages.
    own = {
        "cli/main.py",
        "data/read.py",
        "data/out/export.py",
        "preprocessing/__init__.py",
        "studio/names.py",
    }
    below = {"store/parameters.py"}  # classes of parameters, each imported when a file holds one
    assert found - own - below == {"__init__.py", "models/kinds.py", "render/views.py"}
    for path in own & found:
        text = (SOURCE / path).read_text(encoding="utf-8")
        strings = {
            n.value
            for n in ast.walk(ast.parse(text))
            if isinstance(n, ast.Constant) and isinstance(n.value, str)
        }
        reached = {room_of(s.partition(":")[0]) for s in strings if s.startswith("acumen.") and " " not in s}
        above = {"studio"} if path == "cli/main.py" else set()
        assert reached <= {path.partition("/")[0]} | above, path
