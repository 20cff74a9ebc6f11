"""The exceptions of acumen. Each message says what is wrong, where, and what to do."""

from __future__ import annotations

import difflib
import linecache
import re
import sys
from collections.abc import Iterable
from types import TracebackType
from typing import Any


class AcumenError(Exception):
    """Base class of acumen's errors."""

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the sentence, and the reader's own line; all of the stack under `%xmode Verbose`."""
        inner: Any = getattr(_shell(), "InteractiveTB", None)
        if getattr(inner, "mode", "") == "Verbose":
            whole: list[str] = inner.structured_traceback(type(self), self, self.__traceback__)
            return whole
        message = "\n".join(_safe(line) for line in str(self).split("\n"))
        return [*_own_line(self.__traceback__), f"{type(self).__name__}: {message}"]


class DataError(AcumenError, ValueError):
    """The data cannot be read or used as requested."""


class RaggedRows(DataError):  # noqa: N818 - it says what they are
    """Rows of a file that differ in their number of fields; `many` where it may hold lists rather than rows."""

    def __init__(self, message: str, many: bool = False) -> None:
        super().__init__(message)
        self.many = many


class HeaderAlone(DataError):  # noqa: N818 - it says what it is
    """A file of one line, which can only be the names of columns; or one list of items."""


class CellError(DataError, TypeError):
    """A cell holds something that is not a value of a table, such as a list."""


class TooManyToHold(DataError, AttributeError):  # noqa: N818 - it says what they are
    """What a model is asked for has more members than may be held; to `hasattr` it is absent."""


class ParameterError(AcumenError, ValueError):
    """A parameter has an invalid value."""


class SchemaMismatch(AcumenError, ValueError):  # noqa: N818 - the house's name for it
    """Two objects with different schemas or plans were combined."""


class MemoryShortage(AcumenError, MemoryError):  # noqa: N818 - the system's word for it
    """There is less memory than a calculation needs."""


class ModelFileError(AcumenError, ValueError):
    """A model file is damaged, hostile, or of a format this version does not know."""


class EngineError(AcumenError, RuntimeError):
    """Workers or another engine failed or cannot be reached."""


class MissingExtra(AcumenError, ImportError):  # noqa: N818
    """An optional package is required and not installed."""


class AcumenWarning(UserWarning):
    """Base class of acumen's warnings."""


class TableWarning(AcumenWarning):
    """A warning about a table that you should check before training or predicting."""


def article(noun: str) -> str:
    """`a k-means`, `an additive`, `an svm`: the noun as it is spoken."""
    spoken = noun.lower().startswith(("a", "e", "i", "o", "svm", "svr")) and not noun.lower().startswith(
        "one-"
    )
    return f"{'an' if spoken else 'a'} {noun}"


def did_you_mean(name: str, known: Iterable[str], alike_from: float = 0.6) -> str:
    """` Did you mean 'x'?`, or nothing where none is so much alike; to be put behind a sentence."""
    others = [str(k) for k in known if str(k) != str(name)]  # it was there, and was no help
    alike = [other for other in others if other.casefold() == str(name).casefold()]
    close = alike or difflib.get_close_matches(str(name), others, n=1, cutoff=alike_from)
    return f" Did you mean {close[0]!r}?" if close else ""


#: What others call learners: people in a hurry, scikit-learn, Weka, R and a few more -> here.
_ELSEWHERE = {
    "tree": "DecisionTree", "forest": "RandomForest", "bayes": "NaiveBayes", "nb": "NaiveBayes",
    "logit": "Logistic", "logreg": "Logistic", "gradient boosting": "Boosting", "mlp": "NeuralNetwork",
    "neighbours": "KNN", "nearest neighbours": "KNN", "gmm": "GaussianMixture",
    "LogisticRegression": "Logistic", "glm": "Logistic", "SimpleLogistic": "Logistic", "multinom": "Logistic",
    "GaussianNB": "NaiveBayes", "CategoricalNB": "NaiveBayes", "MultinomialNB": "TextBayes",
    "BernoulliNB": "TextBayes", "ComplementNB": "TextBayes", "NaiveBayesMultinomial": "TextBayes",
    "DummyClassifier": "Majority", "ZeroR": "Majority", "DummyRegressor": "Mean",
    "LinearDiscriminantAnalysis": "Fisher", "lda": "Fisher", "QuadraticDiscriminantAnalysis": "FullBayes",
    "qda": "FullBayes", "KNeighborsClassifier": "KNN", "IBk": "KNN", "KNeighborsRegressor": "KNNRegressor",
    "NearestCentroid": "NearestMean", "SVC": "SVM", "LinearSVC": "SVM", "NuSVC": "SVM", "SMO": "SVM",
    "ksvm": "SVM", "LinearSVR": "SVR", "DecisionTreeClassifier": "DecisionTree", "J48": "DecisionTree",
    "rpart": "DecisionTree", "C4.5": "DecisionTree", "CART": "DecisionTree", "ctree": "DecisionTree",
    "RandomForestClassifier": "RandomForest", "ranger": "RandomForest", "ExtraTreesClassifier": "ExtraTrees",
    "BaggingClassifier": "Bagging", "AdaBoostClassifier": "AdaBoost", "AdaBoostM1": "AdaBoost",
    "GradientBoostingClassifier": "Boosting", "HistGradientBoostingClassifier": "Boosting",
    "XGBClassifier": "Boosting", "LGBMClassifier": "Boosting", "CatBoostClassifier": "Boosting",
    "xgboost": "Boosting", "gbm": "Boosting", "GradientBoostingRegressor": "BoostingRegressor",
    "HistGradientBoostingRegressor": "BoostingRegressor", "XGBRegressor": "BoostingRegressor",
    "ExplainableBoostingClassifier": "Additive", "gam": "Additive", "VotingClassifier": "Voting",
    "StackingClassifier": "Stacking", "MLPClassifier": "NeuralNetwork", "MultilayerPerceptron": "NeuralNetwork",
    "nnet": "NeuralNetwork", "MLPRegressor": "NeuralNetworkRegressor", "OneVsRestClassifier": "OneVsRest",
    "OneVsOneClassifier": "OneVsOne", "OutputCodeClassifier": "OutputCodes",
    "CalibratedClassifierCV": "Calibrated", "JRip": "Ripper", "PART": "C45Rules", "BayesNet": "BayesNetwork",
    "AgglomerativeClustering": "Agglomerative", "hclust": "Agglomerative", "SimpleKMeans": "KMeans",
    "PCA": "PrincipalComponents", "prcomp": "PrincipalComponents", "SimpleImputer": "Completer",
    "GridSearchCV": "Tuned", "RandomizedSearchCV": "Tuned", "SelectKBest": "Filter", "StratifiedKFold": "KFold",
    "ShuffleSplit": "Subsample", "TimeSeriesSplit": "TimeSlice", "read_csv": "read",
    "cross_val_score": "assess", "cross_validate": "assess",
}  # fmt: skip


def called_here(name: str) -> str | None:
    """The public name of what scikit-learn, Weka, R or others call so, if there is one."""
    bare = re.sub(r"[\W_]", "", name).casefold()
    return next(
        (ours for theirs, ours in _ELSEWHERE.items() if re.sub(r"[\W_]", "", theirs).casefold() == bare), None
    )


def _shell() -> Any:
    """The interactive shell this runs in, if any; it is never imported to find that out."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None


def _own_line(trace: TracebackType | None) -> list[str]:
    """The last line on the way to an error that is not acumen's own."""
    innermost = None
    while trace is not None:
        name = str(trace.tb_frame.f_globals.get("__name__", ""))
        if name != "acumen" and not name.startswith(("acumen.", "IPython.", "ipykernel.")):
            innermost = trace
        trace = trace.tb_next
    if innermost is None:
        return []
    code, number = innermost.tb_frame.f_code, innermost.tb_lineno
    line = linecache.getline(code.co_filename, number, innermost.tb_frame.f_globals).strip()
    where = "" if code.co_name == "<module>" else f", in {code.co_name}"
    return [f"line {number}{where}: {_safe(line)}"] if line else []


def _safe(text: str) -> str:
    """A line with nothing in it that acts on a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
