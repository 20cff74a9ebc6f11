"""Bayes learners by factors, by covariances and by words; `density_learners` and `baseline_learners` have the
others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.attribute_weights import AttributeWeights, weights_of
from acumen.base.classifier import Classifier
from acumen.base.memory_budget import Widths, dense_bytes
from acumen.bayes import bags_of_words, full, naive, text
from acumen.bayes.leave_one_out import full_leave_one_out, naive_leave_one_out
from acumen.data.escape import printable_lines
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.models.parameters import AtLeast, Between, ClassWeight, Costs, Priors
from acumen.models.predictor import limit_lines
from acumen.types import Bools, Floats

#: Bytes of covariance matrices, and attributes, beyond which FullBayes objects: more take minutes to be inverted.
_LARGEST, _MOST_ATTRIBUTES = 1 << 30, 4096

#: Covariances of fewer columns take no memory to speak of.
_FEW = 100


class NaiveBayes(Classifier):
    """Classify by Bayes' rule, assuming that attributes are independent within a class (naive Bayes).

    Numeric attributes are Gaussians (or histograms, sums of kernels, or discretised), nominal and ordinal attributes
    are tables of category probabilities, text columns bags of words. A missing value only leaves out its own
    attribute. An unseen category favours no class. A class without rows has probability 0.

    Parameters
    ----------
    numeric : {"gaussian", "histogram", "kernel", "discretise"}
        The model of numeric attributes: one Gaussian per class; a histogram with `bins` equal widths; a Gaussian bump
        on every training value (Scott's width); or intervals cut by Fayyad and Irani's MDL criterion or, with `bins`,
        of equal frequency.
    estimator : {"bayes", "map", "mle"}
        The estimate of category probabilities: the mean or the mode of the Dirichlet posterior, or relative
        frequencies.
    alpha : number, array or mapping
        The Dirichlet prior (smoothing) of nominal attributes: one pseudo-count for all (1: Laplace smoothing, below:
        Lidstone), one per nominal attribute, or a mapping from attribute to a number, to one number per level, or to
        a mapping from level to number. Intervals and words are smoothed by the single number, or by 1 if there is
        none.
    mean_prior : (mean, variance) or mapping of attribute to such pairs, optional
        A conjugate normal prior on the means, with each variance taken as known; only for numeric="gaussian".
    variance_prior : (shape, rate) or mapping of attribute to such pairs, optional
        A conjugate gamma prior on 1 / variance, with each class's mean taken as known. A new value then follows
        Student's t with 2 shape + n degrees of freedom, n being the rows of the class, and needs no `var_floor`. Only
        for numeric="gaussian".
    normal_gamma_prior : (mean, strength, shape, rate) or mapping of attribute to such lines, optional
        The conjugate prior on mean and variance together: 1 / variance is gamma and, given the variance, the mean is
        normal about `mean` as if `strength` rows had been seen there. A new value follows Student's t. Only for
        numeric="gaussian", and for attributes without another prior.
    bins : int, optional
        Only for numeric="histogram" (default: 10) and numeric="discretise".
    smooth_only_zeros : bool
        Smooth only categories that never occur with a class and leave other frequencies as they are; not for
        estimator="mle", which smooths nothing.
    var_floor : "auto" or float
        The smallest variance of a numeric attribute in a class, so that a class with only one value does not win
        wherever that value occurs (a warning names it). "auto": if values lie d apart on average, no density exceeds
        1 / d (for attributes with at most 32 distinct values); nor is a variance below the pooled within-class
        variance over n + 1, n being the rows of the class. A number: this fraction of the attribute's variance over
        all rows. For numeric="gaussian" and "kernel".
    unlabelled : {"ignore", "em"}
        Ignore unlabelled rows, or distribute them over the classes by expectation-maximisation.
    attribute_weights : mapping of attribute to "use", "ignore" or number, optional
        Factor for an attribute's log-probabilities. "use" is 2, "ignore" 0. Default: 1.
    costs : matrix or mapping, optional
        Predicted class by true class, or keyed (predicted, true). Default: 1 for missing pairs, 0 on the diagonal.
    priors : mapping, array or "uniform", optional
        Class probabilities to use instead of the training frequencies.
    class_weight : mapping or "balanced", optional
        Multiplies the row weights.
    n_jobs : int, optional
        Number of threads; None uses all available cores.

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
        variance_prior: tuple | list | Mapping[str, Any] | None = None,  # type: ignore[type-arg]
        normal_gamma_prior: tuple | list | Mapping[str, Any] | None = None,  # type: ignore[type-arg]
        bins: Annotated[int, AtLeast(1)] | None = None,
        smooth_only_zeros: bool = False,
        var_floor: Annotated[float, AtLeast(0)] | Literal["auto"] = "auto",
        unlabelled: Literal["ignore", "em"] = "ignore",
        attribute_weights: AttributeWeights = None,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.numeric = numeric
        self.estimator = estimator
        self.alpha = alpha
        self.mean_prior = mean_prior
        self.variance_prior = variance_prior
        self.normal_gamma_prior = normal_gamma_prior
        self.bins = bins
        self.smooth_only_zeros = smooth_only_zeros
        self.var_floor = var_floor
        self.unlabelled = unlabelled
        self.attribute_weights = attribute_weights
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    keeps_sparse = True

    def check_parameters(self) -> None:
        super().check_parameters()
        sentence = naive.contradiction(
            self.numeric, self.estimator, self._number_priors, self.bins, self.smooth_only_zeros
        )
        if sentence is not None:
            raise ParameterError(f"NaiveBayes: {sentence}")

    @property
    def _number_priors(self) -> dict[str, Any]:
        """The priors on means and variances."""
        return {
            "mean_prior": self.mean_prior,
            "variance_prior": self.variance_prior,
            "normal_gamma_prior": self.normal_gamma_prior,
        }

    @property
    def constant_sensitive(self) -> bool:
        """Whether a constant column may change predictions: a prior shifts the means of few rows."""
        return any(prior is not None for prior in self._number_priors.values())

    def needs_plan(self, schema: Schema) -> bool:
        return naive.needs_plan(schema, self.numeric)

    def describe(self, full: bool = False, steps: bool = False) -> str:
        """Describe the fitted model in words, in at most 40 lines unless `full` is true; `steps` shows the counts
        behind each probability.
        """
        predictor = self._require_fitted()
        if not steps:
            return predictor.describe(full=full)
        text = printable_lines(predictor.model.to_steps(predictor.schema))  # type: ignore[attr-defined]
        return text if full else limit_lines(text)

    def can_leave_one_out(self, rows: Table) -> bool:
        equal_weights = weights_of(self.attribute_weights, rows.schema, self._name) is None
        plain = self.variance_prior is None and self.normal_gamma_prior is None
        return (
            equal_weights
            and plain
            and self.numeric == "gaussian"
            and rows.sparse is None
            and not rows.schema.text
        )

    def leave_one_out(self, rows: Table) -> tuple[Floats, Bools]:
        return naive_leave_one_out(self.summary_, rows, **self.parameters_for(self.solve))


class FullBayes(Classifier):
    """Classify by Bayes' rule without assuming that attributes are independent.

    Numeric attributes follow a Gaussian with a covariance matrix per class (quadratic surfaces) or a shared one
    (planes: linear discriminant analysis). Nominal attributes follow their joint distribution, smoothed over the
    product of their domains. A mixed row is the product of both. In training, missing numbers are replaced by the
    class mean; in prediction, missing or unseen values are integrated or summed out. Text is refused.

    Parameters
    ----------
    covariance : {"full", "shared", "diagonal"}
        One matrix per class, one for all classes, or variances only.
    alpha : float
        The pseudo-count of every combination of categories.
    shrinkage : float
        From 0 to 1: how far each covariance matrix is shrunk towards its own diagonal.
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

    def memory(self, rows: int, schema: Schema) -> int | None:
        # Of the numeric attributes a square for each class, and as much to solve them; levels are counted, not coded.
        if len(schema.numeric) < _FEW:
            return None
        widths = Widths.of(schema)
        return dense_bytes(widths.numeric, widths.numeric, 3 * widths.classes + 3)

    def summary_memory(self, schema: Schema) -> int | None:
        if len(schema.numeric) < _FEW:
            return None
        widths = Widths.of(schema)
        return dense_bytes(widths.numeric, widths.numeric, widths.classes)

    def needs_plan(self, schema: Schema) -> bool:
        return False

    def can_leave_one_out(self, rows: Table) -> bool:
        complete = rows.sparse is None and all(np.isfinite(column).all() for column in rows.numeric.columns)
        return self.covariance != "diagonal" and not self.shrinkage and not rows.schema.nominal and complete

    def leave_one_out(self, rows: Table) -> tuple[Floats, Bools]:
        return full_leave_one_out(self.summary_, rows, **self.parameters_for(self.solve))

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            name = schema.text[0].name
            return f"a joint distribution over words would be too sparse; leave out the text column {name!r}."
        matrices = 1 if self.covariance == "shared" else max(schema.n_classes, 1)
        size = 8 * matrices * len(schema.numeric) ** 2
        if size > _LARGEST or len(schema.numeric) > _MOST_ATTRIBUTES:
            return (
                f"covariances of {len(schema.numeric):,} numeric attributes would take "
                f"{size / 2**30:.1f} GB each time "
                f"they are summed; at most {_LARGEST >> 30} GB and {_MOST_ATTRIBUTES:,} attributes are inverted. "
                "Select fewer attributes, or use NaiveBayes."
            )
        return None


class TextBayes(Classifier):
    """Classify texts by Bayes' rule, assuming that words are independent within a class.

    Trains on text columns or on word counts: a sparse matrix, or a numeric table whose attributes are the words. Word
    probabilities use Lidstone smoothing. A missing text is left out, and a missing count is 0. Unseen words are
    ignored, so a text without any known word has the class prior under the multinomial event. Negative training
    counts are refused (in a row to predict they count as 0), and so are mixed tables: use NaiveBayes for text columns
    together with numeric and nominal ones.

    Parameters
    ----------
    event : {"multinomial", "bernoulli"}
        Count a word each time it occurs, or only whether it is present or absent (McCallum and Nigam 1998).
    alpha : float
        The pseudo-count of every word (1: Laplace smoothing, below: Lidstone).
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

    keeps_sparse = True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # as of scikit-learn's own: clouds of numbers are no words
        return tags

    @property
    def constant_sensitive(self) -> bool:
        """Whether a constant column may change the predictions: as a count it is a word of every row."""
        return True

    def reason_to_skip(self, table: Table) -> str | None:
        if table.schema.text or table.sparse is not None:
            return None
        return "the table has no text, and it would treat measurements as word counts."

    def needs_plan(self, schema: Schema) -> bool:
        return bool(schema.text)

    def objection(self, schema: Schema) -> str | None:
        sentence = bags_of_words.objection(schema)
        return None if sentence is None else f"{sentence}; use NaiveBayes, which takes mixed tables."
