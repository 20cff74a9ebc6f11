"""Screen 3, models that have no drawing of their own: what they answer over two columns, and groups in a plane."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final
from xml.etree import ElementTree

from acumen.errors import AcumenError, ParameterError
from acumen.explain.questions import HasMachines
from acumen.studio import commands
from acumen.studio.answers.memory import Bench
from acumen.studio.spec import Asked, ModelSpec


def columns(bench: Bench, spec: ModelSpec, learner: Any) -> list[str]:
    """The numbers of a table between which the plane of a classifier can be chosen; none where there is no plane."""
    target = learner.predictor_.schema.target
    if spec.table is None or spec.edits is not None or target is None or not target.is_nominal:
        return []
    names = [each.name for each in learner.predictor_.schema.attributes if each.is_numeric]
    return names if len(names) > 1 else []


def plane(bench: Bench, given: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """A learner of two columns alone: which class wins where; of a support vector machine its line and its vectors."""
    from acumen.assessment.regions import regions
    from acumen.assessment.runs import fresh, judged_rows
    from acumen.profiling.fit_warnings import data_warnings_off

    request = Asked(given, "a job")
    spec = ModelSpec.of(request.within("model"))
    x, y, machine = request.required("x"), request.required("y"), request.whole("machine", 0) or 0
    request.end()
    if spec.table is None or x == y:
        raise ParameterError("studio: a plane is of two columns of a table.")
    learner, table = bench.model(spec), bench.table(spec.table)
    tell({"doing": f"learning from {x} and {y} alone"})
    lines = commands.model_python(spec, learner)
    has_machines = isinstance(learner, HasMachines)
    if not has_machines:
        with data_warnings_off():
            figure: Any = regions(learner, table, x, y)
        return _picture_content(figure, spec, f"{lines}figure = acumen.regions(model, table, {x!r}, {y!r})\n")
    rows = judged_rows(learner, table.select([x, y]))
    with data_warnings_off():
        fitted = fresh(learner).fit(rows)
    content = _picture_content(
        fitted.figure(rows, machine=min(machine, len(fitted.machines_) - 1)),
        spec,
        f"{lines}two = table.select([{x!r}, {y!r}])\nfigure = model.fit(two).figure(two, machine={machine})\n",
    )
    return {**content, "machines": len(fitted.machines_)}


def _picture_content(figure: Any, spec: ModelSpec, python: str) -> dict[str, Any]:
    saved = "with open('plane.svg', 'w', encoding='utf-8') as file:\n    file.write(figure._repr_svg_())\n"
    return {
        "svg": svg_tree(figure._repr_svg_()),
        "machines": 0,
        "command": commands.after_learning(spec, [], python + saved),
    }


def of_groups(bench: Bench, spec: ModelSpec, learner: Any) -> list[Drawn | None]:
    """Groups of rows in the plane in which they differ most, and what is typical of each."""
    from acumen.clusters.pictures import picture
    from acumen.models.task import GROUPS
    from acumen.profiling.fit_warnings import data_warnings_off

    if spec.table is None or getattr(learner, "task", None) is not GROUPS:
        return []
    pictures = []
    for kind in ("components", "profile"):
        try:
            with data_warnings_off():
                pictures.append(svg_tree(picture(learner, bench.table(spec.table), kind)._repr_svg_()))
        except AcumenError:
            continue  # no coordinates, or a single group: the words say what there is
    return pictures


#: All that `show` draws with; style sheets stay behind, the page has its own.
ELEMENTS: Final = frozenset(
    {"svg", "g", "title", "desc", "text", "tspan", "rect", "line", "path", "circle", "ellipse", "polygon", "polyline",
     "image", "defs", "clipPath"}
)  # fmt: skip


_ATTRIBUTE: Final = re.compile(r"^(?!on)[A-Za-z][A-Za-z0-9-]*$")


_LEFT_OUT: Final = frozenset({"style", "href"})


Drawn = list[Any]


def svg_tree(svg: str | None) -> Drawn | None:
    """[name, attributes, children] of a drawing of ours; children are such lists, or texts."""
    return None if svg is None else _tree(ElementTree.fromstring(svg))


def _tree(element: Any) -> Drawn:
    children: list[Any] = [element.text] if element.text else []
    for child in element:
        if _name(child) in ELEMENTS:
            children.append(_tree(child))
        if child.tail:
            children.append(child.tail)
    attributes = {}
    for key, value in element.attrib.items():
        plain = key.rpartition("}")[2]
        picture = plain == "href" and value.startswith("data:image/png;base64,")
        if picture or (_ATTRIBUTE.match(plain) and plain not in _LEFT_OUT and "url(" not in value):
            attributes[plain] = value
    return [_name(element), attributes, children]


def _name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]
