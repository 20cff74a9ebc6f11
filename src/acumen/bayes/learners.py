"""The Bayes family's faces: parameters, documentation, and which algorithm stands behind each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.parameters import AtLeast, Between, ClassWeight, Costs, MoreThan, Priors
from acumen.base.summary_learner import SummaryClassifier
from acumen.bayes import (
    bags,
    full,
    full_loo,
    histogram,
    majority,
    naive,
    naive_loo,
    oner,
    oner_model,
    parzen,
    text,
)
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.types import Bools, Floats


class NaiveBayes(SummaryClassifier):
    """Classify by Bayes' rule, taking attributes as independent within a class.

    Numeric attributes are Gaussians (or histograms, sums of kernels, or discretised), nominal and ordinal ones
    tables of level probabilities, text columns bags of words. A missing value is left out of its own
    attribute only; a level never seen in training speaks for no class; a class without rows has
    probability 0.

    Parameters
    ----------
    numeric : {"gaussian", "histogram", "kernel", "discretise"}
        How numeric attributes are modelled: one Gaussian per class; a histogram of `bins` equal widths; a
        Gaussian bump on every training value (Scott's width); or intervals cut by Fayyad and Irani's MDL
        criterion, or, with `bins`, of equal frequency.
    estimator : {"bayes", "map", "mle"}
        How level probabilities are estimated: the mean or the mode of the Dirichlet posterior, or relative
        frequencies.
    alpha : number, array or mapping
        The Dirichlet prior of nominal attributes: one pseudo-count for all (1: Laplace, below: Lidstone), one for
        each nominal attribute, or a mapping from attribute to a number, to one number a level, or to a
        mapping from level to number.
        Intervals and words are smoothed by the one number, or by 1 where there is none.
    mean_prior : (mean, variance) or mapping of attribute to such pairs, optional
        A conjugate normal prior on the means; for numeric="gaussian" alone.
    bins : int, optional
        For numeric="histogram" (10 unless given) and numeric="discretise" alone.
    smooth_only_zeros : bool
        Smooth only levels that never occur with a class, leaving other frequencies as they are; not for
        estimator="mle", which smooths none.
    var_floor : float
        No variance is below this share of its attribute's variance over all rows.
    unlabelled : {"ignore", "em"}
        Whether rows without a label are left out or shared out over the classes by expectation-maximisation.
    costs : matrix or mapping, optional
        Rows predicted, columns true, or keyed (predicted, true); pairs not given cost 1, the diagonal 0.
    priors : mapping, array or "uniform", optional
        Class probabilities to answer to instead of the training frequencies.
    class_weight : mapping or "balanced", optional
        Multiplies the row weights.
    n_jobs : int, optional
        Threads; None for all permitted cores.

    Examples
    --------
    >>> import acumen
    >>> loan = acumen.datasets.load("loan")
    >>> model = acumen.NaiveBayes().fit(loan)
    >>> model.predict(loan)[:3].tolist()
    ['No', 'No', 'Yes']
    """

    kind: ClassVar[str] = "naive-bayes"
    model_type = naive.NaiveBayesModel
    plan = staticmethod(naive.plan)
    summarise = staticmethod(naive.summarise)
    summarise_parts = staticmethod(naive.summarise_parts)
    solve = staticmethod(naive.solve)
    restore_plan = staticmethod(naive.restore_plan)
    restore_summary = staticmethod(naive.restore_summary)

    def __init__(
        self,
        *,
        numeric: naive.Numeric = "gaussian",
        estimator: Literal["bayes", "map", "mle"] = "bayes",
        alpha: Annotated[float, AtLeast(0)] | Mapping[str, Any] | np.ndarray | list | tuple = 1.0,  # type: ignore[type-arg]
        mean_prior: tuple | list | Mapping[str, Any] | None = None,  # type: ignore[type-arg]
        bins: Annotated[int, AtLeast(1)] | None = None,
        smooth_only_zeros: bool = False,
        var_floor: Annotated[float, AtLeast(0)] = 1e-9,
        unlabelled: Literal["ignore", "em"] = "ignore",
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.numeric = numeric
        self.estimator = estimator
        self.alpha = alpha
        self.mean_prior = mean_prior
        self.bins = bins
        self.smooth_only_zeros = smooth_only_zeros
        self.var_floor = var_floor
        self.unlabelled = unlabelled
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        sentence = naive.contradiction(
            self.numeric, self.estimator, self.mean_prior, self.bins, self.smooth_only_zeros
        )
        if sentence is not None:
            raise ParameterError(f"NaiveBayes: {sentence}")

    def needs_plan(self, schema: Schema) -> bool:
        return naive.needs_plan(schema, self.numeric)

    def can_leave_one_out(self, rows: Table) -> bool:
        return self.numeric == "gaussian" and not rows.schema.text

    def _leave_one_out(self, rows: Table) -> tuple[Floats, Bools]:
        return naive_loo.leave_one_out(self.summary_, rows, **self._parameters_of(self.solve))


class FullBayes(SummaryClassifier):
    """Classify by Bayes' rule without assuming attributes independent.

    Numeric attributes follow a Gaussian with a covariance matrix for each class (quadratic surfaces) or shared
    (planes: linear discriminant analysis); nominal attributes follow their joint distribution, smoothed over
    the product of their domains; a mixed row is the product of both. Missing numbers are filled by the class
    mean in training; in prediction whatever is missing or was never seen is integrated or summed out. Text is
    refused.

    Parameters
    ----------
    covariance : {"full", "shared", "diagonal"}
        One matrix for each class, one for all, or variances only.
    alpha : float
        The pseudo-count of every combination of nominal levels.
    shrinkage : float
        From 0 to 1: how far each covariance is moved towards its own diagonal.
    unbiased : bool
        Divide scatter by n - 1 (n less the number of classes when shared) instead of n.
    unlabelled, costs, priors, class_weight, n_jobs
        As for NaiveBayes.

    Examples
    --------
    >>> import acumen
    >>> model = acumen.FullBayes(covariance="shared").fit(acumen.datasets.load("iris"))
    >>> round(model.score(acumen.datasets.load("iris")), 2)
    0.98
    """

    kind: ClassVar[str] = "full-bayes"
    model_type = full.FullBayesModel
    plan = staticmethod(full.plan)
    summarise = staticmethod(full.summarise)
    summarise_parts = staticmethod(full.summarise_parts)
    solve = staticmethod(full.solve)
    restore_plan = staticmethod(full.restore_plan)
    restore_summary = staticmethod(full.restore_summary)

    def __init__(
        self,
        *,
        covariance: Literal["full", "shared", "diagonal"] = "full",
        alpha: Annotated[float, AtLeast(0)] = 1.0,
        shrinkage: Annotated[float, Between(0, 1)] = 0.0,
        unbiased: bool = False,
        unlabelled: Literal["ignore", "em"] = "ignore",
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.covariance = covariance
        self.alpha = alpha
        self.shrinkage = shrinkage
        self.unbiased = unbiased
        self.unlabelled = unlabelled
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def needs_plan(self, schema: Schema) -> bool:
        return False

    def can_leave_one_out(self, rows: Table) -> bool:
        complete = all(np.isfinite(column).all() for column in rows.numeric.columns)
        return self.covariance != "diagonal" and not self.shrinkage and not rows.schema.nominal and complete

    def _leave_one_out(self, rows: Table) -> tuple[Floats, Bools]:
        return full_loo.leave_one_out(self.summary_, rows, **self._parameters_of(self.solve))

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            return f"a joint distribution over words is hopeless; leave out the text column {schema.text[0].name!r}."
        matrices = 1 if self.covariance == "shared" else max(schema.n_classes, 1)
        size = 8 * matrices * len(schema.numeric) ** 2
        if size > _LARGEST:
            return (
                f"covariances of {len(schema.numeric)} numeric attributes would take {size / 2**30:.0f} GB; "
                "use NaiveBayes, or covariance='shared'."
            )
        return None


#: Bytes of covariance matrices beyond which FullBayes objects.
_LARGEST = 4 << 30


class Majority(SummaryClassifier):
    """Always the most frequent class: what every other learner has to beat.

    The attributes are not looked at; probabilities are the class frequencies of the training rows.

    Parameters
    ----------
    costs : matrix or mapping, optional
        Rows predicted, columns true, or keyed (predicted, true); pairs not given cost 1, the diagonal 0.
    priors : mapping, array or "uniform", optional
        Class probabilities to answer to instead of the training frequencies.
    class_weight : mapping or "balanced", optional
        Multiplies the row weights.

    Examples
    --------
    >>> import acumen
    >>> print(acumen.Majority().fit(acumen.datasets.load("loan")).to_rules())
    always Yes  (confidence 9/15)
    """

    kind: ClassVar[str] = "majority"
    modest: ClassVar[bool] = True
    model_type = majority.MajorityModel
    summarise = staticmethod(majority.summarise)
    solve = staticmethod(majority.solve)
    restore_summary = staticmethod(majority.restore_summary)

    def __init__(
        self, *, costs: Costs = None, priors: Priors = None, class_weight: ClassWeight = None
    ) -> None:
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight

    def can_leave_one_out(self, rows: Table) -> bool:
        return True

    def _leave_one_out(self, rows: Table) -> tuple[Floats, Bools]:
        return majority.leave_one_out(self.summary_, rows)


class OneR(SummaryClassifier):
    """The single attribute whose one-level rules err least on the training rows (Holte 1993).

    Each level of a nominal attribute says its most frequent class; numbers are cut into buckets first; a text
    is judged by whether it has the one word that errs least; a missing value is a level of its own. Of
    attributes that err equally the first is taken. A level without training rows, and one never seen, is
    answered by the class frequencies.

    Parameters
    ----------
    min_bucket : number
        The most frequent class of every bucket but the last weighs at least this much; weight, not rows.
    alpha : number
        Added to the class weights of a level when its probabilities are estimated (1: Laplace, 0: plain
        frequencies). Classes without training rows stay at 0. The rule itself does not depend on it.
    costs : matrix or mapping, optional
        Rows predicted, columns true, or keyed (predicted, true); pairs not given cost 1, the diagonal 0.
    priors : mapping, array or "uniform", optional
        Class probabilities to answer to instead of the training frequencies.
    class_weight : mapping or "balanced", optional
        Multiplies the row weights.
    n_jobs : int, optional
        Threads; None for all permitted cores.

    Examples
    --------
    >>> import acumen
    >>> model = acumen.OneR().fit(acumen.datasets.load("loan"))
    >>> print(model.to_rules())
    1. if Own_house = false then No  (support 6/15, confidence 6/9)
    2. if Own_house = true then Yes  (support 6/15, confidence 6/6)
       otherwise Yes
    """

    kind: ClassVar[str] = "one-r"
    modest: ClassVar[bool] = True
    model_type = oner_model.OneRModel
    plan = staticmethod(oner.plan)
    summarise = staticmethod(oner.summarise)
    solve = staticmethod(oner.solve)
    restore_plan = staticmethod(oner.restore_plan)
    restore_summary = staticmethod(oner.restore_summary)

    def __init__(
        self,
        *,
        min_bucket: Annotated[float, MoreThan(0)] = 6,
        alpha: Annotated[float, AtLeast(0)] = 1.0,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.min_bucket = min_bucket
        self.alpha = alpha
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def needs_plan(self, schema: Schema) -> bool:
        return oner.needs_plan(schema)


class TextBayes(SummaryClassifier):
    """Classify texts by Bayes' rule, taking words as independent within a class.

    Learns from text columns, or from counts: a sparse matrix or a numeric table whose attributes are the words.
    Probabilities of words are smoothed by Lidstone's rule. A missing text is left out, a missing count is none; words
    not seen in training say nothing, so that a text without any known word has the class prior under the
    multinomial event. Training counts below zero are refused (in a row to be predicted they are none), and so are
    tables of other kinds: NaiveBayes takes text columns beside numeric and nominal ones.

    Parameters
    ----------
    event : {"multinomial", "bernoulli"}
        Whether a word speaks each time it occurs, or by being there and by not being there (McCallum and
        Nigam 1998).
    alpha : float
        The pseudo-count of every word (1: Laplace, below: Lidstone).
    unlabelled, costs, priors, class_weight, n_jobs
        As for NaiveBayes. With unlabelled="em" the words of unlabelled texts are in the vocabulary too.

    Examples
    --------
    >>> import pandas, acumen
    >>> letters = pandas.DataFrame({"text": ["a a b", "a c", "b c c"], "class": ["one", "one", "two"]})
    >>> table = acumen.read(letters, target="class", kinds={"text": "text"})
    >>> model = acumen.TextBayes().fit(table)
    >>> model.predict_proba(pandas.DataFrame({"text": ["a b"]})).round(4).tolist()
    [[0.8182, 0.1818]]
    """

    kind: ClassVar[str] = "text-bayes"
    model_type = text.TextBayesModel
    plan = staticmethod(text.plan)
    summarise = staticmethod(text.summarise)
    summarise_parts = staticmethod(text.summarise_parts)
    solve = staticmethod(text.solve)
    restore_plan = staticmethod(text.restore_plan)
    restore_summary = staticmethod(text.restore_summary)

    def __init__(
        self,
        *,
        event: Literal["multinomial", "bernoulli"] = "multinomial",
        alpha: Annotated[float, AtLeast(0)] = 1.0,
        unlabelled: Literal["ignore", "em"] = "ignore",
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.event = event
        self.alpha = alpha
        self.unlabelled = unlabelled
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # as of scikit-learn's own: clouds of numbers are no words
        return tags

    def needs_plan(self, schema: Schema) -> bool:
        return bool(schema.text)

    def objection(self, schema: Schema) -> str | None:
        sentence = bags.objection(schema)
        return None if sentence is None else f"{sentence}; use NaiveBayes, which takes mixed tables."


class Parzen(SummaryClassifier):
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
        the least mean squared error. A number: that width itself, in the attributes' own units, for all of
        them.
    unlabelled, costs, priors, class_weight, n_jobs
        As for NaiveBayes.

    Examples
    --------
    >>> import acumen
    >>> model = acumen.Parzen(window="box", width=1.0).fit([[0.0], [0.4], [0.6], [2.0]], ["a", "b", "b", "a"])
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
        unlabelled: Literal["ignore", "em"] = "ignore",
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.window = window
        self.width = width
        self.unlabelled = unlabelled
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            return f"there is no window on words; leave out the text column {schema.text[0].name!r}."
        return None


class HistogramBayes(SummaryClassifier):
    """Classify by Bayes' rule with a histogram over all attributes together.

    Numeric attributes are cut into intervals, nominal ones have their levels; a cell is one of each, and
    P(cell | class) is estimated from the class's training rows in it, smoothed over all cells. Only occupied cells
    are stored. Training rows with a missing value are left out of the histogram; in prediction missing values and
    levels never seen are summed out, and values beyond the training range are in the outer cells. Text is refused.

    Parameters
    ----------
    bins : int, "auto", or mapping
        Into how many intervals of equal width (closed on the right) each numeric attribute is cut. "auto":
        2 n^(1 / (d + 2)), rounded up, for n rows and d numeric attributes, which for one attribute is Rice's rule. A
        mapping gives for an attribute such a number or the edges between its intervals; attributes it leaves out
        are cut by "auto".
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

    def needs_plan(self, schema: Schema) -> bool:
        return bool(schema.numeric)

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            return f"a histogram over words is hopeless; leave out the text column {schema.text[0].name!r}."
        return None
