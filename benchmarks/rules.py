"""How fast rules are learned and applied, beside Weka's JRip, wittgenstein and Orange; and how good RIPPER's are.

    python benchmarks/rules.py                    all parts but the last, one after the other
    python benchmarks/rules.py jrip               RIPPER on 30,000 mixed rows of 14 columns, beside JRip
    python benchmarks/rules.py wittgenstein       the same rows, of two classes, beside wittgenstein (minutes)
    python benchmarks/rules.py growth             the cost as rows double to 480,000
    python benchmarks/rules.py orange             CN2 on 1,000 and 5,000 rows, beside Orange's (minutes)
    python benchmarks/rules.py cn2                CN2 on 50,000 rows
    python benchmarks/rules.py predict            1,000,000 rows answered by a hundred rules
    python benchmarks/rules.py accuracy [--folder FOLDER]     error and size beside JRip, by the same ten folds
    python benchmarks/rules.py --quick jrip cn2   a tenth of the rows, to try it out

JRip needs Debian's `weka` and a compiler of Java; its times are of learning alone, without the machine's start.
wittgenstein and Orange run in an interpreter of their own: this one, or that of another environment by
--peer-python ENVIRONMENT/bin/python. Peers that are not there are left out. FOLDER holds ARFF files, ../shared/data
unless given.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from clock import Took, interleaved, line

import acumen
from acumen import Condition, Rule, RuleList

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


def peer(name: str, frame: pd.DataFrame, python: str) -> Took | None:
    """What one fit of another package took (`rules_peers.py`); None where it is not installed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        frame.to_csv(path, index=False)
        script = Path(__file__).with_name("rules_peers.py")
        done = subprocess.run([python, str(script), name, str(path)], capture_output=True, text=True)
    if done.returncode == 3:
        print(f"  {name} is not installed: {done.stderr.strip()}")
        return None
    done.check_returncode()
    told = json.loads(done.stdout.splitlines()[-1])
    print(f"  {name}: {told['rules']} rules, right on {100 * told['right']:.1f} % of the rows", flush=True)
    return Took(told["wall"], told["cpu"])


def ours(learner: acumen.Classifier, table: acumen.Table, repeats: int = 3) -> Took:
    took = interleaved(repeats, lambda: learner.fit(table))[0]
    print(f"  acumen: {len(learner.to_rules())} rules, right on {100 * learner.score(table):.1f} % of the rows, "
          f"{took * 1e3:.0f} ms (processor {took.cpu * 1e3:.0f} ms)", flush=True)  # fmt: skip
    return took


# -- times --------------------------------------------------------------------------------------------


def beside_jrip(n: int) -> None:
    table = acumen.read(mixed(n), target="class")
    print(f"RIPPER, {n:,} mixed rows of 14 columns")
    mine = ours(acumen.Ripper(random_state=0), table, 5)
    if not has_weka():
        print("  JRip is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.arff"
        table.write(path)
        _, wrong, rules, wall, cpu = jrip([(path, path, "class")], Path(folder))[0]
    print(f"  JRip: {rules} rules, right on {100 - 100 * wrong / n:.1f} % of the rows")
    line("  RIPPER beside JRip", mine, Took(wall / 1e3, cpu / 1e3), 20)


def beside_wittgenstein(n: int, python: str) -> None:
    frame = mixed(n)
    print(f"RIPPER, {n:,} mixed rows of 14 columns, two classes")
    mine = ours(acumen.Ripper(random_state=0), acumen.read(frame, target="class"), 5)
    theirs = peer("wittgenstein", frame, python)
    if theirs is not None:
        line("  RIPPER beside wittgenstein", mine, theirs, 300)


def growth(most: int) -> None:
    print("RIPPER as rows double")
    for halvings in (4, 3, 2, 1, 0):
        size = most >> halvings
        rows = acumen.read(mixed(size), target="class")
        took = interleaved(2, lambda rows=rows: acumen.Ripper(random_state=0).fit(rows))[0]
        print(f"  {size:>8,} rows {took * 1e3:8.0f} ms  (processor {took.cpu * 1e3:.0f} ms; "
              f"{took.cpu / size * 1e6:.2f} us a row)", flush=True)  # fmt: skip


def beside_orange(sizes: list[int], python: str) -> None:
    for size in sizes:
        frame = mixed(size, 3)
        print(f"CN2, {size:,} rows x 14, 3 classes")
        mine = ours(acumen.CN2(), acumen.read(frame, target="class"))
        theirs = peer("orange", frame, python)
        if theirs is not None:
            line("  CN2 beside Orange's", mine, theirs, 200)


def large_cn2(n: int) -> None:
    print(f"CN2, {n:,} rows x 14, 3 classes (wanted: within 60 s)")
    ours(acumen.CN2(), acumen.read(mixed(n, 3), target="class"), 1)


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
    print(f"prediction of {n:,} rows by 100 rules {took * 1e3:.0f} ms  (processor {took.cpu * 1e3:.0f} ms; "
          "wanted 200 ms)")  # fmt: skip


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
    print(f"\nMean difference of error {np.mean(errors):+.2f} points; number of rules relative to JRip "
          f"{np.exp(np.mean(np.log(sizes))):.2f} (geometric mean) of {len(errors)} tables.")  # fmt: skip


def main() -> None:
    parts = ("jrip", "wittgenstein", "growth", "orange", "cn2", "predict", "accuracy")
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts))
    asked.add_argument("--quick", action="store_true", help="a tenth of the rows")
    asked.add_argument("--peer-python", default=sys.executable, metavar="PYTHON", help="where peers are")
    folder = Path(__file__).resolve().parents[1] / ".." / "shared" / "data"
    asked.add_argument("--folder", type=Path, default=folder, help="of ARFF files, for accuracy")
    given = asked.parse_args()
    if unknown := set(given.parts) - set(parts):
        asked.error(f"there is no part {unknown.pop()!r}; parts are {', '.join(parts)}")
    share = 10 if given.quick else 1
    for part in given.parts or parts[:-1]:
        match part:
            case "jrip":
                beside_jrip(30_000 // share)
            case "wittgenstein":
                beside_wittgenstein(30_000 // share, given.peer_python)
            case "growth":
                growth(480_000 // share)
            case "orange":
                beside_orange([1_000 // share, 5_000 // share], given.peer_python)
            case "cn2":
                large_cn2(50_000 // share)
            case "predict":
                prediction(1_000_000 // share)
            case _:
                accuracy(given.folder)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
