"""Arithmetic written down: how a row's answer comes about, with the numbers put in.

    Number               a number as it is worked out: counts as fractions, densities as formulas
    Line                 one factor of a product, or one part of a sum, and what it is made of
    Product              of one class: the lines and what they come to
    ProductWorking       the products of all classes, and how these become probabilities
    SumWorking           parts that add up to a number, or to the log-odds of two classes
    WorkedExplanation    an Explanation with its working; WorkedValue the same of a number

Fractions are exact: they are made of the counts themselves. What has none (densities, fractional weights of many
digits) is a decimal of six digits, and so is whatever it is multiplied with.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, TypeAlias

from acumen.data.escape import printable, printable_lines
from acumen.explain.explanation import AnyExplanation, Explanation, ValueExplanation
from acumen.types import Label

#: Factors of one class that are written down, and written into one line; the rest is counted.
_LINES, _ACROSS = 60, 12
#: Fractions of longer denominators are of no use to a reader.
_LONGEST = 10**12


@dataclass(frozen=True, slots=True)
class Number:
    """A number, `said` as it is worked out; `exact` where it is a fraction of counts."""

    words: str
    log: float
    exact: Fraction | None = None

    @property
    def value(self) -> float:
        return math.exp(self.log) if self.log < 709.0 else math.inf

    @property
    def short(self) -> str:
        """The number itself, the fraction reduced: what stands in a product."""
        return fraction_text(self.exact) if self.exact is not None else decimal(self.log)

    def power(self, power: float) -> Number:
        """The same to a power; exact where that is whole."""
        if power == 1.0:
            return self
        log = power * self.log if power or math.isfinite(self.log) else 0.0
        whole = self.exact is not None and power == int(power) and abs(power) <= 20
        exact = self.exact ** int(power) if whole and self.exact is not None else None
        return Number(f"({self.words.partition(' = ')[0]})^{power:g}", log, exact)


@dataclass(frozen=True, slots=True)
class WorkingLine:
    """What a number is of, and the number."""

    name: str
    number: Number


@dataclass(frozen=True, slots=True)
class WorkingProduct:
    """The factors of one class; `share` is what normalising makes of their product."""

    label: Label
    lines: tuple[WorkingLine, ...]
    share: float

    @property
    def log(self) -> float:
        """The logarithm of the product."""
        return sum(line.number.log for line in self.lines)

    @property
    def exact(self) -> Fraction | None:
        """The product as a fraction, where every factor is one."""
        product = Fraction(1)
        for line in self.lines:
            if line.number.exact is None:
                return None
            product *= line.number.exact
        return product

    @property
    def short(self) -> str:
        """What it comes to, as short as it can be said."""
        exact = self.exact
        return decimal(self.log) if exact is None or exact.denominator > _LONGEST else fraction_text(exact)

    def calculation(self) -> str:
        """`1/2 x 2/5 x 2/5 = 2/25 = 0.08`."""
        factors = [line.number.short for line in self.lines]
        if len(factors) > _ACROSS:
            factors = [*factors[:_ACROSS], f"... ({len(factors) - _ACROSS:,} more)"]
        plain = decimal(self.log)
        tail = "" if plain == self.short else f" = {plain}"
        return f"{' x '.join(factors)} = {self.short}{tail}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "factors": [
                {"of": line.name, "said": line.number.words, "value": line.number.value,
                 "exact": None if line.number.exact is None else str(line.number.exact)}
                for line in self.lines
            ],
            "product": math.exp(self.log) if self.log < 709.0 else None,
            "exact": None if self.exact is None else str(self.exact),
            "share": self.share,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProductWorking:
    """Products of all classes; `notes` are sentences on omissions, and on how ties were decided."""

    heading: str
    products: tuple[WorkingProduct, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": "products",
            "products": [each.to_dict() for each in self.products],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        lines = [self.heading]
        every = [line for each in self.products for line in each.lines[:_LINES]]
        first = max((len(printable(line.name)) for line in every), default=0)
        for each in self.products:
            lines.append(printable(each.label))
            lines += [
                f"  {printable(line.name):<{first}}  {_working_text(line.number)}"
                for line in each.lines[:_LINES]
            ]
            if len(each.lines) > _LINES:
                lines.append(f"  ... and {len(each.lines) - _LINES:,} more factors")
            lines.append(f"  {each.calculation()}")
        lines += self._probability_lines()
        return printable_lines("\n".join([*lines, *map(printable, self.notes)]))

    def _probability_lines(self) -> list[str]:
        """Each product over the sum of all."""
        logs = [each.log for each in self.products]
        if not any(log > -math.inf for log in logs):
            return ["Every product is 0: no class is possible by these counts, and none is preferred."]
        exact = [each.exact for each in self.products]
        shorts = [each.short for each in self.products]
        below = " + ".join(shorts)
        lines = ["Each product over the sum of all"]
        width = max(len(printable(each.label)) for each in self.products)
        for each, short, fraction in zip(self.products, shorts, exact, strict=True):
            share = ""
            if all(part is not None for part in exact):
                total = sum((part for part in exact if part is not None), Fraction(0))
                probability = (fraction or Fraction(0)) / total
                if probability.denominator <= _LONGEST and probability.denominator > 1:
                    share = f" = {fraction_text(probability)}"
            lines.append(f"  {printable(each.label):<{width}}  {short} / ({below}){share} = {each.share:.6g}")
        return lines


@dataclass(frozen=True, slots=True)
class SumWorking:
    """Parts and what they add up to; `after` says what is done with the sum."""

    heading: str
    parts: tuple[tuple[str, float], ...]
    total: float
    after: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": "sum",
            "parts": [list(part) for part in self.parts],
            "total": self.total,
            "after": self.after,
        }

    def __str__(self) -> str:
        first = max((len(printable(name)) for name, _ in self.parts[:_LINES]), default=0)
        lines = [printable(self.heading)]
        lines += [f"  {printable(name):<{first}}  {value:+.6g}" for name, value in self.parts[:_LINES]]
        if len(self.parts) > _LINES:
            lines.append(f"  ... and {len(self.parts) - _LINES:,} more")
        across = [
            f"{value:.6g}" if i == 0 else _signed_text(value)
            for i, (_, value) in enumerate(self.parts[:_ACROSS])
        ]
        more = f" + ... ({len(self.parts) - _ACROSS:,} more)" if len(self.parts) > _ACROSS else ""
        lines.append(f"  {' '.join(across)}{more} = {self.total:.6g}")
        return printable_lines("\n".join([*lines, printable(self.after)] if self.after else lines))


Working: TypeAlias = ProductWorking | SumWorking


@dataclass(frozen=True, slots=True)
class WorkedExplanation(Explanation):
    """Why a row got its class, and the arithmetic."""

    working: Working | None = None

    def to_dict(self) -> dict[str, Any]:
        content = Explanation.to_dict(self)
        return content if self.working is None else {**content, "steps": self.working.to_dict()}

    def __str__(self) -> str:
        return f"{Explanation.__str__(self)}\n\n{self.working}"

    def _repr_html_(self) -> str:
        from acumen.render.notebook import preformat

        return preformat(str(self))


@dataclass(frozen=True, slots=True)
class WorkedValue(ValueExplanation):
    """Why a row got its number, and the arithmetic."""

    working: Working | None = None

    def to_dict(self) -> dict[str, Any]:
        content = ValueExplanation.to_dict(self)
        return content if self.working is None else {**content, "steps": self.working.to_dict()}

    def __str__(self) -> str:
        return f"{ValueExplanation.__str__(self)}\n\n{self.working}"

    def _repr_html_(self) -> str:
        from acumen.render.notebook import preformat

        return preformat(str(self))


def with_working(explanation: AnyExplanation, working: Working) -> WorkedExplanation | WorkedValue:
    """The same explanation with its arithmetic."""
    fields_given = {f.name: getattr(explanation, f.name) for f in fields(explanation) if f.init}
    if isinstance(explanation, ValueExplanation):
        return WorkedValue(**fields_given, working=working)
    return WorkedExplanation(**fields_given, working=working)


# -- numbers --------------------------------------------------------------------------------------


def exact_of(value: float) -> Fraction | None:
    """A weight as a fraction: whole, or of at most three decimals; None where it is neither."""
    if not math.isfinite(value) or abs(value) > 1e12:
        return None
    thousandths = round(value * 1000)
    close = abs(thousandths / 1000 - value) <= 1e-9 * max(abs(value), 1.0)
    return Fraction(thousandths, 1000) if close else None


def ratio(above: float, below: float, said: str = "") -> Number:
    """A share of counts: `9/15`, or as it is `said`; the fraction is exact where the counts are."""
    log = math.log(above / below) if above > 0 else -math.inf
    top, bottom = exact_of(above), exact_of(below)
    words = said or f"{plain(above)}/{plain(below)}"
    if top is None or bottom is None:  # weights that were scaled: their ratio may be simple all the same
        return Number(words, log, simple(log).exact if above > 0 else Fraction(0))
    return Number(words, log, top / bottom)


def simple(log: float) -> Number:
    """A number that was given: a fraction of a small denominator where it is one."""
    value = math.exp(log)
    near = Fraction(value).limit_denominator(1000)
    exact = near if abs(float(near) - value) <= 1e-12 * max(value, 1e-300) else None
    return Number(decimal(log) if exact is None else fraction_text(exact), log, exact)


def plain(value: float) -> str:
    """A count or weight as it is written."""
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.6g}"


def fraction_text(value: Fraction) -> str:
    """`2/5`; whole numbers as they are."""
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def decimal(log: float) -> str:
    """A number by its logarithm, also where it is too small or too large to be one."""
    if log == -math.inf:
        return "0"
    if -700.0 < log < 700.0:
        return f"{math.exp(log):.6g}"
    power = math.floor(log / math.log(10.0))
    return f"{math.exp(log - power * math.log(10.0)):.6g}e{power:+d}"


def sum_text(parts: Sequence[str]) -> str:
    """Numbers and what is added to them, in brackets where there is more than one."""
    return f"({' + '.join(parts)})" if len(parts) > 1 else parts[0]


def _signed_text(value: float) -> str:
    return f"- {-value:.6g}" if value < 0 else f"+ {value:.6g}"


def _working_text(number: Number) -> str:
    """How it is worked out and what it comes to; once where both read the same."""
    return number.words if number.words == number.short else f"{number.words} = {number.short}"
