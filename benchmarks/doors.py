"""How long the more doors take, each beside the library that fetches for it alone; and the memory scanning needs.

    python benchmarks/doors.py            PostgreSQL and SQLite 200,000 x 10, Parquet 1,000,000 x 20
    python benchmarks/doors.py memory     peak memory of `acumen.scan` on 1 GB of each kind (takes minutes, and disk)
    python benchmarks/doors.py memory sqlite jsonl ...

The PostgreSQL server is started for the occasion. The peers only fetch; acumen decides types, makes distinct
strings codes and hands over a table.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import acumen

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from postgres_server import reason_against, serving

RUNS = 7
GIGABYTE = 1_000_000_000
_MADE = """SELECT i::int AS id, i::bigint * 7919 % 100000 AS n, (i * 0.37)::float8 AS a, sqrt(i)::float8 AS b,
    round((i % 10007)::numeric / 7, 2) AS price, ln(i + 1)::float4 AS c, 'town ' || (i % 500) AS town,
    (ARRAY['red', 'green', 'blue'])[1 + i % 3] AS colour, i % 4 = 0 AS member, DATE '2015-01-01' + i % 3650 AS day
    FROM generate_series(1, {rows}) AS i"""


def best(works: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds of the fastest run of each; they take turns, so that a busy moment hits all alike."""
    taken = dict.fromkeys(works, float("inf"))
    for _ in range(RUNS):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            taken[name] = min(taken[name], time.perf_counter() - start)
    return taken


def told(title: str, taken: dict[str, float], wanted: float) -> None:
    (ours, mine), (peer, theirs) = taken.items()
    print(
        f"{title}: {ours} {mine * 1e3:.0f} ms, {peer} {theirs * 1e3:.0f} ms, {mine / theirs:.2f}x (wanted: {wanted}x)"
    )


# -- time -----------------------------------------------------------------------------------------


def postgres(rows: int = 200_000) -> None:
    """Beside ADBC fetching an Arrow table, both with a connection of their own."""
    import adbc_driver_postgresql.dbapi as dbapi

    with serving() as server:
        server.run(f"CREATE TABLE t AS {_MADE.format(rows=rows)}", "ANALYZE t")

        def alone() -> Any:
            with dbapi.connect(server.address) as connection, connection.cursor() as cursor:
                cursor.execute("SELECT * FROM t")
                return cursor.fetch_arrow_table()

        def ours() -> acumen.Table:
            return acumen.read(server.address, query="SELECT * FROM t")

        table, arrow = ours(), alone()
        assert len(table) == arrow.num_rows == rows
        assert np.array_equal(table.column("a"), arrow["a"].to_numpy())
        assert table.column("town").tolist() == arrow["town"].to_pylist()
        assert np.array_equal(table.column("price"), np.array(arrow["price"].to_pylist(), dtype=float))
        told(f"PostgreSQL, {rows:,} x 10", best({"acumen": ours, "ADBC alone": alone}), 1.2)


def made_rows(rows: int, start: int = 0) -> Iterator[tuple[Any, ...]]:
    """Ten columns: three integers, four numbers, three strings; some values missing."""
    towns = [f"town {i}" for i in range(500)]
    for i in range(start, start + rows):
        yield (
            i, i * 7919 % 100_000, i * 0.37, i**0.5, (i % 10_007) / 7, None if i % 50 == 0 else i * 0.01,
            towns[i % 500], ("red", "green", "blue")[i % 3], i % 4, "yes" if i % 7 < 3 else "no",
        )  # fmt: skip


NAMES = ("id", "n", "a", "b", "price", "c", "town", "colour", "size", "member")


def sqlite(rows: int = 200_000) -> None:
    """Beside sqlite3's own fetchmany, which throws the rows away."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.db"
        write_sqlite(path, rows)

        def alone() -> int:
            connection = sqlite3.connect(path)
            cursor, n = connection.execute("SELECT * FROM t"), 0
            while batch := cursor.fetchmany(16_384):
                n += len(batch)
            connection.close()
            return n

        def ours() -> acumen.Table:
            return acumen.read(f"sqlite:///{path}", query="SELECT * FROM t")

        table = ours()
        expected = list(zip(*made_rows(rows), strict=True))
        assert len(table) == alone() and table.column("town").tolist() == list(expected[6])
        assert np.array_equal(table.column("c"), np.array(expected[5], dtype=float), equal_nan=True)
        told(f"SQLite, {rows:,} x 10", best({"acumen": ours, "fetchmany alone": alone}), 1.5)


def write_sqlite(path: Path, rows: int) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute(f"CREATE TABLE t ({', '.join(NAMES)})")
    connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * 10)})", made_rows(rows))
    connection.commit()
    connection.close()


def parquet(rows: int = 1_000_000) -> None:
    """Beside pyarrow's read_table: once as it writes by default, once with many small row groups and strings."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    numbers = pa.table({f"x{j}": rng.normal(size=rows) for j in range(20)})
    towns = np.array([f"town {i}" for i in range(500)])
    mixed = pa.table(
        {f"x{j}": rng.normal(size=rows) for j in range(12)}
        | {f"i{j}": rng.integers(0, 1000, rows) for j in range(4)}
        | {f"s{j}": towns[rng.integers(0, 500, rows)] for j in range(4)}
    )
    with tempfile.TemporaryDirectory() as folder:
        for title, table, group in (("numbers", numbers, None), ("numbers, 64 row groups", numbers, rows // 64),
                                    ("mixed", mixed, None)):  # fmt: skip
            path = Path(folder) / "t.parquet"
            pq.write_table(table, path, row_group_size=group)
            found = acumen.read(path)
            assert np.array_equal(found.column("x3"), table["x3"].to_numpy())
            if title == "mixed":
                assert found.column("s1").tolist() == table["s1"].to_pylist()
            works: dict[str, Callable[[], object]] = {
                "acumen": lambda path=path: acumen.read(path),
                "pyarrow alone": lambda path=path: pq.read_table(path),
            }
            told(f"Parquet, {rows:,} x 20, {title}", best(works), 1.3)


# -- memory ---------------------------------------------------------------------------------------


def write_text(path: Path, block: bytes) -> None:
    with path.open("wb") as file:
        for _ in range(GIGABYTE // len(block) + 1):
            file.write(block)


def write_parquet(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    towns = np.array([f"town {i}" for i in range(500)])
    writer = None
    while writer is None or path.stat().st_size < GIGABYTE:
        block = pa.table(
            {f"x{j}": rng.normal(size=100_000) for j in range(9)}
            | {"t": towns[rng.integers(0, 500, 100_000)]}
        )
        writer = writer or pq.ParquetWriter(path, block.schema)
        writer.write_table(block)
    writer.close()


def write_arrow(path: Path) -> None:
    import pyarrow as pa

    rng = np.random.default_rng(0)
    block = pa.record_batch({f"x{j}": rng.normal(size=100_000) for j in range(10)})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, block.schema) as writer:
        for _ in range(GIGABYTE // block.nbytes + 1):
            writer.write_batch(block)


def jsonl_block() -> bytes:
    return "".join(
        json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in made_rows(20_000)
    ).encode()


def svm_block() -> bytes:
    rng = np.random.default_rng(0)
    lines = []
    for i in range(20_000):
        held = sorted(rng.choice(5_000, 12, replace=False).tolist())
        lines.append(
            f"{1 if i % 3 else -1} "
            + " ".join(f"{j + 1}:{v:.4f}" for j, v in zip(held, rng.random(12), strict=True))
        )
    return ("\n".join(lines) + "\n").encode()


def basket_block() -> bytes:
    rng = np.random.default_rng(0)
    return "".join(
        " ".join(map(str, rng.integers(0, 5_000, 12).tolist())) + "\n" for _ in range(20_000)
    ).encode()


def fixed_block() -> bytes:
    return "".join(
        f"{i % 1000:>8}{i * 0.37 % 9999:>12.4f}{'town ' + str(i % 500):>12}{i % 7:>6}  {'yes' if i % 3 else 'no':<4}\n"
        for i in range(20_000)
    ).encode()


WRITERS: dict[str, Callable[[Path], None]] = {
    "t.db": lambda path: write_sqlite(path, 14_500_000),
    "t.parquet": write_parquet,
    "t.arrow": write_arrow,
    "t.jsonl": lambda path: write_text(path, jsonl_block()),
    "t.svm": lambda path: write_text(path, svm_block()),
    "t.basket": lambda path: write_text(path, basket_block()),
    "t.fwf": lambda path: write_text(path, fixed_block()),
}


def memory(chosen: list[str]) -> None:
    """Peak memory of a process that scans 1 GB and looks at every part."""
    for name, write in WRITERS.items():
        if not chosen or name[2:] in chosen:
            with tempfile.TemporaryDirectory(prefix="doors-", dir="/tmp") as folder:
                path = Path(folder) / name
                write(path)
                scanned(name[2:], str(path), path.stat().st_size)
    if (not chosen or "postgres" in chosen) and reason_against() is None:
        with serving() as server:
            server.run(f"CREATE UNLOGGED TABLE t AS {_MADE.format(rows=12_000_000)}")
            size = int(server.run("SELECT pg_table_size('t')"))
            scanned("postgres", server.address, size)


def scanned(kind: str, source: str, size: int) -> None:
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, __file__, "one", source], capture_output=True, text=True, check=True
    ).stdout
    rows, peak = done.split()
    print(
        f"{kind}: {size / 1e9:.2f} GB, {int(rows):,} rows, {time.perf_counter() - start:.1f} s, peak {peak} MB"
    )


def one(source: str) -> None:
    rows = sum(len(part) for part in acumen.scan(source))
    # Not getrusage: that begins with what the process that started this one had in use.
    status = Path("/proc/self/status").read_text()
    print(rows, int(status.partition("VmHWM:")[2].split()[0]) // 1024)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["memory", *chosen]:
            memory(chosen)
        case ["one", source]:
            one(source)
        case _:
            if (reason := reason_against()) is None:
                postgres()
            else:
                print(f"PostgreSQL left out: {reason}")
            sqlite()
            parquet()
