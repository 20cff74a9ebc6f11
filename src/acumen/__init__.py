"""acumen: classification of tables.

Everything a user needs is importable from here, and nothing is imported before it is used: not even `typing`, for
the command line begins here too, and its first milliseconds count.
"""

TYPE_CHECKING = False  # typing's, without importing it
if TYPE_CHECKING:
    from typing import Any

__version__ = "1.0.0rc1"

#: Public name -> the module that holds it; a value of None names a public submodule.
_HOMES: "dict[str, str | None]" = {
    # tables
    "read": "acumen.data.read",
    "scan": "acumen.data.read",
    "inspect": "acumen.profiling.inspect",
    "drop_uninformative": "acumen.profiling.uninformative",
    "Table": "acumen.data.table",
    "Schema": "acumen.data.schema",
    "Attribute": "acumen.data.schema",
    "Dialect": "acumen.data.dialect",
    "datasets": None,
    # files
    "save": "acumen.store.model_file",
    "load": "acumen.store.model_file",
    "to_onnx": "acumen.exports.onnx",
    "to_pmml": "acumen.exports.pmml",
    "store": None,
    # tables stored in several parts
    "parts": None,
    "ModelFileError": "acumen.errors",
    # what learners are made of
    "anova": "acumen.summaries.anova",
    "summaries": None,
    "preprocessing": None,
    "errors": None,
    # additive
    "Additive": "acumen.additive.learners",
    "AdditiveRegressor": "acumen.additive.learners",
    # baskets
    "AssociationRules": "acumen.associations.rules",
    "CBA": "acumen.associations.learners",
    "CarMiner": "acumen.associations.learners",
    "Recommender": "acumen.associations.recommender",
    "RuleFeatures": "acumen.associations.rule_features",
    "StrongestRules": "acumen.associations.learners",
    "frequent_itemsets": "acumen.associations.mining",
    "rows_containing": "acumen.associations.rows_containing",
    # bayes
    "FullBayes": "acumen.bayes.learners",
    "HistogramBayes": "acumen.bayes.density_learners",
    "Majority": "acumen.bayes.baseline_learners",
    "NaiveBayes": "acumen.bayes.learners",
    "OneR": "acumen.bayes.baseline_learners",
    "Parzen": "acumen.bayes.density_learners",
    "TextBayes": "acumen.bayes.learners",
    "estimate": "acumen.bayes.estimate",
    "estimate_normal": "acumen.bayes.normal_posteriors",
    "estimate_normal_mean": "acumen.bayes.normal_posteriors",
    "estimate_normal_variance": "acumen.bayes.normal_posteriors",
    # clusters
    "clustering": None,
    "Birch": "acumen.clusters.birch",
    "GaussianMixture": "acumen.clusters.mixture_learners",
    "KMeans": "acumen.clusters.kmeans_learner",
    "choose_n_clusters": "acumen.clusters.choose_k",
    "KModes": "acumen.clusters.mode_learners",
    "KPrototypes": "acumen.clusters.mode_learners",
    "Sting": "acumen.clusters.sting",
    # clusters by distances
    "Agglomerative": "acumen.clusters.hierarchy_learners",
    "Clara": "acumen.clusters.medoid_learners",
    "Clarans": "acumen.clusters.medoid_learners",
    "Chameleon": "acumen.clusters.hierarchy_learners",
    "DBSCAN": "acumen.clusters.dbscan_learner",
    "Divisive": "acumen.clusters.hierarchy_learners",
    "KMedoids": "acumen.clusters.medoid_learners",
    # discriminants
    "Fisher": "acumen.discriminant.learners",
    "KernelFisher": "acumen.discriminant.learners",
    "NearestMean": "acumen.discriminant.learners",
    # networks
    "BayesNetwork": "acumen.networks.learners",
    "MarkovNetwork": "acumen.networks.markov_learners",
    # kernel functions
    "kernels": None,
    # networks
    "NeuralNetwork": "acumen.networks.neural_learners",
    "NeuralNetworkRegressor": "acumen.networks.neural_learners",
    # neighbours
    "Condense": "acumen.neighbours.learners",
    "Edit": "acumen.neighbours.learners",
    "KNN": "acumen.neighbours.learners",
    "KNNRegressor": "acumen.neighbours.regressors",
    "LabelSpreading": "acumen.neighbours.label_spreading",
    "distances": None,
    "outlier_scores": "acumen.neighbours.outlier_scores",
    # regression
    "BasisExpansion": "acumen.linear.basis_learners",
    "Lasso": "acumen.linear.regressors",
    "LinearRegression": "acumen.linear.regressors",
    "Mean": "acumen.linear.regressors",
    "PolynomialRegression": "acumen.linear.basis_learners",
    "Ridge": "acumen.linear.regressors",
    # linear
    "LeastSquares": "acumen.linear.classifiers",
    "Logistic": "acumen.linear.learners",
    "MaxEnt": "acumen.linear.learners",
    "OrderedLogistic": "acumen.linear.ordered_learner",
    "Perceptron": "acumen.linear.classifiers",
    "optimise": None,
    # ensembles
    "AdaBoost": "acumen.ensembles.adaboost",
    "Bagging": "acumen.ensembles.bagging",
    "BaggingRegressor": "acumen.ensembles.bagging",
    "Boosting": "acumen.ensembles.boosting",
    "BoostingRegressor": "acumen.ensembles.boosting",
    "ExtraTrees": "acumen.ensembles.forest_learners",
    "ExtraTreesRegressor": "acumen.ensembles.forest_learners",
    "OneVsOne": "acumen.ensembles.code_matrix_learners",
    "OneVsRest": "acumen.ensembles.code_matrix_learners",
    "Calibrated": "acumen.ensembles.calibrated",
    "Ordinal": "acumen.ensembles.ordinal",
    "OutputCodes": "acumen.ensembles.code_matrix_learners",
    "RandomForest": "acumen.ensembles.forest_learners",
    "RandomForestRegressor": "acumen.ensembles.forest_learners",
    "Stacking": "acumen.ensembles.stacking",
    "Voting": "acumen.ensembles.voting",
    # svm
    "SVM": "acumen.svm.learners",
    "SVR": "acumen.svm.regressors",
    # trees
    "DecisionTree": "acumen.trees.learners",
    "RandomTree": "acumen.trees.learners",
    # judgement
    "assess": "acumen.assessment.assess",
    "Assessment": "acumen.assessment.assessment",
    "compare": "acumen.assessment.compare",
    "Comparison": "acumen.assessment.comparison",
    "bias_variance": "acumen.assessment.bias_variance",
    "decide": "acumen.assessment.decide",
    "effect": "acumen.assessment.effect",
    "held_out_effect": "acumen.assessment.held_out_effect",
    "rule_report": "acumen.assessment.rule_report",
    "stability": "acumen.assessment.stability",
    "regions": "acumen.assessment.regions",
    "confusion": "acumen.assessment.confusion",
    "Confusion": "acumen.assessment.confusion",
    "roc": "acumen.assessment.roc",
    "precision_recall": "acumen.assessment.roc",
    "lift": "acumen.assessment.lift",
    "calibration": "acumen.assessment.calibration",
    "one_vs_rest": "acumen.assessment.losses",
    "hand_till": "acumen.assessment.losses",
    "log_loss": "acumen.assessment.losses",
    "brier": "acumen.assessment.losses",
    "KFold": "acumen.resampling.folds",
    "LeaveOneOut": "acumen.resampling.folds",
    "Bootstrap": "acumen.resampling.bootstrap",
    "Holdout": "acumen.resampling.holdout",
    "ThreeWay": "acumen.resampling.holdout",
    "Subsample": "acumen.resampling.holdout",
    "TimeSlice": "acumen.resampling.time_slice",
    # selection
    "ActiveLearner": "acumen.labelling.active_learner",
    "Completer": "acumen.imputation.completer",
    "Filter": "acumen.tuning.filter",
    "rank_attributes": "acumen.tuning.ranking",
    "PrincipalComponents": "acumen.linear.principal_components",
    "SelfTraining": "acumen.labelling.self_training",
    "Tuned": "acumen.tuning.tuned",
    "Wrapper": "acumen.tuning.wrapper",
    "complete": "acumen.imputation.completion",
    "learning_curve": "acumen.tuning.curves",
    "sweep": "acumen.tuning.curves",
    # rules and reasons
    "C45Rules": "acumen.rules.learners",
    "CN2": "acumen.rules.learners",
    "Condition": "acumen.conditions.condition",
    "Explanation": "acumen.explain.explanation",
    "Ripper": "acumen.rules.learners",
    "Rule": "acumen.conditions.rule",
    "RuleClassifier": "acumen.rules.learners",
    "RuleList": "acumen.rulelist.rule_list",
    "VersionSpace": "acumen.rules.version_space_learner",
    # drawing
    "render": None,
    # the contract
    "Classifier": "acumen.base.classifier",
    "Clusterer": "acumen.base.clusterer",
    "Regressor": "acumen.base.regressor",
    "Task": "acumen.models.task",
    "Training": "acumen.base.training",
    "Transformer": "acumen.base.transformer",
    "checks": None,
    "contract": None,
    "engine": "acumen.engines.run",
    "predict_parts": "acumen.parts.predict_parts",
    "engines": None,
    "suitable_learners": "acumen.registry.suitable_learners",
}

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> "Any":
    import importlib

    try:
        home = _HOMES[name]
    except KeyError:
        if name.startswith("_"):  # asked by tools, often; no public name is meant
            raise AttributeError(f"module 'acumen' has no attribute {name!r}.") from None
        from acumen.errors import called_here, did_you_mean

        ours = called_here(name)
        hint = f" It is called {ours!r} here." if ours else did_you_mean(name, _HOMES)
        raise AttributeError(f"module 'acumen' has no attribute {name!r}.{hint}") from None
    value = (
        importlib.import_module(f"acumen.{name}")
        if home is None
        else getattr(importlib.import_module(home), name)
    )
    globals()[name] = value
    return value


def __dir__() -> "list[str]":
    return list(__all__)
