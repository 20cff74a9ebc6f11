"""Why a row got its class or its number: one type each, to be read by people and by programs.

Their `str` is safe to show whatever the data holds; their fields are as the data has them.

Explanation, Evidence            of a class: log-odds against the likeliest other class
ValueExplanation, Contribution   of a number: amounts that add up to it
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from acumen.data.escape import printable_lines
from acumen.types import Label


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason: a condition that held, and how far it spoke for the winner against the rival.

    `log_odds` is in natural logarithms; `support` is the weight of training rows behind the reason and
    `confidence` the share of the winning class among such rows, as the model estimates it, where it can tell.
    """

    attribute: str | None
    condition: str
    log_odds: float
    support: float | None = None
    confidence: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "attribute": self.attribute,
            "condition": self.condition,
            "log_odds": self.log_odds,
            "support": self.support,
            "confidence": self.confidence,
        }


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a row got `label`: the evidence, strongest first, against the likeliest other class."""

    label: Label
    rival: Label | None
    probabilities: Mapping[Label, float] | None
    evidence: tuple[Evidence, ...]
    note: str = ""
    _sorted: tuple[Evidence, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        strongest = tuple(sorted(self.evidence, key=lambda reason: -abs(reason.log_odds)))
        object.__setattr__(self, "_sorted", strongest)

    @property
    def probability(self) -> float | None:
        """The probability of the label given, where the model has probabilities."""
        return None if self.probabilities is None else self.probabilities[self.label]

    @property
    def log_odds(self) -> float:
        """All evidence together."""
        return sum(reason.log_odds for reason in self.evidence)

    def to_dict(self) -> dict[str, Any]:
        shares = None if self.probabilities is None else [[k, v] for k, v in self.probabilities.items()]
        return {
            "label": self.label,
            "rival": self.rival,
            "probabilities": shares,
            "evidence": [reason.to_dict() for reason in self._sorted],
            "note": self.note,
        }

    def __str__(self) -> str:
        sure = "" if self.probability is None else f" with probability {self.probability:.4g}"
        lines = [f"{self.label}{sure}" + (f", rather than {self.rival}" if self.rival is not None else "")]
        width = max((len(reason.condition) for reason in self._sorted), default=0)
        for reason in self._sorted:
            side = "for" if reason.log_odds >= 0 else "against"
            behind = [] if reason.support is None else [f"{reason.support:g} rows"]
            behind += [] if reason.confidence is None else [f"{100 * reason.confidence:.1f} % {self.label}"]
            tail = f"  ({', '.join(behind)})" if behind else ""
            lines.append(f"  {reason.condition:<{width}}  {reason.log_odds:+8.3f} {side}{tail}")
        if self.note:
            lines.append(f"  {self.note}")
        return printable_lines("\n".join(lines))

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one condition adds to a predicted number, in the target's own unit."""

    attribute: str | None
    condition: str
    amount: float

    def to_dict(self) -> dict[str, Any]:
        return {"attribute": self.attribute, "condition": self.condition, "amount": self.amount}


@dataclass(frozen=True, slots=True)
class ValueExplanation:
    """Why a row got `value`: a number to start from, and what each attribute adds, largest first."""

    value: float
    start: float
    contributions: tuple[Contribution, ...]
    target: str = "value"
    note: str = ""

    def __post_init__(self) -> None:
        largest = tuple(sorted(self.contributions, key=lambda each: -abs(each.amount)))
        object.__setattr__(self, "contributions", largest)

    def to_dict(self) -> dict[str, Any]:
        return {
            "value": self.value,
            "start": self.start,
            "contributions": [each.to_dict() for each in self.contributions],
            "note": self.note,
        }

    def __str__(self) -> str:
        width = max((len(each.condition) for each in self.contributions), default=0)
        lines = [f"{self.target} = {self.value:.6g}, starting from {self.start:.6g}"]
        lines += [f"  {each.condition:<{width}}  {each.amount:+.6g}" for each in self.contributions]
        return printable_lines("\n".join([*lines, *([f"  {self.note}"] if self.note else [])]))

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"
