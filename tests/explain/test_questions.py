"""Which fitted learners can answer which question."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import acumen
from acumen.explain import questions
from acumen.svm.reading.report import TYPES

IRIS = acumen.datasets.load("iris")


@pytest.fixture(scope="module")
def fitted() -> dict[str, object]:
    two = IRIS.take(IRIS.labels < 2)
    learners = {
        "tree": acumen.DecisionTree(),
        "forest": acumen.RandomForest(n_estimators=2, random_state=0),
        "bayes": acumen.NaiveBayes(),
        "svm": acumen.SVM(),
        "additive": acumen.Additive(),
        "logistic": acumen.Logistic(),
    }
    return {name: learner.fit(two) for name, learner in learners.items()}


@pytest.mark.parametrize(
    ("question", "able"),
    [
        (questions.ReadsTree, {"tree"}),
        (questions.Prunes, {"tree"}),
        (questions.HasMachines, {"svm"}),
        (questions.HasShapes, {"additive"}),
    ],
)
def test_a_learner_answers_the_questions_of_its_family(
    fitted: dict[str, object], question: type, able: set[str]
) -> None:
    assert {name for name, learner in fitted.items() if isinstance(learner, question)} == able


def test_models_answer_for_odds_ratios_and_arithmetic(fitted: dict[str, object]) -> None:
    models = {name: learner.predictor_.model for name, learner in fitted.items()}  # type: ignore[attr-defined]
    assert {name for name, model in models.items() if isinstance(model, questions.HasOddsRatios)} == {
        "logistic"
    }
    assert "bayes" in {name for name, model in models.items() if isinstance(model, questions.HasSteps)}


def test_the_types_of_a_machines_rows_add_up_to_its_rows(fitted: dict[str, object]) -> None:
    learner = fitted["svm"]
    assert isinstance(learner, questions.HasMachines)
    for machine in learner.machines_:
        counts = machine.type_counts()
        assert tuple(counts) == TYPES
        assert sum(counts.values()) == len(machine.rows)


def test_a_loaded_machine_does_not_know_its_training_rows(
    fitted: dict[str, object], tmp_path: object
) -> None:
    path = f"{tmp_path}/svm.acm"
    acumen.save(fitted["svm"], path)
    assert not isinstance(acumen.load(path), questions.HasMachines)


def test_the_studio_and_show_know_no_family_of_learners() -> None:
    source = Path(acumen.__file__).parent
    families = r"(bayes|trees|linear|svm|additive|neighbours|networks|discriminant|ensembles|rules)"
    for path in [*(source / "studio" / "answers").glob("*.py"), source / "cli" / "show.py"]:
        if path.name == "row.py":
            continue  # looks for the most similar row with a learner of its own
        text = path.read_text(encoding="utf-8")
        assert not re.search(rf"from acumen\.{families}\b", text), path
        assert "hasattr(learner" not in text and "hasattr(predictor" not in text, path
