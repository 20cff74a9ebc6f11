"""The kinds of model a file may hold: a fixed table, so that no file can name code to be run.

A class is imported when its kind is asked for, from this table alone. Learners import scikit-learn,
models do not.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from acumen.errors import ModelFileError, did_you_mean
from acumen.models.model import AnyModel
from acumen.models.task import CLASS_COLUMNS, CLASSES, COLUMNS, GROUPS, JOINT, NUMBERS, Task


class Kind(NamedTuple):
    """Where the classes of one kind live, each as `module:name`, and what it learns."""

    model: str
    learner: str
    task: Task = CLASSES


KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "ada-boost": Kind(
            "acumen.ensembles.adaboost_model:AdaBoostModel", "acumen.ensembles.adaboost:AdaBoost"
        ),
        "additive": Kind("acumen.additive.model:AdditiveModel", "acumen.additive.learners:Additive"),
        "additive-regressor": Kind(
            "acumen.additive.model:AdditiveRegressionModel",
            "acumen.additive.learners:AdditiveRegressor",
            NUMBERS,
        ),
        "agglomerative": Kind(
            "acumen.clusters.hierarchy:HierarchyModel",
            "acumen.clusters.hierarchy_learners:Agglomerative",
            GROUPS,
        ),
        "bagging": Kind("acumen.ensembles.committee:BaggingModel", "acumen.ensembles.bagging:Bagging"),
        "bagging-regressor": Kind(
            "acumen.ensembles.committee:CommitteeRegressionModel",
            "acumen.ensembles.bagging:BaggingRegressor",
            NUMBERS,
        ),
        "basis-expansion": Kind(
            "acumen.linear.basis:BasisModel", "acumen.linear.basis_learners:BasisExpansion", COLUMNS
        ),
        "bayes-network": Kind(
            "acumen.networks.model:BayesNetworkModel", "acumen.networks.learners:BayesNetwork"
        ),
        "boosting": Kind(
            "acumen.ensembles.gradient_model:BoostingModel", "acumen.ensembles.boosting:Boosting"
        ),
        "boosting-regressor": Kind(
            "acumen.ensembles.gradient_model:BoostingRegressionModel",
            "acumen.ensembles.boosting:BoostingRegressor",
            NUMBERS,
        ),
        "calibrated": Kind(
            "acumen.ensembles.calibrated_model:CalibratedModel", "acumen.ensembles.calibrated:Calibrated"
        ),
        "c45rules": Kind("acumen.rules.models:C45RulesModel", "acumen.rules.learners:C45Rules"),
        "cba": Kind("acumen.associations.cba_model:CBAModel", "acumen.associations.learners:CBA"),
        "chameleon": Kind(
            "acumen.clusters.chameleon:ChameleonModel",
            "acumen.clusters.hierarchy_learners:Chameleon",
            GROUPS,
        ),
        "clara": Kind(
            "acumen.clusters.medoids:SampledModel", "acumen.clusters.medoid_learners:Clara", GROUPS
        ),
        "clarans": Kind(
            "acumen.clusters.medoids:DrawnModel", "acumen.clusters.medoid_learners:Clarans", GROUPS
        ),
        "cn2": Kind("acumen.rules.models:CN2Model", "acumen.rules.learners:CN2"),
        "condense": Kind("acumen.neighbours.models:CondensedModel", "acumen.neighbours.learners:Condense"),
        "dbscan": Kind("acumen.clusters.dbscan:DenseModel", "acumen.clusters.dbscan_learner:DBSCAN", GROUPS),
        "decision-tree": Kind("acumen.trees.model:DecisionTreeModel", "acumen.trees.learners:DecisionTree"),
        "divisive": Kind(
            "acumen.clusters.hierarchy:DivisionModel", "acumen.clusters.hierarchy_learners:Divisive", GROUPS
        ),
        "edit": Kind("acumen.neighbours.models:EditedModel", "acumen.neighbours.learners:Edit"),
        "extra-trees": Kind(
            "acumen.ensembles.forest_model:ExtraTreesModel", "acumen.ensembles.forest_learners:ExtraTrees"
        ),
        "extra-trees-regressor": Kind(
            "acumen.ensembles.forest_model:ExtraTreesRegressionModel",
            "acumen.ensembles.forest_learners:ExtraTreesRegressor",
            NUMBERS,
        ),
        "completer": Kind(
            "acumen.imputation.model:CompletionModel", "acumen.imputation.completer:Completer", COLUMNS
        ),
        "filter": Kind("acumen.tuning.filter_model:KeptColumns", "acumen.tuning.filter:Filter", COLUMNS),
        "fisher": Kind("acumen.discriminant.fisher:FisherModel", "acumen.discriminant.learners:Fisher"),
        "full-bayes": Kind("acumen.bayes.full:FullBayesModel", "acumen.bayes.learners:FullBayes"),
        "histogram-bayes": Kind(
            "acumen.bayes.histogram:HistogramBayesModel", "acumen.bayes.density_learners:HistogramBayes"
        ),
        "birch": Kind("acumen.clusters.cluster_features:FeatureModel", "acumen.clusters.birch:Birch", GROUPS),
        "sting": Kind("acumen.clusters.sting_model:GridModel", "acumen.clusters.sting:Sting", GROUPS),
        "gaussian-mixture": Kind(
            "acumen.clusters.mixture_model:MixtureModel",
            "acumen.clusters.mixture_learners:GaussianMixture",
            GROUPS,
        ),
        "k-modes": Kind(
            "acumen.clusters.prototype_model:ModesModel", "acumen.clusters.mode_learners:KModes", GROUPS
        ),
        "k-prototypes": Kind(
            "acumen.clusters.prototype_model:PrototypeModel",
            "acumen.clusters.mode_learners:KPrototypes",
            GROUPS,
        ),
        "k-means": Kind("acumen.clusters.kmeans:MeansModel", "acumen.clusters.kmeans_learner:KMeans", GROUPS),
        "k-medoids": Kind(
            "acumen.clusters.medoids:MedoidsModel", "acumen.clusters.medoid_learners:KMedoids", GROUPS
        ),
        "kernel-fisher": Kind(
            "acumen.discriminant.kernel_fisher:KernelFisherModel", "acumen.discriminant.learners:KernelFisher"
        ),
        "knn": Kind("acumen.neighbours.models:KNNModel", "acumen.neighbours.learners:KNN"),
        "knn-regressor": Kind(
            "acumen.neighbours.models:KNNRegressionModel",
            "acumen.neighbours.regressors:KNNRegressor",
            NUMBERS,
        ),
        "label-spreading": Kind(
            "acumen.neighbours.label_spreading_model:LabelSpreadingModel",
            "acumen.neighbours.label_spreading:LabelSpreading",
        ),
        "lasso": Kind("acumen.linear.lasso:LassoModel", "acumen.linear.regressors:Lasso", NUMBERS),
        "least-squares": Kind(
            "acumen.linear.least_squares:LeastSquaresModel", "acumen.linear.classifiers:LeastSquares"
        ),
        "linear-regression": Kind(
            "acumen.linear.model:LinearModel", "acumen.linear.regressors:LinearRegression", NUMBERS
        ),
        "logistic": Kind("acumen.linear.logistic:LogisticModel", "acumen.linear.learners:Logistic"),
        "majority": Kind("acumen.bayes.majority:MajorityModel", "acumen.bayes.baseline_learners:Majority"),
        "markov-network": Kind(
            "acumen.networks.markov_model:MarkovNetworkModel",
            "acumen.networks.markov_learners:MarkovNetwork",
            JOINT,
        ),
        "max-ent": Kind("acumen.linear.maxent:MaxEntModel", "acumen.linear.learners:MaxEnt"),
        "mean": Kind("acumen.linear.mean_model:MeanModel", "acumen.linear.regressors:Mean", NUMBERS),
        "naive-bayes": Kind("acumen.bayes.naive:NaiveBayesModel", "acumen.bayes.learners:NaiveBayes"),
        "nearest-mean": Kind(
            "acumen.discriminant.nearest_mean:NearestMeanModel", "acumen.discriminant.learners:NearestMean"
        ),
        "neural-network": Kind(
            "acumen.networks.neural_model:NeuralNetworkModel",
            "acumen.networks.neural_learners:NeuralNetwork",
        ),
        "neural-network-regressor": Kind(
            "acumen.networks.neural_model:NeuralNetworkRegressionModel",
            "acumen.networks.neural_learners:NeuralNetworkRegressor",
            NUMBERS,
        ),
        "one-r": Kind("acumen.bayes.oner:OneRModel", "acumen.bayes.baseline_learners:OneR"),
        "one-vs-one": Kind(
            "acumen.ensembles.code_matrix:OneVsOneModel", "acumen.ensembles.code_matrix_learners:OneVsOne"
        ),
        "one-vs-rest": Kind(
            "acumen.ensembles.code_matrix:OneVsRestModel", "acumen.ensembles.code_matrix_learners:OneVsRest"
        ),
        "ordered-logistic": Kind(
            "acumen.linear.ordered:OrderedModel", "acumen.linear.ordered_learner:OrderedLogistic"
        ),
        "ordinal": Kind("acumen.ensembles.ordinal_model:OrdinalModel", "acumen.ensembles.ordinal:Ordinal"),
        "output-codes": Kind(
            "acumen.ensembles.code_matrix:OutputCodesModel",
            "acumen.ensembles.code_matrix_learners:OutputCodes",
        ),
        "parzen": Kind("acumen.bayes.parzen:ParzenModel", "acumen.bayes.density_learners:Parzen"),
        "perceptron": Kind(
            "acumen.linear.perceptron:PerceptronModel", "acumen.linear.classifiers:Perceptron"
        ),
        "polynomial-regression": Kind(
            "acumen.linear.polynomial:PolynomialModel",
            "acumen.linear.basis_learners:PolynomialRegression",
            NUMBERS,
        ),
        "principal-components": Kind(
            "acumen.linear.components:Components",
            "acumen.linear.principal_components:PrincipalComponents",
            COLUMNS,
        ),
        "random-forest": Kind(
            "acumen.ensembles.forest_model:ForestModel", "acumen.ensembles.forest_learners:RandomForest"
        ),
        "random-forest-regressor": Kind(
            "acumen.ensembles.forest_model:ForestRegressionModel",
            "acumen.ensembles.forest_learners:RandomForestRegressor",
            NUMBERS,
        ),
        "random-tree": Kind("acumen.trees.model:RandomTreeModel", "acumen.trees.learners:RandomTree"),
        "ridge": Kind("acumen.linear.ridge:RidgeModel", "acumen.linear.regressors:Ridge", NUMBERS),
        "ripper": Kind("acumen.rules.models:RipperModel", "acumen.rules.learners:Ripper"),
        "rule-classifier": Kind("acumen.rules.models:GivenRules", "acumen.rules.learners:RuleClassifier"),
        "rule-features": Kind(
            "acumen.associations.rule_columns:RuleColumns",
            "acumen.associations.rule_features:RuleFeatures",
            CLASS_COLUMNS,
        ),
        "stacking": Kind(
            "acumen.ensembles.stacking_model:StackingModel", "acumen.ensembles.stacking:Stacking"
        ),
        "strongest-rules": Kind(
            "acumen.associations.strongest_rules_model:StrongestModel",
            "acumen.associations.learners:StrongestRules",
        ),
        "svm": Kind("acumen.svm.model:SVMModel", "acumen.svm.learners:SVM"),
        "svr": Kind("acumen.svm.regress:SVRModel", "acumen.svm.regressors:SVR", NUMBERS),
        "text-bayes": Kind("acumen.bayes.text:TextBayesModel", "acumen.bayes.learners:TextBayes"),
        "version-space": Kind(
            "acumen.rules.version_space:VersionSpaceModel", "acumen.rules.version_space_learner:VersionSpace"
        ),
        "voting": Kind("acumen.ensembles.committee:CommitteeModel", "acumen.ensembles.voting:Voting"),
    }
)


def model_class(kind: object) -> type[AnyModel]:
    """The class of models of this kind."""
    cls: type[AnyModel] = _import(_kind_entry(kind).model)
    return cls


def learner_class(kind: object) -> Any:
    """The class of learners of this kind; imports scikit-learn."""
    return _import(_kind_entry(kind).learner)


def kind_of(learner: object) -> str | None:
    """The kind of a learner that is the very class the table has for it, so that loading gives it back; else None.

    The class is asked, not the instance, whose `kind` may be a parameter.
    """
    cls = type(learner)
    kind = getattr(cls, "kind", None)
    if not isinstance(kind, str) or kind not in KINDS:
        return None
    return kind if KINDS[kind].learner == f"{cls.__module__}:{cls.__qualname__}" else None


def _kind_entry(kind: object) -> Kind:
    if not isinstance(kind, str) or kind not in KINDS:
        hint = did_you_mean(kind, KINDS) if isinstance(kind, str) else ""
        raise ModelFileError(
            f"it holds a model of kind {str(kind)[:60]!r}, which this version of acumen does not know.{hint}"
        )
    return KINDS[kind]


def _import(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
