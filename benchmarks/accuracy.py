"""Error and log loss of acumen's learners beside the peers', by the same folds, on all shared ARFF files.

    python benchmarks/accuracy.py DATA                          every file and learner; writes benchmarks/accuracy.md
    python benchmarks/accuracy.py DATA --files iris labor       some files
    python benchmarks/accuracy.py DATA --learners random-forest "ada-boost(n_estimators=200)" "sklearn RandomForest"
    python benchmarks/accuracy.py DATA --rows 5000              files of at most so many rows
    python benchmarks/accuracy.py DATA --limits 3600            those not ready in 30 and 300 seconds, with an hour each
    python benchmarks/accuracy.py DATA --report                 no fit more: the report of what there is

DATA is the folder of ARFF files. A learner is called as at the command line, or as a peer below. Needs the group
bench; a peer that is not installed is left out, and said so. Peers get levels as categories where they take them,
else as 0/1 columns, and missing numbers as they are where they take them, else as means. Runs unattended: the forests,
boosted and additive models and all peers on all files first, small files before large ones, then the other learners;
each learner and file in a process of its own that is ended where it takes more of the processor or of the memory than
it may, and asked again with more time once everything else has had its turn. A learner that objects to a table, or
takes longer than that, has no number there, and the report says which. What is found is kept (--kept) after each
learner and file, so that a run that was ended goes on where it was.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from kept import Kept
from sklearn.base import BaseEstimator, ClassifierMixin, clone

import acumen
from acumen import registry

SEED = 7
FOLDS = 5
#: Seconds of processor that a learner may take on a table (five fits), at first and once all others had their turn,
#: unless --limits says otherwise.
LIMITS = (30, 300)
#: Rows of a table at most: of larger ones a sample is taken. Bytes that a learner may take.
MOST_ROWS, MOST_BYTES = 5_000, 6 * 2**30
#: Files whose target is not the last column, or that are no table of classes by themselves.
TARGETS = {"breast-w": "Class", "autos": "symboling"}
LEFT_OUT = {"monks-1-test", "spect_test"}
FOREST = "sklearn RandomForest"
#: Asked first: what the peers are to be compared with.
FIRST = (
    "random-forest",
    "extra-trees",
    "additive",
    "additive(pairs=auto)",
    "boosting",
    "ada-boost",
    "bagging",
)

Found = dict[str, dict[str, tuple[float, float]]]


class Numbered(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that is given its classes as 0, 1, 2 and so on, as XGBoost wants them."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def __sklearn_tags__(self) -> Any:
        return self.estimator.__sklearn_tags__()

    def fit(self, X: Any, y: Any) -> Numbered:
        self.classes_, codes = np.unique(y, return_inverse=True)
        given, how = self.given(X)
        self.estimator_ = clone(self.estimator).fit(given, codes, **how)
        return self

    def given(self, X: Any) -> tuple[Any, dict[str, Any]]:
        """The columns as it wants them, and what it is told of them."""
        return X, {}

    def predict(self, X: Any) -> Any:
        return self.classes_[np.asarray(self.estimator_.predict(self.given(X)[0])).astype(int).ravel()]

    def predict_proba(self, X: Any) -> Any:
        return self.estimator_.predict_proba(self.given(X)[0])


class OfTexts(Numbered):
    """The same with levels as texts, which columns these are being said, as CatBoost wants them."""

    def given(self, X: Any) -> tuple[Any, dict[str, Any]]:
        names = [c for c in getattr(X, "columns", ()) if str(X[c].dtype) in ("category", "object")]
        texts = {c: X[c].astype(object).where(X[c].notna(), "?").astype(str) for c in names}
        return (X.assign(**texts), {"cat_features": names}) if names else (X, {})


def peers(threads: int) -> dict[str, Callable[[], Any]]:
    """scikit-learn's, and those that are installed."""
    from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier

    made: dict[str, Callable[[], Any]] = {
        FOREST: lambda: RandomForestClassifier(100, random_state=SEED, n_jobs=threads),
        "sklearn ExtraTrees": lambda: ExtraTreesClassifier(100, random_state=SEED, n_jobs=threads),
        "HistGradientBoosting": lambda: HistGradientBoostingClassifier(random_state=SEED),
    }
    how = {"n_jobs": threads, "random_state": SEED}
    of_catboost = {
        "verbose": False,
        "thread_count": threads,
        "random_state": SEED,
        "allow_writing_files": False,
    }
    for name, module, cls, given in (
        ("LightGBM", "lightgbm", "LGBMClassifier", {**how, "verbose": -1}),
        ("XGBoost", "xgboost", "XGBClassifier", how),
        ("CatBoost", "catboost", "CatBoostClassifier", of_catboost),
        ("EBM", "interpret.glassbox", "ExplainableBoostingClassifier", how),
    ):
        try:
            found = getattr(__import__(module, fromlist=[cls]), cls)
        except ImportError:
            print(f"{name} is not installed and is left out", file=sys.stderr)
            continue
        face = OfTexts if name == "CatBoost" else Numbered
        made[name] = lambda face=face, found=found, given=given: face(found(**given))  # type: ignore[misc]
    return made


def table_of(path: Path) -> acumen.Table | None:
    """A file with its target, at most so many rows of it; None where the target is no class."""
    whole = acumen.read(path)
    target = TARGETS.get(path.stem, whole.schema.columns[-1])
    ignore = ["Instance_name"] if path.stem == "splice" else []
    table = acumen.read(path, target=target, ignore=ignore)
    if table.labels is None:
        return None
    if len(table) > MOST_ROWS:
        table = table.take(np.sort(np.random.default_rng(SEED).permutation(len(table))[:MOST_ROWS]))
    return table


def tables(folder: Path, wanted: list[str], most: int | None) -> dict[str, acumen.Table]:
    """Small ones first."""
    made = {}
    for path in sorted(folder.glob("*.arff")):
        if (wanted and path.stem not in wanted) or path.stem in LEFT_OUT:
            continue
        table = table_of(path)
        if table is not None and (most is None or len(table) <= most):
            made[path.stem] = table
    return dict(sorted(made.items(), key=lambda each: len(each[1]) * len(each[1].schema)))


def judged(learner: Any, table: acumen.Table) -> tuple[float, float]:
    """Error and log loss, which is NaN where a learner has no probabilities."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folds = acumen.KFold(min(FOLDS, len(table)))
        try:
            both = acumen.assess(learner, table, folds, ["error", "log_loss"], random_state=SEED)
            return both.mean_of("error"), both.mean_of("log_loss")
        except acumen.errors.AcumenError:  # without probabilities
            return acumen.assess(learner, table, folds, "error", random_state=SEED).mean, float("nan")


def work(path: Path, name: str, threads: int, limit: int, answer: Any) -> None:
    """One learner on one file, in a process that the system ends where it takes more than it may."""
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    start, used = time.perf_counter(), time.process_time()
    try:
        others = peers(threads)
        learner = others[name]() if name in others else registry.learner_from_text(name, SEED, n_jobs=threads)
        table = table_of(path)
        assert table is not None
        error, loss = judged(learner, table)
    except BaseException as problem:  # whatever it is, it is said and the next has its turn
        answer.send({"problem": f"{type(problem).__name__}: {str(problem)[:300]}"})
        return
    took = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - used}
    answer.send({"error": error, "log_loss": loss if loss == loss else None, **took})


def apart(path: Path, name: str, threads: int, limit: int) -> dict[str, Any]:
    """What the work gave, or that it was ended."""
    start = multiprocessing.get_context("forkserver")
    mine, its = start.Pipe(duplex=False)
    process = start.Process(target=work, args=(path, name, threads, limit, its), daemon=True)
    process.start()
    its.close()
    try:
        # a machine that does other things too may give a process little of itself, but not for ever
        found: dict[str, Any] = mine.recv() if mine.poll(40 * limit) else {"late": limit}
    except EOFError:
        process.join()
        over = process.exitcode is not None and process.exitcode in (-24, -9)
        found = {"late": limit} if over else {"problem": f"ended with {process.exitcode}"}
    finally:
        process.kill()
        process.join()
    return found


def numbers(kept: Kept, files: list[str]) -> Found:
    """By learner and file."""
    made: Found = {}
    for key, value in kept.found.items():
        file, _, name = key.partition("|")
        if name and file in files and "error" in value:
            loss = value["log_loss"]
            made.setdefault(name, {})[file] = (value["error"], float("nan") if loss is None else loss)
    return made


def run(
    folder: Path, files: list[str], names: list[str], threads: int, kept: Kept, limits: Sequence[int]
) -> None:
    """Every learner on every file that has no number yet."""
    ours = [each.kind for each in registry.entries() if each.task == "classification"]
    first = [*FIRST, *peers(threads)]
    for limit in limits:
        for group in [names] if names else [first, [name for name in ours if name not in first]]:
            for file in files:
                for name in group:
                    key = f"{file}|{name}"
                    before = kept.found.get(key)
                    if before is not None and before.get("late", limit) >= limit:
                        continue
                    found = apart(folder / f"{file}.arff", name, threads, limit)
                    kept.enter(key, found)
                    said = {k: round(v, 4) if isinstance(v, float) else v for k, v in found.items()}
                    print(f"{file:<18} {name:<24} {said}", flush=True)


# -- the report ---------------------------------------------------------------------------------------


def ratios(mine: dict[str, Any], theirs: dict[str, Any], at: int, rows: dict[str, int]) -> Any:
    """Of each file both have: mine over theirs; to errors half a row is added, so that 0 over 0 is 1."""
    made = []
    for file in mine:
        if file not in theirs or not (np.isfinite(mine[file][at]) and np.isfinite(theirs[file][at])):
            continue
        more = 0.5 / rows[file] if at == 0 else 1e-3
        made.append((mine[file][at] + more) / (theirs[file][at] + more))
    return np.array(made)


def said_ratio(found: Any) -> str:
    """The median, with its standard error by drawing files anew."""
    if not len(found):
        return ""
    rng = np.random.default_rng(SEED)
    drawn = np.median(rng.choice(found, (2000, len(found))), axis=1)
    return f"{np.median(found):.3f} ({drawn.std(ddof=1):.3f})"


def report(
    found: Found, files: dict[str, acumen.Table], without: list[str], missing: Callable[[str], str]
) -> str:
    """Medians over the files that a learner answered for, ratios to scikit-learn's forest, and each file's numbers."""
    rows = {file: len(table) for file, table in files.items()}
    # those that have answered for few files come last: a rank among them says little
    order = sorted(
        found, key=lambda n: (2 * len(found[n]) < len(files), float(np.median(_relative(found, n, rows))))
    )
    lines = [
        "# Error and log loss on the shared files",
        "",
        f"Mean of {FOLDS} stratified folds, the same for all; of files of more than {MOST_ROWS:,} rows a sample of as",
        "many. Medians are over the files on which a learner gave an answer. Ratios are to those of",
        f"{FOREST} on the same file: the median, and in brackets its standard error (files drawn",
        "anew); to errors half a row is added, to log losses 0.001. Infinite log losses, of a class that no training",
        "row had or that is held for impossible, are left out. Learners are as they come, without tuning; files on",
        "which one has no number are named below with why; who has few of them comes last. Made by",
        "`benchmarks/accuracy.py`.",
        "",
        "| learner | files | median error | median log loss | ratio of errors | ratio of log losses |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    theirs = found.get(FOREST, {})
    for name in order:
        errors, losses = (np.array(column) for column in zip(*found[name].values(), strict=True))
        known = losses[np.isfinite(losses)]
        middle = f"{np.median(known):.3f}" if len(known) else ""
        if (endless := int(np.isinf(losses).sum())) and middle:
            middle += f" (infinite on {endless})"
        of = [said_ratio(ratios(found[name], theirs, at, rows)) for at in (0, 1)]
        lines.append(
            f"| {name} | {len(errors)} | {100 * np.median(errors):.2f} % | {middle} | {of[0]} | {of[1]} |"
        )
    lines += ["", both_forests(found)]
    lines += beside_the_best(found, list(files), missing)
    lines += ["", "## Without a number", "", *without]
    for at, title in enumerate(("Errors in per cent", "Log losses")):
        lines += ["", f"## {title}", "", "| learner | " + " | ".join(files) + " |"]
        lines.append("|---|" + "---:|" * len(files))
        lines.append("| rows | " + " | ".join(f"{rows[file]:,}" for file in files) + " |")
        for name in order:
            cells = []
            for file in files:
                value = found[name].get(file, (float("nan"),) * 2)[at]
                cells.append(
                    "" if not np.isfinite(value) else f"{100 * value:.1f}" if at == 0 else f"{value:.3f}"
                )
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def unanswered(kept: Kept, files: list[str]) -> list[str]:
    """For each learner: the files it took too long on, those it objected to with its words, those not asked yet."""
    names = dict.fromkeys(key.split("|", 1)[1] for key in kept.found if "|" in key)
    made = []
    for name in names:
        late, refused, unasked = [], {}, []
        for file in files:
            entry = kept.found.get(f"{file}|{name}")
            if entry is None:
                unasked.append(file)
            elif "late" in entry:
                late.append(f"{file} ({entry['late']} s)")
            elif "problem" in entry:
                refused.setdefault(entry["problem"].split(": ", 1)[-1][:160], []).append(file)
        said = [f"longer than it may on {', '.join(late)}"] if late else []
        said += [f'{", ".join(each)}: "{words}"' for words, each in refused.items()]
        said += [f"not asked on {', '.join(unasked)}"] if unasked else []
        if said:
            made.append(f"- {name}: {'; '.join(said)}")
    return made or ["Every learner answered for every file."]


def both_forests(found: Found) -> str:
    """The medians of acumen's forest and of scikit-learn's, over the files that both have numbers for."""
    mine, theirs = found.get("random-forest", {}), found.get(FOREST, {})
    said = []
    for at, what in enumerate(("error", "log loss")):
        files = [f for f in mine if f in theirs and np.isfinite(mine[f][at]) and np.isfinite(theirs[f][at])]
        if not files:
            return ""
        a, b = (np.median([of[f][at] for f in files]) for of in (mine, theirs))
        better = sum(mine[f][at] < theirs[f][at] for f in files)
        said.append(
            f"median {what} {a:.4f}, scikit-learn's {b:.4f}, lower on {better} of {len(files)} files and equal on "
            f"{sum(mine[f][at] == theirs[f][at] for f in files)}"
        )
    return f"`RandomForest` has the {'; '.join(said)}."


#: Who is held against the best of whom, by log loss.
BARS = (
    ("additive", ("EBM", "HistGradientBoosting")),
    ("additive(pairs=auto)", ("EBM", "HistGradientBoosting")),
    ("boosting", ("LightGBM", "XGBoost", "CatBoost")),
)
#: Above this ratio the table names the pairs of attributes that shapes alone lack.
FAR = 1.1


def beside_the_best(found: Found, files: list[str], missing: Callable[[str], str]) -> list[str]:
    """Each file's log loss over the least of some peers', and the median with its standard error over files."""
    lines = ["", "## Beside the best of the peers", ""]
    lines += [
        "Log loss over the least of the peers named, on files where both have one (0.001 is added to each)."
    ]
    for name, theirs in BARS:
        rows, every = [], []
        for file in files:
            mine = found.get(name, {}).get(file, (0.0, float("nan")))[1]
            known = {p: found.get(p, {}).get(file, (0.0, float("nan")))[1] for p in theirs}
            known = {p: value for p, value in known.items() if np.isfinite(value)}
            if not np.isfinite(mine) or not known:
                continue
            best = min(known, key=lambda p: known[p])
            every.append((mine + 1e-3) / (known[best] + 1e-3))
            absent = ", ".join(p for p in theirs if p not in known)
            pairs = missing(file) if name == "additive" and every[-1] > FAR else ""
            rows.append(
                f"| {file} | {mine:.4f} | {known[best]:.4f} | {best} | {every[-1]:.3f} | {absent} | {pairs} |"
            )
        if rows:
            lines += [
                "",
                f"### {name} beside {', '.join(theirs)}",
                "",
                f"Median ratio {said_ratio(np.array(every))} over {len(every)} files (in brackets its standard error).",
                "",
                "| file | log loss | least of the peers | whose | ratio | no number of | pairs that shapes lack |",
                "|---|---:|---:|---|---:|---|---|",
                *rows,
            ]
    return lines


def missing_pairs(path: Path) -> str:
    """The pairs of attributes that say more than their shapes, by all rows."""
    table = table_of(path)
    assert table is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = acumen.Additive(pairs="auto").fit(table)
    return ", ".join(name for name in model.freedom_ if name not in table.schema.names) or "none found"


def _relative(found: Found, name: str, rows: dict[str, int]) -> Any:
    """By what learners are ordered: the ratio of errors, or where there is nothing to compare with, the errors."""
    of = ratios(found[name], found.get(FOREST, {}), 0, rows)
    return of if len(of) else np.array([error for error, _ in found[name].values()])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--files", nargs="*", default=[])
    parser.add_argument("--learners", nargs="*", default=[])
    parser.add_argument("--rows", type=int, default=None)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--kept", type=Path, default=Path(tempfile.gettempdir()) / "acumen-accuracy.json")
    parser.add_argument("--limits", nargs="*", type=int, default=LIMITS)
    parser.add_argument("--report", action="store_true")
    asked = parser.parse_args()
    multiprocessing.set_forkserver_preload(["acumen", "sklearn.ensemble", "pandas"])
    kept = Kept(asked.kept)
    files = tables(asked.data, asked.files, asked.rows)
    if not asked.report:
        run(asked.data, list(files), asked.learners, asked.threads, kept, asked.limits)
    text = report(
        numbers(kept, list(files)),
        files,
        unanswered(kept, list(files)),
        lambda file: kept.get(f"pairs of {file}", lambda: missing_pairs(asked.data / f"{file}.arff")),
    )
    print(text)
    if not asked.files and asked.rows is None:
        (Path(__file__).parent / "accuracy.md").write_text(text)


if __name__ == "__main__":
    main()
