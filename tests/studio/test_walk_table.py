"""The screen of a table: kinds, levels, how it is read."""

from __future__ import annotations

import re

import pytest

from studio_walked import expect, needs_chromium, row_of

pytestmark = needs_chromium


@pytest.mark.slow
def test_journey_a_number_column_is_a_code_for_many_columns_with_undo(walk):
    page = walk.page
    walk.open("/table?file=customers.csv&target=churned")
    page.get_by_label("Choose age").click()
    page.get_by_label("Choose calls").click(modifiers=["Shift"])
    walk.sees("4 columns chosen")
    page.get_by_role("button", name="nominal", exact=True).click()
    page.wait_for_url(re.compile("calls%3Anominal"))
    page.locator("footer pre").filter(has_text="--kind calls=nominal").wait_for()
    row = row_of(page, "Table of columns", "calls")
    row.get_by_text("nominal").wait_for()
    page.get_by_role("region", name="Table of rows").get_by_role("button", name="age").click()
    page.wait_for_url(re.compile("sort=age"))
    page.get_by_role("button", name="Undo").click()
    row_of(page, "Table of columns", "calls").get_by_text("numeric").wait_for()
    assert "sort=age" in page.url, "only the change of kinds is taken back"
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    page.get_by_role("button", name="Ignore customer_id").click()
    page.locator("footer pre").filter(has_text="--ignore customer_id").wait_for()


@pytest.mark.slow
def test_journey_levels_are_put_in_order_and_the_command_says_so(walk):
    page = walk.page
    walk.open("/table?file=customers.csv&target=churned")
    page.get_by_label("Choose plan").click()
    page.get_by_role("button", name="ordinal", exact=True).click()
    levels = page.get_by_role("group", name="Levels of plan")
    levels.get_by_label("From low to high").and_(page.locator(":checked")).wait_for()
    assert re.findall("basic|plus|pro", levels.inner_text()) == ["pro", "basic", "plus"]
    levels.get_by_label("</script><b>pro later").click()
    levels.get_by_label("</script><b>pro later").click()
    walk.accessible()
    walk.shot("levels")
    levels.get_by_role("button", name="Use these levels").click()
    said = page.locator("footer pre").filter(has_text="--levels")
    said.wait_for()
    assert "--kind plan=ordinal --levels 'plan=basic,plus,</script><b>pro'" in walk.command()
    levels.get_by_role("button", name="Leave out plus").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.locator("footer pre").filter(has_not_text="--levels").wait_for()


@pytest.mark.slow
def test_a_file_that_was_read_otherwise_than_meant_is_told_how_and_undone(walk, tmp_path):
    """An encoding, levels that are one, parts of dates: all in the command, all taken back one by one."""
    page = walk.page
    rows = [f"{i % 28 + 1:02}.03.2020;{('Ja', 'ja', 'nein')[i % 3]};{'ab'[i % 2]}" for i in range(60)]
    path = tmp_path / "kunden.csv"
    path.write_bytes("\n".join(["seit;Preis €;class", *rows]).encode("cp1252"))
    walk.open()
    page.set_input_files("input[type=file]", path)
    said = page.locator("footer pre")
    page.get_by_text("How the file is read").click()
    page.get_by_label("Encoding").select_option("cp1252")
    page.get_by_role("button", name="Read it so").click()
    said.filter(has_text="--encoding cp1252").wait_for()
    page.get_by_role("button", name="Read ja as Ja").click()
    said.filter(has_text="Preis €=Ja,ja").wait_for()
    page.get_by_label("Choose seit").click()
    page.get_by_role("button", name="year, month, weekday too").click()
    said.filter(has_text="--date-parts seit").wait_for()
    row_of(page, "Table of columns", "seit.weekday").wait_for()
    walk.accessible()
    walk.shot("reading")
    for gone in ("--date-parts", "--merge", "--encoding"):
        page.get_by_role("button", name="Undo").click()
        said.filter(has_not_text=gone).wait_for()
    page.get_by_label("Encoding").and_(page.locator(":has(option:checked[value=''])")).wait_for(
        state="attached"
    )


@pytest.mark.slow
def test_a_table_that_cannot_be_read_is_read_as_its_sentence_says(walk, tmp_path):
    page = walk.page
    (tmp_path / "short.csv").write_text("x,class\n1,a\n2,b\n3\n4,b\n" + "5,a\n6,b\n" * 10)
    walk.open()
    page.set_input_files("input[type=file]", tmp_path / "short.csv")
    walk.sees("The table could not be read")
    page.get_by_label("Rows too short or too long").select_option("drop")
    page.get_by_role("button", name="Read it so").click()
    walk.sees("23 rows, 2 columns")
    page.locator("footer pre").filter(has_text="--ragged drop").wait_for()
    walk.wrong = [
        each for each in walk.wrong if "422" not in each
    ]  # that it could not be read, which was told
