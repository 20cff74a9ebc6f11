"""Limits of the studio: names, sizes, depth, time for headers, and a worker that is short of memory."""

from __future__ import annotations

import builtins
import json
import re
import shlex
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the studio needs the extra `studio`")
pytest.importorskip("uvicorn", reason="the studio needs the extra `studio`")

from acumen.studio import worker
from acumen.studio.uploads import LONGEST, Uploads, plain_name
from studio_served import Served

IRIS = {"source": {"dataset": "iris"}}


def no_memory(*_: Any, **__: Any) -> Any:
    raise MemoryError


def test_a_worker_without_memory_for_scikit_learn_works_on(monkeypatch):
    load = builtins.__import__

    def short(name: str, *rest: Any) -> Any:
        return no_memory() if name.startswith("sklearn") else load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", short)
    worker.warm()


def test_a_worker_without_memory_for_an_answer_says_so(monkeypatch, tmp_path):
    sent: list[Any] = []
    pipe = SimpleNamespace(send_bytes=lambda text: sent.append(json.loads(text)))
    made = worker.Worker(pipe, str(tmp_path))
    monkeypatch.setattr("acumen.cli.main.explain", no_memory)
    assert worker._run_safely(no_memory) == {"error": worker.SHORT}
    encode = json.dumps
    monkeypatch.setattr(
        json, "dumps", lambda value, **_: no_memory() if "big" in str(value) else encode(value)
    )
    made._say({"answer": 7, "value": "big"})
    made._say({"of": 8, "event": {"result": "big"}, "last": True})
    assert sent == [
        {"answer": 7, "error": worker.SHORT},
        {"of": 8, "last": True, "event": {"failed": worker.SHORT}},
    ]


@pytest.mark.parametrize("name", ["😀" * 120 + ".csv", "x" * 300 + ".csv.gz", "😀" * 300, "a." + "é" * 200])
def test_long_names_are_cut_by_bytes_and_keep_their_ending(name, tmp_path):
    kept = plain_name(name)
    assert len(kept.encode()) <= LONGEST
    (tmp_path / kept).write_text("")
    assert Path(kept).suffix == Path(name).suffix or len(Path(name).suffix.encode()) > 16


def test_an_upload_named_by_emoji_is_kept(studio):
    name = "%F0%9F%98%80" * 120 + ".csv"
    status, _, body = studio.request("PUT", "/api/upload", b"x,y\n1,a\n2,b\n", {"X-File-Name": name})
    assert status == 200, body


@pytest.mark.parametrize("digits", [16, 4301, 20_000])
def test_numbers_of_any_length_lead_nowhere_in_a_sentence(studio, digits):
    for method, path in (
        ("GET", "/api/jobs/"),
        ("DELETE", "/api/jobs/"),
        ("GET", "/api/made/"),
        ("POST", "/api/made/"),
    ):
        status, _, body = studio.request(method, path + "9" * digits)
        assert status == 404
        assert json.loads(body)["error"]


@pytest.mark.parametrize("key", ["table", "kinds", "levels", "more"])
def test_questions_of_any_depth_are_refused_in_a_sentence(studio, key):
    for depth in (20, 960, 5000):
        for opened, closed in (("[", "]"), ('{"kinds":', "}")):
            body = f'{{"table": {{"source": {{"dataset": "iris"}}, "{key}": {opened * depth}1{closed * depth}}}}}'
            status, _, answer = studio.request(
                "POST", "/api/ask/card", body.encode(), {"Content-Type": "application/json"}
            )
            assert status == 422, (depth, answer)
            assert json.loads(answer)["error"]


def test_a_file_that_begins_with_a_dash_is_no_option_in_a_command(studio, folder):
    path = folder / "-o.csv"
    path.write_text("x,class\n1,a\n2,b\n3,a\n4,b\n")
    try:
        listing = json.loads(studio.request("GET", "/api/start")[2])["tables"]
        number = next(each["number"] for each in listing if each["name"] == "-o.csv")
        upload = studio.request("PUT", "/api/upload", path.read_bytes(), {"X-File-Name": "-o.csv"})[2]
        for source in ({"file": number}, {"upload": json.loads(upload)["number"]}):
            answer = studio.ask("card", table={"source": source, "target": "class"})
            assert answer["card"]["rows"] == 4
            assert "./-o.csv" in shlex.split(answer["command"]["cli"])
    finally:
        path.unlink()


def linked(studio: Served, first: bytes) -> socket.socket:
    link = socket.create_connection(("127.0.0.1", studio.port), timeout=60)
    link.sendall(first)
    return link


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(studio):
    """The length alone is enough for an answer, and the connection is closed behind it."""
    head = (
        f"PUT /api/upload HTTP/1.1\r\nHost: 127.0.0.1:{studio.port}\r\nAuthorization: Bearer {studio.key}\r\n"
    )
    with linked(studio, f"{head}Content-Length: {5 << 30}\r\n\r\n".encode()) as link:
        answer = b""
        while part := link.recv(65536):
            answer += part
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"larger than" in answer


def test_a_body_that_nobody_reads_is_not_taken_in(studio):
    """Whoever sends without the key is answered, and cut off."""
    head = f"PUT /api/upload HTTP/1.1\r\nHost: 127.0.0.1:{studio.port}\r\nContent-Length: {5 << 30}\r\n\r\n"
    with linked(studio, head.encode()) as link:
        assert link.recv(65536).startswith(b"HTTP/1.1 401")
        with pytest.raises(ConnectionError):
            for _ in range(1000):
                link.sendall(b"x" * (1 << 20))


def test_refusals_of_small_requests_leave_the_connection_open(studio):
    """Those whose body came whole have nothing to be cut off."""
    import http.client

    link = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=60)
    headers = {"Authorization": f"Bearer {studio.key}", "Content-Type": "application/json"}
    try:
        for _ in range(3):
            link.request("POST", "/api/ask/card", b'{"table": 1}', headers)
            assert link.getresponse().read()
            assert link.sock is not None
    finally:
        link.close()


def test_connections_without_a_request_give_their_place_back(monkeypatch, tmp_path):
    """Half a request, a byte now and then, or nothing at all: closed in time, while whole requests are answered."""
    import asyncio

    import uvicorn

    from acumen.studio import serve

    monkeypatch.setattr(serve, "HEADER_SECONDS", 0.15)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    async def tried() -> list[bytes]:
        config = uvicorn.Config(app, http=serve._impatient(), lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        config.load()
        server.lifespan = config.lifespan_class(config)
        listening = socket.create_server(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        loop = asyncio.get_running_loop()
        protocol = serve._impatient()
        door = await loop.create_server(lambda: protocol(config, server.server_state, {}), sock=listening)
        ends = []
        for words in (b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HT"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(words)
            ends.append(await asyncio.wait_for(reader.read(), 20))
            writer.close()
        door.close()
        return ends

    nothing, half, whole = asyncio.run(tried())
    assert nothing == half == b""
    assert whole.startswith(b"HTTP/1.1 200")


def test_the_limit_of_an_upload_is_said_with_what_to_do(tmp_path):
    import asyncio

    from acumen.studio.problems import TooLarge

    async def parts() -> Any:
        yield b"x" * 11

    with pytest.raises(TooLarge, match=re.escape("a.csv is larger than the 10 bytes")):
        asyncio.run(Uploads(tmp_path, most=10).take("a.csv", parts()))
