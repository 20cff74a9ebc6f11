"""What holds on every screen: names are text, nothing overflows, contrast is enough, no mouse is needed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

import acumen
from studio_served import HOSTILE, Served, write_customers
from studio_walked import PATIENCE, Walk, needs_axe, needs_chromium

pytestmark = needs_chromium


HOSTILE_SCREENS = (
    "/", "/table?{}&target=churned", "/compare?{}&target=churned&learners=naive-bayes&folds=3&repeats=1",
    "/model?{}&target=churned&learner=decision-tree", "/model?{}&target=churned&learner=naive-bayes",
    "/errors?{}&target=churned&learner=naive-bayes&folds=3", "/row?{}&target=churned&learner=decision-tree&row=3",
    "/groups?{}&groups=k-prototypes&k=2&mine=rules&cut=equal-width&support=0.2",
    "/keep?{}&target=churned&learner=naive-bayes",
)  # fmt: skip


@pytest.mark.slow
def test_names_with_markup_are_text_on_every_screen(context, tmp_path):
    """The file, columns, levels and classes are called as markup is written; nothing of it becomes an element."""
    place = tmp_path / "hostile"
    place.mkdir()
    write_customers(place / "c.csv", 120)
    name = "<img src=x onerror=alert(2)>&'\".csv"
    text = (place / "c.csv").read_text().replace(";stays", ";<svg onload=alert(3)>stays")
    (place / name).write_text(text.replace(";leaves", ";leaves'\"</textarea><script>alert(4)</script>"))
    (place / "c.csv").unlink()
    studio = Served(place)
    try:
        walk = Walk(context.new_page(), studio)
        for path in HOSTILE_SCREENS:
            walk.open(path.format(urlencode({"file": name})))
            if path == "/":
                walk.sees(name)
            elif "compare" in path:
                walk.page.get_by_role("button", name="Compare", exact=True).click()
                walk.page.get_by_role("region", name="Ranking").wait_for()
            elif "keep" in path:
                with walk.page.expect_download():
                    walk.page.get_by_role("button", name="Data card (HTML)").click()
                with walk.page.context.expect_page() as opened:
                    walk.page.get_by_role("button", name="Open card.html").click()
                opened.value.get_by_text("onerror=alert(1)").first.wait_for()
                assert opened.value.locator("img, script, iframe").count() == 0
            elif "groups" in path:
                walk.page.get_by_role("button", name=re.compile("^Group 1")).first.wait_for()
                walk.page.get_by_role("region", name="Found").get_by_text(HOSTILE).first.wait_for()
                walk.page.get_by_role("button", name=re.compile("right: .*onerror")).first.click()
                walk.page.get_by_role("region", name="Selection").get_by_text(HOSTILE).first.wait_for()
            else:
                walk.page.locator("main").get_by_text(re.compile("onerror|onload|</script>")).first.wait_for(
                    state="attached"
                )
            found = walk.page.evaluate(
                "document.querySelectorAll('#studio img, #studio script, #studio iframe, #studio textarea, [onerror], "
                "[onload]').length"
            )
            assert found == 0, path
        walk.fine()
    finally:
        studio.end()


CUSTOMERS = "file=customers.csv&target=churned"
COMPARED = f"/compare?{CUSTOMERS}&learners=naive-bayes&learners=one-r&folds=3&repeats=2&go=1"
#: Every screen, and what is there once it is whole.
SCREENS = {
    "start": ("/", ".cards a"),
    "table": (f"/table?{CUSTOMERS}", "section[aria-label=Rows] table"),
    "unread": ("/table?file=odd/ragged.csv", ".reading"),
    "compare": (COMPARED, "[aria-label=Ranking] table"),
    "tree": ("/model?dataset=iris&learner=decision-tree", "[data-node='2']"),
    "bayes": (f"/model?{CUSTOMERS}&learner=naive-bayes", "[aria-label='What was learned'] table"),
    "machine": ("/model?dataset=iris&learner=svm", "details[open] .drawing svg"),
    "shapes": (f"/model?{CUSTOMERS}&learner=additive", "[aria-label='Shapes by hand']"),
    "file": ("/model?file=odd/rules.acm", "[aria-label=Rules] li"),
    "errors": (f"/errors?{CUSTOMERS}&learner=naive-bayes&b=one-r&folds=3", "[data-apart='only_a']"),
    "row": (f"/row?{CUSTOMERS}&learner=decision-tree&row=3", "main .drawing svg"),
    "groups": (
        f"/groups?{CUSTOMERS}&groups=k-prototypes&k=3&mine=rules&cut=equal-width",
        "[data-group='1'] >> nth=0",
    ),
    "keep": (f"/keep?{CUSTOMERS}&learner=naive-bayes", "[aria-label='Of a model'] option:nth-child(3)"),
    "gone": ("/table?file=nobody.csv", "h1:has-text('is not here')"),
}


@pytest.fixture(scope="module")
def whole(studio: Served) -> Iterator[Served]:
    """A studio with a file that cannot be read as it is, one of a model, and one with a long name."""
    odd = studio.folder / "odd"
    odd.mkdir()
    (odd / f"{'long-' * 40}name.csv").write_text("a,b\n1,x\n2,y\n")
    (odd / "ragged.csv").write_text("a,b,c\n1,2,x\n3,4\n5,6,y\n")
    acumen.save(acumen.Ripper(random_state=0).fit(acumen.datasets.load("iris")), odd / "rules.acm")
    yield studio
    for each in odd.iterdir():
        each.unlink()
    odd.rmdir()


def at_screen(walk: Walk, name: str) -> None:
    path, there = SCREENS[name]
    walk.open(path)
    walk.page.locator(there).first.wait_for(state="attached")
    if name == "groups":
        walk.page.get_by_role("region", name="Found").wait_for()


#: Light and dark, a phone in both, and a usual window at 200 %: half as many pixels, each twice as large.
VIEWS = [("light", 1280, 1), ("dark", 1280, 1), ("light", 390, 1), ("dark", 390, 1), ("light", 640, 2)]


@pytest.mark.slow
@needs_axe
@pytest.mark.parametrize(("scheme", "width", "scale"), VIEWS)
def test_no_screen_overflows_or_is_hard_to_read_dark_on_a_phone_or_twice_as_large(
    browser, whole, scheme, width, scale
):
    view = {"width": width, "height": 800 // scale}
    context = browser.new_context(viewport=view, color_scheme=scheme, device_scale_factor=scale)
    context.set_default_timeout(PATIENCE)
    walk = Walk(context.new_page(), whole)
    for name in SCREENS:
        at_screen(walk, name)
        walk.accessible()
        walk.shot(f"{name}-{scheme}-{width}")
        assert walk.page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), name
    # Without a key, too.
    walk.page.evaluate("sessionStorage.clear()")
    walk.page.goto(walk.studio.base)
    walk.sees("This page needs its key")
    walk.accessible()
    walk.wrong = [
        said for said in walk.wrong if "422" not in said
    ]  # the file that cannot be read, which is told
    walk.fine()
    context.close()


#: What a person can act on; of radio buttons and folded parts only what can be seen.
ACTS = """() => [...document.querySelectorAll(
    'a[href], button:enabled, input:enabled, select:enabled, summary, [tabindex="0"]')]
    .filter(e => e.checkVisibility({visibilityProperty: true}) && e.type !== 'radio')"""


@pytest.mark.slow
def test_everything_that_can_be_acted_on_is_reached_by_the_tab_key_and_shows_it(context, whole):
    walk = Walk(context.new_page(), whole)
    for name in SCREENS:
        at_screen(walk, name)
        walk.page.wait_for_load_state("networkidle")
        assert walk.page.locator("[tabindex]:not([tabindex='0']):not([tabindex='-1'])").count() == 0
        count = walk.page.evaluate(f"({ACTS})().map((e, i) => e.dataset.act = i).length")
        reached, unseen = set(), set()
        walk.page.evaluate("document.activeElement.blur()")
        for _ in range(2 * count + 20):
            walk.page.keyboard.press("Tab")
            at, seen = walk.page.evaluate(
                """() => { const e = document.activeElement, s = getComputedStyle(e);
                return [e.dataset.act ?? null, s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0]; }"""
            )
            if at is None or at in reached:
                continue
            reached.add(at)
            if not seen:
                unseen.add(at)
            if len(reached) == count:
                break
        missed = {str(i) for i in range(count)} - reached
        told = walk.page.evaluate(
            "of => of.map(i => document.querySelector(`[data-act='${i}']`)?.outerHTML.slice(0, 120))",
            sorted(missed | unseen),
        )
        assert not missed and not unseen, (name, told)
    context.close()
