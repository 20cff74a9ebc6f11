#!/usr/bin/env python3
"""Writes src/acumen/cli/words.json: what shell completion knows of learners without importing one.

PYTHONPATH=src python tools/words.py           write it
PYTHONPATH=src python tools/words.py --check   say whether it is current (exit code 1 if not)

For each learner its task, what it does, and its parameters with the words each may be; and the measures.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from acumen.assessment.scores import MEASURES
from acumen.models.parameters import Spec
from acumen.registry import entries
from current import kept

WORDS = Path(__file__).resolve().parents[1] / "src" / "acumen" / "cli" / "words.json"


def _choices(spec: Spec) -> list[str]:
    """The words a parameter may be; true and false, and none, where these are allowed."""
    kinds = {option.type for option in spec.options}
    made = list(spec.choices)
    made += ["true", "false"] if bool in kinds else []
    made += ["none"] if None in kinds and Any not in kinds else []
    return made


def words() -> str:
    """The text of the table."""
    learners = {
        entry.kind: {
            "task": entry.task.name,
            "summary": entry.summary,
            "parameters": {spec.name: _choices(spec) for spec in entry.parameters},
        }
        for entry in entries()
    }
    told = ",\n".join(f"  {json.dumps(kind)}: {json.dumps(about)}" for kind, about in learners.items())
    return f'{{"measures": {json.dumps(sorted(MEASURES))},\n "learners": {{\n{told}\n}}}}\n'


if __name__ == "__main__":
    sys.exit(kept(WORDS, words(), "words.py", sys.argv[1:]))
