"""What the server keeps of jobs."""

from __future__ import annotations

import asyncio

import pytest

from acumen.studio import workbench
from acumen.studio.workbench import Workbench, WorkerJob


def test_finished_jobs_are_put_away_by_number_and_by_bytes(tmp_path, monkeypatch):
    async def kept(sizes: list[int]) -> list[int]:
        made = Workbench(tmp_path, tmp_path)
        for number, size in enumerate(sizes):
            made._jobs[number] = WorkerJob(number, "x", {}, done=True, bytes=size)
        made._forget()
        return list(made._jobs)

    monkeypatch.setattr(workbench, "MOST_KEPT", 3)
    monkeypatch.setattr(workbench, "MOST_BYTES", 100)
    assert asyncio.run(kept([1] * 6)) == [3, 4, 5]
    assert asyncio.run(kept([90, 20, 30])) == [1, 2]
    assert asyncio.run(kept([500])) == [0], "the last is for whoever still reads it"


def test_a_queue_that_is_full_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(workbench, "MOST_WAITING", 0)

    async def begin() -> None:
        Workbench(tmp_path, tmp_path).begin("learn", {})

    with pytest.raises(workbench.DataError, match="jobs wait already"):
        asyncio.run(begin())


def test_followers_are_told_what_was_and_what_comes():
    async def followed() -> list[int]:
        job = WorkerJob(1, "x", {})
        job.tell({"a": 1})

        async def later() -> None:
            await asyncio.sleep(0)
            job.tell({"b": 2})
            job.tell({"c": 3}, last=True)

        task = asyncio.ensure_future(later())
        seen = [number async for number, _ in job.follow()]
        await task
        return [*seen, *[number async for number, _ in job.follow(after=2)]]

    assert asyncio.run(followed()) == [0, 1, 2, 2]
