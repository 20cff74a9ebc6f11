"""The mean of a normal distribution of known variance, under a normal prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.errors import DataError, ParameterError
from acumen.types import Floats


@dataclass(frozen=True, slots=True)
class NormalMean:
    """What is known of the mean of a normal distribution whose own variance is known.

    `ml` is the mean of the values; `mean` and `variance` are those of the posterior, which is normal, so that
    `mean` is its mode as well; a further value is normal around `mean` with `predictive_variance`.
    """

    ml: float
    mean: float
    variance: float
    predictive_variance: float

    @property
    def map(self) -> float:
        return self.mean

    @property
    def bayes(self) -> float:
        return self.mean

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The central interval that holds the mean with posterior probability `level`."""
        from scipy.special import ndtri

        if not 0 < level < 1:
            raise ParameterError(f"interval: level must lie between 0 and 1; got {level!r}.")
        reach = float(ndtri((1.0 + level) / 2.0)) * self.variance**0.5
        return self.mean - reach, self.mean + reach


def estimate_normal_mean(
    values: Sequence[float] | Floats, variance: float, *, prior_mean: float = 0.0, prior_variance: float
) -> NormalMean:
    """The posterior of a normal mean under a conjugate normal prior.

    With n values of mean m: 1 / variance_n = n / variance + 1 / prior_variance, and the posterior mean is
    variance_n (n m / variance + prior_mean / prior_variance).

    Parameters
    ----------
    values : sequence of numbers
        The values seen; with none the posterior is the prior.
    variance : float
        The known variance of one value.
    prior_mean, prior_variance : float
        The normal prior on the mean; an infinite variance says nothing, and leaves maximum likelihood.

    Examples
    --------
    >>> import acumen
    >>> found = acumen.estimate_normal_mean([4.9, 5.1, 5.3], 1.0, prior_mean=0.0, prior_variance=1.0)
    >>> round(found.mean, 4), found.variance
    (3.825, 0.25)
    """
    made = np.array(values, dtype=np.float64)
    if made.ndim != 1 or not np.all(np.isfinite(made)):
        raise DataError(f"estimate_normal_mean: values must be a line of finite numbers; got {values!r}.")
    for name, number in (("variance", variance), ("prior_variance", prior_variance)):
        if not number > 0 or (name == "variance" and not np.isfinite(number)):
            raise ParameterError(f"estimate_normal_mean: {name} must be a number above 0; got {number!r}.")
    if not np.isfinite(prior_mean):
        raise ParameterError(f"estimate_normal_mean: prior_mean must be finite; got {prior_mean!r}.")
    n = len(made)
    ml = float(made.mean()) if n else float("nan")
    precision = n / variance + 1.0 / prior_variance
    if not precision > 0:
        raise DataError("estimate_normal_mean: without values and without a prior nothing is known.")
    pull = n / variance / precision  # how far the values pull the mean away from the prior's
    mean = prior_mean + (pull * (ml - prior_mean) if n else 0.0)
    return NormalMean(ml, float(mean), 1.0 / precision, variance + 1.0 / precision)
