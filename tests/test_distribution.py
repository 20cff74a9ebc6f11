"""What is handed out: the source distribution builds what the checkout does; wheels hold the package alone."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

import acumen

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _tool(name: str) -> ModuleType:
    described = importlib.util.spec_from_file_location(f"{name}_tool", ROOT / "tools" / f"{name}.py")
    assert described is not None and described.loader is not None
    made = importlib.util.module_from_spec(described)
    described.loader.exec_module(made)
    return made


def _built(hook: str, source: Path, out: Path, settings: dict[str, str]) -> Path:
    """What the backend makes of a folder; nothing is compiled and nothing fetched."""
    pytest.importorskip("scikit_build_core")
    code = f"from scikit_build_core.build import {hook}; print({hook}({str(out)!r}, {settings!r}))"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=source, env={**os.environ, "PYTHONPATH": ""},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return out / ran.stdout.strip().splitlines()[-1]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (ROOT / ".git").exists():
        pytest.skip("a source distribution is made of a checkout")
    return _built("build_sdist", ROOT, tmp_path_factory.mktemp("sdist"), {})


@pytest.fixture(scope="module")
def wheels(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The names in the wheel of the checkout and in that of the source distribution, unpacked; both not compiled."""
    tree = _tool("dist").unpacked(sdist, tmp_path_factory.mktemp("tree"))
    made = {}
    for name, source in (("checkout", ROOT), ("sdist", tree)):
        wheel = _built(
            "build_wheel",
            source,
            tmp_path_factory.mktemp(name),
            {"wheel.cmake": "false", "wheel.py-api": "py3"},
        )
        with zipfile.ZipFile(wheel) as archive:
            made[name] = sorted(archive.namelist())
    return made


@pytest.mark.slow
def test_the_source_distribution_is_whole(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert sdist.name == f"acumen_learn-{acumen.__version__}.tar.gz"
    for needed in (
        "pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE", "PKG-INFO", "native/kernels/counting/counting.cpp",
        "native/bind/module.cpp", "src/acumen/cli/words.json", "tests/conftest.py", "tools/build",
    ):  # fmt: skip
        assert needed in names, needed
    assert not [name for name in names if name.endswith((".so", ".pyc", ".o")) or "__pycache__" in name]
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    tracked = set(listed.stdout.splitlines())
    assert {name for name in names if name.startswith(("src/", "native/"))} - tracked == set()
    left_out = {name for name in tracked if not name.startswith(("benchmarks/", ".ci/", ".git"))} - names
    assert not left_out, sorted(left_out)[:5]


@pytest.mark.slow
def test_wheels_of_the_checkout_and_of_the_source_distribution_hold_the_same(
    wheels: dict[str, list[str]],
) -> None:
    assert wheels["sdist"] == wheels["checkout"]


@pytest.mark.slow
def test_a_wheel_holds_the_package_and_nothing_else(wheels: dict[str, list[str]]) -> None:
    names = wheels["checkout"]
    junk = [name for name in names if _tool("dist").JUNK.search(name)]
    assert not junk, junk[:5]
    folders = {name.partition("/")[0] for name in names}
    assert folders == {"acumen", f"acumen_learn-{acumen.__version__}.dist-info"}
    package = Path(acumen.__file__).parent
    mine = {
        f"acumen/{path.relative_to(package).as_posix()}"
        for path in package.rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".so")
    }
    assert {name for name in names if name.startswith("acumen/")} == mine


def test_a_wheel_that_is_not_what_its_name_says_is_refused(tmp_path: Path) -> None:
    tool = _tool("dist")
    sboms = "acumen_learn-1.dist-info/sboms/acumen.cdx.json"
    good = ["acumen/py.typed", "acumen/__init__.pyi", "acumen/_native.pyi", "acumen/cli/words.json", sboms]
    contents = json.dumps(_tool("sbom").sbom(PYPROJECT["project"], {"nanobind": "2"}, {}))
    cases = {
        "a-1-cp312-abi3-linux.whl": (["acumen/_native.cpython-312.so"], "not what its name says"),
        "b-1-cp311-cp311-linux.whl": (["acumen/_native.abi3.so"], "not what its name says"),
        "c-1-cp312-abi3-linux.whl": (["acumen/_native.abi3.so", "tests/test_a.py"], "no place"),
        "d-1-cp312-abi3-linux.whl": ([], "one extension"),
        "e-1-cp312-abi3-linux.whl": (["acumen/_native.abi3.so"], ""),
    }
    for name, (more, words) in cases.items():
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for each in (*good, *more):
                archive.writestr(each, contents if each == sboms else "")
        if not words:
            assert tool.looked_through(tmp_path / name) == [*good, *more]
            continue
        with pytest.raises(SystemExit, match=words):
            tool.looked_through(tmp_path / name)


def test_a_wheel_whose_list_of_contents_is_missing_or_lacks_a_library_is_refused(tmp_path: Path) -> None:
    tool = _tool("dist")
    listed = _tool("sbom").sbom(PYPROJECT["project"], {}, {})  # nanobind is compiled in, and not named
    for contents, words in ((None, "has no list"), (json.dumps(listed), "lacks nanobind")):
        with zipfile.ZipFile(tmp_path / "a.whl", "w") as archive:
            archive.writestr("acumen/py.typed", "")
            if contents is not None:
                archive.writestr("acumen_learn-1.dist-info/sboms/acumen.cdx.json", contents)
        with pytest.raises(SystemExit, match=words):
            tool.look_at_sbom(tmp_path / "a.whl")


def test_the_list_of_contents_names_what_is_compiled_in_bundled_and_required(tmp_path: Path) -> None:
    command = [
        sys.executable,
        str(ROOT / "tools" / "sbom.py"),
        str(tmp_path / "new" / "a.json"),
        "nanobind=3.1.0",
    ]
    subprocess.run(command, check=True)
    sbom = json.loads((tmp_path / "new" / "a.json").read_text(encoding="utf-8"))
    assert (sbom["bomFormat"], sbom["specVersion"]) == ("CycloneDX", "1.6")
    assert sbom["metadata"]["component"]["version"] == acumen.__version__
    versions = {each["name"]: each.get("version") for each in sbom["components"]}
    assert versions["nanobind"] == "3.1.0" and versions["preact"] and versions["numpy"] is None
    references = [each["bom-ref"] for each in sbom["components"]]
    assert len(set(references)) == len(references) and sbom["dependencies"][0]["dependsOn"] == references


def test_extras_that_refer_to_the_package_use_its_own_name() -> None:
    project = PYPROJECT["project"]
    assert project["name"] == "acumen-learn" and project["scripts"] == {"acumen": "acumen.__main__:main"}
    for group in [*project["optional-dependencies"].values(), *PYPROJECT["dependency-groups"].values()]:
        for each in group:
            assert not re.match(r"acumen\b(?!-learn)", each), each


def test_no_message_sends_anyone_to_another_package() -> None:
    for path in [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").glob("*.md"), ROOT / "README.md"]:
        assert not re.search(r"pip install '?acumen(?!-learn)", path.read_text(encoding="utf-8")), path


def test_the_oldest_libraries_are_those_that_are_allowed() -> None:
    pins = _tool("dist").oldest()
    assert (
        "numpy==1.26" in pins
        and "scikit-learn==1.6" in pins
        and len(pins) == len(PYPROJECT["project"]["dependencies"])
    )


def test_the_citation_is_of_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {acumen.__version__}\n" in text and "license: BSD-3-Clause" in text


# -- the notes ------------------------------------------------------------------------------------


def test_the_changelog_has_a_section_of_this_version() -> None:
    assert f"\n## {acumen.__version__} (" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_fragments_become_a_section_by_room_which_replaces_its_own_and_no_other() -> None:
    tool = _tool("changelog")
    known = tool.homes('"NaiveBayes": "acumen.bayes.learners",\n"read": "acumen.data.read",')
    assert known == {"NaiveBayes": "bayes", "read": "data"}
    fragments = {"b": "`NaiveBayes` is\nfaster.", "a": "`acumen show` is new.", "c": "Less memory."}
    made = tool.section("1.0", "2026-11-18", fragments, known)
    assert made == (
        "## 1.0 (2026-11-18)\n\n### Bayes\n\n* `NaiveBayes` is faster.\n\n### The command line\n\n"
        "* `acumen show` is new.\n\n### Everything else\n\n* Less memory.\n"
    )
    first = tool.written("", "0.9", made.replace("1.0", "0.9"))
    both = tool.written(first, "1.0", made)
    assert both.index("## 1.0 ") < both.index("## 0.9 ") and tool.written(both, "1.0", made) == both
