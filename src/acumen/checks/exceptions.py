"""Which of scikit-learn's estimator checks acumen's learners fail on purpose, each with its reason.

The table is the one place for them: tests hand it to `parametrize_with_checks`, and docs/contract.md lists it.
"""

from __future__ import annotations

from typing import Any

_IN_TURN = (
    "rows are visited in turn: a row of weight 2 moves the weights once but twice as far; two equal rows move them "
    "twice"
)
_DRAWN = (
    "rows are drawn with probabilities by weight, and repeated rows one by one: the probabilities are equal, the draws "
    "are not"
)
_PURE = (
    "its trees grow until each leaf has a single class, and such leaves predict the same whatever the classes weigh; "
    "the check stops scikit-learn's own trees earlier"
)
_REWEIGHTED = (
    "boosting raises the weight of misclassified rows until they weigh as much as all others, which cancels the "
    "check's class weights of 1000 and 0.0001"
)
_FOLDS = "rows are assigned to folds at random, and repeated rows are assigned separately"
_BATCHED = "rows are assigned to batches, and held out, at random: two copies of a row may be in two batches"
_STARTS = (
    "starting points are drawn by position, and the check shuffles rows: in data without clusters another start may "
    "end in another solution"
)
_NUMBERED = "clusters are numbered by their first row, and the check shuffles rows: the same clusters get other numbers"
_FIRST = "the positive class is that of the first row, and the check shuffles the rows"
_IN_ORDER = (
    "rows are inserted into a tree one after the other, and the check shuffles them: clusters get other numbers, and "
    "in data without clusters the partition may differ"
)
_UNORDERED = (
    "the check uses three text classes without an order, which the learner refuses: you must declare one"
)
_NO_CLASSES = (
    "the check expects a classifier's tags from anything with predict_proba, and a clusterer has none"
)
_BOTH = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")

#: Learner's class -> scikit-learn's check -> why the learner does not pass it.
SKLEARN_EXCEPTIONS: dict[str, dict[str, str]] = {
    "AdaBoost": {"check_class_weight_classifiers": _REWEIGHTED},
    "Agglomerative": dict.fromkeys(_BOTH, _NUMBERED),
    "Bagging": dict.fromkeys(_BOTH, _DRAWN),
    "BaggingRegressor": dict.fromkeys(_BOTH, _DRAWN),
    "Birch": dict.fromkeys(_BOTH, _IN_ORDER),
    "Chameleon": dict.fromkeys(_BOTH, _NUMBERED),
    "Clara": dict.fromkeys(_BOTH, _STARTS),
    "Clarans": dict.fromkeys(_BOTH, _STARTS),
    "Condense": {
        "check_class_weight_classifiers": "each stored row has one vote, whatever its weight: with one neighbour, "
        "the weight has no effect",
    },
    "DBSCAN": dict.fromkeys(_BOTH, _NUMBERED),
    "Divisive": dict.fromkeys(_BOTH, _NUMBERED),
    "ExtraTrees": {"check_class_weight_classifiers": _PURE},
    "GaussianMixture": dict.fromkeys(_BOTH, _STARTS)
    | dict.fromkeys(("check_estimator_sparse_array", "check_estimator_sparse_matrix"), _NO_CLASSES),
    "KMeans": dict.fromkeys(_BOTH, _STARTS),
    "KModes": dict.fromkeys(_BOTH, _STARTS)
    | {
        "check_clustering": "each distinct number is a category of its own, and all measurements of the check are "
        "distinct",
    },
    "KPrototypes": dict.fromkeys(_BOTH, _STARTS),
    "KMedoids": dict.fromkeys(_BOTH, _STARTS),
    "KernelFisher": {
        "check_class_weight_classifiers": "a weight is a repeated row, so rows of a class with weight 1000 lie "
        "almost on their mean in feature space; rows farther away are assigned to another class, however rare it is",
    },
    "OrderedLogistic": {"check_classifiers_classes": _UNORDERED},
    "Ordinal": {"check_classifiers_classes": _UNORDERED},
    "NeuralNetwork": dict.fromkeys(_BOTH, _BATCHED),
    "NeuralNetworkRegressor": dict.fromkeys(_BOTH, _BATCHED),
    "PolynomialRegression": dict.fromkeys(_BOTH, "its degree is chosen on random folds; " + _FOLDS),
    "RandomForest": dict.fromkeys(_BOTH, _DRAWN),
    "RandomForestRegressor": dict.fromkeys(_BOTH, _DRAWN),
    "Sting": dict.fromkeys(_BOTH, "the check has 30 attributes, and a grid has at most 15"),
    "Stacking": dict.fromkeys(_BOTH, _FOLDS),
    "Perceptron": {
        "check_sample_weight_equivalence_on_dense_data": _IN_TURN,
        "check_sample_weight_equivalence_on_sparse_data": _IN_TURN,
    },
    "TextBayes": {
        "check_class_weight_classifiers": "the check draws negative numbers, which cannot be word counts",
    },
    "VersionSpace": dict.fromkeys(_BOTH, _FIRST),
    "Wrapper": dict.fromkeys(_BOTH, _FOLDS),
}

#: Whose exceptions hold only where they draw random numbers.
_BY_CHANCE = ("PolynomialRegression",)


def sklearn_exceptions(estimator: Any) -> dict[str, str]:
    """The checks a learner is expected to fail, for scikit-learn's `expected_failed_checks`."""
    name = type(estimator).__name__
    if name in _BY_CHANCE and not estimator.draws_numbers:
        return {}
    return SKLEARN_EXCEPTIONS.get(name, {})
