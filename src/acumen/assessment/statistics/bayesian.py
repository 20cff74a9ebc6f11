"""The Bayesian correlated t-test: the probability that a is better, that b is, or that the difference does not matter.

A p-value cannot say that two learners are as good as equal; this can. A region of practical equivalence
(rope) states which differences would not matter to anyone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from acumen.assessment.statistics.given import between_0_and_1, require_rope
from acumen.assessment.statistics.paired import Values, centre_and_error, share
from acumen.assessment.statistics.tails import t_below, t_quantile


@dataclass(frozen=True, slots=True)
class Posterior:
    """The posterior distribution of the mean difference `a - b` after the splits.

    A Student distribution with `df` degrees of freedom, centred on `estimate`, with scale `scale`.

    Attributes
    ----------
    a_better, equal, b_better : float
        Probabilities that a is better by more than the rope, that the difference lies within it, and that b
        is better by more; they add up to 1.
    low, high : float
        The central interval of probability `level`.
    rope : float
        Differences up to this size do not matter.
    """

    estimate: float
    scale: float
    df: float
    a_better: float
    equal: float
    b_better: float
    low: float
    high: float
    rope: float
    level: float = 0.95
    n: int = 0
    name: str = "Bayesian correlated t-test"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {field: getattr(self, field) for field in self.__slots__}

    def __str__(self) -> str:
        return (
            f"{self.name}: mean of a - b {self.estimate:.4g} "
            f"({100 * self.level:g} % from {self.low:.4g} to {self.high:.4g}); "
            f"P(a better) = {self.a_better:.3f}, P(within {self.rope:g}) = {self.equal:.3f}, "
            f"P(b better) = {self.b_better:.3f}"
        )


def bayesian_t(
    a: Values,
    b: Values,
    n_train: float,
    n_test: float,
    rope: float = 0.01,
    smaller_is_better: bool = True,
    level: float = 0.95,
) -> Posterior:
    """The Bayesian correlated t-test of Corani and Benavoli (2015, Machine Learning 100).

    The differences of J splits are taken as normal with equal correlation n_test / (n_train + n_test); under
    the matching prior the posterior of their mean is Student's t with J - 1 degrees of freedom and the scale
    of the corrected resampled t-test, sqrt((1/J + n_test/n_train) s^2).

    Parameters
    ----------
    a, b : sequences of numbers
        One value for each of J splits, two or more, the same splits for both.
    n_train, n_test : numbers
        Rows in a training and in a test part. Only their ratio counts.
    rope : float
        Half the width of the region of practical equivalence, in the units of the values.
    smaller_is_better : bool
        True for errors and losses, False for accuracies.
    level : float
        Of the interval.
    """
    who = "bayesian_t"
    level = between_0_and_1(level, "level", who)
    require_rope(rope, who)
    centre, scale, n = centre_and_error(a, b, share(n_train, n_test, who), who)
    if scale > 0:
        below = t_below((-rope - centre) / scale, n - 1.0)
        above = t_below((centre - rope) / scale, n - 1.0)
    else:  # every split has the same difference: all probability sits there
        below, above = float(centre < -rope), float(centre > rope)
    half = t_quantile((1.0 + level) / 2.0, n - 1.0) * scale
    a_better, b_better = (below, above) if smaller_is_better else (above, below)
    return Posterior(
        estimate=centre,
        scale=scale,
        df=n - 1.0,
        a_better=a_better,
        equal=max(0.0, 1.0 - below - above),
        b_better=b_better,
        low=centre - half,
        high=centre + half,
        rope=float(rope),
        level=level,
        n=n,
    )
