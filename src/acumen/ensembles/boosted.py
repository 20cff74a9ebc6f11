"""AdaBoost: rounds of one learner, each minding more the rows its predecessors got wrong.

    Trace         what happened in each round
    AdaBoostModel stumps packed, or members of any kind; each has a vote
    boost_stumps  rows as codes -> stumps, by a kernel that keeps codes and weights where they are
    boost         any learner, by weights or by rows drawn by them

Document 002's AdaBoost.M1 divides the weights of rows a classifier has right by (1 - e) / e and gives it the vote
ln((1 - e) / e), which after normalisation is document 000's update too. SAMME (Zhu et al. 2009) adds ln(K - 1) to the
vote and goes on while the error is below 1 - 1/K.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from acumen import _native
from acumen.base.explanation import Evidence
from acumen.base.model import Model
from acumen.base.nested import member_arrays, members_from
from acumen.base.predictor import AnyPredictor
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.ensembles.coding import Coded, Coding
from acumen.ensembles.committee import proportional, said_by, shares_of_votes
from acumen.ensembles.forest import Growing
from acumen.ensembles.forest_model import _cell
from acumen.ensembles.members import fit_relative, weighed
from acumen.ensembles.packed import PackedForest, packed_from
from acumen.errors import DataError
from acumen.show.learning_plot import Band, LearningFigure
from acumen.show.text import many
from acumen.types import Array, Codes, Floats
from acumen.views.packing import packed, unpacked
from acumen.views.stored import require, stored_floats

Variant = Literal["m1", "samme"]
Method = Literal["reweight", "resample"]
#: A vote is at most that of this error, which is what a classifier without one gets.
LEAST_ERROR = 1e-9
_NEAR = 1e-11
_ENDS = ("all rounds were run", "a classifier without an error ended it", "the error reached its limit")


class Round(NamedTuple):
    """One round of boosting."""

    error: float  # of its classifier, weighted
    vote: float
    combined: float  # the training error of all classifiers so far, by the rows' own weights
    draws: int  # how often rows were drawn for it; 0 where they were weighted


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
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

    def first(self, rounds: int) -> Trace:
        """Only so many."""
        return Trace(
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
            bands.append(Band("all together, rows kept apart", self.validation[: len(self)]))
        title = "Error over rounds" + (f" of {target}" if target else "")
        return LearningFigure(x, bands, "rounds", "error", title=title)


@dataclass(frozen=True, slots=True, eq=False)
class AdaBoostModel(Model):
    """Classifiers that vote: packed stumps, or members."""

    kind: ClassVar[str] = "ada-boost"

    votes: Floats  # of each round
    prior: Floats  # the share of each class among the training rows
    rounds: Floats  # (rounds, 2): the errors of each and of all so far
    members: tuple[Model, ...] = ()
    coding: Coding | None = None
    stumps: PackedForest | None = None

    def voted(self, rows: Table) -> Floats:
        """The votes for each class, one line a row."""
        if self.stumps is not None:
            assert self.coding is not None
            return self.stumps.added(self.coding.rows(rows))
        made = np.zeros((len(rows), len(self.prior)))
        every = np.arange(len(rows))
        for member, vote in zip(self.members, self.votes.tolist(), strict=True):
            made[every, said_by(member, rows)] += vote
        return made

    def scores(self, rows: Table) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(shares_of_votes(self.voted(rows), float(self.votes.mean()), self.prior))

    def first(self, rounds: int) -> AdaBoostModel:
        """Only so many rounds."""
        stumps = None if self.stumps is None else self.stumps.first(rounds)
        return AdaBoostModel(
            self.votes[:rounds], self.prior, self.rounds[:rounds], self.members[:rounds], self.coding, stumps
        )

    # -- telling ----------------------------------------------------------------------------------

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        """What each attribute's stumps, or the members for each class, do for the winner."""
        scores = self.scores(row)[0]
        odds = float(scores[winner] - scores[rival])
        parts: dict[str, tuple[str | None, float]] = {}
        if self.stumps is not None:
            assert self.coding is not None
            start, moved = self.stumps.moved(self.coding.rows(row))
            parts["before any test"] = (None, float(start[winner] - start[rival]))
            for j, column in enumerate(self.coding.inputs.columns):
                name = schema.attributes[column.first].name
                text = _cell(row, name)
                before = parts.get(text, (name, 0.0))[1]
                parts[text] = (name, before + float(moved[j, winner] - moved[j, rival]))
        else:
            said = np.array([int(said_by(member, row)[0]) for member in self.members])
            for c in np.unique(said).tolist():
                apart = float(self.votes[said == c].sum()) * ((c == winner) - (c == rival))
                count = int(np.count_nonzero(said == c))
                parts[f"{count} of {many(len(said), 'classifier')} for {schema.classes[c]}"] = (None, apart)
        return proportional(odds, parts, "all rounds together")

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
            what = self._said(t, schema)
            lines.append(f"  {t + 1}. error {self.rounds[t, 0]:.4f}, vote {self.votes[t]:.4f}: {what}")
        if len(shown) < len(self.votes):
            lines.append(f"  ... and {len(self.votes) - len(shown)} more")
        return "\n".join(lines)

    def _said(self, t: int, schema: Schema) -> str:
        """One classifier in half a line."""
        if self.stumps is None or self.coding is None:
            member = self.members[t]
            return str(getattr(member, "name", member.describe(schema).splitlines()[0]))
        at = int(self.stumps.start[t])
        node, value = self.stumps.node[at], self.stumps.value
        if int(self.stumps.start[t + 1]) - at == 1:
            return f"always {schema.classes[int(value[at].argmax())]}"
        left, right = (schema.classes[int(value[at + side].argmax())] for side in (1, 2))
        column = int(node[0] & 0xFFFF)
        name = self.coding.inputs[column].name(schema)
        if self.stumps.nominal[column]:
            test = f"{name} in a set of levels"
        elif len(self.coding.cuts[column]):
            test = f"{name} <= {self.coding.cuts[column][int(node[0] >> 16)]:.6g}"
        else:
            test = f"{name} up to its level {int(node[0] >> 16) + 1}"
        return f"{left} if {test}, else {right}"

    def to_figure(self, predictor: AnyPredictor) -> LearningFigure:
        """The errors over the rounds."""
        target = predictor.schema.target.name if predictor.schema.target else ""
        none = np.zeros(len(self.votes), dtype=np.int32)
        return Trace(self.rounds[:, 0], self.votes, self.rounds[:, 1], none, "", "").figure(target)

    @property
    def n_parameters(self) -> int:
        """A test, a cut and a vote each stump; else the members' own and their votes."""
        if self.stumps is not None:
            return 3 * len(self.votes)
        return sum(member.n_parameters for member in self.members) + len(self.votes)

    @property
    def n_bytes(self) -> float:
        own = sum(a.nbytes for a in (self.votes, self.prior, self.rounds))
        if self.stumps is not None:
            own += sum(a.nbytes for a in self.stumps.to_arrays().values())
        return float(own) + float(sum(member.n_bytes for member in self.members))

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        made: dict[str, Array] = {
            "about": packed({"kinds": [m.kind for m in self.members]}),
            "votes": self.votes, "prior": self.prior, "rounds": self.rounds,
        }  # fmt: skip
        if self.stumps is None:
            return {**made, **member_arrays(self.members)}
        assert self.coding is not None
        return {**made, **self.coding.to_arrays(), **self.stumps.to_arrays()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kinds = unpacked(cls.__name__, arrays, kinds=list)["kinds"]
        votes = stored_floats(arrays, "votes", (None,), low=0.0, high=1e6)
        require(len(votes) >= 1 and votes.sum() > 0, "no classifier has a vote")
        rounds = stored_floats(arrays, "rounds", (len(votes), 2), low=0.0, high=1.0)
        prior = stored_floats(arrays, "prior", (schema.n_classes,), low=0.0, high=1.0)
        require(abs(prior.sum() - 1.0) < 1e-6, "the class shares of all rows do not sum to 1")
        if "node" not in arrays:
            members: tuple[Model, ...] = members_from(arrays, kinds, schema)
            require(len(members) == len(votes), "there is not a vote for each member")
            return cls(votes, prior, rounds, members)
        require(not kinds, "it holds stumps and members")
        coding = Coding.from_arrays(arrays, schema)
        stumps = packed_from(arrays, coding.slots, coding.nominal(schema), schema.n_classes)
        require(len(stumps) == len(votes), "there is not a vote for each stump")
        require(np.all(stumps.value >= 0) and np.all(stumps.value <= 1e6), "a stump's votes are out of range")
        return cls(votes, prior, rounds, (), coding, stumps)


# -- learning -----------------------------------------------------------------------------------------


class Boosting(NamedTuple):
    """How it is to be done."""

    rounds: int
    method: Method
    variant: Variant
    retries: int

    def limit(self, classes: int) -> float:
        """The error at which a classifier is of no use."""
        return 1.0 - 1.0 / max(classes, 2) if self.variant == "samme" else 0.5

    def vote(self, error: float, classes: int) -> float:
        kept = max(error, LEAST_ERROR)
        more = np.log(classes - 1) if self.variant == "samme" and classes > 1 else 0.0
        return float(np.log((1 - kept) / kept) + more)


def boost_stumps(
    table: Table, how: Boosting, prior: Floats, seed: int
) -> tuple[AdaBoostModel, Trace, BaseException | None]:
    """By the kernel; and whether Ctrl-C ended it."""
    rows = Growing.of(table, Coded.of(table, 255))
    coded = rows.coded
    made = _native.boost_stumps(
        coded.columns, coded.coding.slots, coded.nominal, coded.low, coded.high, rows.labels,
        np.ascontiguousarray(table.weights), rows.classes, how.rounds, how.variant == "samme", how.method == "resample",
        how.retries, seed, cores(),
    )  # fmt: skip
    stumps = PackedForest(
        made["node"], made["value"], made["sets"], made["start"], made["set_start"], coded.nominal
    )
    both = np.clip(np.column_stack([made["error"], made["combined"]]), 0.0, 1.0)
    draws = made["drawn"] if how.method == "resample" else np.zeros_like(made["drawn"])
    trace = Trace(both[:, 0], made["vote"], both[:, 1], draws, how.method, _ENDS[made["end"]])
    model = AdaBoostModel(made["vote"], prior, both, (), coded.coding, stumps)
    return model, trace, made["stopped"]


def boost(
    table: Table, how: Boosting, prior: Floats, rng: np.random.Generator, new: Callable[[int], Any]
) -> tuple[AdaBoostModel, Trace, list[Any], BaseException | None]:
    """By any learner, `new(seed)` giving a fresh one; and whether Ctrl-C ended it."""
    assert table.labels is not None
    labels, k = table.labels, table.schema.n_classes
    own = table.row_weights / table.row_weights.sum()
    size = float(table.row_weights.sum())
    weights, limit = own.copy(), how.limit(k)
    said = np.zeros((len(table), k))
    every = np.arange(len(table))
    learned: list[Any] = []
    lines: list[Round] = []
    end = _ENDS[0]
    stopped: BaseException | None = None
    try:
        for t in range(how.rounds):
            draws = 0
            while True:
                member = new(int(rng.integers(2**31)))
                if how.method == "resample":
                    draws += 1
                    times = np.bincount(
                        np.minimum(
                            np.searchsorted(np.cumsum(weights), rng.random(len(table)), "right"),
                            len(table) - 1,
                        ),
                        minlength=len(table),
                    ).astype(np.float64)
                    given = weighed(table, times, member)
                else:
                    given = weighed(table, weights * size, member) if t else table
                try:
                    if how.method == "reweight" and t:
                        fit_relative(member, given, size)
                    else:
                        member.fit(given)
                except DataError:
                    if not learned:
                        raise
                    error, answers = 1.0, labels  # a draw that cannot be learned from is of no use
                else:
                    answers = said_by(member.predictor_.model, table)
                    error = float(weights[answers != labels].sum())
                if error < limit - _NEAR or how.method == "reweight" or draws > how.retries:
                    break
            useless = error >= limit - _NEAR
            if useless and learned:
                end = _ENDS[2]
                break
            vote = 1.0 if useless else how.vote(error, k)
            said[every, answers] += vote
            combined = float(own[said.argmax(axis=1) != labels].sum())
            learned.append(member)
            lines.append(Round(error, vote, combined, draws))
            if useless or error <= _NEAR:
                end = _ENDS[2 if useless else 1]
                break
            classes = k if how.variant == "samme" else 2
            right = answers == labels
            weights = np.where(
                right, weights / (classes * (1 - error)), weights * (classes - 1) / (classes * error)
            )
            weights /= weights.sum()
    except KeyboardInterrupt as interrupt:
        if not learned:
            raise
        stopped = interrupt
    columns = list(zip(*lines, strict=True))
    errors, votes, together = (np.array(column, dtype=np.float64) for column in columns[:3])
    both = np.clip(np.column_stack([errors, together]), 0.0, 1.0)
    trace = Trace(both[:, 0], votes, both[:, 1], np.array(columns[3], dtype=np.int32), how.method, end)
    models = tuple(member.predictor_.model for member in learned)
    return AdaBoostModel(votes, prior, both, models), trace, learned, stopped
