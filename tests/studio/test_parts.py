"""Parts of the studio by themselves: uploads, names, specs, commands, drawings, the page's files."""

from __future__ import annotations

import asyncio
import gzip
import shlex
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen.errors import AcumenError, DataError, ParameterError
from acumen.profiling.target_guess import likely_target
from acumen.studio import commands
from acumen.studio.answers.pictures import ELEMENTS, svg_tree
from acumen.studio.spec import RunSpec, TableSpec
from acumen.studio.uploads import Uploads, plain_name
from acumen.studio.worker import plain

ROOT = Path(__file__).resolve().parents[2]
STATIC = Path(acumen.__file__).parent / "studio" / "static"


async def parts(*pieces: bytes) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


def test_an_upload_that_grows_too_large_leaves_nothing_behind(tmp_path):
    uploads = Uploads(tmp_path, most=10)
    with pytest.raises(DataError, match="larger than the 10 bytes"):
        asyncio.run(uploads.take("a.csv", parts(b"123456", b"789012")))
    assert list(tmp_path.iterdir()) == []
    assert uploads.listing() == []
    assert asyncio.run(uploads.take("a.csv", parts(b"12345", b"67890")))["bytes"] == 10


def test_one_upload_at_a_time(tmp_path):
    uploads = Uploads(tmp_path)

    async def both() -> None:
        held = asyncio.Event()

        async def slow() -> AsyncIterator[bytes]:
            yield b"1"
            await held.wait()

        first = asyncio.ensure_future(uploads.take("a.csv", slow()))
        await asyncio.sleep(0)
        with pytest.raises(DataError, match="one at a time"):
            await uploads.take("b.csv", parts(b"1"))
        held.set()
        await first

    asyncio.run(both())


@given(st.text(max_size=300))
def test_a_plain_name_is_one_name_of_one_folder(name):
    made = plain_name(name)
    assert made
    assert "/" not in made
    assert "\\" not in made
    assert not made.startswith(".")
    assert "\0" not in made
    assert len(made) <= 130
    assert made not in ("..", ".")


PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=5)


@given(
    st.recursive(
        PLAIN,
        lambda c: st.lists(c, max_size=3) | st.dictionaries(st.text(max_size=5), c, max_size=3),
        max_leaves=6,
    )
)
def test_specs_are_made_or_refused_in_a_sentence(given_):
    for spec in (TableSpec, RunSpec):
        with pytest.raises(ParameterError):
            spec.of(given_)


def test_names_that_shells_and_readers_would_take_apart_come_through_a_command():
    spec = TableSpec(
        "a b.csv", "a b.csv", "it's=x", (("k=1", "nominal"),), (("l", ("a,b", 'c"d')),), ("$(rm -rf)",)
    )
    words = shlex.split(commands.inspect(spec)["cli"])
    assert words[:3] == ["acumen", "inspect", "a b.csv"]
    assert words[3:5] == ["--target", "it's=x"]
    assert "k=1=nominal" in words
    assert 'l="a,b","c""d"' in words
    assert "$(rm -rf)" in words
    compile(commands.inspect(spec)["python"], "x", "exec")


def test_a_password_is_in_no_command():
    spec = TableSpec("postgresql://u:hunter2@h/d", "postgresql://u:hunter2@h/d", "y")
    made = commands.inspect(spec)
    assert "hunter2" not in made["cli"] + made["python"]


def test_a_drawing_keeps_no_style_no_handler_and_no_address():
    tree = svg_tree(
        '<svg xmlns="http://www.w3.org/2000/svg" onload="x()" style="a:b" width="3"><style>x</style><script>y</script>'
        '<a href="http://e"><text x1="2">t</text></a><rect fill="url(#z)" data-node="1"/></svg>'
    )
    assert tree == ["svg", {"width": "3"}, [["rect", {"data-node": "1"}, []]]]
    assert "script" not in ELEMENTS
    assert "foreignObject" not in ELEMENTS


def test_every_element_of_our_drawings_is_let_through():
    import re

    iris = acumen.datasets.load("iris")
    found = acumen.compare([acumen.NaiveBayes()], iris, acumen.KFold(3), random_state=0)
    for svg in (acumen.DecisionTree().fit(iris).to_svg(), found.figure()._repr_svg_()):
        assert set(re.findall(r"<([a-zA-Z]+)", svg)) - {"style"} <= ELEMENTS


def test_values_that_json_has_not_are_none():
    assert plain({"a": float("nan"), "b": [float("inf"), 1], 3: (True, None)}) == {
        "a": None,
        "b": [None, 1],
        "3": [True, None],
    }


def test_the_guess_says_which_column_and_why(tmp_path):
    def guess(text: str):
        path = tmp_path / "t.csv"
        path.write_text(text)
        return likely_target(acumen.read(path))

    assert guess("id,a,churned,z\n1,2,yes,5\n2,3,no,7\n3,4,yes,8\n").name == "churned"
    last = guess("a,b,shape\n1,2.5,round\n2,3.5,flat\n3,1.5,round\n")
    assert last.name == "shape"
    assert "last column" in last.why
    assert guess("a,b\n1.5,2.5\n2.5,1.5\n3.5,0.5\n").name == "b"
    # The same column with its reason once it is taken, also where a class of one level has the better name.
    one = "a,b,class\n" + "".join(f"{i},{i % 3},yes\n" for i in range(30))
    assert guess(one).name == "b"
    assert likely_target(acumen.read(tmp_path / "t.csv", target="b")).name == "b"


def test_the_page_is_small_and_asks_nothing_of_others():
    script = (STATIC / "studio.js").read_bytes()
    total = sum(
        len(gzip.compress((STATIC / name).read_bytes())) for name in ("studio.js", "studio.css", "index.html")
    )
    assert total < 60_000
    text = script.decode()
    for word in ("eval(", "new Function", "document.write", "EventSource", "document.cookie"):
        assert word not in text, word
    for path in (ROOT / "studio-ui" / "src").rglob("*.ts*"):
        assert "innerhtml" not in path.read_text().lower(), path.name
    page = (STATIC / "index.html").read_text()
    assert "<style" not in page
    assert "style=" not in page
    assert "http" not in page
    assert "LICENSES.txt" in {path.name for path in STATIC.iterdir()}


def test_the_page_is_built_of_its_sources_byte_for_byte(tmp_path):
    sources = ROOT / "studio-ui"
    if shutil.which("node") is None or not (sources / "node_modules").is_dir():
        pytest.skip("the page's tools are not installed: `npm ci` in studio-ui/")
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=sources, check=True, capture_output=True)
    for path in STATIC.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), (
            f"{path.name}: run `npm run build` and commit it"
        )
    lock = (sources / "package-lock.json").read_text()
    assert '"resolved"' not in lock, "no registry is named"


def test_without_the_extra_it_is_said_how_to_have_it(monkeypatch):
    import sys

    from acumen.studio.serve import serve

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(AcumenError, match=r"pip install 'acumen-learn\[studio\]'"):
        serve({"page": "/", "state": {}}, root=Path.cwd())
