"""How long ARFF files take to read, beside scipy.io.arff and liac-arff."""

from __future__ import annotations

import tempfile
from pathlib import Path

import arff as liac
import numpy as np
from clock import best
from scipy.io.arff import loadarff

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table


def mixed(n: int) -> Table:
    """Six numbers of 17 digits, four nominal attributes of 4 to 13 levels (one quoted), two classes."""
    rng = np.random.default_rng(0)
    nominal = [
        Attribute(f"n{j}", "nominal", tuple(f"level {k}" if j == 0 else f"v{k}" for k in range(4 + 3 * j)))
        for j in range(4)
    ]
    schema = Schema(
        (*(Attribute(f"x{j}") for j in range(6)), *nominal), Attribute("class", "nominal", ("no", "yes"))
    )
    return Table(
        schema,
        n,
        numeric=[rng.normal(size=n) * 10.0**j for j in range(6)],
        nominal=[rng.integers(0, len(a.levels), n).astype(np.int32) for a in nominal],
        labels=rng.integers(0, 2, n).astype(np.int32),
    )


def read_by_liac(path: Path) -> list[list[object]]:
    with path.open(encoding="utf-8") as file:
        return liac.load(file)["data"]  # type: ignore[no-any-return]


def check(path: Path) -> None:
    """All three give the same values."""
    table, (rows, meta), lists = acumen.read(path), loadarff(path), read_by_liac(path)
    for j, name in enumerate(meta.names()):
        mine = table.column(name).tolist()
        assert mine == [v.decode() if isinstance(v, bytes) else v for v in rows[name].tolist()], name
        assert mine == [row[j] for row in lists], name


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mixed.arff"
        table = mixed(100_000)
        written = best(lambda: table.write(path), 1)
        check(path)
        mine = best(lambda: acumen.read(path), 5)
        print(f"ARFF of 100,000 x 11, {path.stat().st_size / 1e6:.1f} MB")
        print(f"acumen.read    {mine:7.3f} s")
        print(f"acumen.scan    {best(lambda: sum(map(len, acumen.scan(path))), 3):7.3f} s")
        for name, work in (
            ("scipy.io.arff", lambda: loadarff(path)),
            ("liac-arff", lambda: read_by_liac(path)),
        ):
            theirs = best(work, 2)
            print(f"{name:14} {theirs:7.3f} s   {theirs / mine:5.1f} times as long")
        print(f"table.write    {written:7.3f} s")
