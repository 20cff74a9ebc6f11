"""Learners saved and loaded: the same again, and refused where anything is not as it should be."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen import store
from acumen.data.schema import Attribute, Schema
from acumen.errors import ModelFileError, ParameterError
from acumen.models import kinds
from acumen.store.file import digest, read_members, write_members
from acumen.types import Array
from fuzz.models import rows_of
from store.toy_kind import Toy, mixed_table

Change = Callable[[dict[str, Any], dict[str, Array]], None]


def changed(path: Path, change: Change) -> None:
    """Rewrite a file with other contents and right checksums."""
    manifest, arrays = read_members(path)
    change(manifest, arrays)
    write_members(path, manifest, arrays)


def test_a_loaded_learner_is_the_saved_one(toy: Toy, path: Path) -> None:
    acumen.save(toy, path)
    back = acumen.load(path)
    assert isinstance(back, Toy)
    assert back.get_params() == toy.get_params()
    assert back.predictor_.schema == toy.predictor_.schema
    assert back.training_["rows"] == 60
    rows = rows_of(toy.predictor_.schema)
    np.testing.assert_array_equal(back.predictor_.proba(rows), toy.predictor_.proba(rows))
    np.testing.assert_array_equal(back.predictor_.predict(rows), toy.predictor_.predict(rows))
    assert back.summary_ is None


def test_the_bare_model_predicts_the_same(toy: Toy, path: Path) -> None:
    store.save(toy, path)
    rows = rows_of(toy.predictor_.schema)
    np.testing.assert_array_equal(store.open(path).proba(rows), toy.predictor_.proba(rows))


@pytest.mark.parametrize("summary", [False, True])
def test_the_same_model_gives_the_same_bytes(path: Path, summary: bool) -> None:
    made = []
    for _ in range(2):
        store.save(Toy(alpha=np.float64(1.0)).fit(mixed_table()), path, summary=summary)
        made.append(path.read_bytes())
    store.save(store.load(path), path, summary=summary)
    made.append(path.read_bytes())
    assert len(set(made)) == 1


def test_the_number_of_cores_does_not_show(path: Path) -> None:
    store.save(Toy(n_jobs=1).fit(mixed_table()), path)
    one = path.read_bytes()
    store.save(Toy(n_jobs=2).fit(mixed_table()), path)
    assert path.read_bytes() == one
    assert store.load(path).n_jobs is None


def test_a_summary_is_kept_when_asked_for(toy: Toy, path: Path) -> None:
    store.save(toy, path, summary=True)
    back = store.load(path)
    np.testing.assert_array_equal(back.summary_.counts, toy.summary_.counts)
    np.testing.assert_array_equal(back.plan_.counts, toy.plan_.counts)


def test_the_manifest_tells_what_it_should_and_no_more(toy: Toy, path: Path) -> None:
    store.save(toy, path)
    shown = store.manifest(path)
    assert shown.keys() == {"acumen", "classes", "format", "kind", "parameters", "schema", "training"}
    assert shown["format"] == 1
    assert shown["kind"] == "toy"
    assert shown["acumen"] == acumen.__version__
    assert shown["classes"] == ["a", "b", "c"]
    assert shown["training"].keys() == {"rows", "weight", "schema_sha256", "summary_sha256"}
    assert shown["training"]["weight"] == 60.0
    assert shown["parameters"]["costs"] == {"dict": [[{"tuple": ["a", "b"]}, 5.0]]}
    json.dumps(shown, allow_nan=False)
    with zipfile.ZipFile(path) as archive:
        inside = json.loads(archive.read("manifest.json"))
    assert inside.pop("members").keys() == set(archive.namelist()) - {"manifest.json"}
    assert inside == shown


def test_the_summarys_digest_does_not_need_the_summary(toy: Toy, path: Path) -> None:
    store.save(toy, path, summary=True)
    with_summary = store.manifest(path)["training"]
    store.save(toy, path)
    assert store.manifest(path)["training"] == with_summary
    assert with_summary["summary_sha256"] is not None


def test_levels_of_every_type_come_back(path: Path) -> None:
    table = mixed_table()
    levels = (True, -3, 0.5, float("inf"), "1", "bl\udc80ue")
    odd = Attribute("odd", "nominal", levels)
    schema = Schema((*table.schema.attributes, odd), table.schema.target)
    codes = [*table.nominal.columns, np.zeros(len(table), np.int32)]
    learner = Toy().fit(type(table)(schema, 60, numeric=table.numeric, nominal=codes, labels=table.labels))
    store.save(learner, path)
    back = store.open(path).schema["odd"].levels
    assert list(map(repr, back)) == list(map(repr, levels))


# -- what cannot be saved -----------------------------------------------------------------------------


def test_only_fitted_learners_of_the_table_are_saved(toy: Toy, path: Path) -> None:
    class Mine(Toy):
        """Loading would give back a Toy."""

    for learner in (object(), toy.predictor_, Mine().fit(mixed_table())):
        with pytest.raises(ParameterError, match="acumen's own learners"):
            store.save(learner, path)
    with pytest.raises(ParameterError, match="this Toy is not fitted"):
        store.save(Toy(), path)
    assert not path.exists()


def test_a_parameter_without_a_form_is_named(toy: Toy, path: Path) -> None:
    toy.random_state = object()
    with pytest.raises(ParameterError, match="the parameter random_state is a object"):
        store.save(toy, path)


def test_a_parameter_set_wrong_after_fitting_is_refused_before_it_is_written(toy: Toy, path: Path) -> None:
    for name, value in (("alpha", -1.0), ("costs", {("a", "z"): 1}), ("priors", [1.0])):
        wrong = Toy().fit(mixed_table())
        setattr(wrong, name, value)
        with pytest.raises(ParameterError, match=name):
            store.save(wrong, path)
    assert not path.exists()


def test_a_model_that_could_not_be_loaded_is_not_written(toy: Toy, path: Path) -> None:
    broken = replace(toy.predictor_.model, mean=np.full((3, 2), np.inf))
    toy.predictor_ = replace(toy.predictor_, model=broken)
    with pytest.raises(
        ModelFileError, match=r"save: this Toy could not be loaded again.*'mean' holds infinity"
    ):
        store.save(toy, path)
    assert not path.exists()


def test_a_summary_that_is_not_there_cannot_be_kept(toy: Toy, path: Path) -> None:
    store.save(toy, path)
    with pytest.raises(ParameterError, match="no training summary"):
        store.save(store.load(path), path, summary=True)


# -- what cannot be loaded, with right checksums ------------------------------------------------------


def set_in(*keys: str, to: Any) -> Change:
    def change(manifest: dict[str, Any], arrays: dict[str, Array]) -> None:
        at = manifest
        for key in keys[:-1]:
            at = at[key]
        at[keys[-1]] = to
        if isinstance(manifest["schema"], dict):
            manifest["schema"]["columns"] = []  # so that they need not agree
        manifest["training"]["schema_sha256"] = digest(manifest["schema"])

    return change


def put(name: str, array: Any) -> Change:
    return lambda manifest, arrays: arrays.update({name: np.array(array)})


WRONG: dict[str, tuple[Change, str]] = {
    "kind": (set_in("kind", to="os:system"), "kind 'os:system'"),
    "kind of another type": (set_in("kind", to=["toy"]), "does not know"),
    "classes": (set_in("classes", to=["a", "b", "d"]), "classes are not the levels"),
    "no target": (set_in("schema", "target", to=None), "no classes"),
    "numeric target": (set_in("schema", "target", to={"name": "y", "kind": "numeric"}), "no classes"),
    "schema": (set_in("schema", to=[]), "schema is not an object"),
    "attribute": (set_in("schema", "attributes", to=[1]), "must be an object"),
    "levels": (set_in("schema", "target", "levels", to=["a", "a"]), "given twice"),
    "parameter": (set_in("parameters", "alpha", to=-1.0), "alpha must be a number of at least 0"),
    "costs": (set_in("parameters", "costs", to=10**400), "costs must be"),
    "priors": (set_in("parameters", "priors", to="even"), "priors must be"),
    "unknown parameter": (set_in("parameters", "beta", to=1), "no parameter 'beta'"),
    "parameters": (set_in("parameters", to=[]), "not an object"),
    "rows": (set_in("training", "rows", to=-1), "training rows"),
    "weight": (set_in("training", "weight", to=1), "training weight"),
    "version": (set_in("acumen", to=1), "version of acumen"),
    "extra field": (set_in("path", to="/home"), "fields"),
    "summary digest": (set_in("training", "summary_sha256", to="0"), "not the one it was trained from"),
    "costs shape": (put("decision/costs", np.zeros((2, 2))), "shape"),
    "costs values": (put("decision/costs", np.full((3, 3), np.inf)), "infinity"),
    "shift up": (put("decision/shift", [np.inf, 0, 0]), "beyond"),
    "shift nan": (put("decision/shift", [np.nan, 0, 0]), "NaN"),
    "decision": (put("decision/other", [1.0]), "unknown array of decision"),
    "group": (put("other/x", [1.0]), "belongs to nothing"),
    "model": (put("model/log_prior", [0.0, 0.0, 0.0]), "do not sum to 1"),
    "summary": (put("summary/counts", [-1.0, 0, 0]), "trained from"),
}


@pytest.mark.parametrize("words", WRONG)
def test_wrong_contents_are_refused_though_checksums_are_right(toy: Toy, path: Path, words: str) -> None:
    change, match = WRONG[words]
    store.save(toy, path, summary=True)
    changed(path, change)
    with pytest.raises(ModelFileError, match=match) as caught:
        store.load(path)
    assert str(caught.value).startswith(str(path))


def test_a_changed_schema_is_seen_by_its_digest(toy: Toy, path: Path) -> None:
    store.save(toy, path)
    changed(path, lambda manifest, arrays: manifest["schema"]["attributes"].reverse())
    with pytest.raises(ModelFileError, match="not the one it was trained under"):
        store.load(path)


def test_a_missing_parameter_takes_its_default(toy: Toy, path: Path) -> None:
    store.save(toy, path)
    changed(path, lambda manifest, arrays: manifest["parameters"].pop("mode"))
    assert store.load(path).mode == "plain"


def test_the_bare_model_does_not_mind_parameters(toy: Toy, path: Path) -> None:
    store.save(toy, path)
    changed(path, set_in("parameters", "alpha", to=-1.0))
    assert store.open(path).classes == ("a", "b", "c")


@pytest.mark.parametrize(
    "error", [MemoryError(), RecursionError("deep"), OverflowError("big"), KeyError("x"), IndexError(), TypeError()]
)  # fmt: skip
def test_any_other_error_of_a_model_ends_as_a_sentence(
    toy: Toy, path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: Any) -> None:
        raise error

    store.save(toy, path)
    monkeypatch.setattr(type(toy.predictor_.model), "from_arrays", fail)
    for read in (store.load, store.open):
        with pytest.raises(ModelFileError, match=r"m\.acm: the model .*\."):
            read(path)


def test_an_interrupt_is_not_swallowed(toy: Toy, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    store.save(toy, path)
    monkeypatch.setattr(type(toy.predictor_.model), "from_arrays", interrupt)
    with pytest.raises(KeyboardInterrupt):
        store.open(path)


def test_millions_of_levels_with_one_doubled_are_refused_in_one_pass(toy: Toy, path: Path) -> None:
    levels = [*range(300_000), 299_999]
    store.save(toy, path)
    changed(path, set_in("schema", "attributes", to=[{"name": "n", "kind": "nominal", "levels": levels}]))
    with pytest.raises(ModelFileError, match="299999 is given twice"):
        store.open(path)


# -- imports -------------------------------------------------------------------------------------------


def test_kinds_are_named_as_at_the_command_line() -> None:
    for kind, places in kinds.KINDS.items():
        assert kind == kind.lower()
        assert all(place.count(":") == 1 for place in (places.model, places.learner))
        assert places.task == kinds.model_class(kind).task


def test_opening_a_model_imports_neither_scikit_learn_nor_scipy_stats(toy: Toy, path: Path) -> None:
    store.save(toy, path)
    script = """
import sys
from acumen import store
from acumen.models import kinds
from store.toy_kind import TOY
kinds.KINDS = {**kinds.KINDS, **TOY}
from fuzz.models import rows_of
predictor = store.open(sys.argv[1])
predictor.predict(rows_of(predictor.schema))
store.manifest(sys.argv[1])
heavy = [name for name in ("sklearn", "scipy.stats", "pandas", "pyarrow", "matplotlib") if name in sys.modules]
sys.exit(f"imported {heavy}" if heavy else 0)
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script, path], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


# -- the page ------------------------------------------------------------------------------------------


def test_the_digests_on_the_page_can_be_computed_by_hand(toy: Toy, path: Path) -> None:
    store.save(toy, path, summary=True)
    with zipfile.ZipFile(path) as archive:
        lines = "".join(
            f"{hashlib.sha256(archive.read(name)).hexdigest()}  {name.removeprefix('arrays/')}\n"
            for name in archive.namelist()
            if name.startswith("arrays/summary/")
        )
    shown = store.manifest(path)
    assert hashlib.sha256(lines.encode()).hexdigest() == shown["training"]["summary_sha256"]
    compact = json.dumps(shown["schema"], sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(compact.encode()).hexdigest() == shown["training"]["schema_sha256"]


def test_a_model_of_arrays_is_asked_by_position_after_loading(tmp_path: Path) -> None:
    X, y = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 9.0]]), np.array([0, 1, 0, 1])
    learner = acumen.NaiveBayes().fit(X, y)
    acumen.save(learner, tmp_path / "m.acm")
    loaded = acumen.load(tmp_path / "m.acm")  # a warning about names would fail here
    np.testing.assert_array_equal(loaded.predict_proba(X), learner.predict_proba(X))
    assert not hasattr(loaded, "feature_names_in_")
