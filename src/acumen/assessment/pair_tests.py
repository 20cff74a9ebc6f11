"""Statistical tests of two learners of a comparison, by name: the one behind the verdicts, and others you can run.

Each looks at the splits, or at the rows of the first repeat, that both learners went through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.assessment.assessment import Assessment
from acumen.assessment.outcome import errors_of
from acumen.assessment.scores import measure as measure_of
from acumen.assessment.statistics import (
    Posterior,
    RowsNeeded,
    TestResult,
    bayesian_t,
    cochran_q,
    corrected_t,
    five_by_two_f,
    five_by_two_t,
    mcnemar,
    paired_t,
    rows_to_settle,
    wilcoxon,
)
from acumen.assessment.verdicts import Headline, PairJudge, paired_values
from acumen.caching import cached_property
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.resampling import KFold
from acumen.types import Array, Floats


class PairTests:
    """Tests you can run on two learners of a comparison."""

    assessments: dict[str, Assessment]
    measure: str
    method: Any

    if TYPE_CHECKING:  # which the comparison has

        @property
        def names(self) -> tuple[str, ...]: ...
        @property
        def smaller_is_better(self) -> bool: ...
        @cached_property
        def headline(self) -> Headline: ...
        @cached_property
        def _judge(self) -> PairJudge: ...

    def test(self, a: str, b: str) -> TestResult:
        """The test behind the verdict on two learners."""
        self._assessment(a), self._assessment(b)
        result = self._judge.test(a, b)
        if result is None:
            raise DataError(f"compare: {a} and {b} cannot be tested against each other on these splits.")
        return result

    def corrected_t(self, a: str, b: str) -> TestResult:
        """The corrected resampled t-test over splits (Nadeau and Bengio); too optimistic with few splits."""
        (first, second), assessment = self._several(a, b), self.assessments[a]
        return corrected_t(first, second, assessment.n_train, assessment.n_test)

    def paired_t(self, a: str, b: str) -> TestResult:
        """The paired t-test, which takes splits as independent and so finds too many differences."""
        return paired_t(*self._several(a, b))

    def wilcoxon(self, a: str, b: str) -> TestResult:
        """Wilcoxon's signed-rank test over splits."""
        return wilcoxon(*self._several(a, b))

    def mcnemar(self, a: str, b: str) -> TestResult:
        """McNemar's test on the rows tested in the first repeat, each once; row weights are ignored."""
        if measure_of(self.measure).needs == "numbers":
            raise ParameterError("mcnemar: compares predicted classes; for numbers use paired_rows(a, b).")
        (truth, first), (_, second) = (self._predictions(name) for name in (a, b))
        return mcnemar(truth, first, second)

    def cochran_q(self, *names: str) -> TestResult:
        """Cochran's Q on the rows tested in the first repeat: whether these (or all) learners err equally often."""
        if measure_of(self.measure).needs == "numbers":
            raise ParameterError("cochran_q: compares predicted classes, but these learners predict numbers.")
        predictions = [self._predictions(name) for name in names or self.names]
        return cochran_q(np.column_stack([predicted != truth for truth, predicted in predictions]))

    def paired_rows(self, a: str, b: str) -> TestResult:
        """Paired t-test on the errors of the first repeat's test rows, each used once; for regressors.

        The estimate is the difference of the measures: (ra^2 - rb^2) / (ra + rb) is ra - rb, so squared errors are
        divided by the sum of the two root mean squares; for R2 by the variance.
        """
        if measure_of(self.measure).needs != "numbers":
            raise ParameterError("paired_rows: is for predicted numbers; for classes use mcnemar(a, b).")
        (truth, first), (_, second) = (self._predictions(name) for name in (a, b))
        errors = [errors_of(self.measure, truth, predicted) for predicted in (first, second)]
        unit = 1.0
        if self.measure == "rmse":
            unit = sum(float(np.sqrt(each.mean())) for each in errors)
        elif self.measure == "r2":
            unit = -float(np.var(truth))
        unit = unit or 1.0  # nothing is left to explain, or nothing varies
        return paired_t(errors[0] / unit, errors[1] / unit)

    def five_by_two(self, a: str, b: str) -> tuple[TestResult, TestResult]:
        """Dietterich's t and Alpaydin's F; the comparison must be by KFold(2, n_repeats=5)."""
        if not isinstance(self.method, KFold) or (self.method.n_splits, self.method.n_repeats) != (2, 5):
            raise ParameterError("five_by_two: compare with method=KFold(2, n_repeats=5) first.")
        values = [self._assessment(name).table[self.measure].reshape(5, 2) for name in (a, b)]
        return five_by_two_t(*values), five_by_two_f(*values)

    def bayesian(self, a: str, b: str, rope: float = 0.01) -> Posterior:
        """The probability that a is better, that b is, or that they differ by less than `rope`."""
        (first, second), assessment = self._several(a, b), self.assessments[a]
        return bayesian_t(first, second, assessment.n_train, assessment.n_test, rope, self.smaller_is_better)

    def rows_to_settle(self, a: str, b: str) -> RowsNeeded:
        """About how many rows would make the observed difference significant, corrected for the number of pairs."""
        result = self.test(a, b)
        n = round(self.assessments[a].n_train + self.assessments[a].n_test)
        return rows_to_settle(result, n, comparisons=max(1, self.headline.n_pairs))

    def _assessment(self, name: str) -> Assessment:
        try:
            return self.assessments[name]
        except KeyError:
            raise ParameterError(
                f"compare: there is no learner {name!r} here.{did_you_mean(name, self.assessments)}"
            ) from None

    def _several(self, a: str, b: str) -> Floats:
        values = paired_values(self._assessment(a), self._assessment(b), self.measure)
        if values.shape[1] < 2:
            raise DataError(
                "compare: a single split cannot show what chance does; use more splits, or mcnemar(a, b)."
            )
        return values

    def _predictions(self, name: str) -> tuple[Array, Array]:
        runs = [run for run in self._assessment(name).runs if run.repeat == 0]
        return np.concatenate([r.truth for r in runs]), np.concatenate([r.predicted for r in runs])
