"""The workflows of the repository: they parse, call steps and files that exist, and publish without a password."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".github" / "workflows"
if not FOLDER.is_dir():
    pytest.skip("a source distribution has no workflows", allow_module_level=True)
WORKFLOWS: dict[str, dict[Any, Any]] = {
    path.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.yml"))
}
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
#: Files that a command names: with a folder, or at the top of the repository.
FILE = re.compile(r"(?<![\w./-])(?:\.ci/|tools/|native/|docs/|README|CMakeLists|pyproject|zensical)[\w./-]*")


def steps() -> list[tuple[str, dict[str, Any]]]:
    return [
        (name, step)
        for name, workflow in WORKFLOWS.items()
        for job in workflow["jobs"].values()
        for step in job.get("steps", [])
    ]


def commands() -> list[tuple[str, str]]:
    return [(name, step["run"]) for name, step in steps() if "run" in step]


def test_there_are_workflows_for_tests_wheels_documentation_and_releases() -> None:
    assert sorted(WORKFLOWS) == ["ci.yml", "docs.yml", "release.yml", "wheels.yml"]


def test_every_step_either_runs_a_command_or_uses_a_pinned_action() -> None:
    assert len(steps()) > 15
    for name, step in steps():
        assert ("run" in step) != ("uses" in step), (name, step)
        if "uses" in step:
            assert re.fullmatch(r"[\w.-]+/[\w.-]+@(v\d+(\.\d+)*|release/v\d+)", step["uses"]), step["uses"]


def test_files_that_commands_name_exist() -> None:
    named = {(name, file) for name, command in commands() for file in FILE.findall(command)}
    assert {file for _, file in named} >= {".ci/run", "tools/dist.py", "README.md", "pyproject.toml"}
    for name, file in named:
        assert (ROOT / file).exists(), f"{name}: {file}"
    for name, workflow in WORKFLOWS.items():
        for job in workflow["jobs"].values():
            if job.get("uses", "").startswith("./"):
                assert (ROOT / job["uses"]).is_file(), f"{name}: {job['uses']}"


def test_steps_that_workflows_ask_of_the_check_script_exist() -> None:
    listed = subprocess.run([ROOT / ".ci" / "run", "--list"], capture_output=True, text=True, check=True)
    known = set(listed.stdout.split())
    asked = {
        step
        for _, command in commands()
        for line in re.findall(r"\.ci/run ([\w ]+)", command)
        for step in line.split()
    }
    assert asked >= {"lint", "docs", "windows"} and asked <= known, asked - known


def test_the_tests_run_as_the_readme_says_on_every_python_that_is_promised() -> None:
    job = WORKFLOWS["ci.yml"]["jobs"]["tests"]
    promised = re.findall(r"Python :: (3\.\d+)", " ".join(PYPROJECT["project"]["classifiers"]))
    assert job["strategy"]["matrix"]["python"] == promised
    assert {system.partition("-")[0] for system in job["strategy"]["matrix"]["os"]} == {"ubuntu", "macos"}
    (command,) = [step["run"] for step in job["steps"] if "run" in step]
    line = subprocess.run(
        ["bash", "-c", command.replace("bash -euo pipefail -c", "echo")],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert line.strip() in (ROOT / "README.md").read_text(encoding="utf-8")
    assert "pip install" in line and "pytest" in line


def test_releases_are_published_without_a_password() -> None:
    publish = WORKFLOWS["release.yml"]["jobs"]["publish"]
    assert publish["permissions"]["id-token"] == publish["permissions"]["attestations"] == "write"
    for name in WORKFLOWS:
        assert "secrets." not in (FOLDER / name).read_text(encoding="utf-8"), name
    for workflow in WORKFLOWS.values():
        assert workflow["permissions"] == {"contents": "read"}  # a job that needs more asks for it


def test_every_wheel_is_uploaded_under_a_name_of_its_own() -> None:
    names = [
        each["name"] for each in WORKFLOWS["wheels.yml"]["jobs"]["wheels"]["strategy"]["matrix"]["include"]
    ]
    assert len(set(names)) == len(names) >= 5
    assert {name.partition("-")[0] for name in names} == {"linux", "macos", "windows"}


def test_hooks_before_a_commit_run_tools_of_the_dev_group() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0][
        "hooks"
    ]
    tools = {re.split(r"[<>=\[]", need)[0] for need in PYPROJECT["dependency-groups"]["dev"]}
    assert {hook["id"] for hook in hooks} == {"ruff-check", "ruff-format", "clang-format", "plain-english"}
    for hook in hooks:
        program, *rest = hook["entry"].split()
        assert program in tools or (program == "python" and (ROOT / rest[0]).is_file()), hook["entry"]


def test_dependabot_watches_folders_that_exist() -> None:
    updates = yaml.safe_load((ROOT / ".github" / "dependabot.yml").read_text(encoding="utf-8"))["updates"]
    assert {each["package-ecosystem"] for each in updates} == {"github-actions", "pip", "npm"}
    for each in updates:
        assert (ROOT / each["directory"].lstrip("/")).is_dir()
