"""What a fit spends on looking at its table and on remembering its rows, beside the fastest fit there is."""

from __future__ import annotations

import numpy as np
import pandas as pd
from clock import interleaved

import acumen
from acumen.profiling.fit_warnings import data_warnings_off, quick_findings
from acumen.profiling.training_profile import TrainingProfile


def mixed(rows: int) -> acumen.Table:
    """Ten columns of numbers, ten of words, two classes."""
    rng = np.random.default_rng(0)
    columns = {f"n{j}": rng.normal(size=rows) for j in range(10)}
    columns |= {f"c{j}": pd.Categorical(rng.choice(list("abcde"), rows)) for j in range(10)}
    return acumen.read((pd.DataFrame(columns), rng.choice(["no", "yes"], rows)))


def fitted(table: acumen.Table) -> None:
    with data_warnings_off():
        acumen.NaiveBayes().fit(table)


if __name__ == "__main__":
    print("processor time, ms          fit   glance        remembering rows")
    tables = {
        "iris": acumen.datasets.load("iris"),
        **{f"{n:,} x 20": mixed(n) for n in (150, 7_000, 50_000, 500_000)},
    }
    for name, table in tables.items():
        fit, look, seen = interleaved(
            7,
            lambda t=table: fitted(t),
            lambda t=table: quick_findings(t),
            lambda t=table: TrainingProfile.of(t),
        )
        shares = [f"{1e3 * took.cpu:8.3f} ({100 * took.cpu / fit.cpu:4.1f} %)" for took in (look, seen)]
        print(f"{name:<20} {1e3 * fit.cpu:10.3f} {shares[0]} {shares[1]}")
