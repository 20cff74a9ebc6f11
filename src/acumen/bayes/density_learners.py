"""Learners for densities of any shape: windows on every training row (Parzen), and histograms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from acumen.base.classifier import Classifier
from acumen.base.memory_budget import Widths, dense_bytes
from acumen.bayes import histogram, parzen
from acumen.data.schema import Schema
from acumen.models.parameters import AtLeast, ClassWeight, Costs, MoreThan, Priors


class Parzen(Classifier):
    """Classify by Bayes' rule with kernel density estimates: one window on every training row (Parzen).

    P(row | class) is the mean over the class's training rows of a product of windows. A numeric attribute has a
    Gaussian or a box. A nominal or ordinal attribute with L categories has (1 - g) [same category] + g / L, Aitchison
    and Aitken's kernel, with g = n^(-2 / (d + 4)), n the weight of the class and d the number of numeric attributes.
    A missing value in the row to predict, or an unseen category, is left out of the product; a missing value in a
    training row is replaced by the whole class's distribution of its attribute. If a box holds no training row, the
    class prior decides. Text is refused. Every training row is stored, and prediction visits all of them.

    Parameters
    ----------
    window : {"gaussian", "box"}
        A Gaussian, or a box that counts the training rows within half its side in every numeric attribute.
    bandwidth : {"scott", "loo"} or float
        The Gaussian's standard deviation, or the box's side. "scott": for each class and attribute s n^(-1 / (d +
        4)), s being the attribute's standard deviation in the class (over all rows if the class has none); a box is
        sqrt(12) times as wide, which gives it the same variance. "loo": Scott's widths times a factor, out of
        thirteen from 1/8 to 8: the one with the lowest mean squared error of leave-one-out class probabilities. A
        number: that width for all attributes, see `scale`.
    scale : bool
        Whether a numeric width counts standard deviations of each attribute over the training rows or, if off, the
        attributes' own units. Scott's widths follow the units anyway.
    unlabelled, costs, priors, class_weight, n_jobs
        As for NaiveBayes.

    Examples
    --------
    >>> import acumen
    >>> model = acumen.Parzen(window="box", bandwidth=1.0, scale=False)
    >>> model = model.fit([[0.0], [0.4], [0.6], [2.0]], ["a", "b", "b", "a"])
    >>> model.predict_proba([[0.3]]).round(4).tolist()
    [[0.3333, 0.6667]]
    """

    kind: ClassVar[str] = "parzen"
    model_type = parzen.ParzenModel
    summarise = staticmethod(parzen.summarise)
    solve = staticmethod(parzen.solve)
    restore_summary = staticmethod(parzen.restore_summary)

    def __init__(
        self,
        *,
        window: Literal["gaussian", "box"] = "gaussian",
        bandwidth: Literal["scott", "loo"] | Annotated[float, MoreThan(0)] = "scott",
        scale: bool = True,
        unlabelled: Literal["ignore", "em"] = "ignore",
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.window = window
        self.bandwidth = bandwidth
        self.scale = scale
        self.unlabelled = unlabelled
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    @property
    def constant_sensitive(self) -> bool:
        """Whether a constant column may change the predictions: Scott's widths depend on the number of columns."""
        return True

    def memory(self, rows: int, schema: Schema) -> int | None:
        return dense_bytes(rows, Widths.of(schema).numeric, 3.2) + 8 * rows * len(schema.nominal)

    def summary_memory(self, schema: Schema) -> int | None:
        return None  # all summaries together hold each row once

    @property
    def interpretable(self) -> bool:
        return False

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            return f"it cannot use text; leave out the text column {schema.text[0].name!r}."
        return None


class HistogramBayes(Classifier):
    """Classify by Bayes' rule with a histogram over all attributes together.

    Numeric attributes are cut into intervals, nominal ones keep their categories. A cell is one of each, and P(cell |
    class) is estimated from the class's training rows in it, smoothed over all cells. Only occupied cells are stored.
    Training rows with a missing value are left out of the histogram. In prediction, missing values and unseen
    categories are summed out, and values beyond the training range belong to the outer cells. Text is refused.

    Parameters
    ----------
    bins : int, "auto", or mapping
        The number of equal-width intervals (closed on the right) of each numeric attribute. "auto": 2 n^(1 / (d +
        2)), rounded up, for n rows and d numeric attributes, which for one attribute is Rice's rule. At most 10,000.
        A mapping has a number or interval edges by attribute; missing attributes use "auto".
    alpha : float
        The pseudo-count of every cell. With 0, a row in a cell without training rows gets the class prior.
    unlabelled, costs, priors, class_weight, n_jobs
        As for NaiveBayes.

    Examples
    --------
    >>> import acumen
    >>> model = acumen.HistogramBayes(bins=2).fit([[0.0], [1.0], [3.0], [4.0]], ["a", "a", "a", "b"])
    >>> model.predict_proba([[3.5]]).round(4).tolist()
    [[0.6429, 0.3571]]
    """

    kind: ClassVar[str] = "histogram-bayes"
    model_type = histogram.HistogramBayesModel
    plan = staticmethod(histogram.plan)
    summarise = staticmethod(histogram.summarise)
    summarise_parts = staticmethod(histogram.summarise_parts)
    solve = staticmethod(histogram.solve)
    restore_plan = staticmethod(histogram.restore_plan)
    restore_summary = staticmethod(histogram.restore_summary)

    def __init__(
        self,
        *,
        bins: Annotated[int, AtLeast(1)] | Literal["auto"] | Mapping[str, Any] = "auto",
        alpha: Annotated[float, AtLeast(0)] = 1.0,
        unlabelled: Literal["ignore", "em"] = "ignore",
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.bins = bins
        self.alpha = alpha
        self.unlabelled = unlabelled
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    @property
    def constant_sensitive(self) -> bool:
        """Whether a constant column may change predictions: with more columns, each has fewer intervals."""
        return not isinstance(self.bins, int)

    def needs_plan(self, schema: Schema) -> bool:
        return bool(schema.numeric)

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            return f"a histogram over words would be too sparse; leave out the text column {schema.text[0].name!r}."
        return None
