"""A list of rules as a person wants it, said as the changes of `acumen rules edit`.

    Wanted      items in order, of how many rules as learned; made of what the page sends
    RuleEdits   the changes that lead there, as words of the command and as lines of Python

An item is the number of a rule as learned (from 1), a number and another text in that rule's place, or the text of a
rule more. What is not among the items is left out. The command makes its changes in one order (replace, move, insert,
without), so whatever way a person went, one command says it, with as few moves as there can be.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from acumen.errors import ParameterError

Item = int | str | tuple[int, str]


#: Rules that the page is sent, and can change; those behind them stay where they are.
MOST_RULES: Final = 300


#: Rules of a model.
_MOST: Final = 1_000_000


#: Characters of a rule.
_LONGEST: Final = 10_000


@dataclass(frozen=True, slots=True)
class WantedRules:
    """Rules as a person wants them: `items` in their order, of a model that had `of` rules."""

    of: int
    items: tuple[Item, ...]
    simplify: bool = False

    @classmethod
    def parse(cls, given: Any) -> WantedRules:
        """Of what the page sends; each rule at most once."""
        match given:
            case {"of": int(of), "items": list(items), **more} if not more.keys() - {"simplify"}:
                simplify = more.get("simplify", False)
                if (
                    not isinstance(of, bool)
                    and 0 <= of <= _MOST
                    and len(items) <= 2 * MOST_RULES
                    and isinstance(simplify, bool)
                ):
                    wanted = cls(of, tuple(map(_item, items)), simplify)
                    wanted.edits  # noqa: B018 - or it is said what is wrong
                    return wanted
        raise ParameterError("studio: rules are how many they were, and a list of numbers and texts.")

    @property
    def edits(self) -> RuleEdits:
        """The changes that lead to them."""
        return RuleEdits.leading_to(self.items, self.of, self.simplify)


def _item(given: Any) -> Item:
    match given:
        case bool():
            pass
        case int(number) if number >= 1:
            return number
        case str(text) if 0 < len(text) <= _LONGEST:
            return text
        case [int(number), str(text)] if number >= 1 and 0 < len(text) <= _LONGEST:
            return number, text
    raise ParameterError("studio: a rule is named by its number, from 1, or given as a text, or as both.")


def _number(item: Item) -> int | None:
    return item if isinstance(item, int) else item[0] if isinstance(item, tuple) else None


@dataclass(frozen=True, slots=True)
class RuleEdits:
    """Changes in the order in which they are made; numbers are from 1, as they are printed."""

    replace: tuple[tuple[int, str], ...]
    move: tuple[tuple[int, int], ...]
    insert: tuple[tuple[int, str], ...]
    without: tuple[int, ...]
    simplify: bool = False

    @classmethod
    def leading_to(cls, wanted: Sequence[Item], n: int, simplify: bool = False) -> RuleEdits:
        """From `n` rules as learned to the items."""
        shown = min(n, MOST_RULES)
        items = [*wanted, *range(shown + 1, n + 1)]
        kept = [number for item in items if (number := _number(item)) is not None]
        if any(number > n for number in kept) or len(set(kept)) != len(kept):
            raise ParameterError(f"studio: there are {n} rules as learned, and each can have only one place.")
        order, among = list(kept), set(kept)
        for number in range(1, n + 1):  # what is left out stays behind what it followed, until it goes
            if number not in among:
                order.insert(order.index(number - 1) + 1 if number > 1 else 0, number)
        full: list[Any] = list(order)
        insert, before = [], None
        for item in items:
            token: Any = _number(item)
            if token is None:
                token = object()
                place = 0 if before is None else full.index(before) + 1
                full.insert(place, token)
                insert.append((place + 1, str(item)))
            before = token
        gone = tuple(
            place for place, token in enumerate(full, 1) if isinstance(token, int) and token not in among
        )
        replace = tuple(sorted(item for item in wanted if isinstance(item, tuple)))
        return cls(replace, _moves(order), tuple(insert), gone, simplify)

    def __bool__(self) -> bool:
        return bool(self.replace or self.move or self.insert or self.without or self.simplify)

    def words(self) -> list[str]:
        """As `acumen rules edit` takes them."""
        words: list[str] = []
        for flag, pairs in (("--replace", self.replace), ("--move", self.move), ("--insert", self.insert)):
            for number, what in pairs:
                words += [flag, str(number), str(what)]
        for number in self.without:
            words += ["--remove", str(number)]
        return words + (["--simplify"] if self.simplify else [])

    def python(self) -> str:
        """Lines that change `rules`, of a `model`; places count from 0 there."""
        parsed = "acumen.RuleList.parse({!r}, model.predictor_.schema)[0]"
        lines = ["rules = model.to_rules()"]
        lines += [f"rules = rules.replace_rule({n - 1}, {parsed.format(text)})" for n, text in self.replace]
        lines += [f"rules = rules.move_rule({n - 1}, {to - 1})" for n, to in self.move]
        lines += [f"rules = rules.insert_rule({n - 1}, {parsed.format(text)})" for n, text in self.insert]
        lines += [f"rules = rules.without({n - 1})" for n in sorted(self.without, reverse=True)]
        lines += ["rules = rules.simplify()"] if self.simplify else []
        return "\n".join(lines) + "\n"


def _moves(order: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """The fewest moves from 1, 2, ... to an order: all but a longest rising run of it are moved."""
    stay = _rising(order)
    now, moves = sorted(order), []
    for place, number in enumerate(order):
        if number in stay:
            continue
        at = now.index(number)
        del now[at]
        to = 0 if place == 0 else now.index(order[place - 1]) + 1
        now.insert(to, number)
        if at != to:
            moves.append((at + 1, to + 1))
    return tuple(moves)


def _rising(order: Sequence[int]) -> set[int]:
    """A longest rising subsequence (Schensted 1961)."""
    ends: list[int] = []
    places: list[int] = []
    before: list[int] = []
    for at, number in enumerate(order):
        place = bisect_left(ends, number)
        before.append(places[place - 1] if place else -1)
        if place == len(ends):
            ends.append(number)
            places.append(at)
        else:
            ends[place], places[place] = number, at
    positions: set[int] = set()
    at = places[-1] if places else -1
    while at >= 0:
        positions.add(order[at])
        at = before[at]
    return positions


#: Attributes that are changed, and pieces or levels of one.
_MOST_SHAPES: Final = 1_000


Piece = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ShapeEdits:
    """What is done to each attribute: no piece drops its shape, each piece has the ends of a range, or levels."""

    changes: tuple[tuple[str, tuple[Piece, ...]], ...]

    @classmethod
    def parse(cls, given: Any) -> ShapeEdits:
        """Of what the page sends."""
        if not isinstance(given, Mapping) or not 0 < len(given) <= _MOST_SHAPES:
            raise ParameterError("studio: shapes are an object of attributes and what is done to each.")
        return cls(tuple((str(name), _pieces(what)) for name, what in given.items()))

    def __bool__(self) -> bool:
        return bool(self.changes)

    def words(self) -> list[str]:
        """As `acumen shapes edit` takes them."""
        from acumen.messages import listed_fields

        words: list[str] = []
        for name, pieces in self.changes:
            for piece in pieces:
                words += ["--flatten", f"{name}={listed_fields(piece)}"]
        for name, pieces in self.changes:
            words += [] if pieces else ["--remove", name]
        return words

    def python(self) -> str:
        """A line that changes `model`."""
        calls = [
            f".edit({', '.join(map(repr, (name, *piece)))})"
            for name, pieces in self.changes
            for piece in pieces
        ]
        calls += [f".edit({name!r})" for name, pieces in self.changes if not pieces]
        return f"edited = model{''.join(calls)}\n"


def _pieces(what: Any) -> tuple[Piece, ...]:
    if what == "drop":
        return ()
    if isinstance(what, list) and 0 < len(what) <= _MOST_SHAPES:
        if all(isinstance(each, list) and len(each) == 2 and all(map(_is_value, each)) for each in what):
            return tuple(tuple(each) for each in what)
        if len(what) > 1 and all(map(_is_value, what)):
            return (tuple(what),)
    raise ParameterError(
        "studio: a shape is dropped, flattened between two numbers, or of two levels or more."
    )


def _is_value(value: Any) -> bool:
    return isinstance(value, (int, float)) or (isinstance(value, str) and len(value) <= _LONGEST)
