"""Model files of earlier days load, and predict what they predicted when they were written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from acumen import store
from store.make_fixture import FIXTURES, answers_of, rows_from_json

FILES = sorted(FIXTURES.glob("format*.acm"))


def test_there_are_fixtures_of_format_1() -> None:
    assert any(path.name.startswith("format1-naive-bayes") for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_of_earlier_days_predicts_what_it_did(path: Path) -> None:
    kept = json.loads(path.with_suffix(".json").read_text())
    for predictor in (store.open(path), store.load(path).predictor_):
        found = answers_of(predictor, rows_from_json(kept["rows"], predictor.schema))
        for what, answers in found.items():
            # Kernels may be summed in single precision, by whatever instructions there are.
            near = 1e-6 if predictor.model.kind in ("svm", "svr") else 1e-9
            np.testing.assert_allclose(answers, kept[what], rtol=near, atol=1e-3 * near)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_of_earlier_days_can_be_learned_on(path: Path) -> None:
    learner = store.load(path)
    if getattr(learner, "summary_", None) is None:
        pytest.skip("this kind keeps no summary")
    before = learner.weight_of(learner.summary_).sum()
    rows = rows_from_json(json.loads(path.with_suffix(".json").read_text())["rows"], learner.schema_)
    finite = rows.take(np.array([0, 1, 5]))
    learner.partial_fit(finite, [1.0] * 3 if learner.task == "regression" else [learner.classes_[0]] * 3)
    assert learner.weight_of(learner.summary_).sum() == before + 3


def test_opening_any_kind_imports_neither_scikit_learn_nor_scipy_stats() -> None:
    script = """
import sys
from acumen import store
from fuzz.models import rows_of
for path in sys.argv[1:]:
    predictor = store.open(path)
    predictor.predict(rows_of(predictor.schema))
    predictor.describe()
    store.manifest(path)
heavy = [name for name in ("sklearn", "scipy.stats", "pandas", "pyarrow", "matplotlib") if name in sys.modules]
sys.exit(f"imported {heavy}" if heavy else 0)
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script, *FILES], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
