"""Naive Bayes beside Weka's and scikit-learn's: errors by 10-fold cross-validation over tables in ARFF.

    python benchmarks/naive.py FOLDER... [--weka /usr/share/java/weka.jar] [--seeds 3] [--kernel]

Tables without a numeric attribute are left out: what is compared is the treatment of numbers. Each program deals out
its own folds, so that two equal models differ by the luck of the folds; `--seeds` says over how many
deals errors are averaged. scikit-learn's GaussianNB is given the means for missing numbers and a 0/1 column for each
nominal level. With `--kernel` kernel densities are compared (Weka's -K), and GaussianNB is left out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

import acumen
from acumen.data.table import Table


def ours(rows: Table, seed: int, kernel: bool) -> float:
    learner = acumen.NaiveBayes(numeric="kernel" if kernel else "gaussian")
    return float(acumen.assess(learner, rows, acumen.KFold(10), random_state=seed).mean)


def weka(path: Path, seed: int, kernel: bool, jar: str) -> float:
    """Error of Weka's NaiveBayes, from what its command line prints."""
    command = ["java", "-Xmx2g", "-cp", jar, "weka.classifiers.bayes.NaiveBayes", "-t", str(path), "-x", "10"]
    command += ["-s", str(seed), "-o", *(["-K"] if kernel else [])]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.search(r"Stratified cross-validation.*?Incorrectly[^%]*?([\d.]+) +%", said, re.DOTALL)
    return float(found.group(1)) / 100 if found else np.nan


def gaussian_nb(rows: Table, seed: int) -> float:
    columns = []
    for _, values in rows.numeric_columns():
        known = np.isfinite(values)
        columns.append(np.where(known, values, values[known].mean() if known.any() else 0.0))
    for attribute, codes in rows.nominal_columns():
        columns += [(codes == level).astype(float) for level in range(len(attribute.levels))]
    X, y = np.column_stack(columns), rows.labels
    wrong = 0
    for train, test in KFold(10, shuffle=True, random_state=seed).split(X):
        wrong += int((GaussianNB().fit(X[train], y[train]).predict(X[test]) != y[test]).sum())
    return wrong / len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--weka", default="/usr/share/java/weka.jar")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--kernel", action="store_true")
    wish = parser.parse_args()
    warnings.simplefilter("ignore")
    names = [
        "acumen",
        *(["Weka"] if Path(wish.weka).exists() else []),
        *([] if wish.kernel else ["GaussianNB"]),
    ]
    print("| table | rows | majority | " + " | ".join(names) + " |\n|---|" + "---:|" * (len(names) + 2))
    lines = []
    for path in sorted(p for folder in wish.folders for p in folder.glob("*.arff")):
        rows = acumen.read(path, target=-1)
        if not rows.schema.numeric or rows.schema.text or rows.labels is None or len(rows) < 20:
            continue
        seeds = range(1, 1 + (wish.seeds if len(rows) < 3000 else 1))
        ways = {
            "acumen": lambda s, rows=rows: ours(rows, s, wish.kernel),
            "Weka": lambda s, path=path: weka(path, s, wish.kernel, wish.weka),
            "GaussianNB": lambda s, rows=rows: gaussian_nb(rows, s),
        }
        found = [100 * float(np.mean([ways[name](s) for s in seeds])) for name in names]
        counts = np.bincount(rows.labels[rows.labels >= 0])
        lines.append([100 * (1 - counts.max() / counts.sum()), *found])
        print(f"| {path.stem} | {len(rows)} | " + " | ".join(f"{v:.1f}" for v in lines[-1]) + " |")
        sys.stdout.flush()
    print("| **mean** | | " + " | ".join(f"**{v:.2f}**" for v in np.mean(lines, axis=0)) + " |")


if __name__ == "__main__":
    main()
