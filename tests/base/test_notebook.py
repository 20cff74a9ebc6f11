"""What a notebook shows of learners, results and errors: what was learned, escaped, scoped and bounded in size."""

from __future__ import annotations

import re
import sys
import types
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import acumen
from acumen import store
from acumen.errors import AcumenError, DataError
from acumen.registry.entries import entries
from acumen.render import notebook, progress
from acumen.render.report import Code, Drawing, ReportTable
from tables import table_of

pytestmark = pytest.mark.filterwarnings("ignore")

HOSTILE = "<script>alert(1)</script>\x1b[2J"


class Page(HTMLParser):
    """The elements of a block, which must be closed in order."""

    VOID = frozenset({"br", "img", "input", "progress", "rect", "line", "circle", "path"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.met: list[str] = []
        self.classes: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.met.append(tag)
        self.classes |= {word for name, value in attrs if name == "class" for word in (value or "").split()}
        assert not any(name.startswith("on") or "javascript:" in (value or "") for name, value in attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.met.append(tag)


def page_of(thing: Any) -> Page:
    text = thing._repr_html_()
    assert len(text) <= notebook.MOST
    page = Page(text)
    assert not page.open
    assert not {"script", "link", "iframe", "object"} & set(page.met)
    assert page.met[0] == "div" and "acumen-nb" in page.classes
    return page


# -- learners -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("learner", "table", "element"),
    [
        (acumen.DecisionTree(), "loan", "svg"),
        (acumen.NaiveBayes(), "weather", "table"),
        (acumen.NaiveBayes(numeric="discretise"), "weather", "table"),
        (acumen.Logistic(), "weather", "table"),
        (acumen.Perceptron(random_state=0), "iris", "table"),
        (acumen.Ripper(random_state=0), "iris", "table"),
        (acumen.OneR(), "iris", "table"),
        (acumen.Additive(), "weather", "svg"),
        (acumen.RandomForest(n_estimators=5, random_state=0), "iris", "svg"),
        (acumen.KMeans(3, random_state=0), "iris", "svg"),
        (acumen.GaussianMixture(2, random_state=0), "iris", "svg"),
        (acumen.SVM(), "iris", "pre"),
        (acumen.KNN(), "iris", "pre"),
    ],
)
def test_a_fitted_learner_shows_what_was_learned(learner: Any, table: str, element: str) -> None:
    before = learner._repr_mimebundle_()
    assert "sk-" in before["text/html"]  # scikit-learn's own box of parameters
    learner.fit(acumen.datasets.load(table))
    after = learner._repr_mimebundle_()
    assert set(after) >= {"text/plain", "text/html"}
    assert element in page_of(learner).met
    assert "sk-" not in after["text/html"]
    assert learner.describe() in after["text/plain"]
    assert after["text/html"] == learner._repr_html_()


def test_what_is_shown_says_what_the_model_says() -> None:
    learner = acumen.NaiveBayes().fit(acumen.datasets.load("weather"))
    text = learner._repr_html_()
    assert "P(outlook | class)" in text and '<td class="n">0.4167</td>' in text
    assert "learned from 14 rows" in text
    rules = acumen.OneR().fit(acumen.datasets.load("iris"))
    assert "petal_width &lt;= 0.8" in rules._repr_html_() and "50/50" in rules._repr_html_()
    line = acumen.LinearRegression().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    assert '<td>x0</td><td class="n">2</td>' in line._repr_html_()
    assert '<td>intercept</td><td class="n">1</td>' in line._repr_html_()


def test_a_logistic_model_of_two_classes_has_one_column_of_weights() -> None:
    learner = acumen.Logistic().fit(acumen.datasets.load("weather"))
    text = learner._repr_html_()
    assert "no over yes" in text
    shown = float(re.findall(r'<td>temperature</td><td class="n">([^<]+)</td>', text)[0])
    one, two = ({"outlook": "sunny", "windy": "TRUE", "humidity": 80, "temperature": t} for t in (70, 71))
    odds = [
        learner.explain(row).log_odds * (1 if learner.explain(row).label == "no" else -1)
        for row in (one, two)
    ]
    assert shown == pytest.approx(odds[1] - odds[0], rel=1e-3)


@pytest.mark.parametrize(
    "learner",
    [
        acumen.NaiveBayes(),
        acumen.DecisionTree(),
        acumen.Logistic(),
        acumen.Ripper(random_state=0),
        acumen.KMeans(2, random_state=0),
        acumen.Perceptron(random_state=0),
        acumen.SVM(),
    ],
)
def test_names_of_the_data_cannot_act_on_the_page(learner: Any) -> None:
    rng = np.random.default_rng(0)
    labels = rng.choice([HOSTILE, "b"], 40).tolist()
    noise = rng.random(40) < 0.1
    levels = [HOSTILE if (label == HOSTILE) != odd else "x" for label, odd in zip(labels, noise, strict=True)]
    table = table_of({HOSTILE: levels, "n&m": rng.normal(size=40).tolist()}, labels, target=f"t{HOSTILE}")
    bundle = learner.fit(table)._repr_mimebundle_()
    page_of(learner)
    for text in bundle.values():
        assert "\x1b" not in text
    assert "<script" not in bundle["text/html"]


def test_large_models_are_abridged() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 12)), rng.integers(0, 6, 1500)
    for learner in (
        acumen.DecisionTree(measure="gini", prune="none"),
        acumen.NaiveBayes(),
        acumen.Logistic(),
    ):
        page_of(learner.fit(X, y))
    wide = acumen.LinearRegression().fit(rng.normal(size=(150, 90)), rng.normal(size=150))
    assert "the first 30 of 91" in wide._repr_html_()


def test_a_model_from_a_file_shows_the_same_without_scikit_learn(tmp_path: Any) -> None:
    learner = acumen.DecisionTree().fit(acumen.datasets.load("loan"))
    acumen.save(learner, tmp_path / "m.acm")
    opened = store.open(tmp_path / "m.acm")
    assert opened._repr_mimebundle_()["image/svg+xml"] == learner._repr_mimebundle_()["image/svg+xml"]
    page_of(opened)


def test_every_kind_of_classifier_can_be_shown() -> None:
    table = acumen.datasets.load("weather")
    shown = 0
    for entry in entries():
        if entry.task.name != "classification" or entry.learner.kind in ("text-bayes", "neural-network"):
            continue
        try:
            learner = entry.make(())
            learner.fit(table)
        except (AcumenError, TypeError):
            continue
        page_of(learner)
        shown += 1
    assert shown > 20


# -- results --------------------------------------------------------------------------------------


def test_results_have_pictures() -> None:
    iris = acumen.datasets.load("iris")
    found = acumen.assess(acumen.NaiveBayes(), iris, acumen.KFold(5), random_state=0)
    assert page_of(found).met.count("svg") == 2  # split by split, and who was taken for whom
    assert f"{found.mean:.4f}" in found._repr_html_()
    assert {"svg", "table"} <= set(page_of(found.confusion).met)
    parts = acumen.bias_variance(acumen.OneR(), iris, n_repeats=4, random_state=0)
    assert "svg" in page_of(parts).met and parts.advice[:30] in parts._repr_html_()
    compared = acumen.compare([acumen.NaiveBayes(), acumen.OneR()], iris, acumen.KFold(3), random_state=0)
    assert {"svg", "table"} <= set(page_of(compared).met)
    assert "Worse: Majority." in compared._repr_html_()
    X = np.arange(20.0)[:, None]
    numbers = acumen.read((X, 2 * X[:, 0] + np.sin(X[:, 0])))
    assert (
        "svg"
        in page_of(acumen.assess(acumen.LinearRegression(), numbers, acumen.KFold(4), random_state=0)).met
    )


def test_the_card_has_its_histograms_and_gains() -> None:
    card = acumen.inspect(acumen.datasets.load("loan"))
    page = page_of(card)
    text = card._repr_html_()
    assert text.count("<figure>") == 1 + 4  # a legend, and a picture of each attribute
    assert '<td>Own_house</td><td class="n">0.420</td><td class="n">0.433</td>' in text
    assert "details" in page.met
    page_of(acumen.inspect(table_of({"a": []}, [])))


def test_steps_are_shown_in_letters_of_one_width() -> None:
    loan = acumen.datasets.load("loan")
    assert "pre" in page_of(acumen.NaiveBayes().fit(loan).explain(loan.take([0]), steps=True)).met
    assert "pre" in page_of(acumen.DecisionTree().fit(loan).steps()).met
    gate = acumen.Perceptron(order="given", scale=False).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    page = page_of(gate.trace_)
    assert page.met.count("tr") == 1 + 36


# -- the block itself -----------------------------------------------------------------------------


def test_all_style_is_under_a_class_of_its_own() -> None:
    for rule in notebook.STYLE.split("}"):
        for selector in rule.partition("{")[0].split(","):
            assert not selector.strip() or ".acumen-nb" in selector


def test_parts_that_are_too_large_are_left_out_and_counted() -> None:
    text = notebook.notebook_html("x", [Code("a" * notebook.MOST), Code("kept")])
    assert len(text) < notebook.MOST
    assert "kept" in text and "1 of 2 parts are too large" in text
    long = notebook.notebook_html("x", [ReportTable(["n"], [[str(i)] for i in range(99)])])
    assert "the first 30 of 99" in long

    class Huge:
        def _repr_svg_(self) -> str:
            return "<svg>" + "x" * notebook.MOST_DRAWN + "</svg>"

    assert not isinstance(notebook.render_figure(Huge()), Drawing)


# -- columns by name ------------------------------------------------------------------------------


def test_a_table_gives_columns_by_name_and_offers_them() -> None:
    loan = acumen.datasets.load("loan")
    assert loan["Age"][0] == "young" and loan["Class"][0] == "No"
    assert loan._ipython_key_completions_() == ["Age", "Has_Job", "Own_house", "Credit_Rating", "Class"]
    with pytest.raises(TypeError, match=r"by name, such as table\['Age'\]"):
        loan[0]  # type: ignore[index]
    with pytest.raises(DataError, match="Did you mean 'Age'"):
        loan["age"]
    with pytest.raises(TypeError):
        list(loan)  # type: ignore[call-overload]
    assert np.asarray(loan).shape == () and np.asarray(loan)[()] is loan


# -- errors and progress --------------------------------------------------------------------------


def raised() -> AcumenError:
    try:
        acumen.DecisionTree(measure="ginni").fit(acumen.datasets.load("loan"))  # a line of one's own
    except AcumenError as error:
        return error
    raise AssertionError


def test_an_error_is_its_sentence_and_ones_own_line() -> None:
    own, said = raised()._render_traceback_()
    assert own.startswith("line ") and "in raised: acumen.DecisionTree(measure=" in own
    assert said.startswith("ParameterError: DecisionTree: measure must be")
    assert DataError("bad \x1b[2J name")._render_traceback_() == ["DataError: bad \\x1b[2J name"]


def shell(**given: Any) -> Any:
    module = types.ModuleType("IPython")
    module.get_ipython = lambda: types.SimpleNamespace(**given)  # type: ignore[attr-defined]
    return module


def test_under_verbose_mode_the_whole_stack_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = types.SimpleNamespace(mode="Verbose", structured_traceback=lambda *given: ["all", "of", "it"])
    monkeypatch.setitem(sys.modules, "IPython", shell(InteractiveTB=inner))
    assert raised()._render_traceback_() == ["all", "of", "it"]


def test_a_bar_is_one_display_that_is_updated_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    class Handle:
        def update(self, page: str) -> None:
            told.append(page)

    def display(page: str, display_id: bool) -> Handle:
        assert display_id
        told.append(page)
        return Handle()

    faces = types.ModuleType("IPython.display")
    faces.HTML, faces.display = str, display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", shell(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython.display", faces)
    monkeypatch.setattr(progress, "PACE", 0.0)
    with progress.notebook_bar(after=0.0) as bar:
        assert bar is not None
        bar(0.25, "<b>")
        bar(2.0, "end")
    assert len(told) == 3 and told[-1] == ""
    assert 'value="0.250"' in told[0] and "&lt;b&gt;" in told[0]
    assert 'value="1.000"' in told[1]
    before = len(told)
    iris = acumen.datasets.load("iris")
    monkeypatch.setattr(
        progress._Bar, "__init__", lambda self, after: vars(self).update(_next=0.0, _handle=None)
    )
    acumen.assess(acumen.OneR(), iris, acumen.KFold(3), random_state=0)
    assert "OneR, split 3 of 3" in told[-2] and told[-1] == ""
    acumen.compare([acumen.OneR()], iris, acumen.KFold(3), random_state=0)
    assert len(told) > before + 4 and told[-1] == ""


def test_without_a_notebook_there_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    with progress.notebook_bar() as bar:
        assert bar is None
    monkeypatch.setitem(sys.modules, "IPython", shell())  # a terminal's shell has no kernel
    assert not progress.in_a_notebook()
