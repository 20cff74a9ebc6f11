"""Saved model files, one of each kind, load and predict what they predicted when they were written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from acumen import store
from acumen.models.kinds import KINDS
from store.make_fixture import FIXTURES, answers_of, rows_from_json

FILES = sorted(FIXTURES.glob("format*.acm"))


def test_there_is_one_file_of_each_saved_kind() -> None:
    kinds = [path.stem.removeprefix("format1-") for path in FILES]
    assert len(kinds) == len(set(kinds)) >= 50
    assert {*kinds} <= {*KINDS}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_saved_file_predicts_what_it_did(path: Path) -> None:
    kept = json.loads(path.with_suffix(".json").read_text())
    for predictor in (store.open(path), store.load(path).predictor_):
        found = answers_of(predictor, rows_from_json(kept["rows"], predictor.schema))
        for what, answers in found.items():
            # Kernels may be summed in single precision, by whatever instructions there are.
            near = 1e-6 if predictor.model.kind in ("svm", "svr") else 1e-9
            np.testing.assert_allclose(answers, kept[what], rtol=near, atol=1e-3 * near)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_saved_file_can_be_trained_further(path: Path) -> None:
    learner = store.load(path)
    if getattr(learner, "summary_", None) is None:
        pytest.skip("this kind keeps no summary")
    before = learner.weight_of(learner.summary_).sum()
    rows = rows_from_json(json.loads(path.with_suffix(".json").read_text())["rows"], learner.schema_)
    finite = rows.take(np.array([0, 1, 5]))
    classes = getattr(learner, "classes_", None)
    targets = [1.0] * 3 if learner.task == "regression" else [classes[0]] * 3 if classes is not None else None
    learner.partial_fit(finite, targets)
    assert learner.weight_of(learner.summary_).sum() == before + 3


def test_opening_any_kind_imports_neither_scikit_learn_nor_scipy_stats() -> None:
    script = """
import sys
from acumen import store
from acumen.models.kinds import KINDS
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
