"""Learners drawn against tables: whatever is asked of whichever table ends in a model that answers, or a sentence.

    drawings   learner, parameters and table, the same for the same seed
    outcome    "learned", or "refused" (an error of acumen's own); anything else is raised

What a parameter may be is drawn from its own declaration, mostly within it and now and then at its ends; tables
have one row or none, one class, levels by the hundred, gaps, infinities, constants, weights of every scale.

By hand:  PYTHONPATH=src:tests python -m fuzz.learners COUNT [SEED [KIND]]
"""

from __future__ import annotations

import json
import random
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import AcumenError, AcumenWarning
from acumen.models.parameters import AtLeast, Between, MoreThan, OfLearner, Option, Spec
from acumen.models.task import GROUPS, JOINT
from acumen.registry import Entry, entries

#: Seconds of processor time one drawing may take: a hang is a fault too.
LIMIT = 30
#: Numbers that are some parameter's edge.
EDGES = (0, 1, 2, 3, 10, 0.5, 1e-9, 1e9, 0.999, 100)


class Foreign(AssertionError):  # noqa: N818 - no error of a test, but what one looks for
    """The promise is broken: an exception, a warning or an answer that is not acumen's own."""


# -- parameters -----------------------------------------------------------------------------------


def settings_of(entry: Entry, rng: random.Random) -> dict[str, Any]:
    """Values for some of a learner's parameters."""
    made: dict[str, Any] = {}
    for spec in entry.parameters:
        if rng.random() < 0.25 and spec.name not in ("costs", "priors", "class_weight", "random_state"):
            value = _value(spec, rng)
            if value is not None:
                made[spec.name] = value
    if any(spec.name == "random_state" for spec in entry.parameters):
        made["random_state"] = rng.randrange(3)
    return made


def _value(spec: Spec, rng: random.Random) -> Any:
    option = rng.choice(spec.options)
    if any(isinstance(each, OfLearner) for each in option.constraints):
        return None
    if option.words:
        return rng.choice(option.words)
    if option.type is bool:
        return rng.random() < 0.5
    if option.type in (int, float):
        return _number(option, rng)
    return None


def _number(option: Option, rng: random.Random) -> Any:
    """A number within the constraints, often one of their ends; whole where it must be, and never a day's work."""
    candidates = [*EDGES]
    for each in option.constraints:
        if isinstance(each, Between):
            candidates += [each.low, each.high, (each.low + each.high) / 2]
        elif isinstance(each, (AtLeast, MoreThan)):
            candidates += [each.low, each.low + 1, each.low + 1e-6]
    if option.type is int:
        candidates = [int(c) for c in candidates if abs(c) <= 100]
    fitting = [c for c in candidates if option.accepts(c)]
    return rng.choice(fitting) if fitting else None


# -- tables ---------------------------------------------------------------------------------------


def table_of(rng: random.Random, numbers: bool) -> Table:
    """A table of a few odd columns, with classes or with numbers as its target."""
    draw = np.random.default_rng(rng.randrange(2**32))
    rows = rng.choice((0, 1, 2, 3, 5, 8, 20, 60, 60, 120))
    attributes: list[Attribute] = []
    numeric: list[Any] = []
    nominal: list[Any] = []
    text: list[Any] = []
    for j in range(rng.choice((0, 1, 1, 2, 3, 4, 8))):
        name = rng.choice((f"a{j}", f"a{j}", f"col {j}", f'"{j}"', f"\x1b[31m{j}", f"Ω{j}"))
        match rng.randrange(5):
            case 0 | 1:
                attributes.append(Attribute(name))
                numeric.append(_column(draw, rng, rows))
            case 2 | 3:
                n = rng.choice((0, 1, 2, 3, 7, 200))
                ordered = rng.random() < 0.3
                kind: Any = "ordinal" if ordered else "nominal"
                attributes.append(Attribute(name, kind, tuple(f"v{i}" for i in range(n))))
                nominal.append(draw.integers(-2, n, rows).astype(np.int32))
            case _:
                words = ["red dog", "", None, "dog", "x" * 40, "ein Hund & ein Kätzchen"]
                attributes.append(Attribute(name, "text"))
                text.append(np.array([rng.choice(words) for _ in range(rows)] + [None], dtype=object)[:-1])
    weights = _weights(draw, rng, rows)
    if numbers:
        target, response = Attribute("y"), _column(draw, rng, rows)
        return _table(attributes, target, rows, numeric, nominal, text, None, response, weights)
    k = rng.choice((1, 2, 2, 3, 3, 5, 12))
    labels = draw.integers(-1 if rng.random() < 0.3 else 0, k, rows).astype(np.int32)
    if rng.random() < 0.15:
        labels[:] = rng.randrange(-1, k)
    target = Attribute("y", "nominal", tuple(f"c{i}" for i in range(k)))
    return _table(attributes, target, rows, numeric, nominal, text, labels, None, weights)


def _table(
    attributes: list[Attribute], target: Attribute, rows: int, numeric: Any, nominal: Any, text: Any, labels: Any,
    response: Any, weights: Any,
) -> Table:  # fmt: skip
    return Table(
        Schema(tuple(attributes), target), rows, numeric=numeric, nominal=nominal, text=text, labels=labels,
        response=response, **({} if weights is None else {"weights": weights}),
    )  # fmt: skip


def _untargeted(table: Table) -> Table:
    """The same rows without their target."""
    return Table(
        Schema(table.schema.attributes), len(table), numeric=[c for _, c in table.numeric_columns()],
        nominal=[c for _, c in table.nominal_columns()], text=[c for _, c in table.text_columns()],
        weights=table.row_weights,
    )  # fmt: skip


def _column(draw: np.random.Generator, rng: random.Random, rows: int) -> Any:
    column = draw.normal(size=rows)
    match rng.randrange(9):
        case 0:
            column[:] = rng.choice((0.0, 1e6 + 0.1, -1e-300, 1e300))
        case 1:
            column = np.round(column)
        case 2:
            column = column * rng.choice((1e-200, 1e-9, 1e9, 1e150, 1e300))
        case 3:
            column = column + rng.choice((1e6, 1e12, 1e16))
        case 4:
            column[draw.random(rows) < 0.5] = np.nan
        case 5:
            column[:] = np.nan
        case 6 if rows:
            column[draw.integers(0, rows)] = rng.choice((np.inf, -np.inf, 1e308, -1e308))
    return column


def _weights(draw: np.random.Generator, rng: random.Random, rows: int) -> Any:
    match rng.randrange(6):
        case 0:
            return draw.integers(0, 4, rows).astype(np.float64)
        case 1:
            return draw.random(rows) * rng.choice((1.0, 1e-12, 1e12, 1e-300))
        case 2:
            return np.zeros(rows)
    return None


# -- what becomes of it ---------------------------------------------------------------------------


def outcome(entry: Entry, settings: dict[str, Any], table: Table) -> str:
    """Fit, predict, describe and explain; `Foreign` where anything but an answer or a sentence comes of it."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            learner = entry.learner(**settings).fit(table)
        except AcumenError as error:
            if not str(error).strip().endswith((".", "?", ")", "'")):
                raise Foreign(f"not a sentence: {error}") from error
            return "refused"
        _answers(learner, table)
    for warning in told:
        # scikit-learn's own kinds are part of its contract: whoever uses it filters by them.
        if not issubclass(warning.category, AcumenWarning) and "sklearn" not in warning.category.__module__:
            raise Foreign(f"warns {warning.category.__name__}: {warning.message}")
    return "learned"


def _answers(learner: Any, table: Table) -> None:
    predictor = learner.predictor_
    rows = table.take(np.arange(min(len(table), 12)))
    said = predictor.predict(rows)
    if predictor.task == "regression":
        _must(np.isfinite(said).all(), "numbers predicted are finite")
    elif predictor.task.columns:
        _must(len(said) == len(rows), "every row has an answer")
    elif predictor.task == JOINT:
        _must(len(said) == len(rows) and (said <= 1e-9).all(), "a row has a logarithm of a probability")
    elif predictor.task == GROUPS:
        _must(((said >= -1) & (said < predictor.model.n_groups)).all(), "groups are valid")
    else:
        _must(((said >= 0) & (said < table.schema.n_classes)).all(), "codes are valid")
        _must(not np.isnan(predictor.scores(rows)).any(), "scores are numbers")
        if predictor.model.probabilistic and len(rows):
            proba = predictor.proba(rows)
            _must(np.isfinite(proba).all() and np.allclose(proba.sum(axis=1), 1.0), "probabilities sum to 1")
    _must("\x1b" not in learner.describe(), "no escape reaches the terminal")
    if len(rows) and not predictor.task.columns:  # columns have no reasons
        _must("\x1b" not in str(learner.explain(rows.take(slice(0, 1)))), "no escape reaches the terminal")


def _must(holds: Any, claim: str) -> None:
    if not holds:
        raise Foreign(f"broken: {claim}")


# -- many of them ---------------------------------------------------------------------------------


def drawings(seed: int, count: int, only: str = "") -> Iterator[tuple[str, Entry, dict[str, Any], Table]]:
    """Learner, parameters and table, each with words to make it again."""
    known = [each for each in entries() if only in ("", each.kind)]
    for i in range(count):
        rng = random.Random(f"{seed}/{i}")
        entry = known[i % len(known)]
        numbers = entry.task == "regression"
        settings, table = settings_of(entry, rng), table_of(rng, numbers)
        if getattr(entry.learner, "learns_without_target", False) and rng.random() < 0.3:
            table = _untargeted(table)
        yield f"{entry.kind} {seed}/{i}", entry, settings, table


def tried(seed: int, count: int, only: str = "", loud: bool = False) -> tuple[dict[str, int], list[str]]:
    """The tally of a run, and what broke the promise."""
    tally, failures = {"learned": 0, "refused": 0}, []
    previous = signal.signal(signal.SIGPROF, _too_long)
    try:
        for words, entry, settings, table in drawings(seed, count, only):
            signal.setitimer(signal.ITIMER_PROF, LIMIT)
            try:
                tally[outcome(entry, settings, table)] += 1
            except Exception as error:
                failures.append(f"{words} {settings}: {type(error).__name__}: {error}")
                if loud:
                    print("FAILED", failures[-1], flush=True)
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
    finally:
        signal.signal(signal.SIGPROF, previous)
    return tally, failures


def _too_long(*_: Any) -> None:
    raise Foreign(f"took over {LIMIT} s")


def main(count: int = 2000, seed: int = 0, only: str = "") -> None:
    """The long run."""
    start = time.perf_counter()
    tally, failures = tried(seed, count, only, loud=True)
    print(json.dumps({"pairs": count, **tally, "failures": len(failures), "s": time.perf_counter() - start}))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:3]), *sys.argv[3:4])
