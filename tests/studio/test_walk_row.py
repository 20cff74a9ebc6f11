"""The screen of a row: what is said of it, and what if it were otherwise."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import acumen
from studio_walked import needs_chromium

pytestmark = needs_chromium


@pytest.mark.slow
def test_journey_why_is_this_flower_virginica_and_what_if_it_were_narrower(walk):
    page = walk.page
    walk.open("/row?dataset=iris&learner=decision-tree&row=120")
    walk.sees("Predicted Iris-virginica")
    walk.sees("The nearest row of another class")
    walk.accessible()
    walk.shot("row")
    page.get_by_label("petal_width", exact=True).fill("0.3")
    page.keyboard.press("Tab")
    walk.sees("Predicted Iris-setosa")
    walk.sees("was 2.3")
    page.wait_for_url(re.compile("changed="))
    page.reload()
    walk.sees("Predicted Iris-setosa")


@pytest.mark.slow
def test_journey_w000_05_by_hand_and_then_checked(walk, folder: Path, request: Any):
    """The flower (6.75, 4.25) by Bayes' rule with densities; 0.9906 exactly where the book rounds on the way."""
    path = folder / "flowers.csv"
    iris = acumen.datasets.load("iris")
    rows = [
        f"{a!r},{b!r},{'c1' if label == 'Iris-setosa' else 'c2'}"
        for (a, b), label in zip(iris.numeric[:, :2].tolist(), iris.label_values(), strict=True)
    ]
    path.write_text("\n".join(["sepal_length,sepal_width,class", *rows]) + "\n")
    request.addfinalizer(path.unlink)
    page = walk.page
    walk.open()
    page.get_by_role("link", name="flowers.csv").click()
    page.locator("footer pre").filter(has_text="--target class").wait_for()
    page.get_by_role("link", name="Row", exact=True).click()
    page.get_by_label("What does it say").select_option("full-bayes")
    page.get_by_label("sepal_length", exact=True).fill("6.75")
    page.keyboard.press("Tab")
    walk.sees("was 5.1")
    page.get_by_label("sepal_width", exact=True).fill("4.25")
    page.keyboard.press("Tab")
    walk.sees("Predicted c2")
    page.get_by_role("cell", name="99.1 %").wait_for()
    walk.shot("w000-05")
