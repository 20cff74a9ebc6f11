"""What `benchmarks/scale.py peers` runs in an environment of its own: dask-ml's GaussianNB, XGBoost's dask hist.

python benchmarks/scale_peers.py FILE.parquet

Prints a line of JSON for each: two warm workers of one thread, the median of three, from the call to the model.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any


def median(work: Callable[[], Any], client: Any, repeats: int = 3) -> tuple[float, float]:
    """Seconds, and those of processor in this process and the workers."""

    def used() -> float:
        return time.process_time() + sum(client.run(time.process_time).values())

    wall, cpu = [], []
    for _ in range(repeats):
        before, start = used(), time.perf_counter()
        work()
        wall.append(time.perf_counter() - start)
        cpu.append(used() - before)
    return statistics.median(wall), statistics.median(cpu)


def main(path: str) -> None:
    import dask
    import dask.array as da
    import numpy as np
    import pyarrow.parquet as pq
    from dask import delayed
    from dask.distributed import Client, LocalCluster

    shape = pq.read_metadata(path)
    names = [name for name in shape.schema.to_arrow_schema().names if name != "y"]
    sizes = [shape.row_group(i).num_rows for i in range(shape.num_row_groups)]
    first = pq.ParquetFile(path).read_row_group(0).slice(0, 65_536)
    truth = np.asarray(first["y"]) == "p"
    inputs = np.column_stack([first[name].to_numpy() for name in names])

    def numbers(group: int) -> Any:
        found = pq.ParquetFile(path).read_row_group(group, columns=names, use_threads=False)
        return np.column_stack([column.to_numpy() for column in found.columns])

    def labels(group: int) -> Any:
        found = pq.ParquetFile(path, read_dictionary=["y"]).read_row_group(group, columns=["y"])
        coded = found["y"].combine_chunks()
        return (np.asarray(coded.dictionary) == "p").astype(np.int8)[coded.indices.to_numpy()]

    def loaded() -> tuple[Any, Any]:
        """One chunk a row group, read where it is needed; their lengths are known, which spares a pass."""
        width = len(names)
        x = [da.from_delayed(delayed(numbers)(i), (n, width), dtype=np.float64) for i, n in enumerate(sizes)]
        y = [da.from_delayed(delayed(labels)(i), (n,), dtype=np.int8) for i, n in enumerate(sizes)]
        return da.concatenate(x), da.concatenate(y)

    def told(name: str, beside: str, took: tuple[float, float], answers: Any) -> None:
        error = float(np.mean((np.asarray(answers) > 0.5) != truth))
        found = {"name": name, "beside": beside, "seconds": took[0], "processor": took[1], "error": error}
        print(json.dumps(found), flush=True)

    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    )
    with cluster, Client(cluster) as client:
        try:
            from dask_ml.naive_bayes import GaussianNB

            def bayes() -> Any:
                made = GaussianNB().fit(*loaded())  # which has promises alone
                return dask.compute(made.theta_, made.sigma_, made.class_prior_)

            mean, variance, prior = bayes()
            off = (inputs[:, None, :] - mean) ** 2 / variance + np.log(variance)
            joint = np.log(prior[:2]) - off.sum(axis=2) / 2
            told("dask-ml GaussianNB", "NaiveBayes", median(bayes, client), joint.argmax(axis=1))
        except Exception as error:
            print(f"dask-ml: {error}", file=sys.stderr)
        import xgboost
        import xgboost.dask

        asked = {
            "tree_method": "hist",
            "max_depth": 8,
            "max_bin": 256,
            "objective": "binary:logistic",
            "nthread": 1,
        }

        def trees(rounds: int) -> Any:
            data = xgboost.dask.DaskQuantileDMatrix(client, *loaded())
            return xgboost.dask.train(client, asked, data, num_boost_round=rounds)["booster"]

        name = f"XGBoost {xgboost.__version__} dask hist, one tree"
        answers = trees(1).inplace_predict(inputs)
        one = median(lambda: trees(1), client)
        told(name, "DecisionTree", one, answers)
        # Rows are binned when training begins, so what levels take alone is what further trees take.
        five = median(lambda: trees(5), client, 1)
        alone = ((five[0] - one[0]) / 4, (five[1] - one[1]) / 4)
        told(f"{name}, levels alone", "its levels", alone, answers)


if __name__ == "__main__":
    main(sys.argv[1])
