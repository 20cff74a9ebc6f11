# Written by tools/stub.py from the table of names in __init__.py; do not change it by hand.
from acumen.geometry.distance import Distance
from collections.abc import Callable, Mapping
from numpy import ndarray
from typing import Any, Literal
from acumen import checks as checks
from acumen import clustering as clustering
from acumen import contract as contract
from acumen import datasets as datasets
from acumen import distances as distances
from acumen import engines as engines
from acumen import errors as errors
from acumen import kernels as kernels
from acumen import optimise as optimise
from acumen import parts as parts
from acumen import preprocessing as preprocessing
from acumen import render as render
from acumen import store as store
from acumen import summaries as summaries
from acumen.additive.learners import Additive as Additive
from acumen.additive.learners import AdditiveRegressor as AdditiveRegressor
from acumen.assessment.assess import assess as assess
from acumen.assessment.assessment import Assessment as Assessment
from acumen.assessment.bias_variance import bias_variance as bias_variance
from acumen.assessment.calibration import calibration as calibration
from acumen.assessment.compare import compare as compare
from acumen.assessment.comparison import Comparison as Comparison
from acumen.assessment.confusion import Confusion as Confusion
from acumen.assessment.confusion import confusion as confusion
from acumen.assessment.decide import decide as decide
from acumen.assessment.effect import effect as effect
from acumen.assessment.held_out_effect import held_out_effect as held_out_effect
from acumen.assessment.lift import lift as lift
from acumen.assessment.losses import brier as brier
from acumen.assessment.losses import hand_till as hand_till
from acumen.assessment.losses import log_loss as log_loss
from acumen.assessment.losses import one_vs_rest as one_vs_rest
from acumen.assessment.regions import regions as regions
from acumen.assessment.roc import precision_recall as precision_recall
from acumen.assessment.roc import roc as roc
from acumen.assessment.rule_report import rule_report as rule_report
from acumen.assessment.stability import stability as stability
from acumen.associations.learners import CBA as _CBA
from acumen.associations.learners import CarMiner as CarMiner
from acumen.associations.learners import StrongestRules as _StrongestRules
from acumen.associations.mining import frequent_itemsets as frequent_itemsets
from acumen.associations.recommender import Recommender as Recommender
from acumen.associations.rows_containing import rows_containing as rows_containing
from acumen.associations.rule_features import RuleFeatures as _RuleFeatures
from acumen.associations.rules import AssociationRules as AssociationRules
from acumen.base.classifier import Classifier as Classifier
from acumen.base.clusterer import Clusterer as Clusterer
from acumen.base.regressor import Regressor as Regressor
from acumen.base.training import Training as Training
from acumen.base.transformer import Transformer as Transformer
from acumen.bayes.baseline_learners import Majority as Majority
from acumen.bayes.baseline_learners import OneR as OneR
from acumen.bayes.density_learners import HistogramBayes as HistogramBayes
from acumen.bayes.density_learners import Parzen as Parzen
from acumen.bayes.estimate import estimate as estimate
from acumen.bayes.learners import FullBayes as FullBayes
from acumen.bayes.learners import NaiveBayes as NaiveBayes
from acumen.bayes.learners import TextBayes as TextBayes
from acumen.bayes.normal_posteriors import estimate_normal as estimate_normal
from acumen.bayes.normal_posteriors import estimate_normal_mean as estimate_normal_mean
from acumen.bayes.normal_posteriors import estimate_normal_variance as estimate_normal_variance
from acumen.clusters.birch import Birch as Birch
from acumen.clusters.choose_k import choose_n_clusters as choose_n_clusters
from acumen.clusters.dbscan_learner import DBSCAN as _DBSCAN
from acumen.clusters.hierarchy_learners import Agglomerative as _Agglomerative
from acumen.clusters.hierarchy_learners import Chameleon as _Chameleon
from acumen.clusters.hierarchy_learners import Divisive as _Divisive
from acumen.clusters.kmeans_learner import KMeans as _KMeans
from acumen.clusters.medoid_learners import Clara as _Clara
from acumen.clusters.medoid_learners import Clarans as _Clarans
from acumen.clusters.medoid_learners import KMedoids as _KMedoids
from acumen.clusters.mixture_learners import GaussianMixture as _GaussianMixture
from acumen.clusters.mode_learners import KModes as _KModes
from acumen.clusters.mode_learners import KPrototypes as _KPrototypes
from acumen.clusters.sting import Sting as Sting
from acumen.conditions.condition import Condition as Condition
from acumen.conditions.rule import Rule as Rule
from acumen.data.dialect import Dialect as Dialect
from acumen.data.read import read as read
from acumen.data.read import scan as scan
from acumen.data.schema import Attribute as Attribute
from acumen.data.schema import Schema as Schema
from acumen.data.table import Table as Table
from acumen.discriminant.learners import Fisher as Fisher
from acumen.discriminant.learners import KernelFisher as KernelFisher
from acumen.discriminant.learners import NearestMean as NearestMean
from acumen.engines.run import engine as engine
from acumen.ensembles.adaboost import AdaBoost as AdaBoost
from acumen.ensembles.bagging import Bagging as Bagging
from acumen.ensembles.bagging import BaggingRegressor as BaggingRegressor
from acumen.ensembles.boosting import Boosting as Boosting
from acumen.ensembles.boosting import BoostingRegressor as BoostingRegressor
from acumen.ensembles.calibrated import Calibrated as Calibrated
from acumen.ensembles.code_matrix_learners import OneVsOne as OneVsOne
from acumen.ensembles.code_matrix_learners import OneVsRest as OneVsRest
from acumen.ensembles.code_matrix_learners import OutputCodes as OutputCodes
from acumen.ensembles.forest_learners import ExtraTrees as _ExtraTrees
from acumen.ensembles.forest_learners import ExtraTreesRegressor as _ExtraTreesRegressor
from acumen.ensembles.forest_learners import RandomForest as RandomForest
from acumen.ensembles.forest_learners import RandomForestRegressor as RandomForestRegressor
from acumen.ensembles.ordinal import Ordinal as Ordinal
from acumen.ensembles.stacking import Stacking as Stacking
from acumen.ensembles.voting import Voting as Voting
from acumen.errors import ModelFileError as ModelFileError
from acumen.explain.explanation import Explanation as Explanation
from acumen.exports.onnx import to_onnx as to_onnx
from acumen.exports.pmml import to_pmml as to_pmml
from acumen.imputation.completer import Completer as Completer
from acumen.imputation.completion import complete as complete
from acumen.labelling.active_learner import ActiveLearner as ActiveLearner
from acumen.labelling.self_training import SelfTraining as SelfTraining
from acumen.linear.basis_learners import BasisExpansion as BasisExpansion
from acumen.linear.basis_learners import PolynomialRegression as PolynomialRegression
from acumen.linear.classifiers import LeastSquares as LeastSquares
from acumen.linear.classifiers import Perceptron as Perceptron
from acumen.linear.learners import Logistic as Logistic
from acumen.linear.learners import MaxEnt as MaxEnt
from acumen.linear.ordered_learner import OrderedLogistic as OrderedLogistic
from acumen.linear.principal_components import PrincipalComponents as PrincipalComponents
from acumen.linear.regressors import Lasso as Lasso
from acumen.linear.regressors import LinearRegression as LinearRegression
from acumen.linear.regressors import Mean as Mean
from acumen.linear.regressors import Ridge as Ridge
from acumen.models.task import Task as Task
from acumen.neighbours.label_spreading import LabelSpreading as LabelSpreading
from acumen.neighbours.learners import Condense as _Condense
from acumen.neighbours.learners import Edit as _Edit
from acumen.neighbours.learners import KNN as _KNN
from acumen.neighbours.outlier_scores import outlier_scores as outlier_scores
from acumen.neighbours.regressors import KNNRegressor as _KNNRegressor
from acumen.networks.learners import BayesNetwork as BayesNetwork
from acumen.networks.markov_learners import MarkovNetwork as MarkovNetwork
from acumen.networks.neural_learners import NeuralNetwork as NeuralNetwork
from acumen.networks.neural_learners import NeuralNetworkRegressor as NeuralNetworkRegressor
from acumen.parts.predict_parts import predict_parts as predict_parts
from acumen.profiling.inspect import inspect as inspect
from acumen.profiling.uninformative import drop_uninformative as drop_uninformative
from acumen.registry.suitable_learners import suitable_learners as suitable_learners
from acumen.resampling.bootstrap import Bootstrap as Bootstrap
from acumen.resampling.folds import KFold as KFold
from acumen.resampling.folds import LeaveOneOut as LeaveOneOut
from acumen.resampling.holdout import Holdout as Holdout
from acumen.resampling.holdout import Subsample as Subsample
from acumen.resampling.holdout import ThreeWay as ThreeWay
from acumen.resampling.time_slice import TimeSlice as TimeSlice
from acumen.rulelist.rule_list import RuleList as RuleList
from acumen.rules.learners import C45Rules as _C45Rules
from acumen.rules.learners import CN2 as _CN2
from acumen.rules.learners import Ripper as _Ripper
from acumen.rules.learners import RuleClassifier as RuleClassifier
from acumen.rules.version_space_learner import VersionSpace as VersionSpace
from acumen.store.model_file import load as load
from acumen.store.model_file import save as save
from acumen.summaries.anova import anova as anova
from acumen.svm.learners import SVM as SVM
from acumen.svm.regressors import SVR as SVR
from acumen.trees.learners import DecisionTree as DecisionTree
from acumen.trees.learners import RandomTree as _RandomTree
from acumen.tuning.curves import learning_curve as learning_curve
from acumen.tuning.curves import sweep as sweep
from acumen.tuning.filter import Filter as Filter
from acumen.tuning.ranking import rank_attributes as rank_attributes
from acumen.tuning.tuned import Tuned as Tuned
from acumen.tuning.wrapper import Wrapper as Wrapper

__version__: str

class CBA(_CBA):
    def __init__(
        self,
        *,
        builder: Literal["m1", "m2"] = "m1",
        cut: Literal["errors"] | None = "errors",
        default: Literal["remaining", "majority"] = "remaining",
        costs: Any = None,
        priors: Any = None,
        class_weight: Any = None,
        min_support: float = 0.01,
        min_confidence: float = 0.5,
        class_supports: Mapping[Any, float] | None = None,
        max_conditions: int | None = None,
        prune: Literal["pessimistic"] | None = "pessimistic",
        limit: int | None = 20000000,
        n_jobs: int | None = None,
    ) -> None: ...

class RuleFeatures(_RuleFeatures):
    def __init__(
        self,
        *,
        only: bool = False,
        max_rules: int | None = 100,
        min_support: float = 0.01,
        min_confidence: float = 0.5,
        class_supports: Mapping[Any, float] | None = None,
        max_conditions: int | None = None,
        prune: Literal["pessimistic"] | None = "pessimistic",
        limit: int | None = 20000000,
        n_jobs: int | None = None,
    ) -> None: ...

class StrongestRules(_StrongestRules):
    def __init__(
        self,
        *,
        vote: Literal["best", "weighted", "chi2", "laplace"] = "best",
        costs: Any = None,
        priors: Any = None,
        class_weight: Any = None,
        min_support: float = 0.01,
        min_confidence: float = 0.5,
        class_supports: Mapping[Any, float] | None = None,
        max_conditions: int | None = None,
        prune: Literal["pessimistic"] | None = "pessimistic",
        limit: int | None = 20000000,
        n_jobs: int | None = None,
    ) -> None: ...

class GaussianMixture(_GaussianMixture):
    def __init__(
        self,
        n_components: int | Literal["bic", "mdl"] = 3,
        *,
        covariance: Literal["full", "shared", "diagonal", "spherical"] = "full",
        init: Literal["k-means", "random"] | ndarray[Any, Any] | list[Any] = "k-means",
        floor: float = 1e-06,
        tol: float = 1e-07,
        max_components: int = 10,
        scale: bool = True,
        max_iter: int = 300,
        n_init: int = 5,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None: ...

class KMeans(_KMeans):
    def __init__(
        self,
        n_clusters: int | Literal["mdl"] = 3,
        *,
        init: Literal["k-means++", "random"] | ndarray[Any, Any] | list[Any] = "k-means++",
        gamma: float | None = None,
        max_clusters: int = 10,
        tol: float = 0.0,
        must_link: Any = ...,
        cannot_link: Any = ...,
        scale: bool = True,
        max_iter: int = 300,
        n_init: int = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None: ...

class KModes(_KModes):
    def __init__(
        self,
        n_clusters: int = 3,
        *,
        max_iter: int = 100,
        n_init: int = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None: ...

class KPrototypes(_KPrototypes):
    def __init__(
        self,
        n_clusters: int = 3,
        gamma: float | Literal["huang"] = "huang",
        *,
        scale: bool = True,
        max_iter: int = 100,
        n_init: int = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None: ...

class Agglomerative(_Agglomerative):
    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        linkage: Literal["average", "single", "complete", "ward"] = "average",
        distance_threshold: float | None = None,
        distance: str | Distance | Callable[[Any, Any], Any] = "auto",
        scale: bool = True,
        n_jobs: int | None = None,
    ) -> None: ...

class Clara(_Clara):
    def __init__(
        self,
        n_clusters: int = 3,
        samples: int = 5,
        sample_size: int | None = None,
        *,
        max_iter: int = 100,
        random_state: Any = None,
        distance: str | Distance | Callable[[Any, Any], Any] = "auto",
        scale: bool = True,
        n_jobs: int | None = None,
    ) -> None: ...

class Clarans(_Clarans):
    def __init__(
        self,
        n_clusters: int = 3,
        max_neighbors: Literal["auto"] | int = "auto",
        n_init: int = 2,
        *,
        random_state: Any = None,
        distance: str | Distance | Callable[[Any, Any], Any] = "auto",
        scale: bool = True,
        n_jobs: int | None = None,
    ) -> None: ...

class Chameleon(_Chameleon):
    def __init__(
        self,
        n_clusters: int = 3,
        *,
        n_neighbors: int = 10,
        closeness_exponent: float = 2.0,
        part_fraction: float = 0.025,
        smallest: float = 0.1,
        cutter: Literal["own", "metis"] = "own",
        random_state: Any = None,
        distance: str | Distance | Callable[[Any, Any], Any] = "auto",
        scale: bool = True,
        n_jobs: int | None = None,
    ) -> None: ...

class DBSCAN(_DBSCAN):
    def __init__(
        self,
        *,
        eps: Literal["auto"] | float = "auto",
        min_samples: int = 5,
        distance: str | Distance | Callable[[Any, Any], Any] = "auto",
        scale: bool = True,
        n_jobs: int | None = None,
    ) -> None: ...

class Divisive(_Divisive):
    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        distance_threshold: float | None = None,
        distance: str | Distance | Callable[[Any, Any], Any] = "auto",
        scale: bool = True,
        n_jobs: int | None = None,
    ) -> None: ...

class KMedoids(_KMedoids):
    def __init__(
        self,
        n_clusters: int = 3,
        *,
        max_iter: int = 100,
        n_init: int = 5,
        random_state: Any = None,
        must_link: Any = ...,
        cannot_link: Any = ...,
        distance: str | Distance | Callable[[Any, Any], Any] = "auto",
        scale: bool = True,
        n_jobs: int | None = None,
    ) -> None: ...

class Condense(_Condense):
    def __init__(
        self,
        n_neighbors: int = 1,
        *,
        smoothing: float = 0.0,
        costs: Any = None,
        priors: Any = None,
        class_weight: Any = None,
        distance: str | Distance | Callable[[Any, Any], Any] = "auto",
        weights: Literal["uniform", "distance", "kernel"] = "uniform",
        scale: bool = True,
        index: Literal["auto", "kd", "blocked", "vantage", "brute"] = "auto",
        attribute_weights: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None: ...

class Edit(_Edit):
    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        smoothing: float = 1.0,
        costs: Any = None,
        priors: Any = None,
        class_weight: Any = None,
        distance: str | Distance | Callable[[Any, Any], Any] = "auto",
        weights: Literal["uniform", "distance", "kernel"] = "uniform",
        scale: bool = True,
        index: Literal["auto", "kd", "blocked", "vantage", "brute"] = "auto",
        attribute_weights: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None: ...

class KNN(_KNN):
    def __init__(
        self,
        n_neighbors: Literal["loo"] | int = "loo",
        *,
        max_neighbors: int = 50,
        selection_rule: Literal["best", "one-se"] = "best",
        smoothing: float = 0.0,
        costs: Any = None,
        priors: Any = None,
        class_weight: Any = None,
        distance: str | Distance | Callable[[Any, Any], Any] = "auto",
        weights: Literal["uniform", "distance", "kernel"] = "uniform",
        scale: bool = True,
        index: Literal["auto", "kd", "blocked", "vantage", "brute"] = "auto",
        attribute_weights: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None: ...

class KNNRegressor(_KNNRegressor):
    def __init__(
        self,
        n_neighbors: Literal["loo"] | int = "loo",
        *,
        max_neighbors: int = 50,
        selection_rule: Literal["best", "one-se"] = "best",
        distance: str | Distance | Callable[[Any, Any], Any] = "auto",
        weights: Literal["uniform", "distance", "kernel"] = "uniform",
        scale: bool = True,
        index: Literal["auto", "kd", "blocked", "vantage", "brute"] = "auto",
        attribute_weights: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None: ...

class ExtraTrees(_ExtraTrees):
    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_features: Literal["sqrt", "log2", "all"] | int | float = "sqrt",
        stop_size: float = 1,
        purity: float = 1.0,
        max_depth: int | None = None,
        max_samples: float | None = None,
        groups: Any = None,
        out_of_bag: bool = True,
        bins: int = 255,
        patience: int | None = None,
        progress: bool = False,
        costs: Any = None,
        priors: Any = None,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None: ...

class ExtraTreesRegressor(_ExtraTreesRegressor):
    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_features: Literal["sqrt", "log2", "all"] | int | float = 0.3333333333333333,
        stop_size: float = 1,
        max_depth: int | None = None,
        max_samples: float | None = None,
        groups: Any = None,
        out_of_bag: bool = True,
        bins: int = 255,
        patience: int | None = None,
        progress: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None: ...

class RandomTree(_RandomTree):
    def __init__(
        self,
        *,
        max_features: Literal["sqrt", "log2"] | int | float | None = "sqrt",
        measure: Literal["gain-ratio", "gain", "gini", "cart", "error", "twoing"] = "gini",
        split: Literal["multiway", "binary"] = "binary",
        prune: Literal["pessimistic", "none", "reduced-error", "cost-complexity", "mdl", "significance"] = "none",
        missing: Literal["fractional", "surrogate", "branch", "majority"] = "fractional",
        stop_size: float = 1,
        min_samples_leaf: Literal["auto"] | float = "auto",
        purity: float = 1.0,
        min_gain: float = 0.0,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        stop: Literal["significance", "mdl"] | None = None,
        significance: float = 0.05,
        confidence_factor: float = 0.25,
        max_subset: int | None = None,
        intervals: int = 2,
        leaf_estimate: Literal["frequency", "laplace", "m"] = "frequency",
        attribute_costs: Mapping[str, Any] | None = None,
        attribute_weights: Mapping[str, Any] | None = None,
        construct: Literal["pairs"] | None = None,
        method: Literal["exact", "histogram"] = "exact",
        bins: int = 256,
        validation_fraction: float = 0.3333333333333333,
        folds: int = 10,
        costs: Any = None,
        priors: Any = None,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        ccp_alpha: float | None = None,
        one_se: bool = False,
        prior_weight: float = 2.0,
        threshold_penalty: bool = True,
        require_average_gain: bool = True,
    ) -> None: ...

class C45Rules(_C45Rules):
    def __init__(
        self,
        *,
        confidence_factor: float = 0.25,
        measure: Literal["gain-ratio", "gain", "gini", "cart", "error", "twoing"] = "gain-ratio",
        split: Literal["multiway", "binary"] = "multiway",
        stop_size: float = 1,
        min_samples_leaf: Literal["auto"] | float = "auto",
        max_depth: int | None = None,
        must_use: Any = None,
        must_not_use: Any = None,
        monotone: Mapping[str, Any] | None = None,
        smoothing: float = 1.0,
        costs: Any = None,
        priors: Any = None,
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None: ...

class CN2(_CN2):
    def __init__(
        self,
        *,
        ordered: bool = True,
        beam_width: int = 5,
        measure: Literal["entropy", "laplace", "m-estimate", "likelihood-ratio", "wracc"] = "entropy",
        significance: float | None = 0.05,
        min_covered: float = 2,
        max_conditions: int | None = None,
        prior_weight: float = 2.0,
        threshold: float = 0.0,
        must_use: Any = None,
        must_not_use: Any = None,
        monotone: Mapping[str, Any] | None = None,
        smoothing: float = 1.0,
        costs: Any = None,
        priors: Any = None,
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None: ...

class Ripper(_Ripper):
    def __init__(
        self,
        *,
        prune_fraction: float = 0.3333333333333333,
        n_optimisations: int = 2,
        classes: Literal["rarest-first", "all"] = "rarest-first",
        deletion: Literal["prefix", "subsets"] = "prefix",
        stop: Literal["mdl", "error"] = "mdl",
        min_covered: float = 2,
        gain: Literal["smoothed", "plain"] = "smoothed",
        sets: bool = False,
        max_conditions: int | None = None,
        attribute_weights: Mapping[str, Any] | None = None,
        random_state: Any = None,
        must_use: Any = None,
        must_not_use: Any = None,
        monotone: Mapping[str, Any] | None = None,
        smoothing: float = 1.0,
        costs: Any = None,
        priors: Any = None,
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None: ...

__all__ = [
    "__version__",
    "ActiveLearner",
    "AdaBoost",
    "Additive",
    "AdditiveRegressor",
    "Agglomerative",
    "Assessment",
    "AssociationRules",
    "Attribute",
    "Bagging",
    "BaggingRegressor",
    "BasisExpansion",
    "BayesNetwork",
    "Birch",
    "Boosting",
    "BoostingRegressor",
    "Bootstrap",
    "C45Rules",
    "CBA",
    "CN2",
    "Calibrated",
    "CarMiner",
    "Chameleon",
    "Clara",
    "Clarans",
    "Classifier",
    "Clusterer",
    "Comparison",
    "Completer",
    "Condense",
    "Condition",
    "Confusion",
    "DBSCAN",
    "DecisionTree",
    "Dialect",
    "Divisive",
    "Edit",
    "Explanation",
    "ExtraTrees",
    "ExtraTreesRegressor",
    "Filter",
    "Fisher",
    "FullBayes",
    "GaussianMixture",
    "HistogramBayes",
    "Holdout",
    "KFold",
    "KMeans",
    "KMedoids",
    "KModes",
    "KNN",
    "KNNRegressor",
    "KPrototypes",
    "KernelFisher",
    "LabelSpreading",
    "Lasso",
    "LeastSquares",
    "LeaveOneOut",
    "LinearRegression",
    "Logistic",
    "Majority",
    "MarkovNetwork",
    "MaxEnt",
    "Mean",
    "ModelFileError",
    "NaiveBayes",
    "NearestMean",
    "NeuralNetwork",
    "NeuralNetworkRegressor",
    "OneR",
    "OneVsOne",
    "OneVsRest",
    "OrderedLogistic",
    "Ordinal",
    "OutputCodes",
    "Parzen",
    "Perceptron",
    "PolynomialRegression",
    "PrincipalComponents",
    "RandomForest",
    "RandomForestRegressor",
    "RandomTree",
    "Recommender",
    "Regressor",
    "Ridge",
    "Ripper",
    "Rule",
    "RuleClassifier",
    "RuleFeatures",
    "RuleList",
    "SVM",
    "SVR",
    "Schema",
    "SelfTraining",
    "Stacking",
    "Sting",
    "StrongestRules",
    "Subsample",
    "Table",
    "Task",
    "TextBayes",
    "ThreeWay",
    "TimeSlice",
    "Training",
    "Transformer",
    "Tuned",
    "VersionSpace",
    "Voting",
    "Wrapper",
    "anova",
    "assess",
    "bias_variance",
    "brier",
    "calibration",
    "checks",
    "choose_n_clusters",
    "clustering",
    "compare",
    "complete",
    "confusion",
    "contract",
    "datasets",
    "decide",
    "distances",
    "drop_uninformative",
    "effect",
    "engine",
    "engines",
    "errors",
    "estimate",
    "estimate_normal",
    "estimate_normal_mean",
    "estimate_normal_variance",
    "frequent_itemsets",
    "hand_till",
    "held_out_effect",
    "inspect",
    "kernels",
    "learning_curve",
    "lift",
    "load",
    "log_loss",
    "one_vs_rest",
    "optimise",
    "outlier_scores",
    "parts",
    "precision_recall",
    "predict_parts",
    "preprocessing",
    "rank_attributes",
    "read",
    "regions",
    "render",
    "roc",
    "rows_containing",
    "rule_report",
    "save",
    "scan",
    "stability",
    "store",
    "suitable_learners",
    "summaries",
    "sweep",
    "to_onnx",
    "to_pmml",
]

def __dir__() -> list[str]: ...
