"""What says which rows count loads quickly where only tasks run: without scikit-learn."""

from __future__ import annotations

import base64
import pickle
import subprocess
import sys

import numpy as np
import pytest

import acumen
from acumen.rows.part_statistics import UsualRows

SCRIPT = """
import base64, pickle, sys
pickle.loads(base64.b64decode(sys.argv[1]))
import acumen.clusters.kmeans, acumen.clusters.mixture_search
print([name for name in ("sklearn", "scipy", "pandas", "pyarrow") if name in sys.modules])
"""


def test_tasks_of_clusterers_load_without_scikit_learn():
    counting = [acumen.KMeans(3).counting(), acumen.GaussianMixture(3).counting()]
    text = base64.b64encode(pickle.dumps(counting)).decode()
    shown = subprocess.run([sys.executable, "-c", SCRIPT, text], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


@pytest.mark.parametrize("learner", [acumen.KMeans(3), acumen.Birch()])
def test_usual_rows_are_those_of_the_learner(learner):
    table = acumen.datasets.load("iris").take(np.arange(150))
    table.weights = np.arange(150) % 3 * 1.0
    assert isinstance(learner.counting(), UsualRows)
    ours, theirs = (each.counted_places(table, None) for each in (learner.counting(), learner))
    assert np.array_equal(ours[0].row_weights, theirs[0].row_weights)
    assert np.array_equal(ours[1], theirs[1])
    assert learner.counting().weighing_of(table) == learner.weighing_of(table)


def test_a_learner_with_rows_of_its_own_goes_itself():
    class Odd(acumen.KMeans):
        def counts(self, table):
            return np.arange(len(table)) % 2 == 0

    assert isinstance(Odd(3).counting(), Odd)
