"""The discriminants' faces: parameters, documentation, and which algorithm stands behind each."""

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
    "kernel", "gamma", "degree", "offset", "scale", "ridge", "n_directions", "landmarks", "random_state",
)  # fmt: skip
#: Columns beyond which Fisher objects: its scatter would take more than 128 MB, and minutes to be inverted.
_MOST_COLUMNS = 4096


class Fisher(Projection, Classifier):
    """Fisher's discriminant: project to where the classes lie furthest apart for their spread, classify there.

    The directions w maximise the scatter between the classes over the scatter within them, w'Bw / w'Sw: for two
    classes w is S^-1 (m2 - m1), for K the first K - 1 eigenvectors of S^-1 B. Rows go to the class whose mean
    is nearest among the projections, each class having its share as prior; with all directions that is linear
    discriminant analysis. `priors="uniform"` puts the threshold of two classes halfway between the means.
    `transform` projects.

    Ordinal attributes count as their codes, nominal ones as a 0/1 column for each level; nothing is scaled, and
    nothing needs to be: the classifier does not depend on units. Missing numbers are filled by the class mean in
    learning; afterwards they count as the overall mean. Text is refused.

    Parameters
    ----------
    n_directions : int, optional
        How many directions to keep, at most one less than there are classes; all unless given. Classification
        uses the directions kept.
    shrinkage : float, optional
        From 0 to 1: how far the covariance within the classes is moved towards its own diagonal. Unless given it is
        not moved, but where rows less classes are fewer than the columns that vary: a share is then chosen from the
        covariance itself (Chen, Wiesel, Eldar and Hero 2010), and the distances between the class means are held
        for what is left of them after chance, so that probabilities can be believed. 0 moves nothing even then.
    costs, priors, class_weight, n_jobs
        As for NaiveBayes.

    Attributes
    ----------
    directions_ : array of (directions, columns)
        Vectors of length 1, towards the second class of two; else with their largest entry positive.
    scalings_ : array of (directions, columns)
        The same with within-class variance 1 along each: what `transform` multiplies by.
    separation_ : array of (directions,)
        Scatter between the classes over scatter within them: the eigenvalues of S^-1 B.
    ratio_ : float or None
        Of two classes Fisher's criterion (m1 - m2)^2 / (s1^2 + s2^2), s^2 being scatter along the direction.

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
    """Fisher's discriminant among the features of a kernel, where straight directions are curved ones of the rows.

    Directions are sums over training rows of the kernel with them. They maximise the variance between the classes
    over the variance within them, to which `ridge` times the squared length is added: without it the training
    rows of a rich kernel collapse on their class means. Classification and `transform` are as for `Fisher`.

    Numbers are brought to mean 0 and deviation 1 unless `scale` is off. Ordinal attributes count as their codes,
    nominal ones as a 0/1 column for each level; a missing number is the mean. Text is refused. Beyond 20,000 rows
    directions are sums over 2,000 of them (Nystroem); see `landmarks`. Cross-validation fits anew for each fold.

    Parameters
    ----------
    kernel : {"rbf", "linear", "polynomial", "sigmoid", "precomputed"}, Kernel or function
        A word, a kernel of `acumen.kernels`, or a function of two matrices. With "precomputed" the attributes
        are the kernel of each row with each training row.
    gamma : {"scale", "auto"} or float
        For the words "rbf", "polynomial" and "sigmoid": a number, 1 / (columns x variance), or 1 / columns.
    degree : int
        Of the word "polynomial".
    offset : float
        Added to the inner product by the words "polynomial" and "sigmoid".
    scale : bool
        Whether numbers and ordinal codes are brought to mean 0 and deviation 1 over the training rows; a precomputed
        kernel never is, nor are 0/1 columns. Model files written before there was a choice did not.
    ridge : float
        Added to the variance of the features within the classes; 0 takes the pseudo-inverse instead, at some
        twenty times the cost. Features of less than 1e-10 of the largest variance are left out then; where others
        come near that, coefficients are large and cancel, and answers have some eight digits left: the same eight
        for a row alone and among others, except with a function of one's own or a precomputed kernel.
    n_directions : int, optional
        How many directions to keep, at most one less than there are classes; all unless given.
    landmarks : int, optional
        Sum over so many rows, drawn at random, instead of over all. Unless given all are taken up to 20,000
        rows, and 2,000 beyond.
    random_state : int, Generator or None
        Draws the landmarks; without them nothing is random.
    costs, priors, class_weight, n_jobs
        As for NaiveBayes.

    Attributes
    ----------
    kernel_ : Kernel
    separation_ : array of (directions,)
        Variance between the classes over variance within them and ridge.

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
        ridge: Annotated[float, AtLeast(0)] = 1e-3,
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
        self.ridge = ridge
        self.n_directions = n_directions
        self.landmarks = landmarks
        self.random_state = random_state
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        return tags

    @property
    def draws_numbers(self) -> bool:
        """Whether it uses `random_state`: only landmarks are drawn."""
        return self.landmarks is not None

    @property
    def constant_sensitive(self) -> bool:
        """Whether a column that never changes may change the answers: kernels heed how many there are."""
        return True

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.kernel, Precomputed) or self.kernel == "precomputed"

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            name = schema.text[0].name
            return f"a kernel on words says little about classes; leave out the text column {name!r}, or use TextBayes."
        if self._precomputed and schema.nominal:
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
    """The class whose mean is nearest: between two classes the bisector of the line that joins their means.

    Distances are Euclidean, numbers being in units of their standard deviation over all rows, unless `scale` is off:
    then units count. Ordinal attributes count as their codes, nominal ones as a 0/1 column for each level. A missing
    number is left out of its class's mean, and counts as the overall mean in a row to be predicted. How common a
    class is plays no part, and there are no probabilities. Text is refused.

    Parameters
    ----------
    scale : bool
        Whether numbers and ordinal codes are divided by their standard deviation over the training rows; 0/1 columns
        never are. Model files written before there was a choice did not.
    n_jobs : int, optional
        Threads; None for all permitted cores.

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
