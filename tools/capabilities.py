"""The table of docs/learners.md: what each learner can do, found by having it do so, and what it costs.

python tools/capabilities.py            writes it between its marks
python tools/capabilities.py --check    says whether it is as it should be; a test does the same
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from acumen.registry import entries
from handbook.tried import ABILITIES, tried
from handbook.written import written

PAGE = Path(__file__).resolve().parents[1] / "docs" / "learners.md"
BEGIN, END = "<!-- capabilities: made by tools/capabilities.py -->", "<!-- end of capabilities -->"
HEADS = tuple(ABILITIES)


def table() -> str:
    """All learners, those of one task together."""
    lines = [f"| learner | learns | {' | '.join(HEADS)} | cost |", "|---" * (len(HEADS) + 3) + "|"]
    order = {"classification": 0, "regression": 1, "clustering": 2}
    for entry in sorted(entries(), key=lambda each: (order.get(each.task.name, 3), each.name.lower())):
        said = written()[entry.kind]
        found = tried(entry, said.variants)
        cells = " | ".join(found[head].mark for head in HEADS)
        cost = said.cost.replace("|", "\\|")
        lines.append(f"| [`{entry.name}`](guide/{entry.kind}.md) | {entry.task.name} | {cells} | {cost} |")
    return "\n".join(lines)


def page(text: str) -> str:
    """The page with its table made anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f'{before}{BEGIN}\n\n<div class="capabilities" markdown>\n\n{table()}\n\n</div>\n\n{END}{after}'


def main(asked: list[str]) -> int:
    text = PAGE.read_text(encoding="utf-8")
    made = page(text)
    if "--check" in asked:
        if made != text:
            print(
                f"the table of {PAGE} is not what the learners do: run tools/capabilities.py.",
                file=sys.stderr,
            )
        return int(made != text)
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
