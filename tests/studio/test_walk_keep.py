"""The screen of keeping: files, and a script of all that was shown."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import acumen
from studio_served import write_customers
from studio_walked import needs_chromium

pytestmark = needs_chromium


@pytest.mark.slow
def test_journey_hand_it_over_with_files_and_a_script_of_all_that_was_shown(walk, folder, tmp_path):
    page = walk.page
    walk.open("/table?file=customers.csv&target=churned")
    page.get_by_role("region", name="Table of rows").wait_for()
    page.locator("footer pre").filter(has_text="--target").wait_for()
    page.goto(f"{walk.studio.base}/keep?file=customers.csv&target=churned&learner=naive-bayes"
              "&learners=naive-bayes&folds=3&repeats=1&groups=k-means&k=2")  # fmt: skip
    sums = {}

    def kept(button: str) -> Path:
        with page.expect_download() as found:
            page.get_by_role("button", name=button, exact=True).click()
        path = Path(found.value.path())
        sums[found.value.suggested_filename] = path.read_bytes()
        return path

    assert kept("SQL").read_text().startswith("SELECT")
    for button in ("Model file", "ONNX", "Model of the groups"):
        kept(button)
    kept("Report of the comparison (HTML)")
    kept("Predictions (CSV)")
    walk.accessible()
    walk.shot("keep")
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Open report.html").click()
    report = opened.value
    report.get_by_text("NaiveBayes").first.wait_for()
    assert urlsplit(report.url).path.startswith("/kept/")
    assert report.evaluate("self.origin") == "null", "it is nobody's page"
    assert report.locator("img[src=x]").count() == 0
    report.close()
    page.get_by_role("button", name=re.compile("^History")).click()
    with page.expect_download() as script:
        page.get_by_role("button", name="Download as a script").click()
    text = Path(script.value.path()).read_text()
    assert walk.studio.key not in text
    assert str(walk.studio.folder) not in text
    with page.expect_download() as script:
        page.get_by_role("button", name="Download as Python").click()
    both = {"session.sh": text, "session.py": Path(script.value.path()).read_text()}
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "acumen").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m acumen "$@"\n')
    (programs / "acumen").chmod(0o755)
    for name, lines in both.items():
        place = tmp_path / Path(name).suffix[1:]
        place.mkdir()
        shutil.copy(folder / "customers.csv", place)
        (place / name).write_text(lines)
        program = ["sh"] if name.endswith(".sh") else [sys.executable]
        paths = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONPATH": str(Path(acumen.__file__).parents[1]),
        }
        done = subprocess.run(
            [*program, name], cwd=place, env={**os.environ, **paths}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        for file in ("model.sql", "model.onnx"):
            assert (place / file).read_bytes() == sums[file], (name, file)
        for file in ("model.acm", "groups.acm"):
            kept_file = tmp_path / f"kept-{file}"
            kept_file.write_bytes(sums[file])
            assert acumen.load(place / file).describe() == acumen.load(kept_file).describe()
        assert (place / "report.html").is_file()
    assert (tmp_path / "sh" / "predictions.csv").read_bytes() == sums["predictions.csv"]


@pytest.mark.slow
def test_predictions_of_a_file_that_is_given_on_the_screen_of_keeping(walk, tmp_path):
    page = walk.page
    path = tmp_path / "others.csv"
    write_customers(path, 40)
    walk.open("/keep?file=customers.csv&target=churned&learner=naive-bayes")
    page.set_input_files("input[type=file]", path)
    page.get_by_label("Predict the rows of").locator("option:checked", has_text="others.csv").wait_for(
        state="attached"
    )
    with page.expect_download() as found:
        page.get_by_role("button", name="Predictions (CSV)").click()
    assert len(Path(found.value.path()).read_text().splitlines()) == 41
