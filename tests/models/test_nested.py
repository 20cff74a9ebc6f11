"""Models of models: members packed into shared arrays, and read back without trust."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pytest

import acumen
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import ModelFileError
from acumen.models import nested
from acumen.models.model import AnyModel, RegressionModel
from acumen.models.nested import member_arrays, members_from
from acumen.store.file import read_members, write_members
from acumen.types import Array, Floats


@pytest.fixture(scope="module")
def forest() -> tuple[Schema, list[Any], Floats]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] * X[:, 1] > 0, "a", "b")
    made = []
    for seed in range(20):
        rows = np.random.default_rng(seed).integers(0, 80, 80)
        made.append(acumen.DecisionTree(prune="none").fit(X[rows], y[rows]).predictor_)
    return made[0].schema, [p.model for p in made], X


def kinds_of(members: list[Any]) -> list[str]:
    return [member.kind for member in members]


def test_members_come_back_as_they_were_from_few_arrays(forest: Any) -> None:
    schema, members, X = forest
    arrays = member_arrays(members)
    assert len(arrays) == len(member_arrays(members[:2]))
    rows = _rows(X, schema)
    for schemas in (schema, [schema] * len(members)):
        again = members_from(arrays, kinds_of(members), schemas)
        for mine, theirs in zip(members, again, strict=True):
            assert np.array_equal(mine.scores(rows), theirs.scores(rows))


def _rows(X: Floats, schema: Schema) -> Table:
    return Table(schema.without_target(), len(X), numeric=[*np.ascontiguousarray(X.T)])


def test_members_of_several_kinds_share_a_file(forest: Any) -> None:
    schema, members, X = forest
    y = np.where(X[:, 0] > 0, "a", "b")
    several = [
        members[0],
        acumen.NaiveBayes().fit(X, y).predictor_.model,
        acumen.OneR().fit(X, y).predictor_.model,
        members[1],
        acumen.OneVsRest(acumen.DecisionTree()).fit(X, y).predictor_.model,  # itself made of members
    ]
    again = members_from(member_arrays(several), kinds_of(several), schema)
    rows = _rows(X, schema)
    for mine, theirs in zip(several, again, strict=True):
        assert np.array_equal(mine.scores(rows), theirs.scores(rows))


def test_regressors_may_be_members_where_asked_for() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    fitted = [acumen.Ridge(alpha=a).fit(X, X[:, 0] - X[:, 1]).predictor_ for a in (0.1, 1.0)]
    schema, members = fitted[0].schema, [p.model for p in fitted]
    arrays = member_arrays(members)
    for of in (RegressionModel, AnyModel):
        again = members_from(arrays, kinds_of(members), schema, of)
        assert [m.coefficient.tolist() for m in again] == [m.coefficient.tolist() for m in members]
    with pytest.raises(ModelFileError, match="does not classify"):
        members_from(arrays, kinds_of(members), schema)


def test_no_members_are_no_arrays(forest: Any) -> None:
    assert members_from(member_arrays([]), [], forest[0]) == ()


def test_forged_packings_are_refused(forest: Any) -> None:
    schema, members, _ = forest
    good = member_arrays(members)
    kinds = kinds_of(members)
    names = json.loads(good["packed/slots"].tobytes())
    s = names.index("first")
    at, owner, shape = (good[f"packed/{s}/{part}"] for part in ("at", "owner", "shape"))
    values = good[f"packed/{s}/values"]

    def changed(array: Array, place: Any, value: Any) -> Array:
        made = array.copy()
        made[place] = value
        return made

    overlap = changed(at, 1, at[1] - 1)
    forged: list[dict[str, Array]] = [
        {f"packed/{s}/at": changed(at, -1, at[-1] + 1)},  # out of range
        {f"packed/{s}/at": changed(at, -1, 2**62)},
        {f"packed/{s}/at": changed(at, 0, -1)},
        {f"packed/{s}/at": overlap},
        {f"packed/{s}/at": at[:-1]},
        {f"packed/{s}/at": at.astype(np.int32)},
        {f"packed/{s}/at": overlap, f"packed/{s}/shape": changed(shape, (0, 0), shape[0, 0] - 1)},
        {f"packed/{s}/values": values[:-1]},  # truncated
        {f"packed/{s}/values": np.append(values, values[:1])},
        {f"packed/{s}/values": values.reshape(-1, 1)},
        {f"packed/{s}/values": values.astype(np.float64)},
        {f"packed/{s}/shape": changed(shape, (0, 0), -1)},
        {f"packed/{s}/shape": changed(shape, (0, 0), 2**62)},
        {f"packed/{s}/shape": np.full((len(owner), 4), 2**31, dtype=np.int64)},
        {f"packed/{s}/shape": np.ones((len(owner), 9), dtype=np.int64)},
        {f"packed/{s}/owner": changed(owner, 0, len(members))},
        {f"packed/{s}/owner": changed(owner, 0, -1)},
        {f"packed/{s}/owner": changed(owner, 1, 0)},
        {f"packed/{s}/owner": owner[::-1].copy()},
        {f"packed/{s}/owner": owner[:0]},
        {"packed/slots": np.frombuffer(b"[", dtype=np.uint8)},
        {"packed/slots": np.frombuffer(b'["\xff"]', dtype=np.uint8)},
        {"packed/slots": np.frombuffer(b"[" * 100_000, dtype=np.uint8)},
        {"packed/slots": np.frombuffer(json.dumps([*names[:-1], "first"]).encode(), dtype=np.uint8)},
        {"packed/slots": np.frombuffer(json.dumps(names[:-1]).encode(), dtype=np.uint8)},
        {"packed/slots": np.frombuffer(json.dumps([*names, "more"]).encode(), dtype=np.uint8)},
        {"packed/slots": np.frombuffer(json.dumps([3] * len(names)).encode(), dtype=np.uint8)},
        {"packed/99/values": values},
        {"member/0/first": values},
    ]
    for change in forged:
        with pytest.raises(ModelFileError):
            members_from({**good, **change}, kinds, schema)
    for name in good:
        with pytest.raises(ModelFileError):
            members_from({k: v for k, v in good.items() if k != name}, kinds, schema)
    with pytest.raises(ModelFileError, match="another number of members"):
        members_from(good, kinds, [schema])
    for wrong in (["nothing"] * len(members), [None] * len(members), kinds[:-1], [*kinds, "decision-tree"]):
        with pytest.raises(ModelFileError):
            members_from(good, wrong, schema)


def test_trees_read_together_are_judged_as_those_read_one_by_one(
    forest: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever number is forged in whatever member: refused both ways, or models that say the same."""
    schema, members, X = forest
    rng = np.random.default_rng(1)
    grown = []
    for seed in range(6):  # surrogates, levels and trees of one node among them
        rows = np.random.default_rng(seed).integers(0, 80, 80 if seed else 1)
        learner = acumen.DecisionTree(missing="surrogate", split="binary", measure="gini", prune="none")
        y = np.where(X[rows, 0] * X[rows, 1] > 0, "a", "b")
        grown.append(learner.fit(_labelled(X[rows], y, schema)).predictor_.model)
    refused = same = 0
    for some in (members[:6], grown):
        good, kinds, asked = member_arrays(some), kinds_of(some), _rows(X, schema)
        places = [n for n in good if n.endswith(("values", "/at", "/shape", "/owner")) and good[n].size]
        for _ in range(120):
            name = str(rng.choice(places))
            array = good[name].copy()
            choice = {
                "i": [-2, -1, 0, 1, 2, 5, 10**6],
                "f": [-1.0, 0.5, np.nan, np.inf, 1e300, 0.0],
                "u": [0, 65, 255],
            }
            array.flat[rng.integers(array.size)] = rng.choice(choice[array.dtype.kind])
            forged = {**good, name: array}
            told = _outcome(forged, kinds, schema, asked)
            with monkeypatch.context() as patch:
                patch.setattr(nested, "_together", lambda *_: None)
                alone = _outcome(forged, kinds, schema, asked)
            assert (told is None) == (alone is None), (name, array)
            refused += told is None
            if told is not None and alone is not None:
                same += 1
                assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(told, alone, strict=True))
    assert refused > 50 and same > 10  # both happen, so that agreement means something


def _labelled(X: Floats, y: Any, schema: Schema) -> Table:
    labels = np.array([schema.classes.index(label) for label in y.tolist()], dtype=np.int32)
    return Table(schema, len(X), numeric=[*np.ascontiguousarray(X.T)], labels=labels)


def _outcome(arrays: Any, kinds: list[str], schema: Schema, rows: Table) -> list[Floats] | None:
    try:
        return [member.scores(rows) for member in members_from(arrays, kinds, schema)]
    except ModelFileError:
        return None


# -- in files -------------------------------------------------------------------------------------


def test_many_trees_are_few_arrays_in_a_file(tmp_path: Any) -> None:
    """100 problems, each a tree of its own; the file has no more arrays than one of three problems."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = rng.integers(0, 12, 200)
    few = acumen.OutputCodes(acumen.DecisionTree(max_depth=3), length=3, random_state=0).fit(X, y)
    many = acumen.OutputCodes(acumen.DecisionTree(max_depth=3), length=100, random_state=0).fit(X, y)
    assert len(many.learners_) == 100
    acumen.save(few, tmp_path / "few.acm")
    acumen.save(many, tmp_path / "many.acm")
    assert len(read_members(tmp_path / "many.acm")[1]) == len(read_members(tmp_path / "few.acm")[1])
    for again in (acumen.load(tmp_path / "many.acm").predictor_, acumen.store.open(tmp_path / "many.acm")):
        rows = _rows(X, again.schema)
        assert np.array_equal(again.scores(rows), many.predictor_.scores(rows))


def test_a_forged_file_of_members_is_refused(tmp_path: Any) -> None:
    iris = acumen.datasets.load("iris")
    acumen.save(acumen.OneVsOne(acumen.DecisionTree()).fit(iris), tmp_path / "m.acm")
    manifest, arrays = read_members(tmp_path / "m.acm")
    name = next(n for n in arrays if n.endswith("/at"))
    for made in (arrays[name][:-1], arrays[name] + 1, arrays[name][::-1].copy()):
        write_members(tmp_path / "f.acm", manifest, {**arrays, name: made})
        with pytest.raises(ModelFileError):
            acumen.load(tmp_path / "f.acm")
        with pytest.raises(ModelFileError):
            acumen.store.open(tmp_path / "f.acm")


# -- a toy ensemble of regressors, which needs no change in base -------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class MeanOfModels(RegressionModel):
    """The mean of what members say."""

    kind: ClassVar[str] = "mean-of-models"
    members: tuple[RegressionModel, ...]
    kinds: tuple[str, ...]

    def values(self, rows: Table) -> Floats:
        return np.asarray(np.mean([member.values(rows) for member in self.members], axis=0))

    def to_arrays(self) -> dict[str, Array]:
        return member_arrays(self.members)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        return cls(members_from(arrays, ["ridge", "ridge"], schema, RegressionModel), ("ridge", "ridge"))

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return "The mean of several models"


def test_a_toy_ensemble_of_regressors_is_packed_and_read_back() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    fitted = [acumen.Ridge(alpha=a).fit(X, X[:, 0] - X[:, 1]).predictor_ for a in (0.1, 10.0)]
    model = MeanOfModels(tuple(p.model for p in fitted), ("ridge", "ridge"))
    rows = _rows(X, fitted[0].schema)
    again = MeanOfModels.from_arrays(model.to_arrays(), fitted[0].schema)
    assert np.array_equal(again.values(rows), model.values(rows))
    assert np.allclose(model.values(rows), np.mean([p.predict(rows) for p in fitted], axis=0))
