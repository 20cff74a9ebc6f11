"""The variance of a normal distribution, alone or with its mean, under a conjugate prior.

The mean of a normal distribution of known variance, under a normal prior.
"""

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
    numbers = np.array(values, dtype=np.float64)
    if numbers.ndim != 1 or not np.all(np.isfinite(numbers)):
        raise DataError(f"estimate_normal_mean: values must be a sequence of finite numbers; got {values!r}.")
    for name, number in (("variance", variance), ("prior_variance", prior_variance)):
        if not number > 0 or (name == "variance" and not np.isfinite(number)):
            raise ParameterError(f"estimate_normal_mean: {name} must be a number above 0; got {number!r}.")
    if not np.isfinite(prior_mean):
        raise ParameterError(f"estimate_normal_mean: prior_mean must be finite; got {prior_mean!r}.")
    n = len(numbers)
    ml = float(numbers.mean()) if n else float("nan")
    precision = n / variance + 1.0 / prior_variance
    if not precision > 0:
        raise DataError(
            "estimate_normal_mean: without values and without a prior there is nothing to estimate from."
        )
    pull = n / variance / precision  # how far the values pull the mean away from the prior's
    mean = prior_mean + (pull * (ml - prior_mean) if n else 0.0)
    return NormalMean(ml, float(mean), 1.0 / precision, variance + 1.0 / precision)


@dataclass(frozen=True, slots=True)
class NormalPosterior:
    """What is known of a normal distribution: its precision 1 / variance is gamma with `shape` and `rate`.

    Where the mean is known too, `strength` is infinite; else the mean, given the variance, is normal about `mean` with
    variance / `strength`. A further value follows Student's t with `freedom` degrees of freedom about `mean`, of scale
    `scale`. `ml` is the variance of maximum likelihood, divided by n.
    """

    ml: float
    mean: float
    strength: float
    shape: float
    rate: float

    @property
    def map(self) -> float:
        """The variance at the mode of its posterior, which is inverse gamma."""
        return self.rate / (self.shape + 1.0)

    @property
    def bayes(self) -> float:
        """The mean of the variance's posterior; infinite up to a shape of 1."""
        return self.rate / (self.shape - 1.0) if self.shape > 1 else float("inf")

    @property
    def freedom(self) -> float:
        return 2.0 * self.shape

    @property
    def scale(self) -> float:
        return float(np.sqrt(self.rate / self.shape * (1.0 + 1.0 / self.strength)))

    def log_density(self, value: float) -> float:
        """Of a further value."""
        from acumen.bayes.factors.student import log_density

        return float(log_density(np.array([float(value)]), self.mean, self.scale, self.freedom)[0])

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The central interval that holds the variance with posterior probability `level`."""
        from scipy.special import gammaincinv

        if not 0 < level < 1:
            raise ParameterError(f"interval: level must lie between 0 and 1; got {level!r}.")
        low, high = (float(gammaincinv(self.shape, p)) for p in ((1 + level) / 2, (1 - level) / 2))
        return self.rate / low, self.rate / high


def estimate_normal_variance(
    values: Sequence[float] | Floats, mean: float, *, prior_shape: float, prior_rate: float
) -> NormalPosterior:
    """The posterior of a normal variance about a known mean, under a conjugate gamma prior on 1 / variance.

    With n values: shape = prior_shape + n / 2, rate = prior_rate + (sum of squares about the mean) / 2.

    Parameters
    ----------
    values : sequence of numbers
        The values seen; with none the posterior is the prior.
    mean : float
        The known mean.
    prior_shape, prior_rate : float
        Of the gamma distribution, both above 0; the prior's mean of 1 / variance is shape / rate.

    Examples
    --------
    >>> import acumen
    >>> found = acumen.estimate_normal_variance([1.0, 3.0], 2.0, prior_shape=2.0, prior_rate=1.0)
    >>> found.shape, found.rate, found.bayes
    (3.0, 2.0, 1.0)
    """
    numbers = _checked_values(
        "estimate_normal_variance", values, prior_shape=prior_shape, prior_rate=prior_rate
    )
    if not np.isfinite(mean):
        raise ParameterError(f"estimate_normal_variance: mean must be finite; got {mean!r}.")
    squares, n = float(((numbers - mean) ** 2).sum()), len(numbers)
    ml = squares / n if n else float("nan")
    return NormalPosterior(ml, float(mean), float("inf"), prior_shape + n / 2, prior_rate + squares / 2)


def estimate_normal(
    values: Sequence[float] | Floats,
    *,
    prior_mean: float = 0.0,
    prior_strength: float,
    prior_shape: float,
    prior_rate: float,
) -> NormalPosterior:
    """The posterior of a normal mean and variance under the conjugate normal-gamma prior.

    Parameters
    ----------
    values : sequence of numbers
        The values seen; with none the posterior is the prior.
    prior_mean, prior_strength : float
        The mean, given the variance, is normal around `prior_mean` with variance / `prior_strength`, as if this number
        of values had been observed there.
    prior_shape, prior_rate : float
        Of the gamma distribution of 1 / variance.

    Examples
    --------
    >>> import acumen
    >>> found = acumen.estimate_normal([1.0, 3.0], prior_mean=0.0, prior_strength=2, prior_shape=1, prior_rate=1)
    >>> found.mean, found.strength, found.shape, found.rate
    (1.0, 4.0, 2.0, 4.0)
    """
    numbers = _checked_values(
        "estimate_normal",
        values,
        prior_strength=prior_strength,
        prior_shape=prior_shape,
        prior_rate=prior_rate,
    )
    if not np.isfinite(prior_mean):
        raise ParameterError(f"estimate_normal: prior_mean must be finite; got {prior_mean!r}.")
    n = len(numbers)
    strength, shape = float(prior_strength) + n, float(prior_shape) + n / 2
    if not n:
        return NormalPosterior(float("nan"), float(prior_mean), strength, shape, float(prior_rate))
    middle = float(numbers.mean())
    squares, apart = float(((numbers - middle) ** 2).sum()), middle - prior_mean
    rate = prior_rate + squares / 2 + prior_strength * n * apart**2 / (2 * strength)
    return NormalPosterior(squares / n, prior_mean + n / strength * apart, strength, shape, float(rate))


def _checked_values(who: str, values: Sequence[float] | Floats, **positive: float) -> Floats:
    numbers = np.array(values, dtype=np.float64)
    if numbers.ndim != 1 or not np.all(np.isfinite(numbers)):
        raise DataError(f"{who}: values must be a sequence of finite numbers; got {values!r}.")
    for name, number in positive.items():
        if not 0 < number < np.inf:
            raise ParameterError(f"{who}: {name} must be a finite number above 0; got {number!r}.")
    return numbers
