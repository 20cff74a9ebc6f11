"""What the page may ask for, checked before anything is done with it.

    TableSpec   a table: where it is, and how it is to be read
    RunSpec     a comparison of learners on a table
    ModelSpec   a learner fitted on all rows of a table, or a model file

Specs are values: what was made of an equal one is used again. The page's words never become paths: the server puts in
`data`, where a table is, `shown`, what it is called in commands, and `stamp`, which version of its file it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from acumen.errors import ParameterError
from acumen.studio.model_edits import RuleEdits, ShapeEdits, WantedRules
from acumen.studio.reading_options import Written
from acumen.types import Kind

_KINDS: Final[tuple[str, ...]] = Kind.__args__  # type: ignore[attr-defined]
#: Characters of any word.
_LONGEST: Final = 10_000
#: Learners in a comparison.
_MOST_LEARNERS: Final = 60
#: What the file of a model is called that was changed by hand.
EDITED: Final = "edited.acm"
AGAIN: Final = "edited-again.acm"


class Asked:
    """A mapping that came as JSON; each entry is taken once, as what it must be."""

    def __init__(self, given: Any, what: str) -> None:
        if not isinstance(given, Mapping):
            raise ParameterError(f"studio: {what} must be an object of names and values.")
        self._given, self._what = dict(given), what

    def text(self, name: str, default: str | None = None) -> str | None:
        value = self._given.pop(name, None)
        if value is None:
            return default
        if not isinstance(value, str) or len(value) > _LONGEST:
            raise self._wrong(name, "a text", value)
        return value

    def required(self, name: str) -> str:
        value = self.text(name)
        if not value:
            raise self._wrong(name, "a text", value)
        return value

    def whole(self, name: str, default: int | None, least: int = 0, most: int = 10**9) -> int | None:
        value = self._given.pop(name, None)
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self._wrong(name, f"a whole number from {least} to {most}", value)
        return value

    def number(self, name: str, default: float) -> float:
        value = self._given.pop(name, None)
        if value is None:
            return default
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise self._wrong(name, "a number", value)
        return float(value)

    def flag(self, name: str) -> bool:
        value = self._given.pop(name, False)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false", value)
        return value

    def one_of(self, name: str, known: tuple[str, ...]) -> str:
        value = self.text(name, known[0])
        if value not in known:
            raise self._wrong(name, f"one of {', '.join(known)}", value)
        return value

    def texts(self, name: str, most: int = 20_000) -> tuple[str, ...]:
        value = self._given.pop(name, None) or []
        if (
            not isinstance(value, list)
            or len(value) > most
            or not all(isinstance(each, str) for each in value)
        ):
            raise self._wrong(name, f"a list of at most {most} texts", "something else")
        return tuple(value)

    def pairs(self, name: str) -> tuple[tuple[str, str], ...]:
        value = self._given.pop(name, None) or {}
        if not isinstance(value, Mapping) or not all(isinstance(each, str) for each in value.values()):
            raise self._wrong(name, "an object of texts", "something else")
        return tuple(sorted((str(key), str(each)) for key, each in value.items()))

    def lists(self, name: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        value = self._given.pop(name, None) or {}
        fine = isinstance(value, Mapping) and all(
            isinstance(each, list) and all(isinstance(word, str) for word in each) for each in value.values()
        )
        if not fine:
            raise self._wrong(name, "an object of lists of texts", "something else")
        return tuple(sorted((str(key), tuple(each)) for key, each in value.items()))

    def groups(self, name: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Names, each with two texts or more; a name may come again."""
        value = self._given.pop(name, None) or []
        groups = []
        for each in value if isinstance(value, list) and len(value) <= 1000 else [None]:
            match each:
                case [str(of), [str(), str(), *_] as words] if all(isinstance(word, str) for word in words):
                    groups.append((of, tuple(words)))
                case _:
                    raise self._wrong(name, "a list of names, each with two texts or more", "something else")
        return tuple(groups)

    def within(self, name: str) -> Any:
        return self._given.pop(name, None)

    def end(self) -> None:
        """Nothing may be left: what is not understood is not passed over."""
        if self._given:
            raise ParameterError(f"studio: {self._what} has no {', '.join(sorted(map(str, self._given)))}.")

    def _wrong(self, name: str, needed: str, value: Any) -> ParameterError:
        shown = repr(value)
        return ParameterError(f"studio: {name} of {self._what} must be {needed}; got {shown[:100]}.")


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A table: `data` is where it is, `shown` what it is called; the rest are options of `acumen.read`."""

    data: str
    shown: str
    target: str | None = None
    kinds: tuple[tuple[str, str], ...] = ()
    levels: tuple[tuple[str, tuple[str, ...]], ...] = ()
    ignore: tuple[str, ...] = ()
    weight: str | None = None
    missing: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    query: str | None = None
    merge: tuple[tuple[str, tuple[str, ...]], ...] = ()
    date_parts: tuple[str, ...] = ()
    written: Written = field(default_factory=Written)
    #: Of the file as it is now: one that was written anew is another table.
    stamp: str = ""

    @classmethod
    def of(cls, given: Any) -> TableSpec:
        request = Asked(given, "a table")
        spec = cls(
            request.required("data"), request.required("shown"), request.text("target"), request.pairs("kinds"),
            request.lists("levels"), request.texts("ignore"), request.text("weight"), request.texts("missing"),
            request.texts("known"), request.text("query"), request.groups("merge"), request.texts("date_parts"),
            Written.of(request.within("written")), request.text("stamp") or "",
        )  # fmt: skip
        request.end()
        for name, kind in spec.kinds:
            if kind not in _KINDS:
                raise ParameterError(
                    f"the kind of {name!r} must be one of {', '.join(_KINDS)}; got {kind!r}."
                )
        return spec

    def options(self) -> dict[str, Any]:
        """As `acumen.read` takes them; what is not said is left out."""
        options: dict[str, Any] = {
            "target": self.target, "kinds": dict(self.kinds), "levels": {k: list(v) for k, v in self.levels},
            "ignore": self.ignore, "weight": self.weight, "missing": self.missing, "not_missing": self.known,
            "query": self.query, "date_parts": self.date_parts, "merge": self._merges(),
        }  # fmt: skip
        stated = {name: value for name, value in options.items() if value not in (None, (), {})}
        return stated | self.written.options()

    def _merges(self) -> dict[str, dict[str, str]]:
        merges: dict[str, dict[str, str]] = {}
        for name, (first, *others) in self.merge:
            merges.setdefault(name, {}).update(dict.fromkeys(others, first))
        return merges


@dataclass(frozen=True, slots=True)
class RunSpec:
    """A comparison, as `acumen compare` is asked for one."""

    table: TableSpec
    suite: str = "usual"
    learners: tuple[str, ...] = ()
    folds: int | None = None
    repeats: int = 10
    measure: str | None = None
    time: str | None = None
    sample: str | None = None
    baseline: str | None = None
    rope: float = 0.01
    seed: int = 0
    keep_ids: bool = False
    calibrate: bool = False

    @classmethod
    def of(cls, given: Any) -> RunSpec:
        request = Asked(given, "a comparison")
        spec = cls(
            TableSpec.of(request.within("table")),
            request.one_of("suite", ("usual", "quick", "all")),
            request.texts("learners", _MOST_LEARNERS),
            request.whole("folds", None, 2, 1000),
            request.whole("repeats", 10, 1, 1000) or 10,
            request.text("measure"), request.text("time"), request.text("sample"), request.text("baseline"),
            request.number("rope", 0.01), request.whole("seed", 0) or 0, request.flag("keep_ids"),
            request.flag("calibrate"),
        )  # fmt: skip
        request.end()
        return spec


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A learner fitted on all rows; or, without a table, a model file at `file`.

    With `rules` its rules as a person wants them, with `shapes` what is done to its shapes: a model of its own, called
    `shown`; `learned` is what the model is called that was changed.
    """

    table: TableSpec | None
    learner: str = ""
    file: str = ""
    shown: str = "model.acm"
    rules: WantedRules | None = None
    shapes: ShapeEdits | None = None
    learned: str = ""
    #: Of the model file as it is now.
    stamp: str = ""

    @classmethod
    def of(cls, given: Any) -> ModelSpec:
        request = Asked(given, "a model")
        table, rules, shapes = (request.within(each) for each in ("table", "rules", "shapes"))
        spec = cls(
            None if table is None else TableSpec.of(table),
            request.text("learner") or "", request.text("file") or "", request.text("shown") or "model.acm",
            stamp=request.text("stamp") or "",
        )  # fmt: skip
        request.end()
        if not spec.file and (spec.table is None or not spec.learner):
            raise ParameterError("studio: a model is a learner on a table, or a file.")
        if rules is None and shapes is None:
            return spec
        if rules is not None and shapes is not None:
            raise ParameterError("studio: a model has rules or shapes to be changed, not both.")
        # A file that was changed before, and is changed again, stays beside what becomes of it.
        spec = replace(spec, shown=EDITED if spec.shown != EDITED else AGAIN, learned=spec.shown)
        if rules is not None:
            return replace(spec, rules=WantedRules.parse(rules))
        return replace(spec, shapes=ShapeEdits.parse(shapes))

    @property
    def base(self) -> ModelSpec:
        """The model as it was learned."""
        if self.edits is None:
            return self
        return ModelSpec(self.table, self.learner, self.file, self.learned, stamp=self.stamp)

    @property
    def edits(self) -> RuleEdits | ShapeEdits | None:
        """What was changed by hand."""
        return self.shapes if self.rules is None else self.rules.edits
