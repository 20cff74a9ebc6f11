"""Networks as text: probability tables, the factorisation, and aligned columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from acumen.data.escape import printable

if TYPE_CHECKING:
    from acumen.networks.network import Network

#: Lines of one table shown unless `full`.
_LINES = 12


def align_columns(heads: Sequence[str], lines: Sequence[Sequence[str]], words: int) -> list[str]:
    """Pad columns to equal widths; the first `words` columns are left-aligned, the others right-aligned."""
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
    shown = [printable(heading), *("  " + line for line in align_columns(heads, lines, len(above)))]
    if len(flat) > len(lines):
        shown.append(f"  ... {len(flat) - len(lines):,} more lines")
    return shown


def factorisation(network: Network) -> str:
    """`P(A) P(S) P(T | A) ...`."""
    names = network.names
    parts = []
    for v, above in enumerate(network.parents):
        condition = ", ".join(names[p] for p in above)
        parts.append(f"P({names[v]}{' | ' + condition if condition else ''})")
    return " ".join(parts)
