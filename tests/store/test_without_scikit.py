"""Models load, predict and learn on a machine that has no scikit-learn."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.data.table import Table
from acumen.errors import MissingExtra, ModelFileError
from acumen.models.kinds import KINDS
from acumen.store.file import model_file_errors
from fuzz.models import fitted_learners, rows_of

#: Run where scikit-learn cannot be imported: what every model file says, and what learners of every kind learn.
_ASKED = """
import json, sys, warnings


class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "sklearn":
            raise ModuleNotFoundError("No module named 'sklearn'", name="sklearn")


sys.meta_path.insert(0, Without())
warnings.simplefilter("ignore")
import acumen
from acumen.models.kinds import KINDS
from store.test_without_scikit import first_of, said_by

loaded = {path: said_by(acumen.load(path)) for path in sys.argv[1:]}
learned = {kind: said_by(first_of(kind)) for kind in KINDS}
assert not any(name.partition(".")[0] == "sklearn" for name in sys.modules)
print(json.dumps([loaded, learned]))
"""

METHODS = ("predict", "predict_proba", "decision_function", "transform", "score_samples")
MORE = ("fit_stream", "partial_fit", "to_sql", "to_python", "to_rules", "to_svg")


def said_by(learner: Any) -> dict[str, Any]:
    """What a fitted learner has and says, by the same methods whether or not there is a scikit-learn."""
    rows = rows_of(learner.schema_, counts=True)
    said: dict[str, Any] = {
        "class": type(learner).__name__,
        "parameters": sorted(learner.get_params(deep=False)),
        "describe": learner.describe(),
        "methods": [name for name in (*METHODS, *MORE) if hasattr(learner, name)],
        "labels": repr(getattr(learner, "classes_", None)),
    }
    for name in METHODS:
        if hasattr(learner, name):
            found = getattr(learner, name)(rows)
            told = np.column_stack(found.numeric) if isinstance(found, Table) else np.asarray(found)
            said[name] = told.tolist()
    return said


def first_of(kind: str) -> Any:
    """A fitted learner of a kind."""
    return next(iter(fitted_learners(kind)))[1]


@pytest.fixture(scope="module")
def learners() -> dict[str, Any]:
    """One of every kind that can be stored."""
    return {kind: first_of(kind) for kind in KINDS}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
def test_every_kind_loads_predicts_and_learns_the_same_without_scikit_learn(
    learners: dict[str, Any], tmp_path: Path
) -> None:
    files = {kind: str(tmp_path / f"{kind}.acm") for kind in learners}
    for kind, learner in learners.items():
        acumen.save(learner, files[kind])
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", _ASKED, *files.values()]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=500)
    assert ran.returncode == 0, ran.stderr
    loaded, learned = json.loads(ran.stdout)
    for kind, path in files.items():
        here = json.loads(json.dumps(said_by(acumen.load(path))))
        assert str(loaded[path]) == str(here), kind
        if learners[kind].get_params(deep=False).get("random_state", 0) is None:
            here, learned[kind] = here["methods"], learned[kind]["methods"]  # drawn anew
        else:
            here = json.loads(json.dumps(said_by(learners[kind])))
        assert str(learned[kind]) == str(here), kind


_STAND_INS = """
import pytest
from acumen.base import scikit_absent as absent
from acumen.errors import MissingExtra


class Inner(absent.BaseEstimator):
    def __init__(self, size=1):
        self.size = size


class Outer(absent.BaseEstimator, absent.TransformerMixin):
    def __init__(self, inner=None, *, names=("a",)):
        self.inner = inner
        self.names = names

    @absent.available_if(lambda self: self.inner is None)
    def bare(self):
        return "bare"
"""


def _stand_ins() -> dict[str, Any]:
    made: dict[str, Any] = {}
    exec(_STAND_INS, made)
    return made


def test_stand_ins_name_copy_and_set_parameters_as_scikit_learn_does() -> None:
    import sklearn.base

    made = _stand_ins()
    Inner, Outer, absent = made["Inner"], made["Outer"], made["absent"]
    theirs = {name: type(name, (sklearn.base.BaseEstimator,), {"__init__": cls.__init__})
              for name, cls in (("Inner", Inner), ("Outer", Outer))}  # fmt: skip
    mine, other = Outer(Inner(3)), theirs["Outer"](theirs["Inner"](3))
    assert list(mine.get_params()) == list(other.get_params())
    assert repr(mine) == repr(other) == "Outer(inner=Inner(size=3))"
    mine.set_params(inner__size=5, names=("b",))
    assert mine.inner.size == 5 and mine.names == ("b",)
    with pytest.raises(ValueError, match="Invalid parameter 'wide'"):
        mine.set_params(wide=1)
    copied = absent.clone(mine)
    assert (
        copied is not mine
        and copied.inner is not mine.inner
        and copied.get_params(deep=False)["names"] == ("b",)
    )
    assert copied.inner.size == 5
    assert [each.size for each in absent.clone([Inner(1), Inner(2)])] == [1, 2]
    with pytest.raises(TypeError, match="not a learner"):
        absent.clone(3)


def test_stand_ins_have_methods_where_they_are_available_and_say_what_needs_scikit_learn() -> None:
    made = _stand_ins()
    assert made["Outer"]().bare() == "bare" and not hasattr(made["Outer"](1), "bare")
    with pytest.raises(MissingExtra, match="scikit-learn"):
        made["Outer"]().set_output(transform="pandas")
    assert isinstance(made["Outer"]().set_output(transform="default"), made["Outer"])


def test_a_library_that_is_missing_is_no_fault_of_the_file() -> None:
    words = r"m\.acm: this model needs nothing_of_the_kind, which is not installed"
    with pytest.raises(ModelFileError, match=words) as told, model_file_errors("m.acm"):
        import nothing_of_the_kind  # noqa: F401
    assert "damaged" not in str(told.value)
