"""Choose the number of clusters: one clusterer with every k, judged by several measures.

    choose_n_clusters     learner, table, numbers -> ClusterCount

    mdl          bits to tell the groups, and the rows by them; clearly less than with one group for all, and the
                 smallest k that is not clearly above the least
    silhouette   the mean silhouette; largest, and beyond what the learner has on rows without groups
    bic          Bayes' information criterion, -2 log likelihood + parameters ln n; likewise
    gap          how much tighter groups are than those found in rows without groups; by the rule of one standard error
    stability    how alike groups of half the rows are; largest, and at least .8 beyond doubt

A learner with a likelihood of its own (`log_likelihood_`, and its model's `n_parameters`) is judged by that; any other
as round Gaussian groups of one variance: log likelihood sum n_i ln(n_i / n) - n d / 2 ln(2 pi e s^2) with k d + k
parameters, in the coordinates KMeans uses. Tibshirani, Walther and Hastie (2001); Rousseeuw (1987); Ben-Hur, Elisseeff
and Guyon (2002).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from acumen.clusters.interfaces import require_clusterer
from acumen.clusters.k_choice import ClusterCount, Opinion
from acumen.clusters.quality import description_length, silhouette, within_clusters
from acumen.clusters.reference_rows import draw_reference
from acumen.clusters.stability import Stability, stability
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.resampling.plan import streams
from acumen.rows.intake import untargeted_table
from acumen.types import Codes, Floats

MEASURES = ("mdl", "silhouette", "bic", "gap", "stability")
#: Tables without groups that a table is held against.
_REFERENCES = 10
#: Draws that stability is found with.
_DRAWS = 10
#: A grouping that comes back less than this is not believed.
_STABLE = 0.8
#: Stabilities that differ by less are alike.
_ALIKE = 0.05
#: Differences of BIC below this are not very strong evidence (Kass and Raftery 1995); bits are 2 ln 2 of them.
_STRONG = 10.0

#: What is told of the work: how many of the fits are done, of how many.
Watch = Callable[[int, int], None]


def with_count(learner: Any, n: int) -> Any:
    """Copy an unfitted clusterer and ask it for `n` clusters."""
    from acumen.base.scikit import clone

    return clone(learner).set_params(**{learner.count_parameter: n})


def choose_n_clusters(
    learner: Any,
    table: Any,
    n_clusters: Iterable[int] = range(2, 11),
    by: Sequence[str] | str = MEASURES,
    *,
    sample: int = 2_000,
    random_state: Any = 0,
    watch: Watch | None = None,
) -> ClusterCount:
    """Choose the number of clusters by several measures.

    Parameters
    ----------
    learner : clusterer
        Any with a parameter `n_clusters` or `n_components`; copies of it are fitted.
    table : Table, data frame or array
    k : iterable of int
        The numbers of clusters to try, from 2 on; numbers above the number of distinct rows are skipped.
    by : sequence of {"mdl", "silhouette", "bic", "gap", "stability"}
        The measures to use.
    sample : int
        If there are more rows than this, measures that need many fits or all distances (silhouettes, gap, stability)
        use a sample of this size. Every k is fitted on all rows.
    random_state : int, Generator or None
    watch : callable, optional
        Called with the number of finished fits and their total.

    Returns
    -------
    ClusterCount
        `n_clusters`, or None if no number is clearly best; `sentence`, `table()`, `to_figure()`, and the fitted
        `models` by k.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> found = acumen.choose_n_clusters(acumen.KMeans(random_state=0), iris, n_clusters=range(2, 5), by=["gap"])
    >>> [line["k"] for line in found.table()]
    [2, 3, 4]
    """

    require_clusterer(learner, "choose_n_clusters")
    measures = _measures(by)
    ks = _numbers(learner, n_clusters)
    if isinstance(sample, bool) or not isinstance(sample, (int, np.integer)) or sample < 10:
        raise ParameterError(
            f"choose_n_clusters: sample must be a whole number of at least 10; got {sample!r}."
        )
    rows = untargeted_table(table, None, None, "choose_n_clusters")
    count = len(ks) * (
        1 + _REFERENCES * bool({"gap", "silhouette"} & set(measures)) + 2 * _DRAWS * ("stability" in measures)
    )
    work = _Work(learner, rows, ks, int(sample), random_state, _Progress(watch, count))
    kept: list[int] = []
    left_out: list[str] = []
    for each in ks:
        try:
            work.models[each] = with_count(learner, each).fit(rows)
        except DataError as error:
            if not work.models:
                raise
            left_out = [f"k = {each} and above: {error}"]
            break
        kept.append(each)
        work.progress.step()
    work.ks = tuple(kept)
    opinions = tuple(getattr(work, name)() for name in measures)
    return ClusterCount(type(learner).__name__, tuple(kept), opinions, work.models, tuple(left_out))


def _measures(by: Sequence[str] | str) -> tuple[str, ...]:
    names = (by,) if isinstance(by, str) else tuple(by)
    if not names or any(each not in MEASURES for each in names) or len(set(names)) < len(names):
        raise ParameterError(
            f"choose_n_clusters: by must name some of {', '.join(MEASURES)}, each once; got {by!r}."
        )
    return names


def _numbers(learner: Any, k: Iterable[int]) -> list[int]:
    if learner.count_parameter not in learner.get_params(deep=False):
        name = type(learner).__name__
        raise ParameterError(
            f"choose_n_clusters: {name} has no parameter for the number of clusters; it finds the number itself."
        )
    try:
        ks = list(k)
    except TypeError:
        ks = [k]  # type: ignore[list-item]
    if not ks or any(
        isinstance(each, bool) or not isinstance(each, (int, np.integer)) or each < 2 for each in ks
    ):
        raise ParameterError(f"choose_n_clusters: n_clusters must be whole numbers of at least 2; got {k!r}.")
    return sorted({int(each) for each in ks})


class _Progress:
    """Counts fits."""

    def __init__(self, watch: Watch | None, total: int) -> None:
        self.watch, self.total, self.done = watch, total, 0

    def step(self, count: int = 1) -> None:
        self.done = min(self.done + count, self.total)
        if self.watch is not None:
            self.watch(self.done, self.total)


class _Work:
    """Fitted models of each k, and what measures are found from."""

    def __init__(
        self, learner: Any, rows: Table, ks: Sequence[int], sample: int, seed: Any, progress: _Progress
    ) -> None:
        self.learner, self.rows, self.ks, self.progress = learner, rows, tuple(ks), progress
        self.models: dict[int, Any] = {}
        children = streams(seed, "choose_n_clusters")
        rng = next(children)
        self.some = rows
        if len(rows) > sample:
            self.some = rows.take(np.sort(rng.choice(len(rows), sample, replace=False)))
        self.scale = bool(getattr(learner, "scale", True))
        self.distance = getattr(learner, "distance", "auto")
        self.rng = next(children)
        self.seed = int(next(children).integers(0, 2**31))
        self._found: tuple[Floats, Floats, Floats, Floats] | None = None

    def labels(self, k: int) -> Codes:
        labels: Codes = self.models[k].labels_
        return labels

    def of_each(self, value: Callable[[int], float]) -> Floats:
        return np.array([value(k) for k in self.ks])

    # -- by all rows ------------------------------------------------------------------------------

    def mdl(self) -> Opinion:
        values = self.of_each(lambda k: description_length(self.rows, self.labels(k), scale=self.scale))
        one = description_length(self.rows, np.zeros(len(self.rows), dtype=np.int64), scale=self.scale)
        return self._least("mdl", values, one, "bits", _STRONG / (2 * np.log(2)))

    def bic(self) -> Opinion:
        has_likelihood = all(hasattr(model, "log_likelihood_") for model in self.models.values())
        values = self.of_each(self._own_bic if has_likelihood else self._round_bic)
        one = self._single_bic() if has_likelihood else self._bic_of(np.zeros(len(self.rows), dtype=np.int64))
        verdict = self._least(
            "bic", values, one, "BIC" if has_likelihood else "BIC as round Gaussian clusters", _STRONG
        )
        # Taken as round, it is the description length in other units: one voice.
        return verdict if has_likelihood else replace(verdict, same_as="mdl")

    def _own_bic(self, k: int) -> float:
        model = self.models[k]
        weight = float(model.training_["weight"])
        return -2 * float(model.log_likelihood_) + model.model_.n_parameters * np.log(max(weight, 1.0))

    def _single_bic(self) -> float:

        one = with_count(self.learner, 1).fit(self.rows)
        weight = float(one.training_["weight"])
        return -2 * float(one.log_likelihood_) + one.model_.n_parameters * np.log(max(weight, 1.0))

    def _round_bic(self, k: int) -> float:
        return self._bic_of(self.labels(k))

    def _bic_of(self, labels: Any) -> float:
        within = within_clusters(self.rows, labels, self.scale, "choose_n_clusters")
        n, d, sizes = float(within.sizes.sum()), max(within.varies, 1), within.sizes
        # Below a thousandth of the rows' own spread nothing is told apart, as for the description length.
        least = 1e-6 * max(within.spread, 1e-300) / (n * d)
        variance = max(within.squares / (n * d), least)
        log = float((sizes * np.log(sizes / n)).sum()) - n * d / 2 * np.log(2 * math.pi * math.e * variance)
        return float(-2 * log + (len(sizes) * d + len(sizes)) * np.log(n))

    def _least(self, name: str, values: Floats, one: float, what: str, strong: float) -> Opinion:
        """The smallest k that is not clearly above the least value."""
        known = np.where(np.isfinite(values), values, np.inf)
        nothing = np.full(len(values), one)
        if not known.min() < one - strong:
            verdict = f"{what}: not clearly lower than with one cluster"
            return Opinion(name, values, None, True, verdict, nothing=nothing)
        best = int(np.flatnonzero(known <= known.min() + strong)[0])
        verdict = f"{what}: lowest (or not clearly above the lowest), and lower than with one cluster"
        if len(values) > 1 and best == len(values) - 1:
            verdict = f"{what}: still falling at the largest k tried"
            return Opinion(name, values, self.ks[best], True, verdict, nothing=nothing, unended=True)
        return Opinion(name, values, self.ks[best], True, verdict, nothing=nothing)

    # -- beside rows without groups ---------------------------------------------------------------

    def _beside(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Of the sample, its logarithm of squares and silhouette for each k; of tables without groups the same."""

        if self._found is not None:
            return self._found

        def judge_clusters(rows: Table, labels: Codes) -> tuple[float, float]:
            within = within_clusters(rows, labels, self.scale, "choose_n_clusters")
            log = float(np.log(max(within.squares, 1e-300 + 1e-12 * within.spread)))
            if len(within.sizes) < 2:
                return log, 0.0
            return log, silhouette(rows, labels, distance=self.distance, scale=self.scale).mean

        whole = self.some is self.rows
        own_spreads = []
        for k in self.ks:
            labels = self.labels(k) if whole else self.models[k].predict(self.some)
            own_spreads.append(judge_clusters(self.some, labels))
        spreads = np.zeros((_REFERENCES, len(self.ks), 2))
        for b in range(_REFERENCES):
            drawn = draw_reference(self.some, self.rng)
            for i, k in enumerate(self.ks):
                try:
                    spreads[b, i] = judge_clusters(drawn, with_count(self.learner, k).fit(drawn).labels_)
                except DataError:
                    spreads[b, i] = np.nan  # too few of these rows differ
                self.progress.step()
        mine = np.array(own_spreads)
        self._found = mine[:, 0], mine[:, 1], spreads[:, :, 0], spreads[:, :, 1]
        return self._found

    def silhouette(self) -> Opinion:
        values, drawn = self._beside()[1], self._beside()[3]
        with np.errstate(invalid="ignore"):
            mean, spread = np.nanmean(drawn, axis=0), np.nanstd(drawn, axis=0, ddof=1)
        best = int(np.argmax(values))
        beyond = values[best] > mean[best] + 3 * spread[best] and values[best] >= 0.25
        verdict = (
            f"{values[best]:.2f} at most; rows without clusters: {mean[best]:.2f}"
            if np.isfinite(mean[best])
            else f"{values[best]:.2f} at most"
        )
        return Opinion("silhouette", values, self.ks[best] if beyond else None, False, verdict, nothing=mean)

    def gap(self) -> Opinion:
        own_spreads, drawn = self._beside()[0], self._beside()[2]
        values = np.nanmean(drawn, axis=0) - own_spreads
        error = np.nanstd(drawn, axis=0) * np.sqrt(1 + 1 / _REFERENCES)
        # One group for all: nothing is searched for, so its squares are the spread itself.
        ones = [self._whole(draw_reference(self.some, self.rng)) for _ in range(_REFERENCES)]
        first = float(np.mean(ones)) - self._whole(self.some)
        every, errors = np.r_[first, values], np.r_[0.0, error]
        chosen_at = next(
            (i for i in range(len(every) - 1) if every[i] >= every[i + 1] - errors[i + 1]), len(every) - 1
        )
        chosen = None if chosen_at == 0 else self.ks[chosen_at - 1]
        verdict = (
            "one cluster is enough by the one-standard-error rule"
            if chosen is None
            else f"the first within one standard error of the next ({values[chosen_at - 1]:.2f}; "
            f"one cluster {first:.2f})"
        )
        unended = len(values) > 1 and chosen_at == len(values)
        if unended:
            verdict = f"still rising at the largest k tried ({values[-1]:.2f}; one cluster {first:.2f})"
        nothing = np.full(len(values), first)
        return Opinion(
            "gap", values, chosen, False, verdict, values - error, values + error, nothing, unended
        )

    def _whole(self, rows: Table) -> float:
        """The logarithm of the squares of all rows about their mean."""
        within = within_clusters(rows, np.zeros(len(rows), dtype=np.int64), self.scale, "choose_n_clusters")
        return float(np.log(max(within.squares, 1e-300)))

    def stability(self) -> Opinion:

        stabilities: list[Stability | None] = []
        for k in self.ks:
            try:
                stabilities.append(
                    stability(
                        with_count(self.learner, k),
                        self.some,
                        resamples=_DRAWS,
                        random_state=self.seed,
                    )
                )
            except DataError:
                stabilities.append(None)  # half of the rows have too few that differ
            self.progress.step(2 * _DRAWS)
        values = np.array([np.nan if each is None else each.mean for each in stabilities])
        low = np.array([np.nan if each is None else each.low for each in stabilities])
        high = np.array([np.nan if each is None else each.high for each in stabilities])
        known = np.where(np.isnan(values), -np.inf, values)
        best = int(np.argmax(known))
        # Two groups of two come back as surely as four: of those that no draw tells apart from the best the finest.
        alike = np.flatnonzero(known >= min(float(low[best]), float(known[best]) - _ALIKE))
        finest = int(alike[-1]) if len(alike) else best
        steady = bool(known[finest] >= _STABLE)
        verdict = f"{values[best]:.2f} at most" + (
            "" if steady else f"; below {_STABLE} the clusters are not stable"
        )
        return Opinion("stability", values, self.ks[finest] if steady else None, False, verdict, low, high)
