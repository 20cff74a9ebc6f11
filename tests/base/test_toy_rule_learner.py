"""A rule learner written here, which needs no change in base: fitted, judged, explained, kept in a file, exported."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import pytest

import acumen
from acumen.base.classifier import Classifier
from acumen.checks import check_learner
from acumen.conditions.condition import Condition, numbers_of
from acumen.data.table import Table
from acumen.errors import ModelFileError
from acumen.models import kinds
from acumen.models.parameters import AtLeast
from acumen.rows.training_rows import Rows
from acumen.rulelist.rule_list import Rule, RuleList
from acumen.types import Bools, Floats


@dataclass(frozen=True, slots=True)
class CoverModel(RuleList):
    """What the toy leaves behind; nothing but its kind is its own."""

    kind: ClassVar[str] = "toy-cover"


class Cover(Classifier):
    """Cover rows one rule after another, each the one test that is right most often among the rows left."""

    kind: ClassVar[str] = "toy-cover"
    model_type = CoverModel

    def __init__(
        self, *, most: Annotated[int, AtLeast(1)] = 5, ordered: bool = True,
        smoothing: Annotated[float, AtLeast(0)] = 1.0, costs: Any = None, priors: Any = None,
        class_weight: Any = None,
    ) -> None:  # fmt: skip
        self.most, self.ordered, self.smoothing = most, ordered, smoothing
        self.costs, self.priors, self.class_weight = costs, priors, class_weight

    def learn(self, rows: Rows) -> tuple[CoverModel, Floats]:
        table = rows.require_local(self._name)
        assert table.labels is not None
        classes, weights = table.schema.classes, table.row_weights
        total = np.bincount(table.labels, weights, len(classes))
        left, rules = np.ones(len(table), dtype=np.bool_), []
        for _ in range(self.most):
            best: tuple[float, float, int] = (0.0, 0.0, -1)
            tests = list(_tests(table))
            for at, (_, held) in enumerate(tests):
                counts = np.bincount(table.labels[held & left], weights[held & left], len(classes))
                if counts.sum() > 0:
                    # rounded, so that weights which are equal but for their last digits tie
                    share = round(float(counts.max() / (counts.sum() + 1)), 9)
                    best = max(best, (share, round(float(counts.sum()), 6), -at))
            if best[0] <= 0:
                break
            condition, held = tests[-best[2]]
            counts = np.bincount(table.labels[held & left], weights[held & left], len(classes))
            by_class = dict(zip(classes, counts.tolist(), strict=True))
            rules.append(Rule((condition,), classes[int(counts.argmax())], by_class, float(total.sum())))
            left &= ~held
        rest = np.bincount(table.labels[left], weights[left], len(classes))
        behind = rest if rest.any() else total
        default = classes[int(behind.argmax())]
        counts = dict(zip(classes, behind.tolist(), strict=True))
        model = CoverModel(tuple(rules), default, classes, self.ordered, counts, self.smoothing)
        return model, total.astype(np.float64)

    _learn = learn


def _tests(table: Table) -> Iterator[tuple[Condition, Bools]]:
    for attribute, codes in table.nominal_columns():
        for code, level in enumerate(attribute.levels):
            yield Condition(attribute.name, "=", level), codes == code
    for attribute in table.schema.numeric:
        values = np.unique(numbers_of(table, attribute))
        values = values[np.isfinite(values)]
        for cut in values[:: max(1, len(values) // 10)].tolist():
            for op in ("<=", ">"):
                condition = Condition(attribute.name, op, cut)  # type: ignore[arg-type]
                yield condition, condition.holds(table)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy in the table of kinds, as a later room would enter itself."""

    table = kinds
    here = Cover.__module__
    row = table.Kind(f"{here}:CoverModel", f"{here}:Cover")
    monkeypatch.setattr(table, "KINDS", {**table.KINDS, "toy-cover": row})


@pytest.mark.parametrize("ordered", [True, False])
def test_it_keeps_the_contract(ordered: bool, known: None) -> None:
    checked = check_learner(Cover(ordered=ordered), skip=("relabelling_classes_permutes_the_answers",))
    assert {
        "evidence_adds_up",
        "rules_predict_what_the_model_predicts",
        "saved_learners_predict_the_same",
    } <= set(checked.passed)
    assert {"programs_predict_what_the_model_predicts", "probabilities_are_finite_and_sum_to_one"} <= set(
        checked.passed
    )


def test_it_is_kept_in_a_file_and_shown(
    known: None, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    from acumen.cli.main import run

    loan = acumen.datasets.load("loan")
    fitted = Cover().fit(loan)
    acumen.save(fitted, tmp_path / "m.acm")
    again, bare = acumen.load(tmp_path / "m.acm"), acumen.store.open(tmp_path / "m.acm")
    assert again.model_ == fitted.model_ == bare.model
    for flags, wanted in ((["--rules"], str(fitted.to_rules())), (["--python"], fitted.to_python())):
        assert run(["show", str(tmp_path / "m.acm"), *flags]) == 0
        assert capsys.readouterr().out.strip() == wanted.strip()
    assert run(["show", str(tmp_path / "m.acm"), "--sql", "loans"]) == 0
    statement = capsys.readouterr().out
    with sqlite3.connect(":memory:") as base:
        loan.to_pandas().astype(str).to_sql("loans", base, index=False)
        assert [row[-1] for row in base.execute(statement)] == fitted.predict(loan).tolist()


def test_it_stands_in_comparisons_and_ensembles(known: None, tmp_path: Any) -> None:
    iris = acumen.datasets.load("iris")
    found = acumen.compare([Cover(), acumen.OneR()], iris, acumen.KFold(3), random_state=0)
    assert "Cover" in found.names
    several = acumen.OneVsRest(Cover()).fit(iris)
    acumen.save(several, tmp_path / "m.acm")
    assert np.array_equal(acumen.load(tmp_path / "m.acm").predict(iris), several.predict(iris))


def test_a_forged_list_in_a_file_is_refused(known: None, tmp_path: Any) -> None:
    from acumen.store.file import read_members, write_members

    acumen.save(Cover().fit(acumen.datasets.load("loan")), tmp_path / "m.acm")
    manifest, arrays = read_members(tmp_path / "m.acm")
    wrong = {"model/body": arrays["model/body"] + 99, "model/head": arrays["model/head"] + 2}
    for name, array in wrong.items():
        write_members(tmp_path / "f.acm", manifest, {**arrays, name: array.astype(np.int32)})
        with pytest.raises(ModelFileError):
            acumen.load(tmp_path / "f.acm")


def test_it_explains_itself_by_the_rule_that_fired() -> None:
    loan = acumen.datasets.load("loan")
    fitted = Cover().fit(loan)
    why = fitted.explain(loan.take([4]))
    assert why.rule is not None and why.rule in fitted.to_rules().rules
    assert str(why.rules[0]) in str(why)
