"""Every learner has a page; its example prints what it says, its picture is drawn, its formulas are whole."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

import acumen
import guide
from acumen.registry import Entry, entries, entry
from foreign import foreign
from handbook import page, reference, tex, tried, written

KINDS = sorted(each.kind for each in entries())


def test_every_learner_has_a_page_and_every_public_name_one_place():
    assert guide.gaps() == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_example_prints_what_it_says_and_the_picture_is_drawn(kind):
    from handbook import pictures

    said = written.written()[kind]
    svg, caption = pictures.drawn(entry(kind), said, written.run(said))
    assert ElementTree.fromstring(svg).tag.endswith("svg") and len(svg) < 200_000
    assert caption.endswith(".")


@pytest.mark.parametrize("kind", KINDS)
def test_the_formulas_are_well_formed_and_whole(kind):
    said = written.written()[kind]
    made = tex.in_text(said.mathematics)
    assert "$" not in made and "\\" not in made
    for part in made.split("<math")[1:]:
        ElementTree.fromstring("<math" + part.partition("</math>")[0] + "</math>")
    assert said.cost and said.answer and said.sources and said.use.strip()


def test_an_example_that_prints_something_else_is_found():
    said = written.Written("majority", "bayes", "n", "1", "", "", (), ">>> 1 + 1\n3")
    with pytest.raises(written.Untrue, match="Got"):
        written.run(said)
    with pytest.raises(written.Untrue, match="prints nothing"):
        written.run(written.Written("majority", "bayes", "n", "1", "", "", (), ">>> x = 1"))


@pytest.mark.parametrize("kind", ["svm", "k-means", "text-bayes", "ordered-logistic"])
def test_a_page_has_every_parameter_and_says_what_is_refused(kind):
    about, said = entry(kind), written.written()[kind]
    text = page.page_of(about, said, "a caption.", guide.worked(about.name))
    for spec in about.parameters:
        assert f"| `{spec.name}` |" in text
    for heading in (
        "When to use it",
        "Mathematics",
        "Picture",
        "Example",
        "What it can do",
        "Cost",
        "Parameters",
        "See also",
    ):
        assert f"\n## {heading}\n" in text
    refused = [each for each in tried.tried(about, said.variants).values() if not each.done and each.said]
    assert refused and text.count("“") >= len(refused)


def test_a_learner_of_classes_in_an_order_says_so():
    about, said = entry("ordered-logistic"), written.written()["ordered-logistic"]
    assert "classes without an order: “" in page.page_of(about, said, "", [])


class Careless(acumen.NaiveBayes):
    """One that takes weights and does not mind them, and that cannot do with gaps."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        from acumen.data.table import NO_WEIGHTS
        from acumen.errors import DataError

        if any(bool((column != column).any()) for column in X.numeric.columns):
            raise DataError("Careless: there are gaps.")
        return super().fit(X.replace(weights=NO_WEIGHTS), y)


def test_what_a_learner_does_not_do_is_not_marked():
    good = tried.tried(Entry("naive-bayes", acumen.NaiveBayes))
    bad = tried.tried(Entry("naive-bayes", Careless))
    assert good["weights"].done and good["missing"].done
    assert not bad["weights"].done
    assert not bad["missing"].done and bad["missing"].said == "Careless: there are gaps."
    assert bad["numbers"].done and bad["explain"].done


def test_what_other_parameters_can_do_is_marked_so():
    found = tried.tried(entry("full-bayes"), ("covariance=diagonal",))
    assert found["as SQL"].mark == "○" and found["as SQL"].by == "covariance=diagonal"
    assert found["as ONNX"].mark == "✓" and tried.tried(entry("full-bayes"))["as SQL"].mark == ""


def test_an_error_that_is_no_sentence_is_a_fault():
    class Rude(acumen.NaiveBayes):
        def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
            raise acumen.errors.DataError("no")

    with pytest.raises(AssertionError, match="not in a sentence"):
        tried.tried(Entry("naive-bayes", Rude))


@pytest.mark.parametrize(
    ("source", "made"),
    [
        ("x_i^2", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        (r"\frac{1}{n}", "<mfrac><mn>1</mn><mi>n</mi></mfrac>"),
        (r"\sum_i^n", '<munderover><mo movablelimits="true">∑</mo><mi>i</mi><mi>n</mi></munderover>'),
        (r"a < b", "<mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow>"),
        (r"\text{if } x", "<mrow><mtext>if\xa0</mtext><mi>x</mi></mrow>"),
        (r"\left[ a \right]", '<mrow><mo stretchy="true">[</mo><mi>a</mi><mo stretchy="true">]</mo></mrow>'),
    ],
)
def test_formulas_become_mathml(source, made):
    assert tex.mathml(source) == f"<math>{made}</math>"


@pytest.mark.parametrize("source", [r"\unknown", "x_", r"\frac{1}", "{x", "a * b", r"\left( x"])
def test_half_a_formula_is_an_error(source):
    with pytest.raises(ValueError, match="formula"):
        tex.mathml(source)


def test_the_reference_asks_for_each_name_once():
    pages = reference.pages()
    asked = [
        line.split()[1] for text in pages.values() for line in text.splitlines() if line.startswith(":::")
    ]
    assert sorted(asked) == sorted(f"acumen.{name}" for name in acumen.__all__ if name != "__version__")


def test_what_a_page_would_fetch_from_elsewhere_is_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="https://example.org">to follow</a><img src="img/x.svg"><link rel="canonical" href="https://x.y/">'
    )
    (tmp_path / "a.css").write_text("p { background: url(img/y.png) }")
    assert foreign(tmp_path) == []
    (tmp_path / "b.html").write_text('<script src="//cdn.example.org/x.js"></script>')
    (tmp_path / "b.css").write_text('@import "https://fonts.example.org/css";')
    (tmp_path / "b.svg").write_text('<svg><image href="https://example.org/x.png"/></svg>')
    assert [each.partition(":")[0] for each in foreign(tmp_path)] == ["b.css", "b.html", "b.svg"]
