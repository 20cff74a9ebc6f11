"""`complete`: fill the missing values of a table from the other attributes, and estimate the error of each.

Completed   the table without gaps, errors beside those of mean and mode, probabilities, further draws
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np

from acumen import messages
from acumen.assessment.contestants import fixed_seed
from acumen.data.escape import printable
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.errors import DataError, ParameterError
from acumen.imputation.chain import Fills, nearest, require_learner
from acumen.imputation.errors import HiddenCellError
from acumen.imputation.fit import fit
from acumen.imputation.rows import ColumnValues, with_target
from acumen.profiling.fit_warnings import data_warnings_off
from acumen.render.bars_plot import Bar, BarsFigure
from acumen.render.text import Heading, many, number, percent
from acumen.render.text import table as text_table
from acumen.resampling.plan import require_seed
from acumen.rows.intake import as_table
from acumen.types import Array, Floats


@dataclass(frozen=True, eq=False)
class Completed:
    """A table without missing values.

    Attributes
    ----------
    table : Table
        Known values, target, weights and texts are unchanged.
    errors : dict of str to CellError
        The `error` of each filled attribute on known cells that were hidden at random, with the error `baseline` of its
        mean, mode or median; `better` is the fraction by which `error` is smaller. If no prediction beats the baseline,
        the attribute is filled with it and marked `plain`.
    probabilities : dict of str to array of (cells filled, levels)
        For nominal and ordinal attributes, for the rows in `filled`; not stored or drawn from if there are more than
        2^26 of them.
    filled : dict of str to array of int
        The rows in which each attribute was filled.
    draws : tuple of Tables
        Further completions, with levels drawn from the probabilities and numbers with the error of a hidden cell added.
        Their differences show the uncertainty.
    """

    table: Table
    errors: dict[str, HiddenCellError]
    probabilities: dict[str, Floats]
    filled: dict[str, Array]
    draws: tuple[Table, ...] = ()
    rounds: int = 1
    way: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def cells(self) -> int:
        """The number of cells filled."""
        return sum(len(rows) for rows in self.filled.values())

    def __str__(self) -> str:
        if not self.filled:
            return "\n".join(["There are no missing values.", *self.notes])
        headings = [
            Heading("attribute", least=12),
            Heading("filled", "right"),
            Heading("measure"),
            Heading("error", "right"),
            Heading("mean or mode", "right"),
            Heading("better by", "right"),
            Heading("filled with"),
            Heading("cells hidden", "right", spare=1),
        ]
        rows = [
            (
                printable(name),
                f"{len(at):,}",
                self.errors[name].measure,
                number(self.errors[name].error),
                number(self.errors[name].baseline),
                percent(self.errors[name].better) if self.errors[name].cells else "–",
                _filler(self.errors[name]),
                f"{self.errors[name].cells:,}",
            )
            for name, at in self.filled.items()
        ]
        head = (
            f"{many(self.cells, 'missing value')} in {many(len(self.filled), 'attribute')} filled, {self.way}"
        )
        foot = "The errors are for known cells hidden at random; values that are not missing at random may differ."
        return "\n".join([head, *text_table(headings, rows, 110), foot, *self.notes])

    def figure(self) -> BarsFigure:
        """The error of each attribute relative to that of its mean or mode, as a figure."""
        shown = [e for e in self.errors.values() if e.cells and e.baseline > 0]
        order = sorted(shown, key=lambda e: e.error / e.baseline)
        bars = [Bar(e.attribute, e.error / e.baseline, sure=e.error < e.baseline, mark=1.0) for e in order]
        return BarsFigure(
            bars, "error, in parts of the baseline's", "How well missing values are filled", "better than mean or mode",
            "no better", "mean or mode",
        )  # fmt: skip

    def _repr_svg_(self) -> str:
        return self.figure()._repr_svg_()

    def to_dict(self) -> dict[str, Any]:
        """Errors and counts, JSON-ready; the cells are in the table."""
        return {
            "cells": self.cells,
            "rounds": self.rounds,
            "attributes": [
                {
                    "attribute": name,
                    "filled": len(at),
                    "measure": self.errors[name].measure,
                    "error": _plain(self.errors[name].error),
                    "baseline": _plain(self.errors[name].baseline),
                    "hidden": self.errors[name].cells,
                    "filled_with": _filler(self.errors[name]),
                }
                for name, at in self.filled.items()
            ],
        }

    def to_html(self, path: str | PathLike[str] | None = None) -> str:
        """The errors as a self-contained HTML page; written to `path` if given."""
        from acumen.render.report_style import STYLE

        picture = self._repr_svg_()
        rows = "".join(_line(self.errors[name], len(at)) for name, at in self.filled.items())
        heads = "".join(
            f"<th>{h}</th>"
            for h in ("attribute", "filled", "measure", "error", "mean or mode", "hidden", "filled with")
        )
        from html import escape

        page = (
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Gaps filled</title>'
            f"<style>{STYLE}</style></head><body><main><h1>Gaps filled</h1>"
            f"<p>{escape(str(self).splitlines()[0])}. Errors are those of known cells that were hidden at random; gaps "
            "that are not random may differ.</p>"
            f"<figure>{picture}</figure><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
            "</main></body></html>"
        )
        if path is not None:
            from pathlib import Path

            Path(path).write_text(page, encoding="utf-8")
        return page

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False)


def _line(error: HiddenCellError, filled: int) -> str:
    from acumen.data.escape import in_html

    cells = (
        in_html(error.attribute), f"{filled:,}", error.measure, number(error.error), number(error.baseline),
        f"{error.cells:,}", _filler(error),
    )  # fmt: skip
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _filler(error: HiddenCellError) -> str:
    """Describe what an attribute is filled with."""
    return f"its {error.plain_name}" if error.plain else "prediction"


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value


def complete(
    table: Any,
    *,
    learner: Fills = "auto",
    max_iter: int = 5,
    draws: int = 0,
    use_target: bool = False,
    fill_target: bool = False,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Completed:
    """Fill the missing values of a table from the other attributes, and estimate how well.

    Each attribute that has gaps is predicted from all others, which may have gaps themselves. Known cells are hidden at
    random first (a tenth of each attribute's, at most 500), and what is filled into them gives its error. An attribute
    that nothing predicts better than its mean, median or mode is filled with that. Texts stay as they are, and so does
    the target: it is neither filled nor used unless you ask, since a classifier may follow.

    Parameters
    ----------
    table : Table, data frame or array
    learner : str, a learner or a pair of learners
        "auto": "low-rank" for 30 columns or more, all numbers, ordered or of two levels, of whose cells 30 % or more
        are missing, as ratings are; else a predictor for each attribute, "forest" up to a thousand rows and "boosting"
        beyond. "neighbours" takes the ten nearest rows (Gower), "baseline" mean and mode. A classifier, a regressor or
        both stand for the attributes they can predict.
    max_iter : int
        At most so many rounds: the first sees gaps as they are, the next what was filled before. The last that made
        the hidden cells come out better is kept.
    draws : int
        So many further tables, with gaps drawn at random from what they may be.
    use_target : bool
        Whether the target may help to fill. Never before a classifier.
    fill_target : bool
        Whether missing values of the target are filled too, from all other attributes.
    random_state : int, Generator or None
    n_jobs : int, optional
        Threads.

    Returns
    -------
    Completed
        With `table`, `errors`, `probabilities`, `filled` and `draws`; `print` it.

    Examples
    --------
    >>> import acumen, numpy as np
    >>> X = np.column_stack([acumen.datasets.load("iris").column(n) for n in ("petal_length", "petal_width")])
    >>> X[::10, 1] = np.nan
    >>> made = acumen.complete(X)
    >>> bool(np.isnan(made.table.column("x1")).any()), made.errors["x1"].better > 0.5
    (False, True)
    """
    who = "complete"
    require_learner(learner, who)
    for name, value, least in (("max_iter", max_iter, 1), ("draws", draws, 0)):
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
            raise ParameterError(f"{who}: {name} must be a whole number of at least {least}; got {value!r}.")
    require_seed(random_state, who)
    rows = as_table(table)
    if not len(rows):
        raise DataError(f"{who}: the table has no rows.")
    rng = np.random.default_rng(fixed_seed(random_state))
    columns = ColumnValues.of(rows, use_target)
    inputs = {a.name for a in rows.schema.attributes}
    names = [a.name for a in columns.attributes if a.name in inputs and columns.gaps(a.name).any()]
    unfilled = _target_gaps(rows)
    if fill_target and unfilled:
        done = complete(
            rows, learner=learner, max_iter=max_iter, draws=draws, use_target=use_target,
            random_state=int(rng.integers(2**31)), n_jobs=n_jobs,
        )  # fmt: skip
        return _with_target_filled(rows, done, learner, int(rng.integers(2**31)), n_jobs, rng)
    target_notes = (_target_note(rows, unfilled),) if unfilled else ()
    if not names:
        return Completed(rows, {}, {}, {}, tuple(rows for _ in range(draws)), notes=target_notes)
    with limited_to(n_jobs), data_warnings_off():
        seed = int(rng.integers(2**31))
        filling = fit(columns, names, learner, max_iter, seed, n_jobs)
        out, shares = filling.filling.apply(columns, names)
    filled = {name: np.flatnonzero(columns.gaps(name)) for name in names}
    further = tuple(
        _error_figure(columns, out, shares, filled, filling.residuals, rng).into(rows) for _ in range(draws)
    )
    few = filling.filling.low_rank
    way = (
        f"by {few.rank} latent factors of rows and columns"
        if few is not None
        else f"in {many(len(filling.filling.rounds), 'round')}"
    )
    return Completed(
        out.into(rows),
        {e.attribute: e for e in filling.errors},
        shares,
        filled,
        further,
        len(filling.filling.rounds),
        way,
        (
            *(_made_up(columns, out, name) for name in names if not columns.is_known(name).any()),
            *(_without_shares(name) for name in names if name not in shares and _is_nominal(columns, name)),
            *target_notes,
        ),
    )


def _target_gaps(rows: Table) -> int:
    """The number of rows whose target is missing."""
    target = rows.labels if rows.labels is not None else rows.response
    if rows.schema.target is None or target is None:
        return 0
    return int(np.count_nonzero(np.isnan(target) if target.dtype.kind == "f" else target < 0))


def _target_note(rows: Table, count: int) -> str:
    assert rows.schema.target is not None
    return (
        f"The target {printable(rows.schema.target.name)!r} keeps its {many(count, 'missing value')}; "
        f"{messages.option('fill_target', True)} fills them."
    )


def _with_target_filled(
    rows: Table, done: Completed, learner: Fills, seed: int, n_jobs: int | None, rng: np.random.Generator
) -> Completed:
    """Fill the target from the original attributes; it does not help to fill any of them."""
    assert rows.schema.target is not None
    columns, name = ColumnValues.of(rows, True), rows.schema.target.name
    with limited_to(n_jobs), data_warnings_off():
        filling = fit(columns, [name], learner, 1, seed, n_jobs)
        out, shares = filling.filling.apply(columns, [name])
    at = {name: np.flatnonzero(columns.gaps(name))}
    return replace(
        done,
        table=with_target(done.table, out.values[name]),
        errors={**done.errors, **{e.attribute: e for e in filling.errors}},
        probabilities={**done.probabilities, **shares},
        filled={**done.filled, **at},
        draws=tuple(
            with_target(draw, _error_figure(columns, out, shares, at, filling.residuals, rng).values[name])
            for draw in done.draws
        ),
        way=done.way or "in 1 round",
        notes=tuple(note for note in done.notes if note != _target_note(rows, len(at[name]))),
    )


def _is_nominal(columns: ColumnValues, name: str) -> bool:
    return any(a.name == name and a.is_nominal and a.levels for a in columns.attributes)


def _without_shares(name: str) -> str:
    return f"{printable(name)!r} has too many missing values and categories to store their probabilities."


def _made_up(columns: ColumnValues, out: ColumnValues, name: str) -> str:
    attribute = next(a for a in columns.attributes if a.name == name)
    value = out.values[name][np.flatnonzero(columns.gaps(name))[0]]
    if attribute.is_numeric:
        return (
            f"{printable(name)!r} has no known value: missing values are filled with {number(float(value))}."
        )
    return f"{printable(name)!r} has no known value: missing values are filled with its first category, if it has any."


def _error_figure(
    columns: ColumnValues, out: ColumnValues, shares: dict[str, Floats], filled: dict[str, Array],
    residuals: dict[str, Floats], rng: np.random.Generator,
) -> ColumnValues:  # fmt: skip
    more = {}
    attributes = {a.name: a for a in columns.attributes}
    for name, at in filled.items():
        column = out.values[name].copy()
        if name in shares and len(at):
            reached = np.cumsum(shares[name], axis=1)
            column[at] = (reached < rng.random(len(at))[:, None] * reached[:, -1:]).sum(axis=1)
        elif name in residuals:
            column[at] = nearest(attributes[name], column[at] + rng.choice(residuals[name], len(at)))
        more[name] = column
    return columns.replace_columns(more)
