"""A readable stand-in for a model that is not: a small tree that imitates its answers, and how well it does.

SurrogateRules   rules, with the fraction of rows on which they agree with the model
imitate          rows and a model's predictions -> such rules
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen.data.table import NO_WEIGHTS, Table
from acumen.models.nested import learner_of
from acumen.rows.intake import replace_target
from acumen.rulelist.rule_list import RuleList
from acumen.types import Codes


@dataclass(frozen=True, slots=True)
class SurrogateRules(RuleList):
    """Rules of a tree that was taught by another model's answers.

    `fidelity` is the fraction of held-out rows on which the rules predict what the model predicts.
    """

    fidelity: float = float("nan")
    judged: int = 0

    def __str__(self) -> str:
        text = (
            f"Imitates the model: same answer for {100 * self.fidelity:.1f} % of {self.judged} held-out rows."
        )
        return f"{RuleList.__str__(self)}\n{text}"


def imitate(rows: Table, answers: Codes, max_leaf_nodes: int) -> SurrogateRules:
    """The rules of a tree of at most so many leaves, learned from two thirds of the rows and judged on the others."""
    taught = replace_target(rows, rows.schema, answers.astype(np.int32), NO_WEIGHTS)
    kept = np.arange(len(rows)) % 3 == 2
    if not kept.any():
        kept[:] = True
        learn = taught
    else:
        learn = taught.take(~kept)
    tree = learner_of("decision-tree").set_params(
        measure="gini", split="binary", prune="none", missing="majority", max_leaf_nodes=max_leaf_nodes
    )
    tree.fit(learn)
    same = tree.predictor_.predict(taught.take(kept)) == answers[kept]
    rules = tree.to_rules()
    return SurrogateRules(
        rules.rules, rules.default, rules.classes, rules.ordered, rules.default_counts, rules.smoothing,
        fidelity=float(same.mean()), judged=int(kept.sum()),
    )  # fmt: skip
