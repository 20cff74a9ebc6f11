"""The version space of a class: all hypotheses of a language that agree with every example (Mitchell 1982).

    LANGUAGES            what hypotheses may be
    solve                examples -> VersionSpaceModel
    VersionSpaceModel    the examples under a language; its space is worked out when it is asked
    Contradiction        positives and a negative that no hypothesis tells apart

An empty space is a state: the model then answers with the class frequencies, and says which rows contradict which. Of
more than two classes one is positive, and the others share out what it does not get by their frequencies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self, get_args

import numpy as np

from acumen.caching import cached_property
from acumen.data.escape import shorten
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.explain.explanation import Evidence, Grounds
from acumen.explain.starting_point import CLASS_FREQUENCIES
from acumen.models.decision import log_prior
from acumen.models.model import Model
from acumen.preprocessing.stored_arrays import require, stored_array, stored_codes, stored_floats
from acumen.render.lattice_plot import LatticeFigure, lattice_of
from acumen.render.text import many
from acumen.rules.conjunction_spaces import HypothesisSpace, LiteralSpace, Vote
from acumen.rules.examples import ExampleSummary, require_examples, table_of
from acumen.rules.function_spaces import DisjunctiveSpace, FunctionSpace
from acumen.rules.hitting_sets import MOST_SMALLEST, Bounds, TooManyHypotheses
from acumen.rules.hypothesis import Hypothesis
from acumen.types import Array, Bools, Floats, Label

if TYPE_CHECKING:
    from acumen.models.predictor import AnyPredictor

Language = Literal[
    "conjunction", "internal-disjunction", "attribute-equality", "dnf", "single-test-dnf", "cnf"
]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)

#: What the hypotheses of each language are, in words.
WORDS: Final[Mapping[str, str]] = {
    "conjunction": "conjunctions of tests",
    "internal-disjunction": "conjunctions of tests that may allow several levels",
    "attribute-equality": "conjunctions of equal attributes",
    "dnf": "disjunctions of one conjunction for each positive",
    "single-test-dnf": "disjunctions of each positive, whole or by one of its tests",
    "cnf": "conjunctions of any clauses, which is every function",
}
#: Negatives whose contradictions are told, and hypotheses of a boundary.
_CONTRADICTIONS, _SHOWN = 10, 12
#: Letters of a hypothesis that are told unless all is asked for.
_LETTERS = 400


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Positives and a negative that no hypothesis of the language separates; row numbers of training rows, from 0."""

    positives: tuple[int, ...]
    negative: int

    @property
    def short(self) -> str:
        """Which rows stand against which."""
        rows = [str(row) for row in self.positives]
        positives = f"rows {', '.join(rows[:-1])} and {rows[-1]}" if len(rows) > 1 else f"row {rows[0]}"
        return f"{positives} against row {self.negative}"

    def __str__(self) -> str:
        positives = self.short.partition(" against")[0]
        verb = "are" if len(self.positives) > 1 else "is"
        return (
            f"{positives} {verb} positive and row {self.negative} is not, but every hypothesis that covers the "
            "former covers the latter"
        )


def _hypothesis_text(hypothesis: Hypothesis, full: bool) -> str:
    """A hypothesis in words; a long one is cut unless all is asked for."""
    return str(hypothesis) if full else shorten(str(hypothesis), _LETTERS)


def space_of(language: str, schema: Schema, examples: Table, positive: Bools) -> HypothesisSpace:
    """The version space of a class, from examples."""
    positives, negatives = examples.take(np.flatnonzero(positive)), examples.take(np.flatnonzero(~positive))
    if language == "cnf":
        return FunctionSpace(schema, positives, negatives, examples)
    if language in ("dnf", "single-test-dnf"):
        return DisjunctiveSpace(language, schema, positives, negatives)
    return LiteralSpace(language, schema, positives, negatives)


def solve(summary: ExampleSummary, *, positive: Any, language: str) -> VersionSpaceModel:
    """Compute the version space of the examples."""
    code = positive_code(summary.schema, positive, int(summary.labels[0]))
    model = VersionSpaceModel(
        summary.schema,
        language,
        code,
        positive is None,
        summary.numbers,
        summary.codes,
        summary.labels,
        summary.weights,
        summary.first,
    )
    model.space.empty  # noqa: B018 - what cannot be worked out is said when learning
    return model


def positive_code(schema: Schema, positive: Any, first: int) -> int:
    """The code of the positive class: the first row's where none is named."""
    if positive is None:
        return first
    classes = schema.classes
    if positive in classes:
        return classes.index(positive)
    named = [str(label) for label in classes]
    if str(positive) in named:
        return named.index(str(positive))
    raise ParameterError(
        f"VersionSpace: positive must be one of the classes {', '.join(named)}; got {positive!r}."
        f"{did_you_mean(str(positive), named)}"
    )


@dataclass(frozen=True, eq=False)
class VersionSpaceModel(Model):
    """Distinct examples, the class that is positive, and the language of hypotheses."""

    kind: ClassVar[str] = "version-space"

    schema: Schema
    language: str
    positive: int  # its code
    by_first: bool  # whether it is the first row's class because none was named
    numbers: Array  # as in ExampleSummary
    codes: Array
    labels: Array
    weights: Floats
    first: Array

    # -- the space --------------------------------------------------------------------------------

    @cached_property
    def examples(self) -> Table:
        return table_of(self.schema, self.numbers, self.codes, self.labels, self.weights)

    @property
    def is_positive(self) -> Bools:
        return np.asarray(self.labels == self.positive)

    @property
    def class_totals(self) -> Floats:
        totals: Floats = np.bincount(self.labels, self.weights, minlength=self.schema.n_classes).astype(
            np.float64
        )
        return totals

    @cached_property
    def space(self) -> HypothesisSpace:
        return space_of(self.language, self.schema, self.examples, self.is_positive)

    def under(self, language: str) -> VersionSpaceModel:
        """The same examples under another language."""
        return VersionSpaceModel(
            self.schema, language, self.positive, self.by_first, self.numbers, self.codes, self.labels, self.weights,
            self.first,
        )  # fmt: skip

    @property
    def specific(self) -> tuple[Hypothesis, ...]:
        """The most specific hypothesis of the space; none where it is empty."""
        return () if self.space.empty else (self.space.most_specific,)

    @cached_property
    def general(self) -> tuple[Hypothesis, ...] | None:
        """The most general hypotheses; None where they are too many to be held."""
        if self.space.empty:
            return ()
        try:
            return tuple(self.space.general())
        except TooManyHypotheses:
            return None

    @property
    def count(self) -> Bounds:
        """How many hypotheses there are."""
        return Bounds(0, 0) if self.space.empty else self.space.size

    def votes(self, rows: Table) -> list[Vote]:
        """How many hypotheses cover each row."""
        if self.space.empty:
            return [Vote(float("nan"), Bounds(0, 0), Bounds(0, 0))] * len(rows)
        return self.space.votes(rows)

    @cached_property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """Why the space is empty: for the first negatives that no hypothesis keeps out, positives that say so."""
        if not self.space.empty:
            return ()
        positives = np.flatnonzero(self.is_positive)
        negatives = np.flatnonzero(~self.is_positive)
        held = self.space.most_specific.covers(self.examples.take(negatives))
        pairs = []
        for at in negatives[held][:_CONTRADICTIONS].tolist():
            causes = sorted(self._causes(positives, at))
            pairs.append(
                Contradiction(tuple(int(self.first[cause]) for cause in causes), int(self.first[at]))
            )
        return tuple(pairs)

    def _causes(self, positives: Array, negative: int) -> list[int]:
        """Few positives, none of which can be spared, whose most specific hypothesis covers a negative."""
        row = self.examples.take(np.array([negative]))

        def covers_all(chosen: Sequence[int]) -> bool:
            if not chosen:
                return False
            some = self.examples.take(np.array(chosen))
            specific = space_of(
                self.language, self.schema, some, np.ones(len(chosen), dtype=np.bool_)
            ).most_specific
            return bool(specific.covers(row)[0])

        kept: list[int] = []
        candidates = positives.tolist()
        while not covers_all(kept):
            low, high = 1, len(candidates)  # the shortest beginning of those left that will do
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if covers_all([*kept, *candidates[:middle]]) else (middle + 1, high)
            kept.append(candidates[low - 1])
            candidates = candidates[: low - 1]
        return kept

    # -- answering --------------------------------------------------------------------------------

    def scores(self, rows: Table) -> Floats:
        totals = self.class_totals
        if len(totals) == 1:
            return np.zeros((len(rows), 1))
        if self.space.empty:
            return np.tile(log_prior(totals), (len(rows), 1))
        share = np.array([vote.share for vote in self.votes(rows)], dtype=np.float64).reshape(-1, 1)
        others = totals.copy()
        others[self.positive] = 0.0
        if not others.any():
            others[:] = 1.0
            others[self.positive] = 0.0
        shares = (1.0 - share) * (others / others.sum())
        shares[:, self.positive] = share[:, 0]
        with np.errstate(divide="ignore"):
            return np.log(shares)

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        scores = self.scores(row)[0]
        with np.errstate(invalid="ignore"):
            moved = float(scores[winner] - scores[rival])
        if self.space.empty:
            return (Evidence(None, CLASS_FREQUENCIES, moved, role="start"),)
        return (Evidence(None, str(self.votes(row)[0]), moved),)

    def grounds(self, row: Table, schema: Schema) -> Grounds:
        if not self.space.empty:
            return Grounds()
        return Grounds(note=f"The version space is empty: {self.contradictions[0]}.")

    @property
    def n_parameters(self) -> int:
        """The tests of the most specific hypothesis."""
        return sum(
            sum(test is not None for test in each.tests) + sum(len(block) - 1 for block in each.equal)
            for each in self.space.most_specific.alternatives
        )

    # -- for people -------------------------------------------------------------------------------

    @property
    def label(self) -> Label:
        """The positive class."""
        return self.schema.classes[self.positive]

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "class"
        which = " (the first row's class)" if self.by_first else ""
        against = f", against the {len(schema.classes) - 1} other classes" if schema.n_classes > 2 else ""
        lines = [
            f"Version space of {target} = {self.label}{which}{against}, from {many(len(self.labels), 'distinct row')}",
            f"hypotheses are {WORDS[self.language]}",
        ]
        if self.space.empty:
            lines.append("The space is empty: no hypothesis agrees with all rows (numbered from 0).")
            shown = self.contradictions if full else self.contradictions[:3]
            lines += [f"  {each}" for each in shown]
            lines.append(
                f"most specific, negatives aside (Find-S): {_hypothesis_text(self.space.most_specific, full)}"
            )
            return "\n".join([*lines, "Every row is answered with the class frequencies."])
        lines.append(f"{self.count} {'hypothesis' if self.count == (1, 1) else 'hypotheses'}")
        lines.append(f"most specific: {_hypothesis_text(self.space.most_specific, full)}")
        general = self.general
        if general is None:
            lines.append(f"most general: more than {MOST_SMALLEST:,} or too many to be compared")
        elif len(general) == 1:
            lines.append(f"most general:  {_hypothesis_text(general[0], full)}")
        else:
            shown_general = general if full else general[:_SHOWN]
            lines.append(f"most general, {len(general)}:")
            lines += [f"  {_hypothesis_text(each, full)}" for each in shown_general]
            if len(shown_general) < len(general):
                lines.append(f"  and {len(general) - len(shown_general)} more")
        return "\n".join(lines)

    def to_figure(self, predictor: AnyPredictor, *, most: int = 64) -> LatticeFigure:
        """The lattice of the space, the most general hypotheses on top.

        Parameters
        ----------
        most : int
            Spaces of more hypotheses are not drawn.
        """
        title = f"Version space of {self.label}: {self.language}"
        if self.space.empty:
            return LatticeFigure((), title=title, why=f"The space is empty: {self.contradictions[0].short}.")
        if self.count.high > most:
            raise ParameterError(
                f"to_figure: the space has {self.count} hypotheses, and at most {most} are drawn; see the boundaries "
                "specific_ and general_ instead."
            )
        nodes = list(self.space.nodes())
        return lattice_of([(str(hypothesis), key) for hypothesis, key in nodes], title)

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            "language": np.array([LANGUAGES.index(self.language)], dtype=np.int32),
            "positive": np.array([self.positive, self.by_first], dtype=np.int32),
            "numbers": np.asarray(self.numbers),
            "codes": np.asarray(self.codes),
            "labels": np.asarray(self.labels),
            "weights": np.asarray(self.weights),
            "first": np.asarray(self.first),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        language = int(stored_codes(arrays, "language", (1,), low=0, below=len(LANGUAGES))[0])
        positive = stored_codes(arrays, "positive", (2,), low=0, below=max(schema.n_classes, 2))
        labels = stored_codes(arrays, "labels", (None,), low=0, below=schema.n_classes)
        n = len(labels)
        numbers = stored_array(arrays, "numbers", np.int64, (n, len(schema.numeric)))
        codes = stored_array(arrays, "codes", np.int32, (n, len(schema.nominal)))
        weights = stored_floats(arrays, "weights", (n,), low=0.0, high=1e300)
        first = stored_array(arrays, "first", np.int64, (n,))
        require_examples(schema, numbers, codes, labels, weights, first)
        require(n > 0, "there is no example")
        require(
            positive[0] < schema.n_classes and positive[1] <= 1, "the positive class is none of the classes"
        )
        model = cls(
            schema,
            LANGUAGES[language],
            int(positive[0]),
            bool(positive[1]),
            numbers,
            codes,
            labels,
            weights,
            first,
        )
        try:
            model.space.empty  # noqa: B018 - a file may hold what cannot be worked out
        except DataError as error:
            require(False, str(error).rstrip("."))
        return model
