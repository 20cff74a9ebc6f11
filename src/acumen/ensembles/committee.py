"""Models that put members together: by votes or by the mean of what they say.

    CommitteeModel            classes by weighted votes, or by the weighted mean of probabilities
    CommitteeRegressionModel  numbers by the mean

A vote is for the class a member scores highest, of equal ones the first. Votes of equal weight together go to the class
with more training rows, then to the first. The probability of a class is its share of the votes, with a member's worth
of votes more dealt out evenly, so that no class that has rows is impossible; of probabilities it is their plain mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.ensembles.out_of_bag import OutOfBag
from acumen.errors import ParameterError
from acumen.explain.cell_text import cell_text
from acumen.explain.explanation import Contribution, Evidence, Grounds
from acumen.models.decision import softmax
from acumen.models.model import Model, RegressionModel
from acumen.models.nested import member_arrays, members_from
from acumen.models.predictor import AnyPredictor
from acumen.preprocessing.packing import pack_json, unpack_json
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.render.learning_plot import LearningFigure
from acumen.render.text import many
from acumen.types import Array, Codes, Floats

Use = Literal["classes", "probabilities"]
#: What breaks ties, as a share of all votes: less than any difference that matters.
_TIE = 1e-9
_SHOWN = 5
#: Members that are named where they are for another class than most.
_NAMED = 8


#: What a class has before anything is tested, which is no reason.
BEFORE = "before any test"


def before_votes(total: Any, worth: float, prior: Floats) -> Floats:
    """What each class has before any of `total` votes: a member's `worth` dealt out evenly, and what breaks ties."""
    known = prior > 0
    return np.asarray(known * (worth / max(int(np.count_nonzero(known)), 1)) + _TIE * total * prior)


def shares_of_votes(votes: Floats, worth: float, prior: Floats) -> Floats:
    """Votes (one line a row) as probabilities; `worth` is what a single member's vote weighs."""
    padded = votes + before_votes(votes.sum(axis=1, keepdims=True), worth, prior)
    padded[:, prior <= 0] = 0.0
    return padded / padded.sum(axis=1, keepdims=True)


def full_trees(members: tuple[Any, ...]) -> int:
    """How many trees the forests' kernel grew for all members at once; 0 where members are learners of their own."""
    packed = getattr(members[0], "packed", None) if len(members) == 1 else None
    return 0 if packed is None else len(packed)


def number_list(noun: str, places: Array) -> str:
    """Which they are, in brackets, counted from 1; nothing where they are many."""
    if not 0 < len(places) <= _NAMED:
        return ""
    listed = ", ".join(str(place + 1) for place in places.tolist())
    return f" ({noun if len(places) == 1 else noun + 's'} {listed})"


def class_of_member(member: Model, rows: Table) -> Codes:
    """The class a member is for, row by row."""
    return member.scores(rows).argmax(axis=1).astype(np.int32)


def share_evidence(
    odds: float, parts: Mapping[str, tuple[str | None, float]], rest: str
) -> tuple[Evidence, ...]:
    """Log-odds dealt out in proportion to what each part adds to the difference of shares."""
    whole = sum(difference for _, difference in parts.values())
    if not np.isfinite(odds) or abs(whole) < 1e-12:
        return (Evidence(None, rest, odds),)
    return tuple(
        Evidence(name, text, odds * difference / whole, role="start" if text == BEFORE else "reason")
        for text, (name, difference) in parts.items()
        if difference
    )


@dataclass(frozen=True, slots=True, eq=False)
class CommitteeModel(Model):
    """Members with the weight of each."""

    kind: ClassVar[str] = "voting"
    title: ClassVar[str] = "Votes"

    members: tuple[Model, ...]
    weights: Floats
    use: Use
    prior: Floats  # the share of each class among the training rows
    bag: OutOfBag | None = None

    def votes(self, rows: Table) -> Floats:
        """The weight of the members for each class, one line a row; of probabilities their weighted sum."""
        votes = np.zeros((len(rows), len(self.prior)))
        every = np.arange(len(rows))
        for member, weight in zip(self.members, self.weights.tolist(), strict=True):
            if self.use == "probabilities":
                votes += weight * softmax(member.scores(rows))
            else:
                votes[every, class_of_member(member, rows)] += weight
        return votes

    def shares(self, rows: Table) -> Floats:
        """P(class | row)."""
        votes = self.votes(rows)
        if self.use == "probabilities":
            shares = votes / self.weights.sum()
            shares[:, self.prior == 0] = 0.0
            return shares / shares.sum(axis=1, keepdims=True)
        return shares_of_votes(votes, float(self.weights.mean()), self.prior)

    def scores(self, rows: Table) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(self.shares(rows))

    # -- telling ----------------------------------------------------------------------------------

    @property
    def by_changes(self) -> bool:
        return True  # how members vote is no reason in the attributes' own words; `grounds` tells it

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        """What the members that are for each class do for the winner."""
        scores = self.scores(row)[0]
        parts: dict[str, tuple[str | None, float]] = {}
        voted = np.array([int(class_of_member(member, row)[0]) for member in self.members])
        for c in np.unique(voted).tolist():
            mine = np.flatnonzero(voted == c)
            if self.use == "probabilities":
                shares = [softmax(self.members[m].scores(row))[0] for m in mine]
                apart = sum(
                    self.weights[m] * (s[winner] - s[rival]) for m, s in zip(mine, shares, strict=True)
                )
            else:
                apart = float(self.weights[mine].sum()) * ((c == winner) - (c == rival))
            parts[f"{len(mine)} of {many(len(voted), 'member')} for {schema.classes[c]}"] = (
                None,
                float(apart),
            )
        return share_evidence(float(scores[winner] - scores[rival]), parts, "all members together")

    def grounds(self, row: Table, schema: Schema) -> Grounds:
        """How the members vote, and which of them otherwise than most."""
        votes = self.votes(row)[0]
        order = [c for c in np.argsort(-votes, kind="stable").tolist() if votes[c] > 0]
        best = np.array([int(class_of_member(member, row)[0]) for member in self.members])
        others = [number_list("member", np.flatnonzero(best == c)) if c != order[0] else "" for c in order]
        counted = ", ".join(
            f"{votes[c]:.4g} for {schema.classes[c]}{o}" for c, o in zip(order, others, strict=True)
        )
        noun = "Probabilities summed" if self.use == "probabilities" else "Votes"
        return Grounds(note=f"{noun} of {many(len(self.members), 'member')}: {counted}.")

    def headline(self, target: str) -> str:
        """The first line of the description."""
        how = "the mean of probabilities" if self.use == "probabilities" else "votes"
        return f"{self.title} for {target}: {many(len(self.members), 'member')} combined by {how}"

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        lines = [self.headline(schema.target.name if schema.target else "class")]
        if self.bag is not None:
            lines.append(str(self.bag)[0].upper() + str(self.bag)[1:])
        equal = bool(np.ptp(self.weights) == 0) if len(self.weights) else True
        shown = self.members if full else self.members[:_SHOWN]
        for m, member in enumerate(shown):
            weight = "" if equal else f", weight {self.weights[m]:.4g}"
            lines.append(f"Member {m + 1}: {getattr(member, 'name', member.kind)}{weight}")
            inner = member.describe(schema, full=full).splitlines()
            lines += [f"  {line}" for line in (inner if full else inner[:4])]
        if len(shown) < len(self.members):
            lines.append(f"... and {many(len(self.members) - len(shown), 'member')} more")
        return "\n".join(lines)

    @property
    def n_parameters(self) -> int:
        """Those of all members."""
        return sum(member.n_parameters for member in self.members) + len(self.weights) - 1

    @property
    def n_bytes(self) -> float:
        return float(sum(member.n_bytes for member in self.members)) + self.weights.nbytes

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        arrays: dict[str, Array] = {
            "about": pack_json({"kinds": [m.kind for m in self.members], "use": self.use}),
            "weights": self.weights,
            "prior": self.prior,
            **member_arrays(self.members),
        }
        return arrays if self.bag is None else {**arrays, **self.bag.to_arrays()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        about = unpack_json(cls.__name__, arrays, kinds=list, use=str)
        require(about["use"] in ("classes", "probabilities"), "its members are put together in no known way")
        members: tuple[Model, ...] = members_from(arrays, about["kinds"], schema)
        require(len(members) >= 1, "there is no member")
        weights = stored_floats(arrays, "weights", (len(members),), low=0.0, high=1e300)
        require(weights.sum() > 0, "no member has a vote")
        prior = stored_floats(arrays, "prior", (schema.n_classes,), low=0.0, high=1.0)
        require(abs(prior.sum() - 1.0) < 1e-6, "the class proportions of all rows do not sum to 1")
        bag = None
        if "bag/about" in arrays:
            curve = arrays.get("bag/curve")
            length = len(curve) if curve is not None and curve.ndim else 0
            bag = OutOfBag.from_arrays(arrays, length)
        return cls(members, weights, about["use"], prior, bag)


@dataclass(frozen=True, slots=True, eq=False)
class BaggingModel(CommitteeModel):
    """Members of rows drawn with replacement."""

    kind: ClassVar[str] = "bagging"
    title: ClassVar[str] = "Bagging"

    def headline(self, target: str) -> str:
        trees = full_trees(self.members)
        if not trees:
            return CommitteeModel.headline(self, target)
        return f"{self.title} for {target}: {many(trees, 'full tree')} combined by the mean of probabilities"

    @property
    def by_changes(self) -> bool:
        return not full_trees(self.members)

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        """Of full trees what each attribute does for the winner; else what the members do."""
        if full_trees(self.members):
            return self.members[0].evidence(row, schema, winner, rival)
        return CommitteeModel.evidence(self, row, schema, winner, rival)

    def grounds(self, row: Table, schema: Schema) -> Grounds:
        """How the trees, or the members, vote."""
        if full_trees(self.members):
            return self.members[0].grounds(row, schema)
        return CommitteeModel.grounds(self, row, schema)

    def to_figure(self, predictor: AnyPredictor) -> LearningFigure:
        """The out-of-bag error over the members."""
        return _curve(self.bag, predictor.schema)


@dataclass(frozen=True, slots=True, eq=False)
class CommitteeRegressionModel(RegressionModel):
    """Members whose numbers are averaged."""

    kind: ClassVar[str] = "bagging-regressor"
    title: ClassVar[str] = "Bagging"

    members: tuple[RegressionModel, ...]
    bag: OutOfBag | None = None

    def values(self, rows: Table) -> Floats:
        totals = np.zeros(len(rows))
        for member in self.members:
            totals += member.values(rows)
        return totals / len(self.members)

    @property
    def by_changes(self) -> bool:
        return any(member.by_changes for member in self.members)

    def contributions(self, row: Table, schema: Schema) -> tuple[float, tuple[Contribution, ...]]:
        """What each attribute adds, averaged over the members."""
        start, sums = 0.0, dict[tuple[str | None, str], float]()
        for member in self.members:
            begin, parts = member.contributions(row, schema)
            start += begin / len(self.members)
            for part in parts:
                key = (
                    part.attribute,
                    part.text if part.attribute is None else cell_text(row, part.attribute),
                )
                sums[key] = sums.get(key, 0.0) + part.amount / len(self.members)
        return start, tuple(Evidence(name, text, amount) for (name, text), amount in sums.items())

    def to_figure(self, predictor: AnyPredictor) -> LearningFigure:
        """The out-of-bag error over the members."""
        return _curve(self.bag, predictor.schema)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "value"
        trees = full_trees(self.members)
        what = many(trees, "full tree") if trees else many(len(self.members), "member")
        lines = [f"{self.title} for {target}: the mean of {what}"]
        if self.bag is not None:
            lines.append(str(self.bag)[0].upper() + str(self.bag)[1:])
        shown = self.members if full else self.members[:_SHOWN]
        for m, member in enumerate(shown):
            lines.append(f"Member {m + 1}: {getattr(member, 'name', member.kind)}")
            inner = member.describe(schema, full=full).splitlines()
            lines += [f"  {line}" for line in (inner if full else inner[:4])]
        if len(shown) < len(self.members):
            lines.append(f"... and {many(len(self.members) - len(shown), 'member')} more")
        return "\n".join(lines)

    @property
    def n_parameters(self) -> int:
        """Those of all members."""
        return sum(member.n_parameters for member in self.members)

    @property
    def n_bytes(self) -> float:
        return float(sum(member.n_bytes for member in self.members))

    def to_arrays(self) -> dict[str, Array]:
        arrays = {
            "about": pack_json({"kinds": [m.kind for m in self.members]}),
            **member_arrays(self.members),
        }
        return arrays if self.bag is None else {**arrays, **self.bag.to_arrays()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kinds = unpack_json(cls.__name__, arrays, kinds=list)["kinds"]
        members = members_from(arrays, kinds, schema, RegressionModel)  # type: ignore[type-abstract]
        require(len(members) >= 1, "there is no member")
        bag = None
        if "bag/about" in arrays:
            curve = arrays.get("bag/curve")
            bag = OutOfBag.from_arrays(arrays, len(curve) if curve is not None and curve.ndim else 0)
        return cls(members, bag)


def _curve(bag: OutOfBag | None, schema: Schema) -> LearningFigure:
    if bag is None:
        raise ParameterError("to_figure: there are no out-of-bag rows, so there is no error curve.")
    return bag.figure(schema.target.name if schema.target else "")
