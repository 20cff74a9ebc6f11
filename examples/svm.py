"""Support vector machines: margins, certificates, a drawing, a path over C, probabilities and numbers.

Run it with `python examples/svm.py`; it writes margin.svg into the current folder.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import acumen

# -- the widest margin, proved -----------------------------------------------------------------------

soft = acumen.datasets.load("svm-soft")
line = acumen.SVM(kernel="linear", scale=False, tol=1e-6).fit(soft)
print(line.describe())
print(line.machines_[0])

Path("margin.svg").write_text(line.figure(soft)._repr_svg_(), encoding="utf-8")

# -- mixed columns, gaps, several classes ------------------------------------------------------------

iris = acumen.datasets.load("iris")
train, test = iris.split(0.7, random_state=0)
for multiclass in ("ovo", "ovr", "single", "ecoc"):
    model = acumen.SVM(multiclass=multiclass).fit(train)
    print(f"{multiclass:<7} {100 * model.score(test):.1f} % right, {model.certificate_}")

weather = acumen.SVM(kernel="linear").fit(acumen.datasets.load("weather"))
print(weather.explain(acumen.datasets.load("weather").take([0])))

# -- along C, each machine starting from the one before; then by validation -----------------------------

print(acumen.SVM().path(train, C=np.logspace(-2, 2, 5)))
tuned = acumen.Tuned(acumen.SVM(), {"C": [0.1, 1, 10], "gamma": [0.01, 0.1, 1]}, random_state=0).fit(train)
print("chosen:", tuned.best_params_, f"{100 * tuned.score(test):.1f} % right")

# -- probabilities, and what errors cost -------------------------------------------------------------

sure = acumen.SVM(probability="platt").fit(train)
print(sure.predict_proba(test)[:3].round(3))

# -- numbers -----------------------------------------------------------------------------------------

x = np.linspace(0, 6, 80)[:, None]
curve = acumen.SVR(epsilon=0.1, C=10).fit(x, np.sin(x[:, 0]))
print(f"{(curve.alpha_ != 0).sum()} of {len(x)} rows hold up the curve; {curve.certificate_}")
