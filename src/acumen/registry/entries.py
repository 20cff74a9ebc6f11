"""What the command line and the studio know of a learner: nothing that its class does not say.

entries()          every learner
entry("one-r")     one of them, by its word or its class name
Entry.make(...)    an unfitted learner from `name=value` texts
parsed("svm(C=10)")   one of them, and its settings as texts

Lists as people write them down.

listed("one-r, svm(C=10, kernel=linear)")    the texts of several
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acumen.errors import ParameterError, called_here, did_you_mean
from acumen.models import kinds
from acumen.models.parameters import OfLearner, OfLearners, Spec, specs_of
from acumen.models.task import Task


@dataclass(frozen=True, slots=True)
class Entry:
    """One learner: its word, its class, and what its signature and documentation say."""

    kind: str
    learner: type[Any]
    #: Parameters other than the defaults, as `name=value`, under which it is to be tried.
    settings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.learner.__name__

    @property
    def text(self) -> str:
        """Its word, with its settings: `svm(kernel=linear)`."""
        return f"{self.kind}{self._settings}"

    @property
    def label(self) -> str:
        """The name of its class, with its settings."""
        return f"{self.name}{self._settings}"

    @property
    def _settings(self) -> str:
        return f"({', '.join(self.settings)})" if self.settings else ""

    @property
    def task(self) -> Task:
        """What it learns: classes, numbers, groups, itemsets."""
        return kinds.KINDS[self.kind].task

    @property
    def summary(self) -> str:
        """The first sentence of the documentation."""
        return (inspect.getdoc(self.learner) or "").partition("\n")[0]

    @property
    def parameters(self) -> tuple[Spec, ...]:
        return specs_of(self.learner)

    def documentation(self) -> Mapping[str, str]:
        """What the documentation says of each parameter."""
        return parameter_docs(inspect.getdoc(self.learner) or "")

    def make(self, settings: Sequence[str] = (), **given: Any) -> Any:
        """An unfitted learner; each setting reads `name=value`."""
        values = dict(given)
        for setting in settings:
            name, equals, text = setting.partition("=")
            if not equals:
                raise ParameterError(f"{self.name}: write a setting as name=value; got {setting!r}.")
            spec = self.parameter(name)
            values[spec.name] = self.value(spec, text)
        return self.learner(**values)

    def parameter(self, name: str) -> Spec:
        """The parameter of that name, in which - may stand for _."""
        specs = {spec.name: spec for spec in self.parameters}
        plain_name = name.strip().replace("-", "_")
        if plain_name not in specs:
            hint = did_you_mean(plain_name, specs) or f" It has {', '.join(specs) or 'none'}."
            raise ParameterError(f"{self.name} has no parameter {plain_name!r}.{hint}")
        return specs[plain_name]

    def value(self, spec: Spec, text: str) -> Any:
        """What a text means as the value of a parameter; learners are written as `parsed` reads them."""
        text = text.strip()
        kinds = {type(c) for option in spec.options for c in option.constraints}
        if OfLearners in kinds and text.lower() not in ("none", "null"):
            inside = text[1:-1] if text.startswith("[") and text.endswith("]") else text
            return [_inner(each) for each in split_list(inside)]
        value = spec.parse(text, self.name)
        return (
            _inner(value)
            if OfLearner in kinds and isinstance(value, str) and value != spec.default
            else value
        )

    def make_seeded(self, settings: Sequence[str] = (), seed: int = 0, **given: Any) -> Any:
        """As `make`, but what a learner draws at random comes of the seed, unless a setting says otherwise."""
        if any(spec.name == "random_state" for spec in self.parameters):
            given = {"random_state": seed, **given}
        return self.make(settings, **given)

    def to_dict(self) -> dict[str, Any]:
        documentation = self.documentation()
        return {
            "kind": self.kind,
            "task": self.task.name,
            "name": self.name,
            "summary": self.summary,
            "parameters": [
                {
                    "name": spec.name,
                    "default": plain(spec.default),
                    "may_be": spec.requirement(),
                    "meaning": documentation.get(spec.name, ""),
                }
                for spec in self.parameters
            ],
        }


def entries() -> tuple[Entry, ...]:
    """Every learner, by its word."""
    return tuple(Entry(kind, kinds.learner_class(kind)) for kind in sorted(kinds.KINDS))


def entry(name: str) -> Entry:
    """The learner of that word (`naive-bayes`) or class name (`NaiveBayes`)."""
    word = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower().replace("_", "-")
    known = kinds.KINDS
    if word not in known:  # a class whose name is not written as its word is: KMeans, of k-means
        classes = {each.learner.partition(":")[2]: kind for kind, each in known.items()}
        word = classes.get(name, word)
    if word not in known:
        if (ours := classes.get(called_here(name) or "")) is not None:
            raise ParameterError(f"there is no learner {name!r}; it is called {ours!r} here.")
        raise ParameterError(
            f"there is no learner {name!r}; there are {', '.join(sorted(known))}.{did_you_mean(word, known)}"
        )
    return Entry(word, kinds.learner_class(word))


def parse_learner(text: str) -> tuple[Entry, tuple[str, ...]]:
    """The learner that a text names, and the settings in the parentheses behind its name."""
    name, opened, rest = text.strip().partition("(")
    if not opened:
        return entry(name.strip()), ()
    if not rest.endswith(")"):
        raise ParameterError(f"write a learner as name(parameter=value, ...); got {text!r}.")
    return entry(name.strip()), tuple(split_list(rest[:-1]))


def _inner(text: str) -> Any:
    """A learner inside another, from its text."""
    entry, settings = parse_learner(text)
    return entry.make(settings)


def plain(value: Any) -> Any:
    """A default as JSON can say it."""
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)


def parameter_docs(text: str) -> dict[str, str]:
    """The descriptions in a numpydoc "Parameters" section, each as one line."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|\Z)", text, re.DOTALL | re.MULTILINE)
    if section is None:
        return {}
    docs: dict[str, str] = {}
    names: list[str] = []
    for line in section.group(1).splitlines():
        if line and not line.startswith(" "):
            names = [name.strip() for name in line.partition(" :")[0].split(",")]
            docs |= dict.fromkeys(names, "")
        else:
            for name in names:
                docs[name] = f"{docs[name]} {line.strip()}".strip()
    return docs


_PAIRS = {"(": ")", "[": "]", "{": "}"}


def split_list(text: str) -> list[str]:
    """What commas separate, but for commas within parentheses, brackets and quotation marks."""
    pieces, closing, start, quote = [], [], 0, ""
    for at, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in _PAIRS:
            closing.append(_PAIRS[sign])
        elif closing and sign == closing[-1]:
            closing.pop()
        elif sign == "," and not closing:
            pieces.append(text[start:at])
            start = at + 1
    if closing or quote:
        raise ParameterError(f"{text!r} ends before its {closing[-1] if closing else quote} does.")
    return [part.strip() for part in (*pieces, text[start:]) if part.strip()]
