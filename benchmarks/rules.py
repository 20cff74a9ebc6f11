"""How fast rules are learned and applied, beside Weka's JRip, wittgenstein and Orange; and how good RIPPER's are.

    python benchmarks/rules.py [--quick]             times
    python benchmarks/rules.py --accuracy [FOLDER]   error and size beside JRip, by the same ten folds

FOLDER holds ARFF files, ../shared/data unless given. JRip needs Debian's `weka` and a compiler of Java; peers that are
not there are left out. Times of JRip are of learning alone, without the machine's start.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from clock import interleaved, line

import acumen
from acumen import Condition, Rule, RuleList

QUICK = "--quick" in sys.argv
WEKA = Path("/usr/share/java/weka.jar")
#: Too few rows for ten folds, halves of other files, and (JRip takes hours) the largest.
LEFT_OUT = ("contact-lenses", "weather.nominal", "weather.numeric", "monks-1-test", "spect_test", "letter")


def mixed(n: int, classes: int = 2, seed: int = 0) -> pd.DataFrame:
    """Eight numbers and six nominal columns; the class follows from a few of them, with a tenth of noise."""
    random = np.random.default_rng(seed)
    made = {f"x{j}": random.normal(size=n) for j in range(8)}
    made |= {f"c{j}": random.choice(list("abcdef"), n) for j in range(6)}
    score = (made["x0"] > 0.8).astype(int) + ((made["x1"] < -0.3) & (made["c0"] == "a"))
    score += (made["x2"] > 0.5) & (made["x3"] <= 0.2) & np.isin(made["c1"], ["b", "c"])
    label = np.minimum(score, classes - 1)
    noisy = random.random(n) < 0.1
    label = np.where(noisy, random.integers(0, classes, n), label)
    return pd.DataFrame(made | {"class": np.array(["no", "yes", "perhaps"])[label]})


def jrip(pairs: list[tuple[Path, Path, str]], scratch: Path) -> list[list[int]]:
    """Rows, errors, rules, milliseconds of wall and processor time of JRip on each pair of files."""
    source = Path(__file__).with_name("JRipRuns.java")
    subprocess.run(["javac", "-cp", str(WEKA), "-d", str(scratch), str(source)], check=True)
    listed = scratch / "pairs"
    listed.write_text("".join(f"{a}\t{b}\t{target}\n" for a, b, target in pairs))
    asked = ["java", "-Xmx2g", "-cp", f"{WEKA}:{scratch}", "JRipRuns", str(listed)]
    done = subprocess.run(asked, check=True, capture_output=True, text=True)
    return [list(map(int, row.split())) for row in done.stdout.splitlines()]


def has_weka() -> bool:
    return WEKA.exists() and subprocess.run(["which", "javac"], capture_output=True).returncode == 0


# -- times --------------------------------------------------------------------------------------------


def times() -> None:
    n = 3_000 if QUICK else 30_000
    frame = mixed(n)
    table = acumen.read(frame, target="class")
    print(f"RIPPER, {n:,} mixed rows of 14 columns")
    ours = interleaved(3, lambda: acumen.Ripper(random_state=0).fit(table))[0]
    print(f"  acumen {ours * 1e3:.0f} ms (processor {ours.cpu * 1e3:.0f} ms)")
    if has_weka():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "t.arff"
            table.write(path)
            _, _, rules, wall, cpu = jrip([(path, path, "class")], Path(folder))[0]
        print(f"  JRip   {wall} ms (processor {cpu} ms), {rules} rules: x{wall / ours / 1e3:.0f} "
              f"(processor x{cpu / ours.cpu / 1e3:.0f}; wanted 20)")  # fmt: skip
    try:
        import wittgenstein
    except ImportError:
        print("  wittgenstein is not installed")
    else:
        theirs = interleaved(
            1, lambda: wittgenstein.RIPPER(random_state=0).fit(frame, class_feat="class", pos_class="yes")
        )
        line("  wittgenstein", ours, theirs[0], 300)
    print("near-linear in rows:")
    for size in (n, 2 * n) if QUICK else (30_000, 60_000, 120_000, 240_000, 480_000):
        rows = acumen.read(mixed(size), target="class")
        took = interleaved(1, lambda rows=rows: acumen.Ripper(random_state=0).fit(rows))[0]
        print(f"  {size:>8,} rows {took * 1e3:8.0f} ms  (processor {took.cpu * 1e3:.0f} ms)", flush=True)
    cn2_times()
    prediction(50_000 if QUICK else 1_000_000)


def cn2_times() -> None:
    for size in (1_000,) if QUICK else (1_000, 5_000, 50_000):
        rows = acumen.read(mixed(size, 3), target="class")
        took = interleaved(1, lambda rows=rows: acumen.CN2().fit(rows))[0]
        print(
            f"CN2, {size:>7,} rows x 14, 3 classes {took * 1e3:8.0f} ms  (processor {took.cpu * 1e3:.0f} ms)",
            flush=True,
        )
        if size <= 5_000:
            try:
                import Orange
            except ImportError:
                print("  Orange is not installed")
                continue
            data = Orange.data.pandas_compat.table_from_frame(mixed(size, 3))
            domain = Orange.data.Domain(data.domain.variables[:-1], data.domain.variables[-1])
            data = data.transform(domain)
            start = time.perf_counter()
            Orange.classification.rules.CN2Learner()(data)
            line("  Orange", took, time.perf_counter() - start, 200)


def prediction(n: int) -> None:
    """A list of a hundred rules of three conditions, many of them shared."""
    random = np.random.default_rng(0)
    table = acumen.read(mixed(n), target="class")
    rules = []
    for at in range(100):
        two = random.choice(8, 2, replace=False)
        body = [
            Condition(f"x{j}", random.choice(["<=", ">"]), float(random.integers(-8, 9)) / 4) for j in two
        ]
        body.append(Condition(f"c{random.integers(6)}", "=", random.choice(list("abcdef"))))
        rules.append(Rule(tuple(body), ("no", "yes")[at % 2]))
    model = acumen.RuleClassifier(RuleList(tuple(rules), "no")).fit(table)
    took = interleaved(5, lambda: model.predict(table))[0]
    print(
        f"prediction of {n:,} rows by 100 rules {took * 1e3:.0f} ms  (processor {took.cpu * 1e3:.0f} ms; wanted 200 ms)"
    )


# -- accuracy -----------------------------------------------------------------------------------------


def accuracy(folder: Path) -> None:
    """A table for benchmarks/rules.md."""
    print("| table | rows | error, Ripper | error, JRip | rules, Ripper | rules, JRip |")
    print("|---|---|---|---|---|---|")
    errors, sizes = [], []
    for path in sorted(folder.glob("*.arff")):
        if path.stem in LEFT_OUT:
            continue
        table = acumen.read(path)
        target = table.schema.target
        if target is None or target.kind != "nominal":
            continue
        known = table.take(np.flatnonzero(table.labels >= 0))
        with tempfile.TemporaryDirectory() as scratch:
            pairs, wrong, rules = [], 0, 0
            for split in acumen.KFold(10).splits(len(known), known.labels, 0):
                train, test = known.take(split.train), known.take(split.test)
                learner = acumen.Ripper(random_state=split.fold).fit(train)
                wrong += round((1 - learner.score(test)) * len(test))
                rules += len(learner.to_rules()) + 1
                files = [Path(scratch) / f"{kind}{split.fold}.arff" for kind in ("train", "test")]
                train.write(files[0])
                test.write(files[1])
                pairs.append((files[0], files[1], target.name))
            found = np.array(jrip(pairs, Path(scratch)))
        theirs = found[:, 1].sum()
        errors.append(100 * (wrong - theirs) / len(known))
        sizes.append(rules / found[:, 2].sum())
        shares = f"{100 * wrong / len(known):.2f} % | {100 * theirs / len(known):.2f} %"
        print(f"| {path.stem} | {len(known):,} | {shares} | "
              f"{rules / 10:.1f} | {found[:, 2].mean():.1f} |", flush=True)  # fmt: skip
    print(f"\nMean difference of error {np.mean(errors):+.2f} points; rules as many as JRip's times "
          f"{np.exp(np.mean(np.log(sizes))):.2f} (geometric mean) of {len(errors)} tables.")  # fmt: skip


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if "--accuracy" in sys.argv:
        rest = [word for word in sys.argv[1:] if not word.startswith("--")]
        accuracy(Path(rest[0] if rest else Path(__file__).resolve().parents[1] / ".." / "shared" / "data"))
    else:
        times()
