"""The gallery: pictures that the programs of examples/ draw, each leading to its code. Made, not committed.

python tools/gallery.py                  runs every program that draws, and writes docs/gallery/
python tools/gallery.py trees svm ...    runs some of them alone
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
FOLDER = ROOT / "docs" / "gallery"
#: A picture with more bytes is too large for a page of many.
MOST_BYTES = 150_000
#: As much of what a program prints as a page shows.
MOST_LINES = 30


@dataclass(frozen=True)
class Drawn:
    """What a program printed, and its pictures by their names."""

    example: str
    printed: str
    pictures: dict[str, str]


def programs() -> list[Path]:
    """The programs that draw."""
    return [path for path in sorted(EXAMPLES.glob("*.py")) if "svg" in path.read_text(encoding="utf-8")]


def run(path: Path, folder: Path) -> Drawn:
    """A program run in an empty folder."""
    source = os.pathsep.join(
        str(Path(p).resolve()) for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p
    )
    done = subprocess.run(
        [sys.executable, str(path)], cwd=folder, capture_output=True, encoding="utf-8", check=False,
        env={**os.environ, "PYTHONPATH": source},
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"gallery: {path.name} ended in {done.returncode}.\n{done.stderr}")
    found = {file.stem: file.read_text(encoding="utf-8") for file in sorted(folder.rglob("*.svg"))}
    return Drawn(path.stem, done.stdout, {name: svg for name, svg in found.items() if len(svg) <= MOST_BYTES})


def caption(name: str, svg: str) -> str:
    """What a picture says it is, or its file's name."""
    title = re.search(r"<title>(.*?)</title>", svg, re.DOTALL)
    said = title[1] if title else name.replace("-", " ")
    return re.sub(r"\s+", " ", said).strip().replace("[", "(").replace("]", ")")


def about(path: Path) -> str:
    """The first sentence of a program's docstring."""
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or path.stem
    return re.sub(r"\s+", " ", said.split("\n\n")[0]).strip()


def page(drawn: Drawn) -> str:
    """The page of a program: its pictures, its code, what it prints."""
    path = EXAMPLES / f"{drawn.example}.py"
    shown = drawn.printed.rstrip().splitlines()
    if len(shown) > MOST_LINES:
        shown = [*shown[:MOST_LINES], "..."]
    pictures = [
        f"![{caption(name, svg)}](img/{drawn.example}-{name}.svg)" for name, svg in drawn.pictures.items()
    ]
    code = path.read_text(encoding="utf-8").rstrip()
    parts = [
        f"# {drawn.example.replace('_', ' ').capitalize()}",
        about(path),
        *pictures,
        "## Code",
        f"`examples/{path.name}`:",
        f"```python\n{code}\n```",
        "## Output",
        "```text\n" + "\n".join(line.rstrip() for line in shown) + "\n```",
        "[All pictures](index.md)",
    ]
    return "\n\n".join(parts) + "\n"


def index(all_drawn: list[Drawn]) -> str:
    """The gallery: small pictures, each leading to the page of its code."""
    count = sum(len(drawn.pictures) for drawn in all_drawn)
    parts = [
        "# Gallery",
        f"{count} pictures drawn by the programs in `examples/`. Click a picture for its code.\n"
        "[Learn by example](../examples/index.md) has one more picture on each page.",
    ]
    for drawn in all_drawn:
        thumbs = [
            f"[![{caption(name, svg)}](img/{drawn.example}-{name}.svg)]({drawn.example}.md)"
            for name, svg in drawn.pictures.items()
        ]
        parts += [
            f"## {drawn.example.replace('_', ' ').capitalize()}",
            about(EXAMPLES / f"{drawn.example}.py"),
            '<div class="gallery" markdown="1">\n\n' + "\n".join(thumbs) + "\n\n</div>",
        ]
    return "\n\n".join(parts) + "\n"


def write(folder: Path, all_drawn: list[Drawn]) -> list[Path]:
    """Every page and picture into a folder; what was written."""
    made = {"index.md": index(all_drawn)}
    for drawn in all_drawn:
        made[f"{drawn.example}.md"] = page(drawn)
        made |= {f"img/{drawn.example}-{name}.svg": svg for name, svg in drawn.pictures.items()}
    for name, text in made.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in made]


def main(wanted: list[str]) -> None:
    drawn = []
    for path in programs():
        if not wanted or path.stem in wanted:
            with tempfile.TemporaryDirectory() as folder:
                drawn.append(run(path, Path(folder)))
    written = write(FOLDER, [each for each in drawn if each.pictures])
    print(f"{len(written)} files written to {FOLDER}")


if __name__ == "__main__":
    main(sys.argv[1:])
