"""What tools make and the repository keeps: written, or with --check only looked at."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def kept(path: Path, made: str, tool: str, arguments: list[str]) -> int:
    """Write a made file; with --check say whether it is current. An exit code: 1 where it is not."""
    if arguments != ["--check"]:
        path.write_text(made, encoding="utf-8")
        return 0
    if path.is_file() and path.read_text(encoding="utf-8") == made:
        return 0
    print(f"{path.relative_to(ROOT)} is out of date: run tools/{tool} and commit it.", file=sys.stderr)
    return 1
