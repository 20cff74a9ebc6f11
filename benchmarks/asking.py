"""What asking gains over labelling rows at random, on files of ../shared/data.

`python benchmarks/asking.py [--by QUERY,...] [--learners NAME,...] [file ...]`: all unless given.

For each file, learner and way of asking: the mean error over 48 questions (the area under the learning curve divided by
its width) less that of random asking, as its mean over 20 seeds with the 95 % t interval. Each seed has other rows left
out and another beginning, which both ways of asking share. Answers are compared, not times; all rows are printed, those
on which asking loses too.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import acumen

DATA = Path(__file__).parents[2] / "shared" / "data"
FILES = (
    "vote", "soybean", "iris", "zoo", "segment", "breast-w", "kr-vs-kp", "mushroom", "car", "splice", "diabetes",
    "credit-g",
)  # fmt: skip
LEARNERS = {"naive-bayes": acumen.NaiveBayes(), "logistic": acumen.Logistic()}
QUERIES = ("uncertainty", "margin", "entropy", "committee", "density")
SEEDS, BATCH, BUDGET = 20, 4, 48


def main() -> None:
    wishes = argparse.ArgumentParser()
    wishes.add_argument("--by", default=",".join(QUERIES))
    wishes.add_argument("--learners", default=",".join(LEARNERS))
    wishes.add_argument("files", nargs="*", default=FILES)
    given = wishes.parse_args()
    warnings.simplefilter("ignore")
    won = lost = 0
    print(f"{'file':<10} {'learner':<11} {'query':<12} {'random':>7} {'asked':>7} {'gain':>8}  95 % interval")
    for name in given.files:
        table = acumen.read(DATA / f"{name}.arff")
        for learner in map(LEARNERS.__getitem__, given.learners.split(",")):
            for query in given.by.split(","):
                began = time.process_time()
                active = acumen.ActiveLearner(
                    learner, strategy=query, batch_size=BATCH, budget=BUDGET, random_state=0
                )
                found = active.simulate(table, seeds=SEEDS)
                lead = found.lead()
                won, lost = won + (lead.low > 0), lost + (lead.high < 0)
                print(
                    f"{name:<10} {type(learner).__name__:<11} {query:<12} {found.areas('random').mean():7.4f} "
                    f"{found.areas().mean():7.4f} {lead.estimate:+8.4f}  {lead.low:+.4f} to {lead.high:+.4f}"
                    f"  ({time.process_time() - began:.1f} s of the processor)",
                    flush=True,
                )
    print(f"interval above zero: {won}; below zero: {lost}")


if __name__ == "__main__":
    main()
