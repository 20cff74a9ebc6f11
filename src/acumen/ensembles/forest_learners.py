"""Forest learners: parameters and documentation."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.regressor import Regressor
from acumen.ensembles.bootstrap_draws import Groups
from acumen.ensembles.forest_methods import ForestFace, MaxAttributes, Seed
from acumen.ensembles.forest_model import (
    ExtraTreesModel,
    ExtraTreesRegressionModel,
    ForestModel,
    ForestRegressionModel,
)
from acumen.ensembles.surrogate import SurrogateRules, imitate
from acumen.errors import ParameterError
from acumen.models.model import Model, RegressionModel
from acumen.models.parameters import (
    AtLeast,
    Between,
    ClassWeight,
    Costs,
    MoreThan,
    Priors,
    with_parameters_of,
)
from acumen.rows.training_rows import Rows
from acumen.types import Floats

Share = Annotated[float, MoreThan(0), Between(0, 1)]


class RandomForest(ForestFace, Classifier):
    """Classify by the votes of many trees, each grown on rows drawn with replacement and attributes drawn at each node.

    At each node attributes are drawn until `max_features` of them differ among its rows; the best split by Gini's
    index is taken. Numbers are cut at one of `bins` places that all trees share. Categories are ordered at the node
    itself, by its own rows. A row with a missing value, or with a category that the node has not met, takes the
    heavier branch, in growing and in predicting. The probability of a class is the mean of its fractions in the
    leaves, plus one vote with the class frequencies of all training rows. Row weights are the chance of a row to be
    drawn.

    Parameters
    ----------
    n_estimators : int
        The number of trees.
    max_features : {"sqrt", "log2", "all"}, int or float
        How many attributes a node considers: the square root or the binary logarithm of their number, all, a number,
        or a fraction.
    stop_size : float
        A node with at most this weight is a leaf.
    purity : float
        A node whose largest class has at least this fraction is a leaf.
    max_depth : int, optional
        The largest number of tests on a path.
    max_samples : float or None
        The fraction of rows drawn for each tree; None gives every tree all rows, each once.
    groups : str or array, optional
        Draw whole groups instead of rows: the name of a column, which is then not an attribute, or one value per row.
        A row is out of bag only if its group is. Weights then multiply the drawn rows.
    out_of_bag : bool
        Whether each tree predicts the rows it was not trained on. `out_of_bag_` needs it, and only then is
        `importance_details_` unbiased.
    bins : int
        The number of places where numbers may be cut, plus one. A column with no more distinct numbers loses nothing.
    patience : int, optional
        Stop when this many trees have not lowered the out-of-bag error.
    progress : bool
        Whether to report the number of trees on stderr.
    costs, priors, class_weight
        As for NaiveBayes.
    random_state : seed or Generator, optional
        Each tree has its own seed drawn from this one, so the first trees of a larger forest are the same.
    n_jobs : int, optional
        Number of threads; the forest has the same bytes for any number.

    Attributes
    ----------
    out_of_bag_ : OutOfBag
        `error`, `interval`, `curve`, `error_all`, `without_vote`, `predictions`.
    feature_importances_ : array
        Importance of each attribute on out-of-bag rows, or on training rows if there are none.
    importance_details_ : Importances
        The same by name, with intervals; `what` says which rows were used. See also `permutation_importances`.

    Notes
    -----
    Ctrl-C stops growing. The learner is then fitted with the finished trees, and KeyboardInterrupt is raised.

    Examples
    --------
    >>> import acumen
    >>> forest = acumen.RandomForest(50, random_state=0).fit(acumen.datasets.load("iris"))
    >>> forest.out_of_bag_.error < 0.1
    True
    """

    kind: ClassVar[str] = "random-forest"
    model_type = ForestModel
    #: Its rules are a surrogate's.
    rules_imitate: ClassVar[bool] = True

    def __init__(
        self,
        n_estimators: Annotated[int, AtLeast(1)] = 100,
        *,
        max_features: MaxAttributes = "sqrt",
        stop_size: Annotated[float, AtLeast(0)] = 1,
        purity: Share = 1.0,
        max_depth: Annotated[int, AtLeast(1)] | None = None,
        max_samples: Share | None = 1.0,
        groups: Groups = None,
        out_of_bag: bool = True,
        bins: Annotated[int, Between(2, 65_534)] = 255,
        patience: Annotated[int, AtLeast(1)] | None = None,
        progress: bool = False,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.stop_size = stop_size
        self.purity = purity
        self.max_depth = max_depth
        self.max_samples = max_samples
        self.groups = groups
        self.out_of_bag = out_of_bag
        self.bins = bins
        self.patience = patience
        self.progress = progress
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        coded, forest, prior = self._grow(rows)
        return self.model_type(
            coded.coding, forest.packed, forest.gain, forest.bag, prior, in_bag=forest.bag is None
        ), rows.totals

    def votes(self, X: Any) -> Any:
        """Count the trees that vote for each class, one line per row: a tree votes for the largest class in the
        row's leaf.
        """
        model = self._require_fitted().model
        assert isinstance(model, ForestModel)
        return model.votes(self._query(X))

    def to_rules(self, X: Any = None, *, max_leaf_nodes: int = 16) -> SurrogateRules:
        """Return the rules of a small tree that imitates the forest; `fidelity` is how often both agree.

        Parameters
        ----------
        X : Table, data frame or array, optional
            Rows to imitate the forest on. Default: up to 3,000 training rows.
        max_leaf_nodes : int
            The largest number of rules.
        """
        predictor = self._require_fitted()
        if X is None and not hasattr(self, "_kept"):
            raise ParameterError(
                f"{self._name}: a model file holds no rows; pass rows to imitate the model on: to_rules(rows)."
            )
        rows = self._kept if X is None else self._query(X)
        if not len(rows):
            raise ParameterError(f"{self._name}: there are no rows to imitate the model on.")
        schema = predictor.schema
        bare = rows.replace(schema=schema, labels=np.zeros(len(rows), dtype=np.int32), response=None)
        return imitate(bare, predictor.model.scores(rows).argmax(axis=1), max_leaf_nodes)


class ExtraTrees(RandomForest):
    """Classify by the votes of trees that draw one random cut for each attribute they consider.

    Like RandomForest, but a number is cut uniformly between the node's smallest and largest value, and categories go
    left or right at random; the best of the drawn cuts is taken. Each tree has all rows unless you set `max_samples`.
    Then no row is out of bag, and `importance_details_` come from the training rows, which slightly favours
    attributes with many values. `max_samples=1.0` draws rows as RandomForest does; `out_of_bag_`, `groups` and
    `patience` need it.

    Parameters
    ----------
    n_estimators, max_features, stop_size, purity, max_depth, max_samples, groups, out_of_bag, bins, patience, progress
        As for RandomForest, but by default without a sample.
    costs, priors, class_weight, random_state, n_jobs
        As for RandomForest.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> acumen.ExtraTrees(50, random_state=0).fit(iris).n_estimators_
    50
    >>> acumen.ExtraTrees(50, max_samples=1.0, random_state=0).fit(iris).out_of_bag_.error < 0.1
    True
    """

    kind: ClassVar[str] = "extra-trees"
    model_type = ExtraTreesModel
    extra: ClassVar[bool] = True

    @with_parameters_of(RandomForest, max_samples=None)
    def __init__(self, n_estimators: Annotated[int, AtLeast(1)] = 100, **others: Any) -> None:
        super().__init__(n_estimators, **others)


class RandomForestRegressor(ForestFace, Regressor):
    """Predict a number by the mean of many trees, each grown from rows drawn with replacement.

    Like RandomForest, but splits lower the squared error and a leaf predicts the mean of its rows.

    Parameters
    ----------
    n_estimators : int
        The number of trees.
    max_features : {"sqrt", "log2", "all"}, int or float
        How many attributes a node considers, as for RandomForest. Default: a third of them.
    stop_size : float
        A node with at most this weight is a leaf.
    max_depth, max_samples, groups, out_of_bag, bins, patience, progress, random_state, n_jobs
        As for RandomForest; `out_of_bag_.error` is the mean squared error.

    Examples
    --------
    >>> import acumen, numpy as np
    >>> x = np.linspace(0, 6, 200)[:, None]
    >>> forest = acumen.RandomForestRegressor(30, random_state=0).fit(x, np.sin(x[:, 0]))
    >>> forest.score(x, np.sin(x[:, 0])) > 0.99
    True
    """

    kind: ClassVar[str] = "random-forest-regressor"
    model_type = ForestRegressionModel

    def __init__(
        self,
        n_estimators: Annotated[int, AtLeast(1)] = 100,
        *,
        max_features: MaxAttributes = 1 / 3,
        stop_size: Annotated[float, AtLeast(0)] = 1,
        max_depth: Annotated[int, AtLeast(1)] | None = None,
        max_samples: Share | None = 1.0,
        groups: Groups = None,
        out_of_bag: bool = True,
        bins: Annotated[int, Between(2, 65_534)] = 255,
        patience: Annotated[int, AtLeast(1)] | None = None,
        progress: bool = False,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.stop_size = stop_size
        self.max_depth = max_depth
        self.max_samples = max_samples
        self.groups = groups
        self.out_of_bag = out_of_bag
        self.bins = bins
        self.patience = patience
        self.progress = progress
        self.random_state = random_state
        self.n_jobs = n_jobs

    def learn(self, rows: Rows) -> tuple[RegressionModel, Floats]:
        coded, forest, _ = self._grow(rows)
        return self.model_type(
            coded.coding, forest.packed, forest.gain, forest.bag, in_bag=forest.bag is None
        ), rows.totals


class ExtraTreesRegressor(RandomForestRegressor):
    """Predict a number by the mean of trees with random cuts, as ExtraTrees does.

    Parameters
    ----------
    n_estimators, max_features, stop_size, max_depth, max_samples, groups, out_of_bag, bins, patience, progress
        As for RandomForestRegressor, but by default without a sample.
    random_state, n_jobs
        As for RandomForestRegressor, but by default without a sample.

    Examples
    --------
    >>> import acumen, numpy as np
    >>> x = np.linspace(0, 6, 200)[:, None]
    >>> acumen.ExtraTreesRegressor(30, random_state=0).fit(x, np.sin(x[:, 0])).n_estimators_
    30
    """

    kind: ClassVar[str] = "extra-trees-regressor"
    model_type = ExtraTreesRegressionModel
    extra: ClassVar[bool] = True

    @with_parameters_of(RandomForestRegressor, max_samples=None)
    def __init__(self, n_estimators: Annotated[int, AtLeast(1)] = 100, **others: Any) -> None:
        super().__init__(n_estimators, **others)
