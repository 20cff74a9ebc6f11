"""Networks of other programs: the Bayesian Interchange Format, as bnlearn's repository and most tools write it.

    read_bif    text or a file -> Network; errors name the line
    write_bif   Network -> text

Files are not trusted and nothing in them is executed: sizes are limited before memory is allocated, and every number,
name and level is checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import isfinite, prod
from os import PathLike
from pathlib import Path

import numpy as np

from acumen.errors import DataError
from acumen.networks import graph
from acumen.networks.network import Network
from acumen.networks.nodes import MOST_LEVELS, Node
from acumen.networks.structure_learning import MOST_CELLS
from acumen.types import Floats

MOST_BYTES = 64 * 1024 * 1024
MOST_NODES = 10_000
_MOST_NAME = 1_000
#: How far the probabilities of a line may be from a sum of 1: files are often rounded to three digits.
_ROUNDED = 0.01

# An unclosed comment is not a word: with many of them, each would be searched for to the end of the file.
_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)|(?P<quoted>"[^"\n]*")|(?P<mark>[{}()\[\];,|=])
    |(?P<word>(?!/\*)[^\s{}()\[\];,|="]+)""",
    re.DOTALL | re.VERBOSE,
)


@dataclass(slots=True)
class _Tokens:
    """The tokens of a file in order, each with its line number."""

    text: str
    source: str
    at: int = 0
    line: int = 1

    def _next(self) -> tuple[str, int] | None:
        while self.at < len(self.text):
            match = _TOKEN.match(self.text, self.at)
            if match is None:
                raise self.wrong(f"{self.text[self.at : self.at + 20]!r} cannot be read")
            self.at = match.end()
            line, text = self.line, match.group()
            self.line += text.count("\n")
            if match.lastgroup != "space":
                if len(text) > _MOST_NAME:
                    raise self.wrong(f"a word is longer than {_MOST_NAME} characters")
                return text, line
        return None

    def take(self, wanted: str | None = None) -> str:
        """Return the next token; raise DataError if it is not `wanted`."""
        token = self._next()
        if token is None:
            raise self.wrong(f"the file ends where {wanted or 'more'!r} is expected")
        if wanted is not None and token[0] != wanted:
            raise self.wrong(f"expected {wanted!r}, got {token[0]!r}")
        return token[0]

    def name(self) -> str:
        """A name or a level, without its quotation marks."""
        word = self.take()
        if word[0] == '"':
            return word[1:-1]
        if len(word) == 1 and word in "{}()[];,|=":
            raise self.wrong(f"expected a name, got {word!r}")
        return word

    def peek(self) -> str | None:
        position = self.at, self.line
        token = self._next()
        self.at, self.line = position
        return None if token is None else token[0]

    def number(self) -> float:
        word = self.take()
        try:
            value = float(word)
        except ValueError:
            raise self.wrong(f"expected a number, got {word!r}") from None
        if not isfinite(value) or value < 0:
            raise self.wrong(f"{word} is not a probability")
        return value

    def skip(self) -> None:
        """Skip to the next semicolon."""
        while self.take() != ";":
            pass

    def wrong(self, what: str) -> DataError:
        return DataError(f"{self.source}, line {self.line}: {what}; this BIF file cannot be read.")


def read_bif(source: str | PathLike[str]) -> Network:
    """Read a network from a file, or from a text that begins with `network`."""
    if (
        isinstance(source, str)
        and source.lstrip("\ufeff \t\r\n").startswith(("network", "//", "/*"))
        and "{" in source
    ):
        text, name = source, "BIF"
    else:
        path = Path(source)
        name = path.name
        try:
            if path.stat().st_size > MOST_BYTES:
                raise DataError(f"{name}: a BIF file has at most {MOST_BYTES:,} bytes here.")
            text = path.read_bytes().decode("utf-8", errors="replace")
        except (OSError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{name}: it cannot be read ({error}).") from None
    if len(text) > MOST_BYTES:
        raise DataError(f"{name}: a BIF file has at most {MOST_BYTES:,} bytes here.")
    return _parse_network(_Tokens(text.removeprefix("\ufeff"), name))  # a byte order mark is not a token


def _parse_network(tokens: _Tokens) -> Network:
    nodes: dict[str, Node] = {}
    families: dict[str, tuple[tuple[int, ...], Floats]] = {}
    while (word := tokens.peek()) is not None:
        tokens.take()
        if word == "network":
            while tokens.peek() != "{":
                tokens.take()
            _block(tokens)
        elif word == "variable":
            node = _variable(tokens)
            if node.name in nodes:
                raise tokens.wrong(f"the variable {node.name!r} is defined twice")
            nodes[node.name] = node
            if len(nodes) > MOST_NODES:
                raise tokens.wrong(f"it has more than {MOST_NODES:,} variables")
        elif word == "probability":
            child, above, table = _probability(tokens, nodes, families)
            if child in families:
                raise tokens.wrong(f"the probabilities of {child!r} are defined twice")
            families[child] = (above, table)
        elif word != ";":
            raise tokens.wrong(f"expected 'network', 'variable' or 'probability', got {word!r}")
    if not nodes:
        raise tokens.wrong("it has no variable")
    for name in nodes:
        if name not in families:
            raise tokens.wrong(f"the probabilities of {name!r} are missing")
    parents = tuple(families[name][0] for name in nodes)
    if graph.topological_order(parents) is None:
        raise tokens.wrong("its edges form a cycle")
    tables = tuple(families[name][1] for name in nodes)
    return Network(tuple(nodes.values()), parents, tables, tuple(np.zeros(t.shape[:-1]) for t in tables))


def _block(tokens: _Tokens) -> None:
    """Skip a block of properties, which are ignored."""
    tokens.take("{")
    while tokens.peek() != "}":
        tokens.skip()
    tokens.take("}")


def _variable(tokens: _Tokens) -> Node:
    name = tokens.name()
    tokens.take("{")
    levels: list[str] = []
    while (word := tokens.take()) != "}":
        if word != "type":
            if word != ";":
                tokens.skip()
            continue
        tokens.take("discrete")
        tokens.take("[")
        count = tokens.take()
        if not count.isdecimal() or not 1 <= int(count[:9]) <= MOST_LEVELS:
            raise tokens.wrong(f"{name!r} has {count} levels; 1 to {MOST_LEVELS:,} are allowed")
        tokens.take("]")
        tokens.take("{")
        while tokens.peek() != "}":
            levels.append(tokens.name())
            if len(levels) > MOST_LEVELS:
                raise tokens.wrong(f"{name!r} has more than {MOST_LEVELS:,} levels")
            if tokens.peek() == ",":
                tokens.take()
        tokens.take("}")
        tokens.take(";")
        if len(levels) != int(count):
            raise tokens.wrong(f"{name!r} declares {count} levels and names {len(levels)}")
    if not levels:
        raise tokens.wrong(f"{name!r} has no levels")
    if len(set(levels)) < len(levels) or not all(levels) or not name:
        raise tokens.wrong(f"a level of {name!r} is empty or named twice")
    return Node(name, tuple(levels))


def _probability(
    tokens: _Tokens, nodes: dict[str, Node], families: dict[str, tuple[tuple[int, ...], Floats]]
) -> tuple[str, tuple[int, ...], Floats]:
    places = {name: place for place, name in enumerate(nodes)}
    tokens.take("(")
    named: list[str] = []
    while (word := tokens.peek()) != ")":
        if word in (",", "|"):
            tokens.take()
            continue
        name = tokens.name()
        if name not in nodes:
            raise tokens.wrong(f"there is no variable {name!r}")
        if name in named:
            raise tokens.wrong(f"{name!r} is named twice")
        named.append(name)
    tokens.take(")")
    if not named:
        raise tokens.wrong("a probability block names no variable")
    child, above = named[0], named[1:]
    shape = tuple(len(nodes[name]) for name in (*above, child))
    held = sum(table.size for _, table in families.values())
    if held + prod(shape) > MOST_CELLS:
        raise tokens.wrong(f"its tables have more than {MOST_CELLS:,} cells")
    table = np.full(shape, np.nan)
    rest: list[float] | None = None
    tokens.take("{")
    while (word := tokens.take()) != "}":
        if word == "table":
            # The child varies slowest, the last parent fastest.
            values = _numbers(tokens, prod(shape))
            table = np.moveaxis(np.array(values).reshape(shape[-1], *shape[:-1]), 0, -1).copy()
        elif word == "default":
            rest = _numbers(tokens, shape[-1])
        elif word == "(":
            at = []
            for i, name in enumerate(above):
                if i:
                    tokens.take(",")
                level = tokens.name()
                if level not in nodes[name].levels:
                    raise tokens.wrong(f"{name!r} has no level {level!r}")
                at.append(nodes[name].levels.index(level))
            tokens.take(")")
            table[tuple(at)] = _numbers(tokens, shape[-1])
        elif word != ";":
            tokens.skip()
    if rest is not None:
        table[np.isnan(table).any(axis=-1)] = rest
    if np.isnan(table).any():
        raise tokens.wrong(f"probabilities of {child!r} are missing")
    total = table.sum(axis=-1, keepdims=True)
    away = np.abs(total - 1.0).ravel()
    if (away > _ROUNDED).any():
        found_sum = float(total.ravel()[away.argmax()])
        raise tokens.wrong(f"probabilities of {child!r} sum to {found_sum:g} and not to 1")
    return child, tuple(places[name] for name in above), table / total


def _numbers(tokens: _Tokens, count: int) -> list[float]:
    numbers: list[float] = []
    while tokens.peek() != ";":
        if tokens.peek() == ",":
            tokens.take()
            continue
        numbers.append(tokens.number())
        if len(numbers) > count:
            break
    tokens.take(";") if len(numbers) <= count else None
    if len(numbers) != count:
        raise tokens.wrong(f"{count:,} probabilities are expected, but there are {len(numbers):,} or more")
    return numbers


def write_bif(network: Network) -> str:
    """Write the network as BIF, every probability with all its digits."""
    return "\n".join(_lines(network)) + "\n"


def _lines(network: Network) -> Iterator[str]:
    yield "network unknown {"
    yield "}"
    for node in network.nodes:
        levels = ", ".join(_word(str(level)) for level in node.levels)
        yield f"variable {_word(node.name)} {{"
        yield f"  type discrete [ {len(node)} ] {{ {levels} }};"
        yield "}"
    for v, node in enumerate(network.nodes):
        above = [network.nodes[p] for p in network.parents[v]]
        condition = f" | {', '.join(_word(n.name) for n in above)}" if above else ""
        yield f"probability ( {_word(node.name)}{condition} ) {{"
        flat = network.tables[v].reshape(-1, len(node))
        for line, levels_above in zip(flat.tolist(), product(*(n.levels for n in above)), strict=True):
            numbers = ", ".join(repr(p) for p in line)
            at = f"({', '.join(_word(str(level)) for level in levels_above)})" if above else "table"
            yield f"  {at} {numbers};"
        yield "}"


def _word(name: str) -> str:
    """A name as BIF writes it: quoted unless it is a plain word."""
    if not name or any(c in '"\n\r\0' or "\ud800" <= c <= "\udfff" for c in name):
        raise DataError(
            f"BIF cannot hold the name {name!r}: it contains a quotation mark, a line break, NUL or half a character "
            "(a surrogate), or is empty."
        )
    return name if re.fullmatch(r"[^\s{}()\[\];,|=\"/]+", name) else f'"{name}"'
