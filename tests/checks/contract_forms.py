"""The learners that tests hold to the contract.

LEARNERS ... MODELLERS   every learner, in every form that learns by another way; the first form of each is quick
FIRST                    the first form of each learner
AS_BUILT                 every public learner by name, built without parameters where it can be
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import acumen
from acumen.base.learner import Learner

#: Every learner, in every form that learns by another way; a new one is added here.
LEARNERS: tuple[Any, ...] = (
    acumen.NaiveBayes(),
    acumen.NaiveBayes(numeric="histogram"),
    acumen.NaiveBayes(numeric="kernel"),
    acumen.NaiveBayes(numeric="discretise"),
    acumen.NaiveBayes(numeric="discretise", bins=3),
    acumen.NaiveBayes(estimator="map", alpha=2.0, smooth_only_zeros=True),
    acumen.NaiveBayes(estimator="mle", unlabelled="em"),
    acumen.NaiveBayes(mean_prior=(0.0, 10.0), priors="uniform", class_weight="balanced"),
    acumen.NaiveBayes(normal_gamma_prior=(0.0, 1.0, 1.0, 1.0)),
    acumen.Additive(),
    acumen.Additive(smoothing=2.0, bins=8, pairs="auto"),
    acumen.Additive(smoothing="cv"),
    acumen.CBA(),
    acumen.CBA(min_support=0.05, builder="m2", cut=None, default="majority", prune=None, max_conditions=2),
    acumen.StrongestRules(max_conditions=2),
    acumen.StrongestRules(vote="weighted", max_conditions=2),
    acumen.StrongestRules(vote="chi2", max_conditions=2),
    acumen.StrongestRules(vote="laplace", max_conditions=2),
    acumen.FullBayes(),
    acumen.FullBayes(covariance="shared"),
    acumen.FullBayes(covariance="diagonal", unbiased=True),
    acumen.FullBayes(shrinkage=0.3, costs=[[0, 1, 2], [3, 0, 4], [5, 6, 0]]),
    acumen.Majority(),
    acumen.OneR(),
    acumen.OneR(min_bucket=2, alpha=0),
    acumen.TextBayes(),
    acumen.TextBayes(event="bernoulli"),
    acumen.Parzen(),
    acumen.Parzen(window="box"),
    acumen.Parzen(bandwidth="loo"),
    acumen.Parzen(bandwidth=1.5, unlabelled="em"),
    acumen.HistogramBayes(),
    acumen.HistogramBayes(bins=3, alpha=0.1, unlabelled="em"),
    acumen.BayesNetwork(),
    acumen.BayesNetwork(structure="hill-climbing", score="bde", numeric="equal-width", bins=3),
    acumen.BayesNetwork(structure="naive", missing="em", alpha=0.5),
    acumen.Fisher(),
    acumen.Fisher(n_directions=1, shrinkage=0.2, priors="uniform"),
    acumen.KernelFisher(),
    acumen.KernelFisher(kernel="polynomial", degree=2, n_directions=1),
    acumen.KernelFisher(kernel="linear", alpha=0),
    acumen.KernelFisher(landmarks=20),
    acumen.NearestMean(),
    acumen.KNN(),
    acumen.KNN(1),
    acumen.KNN(3, distance="gower", weights="distance", selection_rule="one-se"),
    acumen.KNN(distance="value-difference", weights="kernel", max_neighbors=9, smoothing=1.0),
    acumen.KNN(4, distance="manhattan", scale=False, index="brute", priors="uniform"),
    acumen.Condense(),
    acumen.Edit(),
    acumen.LabelSpreading(),
    acumen.LabelSpreading(3, weights="uniform", distance="gower", clamping=0.5),
    acumen.NeuralNetwork(hidden_layer_sizes=(8,), max_iter=20),
    acumen.NeuralNetwork(
        hidden_layer_sizes=(6, 4),
        activation="tanh",
        solver="momentum",
        max_iter=10,
        batch_size=32,
        n_estimators=2,
        scale="z-score",
        learned_scale=False,
        last_layer_init="normal",
        early_stopping=False,
    ),
    acumen.LeastSquares(),
    acumen.LeastSquares(alpha=0.5, fit_intercept=False),
    acumen.Perceptron(max_iter=60),
    acumen.Perceptron(),
    acumen.Perceptron(order="given", tie="positive", init="ones", extra=-1, average=True, max_iter=20),
    acumen.Perceptron(kernel="rbf", stop="distance", max_iter=50),
    acumen.Logistic(),
    acumen.Logistic(penalty="l1", C=0.5, scale=False),
    acumen.Logistic(solver="lbfgs", tol=1e-10),
    acumen.MaxEnt(C=1.0),
    acumen.OrderedLogistic(),
    acumen.OrderedLogistic(penalty=None),
    acumen.Ordinal(),
    acumen.Ordinal(acumen.DecisionTree()),
    acumen.Ordinal(acumen.Calibrated()),
    acumen.OneVsRest(),
    acumen.Calibrated(acumen.NearestMean(), folds=2),
    acumen.Calibrated(),
    acumen.OneVsOne(acumen.NaiveBayes()),
    acumen.OutputCodes(code="exhaustive"),
    acumen.OutputCodes(acumen.FullBayes(covariance="shared"), length=2, decoding="hamming"),
    acumen.DecisionTree(),
    acumen.DecisionTree(measure="gini", split="binary", prune="none", leaf_estimate="laplace"),
    acumen.DecisionTree(
        measure="cart", split="binary", missing="surrogate", leaf_estimate="m", max_leaf_nodes=6
    ),
    acumen.DecisionTree(measure="twoing", missing="branch", prune="mdl", construct="pairs"),
    acumen.DecisionTree(measure="gain", missing="majority", prune="cost-complexity", intervals=3),
    acumen.DecisionTree(prune="significance", stop="mdl", priors="uniform", class_weight="balanced"),
    acumen.DecisionTree(prune="reduced-error", costs=[[0, 1, 2], [3, 0, 4], [5, 6, 0]]),
    acumen.RandomTree(),
    acumen.Boosting(n_estimators=5),
    acumen.Boosting(min_samples_leaf=2, max_leaf_nodes=4, subsample=0.7, colsample_bytree=0.5, bins=8),
    acumen.AdaBoost(n_estimators=5),
    acumen.AdaBoost(n_estimators=5, variant="samme", method="resample", validation_fraction=0.2),
    acumen.AdaBoost(acumen.DecisionTree(max_depth=2), n_estimators=3),
    acumen.Bagging(),
    acumen.Bagging(acumen.DecisionTree(), n_estimators=3),
    acumen.Bagging(acumen.SVM(), n_estimators=3, max_samples=0.7, out_of_bag=False),
    acumen.Voting([acumen.NaiveBayes(), acumen.OneR(), acumen.DecisionTree()]),
    acumen.Voting([acumen.NaiveBayes(), acumen.Fisher()], weights=[2, 1], use="probabilities"),
    acumen.Stacking([acumen.NaiveBayes(), acumen.OneR()], folds=3),
    acumen.Stacking(
        [acumen.NaiveBayes(), acumen.OneR()], combiner=acumen.DecisionTree(), folds=None, use="classes"
    ),
    acumen.RandomForest(10),
    acumen.RandomForest(5, max_features=2, max_samples=0.5, stop_size=3, purity=0.9, max_depth=4, bins=8),
    acumen.ExtraTrees(10),
    acumen.Ripper(),
    acumen.Ripper(prune_fraction=0, sets=True, max_conditions=3),
    acumen.Ripper(
        classes="all", deletion="subsets", stop="error", n_optimisations=0, gain="plain", prune_fraction=0
    ),
    acumen.CN2(),
    acumen.CN2(ordered=False, measure="laplace", significance=None, beam_width=2),
    acumen.C45Rules(),
    acumen.RuleClassifier(),
    acumen.VersionSpace(),
    acumen.VersionSpace(language="single-test-dnf"),
    acumen.VersionSpace(language="cnf", positive=None),
    acumen.SVM(),
    acumen.SVM(kernel="linear"),
    acumen.SVM(kernel="linear", loss="squared", bias="folded"),
    acumen.SVM(kernel="poly", degree=2, multiclass="ovr"),
    acumen.SVM(multiclass="single", C=100.0, tol=1e-8),
    acumen.SVM(multiclass="ecoc", solver="newton"),
    acumen.SVM(probability="platt", tol=1e-10, class_weight="balanced"),
    acumen.SVM(probability="isotonic", tol=1e-10),
)

#: Every learner that predicts numbers.
REGRESSORS: tuple[Any, ...] = (
    acumen.Mean(),
    acumen.LinearRegression(),
    acumen.LinearRegression(fit_intercept=False),
    acumen.Ridge(),
    acumen.Ridge(radius=2.0),
    acumen.Ridge(alpha=3.0, scale=False, fit_intercept=False),
    acumen.Lasso(),
    acumen.Lasso(alpha=0.01, scale=False, fit_intercept=False),
    acumen.AdditiveRegressor(),
    acumen.AdditiveRegressor(smoothing=1.0, pairs=1),
    acumen.BoostingRegressor(n_estimators=10),
    acumen.NeuralNetworkRegressor(hidden_layer_sizes=(8,), max_iter=20),
    acumen.KNNRegressor(),
    acumen.KNNRegressor(3, distance="gower", weights="distance"),
    acumen.PolynomialRegression(degree=2),
    acumen.BaggingRegressor(),
    acumen.BaggingRegressor(acumen.Ridge(), n_estimators=3),
    acumen.RandomForestRegressor(10),
    acumen.ExtraTreesRegressor(10, max_samples=0.7),
    acumen.ExtraTreesRegressor(10),
    acumen.SVR(),
    acumen.SVR(kernel="linear", loss="squared"),
    acumen.SVR(kernel="linear", epsilon=0.0, C=0.3, bias="folded"),
)

#: Every learner that makes columns.
TRANSFORMERS: tuple[Any, ...] = (
    acumen.PrincipalComponents(),
    acumen.PrincipalComponents(1, scale=True),
    acumen.PrincipalComponents(0.9, signs=None),
    acumen.PrincipalComponents("auto"),
    acumen.BasisExpansion(),
    acumen.BasisExpansion("gaussian", functions=4, width=0.5),
    acumen.BasisExpansion("spline", degree=2, functions=3),
    acumen.Completer((acumen.NaiveBayes(), acumen.LinearRegression())),
    acumen.Filter(),
    acumen.Filter(by="near-constant", keep=0.5),
    acumen.Filter(by="correlation", keep=2),
    acumen.RuleFeatures(min_support=0.05, max_conditions=2),
    acumen.RuleFeatures(min_support=0.05, only=True, max_rules=10),
)

#: Every learner that finds groups.
CLUSTERERS: tuple[Any, ...] = (
    acumen.KMeans(3, n_init=3),
    acumen.KMeans("mdl", max_clusters=4, n_init=2, scale=False, init="random"),
    acumen.KMedoids(2, random_state=0),
    acumen.KMedoids(3, distance="manhattan", scale=False, random_state=0),
    acumen.Clara(2, random_state=0),
    acumen.Clara(2, 3, distance="gower", random_state=0),
    acumen.Clarans(2, random_state=0),
    acumen.Agglomerative(2),
    acumen.Agglomerative(linkage="single"),
    acumen.Agglomerative(2, linkage="complete", distance="gower"),
    acumen.Agglomerative(distance_threshold=2.0, distance="euclidean"),
    acumen.Divisive(2),
    acumen.Chameleon(2, random_state=0),
    acumen.DBSCAN(),
    acumen.DBSCAN(eps=0.3, min_samples=3),
    acumen.KModes(3, n_init=3),
    acumen.KPrototypes(3, n_init=3),
    acumen.KPrototypes(2, 2.0, scale=False, n_init=2),
    acumen.GaussianMixture(2, n_init=2),
    acumen.GaussianMixture("bic", covariance="shared", max_components=3, n_init=2),
    acumen.GaussianMixture(2, covariance="diagonal", n_init=2, scale=False),
    acumen.GaussianMixture("mdl", covariance="spherical", max_components=3, n_init=2),
    acumen.Birch(n_clusters=2),
    acumen.Sting(),
    acumen.Sting(levels=4, confidence=0.8),
)

#: Every model of all attributes.
MODELLERS: tuple[Any, ...] = (acumen.MarkovNetwork(score_penalty=0.3, bins=3), acumen.MarkovNetwork())

#: The first form of each learner.
FIRST: tuple[Any, ...] = tuple(
    {
        type(each): each
        for each in reversed((*LEARNERS, *REGRESSORS, *TRANSFORMERS, *CLUSTERERS, *MODELLERS))
    }.values()
)[::-1]

#: What others derive from.
BASES = (acumen.Classifier, acumen.Regressor, acumen.Clusterer, acumen.Transformer)

#: What cannot be built without parameters: learners about another learner.
ABOUT_ANOTHER: dict[str, Callable[[], Any]] = {
    "ActiveLearner": lambda: acumen.ActiveLearner(acumen.NaiveBayes()),
    "SelfTraining": lambda: acumen.SelfTraining(acumen.NaiveBayes()),
    "Tuned": lambda: acumen.Tuned(acumen.NaiveBayes(), {"alpha": [0.5, 1.0]}),
    "Wrapper": lambda: acumen.Wrapper(acumen.NaiveBayes()),
}


def public_learners() -> dict[str, type[Learner]]:
    """Every learner that `acumen` names, by its name."""
    public = {name: getattr(acumen, name) for name in acumen.__all__}
    return {
        name: each
        for name, each in public.items()
        if isinstance(each, type) and issubclass(each, Learner) and each not in BASES
    }


#: Every public learner, as `L()` builds it.
AS_BUILT: dict[str, Callable[[], Any]] = {
    name: ABOUT_ANOTHER.get(name, each) for name, each in public_learners().items()
}
