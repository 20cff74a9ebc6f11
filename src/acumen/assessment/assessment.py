"""The result of `assess`: one value per split for each measure, and estimates computed from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from acumen.assessment.confusion import Confusion
from acumen.assessment.runs import TestRun
from acumen.assessment.scores import measure as measure_of
from acumen.assessment.statistics.given import one_of
from acumen.assessment.statistics.intervals import Interval, interval
from acumen.errors import ParameterError, did_you_mean
from acumen.render.views import render
from acumen.types import Array, Floats, Indices, Label

#: So many notes are printed; the rest is counted.
SHOWN_NOTES = 5


@dataclass(frozen=True)
class Assessment:
    """The results of a learner, split by split.

    Attributes
    ----------
    learner : str
        Its name with the parameters that are not the defaults.
    method : how the table was split
    measures : tuple of str
    table : dict of arrays
        For each measure one value a split; for leave-one-out one a row where the measure is a mean over rows,
        else one of all rows together.
    confusion : Confusion or None
        Of all test rows together; None where numbers are predicted.
    seed : int
        Gives the same splits again.
    n_train, n_test : float
        Rows of a training and of a test set, on average.
    notes : tuple of str
        What was odd: classes or levels absent from training sets, warnings of the learner.
    estimates : dict of floats
        What .632 and .632+ make of the measures; empty for other methods.
    weights : array
        Of the rows, for leave-one-out on weighted rows; else empty.
    runs : tuple of Run
        What was predicted, split by split.
    costs : matrix or None
        The costs for the measure `cost`.
    positive : label or None
        As it was given.
    """

    learner: str
    method: Any
    measures: tuple[str, ...]
    table: dict[str, Floats]
    confusion: Confusion | None
    seed: int
    n_train: float
    n_test: float
    notes: tuple[str, ...] = ()
    estimates: Mapping[str, float] = field(default_factory=dict)
    weights: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    runs: tuple[TestRun, ...] = field(default=(), repr=False)
    costs: Floats | None = field(default=None, repr=False)
    positive: Label | None = None

    @property
    def values(self) -> Floats:
        """The first measure, one value per split (per row for leave-one-out)."""
        return self.table[self.measures[0]]

    @property
    def mean(self) -> float:
        """The estimate of the first measure: the mean over splits, or the bootstrap's combination."""
        return self.mean_of(self.measures[0])

    @property
    def variance(self) -> float:
        """The variance of the first measure over splits, with divisor K - 1; NaN for a single split."""
        known = self.shares_of(self.measures[0])
        return float(np.var(known, ddof=1)) if len(known) > 1 else float("nan")

    def interval(self, level: float = 0.95, kind: str = "rows") -> Interval:
        """The interval of the first measure for the model fitted on all rows; see `interval_of`.

        The textbooks' intervals of the mean over splits are there as `kind="t"` (Student's) and `"normal"`. They take
        the splits as independent, which those of cross-validation are not, and are far too narrow.
        """
        if kind != "rows":
            one_of(kind, ("rows", "t", "normal"), "kind", "Assessment.interval")
            return interval(self.shares_of(self.measures[0]), level, kind)
        return self.interval_of(self.measures[0], level)

    def interval_of(self, measure: str, level: float = 0.95) -> Interval:
        """The 95 % interval of any measure, the same in `assess` and `compare`; NaN if there is none.

        A measure that is a mean over rows has Wilson's interval around the estimate. Its n is the number of different
        rows tested, or with row weights the effective number. Other measures use a bootstrap over rows; times and sizes
        use Student's t over splits. The interval never leaves the range of the measure.
        """
        from acumen.assessment.certainty import interval_of

        return interval_of(self, measure, level)

    def mean_of(self, measure: str) -> float:
        """The estimate of one of the measures."""
        if measure not in self.table:
            raise ParameterError(
                f"Assessment: {measure!r} was not measured; available: {', '.join(self.table)}."
                + did_you_mean(measure, self.table)
            )
        if measure in self.estimates:
            return self.estimates[measure]
        return _mean(self.shares_of(measure))

    def means(self) -> dict[str, float]:
        """The estimate of every measure."""
        return {name: self.mean_of(name) for name in self.table}

    def residuals(self) -> tuple[Floats, Floats]:
        """For a regressor, the true and the predicted numbers of the test rows in the first repeat, each row once."""
        if self.confusion is not None:
            raise ParameterError(
                "Assessment: only learners that predict numbers have residuals; this one predicts classes."
            )
        first = [run for run in self.runs if run.repeat == 0]
        return np.concatenate([run.truth for run in first]), np.concatenate([run.predicted for run in first])

    def rows(
        self,
        truth: Label | None = None,
        predicted: Label | None = None,
        repeat: int = 0,
        *,
        threshold: float | None = None,
        positive: Label | None = None,
    ) -> Indices:
        """Find the rows of a true class, a predicted class, or both: one cell of the confusion matrix.

        Parameters
        ----------
        truth, predicted : label, optional
            [default: any class]
        repeat : int
            The repeat of the splits; most methods test each row once per repeat.
        threshold : float, optional
            Predict `positive` from this probability on; needs an assessment by a measure of probabilities.
        positive : label, optional
            The class that `threshold` applies to. [default: the last of two classes]

        Returns
        -------
        array of int
            Positions in the table that was judged on, ascending, each once.

        Examples
        --------
        >>> import acumen
        >>> found = acumen.assess(acumen.NaiveBayes(), acumen.datasets.load("iris"), acumen.LeaveOneOut())
        >>> found.rows(truth="Iris-virginica", predicted="Iris-versicolor").tolist()
        [106, 119, 133, 134]
        """
        if self.confusion is None:
            raise ParameterError(
                "Assessment: only learners that predict classes have rows of a class; this one predicts numbers."
            )
        runs = [run for run in self.runs if run.repeat == repeat]
        if not runs:
            raise ParameterError(
                f"Assessment: repeat must be a whole number from 0 to {self.repeats - 1}; got {repeat!r}."
            )
        kept = [np.ones(len(run.test), dtype=np.bool_) for run in runs]
        predictions = [
            run.predicted if threshold is None else self._predictions_at(run, threshold, positive)
            for run in runs
        ]
        for wanted, codes in ((truth, [run.truth for run in runs]), (predicted, predictions)):
            if wanted is not None:
                code = self._code(wanted)
                kept = [k & (each == code) for k, each in zip(kept, codes, strict=True)]
        rows: Indices = np.unique(np.concatenate([run.test[k] for k, run in zip(kept, runs, strict=True)]))
        return rows

    def _predictions_at(self, run: TestRun, threshold: float, positive: Label | None) -> Array:
        """Predict `positive` from a probability threshold on, instead of the most probable class."""
        from acumen.models.decision import by_threshold

        labels = () if self.confusion is None else self.confusion.labels
        if run.proba is None:
            raise ParameterError(
                "Assessment: threshold needs probabilities; assess with a measure that uses them, such as log_loss."
            )
        if positive is None and len(labels) != 2:
            raise ParameterError(f"Assessment: of {len(labels)} classes say which is called: positive=...")
        place = len(labels) - 1 if positive is None else self._code(positive)
        return by_threshold(run.proba, place, threshold)

    def _code(self, label: Label) -> int:
        labels = () if self.confusion is None else self.confusion.labels
        if label not in labels:
            known = [str(each) for each in labels]
            raise ParameterError(
                f"Assessment: there is no class {label!r}; the classes are {', '.join(known[:8])}."
                + did_you_mean(str(label), known)
            )
        return labels.index(label)

    @property
    def repeats(self) -> int:
        """The number of repeats of the splits."""
        return max((run.repeat for run in self.runs), default=0) + 1

    def first(self, repeats: int) -> Assessment:
        """The assessment from only the first n repeats; without the bootstrap's own estimates."""
        if repeats >= self.repeats:
            return self
        runs = tuple(run for run in self.runs if run.repeat < repeats)
        confusion = self.confusion
        if confusion is not None:
            each = [Confusion.of_codes(r.truth, r.predicted, r.weights, confusion.labels) for r in runs]
            confusion = reduce(add, each)
        return replace(
            self,
            method=replace(self.method, n_repeats=repeats),
            table={name: values[: len(runs)] for name, values in self.table.items()},
            confusion=confusion,
            n_train=float(np.mean([run.train_size for run in runs])),
            n_test=float(np.mean([len(run.test) for run in runs])),
            estimates={},
            runs=runs,
        )

    def shares_of(self, measure: str) -> Floats:
        """The values whose plain mean is the estimate: undefined ones removed, row weights multiplied in."""
        values = self.table[measure]
        if self.weights.size and len(values) == len(self.weights):
            values = values * (self.weights / self.weights.mean())
        return values[~np.isnan(values)]

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready values; undefined and infinite values become None."""
        return {
            "schema_version": 1,
            "learner": self.learner,
            "method": str(self.method),
            "seed": self.seed,
            "mean": _plain(self.mean),
            "measures": {
                name: {
                    "mean": _plain(self.mean_of(name)),
                    "interval": [_plain(end) for end in self.interval_of(name)],
                    "values": [_plain(v) for v in values.tolist()],
                }
                for name, values in self.table.items()
            },
            "confusion": None if self.confusion is None else self.confusion.to_dict(),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        name = self.measures[0]
        bounds = self.interval()
        form = ".4f" if measure_of(name).most == 1 else ".4g"
        lines = [f"{self.learner} by {self.method}: {name} {_summary_line(self.mean, form)}"]
        if np.isfinite(bounds.low):
            lines[0] += f" (95 % from {bounds.low:{form}} to {bounds.high:{form}})"
        lines += [f"  {other}: {_summary_line(self.mean_of(other), '.4g')}" for other in self.measures[1:]]
        return "\n".join([*lines, *(f"  {line}" for line in note_lines(self.notes))])

    def _repr_html_(self) -> str:
        return render(self, "html")


def note_lines(notes: tuple[str, ...]) -> list[str]:
    """The first few notes, and how many more there are."""
    lines = [f"note: {note}" for note in notes[:SHOWN_NOTES]]
    more = len(notes) - SHOWN_NOTES
    return lines + ([f"and {more} more note{'s' * (more > 1)}"] if more > 0 else [])


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _summary_line(value: float, form: str) -> str:
    return "undefined" if np.isnan(value) else format(value, form)


def _plain(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
