"""The forests' faces: parameters and documentation."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.regressor import Regressor
from acumen.ensembles.forest_methods import ForestFace, MaxAttributes, Seed
from acumen.ensembles.forest_model import (
    ExtraTreesModel,
    ExtraTreesRegressionModel,
    ForestModel,
    ForestRegressionModel,
)
from acumen.ensembles.row_groups import Groups
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
    """Classify by the votes of many trees, each of rows drawn with replacement and attributes drawn at nodes.

    At each node attributes are drawn until `max_features` have been found in which its rows differ; the best
    split by Gini's index is taken. Numbers are cut at one of `bins` places that all trees share; levels are put in
    an order at the node itself, by its own rows. A row without a value, or with a level that the node has not met,
    takes the heavier branch, in growing as in predicting. The probability of a class is the mean of its shares in
    the leaves, with one vote more by the class shares of all training rows. Row weights say how likely a row is
    drawn.

    Parameters
    ----------
    n_estimators : int
        How many trees.
    max_features : {"sqrt", "log2", "all"}, int or float
        How many attributes a node looks at: the root or the binary logarithm of their number, all, so many, or such a
        share.
    stop_size : float
        A node of no more weight than this is a leaf.
    purity : float
        So is one of which at least this share is of one class.
    max_depth : int, optional
        Tests on the way to a leaf, at most.
    max_samples : float or None
        How many rows are drawn for a tree, as a share of all; None: every tree has all rows, each once.
    groups : str or array, optional
        Whole groups are drawn instead of rows: the name of a column, which is then not learned from, or one value a
        row. A row is out of bag only if its group is. Weights then multiply the rows that were drawn.
    out_of_bag : bool
        Whether each tree answers for the rows it did not have: `out_of_bag_` needs it, and `importance_details_` are
        only without bias by it.
    bins : int
        Places at which numbers may be cut, plus one. A column of no more different numbers loses nothing.
    patience : int, optional
        Stop when so many trees have not lowered the out-of-bag error.
    progress : bool
        Whether to tell on stderr how many trees there are.
    costs, priors, class_weight
        As for NaiveBayes.
    random_state : seed or Generator, optional
        Each tree has a seed of its own drawn from it, so that the first trees of a larger forest are the same.
    n_jobs : int, optional
        Threads; the forest is the same to the byte for any number of them.

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
    Ctrl-C ends growing; the learner is then fitted with the trees that were finished, and KeyboardInterrupt is raised.

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
        """How many trees are for each class, one line a row: a tree is for the largest share in the row's leaf."""
        model = self._fitted().model
        assert isinstance(model, ForestModel)
        return model.votes(self._query(X))

    def to_rules(self, X: Any = None, *, max_leaf_nodes: int = 16) -> SurrogateRules:
        """Rules of a small tree that imitates the forest; `fidelity` says how often it gives the same answer.

        Parameters
        ----------
        X : Table, data frame or array, optional
            Rows to be imitated on; up to 3,000 of the training rows unless given.
        max_leaf_nodes : int
            How many rules there may be.
        """
        predictor = self._fitted()
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
    """Classify by the votes of trees that draw, of each attribute a node looks at, one cut at random.

    As RandomForest, but a number is cut uniformly between the node's least and largest, and levels go left or right at
    the toss of a coin; the best of the cuts drawn is taken. Each tree has all rows unless `max_samples` is given: no
    row is out of bag then, and `importance_details_` are of the training rows, which flatters attributes of many
    values a little. `max_samples=1.0` draws rows as RandomForest does; `out_of_bag_`, `groups` and `patience` need it.

    Parameters
    ----------
    n_estimators, max_features, stop_size, purity, max_depth, max_samples, groups, out_of_bag, bins, patience, progress
        As for RandomForest; but no sample.
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

    As RandomForest, but splits lower the squared error and a leaf says the mean of its rows.

    Parameters
    ----------
    n_estimators : int
        How many trees.
    max_features : {"sqrt", "log2", "all"}, int or float
        How many attributes a node looks at, as for RandomForest; a third of them unless said.
    stop_size : float
        A node of no more weight than this is a leaf.
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
    """Predict a number by the mean of trees whose cuts are drawn at random; as ExtraTrees.

    Parameters
    ----------
    n_estimators, max_features, stop_size, max_depth, max_samples, groups, out_of_bag, bins, patience, progress,
    random_state, n_jobs
        As for RandomForestRegressor; but no sample.

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
