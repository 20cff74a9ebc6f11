"""What boosting makes: classifiers with a vote each, and what happened in each round.

BoostingTrace   what happened in each round
AdaBoostModel   stumps packed, or members of any kind; each has a vote
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from acumen.codegen import python_module
from acumen.codegen.export import Select, Selects
from acumen.codegen.terms import TermSum
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.ensembles.column_codes import ColumnCoding
from acumen.ensembles.committee import BEFORE, before_votes, class_of_member, share_evidence, shares_of_votes
from acumen.ensembles.packed_forest import PackedForest, packed_from
from acumen.ensembles.stump_sql import select_statement, stump_sums
from acumen.errors import DataError
from acumen.explain.cell_text import cell_text
from acumen.explain.explanation import Evidence
from acumen.models.model import Model
from acumen.models.nested import member_arrays, members_from
from acumen.models.predictor import AnyPredictor, Predictor
from acumen.preprocessing.packing import pack_json, unpack_json
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.render.learning_plot import Band, LearningFigure
from acumen.render.text import many
from acumen.rulelist.votes_export import votes_shares_sql, votes_under_priors
from acumen.types import Array, Codes, Floats


class Round(NamedTuple):
    """One round of boosting."""

    error: float  # of its classifier, weighted
    vote: float
    combined: float  # the training error of all classifiers so far, by the rows' own weights
    draws: int  # how often rows were drawn for it; 0 where they were weighted


@dataclass(frozen=True, slots=True, eq=False)
class BoostingTrace:
    """What happened in each round; iterating gives rounds."""

    error: Floats
    vote: Floats
    combined: Floats
    draws: Codes
    method: str
    end: str
    validation: Floats = field(default_factory=lambda: np.empty(0))

    def __len__(self) -> int:
        return len(self.error)

    def __iter__(self) -> Any:
        return (
            Round(float(e), float(v), float(c), int(d))
            for e, v, c, d in zip(self.error, self.vote, self.combined, self.draws, strict=True)
        )

    def __getitem__(self, at: int) -> Round:
        return Round(
            float(self.error[at]), float(self.vote[at]), float(self.combined[at]), int(self.draws[at])
        )

    def __str__(self) -> str:
        lines = [
            f"{many(len(self), 'round')} by {self.method}; {self.end}",
            "round  error    vote     combined",
        ]
        lines += [f"{t + 1:>5}  {r.error:.4f}  {r.vote:8.4f}  {r.combined:.4f}" for t, r in enumerate(self)]
        return "\n".join(lines)

    def first(self, rounds: int) -> BoostingTrace:
        """Only so many."""
        return BoostingTrace(
            self.error[:rounds], self.vote[:rounds], self.combined[:rounds], self.draws[:rounds], self.method, self.end,
            self.validation,
        )  # fmt: skip

    def figure(self, target: str = "") -> LearningFigure:
        """The errors over the rounds."""
        x = np.arange(1.0, len(self) + 1)
        bands = [
            Band("all together, training rows", self.combined),
            Band("the round's own, weighted", self.error),
        ]
        if len(self.validation) >= len(self):
            bands.append(Band("all together, held-out rows", self.validation[: len(self)]))
        title = "Error over rounds" + (f": {target}" if target else "")
        return LearningFigure(x, bands, "rounds", "error", title=title)


@dataclass(frozen=True, slots=True, eq=False)
class AdaBoostModel(Selects, Model):
    """Classifiers that vote: packed stumps, or members."""

    kind: ClassVar[str] = "ada-boost"

    votes: Floats  # of each round
    prior: Floats  # the share of each class among the training rows
    rounds: Floats  # (rounds, 2): the errors of each and of all so far
    members: tuple[Model, ...] = ()
    coding: ColumnCoding | None = None
    stumps: PackedForest | None = None

    def votes_for(self, rows: Table) -> Floats:
        """The votes for each class, one line a row."""
        if self.stumps is not None:
            assert self.coding is not None
            return self.stumps.sum_leaves(self.coding.rows(rows))
        votes = np.zeros((len(rows), len(self.prior)))
        every = np.arange(len(rows))
        for member, vote in zip(self.members, self.votes.tolist(), strict=True):
            votes[every, class_of_member(member, rows)] += vote
        return votes

    def scores(self, rows: Table) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(shares_of_votes(self.votes_for(rows), float(self.votes.mean()), self.prior))

    @property
    def start(self) -> Floats:
        """What each class has before any vote; 0 where it can never be the answer."""
        return before_votes(self.votes.sum(), float(self.votes.mean()), self.prior)

    def first(self, rounds: int) -> AdaBoostModel:
        """Only so many rounds."""
        stumps = None if self.stumps is None else self.stumps.first(rounds)
        return AdaBoostModel(
            self.votes[:rounds], self.prior, self.rounds[:rounds], self.members[:rounds], self.coding, stumps
        )

    # -- telling ----------------------------------------------------------------------------------

    @property
    def by_changes(self) -> bool:
        return self.stumps is None

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        """What each attribute's stumps, or the members for each class, do for the winner."""
        scores = self.scores(row)[0]
        odds = float(scores[winner] - scores[rival])
        parts: dict[str, tuple[str | None, float]] = {}
        if self.stumps is not None:
            assert self.coding is not None
            start, moved = self.stumps.column_moves(self.coding.rows(row))
            parts[BEFORE] = (None, float(start[winner] - start[rival]))
            for j, column in enumerate(self.coding.inputs.columns):
                name = schema.attributes[column.first].name
                text = cell_text(row, name)
                before = parts.get(text, (name, 0.0))[1]
                parts[text] = (name, before + float(moved[j, winner] - moved[j, rival]))
        else:
            voted = np.array([int(class_of_member(member, row)[0]) for member in self.members])
            for c in np.unique(voted).tolist():
                apart = float(self.votes[voted == c].sum()) * ((c == winner) - (c == rival))
                count = int(np.count_nonzero(voted == c))
                parts[f"{count} of {many(len(voted), 'classifier')} for {schema.classes[c]}"] = (None, apart)
        return share_evidence(odds, parts, "all rounds together")

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "class"
        noun = "stump" if self.stumps is not None else "classifier"
        first, last = self.rounds[0, 1], self.rounds[-1, 1]
        lines = [
            f"AdaBoost for {target}: {many(len(self.votes), noun)} with a vote each",
            f"Training error {100 * first:.2f} % after the first, {100 * last:.2f} % after the last",
        ]
        shown = range(len(self.votes) if full else min(len(self.votes), 12))
        for t in shown:
            what = self._classifier_words(t, schema)
            lines.append(f"  {t + 1}. error {self.rounds[t, 0]:.4f}, vote {self.votes[t]:.4f}: {what}")
        if len(shown) < len(self.votes):
            lines.append(f"  ... and {len(self.votes) - len(shown)} more")
        return "\n".join(lines)

    def _classifier_words(self, t: int, schema: Schema) -> str:
        """One classifier in half a line."""
        if self.stumps is None or self.coding is None:
            member = self.members[t]
            return str(getattr(member, "name", member.describe(schema).splitlines()[0]))
        at = int(self.stumps.start[t])
        node, value = self.stumps.node[at], self.stumps.value
        if int(self.stumps.start[t + 1]) - at == 1:
            return f"always {schema.classes[int(value[at].argmax())]}"
        low_class, high_class = (schema.classes[int(value[at + side].argmax())] for side in (1, 2))
        if low_class == high_class:  # a test by which the weights differ, but not who is ahead
            return f"always {low_class}"
        column = int(node[0] & 0xFFFF)
        name = self.coding.inputs[column].name(schema)
        if self.stumps.nominal[column]:
            test = f"{name} in a set of levels"
        elif len(self.coding.cuts[column]):
            test = f"{name} <= {self.coding.cuts[column][int(node[0] >> 16)]:.6g}"
        else:
            test = f"{name} up to its level {int(node[0] >> 16) + 1}"
        return f"{low_class} if {test}, else {high_class}"

    def to_figure(self, predictor: AnyPredictor) -> LearningFigure:
        """The errors over the rounds."""
        target = predictor.schema.target.name if predictor.schema.target else ""
        none = np.zeros(len(self.votes), dtype=np.int32)
        return BoostingTrace(self.rounds[:, 0], self.votes, self.rounds[:, 1], none, "", "").figure(target)

    def statement(self, predictor: Predictor, asked: Select) -> str:
        """A SELECT that adds up the votes of stumps; it decides as `predict` does, costs and priors included."""
        if asked.probabilities:
            return votes_shares_sql(predictor, self.to_votes(predictor.schema), asked.table, asked.column)
        coding, stumps = self._stumps("to_sql")
        return select_statement(predictor, stumps, coding, self.start, asked.table, asked.column)

    def to_python(self, predictor: Predictor) -> str:
        """A module that adds up the votes of stumps."""
        self._stumps("to_python")
        sums = votes_under_priors(predictor, self.to_votes(predictor.schema))
        return python_module.sums(predictor, sums, logs=False)

    def to_votes(self, schema: Schema) -> tuple[TermSum, ...]:
        """The votes of each class as a sum, whose shares are the probabilities."""
        coding, stumps = self._stumps("export")
        return stump_sums(stumps, coding, self.start, schema)

    def _stumps(self, what: str) -> tuple[ColumnCoding, PackedForest]:
        if self.stumps is None or self.coding is None:
            raise DataError(
                f"{what}: the votes come from whole models, too large for a readable statement; boost "
                "stumps instead."
            )
        return self.coding, self.stumps

    @property
    def n_parameters(self) -> int:
        """A test, a cut and a vote each stump; else the members' own and their votes."""
        if self.stumps is not None:
            return 3 * len(self.votes)
        return sum(member.n_parameters for member in self.members) + len(self.votes)

    @property
    def n_bytes(self) -> float:
        own_bytes = sum(a.nbytes for a in (self.votes, self.prior, self.rounds))
        if self.stumps is not None:
            own_bytes += sum(a.nbytes for a in self.stumps.to_arrays().values())
        return float(own_bytes) + float(sum(member.n_bytes for member in self.members))

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        arrays: dict[str, Array] = {
            "about": pack_json({"kinds": [m.kind for m in self.members]}),
            "votes": self.votes, "prior": self.prior, "rounds": self.rounds,
        }  # fmt: skip
        if self.stumps is None:
            return {**arrays, **member_arrays(self.members)}
        assert self.coding is not None
        return {**arrays, **self.coding.to_arrays(), **self.stumps.to_arrays()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kinds = unpack_json(cls.__name__, arrays, kinds=list)["kinds"]
        votes = stored_floats(arrays, "votes", (None,), low=0.0, high=1e6)
        require(len(votes) >= 1 and votes.sum() > 0, "no classifier has a vote")
        rounds = stored_floats(arrays, "rounds", (len(votes), 2), low=0.0, high=1.0)
        prior = stored_floats(arrays, "prior", (schema.n_classes,), low=0.0, high=1.0)
        require(abs(prior.sum() - 1.0) < 1e-6, "the class proportions of all rows do not sum to 1")
        if "node" not in arrays:
            members: tuple[Model, ...] = members_from(arrays, kinds, schema)
            require(len(members) == len(votes), "there is not a vote for each member")
            return cls(votes, prior, rounds, members)
        require(not kinds, "it holds stumps and members")
        coding = ColumnCoding.from_arrays(arrays, schema)
        stumps = packed_from(arrays, coding.slots, coding.nominal(schema), schema.n_classes)
        require(len(stumps) == len(votes), "there is not a vote for each stump")
        require(np.all(stumps.value >= 0) and np.all(stumps.value <= 1e6), "a stump's votes are out of range")
        return cls(votes, prior, rounds, (), coding, stumps)
