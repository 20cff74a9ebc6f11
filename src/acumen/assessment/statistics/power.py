"""About how many rows a test would need to detect a difference that was not significant."""

from __future__ import annotations

import math
from dataclasses import dataclass

from acumen.assessment.statistics.given import between_0_and_1, positive
from acumen.assessment.statistics.result import TestResult
from acumen.assessment.statistics.tails import t_quantile
from acumen.errors import DataError, ParameterError

#: Beyond so many times the rows there are, the answer is that the two are as good as equal.
FAR = 1000.0


@dataclass(frozen=True, slots=True)
class RowsNeeded:
    """A rough number of rows; infinite if there was no difference at all."""

    rows: float
    times: float
    power: float
    alpha: float

    def __str__(self) -> str:
        if self.times > FAR:
            return "no realistic number of rows would detect a difference this small: treat the two as equally good"
        return (
            f"about {round_up(self.rows):,} rows ({self.times:.2g} times as many) would be needed to detect the "
            f"difference with {100 * self.power:g} % power, if it is as large as estimated"
        )


def rows_to_settle(
    result: TestResult, n_rows: int, alpha: float = 0.05, power: float = 0.8, comparisons: int = 1
) -> RowsNeeded:
    """About how many rows a table would need for this test to detect the observed difference.

    The standard error is taken to shrink as 1 / sqrt(rows), with the same kind and number of splits, so
    rows = n_rows x ((t(1 - alpha/2) + t(power)) x se / difference)^2, never fewer than there are.

    This is a rule of thumb, and rather too small than too large:

    * the difference seen is taken for the true one, but it is uncertain itself, by a factor of two or more
      in a pair still open;
    * learners gain from rows in their own ways, so the difference may grow, vanish or turn with more of them;
    * the part of the variance that comes from training sets shrinks at a rate of its own.

    Parameters
    ----------
    result : TestResult
        Of a test with a standard error: `corrected_t`, `paired_t` or `mcnemar`.
    n_rows : int
        Rows of the table it was found on.
    alpha : float
        The level of the test.
    power : float
        The chance wanted of finding the difference.
    comparisons : int
        How many pairs are tested at once; alpha is divided among them.
    """
    who = "rows_to_settle"
    alpha, power = between_0_and_1(alpha, "alpha", who), between_0_and_1(power, "power", who)
    n = positive(n_rows, "n_rows", who)
    if not comparisons >= 1:
        raise ParameterError(f"{who}: comparisons must be a number of at least 1; got {comparisons!r}.")
    if math.isnan(result.se) or isinstance(result.df, tuple):
        raise DataError(f"{who}: {result.name} has no standard error; give the result of corrected_t.")
    if not result.estimate:
        return RowsNeeded(math.inf, math.inf, power, alpha)
    wanted = t_quantile(1.0 - alpha / comparisons / 2.0, result.df) + max(0.0, t_quantile(power, result.df))
    times = max(1.0, (wanted * result.se / abs(result.estimate)) ** 2)
    return RowsNeeded(math.ceil(n * times), times, power, alpha)


def round_up(rows: float) -> int:
    """Round up to two significant digits."""
    unit = 10 ** max(0, len(str(math.ceil(rows))) - 2)
    return math.ceil(rows / unit) * unit
