"""The kernels are compiled a second time, under address and undefined-behaviour sanitizers, and tested so."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = sorted(path.stem for path in (ROOT / "native" / "tests").glob("*.cpp"))


@pytest.fixture(scope="module")
def built() -> Path:
    """The folder of the test programs; kept between runs, so that only what changed is compiled."""
    if shutil.which("cmake") is None or shutil.which("ninja") is None:
        pytest.skip("cmake and ninja are needed to compile the kernels")
    if shutil.which(os.environ.get("CXX", "c++")) is None:
        pytest.skip("a C++ compiler is needed to compile the kernels")
    folder = ROOT / "build" / "sanitized"
    options = ["-DACUMEN_TESTS=ON", "-DACUMEN_SANITIZE=ON", "-DACUMEN_PYTHON=OFF"]
    run("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *options)
    return folder


def run(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", TESTS)
def test_kernels_hold_under_sanitizers(built: Path, name: str) -> None:
    run("cmake", "--build", built, "--target", name)
    run(built / name)
