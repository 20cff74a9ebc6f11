"""The faces of densities without a form of their own: windows on every row, and histograms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from acumen.base.classifier import Classifier
from acumen.base.memory_budget import Widths, dense_bytes
from acumen.bayes import histogram, parzen
from acumen.data.schema import Schema
from acumen.models.parameters import AtLeast, ClassWeight, Costs, MoreThan, Priors


class Parzen(Classifier):
    """Classify by Bayes' rule with a density made of windows, one on every training row.

    P(row | class) is the mean over the class's training rows of a product of windows: a Gaussian or a box for each
    numeric attribute; for a nominal (or ordinal) one of L levels (1 - g) [same level] + g / L, Aitchison and
    Aitken's, with g = n^(-2 / (d + 4)) of the class's weight n and the number d of numeric attributes. A value
    missing in the row to be predicted, or a level never seen, is left out of the product; one missing in a
    training row is replaced by the whole class's distribution of its attribute. Where a box holds no training row
    the class prior decides. Text is refused. Every training row is kept, and prediction visits them all.

    Parameters
    ----------
    window : {"gaussian", "box"}
        A Gaussian, or a box that counts the training rows within half its side in every numeric attribute.
    width : {"scott", "loo"} or float
        The Gaussian's standard deviation, the box's side. "scott": for each class and attribute s n^(-1 / (d + 4)),
        s being the attribute's standard deviation in the class (over all rows where the class has none); a box has
        sqrt(12) times that, which gives it the same variance. "loo": Scott's widths times the factor, of thirteen
        from 1/8 to 8, under which the training rows, each left out in turn, are given class probabilities of
        the least mean squared error. A number: that width for all attributes, see `scale`.
    scale : bool
        Whether a width that is a number counts standard deviations of each attribute over the training rows, or, if
        off, the attributes' own units. Widths of Scott's rule follow the units by themselves. Model files written
        before there was a choice did not scale.
    unlabelled, costs, priors, class_weight, n_jobs
        As for NaiveBayes.

    Examples
    --------
    >>> import acumen
    >>> model = acumen.Parzen(window="box", width=1.0, scale=False)
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
        width: Literal["scott", "loo"] | Annotated[float, MoreThan(0)] = "scott",
        scale: bool = True,
        unlabelled: Literal["ignore", "em"] = "ignore",
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.window = window
        self.width = width
        self.scale = scale
        self.unlabelled = unlabelled
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    @property
    def constant_sensitive(self) -> bool:
        """Whether a column that never changes may change the answers: Scott's widths heed how many there are."""
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

    Numeric attributes are cut into intervals, nominal ones have their levels; a cell is one of each, and
    P(cell | class) is estimated from the class's training rows in it, smoothed over all cells. Only occupied cells
    are stored. Training rows with a missing value are left out of the histogram; in prediction missing values and
    levels never seen are summed out, and values beyond the training range are in the outer cells. Text is refused.

    Parameters
    ----------
    bins : int, "auto", or mapping
        Into how many intervals of equal width (closed on the right) each numeric attribute is cut. "auto":
        2 n^(1 / (d + 2)), rounded up, for n rows and d numeric attributes, which for one attribute is Rice's rule. At
        most 10,000. A mapping gives for an attribute such a number or the edges between its intervals; attributes it
        leaves out are cut by "auto".
    alpha : float
        The pseudo-count of every cell. With 0 a row in a cell that no class has been in gets the class prior.
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
        """Whether a column that never changes may change the answers: more columns are cut less finely."""
        return not isinstance(self.bins, int)

    def needs_plan(self, schema: Schema) -> bool:
        return bool(schema.numeric)

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            return f"a histogram over words would be too sparse; leave out the text column {schema.text[0].name!r}."
        return None
