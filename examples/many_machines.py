"""Train and predict on a cluster of two processes, with a table in several files: the model equals that of one machine.

Run it as a program: a local cluster starts processes, which read this file again, so work stands behind
`if __name__ == "__main__":`.
"""

import tempfile
from pathlib import Path

import numpy as np

import acumen


def written(folder: Path, files: int = 3, rows: int = 4_000) -> str:
    """Some CSV files of one table; the pattern that names them all."""
    rng = np.random.default_rng(0)
    for i in range(files):
        x = rng.normal(size=(rows, 2)).round(3)
        y = np.where(x.sum(axis=1) + rng.normal(size=rows) > 0, "up", "down")
        lines = [f"{a},{b},{label}" for (a, b), label in zip(x, y, strict=True)]
        (folder / f"part{i}.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n")
    return str(folder / "part*.csv")


def main() -> None:
    try:
        import distributed  # noqa: F401 - only to see whether it is there
    except ImportError:
        print("this example needs the package distributed: pip install 'acumen[dask]'")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pattern = written(folder)
        here = acumen.NaiveBayes().fit_stream(acumen.scan(pattern, target="y"))
        with acumen.engine("dask", workers=2):
            there = acumen.NaiveBayes().fit_stream(acumen.scan(pattern, target="y"))
            made = acumen.predict_parts(
                there, acumen.scan(pattern, target="y"), folder / "answers", form="csv"
            )
        acumen.save(here, folder / "here.acm")
        acumen.save(there, folder / "there.acm")
        same = (folder / "here.acm").read_bytes() == (folder / "there.acm").read_bytes()
        print(f"learned from {there.training_['rows']:,} rows; the same file as on one machine: {same}")
        print(f"predicted {made.rows:,} rows into {len(made.files)} file(s)")


if __name__ == "__main__":
    main()
