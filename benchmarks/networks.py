"""Bayesian networks beside pyAgrum, pgmpy and Weka: searches, queries, trees.

    python benchmarks/networks.py [climb] [query] [tan] [--peers PYTHON] [--skip-pgmpy]

PYTHON is an interpreter that has pyagrum, pgmpy and pandas (its own environment will do); without it acumen is timed
alone. Weka is Debian's (`apt-get install weka`); its time is of building the model alone, as it prints it. Scores of
all structures are acumen's BIC, which is bnlearn's to the digit, so that they can be compared.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from clock import interleaved

import acumen
from acumen.networks.network import Network
from acumen.networks.nodes import Node

WEKA = Path("/usr/share/java/weka.jar")
HERE = Path(__file__).parent


def alarm_like(seed: int = 0, n: int = 37, levels: int = 4) -> Network:
    """A network of alarm's size: 37 nodes, about 46 edges, at most four parents."""
    rng = np.random.default_rng(seed)
    parents: list[tuple[int, ...]] = []
    for v in range(n):
        count = min(v, int(rng.choice([0, 1, 2, 3], p=[0.25, 0.35, 0.3, 0.1])))
        near = np.arange(max(0, v - 8), v)
        parents.append(tuple(sorted(rng.choice(near, size=min(count, len(near)), replace=False).tolist())))
    tables = [rng.dirichlet(np.full(levels, 0.6), size=(levels,) * len(above)) for above in parents]
    nodes = tuple(Node(f"v{v}", tuple(f"l{i}" for i in range(levels))) for v in range(n))
    return Network(nodes, tuple(parents), tuple(tables), tuple(np.zeros(t.shape[:-1]) for t in tables))


def peer(python: str, who: str, path: Path, limit: int) -> dict | None:
    """What another maker says; None where it took more than `limit` seconds of processor time."""
    done = subprocess.run(
        [python, str(HERE / "networks_peers.py"), who, str(path)], capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
    )  # fmt: skip
    if done.returncode < 0:
        return None
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def climb(python: str | None, with_pgmpy: bool, orders: int = 4) -> None:
    """Columns are shuffled: of equal directions a search takes the first, which would favour the order of sampling."""
    net = alarm_like()
    sampled = net.sample(20_000, random_state=0)
    best = acumen.BayesNetwork(structure=net.edges).fit(sampled).score_
    print(f"searches, 20,000 x 37 of 4 levels; BIC of the network itself {best:.1f}, {len(net.edges)} edges")
    told: dict[str, list[tuple[float, float]]] = {}
    for order in range(orders):
        rows = sampled.select(np.random.default_rng(order).permutation(net.names).tolist())
        for structure in ("hill-climbing", "tabu"):
            learner = acumen.BayesNetwork(structure=structure, n_jobs=1)
            (ours,) = interleaved(3, lambda learner=learner, rows=rows: learner.fit(rows))
            told.setdefault(f"acumen, {structure}", []).append((ours.cpu, learner.score_))
        if python is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.csv"
            rows.to_pandas().to_csv(path, index=False)
            for who in ("pyagrum", *(("pgmpy",) if with_pgmpy and not order else ())):
                found = peer(python, who, path, 360)
                if found is None:
                    print(f"  {who}: stopped after 360 s of processor time")
                    continue
                judged = acumen.BayesNetwork(structure=[tuple(edge) for edge in found["edges"]]).fit(rows)
                told.setdefault(who, []).append((found["cpu"], judged.score_))
    least = np.mean([cpu for cpu, _ in told["acumen, hill-climbing"]])
    for who, each in told.items():
        cpu = float(np.mean([one[0] for one in each]))
        scores = ", ".join(f"{one[1]:.1f}" for one in each)
        print(f"  {who}: {cpu:.3f} s by the processor (x{cpu / least:.1f}); mean BIC "
              f"{np.mean([one[1] for one in each]):.1f} of {scores}")  # fmt: skip


def query(python: str | None) -> None:
    net = alarm_like()
    names = net.names
    asked = [
        (names[(i * 5) % 37], {names[(i * 7 + 3) % 37]: "l0", names[(i * 11 + 5) % 37]: "l1"})
        for i in range(20)
    ]
    asked = [(target, given) for target, given in asked if target not in given]
    times = [interleaved(3, lambda t=t, g=g: net.query(t, g))[0].cpu for t, g in asked]
    print(f"exact query of 37 nodes, two values given: median {np.median(times) * 1e3:.2f} ms, largest "
          f"{max(times) * 1e3:.2f} ms by the processor (wanted 10 ms)")  # fmt: skip
    if python is None:
        return
    from acumen.networks.bif import write_bif

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.bif"
        path.write_text(write_bif(net))
        found = peer(python, "pyagrum-query", path, 300)
        assert found is not None
        target, given = (
            names[(19 * 5) % 37],
            {names[(19 * 7 + 3) % 37]: "l0", names[(19 * 11 + 5) % 37]: "l1"},
        )
        away = np.abs(net.query(target, given).table - np.array(found["last"])).max()
        print(f"  pyagrum: median {found['cpu'] * 1e3:.2f} ms; the last answers differ by {away:.1e}")


def tan() -> None:
    rng = np.random.default_rng(0)
    n, d = 100_000, 20
    labels = rng.integers(0, 3, n).astype(np.int32)
    columns = []
    for j in range(d):
        before = columns[j - 1] if j else labels
        columns.append(
            ((before + labels * (j % 2) + (rng.random(n) < 0.4) * rng.integers(0, 4, n)) % 4).astype(np.int32)
        )
    attributes = tuple(acumen.Attribute(f"a{j}", "nominal", tuple("wxyz")) for j in range(d))
    schema = acumen.Schema(attributes, acumen.Attribute("class", "nominal", ("p", "q", "r")))
    rows = acumen.Table(schema, n, nominal=columns, labels=labels)
    learner = acumen.BayesNetwork(n_jobs=1)
    (ours,) = interleaved(3, lambda: learner.fit(rows))
    print(f"TAN, 100,000 x 20 of 4 levels: acumen {ours.cpu:.3f} s by the processor")
    if not WEKA.exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.arff"
        lines = [
            "@relation r",
            *(f"@attribute a{j} {{w,x,y,z}}" for j in range(d)),
            "@attribute class {p,q,r}",
            "@data",
        ]
        letters, classes = np.array(list("wxyz")), np.array(list("pqr"))
        cells = np.column_stack([*(letters[c] for c in columns), classes[labels]])
        path.write_text("\n".join(lines) + "\n" + "\n".join(map(",".join, cells.tolist())) + "\n")
        done = subprocess.run(
            ["java", "-Xmx2g", "-cp", str(WEKA), "weka.classifiers.bayes.BayesNet", "-t", str(path), "-no-cv",
             "-o", "-D", "-Q", "weka.classifiers.bayes.net.search.local.TAN"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        found = re.search(r"Time taken to build model: ([\d.]+) seconds", done.stdout)
        right = re.search(r"Correctly Classified Instances\s+(\d+)", done.stdout)
        if found is None or right is None:
            print(f"  Weka said nothing: {done.stderr[-200:]}")
            return
        own = int((learner.predict(rows) == rows.label_values()).sum())
        took = float(found.group(1))
        print(f"  Weka 3.6: {took:.2f} s, x{took / ours.cpu:.1f} (wanted 10); training rows right: acumen {own:,}, "
              f"Weka {int(right.group(1)):,}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=[])
    parser.add_argument("--peers")
    parser.add_argument("--skip-pgmpy", action="store_true")
    wish = parser.parse_args()
    parts = wish.parts or ["climb", "query", "tan"]
    if "climb" in parts:
        climb(wish.peers, not wish.skip_pgmpy)
    if "query" in parts:
        query(wish.peers)
    if "tan" in parts:
        tan()


if __name__ == "__main__":
    main()
