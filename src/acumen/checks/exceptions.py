"""Which of scikit-learn's estimator checks acumen's learners fail on purpose, each with its reason.

The table is the one place for them: tests hand it to `parametrize_with_checks`, and docs/contract.md lists it.
"""

from __future__ import annotations

from typing import Any

_IN_TURN = (
    "rows are met in turn: a row of weight 2 moves the weights twice as far once, a repeated row is met twice"
)
_DRAWN = "rows are drawn by their weights, and repeated rows are drawn one by one: as likely, but not the same draws"
_PURE = (
    "its trees are grown from all rows until each leaf is of one class, and such leaves answer alike whatever classes "
    "weigh; the check stops scikit-learn's own trees earlier"
)
_MINDED = (
    "boosting raises the weight of rows that are wrong until they weigh as much as all others, and so takes back what "
    "the check's class weights of 1000 and 0.0001 do"
)
_DEALT = "rows are dealt out to folds at random, and repeated rows are dealt out anew"
_BATCHED = "rows are dealt out to batches, and held out, at random: a repeated row may be in two batches"
_BEGUN = (
    "starts are drawn by places in the order of the rows, and the check shuffles them: another start may end elsewhere "
    "in rows without groups"
)
_NUMBERED = (
    "groups are numbered by their first row, and the check shuffles rows: the same groups have other numbers"
)
_FIRST = "the positive class is that of the first row, and the check shuffles the rows"
_IN_ORDER = (
    "rows are put into a tree one after the other, and the check shuffles them: the same groups have other numbers, "
    "and rows without groups may belong together otherwise"
)
_UNORDERED = (
    "the check has three classes of text, in no order, which are refused: an order is to be declared, not "
    "guessed"
)
_NO_CLASSES = (
    "the check asks whatever has predict_proba for the tags of a classifier, and a clusterer has none"
)
_BOTH = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")

#: Learner's class -> scikit-learn's check -> why the learner does not pass it.
SKLEARN_EXCEPTIONS: dict[str, dict[str, str]] = {
    "AdaBoost": {"check_class_weight_classifiers": _MINDED},
    "Agglomerative": dict.fromkeys(_BOTH, _NUMBERED),
    "Bagging": dict.fromkeys(_BOTH, _DRAWN),
    "BaggingRegressor": dict.fromkeys(_BOTH, _DRAWN),
    "Birch": dict.fromkeys(_BOTH, _IN_ORDER),
    "Chameleon": dict.fromkeys(_BOTH, _NUMBERED),
    "Clara": dict.fromkeys(_BOTH, _BEGUN),
    "Clarans": dict.fromkeys(_BOTH, _BEGUN),
    "Condense": {
        "check_class_weight_classifiers": "each row kept has one vote, whatever it weighed: of one neighbour the "
        "weight decides nothing",
    },
    "DBSCAN": dict.fromkeys(_BOTH, _NUMBERED),
    "Divisive": dict.fromkeys(_BOTH, _NUMBERED),
    "ExtraTrees": {"check_class_weight_classifiers": _PURE},
    "GaussianMixture": dict.fromkeys(_BOTH, _BEGUN)
    | dict.fromkeys(("check_estimator_sparse_array", "check_estimator_sparse_matrix"), _NO_CLASSES),
    "KMeans": dict.fromkeys(_BOTH, _BEGUN),
    "KModes": dict.fromkeys(_BOTH, _BEGUN)
    | {
        "check_clustering": "each different number is a level of its own, and among the measurements of the check no "
        "two are alike",
    },
    "KPrototypes": dict.fromkeys(_BOTH, _BEGUN),
    "KMedoids": dict.fromkeys(_BOTH, _BEGUN),
    "KernelFisher": {
        "check_class_weight_classifiers": "a weight is a repeated row, so the rows of a class weighted 1000 lie "
        "almost on their mean among the features, and rows away from it are taken for another class however "
        "rare that is",
    },
    "OrderedLogistic": {"check_classifiers_classes": _UNORDERED},
    "Ordinal": {"check_classifiers_classes": _UNORDERED},
    "NeuralNetwork": dict.fromkeys(_BOTH, _BATCHED),
    "NeuralNetworkRegressor": dict.fromkeys(_BOTH, _BATCHED),
    "PolynomialRegression": {
        "check_sample_weight_equivalence_on_dense_data": "its degree is chosen on folds of the rows at random, and "
        "repeated rows are dealt out anew",
        "check_sample_weight_equivalence_on_sparse_data": "its degree is chosen on folds of the rows at random, and "
        "repeated rows are dealt out anew",
    },
    "RandomForest": dict.fromkeys(_BOTH, _DRAWN),
    "RandomForestRegressor": dict.fromkeys(_BOTH, _DRAWN),
    "Sting": dict.fromkeys(_BOTH, "the check has 30 attributes, and a grid is of 15 at most"),
    "Stacking": dict.fromkeys(_BOTH, _DEALT),
    "Perceptron": {
        "check_sample_weight_equivalence_on_dense_data": _IN_TURN,
        "check_sample_weight_equivalence_on_sparse_data": _IN_TURN,
    },
    "TextBayes": {
        "check_class_weight_classifiers": "the check draws numbers below zero, which are no counts of words",
    },
    "VersionSpace": dict.fromkeys(_BOTH, _FIRST),
    "Wrapper": dict.fromkeys(_BOTH, _DEALT),
}

#: Whose exceptions hold only where they draw random numbers.
_BY_CHANCE = ("PolynomialRegression",)


def sklearn_exceptions(estimator: Any) -> dict[str, str]:
    """The checks a learner is expected to fail; for scikit-learn's `expected_failed_checks`."""
    name = type(estimator).__name__
    if name in _BY_CHANCE and not estimator.draws_numbers:
        return {}
    return SKLEARN_EXCEPTIONS.get(name, {})
