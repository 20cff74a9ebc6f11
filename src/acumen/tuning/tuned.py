"""`Tuned`: a learner whose parameters are chosen on its training rows only.

Being a learner itself it can be judged like any other: `assess(Tuned(...), table)` chooses anew in every training
set, so that the estimate is honest.

Whether the best setting of a search lies at the edge of its grid, so that a better one may lie beyond.

    edge_warnings   results, learner -> sentences

A parameter is checked where three or more numbers were tried, with the others as in the best setting; see
`grid_edges`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from acumen import messages
from acumen.assessment.grid_edges import edge_sentences
from acumen.assessment.judge import MeasureJudge
from acumen.assessment.runs import ground
from acumen.base.inner_learner import Within
from acumen.base.learner import Learner
from acumen.base.training import Training
from acumen.data.schema import Schema
from acumen.errors import AcumenWarning, DataError
from acumen.models.model import AnyModel
from acumen.models.predictor import limit_lines
from acumen.resampling import Holdout, KFold, LeaveOneOut, Subsample, TimeSlice
from acumen.rows.training_rows import Rows
from acumen.summaries.algebra import add_up
from acumen.tuning import search
from acumen.tuning.grid import learners_of, same, settings_of
from acumen.tuning.results import Results
from acumen.tuning.search import SettingTrial
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.base.learner import Learner


class Tuned(Within):
    """A learner that chooses its parameters by validation within the training rows.

    acumen fits and validates every combination of the grid on splits of the training rows. It then fits the chosen
    one on all of them. Parameters that only affect how a summary is solved (`alpha`, `shrinkage`, `costs`) are
    searched without reading the data again.

    Parameters
    ----------
    learner : a classifier or regressor of acumen
        Not changed: copies of it are fitted.
    grid : mapping of parameters to lists of values, or a list of such mappings
        List values from the simplest to the most complex; if settings tie, the simplest is chosen. Write parameters of
        an inner learner as `learner__alpha`.
    method : Holdout, KFold, LeaveOneOut, Subsample or TimeSlice, optional
        How to split the training rows. [default: KFold(10), with fewer folds if there are fewer rows] Ignored for
        "aic" and "bic".
    selection_rule : {"best", "one-se"}
        Choose the setting with the best mean; or the simplest one whose mean is within one standard error of the best
        (Breiman et al. 1984).
    measure : str, optional
        Any measure of `assess`; or "aic" or "bic", which fit each setting once on all rows, without validation.
        [default: "error" for classifiers and "rmse" for regressors]
    random_state : int, Generator or None
        Seeds the splits, the same for all settings.
    n_jobs : int, optional
        Threads for a learner that has this parameter. [default: the learner's own]

    Attributes
    ----------
    best_params_ : dict
        The chosen setting.
    best_learner_ : the learner fitted with it on all rows; `acumen.save(tuned, path)` keeps this one
    results_ : Results
        Every setting with its mean, standard error and value on each split; `print` it. If a setting cannot be fitted
        on some split or on all rows (for example a hard margin on inseparable rows), it is skipped with a warning.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> grid = {"covariance": ["shared", "full"], "shrinkage": [0.5, 0.0]}
    >>> acumen.Tuned(acumen.FullBayes(), grid, random_state=1).fit(iris).best_params_
    {'covariance': 'shared', 'shrinkage': 0.0}
    """

    kind: ClassVar[str] = "tuned"
    _required_parameters: ClassVar[list[str]] = ["learner", "grid"]

    def __init__(
        self,
        learner: Learner,
        grid: Mapping[str, Sequence[Any]] | list | tuple,  # type: ignore[type-arg]
        method: KFold | Holdout | LeaveOneOut | Subsample | TimeSlice | None = None,
        selection_rule: Literal["best", "one-se"] = "best",
        measure: str | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.grid = grid
        self.method = method
        self.selection_rule = selection_rule
        self.measure = measure
        self.random_state = random_state
        self.n_jobs = n_jobs

    # -- learning ---------------------------------------------------------------------------------

    def object_to(self, schema: Schema) -> None:
        """Checked for each setting when the learners are created: the learner itself may never be fitted."""

    def learn(self, rows: Rows) -> tuple[AnyModel, Floats]:
        table = rows.require_local(self._name)
        settings = settings_of(self.grid, self.learner, self._name)
        learners = learners_of(self.learner, settings, self._name, table.schema, n_jobs=self.n_jobs)
        there = table.known_target()
        parts: _Parts | None = None
        known = table if there.all() else table.take(np.flatnonzero(there))
        if self.measure is not None and self.measure in search.CRITERIA:
            results = search.by_criterion(
                learners, settings, known, self.measure, self.selection_rule, self._name
            )
        else:
            judge = MeasureJudge(self.measure, self.learner, table.schema.classes, self._name)
            judge.object_to(table.schema, self._name)
            method = ground(self.learner, known, _method(self.method, len(known))).method
            parts = _Parts() if self.learner.summary_gives_error else None
            results = search.by_validation(
                learners,
                settings,
                known,
                method,
                judge,
                self.selection_rule,
                self.random_state,
                self._name,
                parts,
            )

        def fit_setting(setting: int) -> Learner:
            whole = None if parts is None else parts.whole(setting, len(known))
            if whole is None:
                return learners[setting].fit(table)
            return whole.fit_learner(learners[setting])

        self.results_, self.best_learner_ = search.settle(results, fit_setting, self._name)
        for sentence in edge_warnings(self.results_, self.learner, self._name):
            warnings.warn(sentence, AcumenWarning, stacklevel=3)
        self.best_params_ = dict(settings[self.results_.chosen])
        return self._taken_over()

    @property
    def _inner(self) -> Learner:
        return self.best_learner_

    # -- what was learned -------------------------------------------------------------------------

    def describe(self, full: bool = False) -> str:
        """Describe what was chosen and the model: at most 40 lines unless `full`."""
        description = self._require_fitted().describe(full=True)
        text = f"Tuned by {self.results_.sentence()}\n{description}"
        return text if full else limit_lines(text)

    @property
    def learner_to_save(self) -> Learner:
        """The learner that a model file saves instead of this one; not available before fitting."""
        return self.best_learner_


class _Parts:
    """The summaries of the folds of one repeat, which add up to that of all rows: no further pass is needed."""

    def __init__(self) -> None:
        self._seen: dict[int, dict[int, SettingTrial]] = {}

    def __call__(self, trial: SettingTrial) -> None:
        if trial.split.repeat == 0:
            self._seen.setdefault(trial.setting, {})[trial.split.fold] = trial

    def whole(self, setting: int, n_rows: int) -> Training | None:
        """The training on all rows, if all were in some fold."""
        folds = self._seen.get(setting, {})
        if sum(len(trial.split.test) for trial in folds.values()) != n_rows:
            return None
        return add_up(tested for fold in sorted(folds) if (tested := folds[fold].tested) is not None)


def _method(method: Any, n_rows: int) -> Any:
    if n_rows < 2:
        raise DataError(
            "Tuned: one sample is too few to train and validate; give at least 2 labelled rows, or use "
            f"{messages.option('measure', 'bic')}."
        )
    return KFold(min(10, n_rows)) if method is None else method


def edge_warnings(results: Results, learner: Learner, who: str) -> Iterator[str]:
    """A sentence for each parameter whose best value is the smallest or the largest that was tried."""
    for name in results.settings[results.best]:
        tried = _tried_values(results, name)
        yield from edge_sentences(name, results.settings[results.best][name], tried, learner, who)


def _tried_values(results: Results, name: str) -> list[tuple[Any, float]]:
    """The values of a parameter with their means, the other parameters as in the best setting."""
    best = results.settings[results.best]
    return [
        (setting[name], float(mean))
        for setting, mean in zip(results.settings, results.mean, strict=True)
        if setting.keys() == best.keys() and all(same(setting[n], best[n]) for n in best if n != name)
    ]
