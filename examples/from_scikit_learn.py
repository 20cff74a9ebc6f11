"""Coming from scikit-learn: frames, pipelines, cross-validation and warnings work as they do there.

Run it with `python examples/from_scikit_learn.py`.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import acumen
from acumen.errors import TableWarning

rng = np.random.default_rng(0)
n = 600
frame = pd.DataFrame(
    {
        "id": np.arange(n),
        "country": "DE",
        "months": rng.integers(0, 72, n),
        "charge": rng.uniform(18, 119, n).round(2),
        "contract": rng.choice(["monthly", "yearly"], n, p=[0.6, 0.4]),
        "zone": rng.choice(["1", "2", "3", "4"], n),  # numbers, but as text
    }
)
frame.loc[rng.random(n) < 0.05, "charge"] = np.nan
score = (
    1.8 * (frame["contract"] == "monthly") - 0.05 * frame["months"] + 0.02 * frame["charge"].fillna(60) - 1.5
)
y = pd.Series(np.where(rng.random(n) < 1 / (1 + np.exp(-score)), "leaves", "stays"), name="churn")

# -- a learner is an estimator: no encoder, no imputer -----------------------------------------------------

with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    scores = cross_val_score(acumen.NaiveBayes(), frame, y, cv=5)
print(f"as it is: {scores.mean():.3f}")
for warning in said:  # each once, though five folds were fitted
    assert issubclass(warning.category, TableWarning)
    print("warned:", warning.message)

# -- take what was said to heart ---------------------------------------------------------------------------

frame = frame.drop(columns=["id", "country"]).astype({"zone": int})
warnings.simplefilter("error", TableWarning)  # from here on it would be an error
X_train, X_test, y_train, y_test = train_test_split(frame, y, random_state=0, stratify=y)

ours = GridSearchCV(acumen.NaiveBayes(), {"alpha": [0.5, 1.0, 5.0]}, cv=3).fit(X_train, y_train)
piped = make_pipeline(
    make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
        (make_pipeline(SimpleImputer(), StandardScaler()), make_column_selector(dtype_include="number")),
    ),
    LogisticRegression(),
).fit(X_train, y_train)
inside = make_pipeline(SimpleImputer(), acumen.Logistic()).fit(X_train[["months", "charge"]], y_train)
print(f"NaiveBayes, tuned by scikit-learn: {ours.score(X_test, y_test):.3f}")
print(f"scikit-learn's pipeline:           {piped.score(X_test, y_test):.3f}")
print(f"Logistic inside a pipeline:        {inside.score(X_test[['months', 'charge']], y_test):.3f}")

# -- and what scikit-learn does not say ----------------------------------------------------------------------

model = ours.best_estimator_
print(model.explain(X_test.iloc[0]))
later = X_test.assign(contract="daily", months=X_test["months"] + 60)
try:
    model.predict(later)
except TableWarning as warning:
    print("warned:", warning)
print(model.unfamiliar(later))
