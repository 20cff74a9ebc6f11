"""Discriminant learners: parameters, documentation, and the algorithm behind each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.memory_budget import Widths, dense_bytes, scatter_bytes
from acumen.base.transformer import Projection
from acumen.data.schema import Schema
from acumen.discriminant import fisher, kernel_fisher, nearest_mean
from acumen.engines.blocks import BLOCK_ROWS
from acumen.geometry.kernel import Kernel
from acumen.geometry.kernels import Precomputed
from acumen.models.model import Model
from acumen.models.parameters import AtLeast, Between, ClassWeight, Costs, MoreThan, Priors
from acumen.preprocessing.coded import coded_width
from acumen.rows.training_rows import Rows
from acumen.types import Floats

_LEARN = (
    "kernel", "gamma", "degree", "offset", "scale", "alpha", "n_directions", "landmarks", "random_state",
)  # fmt: skip
#: Columns beyond which Fisher objects: its scatter would take more than 128 MB, and minutes to be inverted.
_MOST_COLUMNS = 4096


class Fisher(Projection, Classifier):
    """Classify by Fisher's linear discriminant (LDA): project onto the directions that separate the classes best.

    The directions w maximise the scatter between the classes over the scatter within them, w'Bw / w'Sw: for two
    classes w is S^-1 (m2 - m1), for K classes the first K - 1 eigenvectors of S^-1 B. Rows go to the class with the
    nearest projected mean, with class frequencies as prior; with all directions that is linear discriminant analysis.
    `priors="uniform"` puts the threshold of two classes halfway between the means. `transform` projects.

    Ordinal attributes count as their codes, nominal ones as a 0/1 column per category. Nothing needs scaling, because
    the classifier does not depend on units. Missing numbers are replaced by the class mean in training and by the
    overall mean afterwards. Text is refused.

    Parameters
    ----------
    n_directions : int, optional
        The number of directions to keep, at most one less than there are classes. Default: all. Classification uses
        these directions.
    shrinkage : float, optional
        From 0 to 1: how far the within-class covariance is shrunk towards its own diagonal. Default: no shrinkage
        unless rows minus classes are fewer than the varying columns. Then a value is chosen from the covariance
        itself (Chen, Wiesel, Eldar and Hero 2010), and the distances between class means are corrected for chance, so
        that probabilities are realistic. 0 never shrinks.
    costs, priors, class_weight, n_jobs
        As for NaiveBayes.

    Attributes
    ----------
    directions_ : array of (directions, columns)
        Vectors of length 1, pointing to the second of two classes; else with their largest entry positive.
    scalings_ : array of (directions, columns)
        The same with within-class variance 1 along each: the factors used by `transform`.
    separation_ : array of (directions,)
        Scatter between the classes over scatter within them: the eigenvalues of S^-1 B.
    ratio_ : float or None
        For two classes Fisher's criterion (m1 - m2)^2 / (s1^2 + s2^2), s^2 being scatter along the direction.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.Fisher().fit(iris)
    >>> model.separation_.round(3).tolist(), model.score(iris)
    ([32.272, 0.278], 0.98)
    """

    kind: ClassVar[str] = "fisher"
    coordinate = "F"
    model_type = fisher.FisherModel
    summarise = staticmethod(fisher.summarise)
    summarise_parts = staticmethod(fisher.summarise_parts)
    solve = staticmethod(fisher.solve)
    restore_summary = staticmethod(fisher.restore_summary)

    def __init__(
        self,
        *,
        n_directions: Annotated[int, AtLeast(1)] | None = None,
        shrinkage: Annotated[float, Between(0, 1)] | None = None,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_directions = n_directions
        self.shrinkage = shrinkage
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def memory(self, rows: int, schema: Schema) -> int | None:
        return scatter_bytes(rows, schema)

    def summary_memory(self, schema: Schema) -> int | None:
        width = Widths.of(schema).coded
        return dense_bytes(width, width)

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            return (
                "the scatter matrix of words is too large to compute and too sparse to invert; leave out the text "
                f"column {schema.text[0].name!r}, or use TextBayes."
            )
        width = coded_width(schema)
        if width > _MOST_COLUMNS:
            return (
                f"the scatter of {width:,} columns would take {8 * width * width / 2**30:.1f} GB each time it is "
                f"summed, and it is inverted for at most {_MOST_COLUMNS:,} columns; select fewer of "
                "them (nominal attributes of many levels are many columns), or use NearestMean."
            )
        return None

    @property
    def directions_(self) -> Floats:
        return self._model().directions

    @property
    def scalings_(self) -> Floats:
        return self._model().scalings

    @property
    def separation_(self) -> Floats:
        return self._model().separation

    @property
    def ratio_(self) -> float | None:
        return self._model().ratio

    def _model(self) -> fisher.FisherModel:
        model: Any = self.model_
        assert isinstance(model, fisher.FisherModel)
        return model


class KernelFisher(Projection, Classifier):
    """Classify by Fisher's discriminant in the feature space of a kernel, for curved boundaries.

    Directions are sums over training rows of the kernel with them. They maximise the variance between the classes
    over the variance within them plus `alpha` times the squared length; without it the training rows of a rich kernel
    collapse onto their class means. Classification and `transform` are as for `Fisher`.

    Numbers are standardised unless `scale` is off. Ordinal attributes count as their codes, nominal ones as a 0/1
    column per category; a missing number is the mean. Text is refused. Beyond 20,000 rows, directions are sums over
    2,000 of them (Nystroem); see `landmarks`. Cross-validation refits for each fold.

    Parameters
    ----------
    kernel : {"rbf", "linear", "polynomial", "sigmoid", "precomputed"}, Kernel or function
        A name, a kernel of `acumen.kernels`, or a function of two matrices. With "precomputed" the attributes are the
        kernel of each row with each training row.
    gamma : {"scale", "auto"} or float
        For the kernels "rbf", "polynomial" and "sigmoid": a number, 1 / (columns x variance), or 1 / columns.
    degree : int
        The degree of the kernel "polynomial".
    offset : float
        Added to the inner product by the kernels "polynomial" and "sigmoid".
    scale : bool
        Whether to standardise numbers and ordinal codes over the training rows. A precomputed kernel is never
        standardised, nor are 0/1 columns.
    alpha : float
        Added to the within-class variance of the features; 0 uses the pseudo-inverse instead, at about twenty times
        the cost. Features with less than 1e-10 of the largest variance are then dropped. If others come close to
        that, coefficients are large and cancel, and predictions keep about eight digits: the same eight for a row
        alone and among others, except with your own function or a precomputed kernel.
    n_directions : int, optional
        The number of directions to keep, at most one less than there are classes. Default: all.
    landmarks : int, optional
        Sum over this many rows drawn at random instead of over all. Default: all up to 20,000 rows, and 2,000 beyond.
    random_state : int, Generator or None
        Seed for the landmarks; without them nothing is random.
    costs, priors, class_weight, n_jobs
        As for NaiveBayes.

    Attributes
    ----------
    kernel_ : Kernel
    separation_ : array of (directions,)
        Variance between the classes over variance within them plus ridge.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> round(acumen.KernelFisher(kernel=acumen.kernels.RBF(sigma=1.5)).fit(iris).score(iris), 2)
    0.98
    """

    kind: ClassVar[str] = "kernel-fisher"
    coordinate = "F"
    model_type = kernel_fisher.KernelFisherModel

    def __init__(
        self,
        *,
        kernel: Literal["rbf", "linear", "polynomial", "poly", "sigmoid", "precomputed"]
        | Kernel
        | Callable[[Any, Any], Any] = "rbf",
        gamma: Literal["scale", "auto"] | Annotated[float, MoreThan(0)] = "scale",
        degree: Annotated[int, AtLeast(1)] = 3,
        offset: Annotated[float, Between(-1e150, 1e150)] = 1.0,
        scale: bool = True,
        alpha: Annotated[float, AtLeast(0)] = 1e-3,
        n_directions: Annotated[int, AtLeast(1)] | None = None,
        landmarks: Annotated[int, AtLeast(1)] | None = None,
        random_state: Any = None,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.offset = offset
        self.scale = scale
        self.alpha = alpha
        self.n_directions = n_directions
        self.landmarks = landmarks
        self.random_state = random_state
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed
        return tags

    @property
    def draws_numbers(self) -> bool:
        """Whether it uses `random_state`: only to draw landmarks."""
        return self.landmarks is not None

    @property
    def constant_sensitive(self) -> bool:
        """Whether a constant column may change the predictions: kernels depend on the number of columns."""
        return True

    @property
    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, Precomputed) or self.kernel == "precomputed"

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            name = schema.text[0].name
            return f"a kernel on words says little about classes; leave out the text column {name!r}, or use TextBayes."
        if self._is_precomputed and schema.nominal:
            return f"a precomputed kernel must be numeric; the column {schema.nominal[0].name!r} is not."
        return None

    def memory(self, rows: int, schema: Schema) -> int | None:
        # The kernel between all rows (or rows and landmarks), and a matrix of that size beside it.
        across = rows if self.landmarks is None else min(rows, int(self.landmarks))
        return 16 * rows * across + dense_bytes(rows, Widths.of(schema).coded, 2)

    @property
    def interpretable(self) -> bool:
        return False

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        table = rows.require_local(self._name)
        table = table.take(np.flatnonzero(table.row_weights)) if table.weights.size else table
        model = kernel_fisher.learn(table, **{name: getattr(self, name) for name in _LEARN})
        return model, model.weight

    @property
    def kernel_(self) -> Kernel:
        return self._model().kernel

    @property
    def separation_(self) -> Floats:
        return self._model().separation

    def _model(self) -> kernel_fisher.KernelFisherModel:
        model: Any = self.model_
        assert isinstance(model, kernel_fisher.KernelFisherModel)
        return model


class NearestMean(Classifier):
    """Classify by the nearest class mean: the boundary bisects the line between two means.

    Distances are Euclidean. Numbers are in units of their standard deviation over all rows unless `scale` is off;
    then units matter. Ordinal attributes count as their codes, nominal ones as a 0/1 column per category. A missing
    number is left out of its class's mean, and counts as the overall mean in a row to predict. Class frequencies are
    ignored, and there are no probabilities. Text is refused.

    Parameters
    ----------
    scale : bool
        Whether to divide numbers and ordinal codes by their standard deviation over the training rows; 0/1 columns
        never are.
    n_jobs : int, optional
        Number of threads; None uses all available cores.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> round(acumen.NearestMean().fit(iris).score(iris), 3)
    0.853
    """

    kind: ClassVar[str] = "nearest-mean"
    model_type = nearest_mean.NearestMeanModel
    summarise = staticmethod(nearest_mean.summarise)
    summarise_parts = staticmethod(nearest_mean.summarise_parts)
    solve = staticmethod(nearest_mean.solve)
    restore_summary = staticmethod(nearest_mean.restore_summary)

    def __init__(self, *, scale: bool = True, n_jobs: int | None = None) -> None:
        self.scale = scale
        self.n_jobs = n_jobs

    def memory(self, rows: int, schema: Schema) -> int | None:
        widths = Widths.of(schema)
        return 0 if widths.plain else dense_bytes(min(rows, BLOCK_ROWS), widths.coded, 1.1)

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            return f"texts have no mean; leave out the text column {schema.text[0].name!r}, or use TextBayes."
        return None
