"""NeuralNetwork beside scikit-learn's MLPClassifier on real tables, defaults of both."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import acumen


def _losses(path: Path, seed: int) -> tuple[float, float]:
    """Mean log loss in three folds: ours from the rows as they are, theirs behind scaling and one-hot columns."""
    table = acumen.read(path)
    frame, y = table.to_pandas(), np.asarray(table.label_values()).astype(str)
    X = frame[[attribute.name for attribute in table.schema]]
    plain = X.astype({c: object for c in X.columns if X[c].dtype == "category"})
    found = []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        columns = make_column_transformer(
            (
                make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
                make_column_selector(dtype_include="number"),
            ),
            (
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                make_column_selector(dtype_exclude="number"),
            ),
        )
        theirs = make_pipeline(columns, MLPClassifier(random_state=seed))
        ours = acumen.NeuralNetwork(random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # MLPClassifier does not converge in its 200 passes
            theirs.fit(plain.iloc[train], y[train])
            ours.fit(X.iloc[train], y[train])
        found.append(
            (
                log_loss(y[test], ours.predict_proba(X.iloc[test]), labels=ours.classes_),
                log_loss(y[test], theirs.predict_proba(plain.iloc[test]), labels=theirs.classes_),
            )
        )
    mine, peer = np.mean(found, axis=0).tolist()
    return mine, peer


@pytest.mark.slow
def test_mean_log_loss_is_no_worse_than_mlp_classifiers(shared_data: Path):
    names = ("iris", "glass", "breast-w", "vote", "sonar", "hepatitis")
    found = [_losses(shared_data / f"{name}.arff", seed) for name in names for seed in (0, 1)]
    ours, theirs = np.mean(found, axis=0)
    assert ours <= theirs, found
