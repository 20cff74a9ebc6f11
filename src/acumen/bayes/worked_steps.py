"""Naive Bayes worked out by hand: for each class the prior times what each value is in the class, counts put in.

    working   predictor, row -> ProductWorking
    counted   model -> the tables of the model as the fractions they are

Counts are those the model keeps beside its probabilities; models from files that keep none show decimals.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from acumen.bayes.factors.binned import BinnedFactor, bin_widths
from acumen.bayes.factors.factor import Factor, table_lines
from acumen.bayes.factors.gaussian import GaussianFactor
from acumen.bayes.factors.kernel import KernelFactor
from acumen.bayes.factors.levels import LevelsFactor
from acumen.bayes.factors.student import StudentFactor, log_density
from acumen.bayes.factors.words import WordsFactor
from acumen.bayes.smoothing import CountsBehind
from acumen.data.forms import value_text
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.explain.arithmetic import (
    Number,
    ProductWorking,
    WorkingLine,
    WorkingProduct,
    decimal,
    plain,
    ratio,
    simple,
    sum_text,
)
from acumen.models.predictor import Predictor
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.bayes.naive import NaiveBayesModel

#: The value, and its number in each class.
Step = tuple[str, str, list[Number]]

_CLOSE = 1e-9
HEADING = "By Bayes' rule: for each class the prior times P(value | class) of every value that is known"


def working(model: NaiveBayesModel, predictor: Predictor, row: Table, shares: Floats) -> ProductWorking:
    """The product of every class for one row; `shares` are the probabilities the row gets."""
    schema = predictor.schema
    priors = _priors(model, predictor.shift)
    steps = [step for factor in model.factors for step in _steps(factor, row)]
    powers = np.ones(len(schema)) if model.exponents is None else model.exponents
    power = dict(zip(schema.names, powers.tolist(), strict=True))
    products = []
    for c, label in enumerate(schema.classes):
        lines = [WorkingLine(f"P({label})", priors[c])]
        lines += [
            WorkingLine(f"P({step_label} | {label})", numbers[c].power(power[name]))
            for name, step_label, numbers in steps
            if power[name] > 0
        ]
        products.append(WorkingProduct(label, tuple(lines), float(shares[c])))
    return ProductWorking(HEADING, tuple(products), tuple(_notes(row, steps, power, predictor)))


def fractions_text(model: NaiveBayesModel, schema: Schema) -> str:
    """The model in lines, each probability as the fraction of counts it is; densities as their parameters."""
    target = schema.target.name if schema.target else "class"
    classes = [str(label) for label in schema.classes]
    shares = ", ".join(f"{c}: {_equal(n)}" for c, n in zip(classes, _priors(model, None), strict=True))
    lines = ["Each probability as a fraction of counts", f"P({target})  {shares}"]
    for j, attribute in enumerate(schema.nominal):
        counts = model.nominal.counted[j]
        logs = model.nominal.log_level[j]
        lines += _fractions(attribute.name, [str(level) for level in attribute.levels], counts, logs, classes)
    if isinstance(model.numeric, BinnedFactor):
        cuts = zip(schema.numeric, model.numeric.binning.intervals, model.numeric.log_bin, strict=True)
        for j, (attribute, cut, logs) in enumerate(cuts):
            counts = model.numeric.counted[j]
            widths = np.log(bin_widths(cut)) if model.numeric.densities else 0.0
            lines += _fractions(
                attribute.name, list(cut.short_labels(attribute.form)), counts, logs + widths, classes
            )
    elif schema.numeric:
        lines += model.numeric.lines(schema.numeric, schema.classes)
    return "\n".join([*lines, *model.words.lines(schema.text, schema.classes)])


def _fractions(
    name: str, levels: Sequence[str], counts: CountsBehind, logs: Floats, classes: list[str]
) -> list[str]:
    rows = [(level, [_equal(n) for n in _shares(counts, logs, code)]) for code, level in enumerate(levels)]
    return table_lines(f"P({name} | class)", classes, rows)


def _equal(number: Number) -> str:
    return number.words if number.words == number.short else f"{number.words} = {number.short}"


def _priors(model: NaiveBayesModel, shift: Floats | None) -> list[Number]:
    """How common each class was in training, or is said to be."""
    total = float(model.weight.sum())
    seen = [ratio(float(weight), total) for weight in model.weight]
    if shift is None:
        return seen
    revised = [
        simple(float(log)) if math.isfinite(log) else Number("0", -math.inf)
        for log in model.log_prior + shift
    ]
    return [
        Number(f"{a.short} (set by you; {s.words} in training)", a.log, a.exact)
        for a, s in zip(revised, seen, strict=True)
    ]


def _notes(row: Table, steps: Sequence[Step], power: dict[str, float], predictor: Predictor) -> Iterator[str]:
    named = {name for name, _, _ in steps}
    for attribute in predictor.schema:
        if power[attribute.name] == 0:
            yield f"{attribute.name} is ignored: its weight is 0."
        elif attribute.name not in named:
            yield f"{attribute.name}: {_absent(row, attribute.name)}"
    if predictor.costs is not None:
        yield "The class of lowest expected cost is predicted, which may not be the most likely one."


def _absent(row: Table, name: str) -> str:
    attribute = row.schema[name]
    if attribute.is_nominal:
        codes = next(codes for a, codes in row.nominal_columns() if a.name == name)
        if int(codes[0]) != -1:
            return "this level was never seen in training, favours no class, and is skipped."
    if not attribute.is_nominal and not attribute.is_numeric:
        return "no word of it is in the vocabulary; it is skipped."
    return "missing, and skipped."


# -- one factor at a time -------------------------------------------------------------------------


def _steps(factor: Factor, row: Table) -> Iterator[Step]:
    match factor:
        case LevelsFactor():
            yield from _levels(factor, row)
        case BinnedFactor():
            yield from _bins(factor, row)
        case GaussianFactor():
            yield from _gaussians(factor, row)
        case StudentFactor():
            yield from _students(factor, row)
        case KernelFactor():
            yield from _bumps(factor, row)
        case WordsFactor():
            yield from _words(factor, row)
        case _:
            for term in factor.terms(row):
                yield (
                    term.attribute,
                    term.condition,
                    [Number(decimal(log), log) for log in term.logs.tolist()],
                )


def _levels(factor: LevelsFactor, row: Table) -> Iterator[Step]:
    for j, (attribute, codes) in enumerate(row.nominal_columns()):
        code = int(codes[0])
        if code >= 0:
            counted = factor.counted[j]
            label = f"{attribute.name} = {attribute.levels[code]}"
            yield attribute.name, label, _shares(counted, factor.log_level[j], code)


def _bins(factor: BinnedFactor, row: Table) -> Iterator[Step]:
    pairs = zip(row.numeric_columns(), factor.binning.intervals, factor.log_bin, strict=True)
    for j, ((attribute, values), cut, logs) in enumerate(pairs):
        code = int(cut.transform(values)[0])
        if code < 0:
            continue
        counted = factor.counted[j]
        label = f"{attribute.name} in {cut.short_labels(attribute.form)[code]}"
        if not factor.densities:
            yield attribute.name, label, _shares(counted, logs, code)
            continue
        width = float(bin_widths(cut)[code])
        shares = _shares(counted, logs + math.log(width), code)
        over = [Number(f"{s.words} / {width:.6g}", s.log - math.log(width)) for s in shares]
        yield attribute.name, label, over


def _shares(counted: CountsBehind, logs: Floats, code: int) -> list[Number]:
    """The share of one level in every class, by the counts where these are known and give just that."""
    numbers = []
    for c, log in enumerate(logs[:, code].tolist()):
        fraction = _fraction(counted, c, code, log)
        numbers.append(Number(decimal(log), log) if fraction is None else fraction)
    return numbers


def _fraction(counted: CountsBehind, c: int, code: int, log: float) -> Number | None:
    counts = counted.counts[c]
    n, total = float(counts[code]), float(counts.sum())
    extra, extras = float(counted.added[code]), float(counted.added.sum())
    candidates = []
    if total + extras > 0:
        smoothed = sum_text([plain(n), plain(extra)]) + "/" + sum_text([plain(total), plain(extras)])
        candidates.append(ratio(n + extra, total + extras, smoothed if extras else ""))
    if total > 0:
        candidates.append(ratio(n, total))
    candidates.append(ratio(1.0, float(len(counts)), f"1/{len(counts)} (no row of the class has a value)"))
    for each in candidates:
        if each.log == log or abs(each.log - log) <= _CLOSE * max(abs(log), 1.0):
            return each
    return None


def _gaussians(factor: GaussianFactor, row: Table) -> Iterator[Step]:
    for j, (attribute, values) in enumerate(row.numeric_columns()):
        value = float(values[0])
        if not math.isfinite(value):
            continue
        (term,) = [t for t in factor.terms(row) if t.attribute == attribute.name]
        pairs = zip(
            factor.mean[:, j].tolist(), factor.variance[:, j].tolist(), term.logs.tolist(), strict=True
        )
        numbers = [Number(_bell(value, mean, variance), log) for mean, variance, log in pairs]
        yield attribute.name, f"{attribute.name} = {value_text(attribute.form, value)}", numbers


def _bell(value: float, mean: float, variance: float) -> str:
    return (
        f"1/sqrt(2 pi {variance:.6g}) exp(-({value:.6g} - {_signed_number(mean)})^2 / (2 x {variance:.6g}))"
    )


def _signed_number(value: float) -> str:
    return f"({value:.6g})" if value < 0 else f"{value:.6g}"


def _students(factor: StudentFactor, row: Table) -> Iterator[Step]:
    for j, (attribute, values) in enumerate(row.numeric_columns()):
        value = float(values[0])
        if not math.isfinite(value):
            continue
        numbers = []
        for mean, scale, freedom in zip(
            factor.mean[:, j].tolist(),
            factor.scale[:, j].tolist(),
            factor.freedom[:, j].tolist(),
            strict=True,
        ):
            if freedom <= 0:
                square = ((value - mean) / scale) ** 2
                log = -0.5 * (square + math.log(2 * math.pi)) - math.log(scale)
                numbers.append(Number(_bell(value, mean, scale**2), log))
                continue
            log = float(log_density(np.array([value]), mean, scale, freedom)[0])
            centred = f"({value:.6g} - {_signed_number(mean)})/{scale:.6g}"
            label = f"Student's t of {freedom:.6g} degrees of freedom at {centred}, over {scale:.6g}"
            numbers.append(Number(label, log))
        yield attribute.name, f"{attribute.name} = {value_text(attribute.form, value)}", numbers


def _bumps(factor: KernelFactor, row: Table) -> Iterator[Step]:
    terms = {term.attribute: term for term in factor.terms(row)}
    for j, (attribute, _) in enumerate(row.numeric_columns()):
        if attribute.name not in terms:
            continue
        term, numbers = terms[attribute.name], []
        for c, log in enumerate(term.logs.tolist()):
            bumps = int(np.count_nonzero(factor.weight[j][c]))
            label = f"mean height of the bumps on {bumps:,} values, each of width {factor.width[j][c]:.6g}"
            numbers.append(Number(label if bumps else "1 (no row of the class has a value)", log))
        yield term.attribute, term.condition, numbers


def _words(factor: WordsFactor, row: Table) -> Iterator[Step]:
    pairs = zip(row.text_columns(), factor.vocabularies, factor.log_word, strict=True)
    for j, ((attribute, _), vocabulary, logs) in enumerate(pairs):
        counts = vocabulary.transform(row)
        for word, times in zip(counts.indices.tolist(), counts.data.tolist(), strict=True):
            label = f"{attribute.name} has {vocabulary.words[word]!r}" + (
                "" if times == 1 else f", {times:g} times"
            )
            numbers = [
                _word(factor, j, c, float(logs[c, word])).power(float(times)) for c in range(len(logs))
            ]
            yield attribute.name, label, numbers


def _word(factor: WordsFactor, j: int, c: int, log: float) -> Number:
    """(n + alpha) / (N + alpha x words): of a large vocabulary the totals alone are kept, and n follows from them."""
    total, alpha, words = float(factor.totals[j][c]), factor.alpha, factor.log_word[j].shape[1]
    below = total + alpha * words
    if not below > 0:
        return Number(decimal(log), log)
    n = math.exp(log) * below - alpha
    n = float(round(n)) if abs(n - round(n)) <= 1e-6 * max(below, 1.0) ** 0.5 else n
    formula = sum_text([plain(n), plain(alpha)]) + "/" + sum_text([plain(total), f"{plain(alpha)} x {words}"])
    number = ratio(n + alpha, below, formula if alpha else "")
    close = number.log == log or abs(number.log - log) <= _CLOSE * max(abs(log), 1.0)
    return number if close else Number(decimal(log), log)
