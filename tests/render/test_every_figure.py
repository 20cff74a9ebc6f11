"""What holds of every figure: it is well-formed, harmless, small, accessible, and says when it is empty."""

from __future__ import annotations

import pkgutil
import re
import subprocess
import sys

import numpy as np
import pytest

import acumen.render
from acumen.render.calibration_plot import CalibrationCurve, CalibrationFigure, calibration_svg
from acumen.render.cd_diagram import CdFigure, cd_svg
from acumen.render.confusion_plot import ConfusionFigure, confusion_svg
from acumen.render.curves import PlotCurve, PrFigure, RocFigure, pr_svg, roc_svg
from acumen.render.groups_plot import GroupsFigure, groups_svg
from acumen.render.heat_maps import AssociationFigure, MissingFigure, association_svg, missing_svg
from acumen.render.interval_plot import IntervalFigure, IntervalRow, interval_svg
from acumen.render.learning_plot import Band, LearningFigure, learning_svg
from acumen.render.lift_chart import LiftFigure, ProfitFigure, lift_svg, profit_svg
from acumen.render.measures_plot import MeasureCurve, MeasuresFigure, measures_svg
from acumen.render.points_plot import PointsFigure, points_svg
from acumen.render.profile_plot import ProfileFigure, profile_svg
from acumen.render.regions import RegionsFigure, regions_svg
from acumen.render.rule_plot import RulesFigure
from acumen.render.silhouette_plot import SilhouetteFigure, silhouette_svg
from acumen.render.svg import measure
from figure_cases import EMPTY, FIGURES, SVG, grid, parsed, texts

HOSTILE = "</text><script>alert('1')</script>\x1b[31m\u202e\x00\"' onload=\"x\" & ]]> \ud800 \n"


@pytest.mark.parametrize("kind", FIGURES)
def test_hostile_names_stay_text(kind):
    value, draw = FIGURES[kind](HOSTILE)
    made = draw(value)
    root = parsed(made)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "title", "desc", "style", "g", "line", "text", "path", "rect", "circle", "image"}
    assert not any(key.startswith("on") or key == "id" for e in root.iter() for key in e.attrib)
    assert all(c.isprintable() for c in made)
    assert "script" in "".join(root.itertext())


@pytest.mark.parametrize("kind", FIGURES)
def test_a_drawing_has_a_title_and_a_description(kind):
    value, draw = FIGURES[kind]("Petal")
    root = parsed(draw(value))
    assert root.get("role") == "img"
    assert root[0].tag == f"{SVG}title" and root[0].text == "Petal"
    assert root[1].tag == f"{SVG}desc" and root[1].text


@pytest.mark.parametrize("kind", FIGURES)
def test_notebooks_show_the_same_drawing(kind):
    value, draw = FIGURES[kind]("a")
    assert value._repr_svg_() == draw(value)


@pytest.mark.parametrize("kind", FIGURES)
@pytest.mark.parametrize("name", ["a", "a rather long name of a learner or class, cut where it must be " * 3])
def test_no_text_leaves_the_sheet(kind, name):
    value, draw = FIGURES[kind](name)
    root = parsed(draw(value))
    _, _, width, height = map(float, root.get("viewBox").split())
    for element in root.iter(f"{SVG}text"):
        said = (element.text or "") + "".join(child.tail or "" for child in element)
        x, y = float(element.get("x")), float(element.get("y"))
        long = measure(said, float(element.get("font-size", 13)), bold="font-weight" in element.attrib)
        share = {"middle": 0.5, "end": 1.0}.get(element.get("text-anchor"), 0.0)
        turn = element.get("transform")
        if turn is None:
            assert x - share * long >= -0.5 and x + (1 - share) * long <= width + 0.5, said
            assert 8 <= y <= height - 2, said
        else:
            angle = np.radians(float(turn.removeprefix("rotate(").split(" ")[0]))
            for end in (-share * long, (1 - share) * long):
                assert -0.5 <= x + end * np.cos(angle) <= width + 0.5, said
                assert -0.5 <= y + end * np.sin(angle) <= height + 0.5, said


@pytest.mark.parametrize("kind", EMPTY)
def test_nothing_to_draw_is_said(kind):
    root = parsed(EMPTY[kind]())
    said = " ".join(t for t, _, _ in texts(root))
    assert said.count("No ") == 1 or "too many" in said
    assert not list(root.iter(f"{SVG}path"))


N = 1_000_000
RANDOM = np.random.default_rng(0)


def large():
    up = np.linspace(0, 1, N)
    noise = RANDOM.random(N)
    yield "roc", roc_svg(RocFigure([PlotCurve("a", up**2, up, 0.7)])), ""
    yield (
        "roc to and fro",
        roc_svg(RocFigure([PlotCurve("a", noise, noise[::-1])])),
        "drawn through a selection",
    )
    yield (
        "many curves",
        roc_svg(RocFigure([PlotCurve(f"c{i}", up[::999], up[::999]) for i in range(300)])),
        "40 of 300",
    )
    yield "pr", pr_svg(PrFigure([PlotCurve("a", up, noise)])), ""
    yield "lift", lift_svg(LiftFigure(np.ones(N), noise < 0.1)), "1,000,000 bins merged into 100"
    yield "profit", profit_svg(ProfitFigure(up, noise)), ""
    labels = [f"class {i}" for i in range(300)]
    matrix = RANDOM.integers(0, 9, (300, 300))
    yield "confusion", confusion_svg(ConfusionFigure(matrix, labels)), "261 smallest"
    rows = [IntervalRow(f"r{i}", i, i - 1, i + 1) for i in range(5_000)]
    yield "interval", interval_svg(IntervalFigure(rows)), "60 of 5,000"
    yield "cd", cd_svg(CdFigure(list(map(str, range(5_000))), np.arange(1, 5_001), 9.0)), "40 of 5,000"
    bins = CalibrationCurve("a", noise, noise, np.ones(N))
    yield "calibration", calibration_svg(CalibrationFigure([bins])), "999,800 bins"
    band = Band("a", noise, noise - 1, noise + 1)
    yield "learning", learning_svg(LearningFigure(up, [band])), ""
    yield "points", points_svg(PointsFigure(up, noise)), "2,000 of 1,000,000 rows"
    labels = RANDOM.integers(-1, 30, N)
    groups = [f"group {i}" for i in range(30)]
    many_groups = GroupsFigure(np.column_stack([up, noise]), labels, groups)
    yield "groups", groups_svg(many_groups), "2,000 of 1,000,000 rows"
    bars = SilhouetteFigure(2 * noise - 1, RANDOM.integers(0, 90, N), [f"g{i}" for i in range(90)])
    yield "silhouettes", silhouette_svg(bars), "40 largest of 90 clusters"
    wide = ProfileFigure(
        [f"a{i}" for i in range(300)], RANDOM.normal(size=(90, 300)), [f"g{i}" for i in range(90)]
    )
    yield "profile", profile_svg(wide), "24 strongest of 300 traits"
    every = [MeasureCurve(f"m{i}", noise[:40]) for i in range(20)]
    yield "measures", measures_svg(MeasuresFigure(np.arange(40), every)), "first 12 of 20 measures"
    yield "regions", regions_svg(grid(n=N)), "2,000 of 1,000,000 rows"
    fine = RegionsFigure(np.arange(700), np.arange(700), np.tile([0.4, 0.6], (700, 700, 1)), ["a", "b"])
    yield "a fine grid", regions_svg(fine), ""
    many = [f"attribute {i}" for i in range(300)]
    square = RANDOM.random((300, 300))
    yield "association", association_svg(AssociationFigure(many, square)), "30 of 300 attributes"
    gone = RANDOM.random((300, 60))
    yield "missing", missing_svg(MissingFigure(many, gone, gone[:, 0], N)), "40 of 300 attributes"
    yield "a long name", FIGURES["roc"]("x" * N)[1](FIGURES["roc"]("x" * N)[0]), ""


@pytest.mark.slow
def test_a_million_points_make_a_small_drawing_that_says_what_it_left_out():
    for kind, made, said in large():
        # The 40 x 40 cells of the largest matrix are the most that is ever drawn.
        assert len(made) < 420_000, (kind, len(made))
        shown = " ".join(t for t, _, _ in texts(parsed(made)))
        assert said in shown, kind


def test_drawing_imports_no_heavy_package():
    rooms = [f"acumen.render.{module.name}" for module in pkgutil.iter_modules(acumen.render.__path__)]
    assert "acumen.render.mpl" in rooms
    heavy = "{'matplotlib', 'sklearn', 'scipy', 'pandas', 'pyarrow'}"
    asked = f"import sys, {', '.join(rooms)}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("kind", FIGURES)
def test_a_figure_is_plain_values_too(kind):
    import json
    from dataclasses import fields

    value, _ = FIGURES[kind](HOSTILE)
    made = value.to_dict()
    assert list(made) == ["figure", *(each.name for each in fields(value))]
    assert made["figure"] == type(value).__name__
    assert json.loads(json.dumps(made, allow_nan=False)) == made


def test_parts_that_programs_let_people_click_on_carry_their_number():
    every = [MeasureCurve("a", np.arange(4.0), 1), MeasureCurve("b", np.ones(4))]
    svg = measures_svg(MeasuresFigure(np.array([2, 3, 4, 5]), every))
    assert re.findall('data-k="([^"]*)"', svg) == ["2", "3", "4", "5"]
    groups = GroupsFigure(np.array([[0, 0], [1, 1], [2, 0.0]]), np.array([1, 0, -1]), ["a", "b", "none here"])
    assert re.findall('data-group="([^"]*)"', groups._repr_svg_()) == ["0", "1"]
    rules = RulesFigure(np.array([0.1, np.nan, 0.3]), np.array([0.5, 0.5, 0.9]), np.array([1.0, 1.0, 2.0]))
    assert re.findall('data-rule="([^"]*)"', rules._repr_svg_()) == ["0", "2"], (
        "as it is called where it came from"
    )
