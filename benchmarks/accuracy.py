"""Error and log loss of acumen's learners beside the peers', by the same folds, on all shared ARFF files.

    python benchmarks/accuracy.py DATA               all files and learners; writes benchmarks/accuracy.md
    python benchmarks/accuracy.py DATA iris labor    some files, printed only

DATA is the folder of ARFF files. Needs the extra [bench]; a peer that is not installed is left out, and said so. Peers
get levels as 0/1 columns and missing numbers as they are where they take them, else as means. Runs unattended: a
learner that objects to a table, or takes longer than a fit may, has no number there.
"""

from __future__ import annotations

import signal
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import acumen

SEED = 7
FOLDS = 5
#: Seconds that one learner may take on one table, and rows of it at most.
LIMIT, MOST_ROWS = 300, 5_000
#: Files whose target is not the last column, or that are no table of classes by themselves.
TARGETS = {"breast-w": "Class", "autos": "symboling"}
LEFT_OUT = {"monks-1-test", "spect_test"}


def peers() -> dict[str, Callable[[], Any]]:
    """scikit-learn's, and those that are installed."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

    made: dict[str, Callable[[], Any]] = {
        "sklearn RandomForest": lambda: RandomForestClassifier(100, random_state=SEED, n_jobs=2),
        "HistGradientBoosting": lambda: HistGradientBoostingClassifier(random_state=SEED),
    }
    for name, module, cls, how in (
        ("LightGBM", "lightgbm", "LGBMClassifier", {"verbose": -1, "n_jobs": 2, "random_state": SEED}),
        ("XGBoost", "xgboost", "XGBClassifier", {"n_jobs": 2, "random_state": SEED}),
        (
            "CatBoost",
            "catboost",
            "CatBoostClassifier",
            {"verbose": False, "thread_count": 2, "random_state": SEED},
        ),
        ("EBM", "interpret.glassbox", "ExplainableBoostingClassifier", {"n_jobs": 2, "random_state": SEED}),
    ):
        try:
            found = getattr(__import__(module, fromlist=[cls]), cls)
        except ImportError:
            print(f"{name} is not installed and is left out", file=sys.stderr)
            continue
        made[name] = lambda found=found, how=how: found(**how)  # type: ignore[misc]
    return made


def tables(folder: Path, wanted: list[str]) -> dict[str, acumen.Table]:
    made = {}
    for path in sorted(folder.glob("*.arff")):
        if (wanted and path.stem not in wanted) or path.stem in LEFT_OUT:
            continue
        whole = acumen.read(path)
        target = TARGETS.get(path.stem, whole.schema.columns[-1])
        ignore = ["Instance_name"] if path.stem == "splice" else []
        table = acumen.read(path, target=target, ignore=ignore)
        if table.labels is None:
            continue
        if len(table) > MOST_ROWS:
            table = table.take(np.sort(np.random.default_rng(SEED).permutation(len(table))[:MOST_ROWS]))
        made[path.stem] = table
    return made


def judged(learner: Any, table: acumen.Table) -> tuple[float, float] | None:
    """Error and log loss; None where there is none to be had."""

    def too_long(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(LIMIT)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            folds = acumen.KFold(min(FOLDS, len(table)))
            try:
                both = acumen.assess(learner, table, folds, ["error", "log_loss"], random_state=SEED)
                return both.mean_of("error"), both.mean_of("log_loss")
            except acumen.errors.AcumenError:  # without probabilities
                return acumen.assess(learner, table, folds, "error", random_state=SEED).mean, float("nan")
    except Exception as problem:
        print(
            f"    {type(learner).__name__}: {type(problem).__name__}: {str(problem)[:120]}", file=sys.stderr
        )
        return None
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def main() -> None:
    folder, wanted = Path(sys.argv[1]), sys.argv[2:]
    found: dict[str, dict[str, tuple[float, float]]] = {}
    files = tables(folder, wanted)
    others = peers()
    for file, table in files.items():
        learners = {**acumen.suited(table).learners(SEED), **{name: make() for name, make in others.items()}}
        for name, learner in learners.items():
            start = time.perf_counter()
            got = judged(learner, table)
            if got is None:
                continue
            found.setdefault(name, {})[file] = got
            print(
                f"{file:<18} {name:<24} error {got[0]:.4f}  log loss {got[1]:.4f}  {time.perf_counter() - start:.1f} s",
                flush=True,
            )
    text = report(found, list(files))
    print(text)
    if not wanted:
        (Path(__file__).parent / "accuracy.md").write_text(text)


def report(found: dict[str, dict[str, tuple[float, float]]], files: list[str]) -> str:
    """A line for each learner: medians over the files it answered for, and each file's error."""
    lines = [
        "# Error and log loss on the shared files",
        "",
        f"Mean of {FOLDS} stratified folds, the same for all; files of more than {MOST_ROWS:,} rows by a sample.",
        "Medians are over the files on which a learner gave an answer. Made by `benchmarks/accuracy.py`.",
        "",
        "| learner | files | median error | median log loss | " + " | ".join(files) + " |",
        "|---|---:|---:|---:|" + "---:|" * len(files),
    ]
    for name, by_file in sorted(found.items(), key=lambda each: np.median([e for e, _ in each[1].values()])):
        errors, losses = zip(*by_file.values(), strict=True)
        known = [loss for loss in losses if np.isfinite(loss)]
        cells = [f"{100 * by_file[f][0]:.1f}" if f in by_file else "" for f in files]
        middle = f"{np.median(known):.3f}" if known else ""
        lines.append(
            f"| {name} | {len(by_file)} | {100 * np.median(errors):.2f} % | {middle} | "
            + " | ".join(cells)
            + " |"
        )
    mine, theirs = found.get("RandomForest", {}), found.get("sklearn RandomForest", {})
    both = [f for f in files if f in mine and f in theirs]
    if both:
        pairs = [
            (np.median([mine[f][i] for f in both]), np.median([theirs[f][i] for f in both])) for i in (0, 1)
        ]
        lines += [
            "",
            f"On the {len(both)} files both answered for, `RandomForest` has median error "
            f"{100 * pairs[0][0]:.2f} % and log loss {pairs[1][0]:.4f}, "
            f"scikit-learn's {100 * pairs[0][1]:.2f} % and {pairs[1][1]:.4f}.",
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
