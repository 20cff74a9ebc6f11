"""Why a row got its class or its number: one form for every family, to be read by people and by programs.

    Evidence           one part: a condition or a text, and what it adds (log-odds, or an amount), where that is known
    FiredRule          a rule that answered
    PassedRule         a rule that did not, and the condition that failed
    Case               a row that was looked up, and how far away it is
    Grounds            rules and cases, which a model may give besides its evidence
    Explanation        of a class: evidence against the likeliest other class
    ValueExplanation   of a number: amounts that add up to it

Parts of `evidence` have a role: reasons, the starting point that they are counted from, and a rest that belongs to
none alone. `explain/reasons.py` says them in words. Their `str` is safe to show whatever the data holds; their fields
are as the data has them. `to_dict` of both explanations has one schema, numbered by `SCHEMA_VERSION`; docs/rules.md
tells it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from acumen.conditions.condition import Condition
from acumen.conditions.rule import Rule, word
from acumen.data.escape import printable, printable_lines
from acumen.data.forms import value_text
from acumen.explain import reasons
from acumen.explain.cell_text import is_missing
from acumen.types import Label

#: Of the JSON that `to_dict` gives; a new key does not raise it, another meaning of one does.
SCHEMA_VERSION: Final = 1
#: Cases, and rules that did not answer, told in words.
_CASES_SHOWN = 10


#: A reason; the starting point, which is none; or what remains once every reason has its part.
Role: TypeAlias = Literal["reason", "start", "rest"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One part of an answer: what held, and how far it moved the answer.

    `condition` is a Condition, or a text where no condition says it; `said` are shorter words for a Condition, where
    people are to read those. `contribution` is, of a class, log-odds for the
    winner against the rival in natural logarithms; of a number, an amount in the target's own unit; None where a
    reason has no number of its own. `support` is the weight of training rows behind the reason and `confidence` the
    share of the winning class among such rows, as the model estimates it, where it can tell. `role` separates reasons
    from the starting point that they are counted from, and from a rest.
    """

    attribute: str | None
    condition: Condition | str
    contribution: float | None = None
    support: float | None = None
    confidence: float | None = None
    said: str = ""
    role: Role = "reason"

    @property
    def log_odds(self) -> float:
        """The contribution to a class; 0 where there is none."""
        return 0.0 if self.contribution is None else self.contribution

    @property
    def amount(self) -> float:
        """The contribution to a number; 0 where there is none."""
        return 0.0 if self.contribution is None else self.contribution

    @property
    def text(self) -> str:
        """What held, in words."""
        return self.said or str(self.condition)

    def to_dict(self) -> dict[str, Any]:
        return {
            "attribute": self.attribute,
            "condition": self.text,
            "test": self.condition.to_dict() if isinstance(self.condition, Condition) else None,
            "contribution": self.contribution,
            "support": self.support,
            "confidence": self.confidence,
            "role": self.role,
        }


#: What one condition adds to a predicted number.
Contribution: TypeAlias = Evidence


@dataclass(frozen=True, slots=True)
class FiredRule:
    """A rule that answered; `place` is its place in the list, from 0, where it has one."""

    place: int | None
    rule: Rule

    def to_dict(self) -> dict[str, Any]:
        return {"place": self.place, **self.rule.to_dict()}

    def __str__(self) -> str:
        number = "" if self.place is None else f"rule {self.place + 1}: "
        return f"{number}{self.rule}"


@dataclass(frozen=True, slots=True)
class PassedRule:
    """A rule that did not answer for a row.

    `failed` is the first of its conditions that does not hold and `value` what the row has there; of a number `by` is
    how far it is off. `near` says that no other condition fails.
    """

    place: int
    rule: Rule
    failed: Condition
    value: Label | None = None
    by: float | None = None
    near: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {
            "place": self.place,
            "failed": self.failed.to_dict(),
            "value": self.value,
            "by": self.by,
            "near": self.near,
            "label": self.rule.label,
        }

    def __str__(self) -> str:
        value = "missing" if self.value is None else self.value
        here = str(value).lower() if isinstance(value, bool) else value_text(self.failed.form, value)
        days = " days" if self.failed.form.startswith("date") else ""
        off = "" if self.by is None else f", off by {self.by:.4g}{days}"
        alone = "; all else holds" if self.near and len(self.rule.body) > 1 else ""
        return (
            f"rule {self.place + 1} ({self.rule.head_words}) fails at {self.failed}: it is {here}{off}{alone}"
        )


@dataclass(frozen=True, slots=True)
class Case:
    """A training row that speaks for the answer.

    `row` is its number among the training rows, `answer` its own class or number and `weight` its say;
    `values` are those worth showing, `forms` how numbers among them are written that are dates, and `parts` is what
    each attribute adds to the distance.
    """

    row: int | None
    distance: float | None = None
    answer: Label | None = None
    weight: float = 1.0
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)
    parts: Mapping[str, float] = field(default_factory=dict, hash=False)
    forms: Mapping[str, str] = field(default_factory=dict, hash=False)

    def to_dict(self) -> dict[str, Any]:
        return {
            "row": self.row,
            "distance": self.distance,
            "answer": self.answer,
            "weight": self.weight,
            "values": [[name, value] for name, value in self.values.items()],
            "parts": [[name, part] for name, part in self.parts.items()],
        }

    def _text_of(self, name: str, value: Any) -> str:
        return "is missing" if is_missing(value) else f"= {value_text(self.forms.get(name, ''), value)}"

    def __str__(self) -> str:
        parts = ["a row" if self.row is None else f"row {self.row}"]
        parts += [] if self.answer is None else [str(self.answer)]
        parts += [] if self.distance is None else [f"distance {self.distance:.4g}"]
        parts += [] if self.weight == 1.0 else [f"weight {self.weight:.4g}"]
        shown = ", ".join(f"{name} {self._text_of(name, value)}" for name, value in self.values.items())
        return "  ".join(parts) + (f"  ({shown})" if shown else "")


@dataclass(frozen=True, slots=True)
class Grounds:
    """What an answer rests on besides evidence: rules that answered or did not, cases, and a sentence.

    `otherwise` is what would be said without the first rule that answered.
    """

    rules: tuple[FiredRule, ...] = ()
    cases: tuple[Case, ...] = ()
    note: str = ""
    passed: tuple[PassedRule, ...] = ()
    otherwise: Label | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a row was predicted as `label`: the evidence against the next most likely class, strongest first."""

    label: Label
    rival: Label | None
    probabilities: Mapping[Label, float] | None
    evidence: tuple[Evidence, ...]
    note: str = ""
    rules: tuple[FiredRule, ...] = ()
    cases: tuple[Case, ...] = ()
    passed: tuple[PassedRule, ...] = ()
    otherwise: Label | None = None
    #: The fraction of the training rows that are of the label's class, where it is known.
    base_rate: float | None = None
    _sorted: tuple[Evidence, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_sorted", strongest(self.evidence))

    @property
    def probability(self) -> float | None:
        """The probability of the label, if the model has probabilities."""
        return None if self.probabilities is None else self.probabilities[self.label]

    @property
    def near_misses(self) -> tuple[PassedRule, ...]:
        """Rules that failed on exactly one condition."""
        return tuple(each for each in self.passed if each.near)

    @property
    def log_odds(self) -> float:
        """The sum of all evidence."""
        return sum(reason.log_odds for reason in self.evidence)

    @property
    def start_log_odds(self) -> float:
        """The starting point in log-odds: the average of the training rows."""
        return sum(part.log_odds for part in self.evidence if part.role == "start")

    @property
    def start(self) -> float | None:
        """The starting point as the probability of the label, against the rival; None without probabilities."""
        starts = any(part.role == "start" for part in self.evidence)
        return reasons.share(self.start_log_odds) if starts and self.probabilities is not None else None

    @property
    def reasons(self) -> tuple[Evidence, ...]:
        """The reasons for and against the label, strongest first, without the starting point."""
        return tuple(part for part in self._sorted if part.role == "reason")

    @property
    def reasons_for(self) -> tuple[Evidence, ...]:
        """Reasons for the label, strongest first."""
        return tuple(part for part in self.reasons if part.log_odds >= reasons.LEAST)

    @property
    def reasons_against(self) -> tuple[Evidence, ...]:
        """Reasons against the label, strongest first."""
        return tuple(part for part in self.reasons if part.log_odds <= -reasons.LEAST)

    def in_words(self, most: int | None = None) -> str:
        """The explanation in sentences, with at most `most` reasons."""
        return printable_lines(reasons.class_sentences(self, most))

    @property
    def rule(self) -> Rule | None:
        """The rule that decided, if any; the first of several that vote."""
        return self.rules[0].rule if self.rules else None

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready values; `log_odds` of each reason is its `contribution`, or 0 if it has none."""
        shares = None if self.probabilities is None else [[k, v] for k, v in self.probabilities.items()]
        return {
            "schema_version": SCHEMA_VERSION,
            "task": "classification",
            "label": self.label,
            "rival": self.rival,
            "probabilities": shares,
            "start": self.start,
            "start_log_odds": self.start_log_odds,
            "base_rate": self.base_rate,
            "evidence": [{**reason.to_dict(), "log_odds": reason.log_odds} for reason in self._sorted],
            **_further(self.rules, self.cases, self.note),
            "passed": [rule.to_dict() for rule in self.passed],
            "otherwise": self.otherwise,
        }

    def __str__(self) -> str:
        lines = reasons.class_lines(self)
        lines += _further_lines(self.rules, self.cases, self.note)
        lines += _passed_lines(self.passed)
        if self.otherwise is not None and self.rules:
            lines.append(f"  without rule {(self.rules[0].place or 0) + 1}: {word(self.otherwise)}")
        return printable_lines("\n".join(lines))

    def _repr_html_(self) -> str:
        from acumen.render.notebook import preformat

        return preformat(str(self))


@dataclass(frozen=True, slots=True)
class ValueExplanation:
    """Why a row got `value`: a number to start from, and what each attribute adds, largest first."""

    value: float
    start: float
    contributions: tuple[Evidence, ...]
    target: str = "value"
    note: str = ""
    rules: tuple[FiredRule, ...] = ()
    cases: tuple[Case, ...] = ()
    #: What `start` is, in words.
    start_words: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "contributions", strongest(self.contributions))

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The contributions, by the name that explanations of classes have for them."""
        return self.contributions

    @property
    def reasons(self) -> tuple[Evidence, ...]:
        """What raises or lowers the number, largest first."""
        return tuple(part for part in self.contributions if part.role == "reason")

    def in_words(self, most: int | None = None) -> str:
        """The explanation in sentences, with at most `most` reasons."""
        return printable_lines(reasons.value_sentences(self, most))

    @property
    def rule(self) -> Rule | None:
        """The rule that answered, where one did."""
        return self.rules[0].rule if self.rules else None

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form; `contributions` are the evidence under the names of a sum."""
        sums = [
            {"attribute": each.attribute, "condition": each.text, "amount": each.amount}
            for each in self.contributions
        ]
        return {
            "schema_version": SCHEMA_VERSION,
            "task": "regression",
            "target": self.target,
            "value": self.value,
            "start": self.start,
            "evidence": [each.to_dict() for each in self.contributions],
            "contributions": sums,
            **_further(self.rules, self.cases, self.note),
        }

    def __str__(self) -> str:
        lines = reasons.value_lines(self)
        return printable_lines("\n".join([*lines, *_further_lines(self.rules, self.cases, self.note)]))

    def _repr_html_(self) -> str:
        from acumen.render.notebook import preformat

        return preformat(str(self))


AnyExplanation: TypeAlias = Explanation | ValueExplanation


def strongest(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """By the size of what they contribute; those without a number last, in the order they came."""
    return tuple(sorted(evidence, key=lambda e: (e.contribution is None, -abs(e.log_odds))))


def _further(rules: Sequence[FiredRule], cases: Sequence[Case], note: str) -> dict[str, Any]:
    return {
        "rules": [rule.to_dict() for rule in rules],
        "cases": [case.to_dict() for case in cases],
        "note": note,
    }


def _further_lines(rules: Sequence[FiredRule], cases: Sequence[Case], note: str) -> list[str]:
    lines = [printable(f"  by {rule}") for rule in rules]
    lines += [printable(f"  {case}") for case in cases[:_CASES_SHOWN]]
    if len(cases) > _CASES_SHOWN:
        lines.append(f"  ... and {len(cases) - _CASES_SHOWN} more rows")
    return [*lines, f"  {note}"] if note else lines


def _passed_lines(passed: Sequence[PassedRule]) -> list[str]:
    """Why earlier rules did not answer: near misses first where there are too many."""
    first = sorted(passed, key=lambda each: not each.near)[:_CASES_SHOWN]
    lines = [printable(f"  {each}") for each in sorted(first, key=lambda each: each.place)]
    n_more = len(passed) - len(first)
    return [*lines, f"  ... and {n_more} more rules fail"] if n_more else lines
