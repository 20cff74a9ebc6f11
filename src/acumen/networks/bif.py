"""Networks of other programs: the Bayesian Interchange Format, as bnlearn's repository and most tools write it.

    read_bif    text or a file -> Network; whatever is wrong with it is said in a sentence with its line
    write_bif   Network -> text

Nothing in a file is run, nothing is believed: sizes are limited before anything is made of them, and every number,
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
from acumen.networks.learn import MOST_CELLS
from acumen.networks.network import Network
from acumen.networks.nodes import MOST_LEVELS, Node
from acumen.types import Floats

MOST_BYTES = 64 * 1024 * 1024
MOST_NODES = 10_000
_MOST_NAME = 1_000
#: How far the probabilities of a line may be from a sum of 1: files are often rounded to three digits.
_ROUNDED = 0.01

# A comment that is never closed is no word: of many, each would be looked for to the end of the file.
_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)|(?P<quoted>"[^"\n]*")|(?P<mark>[{}()\[\];,|=])
    |(?P<word>(?!/\*)[^\s{}()\[\];,|="]+)""",
    re.DOTALL | re.VERBOSE,
)


@dataclass(slots=True)
class _Tokens:
    """The words of a file one after the other, and the line each is on."""

    text: str
    source: str
    at: int = 0
    line: int = 1

    def _next(self) -> tuple[str, int] | None:
        while self.at < len(self.text):
            found = _TOKEN.match(self.text, self.at)
            if found is None:
                raise self.wrong(f"{self.text[self.at : self.at + 20]!r} cannot be read")
            self.at = found.end()
            line, said = self.line, found.group()
            self.line += said.count("\n")
            if found.lastgroup != "space":
                if len(said) > _MOST_NAME:
                    raise self.wrong(f"a word is longer than {_MOST_NAME} characters")
                return said, line
        return None

    def take(self, wanted: str | None = None) -> str:
        """The next word, which must be that one."""
        found = self._next()
        if found is None:
            raise self.wrong(f"it ends where {wanted or 'more'!r} is expected")
        if wanted is not None and found[0] != wanted:
            raise self.wrong(f"{wanted!r} is expected, and there is {found[0]!r}")
        return found[0]

    def name(self) -> str:
        """A name or a level, without its quotation marks."""
        said = self.take()
        if said[0] == '"':
            return said[1:-1]
        if len(said) == 1 and said in "{}()[];,|=":
            raise self.wrong(f"a name is expected, and there is {said!r}")
        return said

    def peek(self) -> str | None:
        kept = self.at, self.line
        found = self._next()
        self.at, self.line = kept
        return None if found is None else found[0]

    def number(self) -> float:
        said = self.take()
        try:
            value = float(said)
        except ValueError:
            raise self.wrong(f"a number is expected, and there is {said!r}") from None
        if not isfinite(value) or value < 0:
            raise self.wrong(f"{said} is no probability")
        return value

    def skip(self) -> None:
        """What stands until the next semicolon."""
        while self.take() != ";":
            pass

    def wrong(self, what: str) -> DataError:
        return DataError(f"{self.source}, line {self.line}: {what}; this is no BIF file that can be read.")


def read_bif(source: str | PathLike[str]) -> Network:
    """The network of a file, or of a text that begins with `network`."""
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
    return _read(_Tokens(text.removeprefix("\ufeff"), name))  # a byte order mark is no word


def _read(tokens: _Tokens) -> Network:
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
                raise tokens.wrong(f"the variable {node.name!r} is there twice")
            nodes[node.name] = node
            if len(nodes) > MOST_NODES:
                raise tokens.wrong(f"it has more than {MOST_NODES:,} variables")
        elif word == "probability":
            child, above, table = _probability(tokens, nodes, families)
            if child in families:
                raise tokens.wrong(f"the probabilities of {child!r} are there twice")
            families[child] = (above, table)
        elif word != ";":
            raise tokens.wrong(f"'network', 'variable' or 'probability' is expected, and there is {word!r}")
    if not nodes:
        raise tokens.wrong("it has no variable")
    for name in nodes:
        if name not in families:
            raise tokens.wrong(f"the probabilities of {name!r} are missing")
    parents = tuple(families[name][0] for name in nodes)
    if graph.ordered(parents) is None:
        raise tokens.wrong("its edges make a circle")
    tables = tuple(families[name][1] for name in nodes)
    return Network(tuple(nodes.values()), parents, tables, tuple(np.zeros(t.shape[:-1]) for t in tables))


def _block(tokens: _Tokens) -> None:
    """A block of properties, which play no part."""
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
        said = tokens.take()
        if not said.isdecimal() or not 1 <= int(said[:9]) <= MOST_LEVELS:
            raise tokens.wrong(f"{name!r} has {said} levels; from 1 to {MOST_LEVELS:,} are taken")
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
        if len(levels) != int(said):
            raise tokens.wrong(f"{name!r} is said to have {said} levels and names {len(levels)}")
    if not levels:
        raise tokens.wrong(f"{name!r} has no levels")
    if len(set(levels)) < len(levels) or not all(levels) or not name:
        raise tokens.wrong(f"a level of {name!r} is empty or there twice")
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
            raise tokens.wrong(f"{name!r} is there twice")
        named.append(name)
    tokens.take(")")
    if not named:
        raise tokens.wrong("probabilities of no variable")
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
            found = _numbers(tokens, prod(shape))
            table = np.moveaxis(np.array(found).reshape(shape[-1], *shape[:-1]), 0, -1).copy()
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
    found: list[float] = []
    while tokens.peek() != ";":
        if tokens.peek() == ",":
            tokens.take()
            continue
        found.append(tokens.number())
        if len(found) > count:
            break
    tokens.take(";") if len(found) <= count else None
    if len(found) != count:
        raise tokens.wrong(f"{count:,} probabilities are expected, and there are {len(found):,} or more")
    return found


def write_bif(network: Network) -> str:
    """The network as BIF; every probability with all its digits."""
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
        given = f" | {', '.join(_word(n.name) for n in above)}" if above else ""
        yield f"probability ( {_word(node.name)}{given} ) {{"
        flat = network.tables[v].reshape(-1, len(node))
        for line, levels_above in zip(flat.tolist(), product(*(n.levels for n in above)), strict=True):
            numbers = ", ".join(repr(p) for p in line)
            at = f"({', '.join(_word(str(level)) for level in levels_above)})" if above else "table"
            yield f"  {at} {numbers};"
        yield "}"


def _word(name: str) -> str:
    """A name as the file can hold it: quoted where it is not a plain word."""
    if not name or any(c in '"\n\r\0' or "\ud800" <= c <= "\udfff" for c in name):
        raise DataError(
            f"BIF cannot hold the name {name!r}: it has a quotation mark, a line's end, NUL or half a character (a "
            "surrogate), or is empty."
        )
    return name if re.fullmatch(r"[^\s{}()\[\];,|=\"/]+", name) else f'"{name}"'
