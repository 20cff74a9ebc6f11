"""Write the chapter "Learn by example": docs/examples/*.md, its pictures and tables. Made, not committed.

python tools/pages.py              every page and index
python tools/pages.py W000-05 ...  some pages alone
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from chapter import data, indexes, running, template


def write(folder: Path, wanted: list[str]) -> list[Path]:
    """Write pages (all of them where none is named, and the indexes) into a folder; what was written."""
    written = []

    def put(name: str, text: str) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(path)

    for id in wanted or data.pages():
        run = running.run(data.pages()[id])
        put(f"{id}.md", template.page_of(run))
        put(f"img/{id}.svg", run.picture)
        if run.page.table:
            put(f"csv/{id}.csv", running.as_csv(run.page.table))
        elif run.page.data:
            columns, rows = template.built_in(run.page.data)
            put(f"csv/{run.page.data}.csv", running.as_csv({"columns": columns, "rows": rows}))
    if not wanted:
        for name, text in indexes.indexes().items():
            put(name, text)
    return written


if __name__ == "__main__":
    made = write(data.FOLDER, sys.argv[1:])
    print(f"{len(set(made))} files written to {data.FOLDER}")
