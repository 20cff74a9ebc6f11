"""Write a comparison as one HTML page: data, ranking with verdicts, figures, settings, and how to reproduce it.

Everything drawn is bounded: curves are thinned and histograms binned where there are many rows, and the figures say so.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import acumen
from acumen.assessment.assess import assess
from acumen.assessment.comparison import Comparison
from acumen.assessment.comparison_text import difference, duration, lead, on_rows, size, value_text, verdicts
from acumen.assessment.contestants import collect_warnings, learner_name
from acumen.assessment.figures import (
    calibration_figure,
    confusion_figure,
    fit_figure,
    lift_figure,
    ranking_figure,
    residual_figure,
    roc_figure,
)
from acumen.assessment.first_repeat import FirstRepeatRows
from acumen.assessment.reproduce import python_of
from acumen.assessment.runs import fresh
from acumen.assessment.scores import measure as measure_of
from acumen.assessment.statistics.result import said_p
from acumen.data.out.atomic import replace_text
from acumen.errors import DataError
from acumen.models.decision import resolve_costs
from acumen.profiling.card import card_of
from acumen.profiling.fit_warnings import data_warnings_off
from acumen.render.calibration_plot import calibration_svg
from acumen.render.confusion_plot import confusion_svg
from acumen.render.curves import roc_svg
from acumen.render.decision_plot import decision_svg
from acumen.render.interval_plot import interval_svg
from acumen.render.lift_chart import lift_svg
from acumen.render.points_plot import points_svg
from acumen.render.report import (
    Badge,
    Cell,
    Code,
    DataCard,
    Details,
    Drawing,
    Drawings,
    Paragraph,
    Piece,
    PointsPanel,
    ReportPage,
    ReportTable,
    Section,
    named_rows,
    report_html,
)
from acumen.render.sheet import MOST_POINTS
from acumen.render.text import many, number
from acumen.render.views import register_renderers
from acumen.types import Label

if TYPE_CHECKING:
    from acumen.assessment.assessment import Assessment
    from acumen.base.learner import Learner


_THINNED = f"At most {MOST_POINTS:,} points are drawn, as close to the curve as a screen can show."
#: What a missed row costs beside a false alarm, where nobody has said it.
_RATIOS = (1, 2, 5, 10, 20)
_BINNED = "The rows are grouped in bins."


def write_report(
    comparison: Comparison, path: str | PathLike[str], *, command: str | None, title: str | None
) -> None:
    """Write the page; the file is replaced as a whole."""
    replace_text(path, report_text(comparison, fspath(path), command=command, title=title), "report")


def report_text(
    comparison: Comparison, path: str = "report.html", *, command: str | None = None, title: str | None = None
) -> str:
    """The page."""
    data = comparison.data
    if data is None:
        raise DataError("report: this comparison no longer has its table.")
    source = data.report.source
    held = _held_out_rows(comparison)
    called = held is not None and len(held.classes) == 2 and held.has_both(_positive(comparison, held))
    n, splits = len(comparison.names), f"{comparison.method}{on_rows(comparison)}"
    sections = [
        Section("Ranking", tuple(_ranking(comparison))),
        Section(f"The best: {comparison.best}", tuple(_best(comparison, held))),
        *([Section("From model to decision", tuple(_decision(comparison, held)))] if called else []),
        Section("The data", (DataCard(card_of(data).to_dict()),)),
        Section("How the comparison was run", tuple(_settings(comparison))),
        Section(
            "Make it again",
            (
                Paragraph("To reproduce these numbers:"),
                Code(command or python_of(comparison, path), wrapped=True),
            ),
        ),
    ]
    return report_html(
        ReportPage(
            title or f"{many(n, 'learner')} on {Path(source).name or 'a table'}",
            sections,
            lead=lead(comparison),
            subtitle=f"{comparison.measure}: {measure_of(comparison.measure).words}, by {splits}",
            footer=f"Created by acumen {acumen.__version__}. This page needs no network.",
        )
    )


# -- ranking --------------------------------------------------------------------------------------


def _ranking(comparison: Comparison) -> Iterator[Piece]:
    measure = comparison.measure
    # What matters most comes first: a phone shows only as much without scrolling.
    rows: list[list[Cell]] = [
        [
            row["learner"],
            value_text(row[measure], measure),
            _badge(row["learner"], row["verdict"], comparison),
            f"{value_text(row['low'], measure)} to {value_text(row['high'], measure)}"
            if row["low"] == row["low"]
            else "–",
            *(value_text(row[name], name) for name in comparison.others),
            duration(row["fit_time"]),
            duration(row["predict_time"]),
            size(row["size"]) or "–",
        ]
        for row in comparison.table
    ]
    against = f"versus {comparison.reference}"
    headings = [
        "learner",
        measure,
        against,
        "95 % interval",
        *comparison.others,
        "to learn",
        "to predict",
        "size",
    ]
    sides: list[Any] = ["left", "right", "left", *["right"] * (len(headings) - 3)]
    yield ReportTable(headings, rows, sides)
    yield Drawing(
        interval_svg(ranking_figure(comparison)),
        "Estimates with 95 % intervals, for the model fitted on all rows.",
    )
    yield PointsPanel(verdicts(comparison))
    yield Details("All pairs", (_pairs(comparison),))
    if comparison.notes:
        yield Details(many(len(comparison.notes), "note"), (PointsPanel(comparison.notes),))


def _badge(name: str, verdict: str, comparison: Comparison) -> Cell:
    if name == comparison.baseline:
        return Badge("baseline")
    return Badge(verdict) if verdict else ""


def _pairs(comparison: Comparison) -> ReportTable:
    measure = comparison.measure
    rows: list[list[Cell]] = []
    for pair in comparison.pairs:
        sign = "−" if pair.difference < 0 else ""
        within = (
            f"{value_text(pair.low, measure)} to {value_text(pair.high, measure)}"
            if pair.low == pair.low
            else "–"
        )
        sure, of_all = (said_p(p) if p == p else "not tested" for p in (pair.p, pair.p_corrected))
        rows.append(
            [
                pair.a,
                pair.b,
                f"{sign}{difference(pair.difference, measure)}",
                within,
                sure,
                Badge(pair.verdict),
                of_all,
            ]
        )
    return ReportTable(
        ["a", "b", "a minus b", "95 % interval", "p", "a is", "corrected p"],
        rows,
        ["left", "left", "right", "right", "right", "left", "right"],
    )


# -- the best -------------------------------------------------------------------------------------


def _best(comparison: Comparison, held: FirstRepeatRows | None) -> Iterator[Piece]:
    assessment = comparison.assessments[comparison.best]
    learner = comparison.learners[comparison.best]
    if assessment.confusion is None:
        yield Drawings(list(_number_figures(comparison)))
    else:
        yield Drawings([_confusion_panels(assessment.first(1)), *_probability_figures(comparison, held)])
    with collect_warnings():  # they are among the notes already
        fitted = _fit_panels(learner, comparison)
    yield Details(f"The {comparison.best} model fitted on all rows", (Code(fitted.describe()),), open=True)


def _number_figures(comparison: Comparison) -> Iterator[Drawing]:
    """For a regressor: predicted against actual numbers, and the residuals."""
    data = comparison.data
    assert data is not None and data.schema.target is not None
    truth, predictions = comparison.assessments[comparison.best].residuals()
    about = _tested_text(len(truth))
    name = data.schema.target.name
    yield Drawing(points_svg(fit_figure(truth, predictions, name)), about)
    yield Drawing(
        points_svg(residual_figure(truth, predictions, name)),
        "A pattern here means that the model missed something.",
    )


def _confusion_panels(first: Assessment) -> Drawing:
    assert first.confusion is not None
    tested = sum(len(run.truth) for run in first.runs)
    return Drawing(confusion_svg(confusion_figure(first.confusion)), _tested_text(tested))


def _fit_panels(learner: Learner, comparison: Comparison) -> Learner:
    with data_warnings_off():
        return fresh(learner).fit(comparison.data)


def _held_out_rows(comparison: Comparison) -> FirstRepeatRows | None:
    """The test rows of the first repeat with the best learner's probabilities, if it has any."""
    learner = comparison.learners[comparison.best]
    if comparison.assessments[comparison.best].confusion is None or not learner.model_type.probabilistic:
        return None
    assert comparison.data is not None
    method = comparison.method
    if getattr(method, "n_repeats", 1) > 1:
        method = replace(method, n_repeats=1)  # the first repeat does not depend on how many there are
    return FirstRepeatRows.of(assess(learner, comparison.data, method, "log_loss", comparison.seed))


def _positive(comparison: Comparison, held: FirstRepeatRows) -> Label:
    return held.classes[-1] if comparison.positive is None else comparison.positive


def _probability_figures(comparison: Comparison, held: FirstRepeatRows | None) -> Iterator[Drawing]:
    """ROC for two classes, and calibration, from the first repeat's test rows."""
    if held is None:
        return
    best = comparison.best
    if len(held.classes) == 2:
        positive = _positive(comparison, held)
        if not held.has_both(positive):
            return
        yield Drawing(roc_svg(roc_figure({best: held.roc(positive)}, positive)), _once(held, _THINNED))
        figure = calibration_figure(held.calibration(positive), positive, best)
    elif (held.truth == held.proba.argmax(axis=1)).any():
        figure = calibration_figure(held.calibration(), "the class predicted", best)
    else:
        return
    yield Drawing(calibration_svg(figure), _once(held, _BINNED))


# -- decision -------------------------------------------------------------------------------------


def _decision(comparison: Comparison, held: FirstRepeatRows | None) -> Iterator[Piece]:
    """The thresholds by the costs given, or by several cost ratios; and the lift."""
    assert held is not None
    positive = _positive(comparison, held)
    lifted = Drawing(lift_svg(lift_figure(held.lift(positive), positive)), _once(held, _BINNED))
    matrix = resolve_costs(comparison.costs, held.classes, "report")
    if matrix is not None:
        called = held.classes.index(positive)
        missed, alarm = (float(matrix[1 - c, c] - matrix[c, c]) for c in (called, 1 - called))
        if min(missed, alarm) >= 0 and missed + alarm > 0:
            decision = held.decision(positive, missed, alarm, comparison.seed)
            costs_text = f"A missed {positive} costs {number(missed)}, a false alarm {number(alarm)}."
            yield PointsPanel([costs_text, *str(decision).splitlines()])
            yield Drawings([Drawing(decision_svg(decision.figure()), _once(held, _THINNED)), lifted])
            return
    yield Paragraph(
        f"You did not give the cost of errors. The table shows the best threshold on the probability of {positive} if "
        f"a missed {positive} costs this many times as much as a false alarm, which costs 1."
    )
    yield _by_ratio(held, positive, comparison.seed)
    yield lifted


def _by_ratio(held: FirstRepeatRows, positive: Label, seed: int) -> ReportTable:
    """The threshold of lowest cost for several costs of a missed row."""
    rows: list[list[Cell]] = []
    for ratio in _RATIOS:
        decision = held.decision(positive, float(ratio), 1.0, seed)
        at = (
            "nobody"
            if not decision.called
            else "everyone"
            if decision.called == decision.rows
            else number(decision.threshold)
        )
        rows.append(
            [
                f"{ratio} ×", at, number(decision.called), f"{number(decision.found)} of {number(decision.positives)}",
                number(decision.alarms),
                f"{number(1000 * decision.value)} ({number(1000 * decision.low)} to {number(1000 * decision.high)})",
                number(1000 * decision.everyone), number(1000 * decision.no_one),
            ]
        )  # fmt: skip
    headings = [
        "missed costs", "threshold", "called", "found", "for nothing", "cost of 1,000 rows (95 %)", "calling everyone",
        "no one",
    ]  # fmt: skip
    return ReportTable(headings, rows, named_rows(len(headings) - 1))


def _tested_text(n: int) -> str:
    return f"Of {many(n, 'row')} of the first repeat, each predicted by a model that was not trained on it."


def _once(held: FirstRepeatRows, what: str) -> str:
    n = len(held.truth)
    tested_text = _tested_text(n)
    return tested_text if n <= MOST_POINTS else f"{tested_text} {what}"


# -- settings -------------------------------------------------------------------------------------


def _settings(comparison: Comparison) -> Iterator[Piece]:
    first = comparison.assessments[comparison.best]
    rows = [
        ["measure", f"{comparison.measure}: {measure_of(comparison.measure).words}"],
        [
            "splits",
            f"{comparison.method}; {first.n_train:.4g} training and {first.n_test:.4g} test rows"
            + on_rows(comparison),
        ],
        ["seed", str(comparison.seed)],
        ["verdicts", _verdicts(comparison)],
        ["learners", "; ".join(_parameters(comparison))],
        ["versions", ", ".join(versions())],
    ]
    yield ReportTable(["", ""], rows)


def _verdicts(comparison: Comparison) -> str:
    """Describe the tests behind the verdicts."""
    names = sorted({comparison.test(p.a, p.b).name for p in comparison.pairs if p.p == p.p})
    how = " and ".join(names) if names else "no test"
    return (
        f"{how}, corrected for {many(comparison.headline.n_pairs, 'pair')} (Holm), level 5 %; practically equal: "
        f"within {difference(comparison.rope, comparison.measure)}"
    )


def _parameters(comparison: Comparison) -> Iterator[str]:
    """The parameters of the learners that differ from their defaults."""
    for name, learner in comparison.learners.items():
        whole = learner_name(learner)
        yield name if name == whole else f"{name}: {whole}"


def versions() -> list[str]:
    """The versions of the software that computed the numbers."""
    versions = [f"acumen {acumen.__version__}", f"Python {platform.python_version()}"]
    for name in ("numpy", "scipy", "scikit-learn"):
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return versions


register_renderers("page", {Comparison: write_report})
