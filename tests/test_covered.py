"""What counts reached lines and kernels leaves the code that it counts able to travel to other processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import covered

TOOLS = Path(covered.__file__).parent


def test_functions_of_counted_modules_travel_with_their_tasks(tmp_path):
    (tmp_path / "counted").mkdir()
    (tmp_path / "counted" / "__init__.py").write_text("def adder(n):\n    return lambda x: x + n\n")
    program = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(TOOLS)!r}]\n"
        "import covered, pathlib\n"
        f"lines = covered.watch_lines(pathlib.Path({str(tmp_path / 'counted')!r}))\n"
        "import counted, cloudpickle\n"
        "print(cloudpickle.loads(cloudpickle.dumps(counted.adder(2)))(3))\n"
        "print(sorted(lines.get_coverage()['files'].popitem()[1]['executed_lines']))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.stdout.split("\n")[0] == "5", run.stderr
    assert run.stdout.split("\n")[1] == "[1, 2]"
