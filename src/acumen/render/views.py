"""How results are shown: renderers by the type of a result and a form, so that results need not know their pictures.

register_renderers   functions that show results of some types in one form
render               a result in one of these forms

A room registers the renderers of its results in modules of its own, which are imported when a result is first shown in
that form. The forms are "figure" (a figure value), "html", "text", "page" (a file),
"tables", and "bundle" (what a notebook chooses from).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final, Literal, TypeAlias, overload

Form: TypeAlias = Literal["figure", "gains", "html", "text", "page", "bundle", "tables"]

#: The room of a result's type and the form -> the module that registers renderers for it.
_MODULES: Final[Mapping[tuple[str, Form], str]] = {
    ("assessment", "figure"): "acumen.assessment.figures",
    ("assessment", "gains"): "acumen.assessment.figures",
    ("assessment", "html"): "acumen.assessment.notebook",
    ("assessment", "text"): "acumen.assessment.comparison_text",
    ("assessment", "page"): "acumen.assessment.report",
    ("bayes", "tables"): "acumen.bayes.tables",
    ("models", "bundle"): "acumen.base.notebook",
    ("profiling", "html"): "acumen.profiling.card_notebook",
}
_RENDERERS: Final[dict[tuple[type, Form], Callable[..., Any]]] = {}


def register_renderers(form: Form, renderers: Mapping[type, Callable[..., Any]]) -> None:
    """Show results of these types, and of types derived from them, by these functions in one form."""
    for kind, renderer in renderers.items():
        _RENDERERS[kind, form] = renderer


@overload
def render(result: object, form: Literal["html", "text"], **options: Any) -> str: ...
@overload
def render(result: object, form: Literal["bundle"], **options: Any) -> dict[str, str]: ...
@overload
def render(result: object, form: Literal["figure", "gains", "page", "tables"], **options: Any) -> Any: ...
def render(result: object, form: Form, **options: Any) -> Any:
    """A result in a form, by the renderer of its type."""
    for kind in type(result).__mro__:
        if (kind, form) not in _RENDERERS:
            module = _MODULES.get((kind.__module__.partition(".")[2].partition(".")[0], form))
            if module is None:
                continue
            import_module(module)
        if (kind, form) in _RENDERERS:
            return _RENDERERS[kind, form](result, **options)
    raise TypeError(f"{type(result).__name__} is not shown as {form}.")
