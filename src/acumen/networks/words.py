"""Networks in words: tables of probabilities, and aligned lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from acumen.data.escape import printable

if TYPE_CHECKING:
    from acumen.networks.network import Network

#: Lines of one table that are shown unless all are asked for.
_LINES = 12


def aligned(heads: Sequence[str], lines: Sequence[Sequence[str]], words: int) -> list[str]:
    """Columns of one width each; the first `words` of them to the left, the others to the right."""
    every = [[printable(cell) for cell in line] for line in (heads, *lines)]
    widths = [max(len(line[j]) for line in every) for j in range(len(heads))]
    return [
        "  ".join(
            cell.ljust(width) if j < words else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in every
    ]


def table_lines(network: Network, v: int, full: bool) -> list[str]:
    """The table of one node: a line for each combination of its parents' levels."""
    node, above = network.nodes[v], [network.nodes[p] for p in network.parents[v]]
    heading = f"P({node.name}{' | ' + ', '.join(n.name for n in above) if above else ''})"
    heads = [*(n.name for n in above), *map(str, node.levels)]
    flat = network.tables[v].reshape(-1, len(node))
    lines = []
    for place, levels in enumerate(product(*(n.levels for n in above))):
        if not full and place == _LINES:
            break
        lines.append([*map(str, levels), *(f"{p:.4f}" for p in flat[place])])
    made = [printable(heading), *("  " + line for line in aligned(heads, lines, len(above)))]
    if len(flat) > len(lines):
        made.append(f"  ... {len(flat) - len(lines):,} more lines")
    return made


def factorisation(network: Network) -> str:
    """`P(A) P(S) P(T | A) ...`."""
    names = network.names
    parts = []
    for v, above in enumerate(network.parents):
        given = ", ".join(names[p] for p in above)
        parts.append(f"P({names[v]}{' | ' + given if given else ''})")
    return " ".join(parts)
