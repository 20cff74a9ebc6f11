#!/usr/bin/env python3
"""Writes what a wheel of acumen consists of and needs, as a CycloneDX file (PEP 770: `.dist-info/sboms/`).

    python tools/sbom.py OUT [NAME=VERSION ...]    OUT is the file; NAME=VERSION is what was compiled in, nanobind say

The build calls it (CMakeLists.txt), and `tools/dist.py` looks into every wheel for it. It needs nothing but Python.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def component(name: str, version: str | None, *, scope: str) -> dict[str, Any]:
    """A library as CycloneDX has it; of one that users install themselves no version is known."""
    address = f"pkg:pypi/{name}" + (f"@{version}" if version else "")
    entry = {"type": "library", "bom-ref": address, "name": name, "purl": address, "scope": scope}
    return entry | ({"version": version} if version else {})


def sbom(project: dict[str, Any], compiled_in: dict[str, str], scripts: dict[str, str]) -> dict[str, Any]:
    """The whole file: the package, what is compiled into it, the studio's scripts, and what it requires."""
    own = component(project["name"], project["version"], scope="required")
    own["licenses"] = [{"license": {"id": project["license"]}}]
    parts = [component(name, version, scope="required") for name, version in sorted(compiled_in.items())]
    for name, version in sorted(scripts.items()):
        address = f"pkg:npm/{name.replace('@', '%40')}@{version}"
        parts.append(
            {"type": "library", "bom-ref": address, "name": name, "purl": address, "scope": "required",
             "version": version}
        )  # fmt: skip
    for need in project["dependencies"]:
        found = re.match(r"([A-Za-z0-9._-]+)(.*)", need)
        assert found is not None
        entry = component(found[1].lower(), None, scope="required")
        entry["properties"] = [{"name": "acumen:required", "value": found[2].strip() or "any"}]
        parts.append(entry)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": own},
        "components": parts,
        "dependencies": [{"ref": own["bom-ref"], "dependsOn": [each["bom-ref"] for each in parts]}],
    }


def bundled_scripts() -> dict[str, str]:
    """What the studio's page has of other projects: its package file is in the source distribution too."""
    package = json.loads((ROOT / "studio-ui" / "package.json").read_text(encoding="utf-8"))
    return {name: version for name, version in package["devDependencies"].items() if "preact" in name}


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    compiled_in = dict(each.split("=", 1) for each in sys.argv[2:])
    out = Path(sys.argv[1])
    out.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(sbom(project, compiled_in, bundled_scripts()), indent=1)
    out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
