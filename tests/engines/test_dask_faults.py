"""What goes wrong on a cluster ends in the answer or in a sentence, within a stated time, and leaves nothing."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import acumen
from acumen.engines import dask_cluster, dask_waits
from acumen.errors import DataError, EngineError
from acumen.store import save

pytest.importorskip("distributed", reason="the engine dask needs the package distributed")


def _sha(model, folder: Path) -> str:
    save(model, folder / "m.acm")
    return hashlib.sha256((folder / "m.acm").read_bytes()).hexdigest()


def _parquet(path: Path, rows: int, columns: int, group: int = 1 << 20, seed: int = 0) -> Path:
    import pyarrow
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    made = {f"x{j}": rng.normal(size=rows) for j in range(columns)}
    made["y"] = np.where(made["x0"] > 0, "p", "n")
    pq.write_table(pyarrow.table(made), path, row_group_size=group)
    return path


# -- joining --------------------------------------------------------------------------------------


def test_a_scheduler_has_ten_seconds_to_answer(monkeypatch):
    asked = []

    def refused(distributed, place, timeout):
        asked.append((place, timeout))
        raise OSError("refused")

    monkeypatch.setattr(dask_cluster, "_connect", refused)
    for timeout in (60.0, 3.0):
        with pytest.raises(EngineError, match="no scheduler answers at tcp://127"):
            acumen.engines.Dask("tcp://127.0.0.1:9", timeout=timeout).client  # noqa: B018
    assert asked == [("tcp://127.0.0.1:9", 10.0), ("tcp://127.0.0.1:9", 3.0)]


@pytest.mark.parametrize(
    ("text", "said"), [(None, "there is no such file"), ("{}", "holds no address"), ("[", "holds no address")]
)
def test_a_scheduler_file_that_says_nothing_is_waited_for_no_longer(text, said, tmp_path):
    path = tmp_path / "scheduler.json"
    if text is not None:
        path.write_text(text)
    began = time.monotonic()
    with pytest.raises(EngineError, match=f"says nothing of a scheduler within 0.2 s: .*{said}"):
        acumen.engines.Dask(scheduler_file=str(path), timeout=0.2).client  # noqa: B018
    assert time.monotonic() - began < 30


def test_what_is_no_address_is_told_and_the_client_is_not_waited_for_again():
    with pytest.raises(EngineError, match="no scheduler answers at nonsense"):
        acumen.engines.Dask("nonsense", timeout=0.5).client  # noqa: B018


def test_a_scheduler_that_hangs_is_told(monkeypatch):
    monkeypatch.setattr(dask_waits, "LEAST_TIMEOUT", 0.05)
    hangs = threading.Event()
    client = SimpleNamespace(scheduler_info=lambda n_workers=5: hangs.wait())
    try:
        with pytest.raises(EngineError, match=r"the scheduler has not answered for 0\.05 s"):
            dask_waits.workers_of(client, 0.01)
    finally:
        hangs.set()


def test_a_connection_that_breaks_while_the_scheduler_is_asked_is_told():
    def broken(n_workers=5):
        raise OSError("closed")

    with pytest.raises(EngineError, match="the connection to the scheduler was lost"):
        dask_waits.workers_of(SimpleNamespace(scheduler_info=broken), 1.0)


@pytest.mark.slow
def test_a_scheduler_that_is_stopped_in_mid_fit_is_told(tmp_path):
    path = _parquet(tmp_path / "t.parquet", 400_000, 4, group=50_000)
    place = tmp_path / "scheduler.json"
    run = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--no-dashboard"]
    scheduler = subprocess.Popen([*run, "--scheduler-file", str(place)], stderr=subprocess.DEVNULL)
    run = [
        sys.executable,
        "-m",
        "distributed.cli.dask_worker",
        "--no-nanny",
        "--no-dashboard",
        "--nthreads",
        "1",
    ]
    worker = None
    try:
        for _ in range(600):
            if place.exists():
                break
            time.sleep(0.1)
        worker = subprocess.Popen([*run, "--scheduler-file", str(place)], stderr=subprocess.DEVNULL)
        with acumen.engines.Dask(scheduler_file=str(place), timeout=10) as engine:
            engine.client.wait_for_workers(1, timeout=60)
            with acumen.engine(engine):
                acumen.Majority().fit_stream(acumen.scan(path, target="y"))
                os.kill(scheduler.pid, signal.SIGSTOP)
                with pytest.raises(EngineError, match="the scheduler has not answered for 10 s"):
                    acumen.NaiveBayes().fit_stream(acumen.scan(path, target="y"))
    finally:
        os.kill(scheduler.pid, signal.SIGCONT)
        for each in (worker, scheduler):
            if each is not None:
                each.kill()
                each.wait()


# -- workers --------------------------------------------------------------------------------------


def _waiting(workers):
    """A client that is connected, and a future that is never done."""

    def exception(timeout):
        raise TimeoutError

    client = SimpleNamespace(status="running", scheduler_info=lambda n_workers=5: {"workers": workers})
    return client, SimpleNamespace(done=lambda: False, exception=exception)


def test_workers_of_our_own_that_do_not_come_back_are_begun_anew(monkeypatch):
    monkeypatch.setattr(dask_waits, "MISSING_SECONDS", 0.0)
    workers = {"a": _IDLE}
    client, future = _waiting(workers)
    begun = []

    def scale(n):
        begun.append(n)
        workers["b"] = _IDLE
        future.done = lambda: True
        future.result = lambda timeout: "done"

    ours = SimpleNamespace(worker_spec={0: {}, 1: {}}, scale=scale)
    assert dask_waits.wait_for(client, future, 60.0, str, ours=ours) == "done"
    assert begun == [2]


_FULL = {"status": "paused", "metrics": {"task_counts": {"waiting": 1, "memory": 2}}}
_IDLE = {"status": "running", "metrics": {"task_counts": {"memory": 1}}}
_BUSY = {"status": "paused", "metrics": {"task_counts": {"executing": 1, "ready": 3}}}


@pytest.mark.parametrize(
    ("workers", "said"),
    [
        ({}, "there has been no worker for 0.05 s"),
        (
            {"a": {"status": "paused"}},
            "workers with tasks have held still for 0.05 s because their memory is full",
        ),
        (
            {"a": _FULL, "b": _IDLE},
            "workers with tasks have held still for 0.05 s because their memory is full",
        ),
    ],
    ids=["none", "full", "one full and one idle"],
)
def test_workers_that_are_gone_or_full_are_given_up_in_time(workers, said):
    with pytest.raises(EngineError, match=said):
        dask_waits.wait_for(*_waiting(workers), 0.05, str)


def test_a_worker_that_works_is_waited_for():
    assert dask_waits._makes_progress({"a": _BUSY})
    assert dask_waits._makes_progress({"a": {"status": "running"}})
    assert dask_waits._makes_progress({"a": _FULL, "b": _BUSY})
    assert not dask_waits._makes_progress({"a": _FULL, "b": _IDLE})
    assert not dask_waits._makes_progress({})


def _made_full(dask_worker):
    """From now on this worker takes its memory for full."""
    dask_worker.memory_manager.memory_pause_fraction = 1e-9


@pytest.mark.slow
def test_a_worker_that_sits_on_its_tasks_is_begun_anew(tmp_path, monkeypatch):
    path = _parquet(tmp_path / "rows.parquet", 400_000, 3, group=20_000)

    def fitted():
        return acumen.NaiveBayes().fit_stream(acumen.scan(path, target="y"))

    here = _sha(fitted(), tmp_path)
    begun = []
    monkeypatch.setattr(dask_waits, "STUCK_SECONDS", 1.0)
    anew = dask_waits._restart_workers
    monkeypatch.setattr(
        dask_waits, "_restart_workers", lambda client, names: (begun.extend(names), anew(client, names))
    )
    engine = acumen.engines.Dask(workers=2, runs=0)
    try:
        workers = list(engine.client.scheduler_info(n_workers=-1)["workers"])
        engine.client.run(_made_full, workers=workers)
        with acumen.engine(engine):
            assert _sha(fitted(), tmp_path) == here
    finally:
        engine.close()
    assert begun


@pytest.mark.slow
def test_workers_smaller_than_the_table_give_its_model(tmp_path):
    path = _parquet(tmp_path / "large.parquet", 2_200_000, 20)
    assert path.stat().st_size > 350e6

    def fitted():
        return acumen.NaiveBayes().fit_stream(acumen.scan(path, target="y"))

    here = _sha(fitted(), tmp_path)
    with acumen.engine("dask", workers=2, memory="340MB"):
        assert _sha(fitted(), tmp_path) == here


@pytest.mark.slow
def test_rows_that_no_worker_has_memory_for_are_named_in_time(tmp_path):
    path = _parquet(tmp_path / "wide.parquet", 70_000, 200)
    began = time.monotonic()
    with (
        acumen.engine("dask", workers=1, memory="160MB", timeout=20),
        pytest.raises(
            EngineError,
            match=r"worker after worker died while it worked on .*wide\.parquet, rows 1 to |memory is full|no worker",
        ),
    ):
        acumen.NaiveBayes().fit_stream(acumen.scan(path, target="y"))
    assert time.monotonic() - began < 500  # not the hour that Dask itself would go on for


@pytest.mark.slow
def test_seven_workers_make_the_same_files(tmp_path):
    path = _parquet(tmp_path / "t.parquet", 530_000, 3, group=70_000)

    def fitted(learner):
        return learner.fit_stream(acumen.scan(path, target="y"))

    def both():
        tree = acumen.DecisionTree(method="histogram", max_depth=4)
        return _sha(fitted(acumen.FullBayes()), tmp_path), _sha(fitted(tree), tmp_path)

    here = both()
    with acumen.engine("dask", workers=7, runs=0):
        assert both() == here


# -- rows -----------------------------------------------------------------------------------------


def test_a_damaged_row_group_is_told_with_its_file_and_rows(cluster, tmp_path):
    import pyarrow.parquet as pq

    path = _parquet(tmp_path / "damaged.parquet", 140_000, 2, group=70_000)
    parts = acumen.scan(path, target="y")
    stat = path.stat()
    begin = pq.read_metadata(path).row_group(1).column(0).data_page_offset
    data = bytearray(path.read_bytes())
    data[begin : begin + 64] = b"\xff" * 64
    path.write_bytes(data)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with (
        acumen.engine(acumen.engines.Dask(cluster.client, runs=0)),
        pytest.raises(DataError, match=r"came up in .*damaged\.parquet, rows [\d,]+ to [\d,]+\."),
    ):
        acumen.FullBayes().fit_stream(parts)


# -- whoever asked --------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_scheduler_forgets_what_a_client_that_is_gone_had_asked_for(tmp_path):
    import distributed

    program = tmp_path / "client.py"
    program.write_text(
        "import sys, time, acumen\n"
        "engine = acumen.engines.Dask(sys.argv[1])\n"
        "asked = engine.map_calls(time.sleep, [(60,)] * 8, what='nothing')\n"
        "print(len(engine.client.nthreads()), flush=True)\n"
        "next(asked)\n"
    )
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0", processes=True
    ) as joined:
        run = [sys.executable, str(program), joined.scheduler_address]
        client = subprocess.Popen(run, stdout=subprocess.PIPE, text=True)
        try:
            assert client.stdout is not None
            assert client.stdout.readline() == "1\n"
            client.stdout.close()
            for _ in range(300):
                if joined.scheduler.tasks:
                    break
                time.sleep(0.1)
            assert joined.scheduler.tasks
        finally:
            os.kill(client.pid, signal.SIGKILL)
            client.wait()
        for _ in range(300):  # thirty seconds
            if not joined.scheduler.tasks:
                break
            time.sleep(0.1)
        assert not joined.scheduler.tasks
