"""One fit of another package's learner of rules, in an interpreter of its own; needs that package, pandas and numpy.

    python benchmarks/rules_peers.py wittgenstein TABLE.csv     RIPPER, binary
    python benchmarks/rules_peers.py orange TABLE.csv           CN2, ordered

The class is the column `class`. Prints, as JSON, seconds of wall and processor time of learning alone, how many rules
were found and the share of TABLE's rows they get right; exit code 3 where the package is not installed.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd


def wittgenstein(frame: pd.DataFrame) -> tuple[Callable[[], Any], Callable[[Any], tuple[int, float]]]:
    import wittgenstein as package

    def fit() -> Any:
        learner = package.RIPPER(random_state=0)
        learner.fit(frame, class_feat="class", pos_class="yes")
        return learner

    def told(learner: Any) -> tuple[int, float]:
        said = learner.predict(frame.drop(columns="class"))
        return len(learner.ruleset_), float(((frame["class"] == "yes") == said).mean())

    return fit, told


def orange(frame: pd.DataFrame) -> tuple[Callable[[], Any], Callable[[Any], tuple[int, float]]]:
    from Orange.classification.rules import CN2Learner
    from Orange.data import Domain
    from Orange.data.pandas_compat import table_from_frame

    # Text of few different values becomes a variable of levels, as it is read from a file.
    data = table_from_frame(frame.astype({c: "category" for c in frame if frame[c].dtype.kind not in "fi"}))
    target = data.domain["class"]
    data = data.transform(Domain([v for v in data.domain.variables if v is not target], target))

    def told(model: Any) -> tuple[int, float]:
        return len(model.rule_list), float((model(data) == data.Y).mean())

    return lambda: CN2Learner()(data), told


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    try:
        fit, told = {"wittgenstein": wittgenstein, "orange": orange}[sys.argv[1]](pd.read_csv(sys.argv[2]))
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(3)
    wall, cpu = time.perf_counter(), time.process_time()
    model = fit()
    took = time.perf_counter() - wall, time.process_time() - cpu
    rules, right = told(model)
    print(json.dumps({"wall": took[0], "cpu": took[1], "rules": rules, "right": right}))
