#!/usr/bin/env python3
"""Builds what is handed out, and tries it: the source distribution, a wheel made of it without a network, each Python.

    python tools/dist.py                  dist/ with both, looked through; the wheel tried with this Python
    python tools/dist.py --oldest         and with the oldest libraries that pyproject.toml allows (on Python 3.11)
    python tools/dist.py --pythons        and on every Python from 3.12 on that is installed, where the wheel is abi3
    python tools/dist.py --build-with PY  built by that Python instead

Needs scikit-build-core, nanobind, cmake and ninja where it is run (the group dev). Environments are made under
build/dist; libraries for them come from wherever pip gets them.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT, WORK = ROOT / "dist", ROOT / "build" / "dist"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

#: What has no place in a wheel.
JUNK = re.compile(
    r"(^|/)(tests?|benchmarks|docs|examples|native|tools|__pycache__|CMakeLists\.txt)(/|$)|\.(pyc|cpp|hpp|o|a)$"
)


def made_by(python: str, hook: str, source: Path, settings: dict[str, str] | None = None) -> Path:
    """What the build backend makes of a folder, by the build tools that are installed, and with no network to ask."""
    OUT.mkdir(exist_ok=True)
    code = f"from scikit_build_core.build import {hook}; print({hook}({str(OUT)!r}, {settings!r}))"
    command = [python, "-c", code]
    if (
        shutil.which("unshare")
        and not subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode
    ):
        command = ["unshare", "-rn", *command]  # a process without a network
    ran = subprocess.run(command, cwd=source, stdout=subprocess.PIPE, text=True, check=True)
    return OUT / ran.stdout.strip().splitlines()[-1]


def unpacked(sdist: Path, folder: Path) -> Path:
    """The one folder in a source distribution."""
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(sdist) as archive:
        # What we have just packed ourselves; Python before 3.11.4 knows no filters, later ones ask for one.
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # type: ignore[arg-type]
    (inner,) = folder.iterdir()
    return inner


def looked_through(wheel: Path) -> list[str]:
    """The names in a wheel: no junk, and one extension of the kind its name promises."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    junk = [name for name in names if JUNK.search(name)]
    if junk:
        sys.exit(f"{wheel.name} holds what has no place in it: {', '.join(junk[:5])}")
    extensions = [name for name in names if name.endswith((".so", ".pyd"))]
    if len(extensions) != 1:
        sys.exit(f"{wheel.name} must hold one extension; it holds {extensions}")
    if ("-abi3-" in wheel.name) != extensions[0].endswith(".abi3.so"):
        # nanobind builds for one Python without a word where the stable ABI's component was not asked for.
        sys.exit(f"{wheel.name} is not what its name says: it holds {extensions[0]}")
    for needed in ("acumen/py.typed", "acumen/__init__.pyi", "acumen/_native.pyi", "acumen/cli/words.json"):
        if needed not in names:
            sys.exit(f"{wheel.name} lacks {needed}")
    look_at_sbom(wheel)
    return names


def look_at_sbom(wheel: Path) -> None:
    """The list of what is in the wheel (PEP 770): it names what is compiled in and everything that is required."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.endswith(".dist-info/sboms/acumen.cdx.json")]
        if len(names) != 1:
            sys.exit(f"{wheel.name} has no list of what it consists of (.dist-info/sboms)")
        listed = {each["name"] for each in json.loads(archive.read(names[0]))["components"]}
    needs = {re.split(r"[<>=~! ]", need)[0].lower() for need in PROJECT["dependencies"]} | {"nanobind"}
    if needs - listed:
        sys.exit(f"{wheel.name}: its list of contents lacks {', '.join(sorted(needs - listed))}")


def environment(name: str, python: str) -> Path:
    """A fresh virtual environment's Python."""
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([python, "-m", "venv", folder], check=True)
    return folder / "bin" / "python"


def tried(name: str, python: str, wheel: Path, *pins: str) -> None:
    """The wheel in an environment of its own, with the libraries pinned."""
    inside = environment(name, python)
    subprocess.run([inside, "-m", "pip", "install", "-q", "--only-binary=:all:", wheel, *pins], check=True)
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run([inside, ROOT / "tools" / "smoke.py"], check=True, cwd=WORK, env=clean)


def oldest() -> list[str]:
    """Every library at the least version that is allowed."""
    return [re.sub(r"\s*>=\s*", "==", each) for each in PROJECT["dependencies"]]


def pythons() -> dict[str, str]:
    """Every Python from 3.12 on that is on the path, or where pyenv keeps them, by its version."""
    found: dict[str, str] = {}
    places = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep)]
    places += sorted(Path.home().glob(".pyenv/versions/*/bin"))
    for place in places:
        for program in sorted(place.glob("python3.[0-9]*")):
            version = re.fullmatch(r"python3\.(\d+)", program.name)
            if not version or int(version[1]) < 12 or f"3.{version[1]}" in found:
                continue
            # pyenv puts programs on the path that only say which versions there are.
            if not subprocess.run(
                [program, "-c", "import venv"], capture_output=True, check=False
            ).returncode:
                found[f"3.{version[1]}"] = str(program)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--oldest", action="store_true")
    parser.add_argument("--pythons", action="store_true")
    parser.add_argument("--build-with", default=sys.executable, metavar="PYTHON")
    given = parser.parse_args()
    sdist = made_by(given.build_with, "build_sdist", ROOT)
    tree = unpacked(sdist, WORK / "sdist")
    # The folder lies as deep as that of tools/build, and warnings are errors as there: so ccache knows the kernels.
    wheel = made_by(
        given.build_with,
        "build_wheel",
        tree,
        {"build-dir": "build/wheel", "cmake.define.ACUMEN_WERROR": "ON"},
    )
    names = looked_through(wheel)
    print(f"{sdist.name}: {sdist.stat().st_size / 2**20:.2f} MiB")
    print(f"{wheel.name}: {wheel.stat().st_size / 2**20:.2f} MiB, {len(names)} files")
    tried("newest", given.build_with, wheel)
    if given.oldest:
        tried("oldest", given.build_with, wheel, *oldest())
    if given.pythons and "-abi3-" in wheel.name:
        for version, python in pythons().items():
            tried(f"python{version}", python, wheel)


if __name__ == "__main__":
    main()
