"""What a call into the kernels costs, by the way the extension is bound: the choice behind the wheels.

    python benchmarks/calls.py PYTHON    such as python3.12, with numpy, nanobind and (for split) nanobind-backend

Three bindings of acumen's own (five small arrays in; eight matrices in; one in and one out) are compiled three ways and
called with next to nothing to do, in one process each, in turn:

    classic   for one version of Python alone
    stable    against the stable ABI (3.12 and later), nanobind linked in
    split     against the stable ABI (3.11 here), nanobind at run time from the package nanobind-backend
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WAYS = {
    "classic": ("NB_STATIC", ""),
    "stable": ("STABLE_ABI NB_STATIC", "Development.SABIModule"),
    "split": ("BACKEND_MODULE nanobind_backend STABLE_ABI_VERSION 3.11", "Development.SABIModule"),
}

LISTS = """
cmake_minimum_required(VERSION 3.21)
project(calls LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(Threads REQUIRED)
find_package(Python 3.11 COMPONENTS Interpreter Development.Module {component} REQUIRED)
execute_process(COMMAND "${{Python_EXECUTABLE}}" -m nanobind --cmake_dir
                OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT)
find_package(nanobind CONFIG REQUIRED)
nanobind_add_module(_calls {how} NOMINSIZE module.cpp
                    {native}/bind/counting/counting.cpp {native}/bind/counting/moments.cpp
                    {native}/bind/rules/buckets.cpp
                    {native}/kernels/counting/counting.cpp {native}/kernels/counting/moments.cpp)
target_include_directories(_calls PRIVATE {native})
target_compile_options(_calls PRIVATE -O3 -ffp-contract=off -fno-trapping-math)
target_link_libraries(_calls PRIVATE Threads::Threads)
"""

MODULE = """
#include <nanobind/nanobind.h>
namespace nb = nanobind;
void bind_counting(nb::module_& m);
void bind_moments(nb::module_& m);
void bind_buckets(nb::module_& m);
NB_MODULE(_calls, m) { bind_counting(m); bind_moments(m); bind_buckets(m); }
"""

CALLS = """
import json, sys, time
import numpy as np
import _calls as native

codes, labels = np.zeros(1, np.int32), np.zeros(1, np.int32)
none, parts, table = np.zeros(0), np.zeros(0, np.int32), np.zeros((1, 3, 3))
eight = [np.ones((1, 1)) for _ in range(8)]
weights = np.ones((2, 2))
calls = {
    "five arrays": lambda: native.count_levels(codes, labels, none, parts, table),
    "eight matrices": lambda: native.merge_moments(*eight),
    "one in, one out": lambda: native.bucket_starts(weights, 1.0),
    "refused": None,
}


def refused():
    try:
        native.count_levels(codes, labels, none, parts, 1)
    except TypeError:
        pass


calls["refused"] = refused
found = {}
for name, call in calls.items():
    each = []
    for _ in range(15):
        began = time.process_time_ns()
        for _ in range(20_000):
            call()
        each.append((time.process_time_ns() - began) / 20_000)
    found[name] = min(each)
print(json.dumps(found))
"""


def built(folder: Path, way: str, python: str) -> Path:
    """The folder of the extension, compiled one way."""
    how, component = WAYS[way]
    place = folder / way
    place.mkdir()
    (place / "module.cpp").write_text(MODULE)
    (place / "CMakeLists.txt").write_text(LISTS.format(how=how, component=component, native=ROOT / "native"))
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    command = ["cmake", "-S", place, "-B", place / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
    subprocess.run([*command, f"-DPython_EXECUTABLE={python}"], **quiet)
    subprocess.run(["cmake", "--build", place / "build"], **quiet)
    return place / "build"


def main(python: str) -> None:
    version = subprocess.run([python, "-VV"], capture_output=True, text=True, check=True).stdout.split()[1]
    executable = subprocess.run(
        [python, "-c", "import sys; print(sys.executable)"], capture_output=True, text=True, check=True
    ).stdout.strip()
    with tempfile.TemporaryDirectory() as made:
        places = {way: built(Path(made), way, executable) for way in WAYS}
        best: dict[str, dict[str, float]] = {way: {} for way in WAYS}
        for _ in range(5):
            for way, place in places.items():
                ran = subprocess.run(
                    [executable, "-c", CALLS], env={**os.environ, "PYTHONPATH": str(place)},
                    capture_output=True, text=True, check=True,
                )  # fmt: skip
                for name, nanoseconds in json.loads(ran.stdout).items():
                    best[way][name] = min(nanoseconds, best[way].get(name, nanoseconds))
        size = {way: max(p.stat().st_size for p in place.glob("_calls*.so")) for way, place in places.items()}
    print(f"Python {version}: nanoseconds a call by the processor, the least of five processes\n")
    print(f"{'':10}" + "".join(f"{name:>18}" for name in best["classic"]) + f"{'KiB':>8}")
    for way, found in best.items():
        told = "".join(f"{ns:>10.0f} ({ns / best['classic'][name]:.2f})" for name, ns in found.items())
        print(f"{way:10}{told}{size[way] / 1024:>8.0f}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else sys.executable)
