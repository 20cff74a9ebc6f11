"""The pictures of docs/linear.md about several classes and descents are what their examples draw."""

from __future__ import annotations

from pathlib import Path

import pytest

import acumen
from acumen.errors import DataError
from figure_cases import parsed

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("example", "pictures"),
    [("several_classes", ("one-vs-rest", "one-vs-one", "softmax")), ("logistic", ("descents",))],
)
@pytest.mark.slow
def test_the_pictures_are_those_of_the_examples(example, pictures, tmp_path, warm):
    folder = tmp_path / "drawn"
    folder.mkdir()
    done = warm.run(ROOT / "examples" / f"{example}.py", folder)
    assert done.code == 0, done.err
    for name in pictures:
        drawn = (folder / f"{name}.svg").read_text(encoding="utf-8")
        kept = (ROOT / "docs" / "img" / f"{name}.svg").read_text(encoding="utf-8")
        parsed(drawn)
        # The last digits of coefficients, and so a pixel here and there, may differ between machines.
        assert abs(len(drawn) - len(kept)) < 0.02 * len(kept), name
        assert drawn.split("<image")[0] == kept.split("<image")[0] or name == "descents", name


def test_undecided_regions_are_drawn_for_codes_alone():
    iris = acumen.datasets.load("iris")
    figure = acumen.regions(acumen.OneVsRest(), iris, undecided=True)
    assert figure.classes[-1] == "undecided" and 0 < figure.probabilities[:, :, -1].mean() < 1
    with pytest.raises(DataError, match="undecided=True is for OneVsRest"):
        acumen.regions(acumen.NaiveBayes(), iris, undecided=True)
