#!/usr/bin/env python3
"""Writes src/acumen/__init__.pyi, the typed face of the lazy package, from its table of names.

    PYTHONPATH=src python tools/stub.py           write it
    PYTHONPATH=src python tools/stub.py --check   say whether it is current (exit code 1 if not)

Public names are imported where they are made, so that type checkers and editors see them. Learners that take over
parameters of others (`with_parameters_of`) have signatures that only running makes: these are written out.
"""

from __future__ import annotations

import inspect
import sys
import types
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import acumen
from current import kept

STUB = Path(__file__).resolve().parents[1] / "src" / "acumen" / "__init__.pyi"
HEAD = "# Written by tools/stub.py from the table of names in __init__.py; do not change it by hand.\n"


class Spelling:
    """Types as source text, with the imports they need."""

    def __init__(self) -> None:
        self.imports: dict[str, set[str]] = {}

    def use(self, module: str, name: str) -> str:
        self.imports.setdefault(module, set()).add(name)
        return name

    def of(self, hint: Any) -> str:
        """A type without the constraints on its values, which checkers cannot see."""
        if hint is Any:
            return self.use("typing", "Any")
        if hint is None or hint is type(None):
            return "None"
        origin, inner = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self.of(inner[0])
        if origin is Literal:
            return f"{self.use('typing', 'Literal')}[{', '.join(map(_quoted, inner))}]"
        if origin is Union or origin is types.UnionType:
            parts = dict.fromkeys(self.of(part) for part in inner)
            return "Any" if "Any" in parts else " | ".join(parts)
        if origin is not None:
            inside = ", ".join(self._inside(part) for part in inner)
            return f"{self._named(origin)}[{inside}]"
        if isinstance(hint, type):
            bare = _PLACES.get(hint.__name__, 0)
            inside = ", ".join([self.of(Any)] * bare)
            return f"{self._named(hint)}[{inside}]" if bare else self._named(hint)
        raise TypeError(f"tools/stub.py cannot write the type {hint!r}")

    def _inside(self, part: Any) -> str:
        if isinstance(part, list):  # the arguments of a Callable
            return f"[{', '.join(map(self.of, part))}]"
        return "..." if part is Ellipsis else self.of(part)

    def _named(self, kind: type[Any]) -> str:
        return kind.__name__ if kind.__module__ == "builtins" else self.use(kind.__module__, kind.__name__)


#: How many types stand in brackets behind a class that was written without them.
_PLACES = {"list": 1, "set": 1, "Sequence": 1, "dict": 2, "Mapping": 2, "ndarray": 2}


def _quoted(word: Any) -> str:
    return f'"{word}"' if isinstance(word, str) and '"' not in word else repr(word)


def takes_over(value: Any) -> bool:
    """Whether a class's signature is made by `with_parameters_of`."""
    made = value.__dict__.get("__init__") if isinstance(value, type) else None
    while made is not None:
        if "__signature__" in vars(made) and made.__code__.co_filename.endswith("parameters.py"):
            return True
        made = getattr(made, "__wrapped__", None)
    return False


def constructor(cls: type[Any], spelling: Spelling) -> list[str]:
    """The lines of the `__init__` of a class; defaults are named, for editors show them."""
    initialise = cls.__dict__["__init__"]
    hints = get_type_hints(initialise, include_extras=True)
    lines, starred = ["    def __init__(", "        self,"], False
    for name, parameter in inspect.signature(initialise).parameters.items():
        if name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            lines.append("        *,")
            starred = True
        default = parameter.default
        plain = default is None or isinstance(default, (str, bool, int, float))
        told = "" if default is parameter.empty else f" = {_quoted(default) if plain else '...'}"
        lines.append(f"        {name}: {spelling.of(hints.get(name, Any))}{told},")
    return [*lines, "    ) -> None: ..."]


def stub() -> str:
    """The text of the stub."""
    spelling, names, modules, classes = Spelling(), [], [], []
    for name, home in acumen._HOMES.items():
        if home is None:
            modules.append(f"from acumen import {name} as {name}")
            continue
        value = getattr(acumen, name)
        if takes_over(value):
            names.append(f"from {home} import {name} as _{name}")
            classes.append("\n".join([f"class {name}(_{name}):", *constructor(value, spelling)]))
        else:
            names.append(f"from {home} import {name} as {name}")
    needed = [
        f"from {module} import {', '.join(sorted(spelling.imports[module]))}"
        for module in sorted(spelling.imports)
    ]
    every = ["__all__ = [", *(f'    "{name}",' for name in acumen.__all__), "]"]
    blocks = [HEAD + "\n".join([*needed, *sorted(modules), *sorted(names)]), "__version__: str", *classes]
    return "\n\n".join([*blocks, "\n".join(every), "def __dir__() -> list[str]: ..."]) + "\n"


if __name__ == "__main__":
    sys.exit(kept(STUB, stub(), "stub.py", sys.argv[1:]))
