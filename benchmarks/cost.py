"""How learning grows with rows and attributes, beside what the guide says (docs/guide/*.toml): the exponents, measured.

python benchmarks/cost.py             every learner that has numbers to learn from
python benchmarks/cost.py svm knn     some of them

By processor time, the least of three fits. Rows go up fourfold at 8 attributes, from 500 or from where a fit takes
LEAST seconds; attributes from 4 to 16. What is printed is the exponent between the two: 1 doubles with the rows, 2 is
fourfold. "said" is the highest power in the guide's cost; below it is well (a bound, an index, fewer passes), above it
by more than a half is marked.
"""

from __future__ import annotations

import math
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from clock import interleaved

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from acumen.models.task import CLASSES, NUMBERS
from acumen.registry import Entry, entries, entry
from handbook.tried import _SMALLER
from handbook.written import written

LEAST, MOST = 0.03, 512_000
_POWERS = {"²": 2.0, "³": 3.0}


def said(cost: str, letter: str) -> float:
    """The highest power of a letter in a cost as the guide writes it: 2 of n in `n² d + d³`."""
    found = re.findall(rf"(√?)(?<![A-Za-z]){letter}(?![A-Za-z])([²³]?)", cost)
    return max((0.5 if root else _POWERS.get(power, 1.0) for root, power in found), default=0.0)


def rows(n: int, d: int) -> tuple[Any, Any]:
    """Three classes in clouds that overlap."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, n)
    return rng.normal(size=(n, d)) + 0.8 * labels[:, None], labels


def worth(about: Entry) -> int:
    """So many rows that a fit takes long enough to be measured."""
    n = 500
    while n < MOST and exponent(about, (n, 8), (n, 8), 2.0)[1] < LEAST:
        n *= 4
    return n


def exponent(about: Entry, first: tuple[int, int], second: tuple[int, int], by: float) -> tuple[float, float]:
    """How a fit grows from one size to the other, and the seconds of the larger."""
    given = {"random_state": 0} if any(spec.name == "random_state" for spec in about.parameters) else {}
    works = []
    for n, d in (first, second):
        X, labels = rows(n, d)
        y = X[:, 0] + labels if about.task is NUMBERS else labels if about.task is CLASSES else None
        works.append(lambda X=X, y=y: about.make(**(_SMALLER.get(about.name, {}) | given)).fit(X, y))
    small, large = interleaved(3, *works)
    return math.log(large.cpu / small.cpu) / math.log(by), large.cpu


def main(wanted: list[str]) -> None:
    warnings.simplefilter("ignore")
    print(f"{'learner':26} {'cost':34} {'n, said':>8} {'found':>6} {'d, said':>8} {'found':>6}")
    for about in map(entry, wanted) if wanted else entries():
        cost = written()[about.kind].cost
        if "×" in cost or "fits" in cost or about.task.columns or about.task.name == "distribution":
            continue  # what its learners cost; no target
        try:
            size = worth(about)
            by_n, seconds = exponent(about, (size, 8), (4 * size, 8), 4.0)
            by_d, _ = exponent(about, (size, 4), (size, 16), 4.0)
        except ValueError as error:
            print(f"{about.name:26} refuses: {str(error)[:80]}")
            continue
        n, d = said(cost, "n"), said(cost, "d")
        odd = " <- more than said" if by_n > n + 0.5 or by_d > d + 0.5 else ""
        print(
            f"{about.name:26} {cost:34} {n:8.1f} {by_n:6.2f} {d:8.1f} {by_d:6.2f}  {seconds:6.2f} s{odd}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
