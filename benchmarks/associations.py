"""How fast itemsets and class rules are found, beside mlxtend, rusket, pyfim and pyARC, and in how much memory.

    python benchmarks/associations.py [PART ...] [--quick] [--data FOLDER]

Parts, all of them unless named: `mushroom` at 10 % and `groceries` at 0.1 %, which are FOLDER/baskets/mushroom.dat and
groceries.csv (../shared/data unless given); `memory` of mushroom's search; `synthetic` baskets in the style of T10I4;
`cba` beside pyARC; `folds`: ten of them from one pass; `large`: 100,000 rows of 40 attributes, time and memory.
Itemsets are arrays here: parents, items and counts, as the search leaves them. Tools that are not installed are left
out. `--quick` makes one round of small work.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from clock import interleaved, line

import acumen
from acumen.associations.baskets import Baskets

QUICK = False
FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"


def synthetic(n: int = 100_000, items: int = 870, seed: int = 0) -> Baskets:
    """Baskets in the style of T10I4D100K: ten items on average, drawn from overlapping patterns of four."""
    random = np.random.default_rng(seed)
    weights = random.exponential(size=2000)
    patterns = [random.choice(items, max(1, random.poisson(4)), replace=False) for _ in range(2000)]
    rows = []
    sizes, drawn = (
        np.maximum(random.poisson(10, n), 1),
        random.choice(2000, (n, 6), p=weights / weights.sum()),
    )
    for size, some in zip(sizes.tolist(), drawn.tolist(), strict=True):
        held: set[int] = set()
        for pattern in some:
            if len(held) >= size:
                break
            kept = patterns[pattern]
            held.update(kept[random.random(len(kept)) < 0.75].tolist())
        rows.append(np.array(sorted(held), dtype=np.int32))
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return Baskets(tuple(map(str, range(items))), starts, np.concatenate(rows), np.full(items, -1, np.int32))


def frame(baskets: Baskets) -> Any:
    """The baskets as a frame of truth values."""
    import pandas as pd

    bits = np.zeros((len(baskets), baskets.n_items), dtype=bool)
    bits[np.repeat(np.arange(len(baskets)), np.diff(baskets.starts)), baskets.items] = True
    return pd.DataFrame(bits, columns=[str(name) for name in baskets.names])


def peers(baskets: Baskets, support: float) -> dict[str, Callable[[], Any]]:
    """Everything that is installed, each on the form of baskets it likes best."""
    found: dict[str, Callable[[], Any]] = {}
    table = frame(baskets)
    try:
        from mlxtend.frequent_patterns import fpgrowth

        found["mlxtend fpgrowth"] = lambda: fpgrowth(table, min_support=support)
    except ImportError:
        pass
    try:
        import rusket

        for name in ("FPGrowth", "Eclat", "LCM", "FIN"):
            made = getattr(rusket, name)
            found[f"rusket {name}"] = lambda made=made: made(
                table, min_support=support, use_colnames=False
            ).mine()
    except ImportError:
        pass
    try:
        import fim

        lists = [row.tolist() for row in np.split(baskets.items, baskets.starts[1:-1])]
        found["pyfim eclat"] = lambda: fim.eclat(lists, target="s", supp=100 * support, report="a")
        found["pyfim fpgrowth"] = lambda: fim.fpgrowth(lists, target="s", supp=100 * support, report="a")
    except ImportError:
        pass
    return found


WANTED = {"mlxtend": 200.0, "rusket": 2.0, "pyfim": 3.0}


def itemsets(name: str, baskets: Baskets, support: float) -> None:
    """One table of baskets, all tools; the figures that are wanted are of mushroom at 10 %."""

    def ours() -> Any:
        return acumen.frequent_itemsets(baskets, min_support=support)

    print(f"{name}: {len(baskets):,} baskets, {len(ours()):,} sets", flush=True)
    for peer, work in peers(baskets, support).items():
        repeats = 1 if QUICK or peer.startswith("mlxtend") else 5
        try:
            mine, theirs = interleaved(repeats, ours, work)
        except Exception as error:  # a peer's own failure is not ours to mend
            print(f"  {peer}: {type(error).__name__}: {str(error)[:80]}")
            continue
        wanted = WANTED[peer.split()[0]] if name == "mushroom 10 %" else None
        line(f"  {peer}", mine, theirs, wanted)


def nominal(n: int, width: int, levels: int = 4, seed: int = 0) -> acumen.Table:
    """Rows of nominal attributes that tell something of two classes."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, levels, (n, width)).astype(np.int32)
    score = (codes[:, 0] == 1) + (codes[:, 1] == 2) * (codes[:, 2] != 0) + random.normal(0, 0.7, n)
    named = tuple(
        acumen.Attribute(f"a{j}", "nominal", tuple(f"v{level}" for level in range(levels)))
        for j in range(width)
    )
    schema = acumen.Schema(named, acumen.Attribute("y", "nominal", ("no", "yes")))
    labels = (score > 0.8).astype(np.int32)
    return acumen.Table(schema, n, nominal=list(np.ascontiguousarray(codes.T)), labels=labels)


def warm() -> None:
    """What is imported once is no part of a fit."""
    acumen.assess(acumen.CBA(max_conditions=2), nominal(60, 3), acumen.KFold(3), random_state=0)


def cba() -> None:
    """One fit beside pyARC's, of the same rows at the same thresholds."""
    small = nominal(500 if QUICK else 5000, 15)
    try:
        import pyarc

        rows = pyarc.TransactionDB.from_DataFrame(small.to_pandas())
        warm()
        (mine,) = interleaved(5, lambda: acumen.CBA(max_conditions=3).fit(small))
        (theirs,) = interleaved(1, lambda: pyarc.CBA(support=0.01, confidence=0.5, maxlen=4).fit(rows))
        wanted = None if QUICK else 500
        line(f"CBA of {len(small):,} x 15, at most 3 conditions, beside pyARC", mine, theirs, wanted)
    except Exception as error:
        print(f"  pyARC: {type(error).__name__}: {str(error)[:80]}")


def folds() -> None:
    """Ten folds from one pass, beside one fit."""
    small = nominal(500 if QUICK else 5000, 15)
    warm()
    one, ten = interleaved(
        1 if QUICK else 7,
        lambda: acumen.CBA(max_conditions=3).fit(small),
        lambda: acumen.assess(acumen.CBA(max_conditions=3), small, acumen.KFold(10), random_state=0),
    )
    print(
        f"10-fold CBA of {len(small):,} x 15: {ten * 1e3:.0f} ms beside {one * 1e3:.0f}, x{ten / one:.2f} of one fit "
        f"(processor {ten.cpu * 1e3:.0f}, {one.cpu * 1e3:.0f} ms: x{ten.cpu / one.cpu:.2f})"
        + ("" if QUICK else " (wanted at most 3)")
    )


def large() -> None:
    """Many rows of many attributes: time, and memory beyond the table in a process of its own."""
    n = 10_000 if QUICK else 100_000
    rows = nominal(n, 40)
    warm()
    (took,) = interleaved(1 if QUICK else 3, lambda: acumen.CBA(max_conditions=3).fit(rows))
    wanted = "" if QUICK else " (wanted 2 s)"
    print(
        f"CBA of {n:,} x 40, at most 3 conditions: {took:.2f} s, processor {took.cpu:.2f} s{wanted}",
        flush=True,
    )
    apart(
        "import sys; sys.path.insert(0, " + repr(str(Path(__file__).parent)) + ")\n"
        "import acumen, associations\n"
        "acumen.CBA(max_conditions=2).fit(associations.nominal(200, 5))\n"
        f"rows = associations.nominal({n}, 40)\n"
        + MARKED
        + "f = acumen.CBA(max_conditions=3).fit(rows); more = told('VmHWM') - before\n"
        "print(f'memory of the same: {more:.1f} MB beyond the table (wanted at most 100 MB)')"
    )


#: The mark of the most memory never falls, and reading data sets it higher than a search does; so it is set back before
#: the search, which Linux can.
MARKED = (
    "told = lambda word: next(int(l.split()[1]) for l in open('/proc/self/status') if l.startswith(word)) / 1024\n"
    "open('/proc/self/clear_refs', 'w').write('5')\n"
    "before = told('VmRSS')\n"
)


def apart(code: str) -> None:
    """Run what measures memory in a process of its own, where that can be measured."""
    if Path("/proc/self/clear_refs").exists():
        subprocess.run([sys.executable, "-c", code], check=True)


def memory() -> None:
    """What a search holds besides its baskets."""
    apart(
        "import acumen; from acumen.associations.baskets import Baskets\n"
        f"b = Baskets.of({str(FOLDER / 'baskets' / 'mushroom.dat')!r}); acumen.frequent_itemsets(b, min_support=0.9)\n"
        + MARKED
        + "f = acumen.frequent_itemsets(b, min_support=0.1); more = told('VmHWM') - before\n"
        "sets = 12 * len(f) / 1e6\n"
        "print(f'memory of mushroom 10 %: {more:.1f} MB more, of which {sets:.1f} MB are sets (wanted at most '\n"
        "      f'{sets + 10:.1f} MB)')"
    )


def mushroom() -> None:
    baskets = Baskets.of(FOLDER / "baskets" / "mushroom.dat")
    itemsets(*("mushroom 40 %", baskets, 0.4) if QUICK else ("mushroom 10 %", baskets, 0.1))


def groceries() -> None:
    itemsets("groceries 0.1 %", Baskets.of(FOLDER / "baskets" / "groceries.csv"), 0.001)


def drawn() -> None:
    itemsets("synthetic 0.2 %", synthetic(5_000 if QUICK else 100_000), 0.002)


PARTS = {
    "mushroom": mushroom, "groceries": groceries, "memory": memory, "synthetic": drawn, "cba": cba, "folds": folds,
    "large": large,
}  # fmt: skip


def main() -> None:
    global QUICK, FOLDER
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="one round of small work")
    parser.add_argument("--data", type=Path, default=FOLDER, metavar="FOLDER")
    given = parser.parse_args()
    QUICK, FOLDER = given.quick, given.data
    for name in given.parts or PARTS:
        if name not in PARTS:
            parser.error(f"there is no part {name!r}; there are {', '.join(PARTS)}")
        if name in ("mushroom", "groceries", "memory") and not (FOLDER / "baskets").is_dir():
            print(f"{name}: there is no {FOLDER / 'baskets'}")
            continue
        PARTS[name]()


if __name__ == "__main__":
    main()
