"""Probabilities of a coin or a die from counts, under a Dirichlet prior (for two faces: Beta).

With counts n_l, prior parameters a_l, and their sums N and A over L faces:

    ml           n_l / N
    map          (n_l + a_l - 1) / (N + A - L)    the mode of the posterior
    bayes        (n_l + a_l) / (N + A)            its mean
    predictive   the integral of mu_l over the posterior: for one toss the same as `bayes`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from acumen.data.escape import printable_lines
from acumen.errors import DataError, ParameterError
from acumen.types import Floats, Label

Prior = Literal["uniform", "laplace"]


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """The probability of each face by each way of estimating; without a prior, by maximum likelihood only.

    Attributes
    ----------
    counts : array
        How often each face came.
    prior : array or None
        The Dirichlet prior's parameters (pseudo-counts), one per face.
    faces : tuple of labels
        The names of the faces, in the order of all arrays.
    """

    counts: Floats
    prior: Floats | None
    faces: tuple[Label, ...]

    @property
    def ml(self) -> Floats:
        """Maximum likelihood: relative frequencies; NaN where nothing was counted."""
        total = self.counts.sum()
        return self.counts / total if total > 0 else np.full(len(self.counts), np.nan)

    @property
    def log_likelihood(self) -> float:
        """log P(the tosses, in one order) at the maximum likelihood estimate."""
        seen = self.counts > 0
        return float(np.dot(self.counts[seen], np.log(self.ml[seen])))

    @property
    def posterior(self) -> Floats | None:
        """The posterior's Dirichlet parameters: counts plus pseudo-counts."""
        return None if self.prior is None else self.counts + self.prior

    @property
    def map(self) -> Floats | None:
        """The mode of the posterior; NaN where it has no single one inside or on the border.

        That is so when a parameter of the posterior is below 1, or all of them are 1.
        """
        a = self.posterior
        if a is None:
            return None
        above = a - 1.0
        total = above.sum()
        return above / total if (above >= 0).all() and total > 0 else np.full(len(a), np.nan)

    @property
    def bayes(self) -> Floats | None:
        """The mean of the posterior."""
        a = self.posterior
        return None if a is None else a / a.sum()

    @property
    def predictive(self) -> Floats | None:
        """P(the next toss shows each face), integrated over the posterior."""
        if self.posterior is None:
            return None
        return np.array([np.exp(self.log_predictive(one)) for one in np.eye(len(self.counts))])

    def log_predictive(self, future: Sequence[float] | Floats) -> float:
        """log P(further tosses with these counts, in one order), integrated over the posterior.

        For more than one toss this is not what any single estimate gives: the first of the further tosses
        teaches about the others.
        """
        from scipy.special import gammaln

        a = self._require_prior("log_predictive")
        more = _counts(future, "log_predictive")
        if more.shape != a.shape:
            raise DataError(f"log_predictive: give {len(a)} counts, one per face; got {len(more)}.")
        total = a.sum()
        gained = gammaln(a + more) - gammaln(a)
        return float(gained[more > 0].sum() - gammaln(total + more.sum()) + gammaln(total))

    @property
    def variance(self) -> Floats | None:
        """The variance of each face's probability under the posterior."""
        a = self.posterior
        if a is None:
            return None
        total = a.sum()
        return a * (total - a) / (total * total * (total + 1.0))

    def interval(self, level: float = 0.95) -> Floats:
        """For each face the central interval that holds its probability with posterior probability `level`."""
        from scipy.special import betaincinv

        if not 0 < level < 1:
            raise ParameterError(f"interval: level must lie between 0 and 1; got {level!r}.")
        a = self._require_prior("interval")
        tail = (1.0 - level) / 2.0
        others = a.sum() - a
        return np.stack([betaincinv(a, others, tail), betaincinv(a, others, 1.0 - tail)], axis=1)

    def moments(self, tosses: int) -> tuple[Floats, Floats]:
        """Mean and variance of each face's count in some tosses, at the maximum likelihood estimate."""
        if tosses < 0:
            raise ParameterError(f"moments: tosses must be at least 0; got {tosses!r}.")
        return tosses * self.ml, tosses * self.ml * (1.0 - self.ml)

    def _require_prior(self, what: str) -> Floats:
        if self.posterior is None:
            raise ParameterError(f"{what}: a posterior needs a prior; pass a prior to estimate.")
        return self.posterior

    def __str__(self) -> str:
        ways = {"ml": self.ml, "map": self.map, "bayes": self.bayes}
        shown = {way: estimates for way, estimates in ways.items() if estimates is not None}
        width = max(len(str(face)) for face in self.faces)
        lines = [" " * width + "  count" + "".join(f"{way:>9}" for way in shown)]
        for at, face in enumerate(self.faces):
            shares = "".join(f"{estimates[at]:9.4f}" for estimates in shown.values())
            lines.append(f"{face!s:<{width}}  {self.counts[at]:5g}{shares}")
        return printable_lines("\n".join(lines))


def estimate(
    counts: Sequence[float] | Mapping[Label, float] | Floats,
    prior: float | Sequence[float] | Mapping[Label, float] | Floats | Prior | None = None,
) -> Estimate:
    """Estimate the probabilities of outcomes, such as the faces of a die, from counts.

    Parameters
    ----------
    counts : sequence, or mapping of face to number
        At least two counts, of at least 0; they need not be whole.
    prior : optional
        The pseudo-counts of a Dirichlet prior: one number for all faces, one for each, a mapping of face to
        number, or "uniform" (also called "laplace"), which is 1 for all. Without a prior only maximum
        likelihood is estimated.

    Examples
    --------
    >>> import acumen
    >>> coin = acumen.estimate([3, 2], prior="laplace")
    >>> coin.ml.tolist()
    [0.6, 0.4]
    >>> coin.bayes.round(4).tolist()
    [0.5714, 0.4286]
    """
    faces: tuple[Label, ...]
    if isinstance(counts, Mapping):
        faces, numbers = tuple(counts), _counts(list(counts.values()), "estimate")
    else:
        numbers = _counts(counts, "estimate")
        faces = tuple(range(len(numbers)))
    if len(numbers) < 2:
        raise DataError(f"estimate: there must be at least two faces; got {len(numbers)}.")
    return Estimate(numbers, None if prior is None else _prior(prior, faces), faces)


def _counts(counts: Any, who: str) -> Floats:
    try:
        numbers = np.array(counts, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty((0, 0))
    if numbers.ndim != 1 or not np.all(np.isfinite(numbers)) or np.any(numbers < 0):
        raise DataError(f"{who}: counts must be a sequence of numbers of at least 0; got {counts!r}.")
    return numbers


def _prior(prior: Any, faces: tuple[Label, ...]) -> Floats:
    if isinstance(prior, str) and prior in ("uniform", "laplace"):
        return np.ones(len(faces))
    if isinstance(prior, Mapping) and set(prior) == set(faces):
        prior = [prior[face] for face in faces]
    try:
        pseudo_counts = np.array(prior, dtype=np.float64)
    except (TypeError, ValueError):
        pseudo_counts = np.zeros(0)
    pseudo_counts = np.full(len(faces), pseudo_counts) if pseudo_counts.ndim == 0 else pseudo_counts
    if (
        pseudo_counts.shape != (len(faces),)
        or not np.all(np.isfinite(pseudo_counts))
        or np.any(pseudo_counts <= 0)
    ):
        raise ParameterError(
            f"estimate: prior must be 'uniform', a number above 0 or {len(faces)} of them, one per "
            f"face; got {prior!r}."
        )
    return pseudo_counts
