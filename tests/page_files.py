"""The files that pages of the guide speak of as a reader's own: written into the folder where a page's blocks run."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

import acumen
from churn import write_churn

ROOT = Path(__file__).resolve().parents[1]


def customers(
    path: Path,
    target: str = "churned",
    rows: int = 240,
    seed: int = 0,
    answers: tuple[str, str] = ("yes", "no"),
) -> None:
    """Customers who leave or stay."""
    rng = np.random.default_rng(seed)
    age, calls = rng.integers(18, 80, rows), rng.poisson(2.0, rows)
    plan, region = rng.choice(["basic", "plus", "family"], rows), rng.choice(["north", "south"], rows)
    leaves = rng.random(rows) < 1 / (1 + np.exp(-(0.9 * calls - 0.03 * age - (plan == "family"))))
    columns = (age, plan, region, calls, np.where(leaves, *answers))
    lines = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    path.write_text("\n".join([f"age,plan,region,calls,{target}", *lines]) + "\n")


def churning(folder: Path) -> None:
    """customers.csv, and later and new ones, for the target `churned`."""
    for seed, name in enumerate(("customers.csv", "later.csv", "new.csv", "train.csv")):
        customers(folder / name, seed=seed)


def grouped(folder: Path) -> None:
    """Few customers: how many groups there are is asked in many ways."""
    for seed, name in enumerate(("customers.csv", "new.csv")):
        customers(folder / name, rows=60, seed=seed)


def deciding(folder: Path) -> None:
    for seed, name in enumerate(("churn.csv", "new.csv")):
        customers(folder / name, "churn", seed=seed)


def learned(folder: Path) -> None:
    """churn.acm and a few new customers."""
    customers(folder / "train.csv")
    acumen.save(
        acumen.Logistic().fit(acumen.read(folder / "train.csv", target="churned")), folder / "churn.acm"
    )
    customers(folder / "new.csv", rows=5, seed=1)


def walking(folder: Path) -> None:
    """The customers of an office, with every trouble."""
    write_churn(folder / "customers.csv", 1200)
    for seed, name in enumerate(("later.csv", "new.csv")):
        write_churn(folder / name, 300, seed=8 + seed)


def readme(folder: Path) -> None:
    """The folder of a clone, and houses."""
    examples(folder)
    iris_and_houses(folder)


def examples(folder: Path) -> None:
    """The folder of a clone."""
    (folder / "examples").symlink_to(ROOT / "examples")


def iris_and_houses(folder: Path) -> None:
    acumen.datasets.load("iris").take(slice(3, 150, 9)).write(folder / "new.csv")
    lines = [f"{40 + 7 * i % 90},{i % 4},{100 + 3 * (7 * i % 90) + i % 5}" for i in range(60)]
    (folder / "houses.csv").write_text("\n".join(["area,rooms,price", *lines]) + "\n")


def arff(folder: Path) -> None:
    (folder / "credit-g.arff").write_text(
        "@relation credit\n@attribute duration numeric\n@attribute housing {own, rent}\n@attribute class {good, bad}\n"
        "@data\n12, own, good\n24, rent, bad\n?, own, good\n"
    )
    (folder / "spect.arff").write_text(
        "@relation spect\n@attribute OVERALL_DIAGNOSIS {0, 1}\n@attribute F1 {0, 1}\n@data\n1, 0\n0, 1\n1, 1\n"
    )


def baskets(folder: Path) -> None:
    rng = np.random.default_rng(0)
    foods = ("milk", "bread", "butter", "tea", "jam", "sugar")
    lines = [",".join(food for food in foods if rng.random() < 0.4) for _ in range(60)]
    (folder / "groceries.csv").write_text("\n".join(line or "milk" for line in lines) + "\n")
    codes = [sorted(rng.choice(9, 4, replace=False).tolist()) for _ in range(40)]
    (folder / "mushroom.dat").write_text("\n".join(" ".join(map(str, line)) for line in codes) + "\n")


def survey(folder: Path) -> None:
    rng = np.random.default_rng(0)
    leans = [str(rng.choice(["left", "right"])) if i % 7 else "?" for i in range(60)]
    lines = [f"{rng.integers(18, 90)},{lean},{'ab'[i % 2]}" for i, lean in enumerate(leans)]
    (folder / "survey.csv").write_text("\n".join(["age,lean,vote", *lines]) + "\n")


def asia(folder: Path) -> None:
    """Patients of the chest clinic, drawn by its published probabilities."""
    rng = np.random.default_rng(0)
    n = 2000
    a, s = rng.random(n) < 0.3, rng.random(n) < 0.5
    parents = ((a, 0.3, 0.05), (s, 0.3, 0.02), (s, 0.6, 0.3))
    t, lung, b = (rng.random(n) < np.where(on, high, low) for on, high, low in parents)
    e = t | lung
    x = rng.random(n) < np.where(e, 0.98, 0.05)
    d = rng.random(n) < np.where(e, np.where(b, 0.9, 0.7), np.where(b, 0.8, 0.1))
    rows = [
        ",".join("yes" if value else "no" for value in row)
        for row in zip(a, s, t, lung, b, e, x, d, strict=True)
    ]
    (folder / "asia.csv").write_text("\n".join(["A,S,T,L,B,E,X,D", *rows]) + "\n")


def people(folder: Path) -> None:
    (folder / "people.csv").write_text("name,height,class\nAnn,171,a\nBob,182,b\nEve,165,a\nKim,?,b\n")
    (folder / "odd.txt").write_text("% odd\n'a'|1,5|x\n'b'|2,5|y\n")


def parts(folder: Path) -> None:
    (folder / "parts").mkdir()
    for part in range(1, 4):
        customers(folder / "parts" / f"{part:04d}.csv", seed=part)


def loans(folder: Path) -> None:
    """loans.csv of payments, and loans.db with the table `loans` of the built-in loan."""
    lines = [
        f"{1000 + 37 * i % 4000},{'own' if i % 3 else 'rent'},{'yes' if i % 4 else 'no'}" for i in range(80)
    ]
    (folder / "loans.csv").write_text("\n".join(["sum,house,paid", *lines]) + "\n")
    frame = acumen.datasets.load("loan").to_pandas().astype(str)
    with sqlite3.connect(folder / "loans.db") as base:
        frame.to_sql("loans", base, index=False)
    base.close()


def spaces(folder: Path) -> None:
    (folder / "rows.csv").write_text("A,B,C,class\nY,Y,N,+\nN,N,N,+\nY,N,Y,-\n")


def weka(folder: Path) -> None:
    """The weather, as an ARFF file."""
    weather = acumen.datasets.load("weather")
    weather.write(folder / "weather.arff")
    weather.take(slice(0, 14, 3)).write(folder / "later.arff")


def steps(folder: Path) -> None:
    (folder / "rows.csv").write_text("A,B\nm,q\n")


def parquet(folder: Path) -> None:
    rng = np.random.default_rng(0)
    for name in ("data", "new"):
        (folder / name).mkdir()
        for part in range(2):
            u, v = rng.normal(size=(2, 50))
            frame = pd.DataFrame({"u": u, "v": v, "y": np.where(u + v > 0, "a", "b")})
            frame.to_parquet(folder / name / f"{part}.parquet")


#: Which files a page speaks of.
FILES: dict[str, Callable[[Path], None]] = {
    "README.md": readme,
    "arff.md": arff,
    "associations.md": baskets,
    "cli.md": walking,
    "clusters.md": grouped,
    "coming/weka.md": weka,
    "completing.md": survey,
    "dask.md": parquet,
    "deciding.md": deciding,
    "explaining.md": learned,
    "figures.md": examples,
    "index.md": churning,
    "inspect.md": churning,
    "judging.md": churning,
    "networks.md": asia,
    "reading.md": people,
    "scale.md": parts,
    "start.md": examples,
    "steps.md": steps,
    "svm.md": iris_and_houses,
    "trees.md": loans,
    "version-spaces.md": spaces,
}
