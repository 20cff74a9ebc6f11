"""How long a data card takes, and how long the help text does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pandas as pd
from clock import best

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.profiling.card import inspect


def numbers(n: int, columns: int) -> tuple[Table, pd.DataFrame]:
    """Normal numbers, two classes, and one row in ten a repeat."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, columns))
    X[n // 2 : n // 2 + n // 10] = X[: n // 10]
    y = rng.integers(0, 2, n).astype(np.int32)
    attributes = tuple(Attribute(f"x{j}") for j in range(columns))
    table = Table(
        Schema(attributes, Attribute("y", "nominal", ("a", "b"))),
        n,
        numeric=[np.ascontiguousarray(column) for column in X.T],
        labels=y,
    )
    return table, pd.DataFrame({**{f"x{j}": X[:, j] for j in range(columns)}, "y": y})


def command(*args: str) -> Callable[[], object]:
    return lambda: subprocess.run([sys.executable, *args], capture_output=True, check=True)


if __name__ == "__main__":
    table, frame = numbers(1_000_000, 20)
    assert inspect(table).duplicates.rows == int(frame.duplicated().sum())
    print(f"card of 1,000,000 x 20 numbers        {best(lambda: inspect(table)):8.2f} s")
    pandas_time = best(lambda: (frame.describe(), frame.duplicated().sum()), 1)
    print(f"pandas describe() and duplicated()    {pandas_time:8.2f} s")
    bare = best(command("-c", "pass"), 20)
    helped = best(command("-c", "from acumen.cli.main import main; main()", "--help"), 20)
    print(f"acumen --help above a bare Python     {1000 * (helped - bare):8.1f} ms")
