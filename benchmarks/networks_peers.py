"""Other makers' Bayesian networks, run in their own environment: prints JSON of edges and times.

python networks_peers.py pyagrum|pgmpy|pyagrum-query DATA.csv [MAX_PARENTS]
"""

from __future__ import annotations

import json
import os
import sys
import time


def timed(work):
    wall, cpu = time.perf_counter(), processor()
    found = work()
    return found, time.perf_counter() - wall, processor() - cpu


def processor() -> float:
    """Seconds of this process and of those it started that have ended."""
    own = os.times()
    return own.user + own.system + own.children_user + own.children_system


def pyagrum(path: str, most: int) -> None:
    import pandas
    import pyagrum as gum

    rows = pandas.read_csv(path, dtype=str)

    def learn():
        learner = gum.BNLearner(rows)
        learner.useScoreBIC()
        learner.useNoPrior()
        learner.setMaxIndegree(most)
        learner.setNumberOfThreads(1)
        learner.useGreedyHillClimbing()
        return learner.learnBN()

    made, wall, cpu = timed(learn)
    names = [[made.variable(a).name(), made.variable(b).name()] for a, b in made.arcs()]
    print(json.dumps({"edges": names, "wall": wall, "cpu": cpu}))


def pyagrum_query(path: str, most: int) -> None:
    import pyagrum as gum

    net = gum.loadBN(path)
    names = [net.variable(v).name() for v in net.nodes()]
    times = []
    for i in range(20):
        engine = gum.LazyPropagation(net)
        engine.setEvidence({names[(i * 7 + 3) % len(names)]: 0, names[(i * 11 + 5) % len(names)]: 1})
        found, _, cpu = timed(
            lambda engine=engine, i=i: engine.posterior(names[(i * 5) % len(names)]).tolist()
        )
        times.append(cpu)
    print(json.dumps({"cpu": sorted(times)[len(times) // 2], "last": found}))


def pgmpy(path: str, most: int) -> None:
    import pandas
    from pgmpy.estimators import HillClimbSearch

    rows = pandas.read_csv(path, dtype=str).astype("category")

    def learn():
        return HillClimbSearch(rows).estimate(scoring_method="bic-d", max_indegree=most, show_progress=False)

    made, wall, cpu = timed(learn)
    print(json.dumps({"edges": [list(edge) for edge in made.edges()], "wall": wall, "cpu": cpu}))


if __name__ == "__main__":
    who, path = sys.argv[1:3]
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    {"pyagrum": pyagrum, "pgmpy": pgmpy, "pyagrum-query": pyagrum_query}[who](path, most)
