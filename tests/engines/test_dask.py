"""A cluster gives what one machine gives, to the byte; and what cannot be done there is said."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import acumen
from acumen.engines import cores
from acumen.engines.dask_tasks import WorkerBuild
from acumen.errors import AcumenWarning, DataError, EngineError, ParameterError
from acumen.store import save
from ctrl_c_pressed import LIMIT, hears_ctrl_c

pytest.importorskip("distributed", reason="the engine dask needs the package distributed")

#: Rows of the table with all kinds of columns: a block and a little; and of a narrow one, two blocks and a little.
N, LONG = 66_500, 135_000

# What distributed leaves behind when it ends (sockets, tasks, its threads) depends on the moment, and is not ours.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, Path]:
    """A table with gaps, levels and texts, as one text, as Parquet in odd row groups, and with some rows unlabelled."""
    import pyarrow.parquet as pq

    folder = tmp_path_factory.mktemp("dask")
    rng = np.random.default_rng(7)
    number, level, late = rng.normal(size=N).round(4), rng.integers(0, 3, N), rng.random(N) < 0.01
    label = (number + rng.normal(size=N) > 0).astype(int)
    said = ["the quick fox", "a slow dog", "fox and dog and more"]
    lines = [
        f"{number[i]},{'' if late[i] else 'uvw'[level[i]]},{said[level[i]]} {i % 11},{i % 4 + 1},{'np'[label[i]]}\n"
        for i in range(N)
    ]
    lines[-3] = "1.5,only-here,the last,1,p\n"
    header = "number,level,said,weight,y\n"
    made = {"text": folder / "t.csv", "gaps": folder / "gaps.csv", "parquet": folder / "t.parquet"}
    made["text"].write_text(header + "".join(lines))
    some = [line.rsplit(",", 1)[0] + ",?\n" if i % 1000 == 3 else line for i, line in enumerate(lines)]
    made["gaps"].write_text(header + "".join(some))
    kinds = {"said": "text"}
    table = acumen.read(made["text"], target="y", kinds=kinds)
    pq.write_table(table.to_arrow(), made["parquet"], row_group_size=40_000)
    made["long"] = folder / "long.csv"
    signs = rng.integers(0, 2, LONG)
    narrow = (f"{i % 997},{'np'[sign]}\n" for i, sign in enumerate(signs.tolist()))
    made["long"].write_text("number,y\n" + "".join(narrow))
    return made


def comes_true(claim) -> bool:
    """Whether something that takes a while is so in the end; on a busy machine the while may be long."""
    for _ in range(6000):
        if claim():
            return True
        time.sleep(0.05)
    return False


def _sha(model, folder: Path) -> str:
    path = folder / "m.acm"
    save(model, path, summary=True)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _both(learner, path: Path, cluster, tmp_path: Path, **options) -> tuple[str, str]:
    kinds = {"said": "text"}
    here = clone(learner).fit_stream(acumen.scan(path, target="y", kinds=kinds, **options))
    with acumen.engine(cluster):
        there = clone(learner).fit_stream(acumen.scan(path, target="y", kinds=kinds, **options))
    return _sha(here, tmp_path), _sha(there, tmp_path)


LEARNERS = [
    acumen.NaiveBayes(numeric="histogram", class_weight="balanced"),
    acumen.HistogramBayes(),
    acumen.Fisher(),
    acumen.LeastSquares(alpha=1.0),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_model_file_is_that_of_one_machine(learner, files, cluster, tmp_path):
    here, there = _both(learner, files["parquet"], cluster, tmp_path, ignore=["said"])
    assert here == there


@pytest.mark.slow
@pytest.mark.parametrize("learner", [acumen.NaiveBayes(), acumen.LeastSquares(alpha=1.0)], ids=repr)
def test_texts_are_those_of_one_machine(learner, files, cluster, tmp_path):
    here, there = _both(learner, files["parquet"], cluster, tmp_path)
    assert here == there


@pytest.mark.parametrize("options", [{}, {"weight": "weight"}], ids=["unweighted", "weighted"])
def test_blocks_are_those_of_one_machine_where_rows_are_left_out(options, files, cluster, tmp_path):
    here, there = _both(acumen.FullBayes(), files["gaps"], cluster, tmp_path, ignore=["said"], **options)
    assert here == there


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner",
    [
        acumen.Majority(),
        acumen.OneR(),
        acumen.TextBayes(),
        acumen.NearestMean(),
        acumen.FullBayes(),
        acumen.Parzen(),
    ],
    ids=repr,
)
def test_further_learners_are_those_of_one_machine(learner, files, cluster, tmp_path):
    more: dict = {"columns": ["number", "level"]}
    if isinstance(learner, acumen.TextBayes):
        more = {"columns": ["said"], "kinds": {"said": "text"}}
    if isinstance(learner, acumen.Parzen):
        more = {"columns": ["number"]}
    here = clone(learner).fit_stream(acumen.scan(files["gaps"], target="y", **more))
    with acumen.engine(cluster):
        there = clone(learner).fit_stream(acumen.scan(files["gaps"], target="y", **more))
    assert _sha(here, tmp_path) == _sha(there, tmp_path)


@pytest.mark.parametrize("k", [0, 2])
def test_the_length_of_runs_changes_nothing(k, files, cluster, tmp_path):
    with acumen.engine(acumen.engines.Dask(cluster.client, runs=k)):
        there = acumen.NaiveBayes().fit_stream(acumen.scan(files["long"], target="y"))
    here = acumen.NaiveBayes().fit_stream(acumen.scan(files["long"], target="y"))
    assert _sha(here, tmp_path) == _sha(there, tmp_path)


def test_several_files_are_one_table_there_too(files, cluster, tmp_path):
    header, *lines = files["long"].read_text().splitlines(keepends=True)
    for i, (a, b) in enumerate(((0, 70_000), (70_000, 70_001), (70_001, LONG))):
        (tmp_path / f"part{i}.csv").write_text(header + "".join(lines[a:b]))
    with acumen.engine(cluster):
        parts = acumen.scan(str(tmp_path / "part*.csv"), target="y")
        there = acumen.NaiveBayes().fit_stream(parts)
    here = acumen.NaiveBayes().fit_stream(acumen.scan(files["long"], target="y"))
    assert _sha(here, tmp_path) == _sha(there, tmp_path)


def test_keys_say_what_they_are_and_nothing_stays_behind(files, cluster):
    seen = []
    client = cluster.client
    submit = client.submit

    def noted(*args, **given):
        seen.append(given["key"])
        return submit(*args, **given)

    client.submit = noted
    try:
        with acumen.engine(cluster):
            acumen.Majority().fit_stream(acumen.scan(files["text"], target="y"))
    finally:
        client.submit = submit
    assert all(key[0].startswith("acumen-") for key in seen)
    assert any(key[0].startswith("acumen-block-") and key[1] == 0 for key in seen)
    # They are let go of by a thread of its own.
    assert comes_true(lambda: not any(key in client.futures for key in seen))


def test_rows_in_memory_stay_here(cluster, tmp_path):
    iris = acumen.datasets.load("iris")
    with acumen.engine(cluster):
        there = acumen.NaiveBayes().fit(iris)
    assert _sha(there, tmp_path) == _sha(acumen.NaiveBayes().fit(iris), tmp_path)


def test_a_worker_has_as_many_cores_as_threads(cluster):
    assert cluster.client.submit(cores, pure=False).result(timeout=300) == 1


def test_it_listens_to_this_machine_alone_and_shows_no_dashboard(cluster):
    info = cluster.client.scheduler_info()
    assert info["address"].startswith("tcp://127.0.0.1:")
    assert all(worker.startswith("tcp://127.0.0.1:") for worker in info["workers"])
    for port in (
        info["services"]["dashboard"],
        *(w["services"]["dashboard"] for w in info["workers"].values()),
    ):
        for page in ("status", "info/main/workers.html", "metrics", "health"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/{page}", timeout=300)


def test_workers_of_another_build_are_told(cluster, files, monkeypatch):
    here = WorkerBuild.here()
    monkeypatch.setattr(WorkerBuild, "here", lambda: WorkerBuild(here.version, "other", here.processor))
    with acumen.engine(cluster), pytest.warns(AcumenWarning, match="kernels of another build.*to 1e-12"):
        acumen.Majority().fit_stream(acumen.scan(files["text"], target="y"))


def test_what_is_no_scheduler_is_told_in_time():
    with (
        pytest.raises(EngineError, match="no scheduler answers at tcp://127"),
        acumen.engine("dask", "tcp://127.0.0.1:9", timeout=0.5) as engine,
    ):
        engine.client  # noqa: B018


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"workers": 0}, "workers must be a whole number of at least 1"),
        ({"client": "tcp://x:1", "scheduler_file": "f"}, "not both"),
        ({"client": "tcp://x:1", "workers": 2}, "workers applies to a local cluster"),
        ({"runs": -1}, "runs must be"),
        ({"timeout": 0}, "timeout must be"),
    ],
)
def test_what_an_engine_is_told_is_checked(given, said):
    with pytest.raises(ParameterError, match=said):
        acumen.engines.Dask(**given)


def test_engines_that_are_none_are_refused():
    with (
        pytest.raises(ParameterError, match="must be one of threads, serial, disk, dask"),
        acumen.engine("dusk"),
    ):
        pass
    with pytest.raises(ParameterError, match="only dask takes more"), acumen.engine("threads", workers=2):
        pass


def test_a_learner_for_one_machine_says_so(files, cluster):
    from acumen.base.availability import require_parts

    with pytest.raises(DataError, match="KNN is for one machine"):
        require_parts(acumen.KNN())
    with pytest.raises(
        DataError, match="With method='histogram' it learns from parts; else leave the engine out"
    ):
        require_parts(acumen.DecisionTree())


# -- more than sums -------------------------------------------------------------------------------

INPUTS = ["number", "level", "weight"]


@pytest.mark.parametrize(
    ("learner", "more"),
    [
        (acumen.DecisionTree(method="histogram", max_depth=3), {}),
        pytest.param(
            acumen.DecisionTree(method="histogram", max_depth=3, max_leaf_nodes=5, class_weight="balanced"),
            {},
            marks=pytest.mark.slow,
        ),
        (acumen.KMeans(3, max_iter=2, random_state=1), {}),
        pytest.param(
            acumen.GaussianMixture(2, max_iter=2, random_state=1),
            {"ignore": ["level"]},
            marks=pytest.mark.slow,
        ),
        (acumen.PrincipalComponents(), {"ignore": ["level"]}),
    ],
    ids=["tree", "tree of few leaves", "k-means", "mixture", "components"],
)
def test_levels_and_passes_are_those_of_one_machine(learner, more, files, cluster, tmp_path):
    def parts():
        inputs = [name for name in INPUTS if name not in more.get("ignore", ())]
        return acumen.scan(files["gaps"], target="y", columns=inputs)

    here = clone(learner).fit_stream(parts())
    with acumen.engine(cluster):
        there = clone(learner).fit_stream(parts())
    made = []
    for model in (here, there):
        save(model, tmp_path / "m.acm")
        made.append((tmp_path / "m.acm").read_bytes())
    assert made[0] == made[1]


@pytest.mark.slow
def test_a_grid_and_a_tree_grown_to_its_end_are_those_of_one_machine(files, cluster, tmp_path):
    for learner, inputs in (
        (acumen.Sting(), ["number", "weight"]),
        (acumen.DecisionTree(method="histogram"), INPUTS),
        (acumen.RandomTree(method="histogram", random_state=3), INPUTS),
    ):
        made = []
        here = clone(learner).fit_stream(acumen.scan(files["text"], target="y", columns=inputs))
        with acumen.engine(cluster):
            there = clone(learner).fit_stream(acumen.scan(files["text"], target="y", columns=inputs))
        for model in (here, there):
            save(model, tmp_path / "m.acm")
            made.append((tmp_path / "m.acm").read_bytes())
        assert made[0] == made[1]


def test_itemsets_are_those_of_one_machine(files, cluster):
    def found():
        parts = acumen.scan(files["text"], target="y", columns=["level"])
        return [(one.items, one.count) for one in acumen.frequent_itemsets(parts, min_support=0.05)]

    here = found()
    with acumen.engine(cluster):
        assert found() == here
    assert len(here) > 5


def test_rules_between_items_are_those_of_one_machine(files, cluster):
    def found():
        parts = acumen.scan(files["text"], target="y", columns=["level"])
        rules = acumen.AssociationRules(min_support=0.05, min_confidence=0.2).fit(parts).rules_
        return [(str(rule), rules["p"][i], rules["productivity"][i]) for i, rule in enumerate(rules)]

    here = found()
    with acumen.engine(cluster):
        assert found() == here
    assert len(here) > 3


def test_some_rows_are_fetched_by_their_numbers(files, cluster):
    from acumen.engines.tasks import fetch_rows

    parts = acumen.scan(files["long"], target="y")
    numbers = np.array([0, 5, 65_535, 65_536, LONG - 1])
    with acumen.engine(cluster):
        there = fetch_rows(parts, numbers)
    assert there.column("number").tolist() == (numbers % 997).tolist()
    assert fetch_rows(parts, numbers).label_values().tolist() == there.label_values().tolist()


def test_folds_and_settings_are_tasks_with_the_same_answers(cluster):
    iris = acumen.datasets.load("iris")

    def answers():
        compared = acumen.compare(
            [acumen.KNN(), acumen.DecisionTree()], iris, acumen.KFold(3), random_state=0
        )
        tuned = acumen.Tuned(acumen.KNN(), {"n_neighbors": [1, 5]}, random_state=0).fit(iris)
        return {
            name: each.table["error"].tolist() for name, each in compared.assessments.items()
        }, tuned.best_params_

    here = answers()
    with acumen.engine(cluster):
        assert answers() == here


def test_what_a_task_warns_of_is_said_here(cluster):
    from acumen.engines.tasks import each_task

    with acumen.engine(cluster), pytest.warns(AcumenWarning, match="number 3"):
        assert list(each_task(_warning, [(2,), (3,)], what="a test")) == [4, 9]


def _warning(number: int) -> int:
    import warnings

    if number == 3:
        warnings.warn("number 3", AcumenWarning, stacklevel=1)
    return number**2


@pytest.mark.parametrize("form", [pytest.param("csv", marks=pytest.mark.slow), "parquet"])
def test_predictions_are_written_where_rows_are_read(form, files, cluster, tmp_path):
    model = acumen.NaiveBayes().fit_stream(acumen.scan(files["text"], target="y", ignore=["said"]))
    with acumen.engine(cluster):
        made = acumen.predict_parts(
            model, acumen.scan(files["gaps"], target="y"), tmp_path / "out", form=form, probabilities=True
        )
    assert made.rows == N
    assert len(made.files) == 2
    back = acumen.read(str(tmp_path / "out" / f"*.{form}"), target="prediction")
    table = acumen.read(files["gaps"], target="y")
    assert back.label_values().tolist() == model.predict(table).tolist()
    assert back.column("row").tolist() == list(range(1, N + 1))
    np.testing.assert_array_equal(back.column("P(p)"), model.predict_proba(table)[:, 1])
    with pytest.raises(DataError, match="holds something already"):
        acumen.predict_parts(model, acumen.scan(files["gaps"], target="y"), tmp_path / "out")


# -- what goes wrong ------------------------------------------------------------------------------


def test_a_bad_block_is_told_with_its_file_and_lines(files, cluster, tmp_path):
    path = tmp_path / "changed.csv"
    path.write_text(files["long"].read_text())
    parts = acumen.scan(path, target="y")
    stat = path.stat()
    lines = path.read_text().splitlines(keepends=True)
    lines[70_000] = "x" * (len(lines[70_000]) - 1) + "\n"
    path.write_text("".join(lines))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with (
        acumen.engine(acumen.engines.Dask(cluster.client, runs=0)),
        pytest.raises(DataError, match=r"changed.*came up in .*changed\.csv, lines 65,538 to 131,073"),
    ):
        acumen.NaiveBayes().fit_stream(parts)
    model = acumen.NaiveBayes().fit_stream(acumen.scan(files["long"], target="y"))
    with (
        acumen.engine(acumen.engines.Dask(cluster.client, runs=0)),
        pytest.raises(DataError, match=r"changed.*came up in .*changed\.csv, lines 65,538 to 131,073"),
    ):
        acumen.predict_parts(model, parts, tmp_path / "out", form="csv")


def _pids(client) -> list[int]:
    return list(client.run(os.getpid).values())


@pytest.mark.slow
@pytest.mark.parametrize("when", ["plan", "map", "reduce", "level"])
def test_a_worker_that_is_killed_changes_nothing(when, files, tmp_path):
    tree = when == "level"
    learner = (
        acumen.DecisionTree(method="histogram", max_depth=5)
        if tree
        else acumen.NaiveBayes(numeric="histogram")
    )

    def parts():
        return acumen.scan(files["gaps"], target="y", columns=INPUTS)

    here = clone(learner).fit_stream(parts())
    save(here, tmp_path / "here.acm")
    with acumen.engines.Dask(workers=2, runs=0) as engine:
        client, jobs, killed = engine.client, set(), []
        submit, pids = client.submit, _pids(client)

        def watched(*args, **given):
            role, _, job = given["key"][0].rpartition("-")
            jobs.add(job)
            made = submit(*args, **given)
            now = {
                "plan": len(jobs) == 1 and "-block-" in role,
                "map": len(jobs) == 2 and "-block-" in role,
                "reduce": "-add-" in role,
                "level": len(jobs) >= 8 and "-block-" in role,
            }[when]
            if now and not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)
            return made

        client.submit = watched
        with acumen.engine(engine):
            there = clone(learner).fit_stream(parts())
    assert killed
    save(there, tmp_path / "there.acm")
    assert (tmp_path / "here.acm").read_bytes() == (tmp_path / "there.acm").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 3])
def test_the_number_of_workers_changes_nothing(workers, files, tmp_path):
    def parts():
        return acumen.scan(files["gaps"], target="y", columns=INPUTS)

    made = [_sha(acumen.NaiveBayes().fit_stream(parts()), tmp_path)]
    with acumen.engine("dask", workers=workers, runs=0):
        made.append(_sha(acumen.NaiveBayes().fit_stream(parts()), tmp_path))
        tree = acumen.DecisionTree(method="histogram", max_depth=3).fit_stream(parts())
    same = acumen.DecisionTree(method="histogram", max_depth=3).fit_stream(parts())
    assert made[0] == made[1]
    assert str(tree) == str(same)


@pytest.mark.slow
def test_a_scheduler_that_is_lost_is_told_and_nothing_hangs(files, tmp_path):
    address = tmp_path / "scheduler.json"
    run = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
           "--no-dashboard", "--scheduler-file", str(address)]  # fmt: skip
    scheduler = subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert comes_true(lambda: address.exists() and address.stat().st_size)
        # There is no worker, so that nothing would ever be done.
        with acumen.engine("dask", scheduler_file=str(address), timeout=300) as engine:
            parts = acumen.scan(files["text"], target="y", ignore=["said"])
            engine.client  # noqa: B018 - connected before the scheduler is lost
            threading.Timer(2.0, scheduler.kill).start()
            with pytest.raises(EngineError, match="the connection to the scheduler"):
                acumen.NaiveBayes().fit_stream(parts)
    finally:
        scheduler.kill()
        scheduler.wait()


@pytest.mark.slow
def test_a_cluster_without_workers_is_given_up(files, tmp_path):
    import distributed

    none = distributed.LocalCluster(
        n_workers=0, host="127.0.0.1", dashboard_address=":0", scheduler_port=0, processes=True
    )
    with (
        none,
        acumen.engine("dask", none.scheduler_address, timeout=6),
        pytest.raises(EngineError, match="no worker for 6 s"),
    ):
        acumen.Majority().fit_stream(acumen.scan(files["text"], target="y"))


@pytest.mark.slow
def test_nothing_stays_of_a_client_that_is_killed(files, tmp_path):
    program = tmp_path / "client.py"
    program.write_text(
        "import os, acumen\n"
        "if __name__ == '__main__':\n"
        "    engine = acumen.engines.Dask(workers=2)\n"
        "    print(*engine.client.run(os.getpid).values(), flush=True)\n"
        "    import time; time.sleep(600)\n"
    )
    client = subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, text=True)
    try:
        assert client.stdout is not None
        pids = [int(word) for word in client.stdout.readline().split()]
        client.stdout.close()
    finally:
        client.kill()
        client.wait()
    assert len(pids) == 2
    assert comes_true(lambda: not any(map(_runs, pids)))


@pytest.mark.slow
def test_an_interrupt_is_heard_by_the_client_alone_and_ends_all(tmp_path):
    program = tmp_path / "client.py"
    program.write_text(
        "import os, signal, time, acumen\n"
        "if __name__ == '__main__':\n"
        "    signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "    try:\n"
        "        with acumen.engines.Dask(workers=2) as engine:\n"
        "            print(*engine.client.run(os.getpid).values(), flush=True)\n"
        "            engine.client.submit(time.sleep, 0.5).result()\n"
        "            time.sleep(600)\n"
        "    except KeyboardInterrupt:\n"
        "        print('stopped')\n"
    )
    run = [sys.executable, str(program)]
    client = subprocess.Popen(
        run,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hears_ctrl_c,
    )
    try:
        assert client.stdout is not None
        pids = [int(word) for word in client.stdout.readline().split()]
        os.killpg(client.pid, signal.SIGINT)  # as a terminal does
        said, complaints = client.communicate(timeout=LIMIT)
    finally:
        client.kill()
        client.wait()
    # On a machine that is busy distributed may say that a worker was slow to end.
    assert (said, "Traceback" in complaints, client.returncode) == ("stopped\n", False, 0), complaints
    assert len(pids) == 2
    assert comes_true(lambda: not any(_runs(pid) for pid in pids))


def _runs(pid: int) -> bool:
    """Whether there is a process of that number that has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_logistic_regression_ends_where_it_ends_on_one_machine(files, cluster):
    given = {"target": "y", "columns": INPUTS}
    here = acumen.Logistic(tol=1e-10).fit(acumen.read(files["gaps"], **given))
    with acumen.engine(cluster):
        there = acumen.Logistic().fit_stream(acumen.scan(files["gaps"], **given))
    assert there.column_names_ == here.column_names_
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(there.intercept_, here.intercept_, rtol=1e-10, atol=1e-10)
    parts = acumen.Logistic().fit_stream(acumen.scan(files["gaps"], **given))
    for name, array in parts.model_.to_arrays().items():
        assert array.tobytes() == there.model_.to_arrays()[name].tobytes()
    assert not hasattr(acumen.Logistic(solver="lbfgs"), "fit_stream")
