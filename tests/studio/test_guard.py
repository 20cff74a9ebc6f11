"""Who may ask for what: everything is refused that is not allowed."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the studio needs the extra `studio`")

from starlette.routing import Route

from acumen.studio.app import PAGES, Studio, application, public_paths
from acumen.studio.folder import Folder
from acumen.studio.guard import MOST_AT_ONCE, MOST_HEADERS, POLICY, Guard
from acumen.studio.names import JOBS, LONG, QUESTIONS, load_answer
from acumen.studio.output_files import SANDBOX, OutputFiles
from acumen.studio.uploads import Uploads
from acumen.studio.workbench import Workbench

SECRET = "s" * 43
HOST = b"127.0.0.1:5000"


@pytest.fixture
def app(tmp_path: Path) -> Any:
    return application(
        Studio(Workbench(tmp_path, tmp_path), Folder(tmp_path), Uploads(tmp_path), OutputFiles(tmp_path), {})
    )


def spoken_to(
    app: Any, method: str, path: str, headers: list[tuple[bytes, bytes]], kind: str = "http"
) -> Any:
    """What an application says to one request: its messages."""
    said: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        said.append(message)

    scope = {"type": kind, "method": method, "path": path, "raw_path": path.encode(), "headers": headers,
             "query_string": b"", "root_path": "", "scheme": "http", "http_version": "1.1", "asgi": {"version": "3.0"},
             "server": ("127.0.0.1", 5000), "client": ("127.0.0.1", 1)}  # fmt: skip
    asyncio.run(app(scope, receive, send))
    return said


def status_of(app: Any, method: str, path: str, *more: tuple[bytes, bytes], host: bytes | None = HOST) -> int:
    headers = [*([(b"host", host)] if host is not None else []), *more]
    return int(spoken_to(guarded(app), method, path, headers)[0]["status"])


def guarded(app: Any) -> Guard:
    return Guard(app, SECRET, ("127.0.0.1:5000", "localhost:5000"), public_paths())


KEY = (b"authorization", b"Bearer " + SECRET.encode())


def test_every_route_but_the_page_answers_401_without_the_secret(app):
    asked = 0
    for route in app.routes:
        assert isinstance(route, Route), "a mount, or a websocket, must be looked at here first"
        path = (
            re.sub(r"\{number:int\}", "1", route.path)
            .replace("{question}", "card")
            .replace("{name}", "other.js")
            .replace("{ticket}", "t" * 43)
        )
        for method in route.methods or ():
            public = path in PAGES and method in ("GET", "HEAD")
            assert status_of(app, method, path) == (200 if public else 401), (method, path)
            for wrong in (b"Bearer ", b"Bearer " + b"x" * 43, b"Basic " + SECRET.encode(), SECRET.encode()):
                if not public:
                    assert status_of(app, method, path, (b"authorization", wrong)) == 401, (
                        method,
                        path,
                        wrong,
                    )
            asked += 1
    assert asked > 20


UNKNOWN = ["/api", "/api/", "/api/none", "/none", "/../etc/passwd", "/static/../app.py", "/static/", "//api/start",
           "/API/start", "/table/", "/.well-known/x", "/docs", "/openapi.json"]  # fmt: skip


@pytest.mark.parametrize("path", UNKNOWN)
def test_paths_that_are_unknown_answer_401_without_the_secret_and_404_with_it(app, path):
    assert status_of(app, "GET", path) == 401
    assert status_of(app, "GET", path, KEY) in (404, 405, 307)


def test_two_authorizations_are_none(app):
    assert status_of(app, "GET", "/api/start", KEY, KEY) == 401


HOSTS = [None, b"", b"evil.example", b"127.0.0.1", b"127.0.0.1:5001", b"localhost", b"[::1]:5000", b"0.0.0.0:5000",
         b"127.0.0.1:5000.evil.example", b"127.0.0.1:5000@evil.example", b"127.0.0.1:5000/", b"127.0.0.1:5000?",
         b"LOCALHOST:5000", b"127.1:5000"]  # fmt: skip


@pytest.mark.parametrize("host", HOSTS)
def test_another_host_gets_nothing_not_even_the_page(app, host):
    for path in ("/", "/static/studio.js", "/api/start"):
        assert status_of(app, "GET", path, KEY, host=host) == 421


def test_two_hosts_are_none(app):
    assert status_of(app, "GET", "/", (b"host", b"localhost:5000")) == 421


def test_pages_of_others_are_refused_with_the_secret_too(app):
    for name, value in ((b"origin", b"http://evil.example"), (b"origin", b"null"), (b"origin", b"http://127.0.0.1:5001"),
                        (b"origin", b"https://127.0.0.1:5000"), (b"sec-fetch-site", b"cross-site"),
                        (b"sec-fetch-site", b"same-site")):  # fmt: skip
        assert status_of(app, "POST", "/api/jobs", KEY, (name, value)) == 403, (name, value)
        assert status_of(app, "GET", "/static/studio.js", (name, value)) == 403, (name, value)
    ours = (b"origin", b"http://127.0.0.1:5000"), (b"sec-fetch-site", b"same-origin")
    assert status_of(app, "GET", "/api/none", KEY, *ours) == 404


def test_a_link_from_elsewhere_may_open_the_bare_page_and_nothing_else(app):
    followed = (b"sec-fetch-site", b"cross-site"), (b"sec-fetch-mode", b"navigate")
    assert status_of(app, "GET", "/table", *followed) == 200
    assert status_of(app, "GET", "/api/start", KEY, *followed) == 403


def test_headers_that_are_too_long_are_refused_though_the_key_is_right(app):
    assert status_of(app, "GET", "/", (b"x", b"a" * (MOST_HEADERS - 200))) == 200
    assert status_of(app, "GET", "/", (b"x", b"a" * MOST_HEADERS)) == 431
    assert status_of(app, "GET", "/api/x", KEY, *[(b"x", b"a" * 1000)] * 66) == 431


def test_websockets_are_closed_before_anything(app):
    said = spoken_to(guarded(app), "GET", "/api/start", [(b"host", HOST), KEY], kind="websocket")
    assert said == [{"type": "websocket.close", "code": 1008}]
    assert spoken_to(guarded(app), "GET", "/", [], kind="something") == []


def test_every_answer_carries_the_policy_also_a_refusal(app):
    for path, key in (("/", ()), ("/api/start", ()), ("/api/none", (KEY,))):
        headers = dict(spoken_to(guarded(app), "GET", path, [(b"host", HOST), *key])[0]["headers"])
        assert headers[b"content-security-policy"] == POLICY.encode()
        assert headers[b"x-content-type-options"] == b"nosniff"
        assert headers[b"x-frame-options"] == b"DENY"
        assert headers[b"referrer-policy"] == b"no-referrer"
        assert b"set-cookie" not in headers
        assert b"access-control-allow-origin" not in headers
    assert "unsafe" not in POLICY
    assert "require-trusted-types-for 'script'" in POLICY


def test_more_requests_at_once_than_allowed_are_told_to_wait():
    waiting = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await waiting.wait()

    async def all_of_them() -> list[int]:
        guard = Guard(slow, SECRET, ("127.0.0.1:5000",), ("/",))
        said: list[int] = []

        async def send(message: dict[str, Any]) -> None:
            if "status" in message:
                said.append(message["status"])

        scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", HOST)]}
        begun = [asyncio.ensure_future(guard(dict(scope), None, send)) for _ in range(MOST_AT_ONCE + 3)]
        await asyncio.sleep(0)
        waiting.set()
        await asyncio.gather(*begun)
        return said

    assert asyncio.run(all_of_them()) == [503] * 3


def test_the_server_knows_the_names_that_the_worker_answers():
    for target in (*QUESTIONS.values(), *JOBS.values()):
        assert callable(load_answer(target)), target
    assert QUESTIONS.keys() >= LONG


def test_a_ticket_opens_one_page_once_sandboxed_and_by_get_alone(tmp_path):
    place = tmp_path / "7"
    place.mkdir()
    (place / "report.html").write_text("<!DOCTYPE html><script>1</script>")
    made = OutputFiles(tmp_path)
    app = application(Studio(Workbench(tmp_path, tmp_path), Folder(tmp_path), Uploads(tmp_path), made, {}))
    guard = Guard(app, SECRET, ("127.0.0.1:5000",), public_paths(), admits=made.admits)
    address = made.ticket(7)

    def asked(method: str, path: str, *more: tuple[bytes, bytes]) -> Any:
        return spoken_to(guard, method, path, [(b"host", HOST), *more])

    assert asked("POST", address)[0]["status"] == 401
    assert asked("GET", address + "x")[0]["status"] == 401
    assert asked("GET", address, (b"sec-fetch-site", b"cross-site"))[0]["status"] == 403
    first = asked("GET", address)
    headers = dict(first[0]["headers"])
    assert first[0]["status"] == 200
    assert headers[b"content-security-policy"] == SANDBOX.encode()
    assert SANDBOX.startswith("sandbox; default-src 'none'")
    assert "allow-" not in SANDBOX
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert asked("GET", address)[0]["status"] == 401, "one look is all"
    assert asked("GET", address, KEY)[0]["status"] == 422


def test_tickets_are_for_pages_alone_and_run_out(tmp_path, monkeypatch):
    from acumen.errors import DataError
    from acumen.studio import output_files as room

    for number, name in ((1, "model.sql"), (2, "card.html")):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / name).write_text("x")
    made = OutputFiles(tmp_path)
    for number in (1, 3, -1, True, "2", "../2"):
        with pytest.raises(DataError):
            made.ticket(number)
    assert made.admits(address := made.ticket(2))
    monkeypatch.setattr(room, "GOOD_FOR", 0.0)
    assert not made.admits(address)
    monkeypatch.undo()
    for _ in range(2 * room.MOST_TICKETS):
        made.ticket(2)
    assert len(made._tickets) <= room.MOST_TICKETS
    assert not made.admits(address), "the oldest are put away"


def test_only_so_many_files_are_kept(tmp_path):
    from acumen.studio import output_files as room

    numbers = []
    for _ in range(room.MOST_KEPT + 3):
        number, path = room.put(tmp_path / "made", "a.csv")
        path.write_text("x")
        numbers.append(number)
    assert len(set(numbers)) == len(numbers)
    assert len(list((tmp_path / "made").iterdir())) == room.MOST_KEPT
    assert OutputFiles(tmp_path / "made").path(numbers[-1]).read_text() == "x"
