"""What a long benchmark has found so far, so that a run that was ended goes on where it was."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any


class Kept:
    """Values by name in a file that is whole at any time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}

    def enter(self, key: str, value: Any) -> None:
        """Keep a value."""
        self.found[key] = value
        with tempfile.NamedTemporaryFile("w", dir=self.path.parent, delete=False) as file:
            json.dump(self.found, file, indent=0)
        Path(file.name).replace(self.path)

    def get(self, key: str, work: Callable[[], Any]) -> Any:
        """What is kept, or what the work gives, which is then kept."""
        if key not in self.found:
            self.enter(key, work())
        return self.found[key]
