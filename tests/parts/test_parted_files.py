"""Plans and sums in files: what is damaged, forged or of another kind is a sentence, and never believed."""

from __future__ import annotations

import copy
import json
import os

import numpy as np
import pytest

import acumen
from acumen.errors import ModelFileError
from acumen.parts import read_plan, read_sum, write_plan, write_sum
from acumen.store import read_members, write_members
from part_tables import blocks_of, lines, written

BLOCK = 32


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A plan with words, and a sum with runs and with rows of every kind of column."""
    folder = tmp_path_factory.mktemp("files")
    head, rows = lines(200, seed=8, columns=("x", "c", "t", "w", "y"))
    whole, parts = written(folder, head, rows, (10, 130))
    with blocks_of(BLOCK):
        plan = acumen.parts.plan(parts, acumen.NaiveBayes(), target="y", weight="w", kinds={"t": "text"})
        write_plan(plan, folder / "plan.json")
        for i, part in enumerate(parts):
            write_sum(acumen.parts.summarise(part, plan), folder / f"{i}.sum")
    acumen.save(acumen.NaiveBayes().fit(acumen.read(whole, target="y")), folder / "m.acm")
    return folder


@pytest.fixture(autouse=True)
def small():
    with blocks_of(BLOCK):
        yield


def test_plans_and_sums_come_back_as_they_went(made, tmp_path):
    plan, part = read_plan(made / "plan.json"), read_sum(made / "1.sum")
    write_plan(plan, tmp_path / "plan.json")
    write_sum(part, tmp_path / "1.sum")
    assert (tmp_path / "plan.json").read_bytes() == (made / "plan.json").read_bytes()
    assert (tmp_path / "1.sum").read_bytes() == (made / "1.sum").read_bytes()
    assert part.runs and part.ragged and plan.difference(part.plan) is None


@pytest.mark.parametrize("name", ["plan.json", "1.sum"])
def test_cut_or_changed_anywhere_is_a_sentence_or_says_the_same(made, name, tmp_path):
    whole = (made / name).read_bytes()
    read = read_plan if name == "plan.json" else read_sum
    rng = np.random.default_rng(0)
    file = tmp_path / name
    for end in [0, 1, 3, *rng.integers(4, len(whole) - 1, 40).tolist()]:
        file.write_bytes(whole[:end])
        with pytest.raises(ModelFileError, match=name):
            read(file)
    for place, byte in zip(
        rng.integers(0, len(whole), 80).tolist(), rng.integers(1, 256, 80).tolist(), strict=True
    ):
        spoiled = bytearray(whole)
        spoiled[place] ^= byte
        file.write_bytes(spoiled)
        try:
            read(file)
        except ModelFileError as error:
            assert name in str(error)
        else:
            assert name == "plan.json"  # which has no checksum: a name or a number may be another sound one


def resealed(made, tmp_path, change):
    """The sum with its manifest or arrays changed, and every checksum right again."""
    manifest, arrays = read_members(made / "1.sum")
    manifest, arrays = copy.deepcopy(manifest), {name: np.array(array) for name, array in arrays.items()}
    change(manifest, arrays)
    write_members(tmp_path / "x.sum", manifest, arrays)
    return tmp_path / "x.sum"


def put(*path):
    """A change of the manifest: what is at the end of the path becomes its last word."""

    def change(manifest, arrays):
        at = manifest
        for key in path[:-2]:
            at = at[key]
        at[path[-2]] = path[-1]

    return change


def array(name, function):
    def change(manifest, arrays):
        arrays[name] = function(arrays[name])

    return change


def without(name):
    return lambda manifest, arrays: arrays.pop(name)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("places", [0]), "not those of the parts it names"),
        (put("places", [0, 1]), "not those of the parts it names"),
        (put("places", [1, 1]), "names parts that there are not"),
        (put("places", [7]), "names parts that there are not"),
        (put("places", []), "names parts that there are not"),
        (put("runs", 0, [0, 0]), "it holds some rows twice"),
        (put("runs", 0, [1, 60]), "run of too many blocks"),
        (put("runs", 0, [3, 1]), "begin at a multiple"),
        (put("runs", 0, [True, 0]), "are not counted"),
        (put("runs", 0, [4096, 0]), "blocks that the plan does not have"),
        (put("ragged", 0, [0, 10**9]), "not of one block"),
        (put("ragged", 0, 1, 3), "has shape"),
        (put("parts", 0, "counted", 11), "is not counted|are not counted"),
        (put("parts", 0, "counted", 1), "not those of the parts it names"),
        (put("parts", 0, "trace", "x"), "has no trace"),
        (put("parts", 0, "weighing", [1.0, -1.0, True, True]), "what the rows"),
        (put("parts", []), "it has no parts"),
        (put("format", 2), "written by a newer acumen"),
        (put("holds", "plan"), "not what acumen parts summarise writes; it was written by acumen parts plan"),
        (put("learner", "kind", "decision-tree"), "no such parameters"),
        (put("learner", {"kind": "knn", "parameters": {}}), "not made of sums over the rows"),
        (put("learner", "parameters", "alpha", -1), "alpha must be"),
        (put("learner", "parameters", "nothing", 1), "no such parameters"),
        (put("options", "query", "DROP"), "options that there are not"),
        (put("options", "ragged", "sometimes"), "ragged must be"),
        (put("left_out", ["nobody"]), "leaves out columns that there are not"),
        (put("left_out", ["x", "c", "t"]), "leaves out columns that there are not"),
        (put("schema", "target", None), "must list every column"),
        (put("factors", [1.0]), "class weights are not one for each class"),
        (without("seen/words"), "its profile of its rows is incomplete"),
        (without("runs/0/classes/table"), "does not have the arrays"),
        (without("ragged/0/labels"), "not those its schema asks for"),
        (array("ragged/0/labels", lambda a: a + 90), "none of its levels"),
        (array("ragged/0/labels", lambda a: a - 5), "none of its levels"),
        (array("ragged/0/nominal", lambda a: a + 90), "none of its levels"),
        (array("ragged/0/weights", lambda a: a * 0), "has no weight"),
        (array("ragged/0/text0_ends", lambda a: a[::-1].copy()), "do not fit their ends"),
        (array("ragged/0/numeric", lambda a: a.T.copy()), "has shape"),
        (array("runs/0/classes/table", lambda a: a - 100), "negative weight"),
        (array("runs/0/classes/table", lambda a: a + np.inf), "beyond 1e"),
        (array("seen/words", lambda a: a[::-1].copy()), "its fingerprint is invalid"),
        (array("seen/level", lambda a: a + 99), "impossible level"),
        (lambda m, a: a.update({"more/x": np.zeros(1)}), "belongs to nothing"),
        (lambda m, a: a.update({"runs/9/x": np.zeros(1)}), "belongs to none of its blocks"),
        (lambda m, a: m.update(more=1), "its fields are not those of a summary"),
    ],
)  # fmt: skip
def test_a_forged_sum_is_a_sentence(made, tmp_path, change, said):
    with pytest.raises(ModelFileError, match=said) as caught:
        read_sum(resealed(made, tmp_path, change))
    assert "x.sum" in str(caught.value) and "Error:" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: m.update(plan=[]), "its arrays are not an object"),
        (lambda m: m["plan"].update({next(iter(m["plan"])): "@@"}), "damaged or forged"),
        (lambda m: m["plan"].clear(), "the plan is not known"),
        (lambda m: m.update(parts=m["parts"] * 2), "a part is in it twice"),
        (lambda m: [part.update(counted=0) for part in m["parts"]], "no row of its parts counts"),
        (
            lambda m: m.update(holds="sum"),
            "not what acumen parts plan writes; it was written by acumen parts summarise",
        ),
        (lambda m: m["options"].update(dialect={"delimiter": "two"}), "delimiter must be one character"),
    ],
)
def test_a_forged_plan_is_a_sentence(made, tmp_path, change, said):
    plan = json.loads((made / "plan.json").read_text())
    change(plan)
    (tmp_path / "x.json").write_text(json.dumps(plan))
    with pytest.raises(ModelFileError, match=said) as caught:
        read_plan(tmp_path / "x.json")
    assert "x.json" in str(caught.value)


def test_one_kind_of_file_in_the_place_of_another_is_a_sentence(made, tmp_path):
    with pytest.raises(
        ModelFileError, match=r"m\.acm: this is not what acumen parts summarise writes; it is a model"
    ):
        read_sum(made / "m.acm")
    with pytest.raises(
        ModelFileError, match=r"plan\.json: this is no summary; acumen parts summarise -o FILE writes"
    ):
        read_sum(made / "plan.json")
    with pytest.raises(ModelFileError, match=r"1\.sum: this is no plan but a model or a summary"):
        read_plan(made / "1.sum")
    with pytest.raises(ModelFileError, match=r"1\.sum: this is the summary of some rows and no model yet"):
        acumen.load(made / "1.sum")
    with pytest.raises(ModelFileError, match="no model yet"):
        acumen.store.manifest(made / "1.sum")
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ModelFileError, match="this is not a plan; acumen parts plan -o FILE writes one"):
        read_plan(tmp_path / "x.csv")
    for read in (read_plan, read_sum):
        with pytest.raises(ModelFileError, match="this is a folder"):
            read(tmp_path)
        with pytest.raises(FileNotFoundError, match="there is no such file"):
            read(tmp_path / "nothing")


def test_nothing_that_was_told_of_the_machine_is_in_a_plan(made, tmp_path):
    text = (made / "plan.json").read_text()
    assert "n_jobs" not in text and os.uname().nodename not in text
    with pytest.raises(ModelFileError, match="cannot be written"):
        write_plan(read_plan(made / "plan.json"), tmp_path / "no" / "plan.json")
