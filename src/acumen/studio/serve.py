"""A socket on this machine alone, a secret of this start, a folder of its own; then the server, until Ctrl-C."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from acumen.errors import DataError, MissingExtra

HOST: Final = "127.0.0.1"
#: Connections at a time, of whomever: a page has six.
MOST_LINKS: Final = 300
#: Seconds in which the headers of a request must be there; a browser sends them at once.
HEADER_SECONDS: Final = 10.0
_PREFIX: Final = "acumen-studio-"
#: Seconds after which folders of studios that did not end by themselves are put away.
_OLD: Final = 3600.0


def serve(
    start: dict[str, Any],
    *,
    root: Path,
    named: Path | None = None,
    port: int = 0,
    browser: bool = True,
    databases: bool = False,
    memory: int | None = None,
) -> None:
    """Serve the page until Ctrl-C; the address is printed at once.

    Parameters
    ----------
    start : what the page begins with: `page`, and the state behind its question mark
    root : the folder whose files may be opened
    named : a file that was named at the command line; its number becomes the state's `n`
    port : 0 for one that is free
    """
    try:
        import starlette  # noqa: F401
        import uvicorn
    except ImportError:
        raise MissingExtra("studio needs starlette and uvicorn: pip install 'acumen-learn[studio]'") from None
    # Ctrl-C is how a server ends, whatever it was about.
    with suppress(KeyboardInterrupt), _listening(port) as listening, private_folder() as scratch:
        port = listening.getsockname()[1]
        secret = secrets.token_urlsafe(32)
        address = f"http://{HOST}:{port}{start['page']}{_query(start['state'])}#key={secret}"
        print(address, flush=True)
        redirect = _redirect(scratch, address) if browser else None
        app, close = _app(start, root, named, scratch, secret, port, databases, memory, redirect)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, proxy_headers=False, ws="none",
            http=_impatient(), h11_max_incomplete_event_size=64 << 10, timeout_keep_alive=30,
            timeout_graceful_shutdown=1, lifespan="on", limit_concurrency=MOST_LINKS,
        )  # fmt: skip
        if redirect is not None:
            _open(redirect)
        # Told to end by the system, it puts its folder away too: the server passes the signal on when it has ended.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        _server(config, close).run(sockets=[listening])


def _app(
    start: dict[str, Any],
    root: Path,
    named: Path | None,
    scratch: Path,
    secret: str,
    port: int,
    databases: bool,
    memory: int | None,
    redirect: Path | None,
) -> tuple[Any, Callable[[], Awaitable[None]]]:
    from acumen.studio.app import Studio, application, public_paths
    from acumen.studio.folder import Folder
    from acumen.studio.guard import Guard
    from acumen.studio.output_files import OutputFiles
    from acumen.studio.uploads import Uploads
    from acumen.studio.workbench import Workbench

    folder = Folder(root)
    if named is not None:
        start = {**start, "number": folder.add(named)}
    for below in ("uploads", "work", "work/made"):
        (scratch / below).mkdir(mode=0o700)
    bench = Workbench(root, scratch / "work", memory)
    output_files = OutputFiles(scratch / "work" / "made")
    studio = Studio(bench, folder, Uploads(scratch / "uploads"), output_files, start, databases=databases)

    def remove_redirect() -> None:
        if redirect is not None:
            redirect.unlink(missing_ok=True)

    return Guard(
        application(studio), secret, hosts(port), public_paths(), remove_redirect, output_files.admits
    ), bench.close


def _impatient() -> Any:
    """The protocol of the server, with a limit of time for the headers of a request.

    Connections that send half a request, or nothing, would otherwise take the places of all others for ever.
    """
    import asyncio

    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Impatient(H11Protocol):
        _last_moment: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._forget()
            super().connection_lost(exc)

        def _watch(self) -> None:
            if self.conn.their_state is not h11.IDLE:
                self._forget()
            elif self._last_moment is None:
                self._last_moment = self.loop.call_later(HEADER_SECONDS, self._give_up)

        def _forget(self) -> None:
            if self._last_moment is not None:
                self._last_moment.cancel()
                self._last_moment = None

        def _give_up(self) -> None:
            if self.conn.their_state is h11.IDLE:
                self.transport.close()

    return Impatient


def _server(config: Any, close: Callable[[], Awaitable[None]]) -> Any:
    """A server that, told to end, first has all work end: whoever waits for an answer is told so, and waits no more."""
    import logging

    import uvicorn

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            await close()
            # What is still being sent is cut off, which nobody who pressed Ctrl-C needs to read about.
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
            await super().shutdown(sockets)

    return Server(config)


def hosts(port: int) -> tuple[str, ...]:
    """What a browser may call us."""
    return f"{HOST}:{port}", f"localhost:{port}"


def _query(state: dict[str, Any]) -> str:
    query = urlencode({name: value for name, value in state.items() if value is not None})
    return f"?{query}" if query else ""


@contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    server_socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        # So that a studio can begin again where one has just ended, and its pages go on.
        server_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server_socket.bind((HOST, port))
        except OSError as error:
            raise DataError(
                f"port {port} cannot be used ({error.strerror}); leave --port out for one that is free."
            ) from None
        server_socket.listen(128)
        yield server_socket
    finally:
        server_socket.close()


@contextmanager
def private_folder() -> Iterator[Path]:
    """A folder that only we can read, gone at the end; those that others of ours left behind go now."""
    _tidy()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))  # 0700
    lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield folder
    finally:
        os.close(lock)
        shutil.rmtree(folder, ignore_errors=True)


def _tidy() -> None:
    """Put away folders of studios that were killed: ours, old, and locked by nobody."""
    for each in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            status = each.lstat()
            if each.is_symlink() or status.st_uid != os.getuid() or time.time() - status.st_mtime < _OLD:
                continue
            lock = os.open(each / "lock", os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(each, ignore_errors=True)
            finally:
                os.close(lock)
        except OSError:
            continue


def _redirect(scratch: Path, address: str) -> Path:
    """A page that leads to the address: programs' arguments can be seen by all users, files of ours cannot."""
    from acumen.data.escape import in_html

    path = scratch / "open.html"
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
        refresh = f'<meta http-equiv="refresh" content="0;url={in_html(address)}">'
        file.write(f'<!doctype html><meta charset="utf-8">{refresh}')
    return path


def _open(redirect: Path) -> None:
    import webbrowser

    try:
        webbrowser.open(redirect.as_uri())
    except webbrowser.Error:
        print("acumen: no browser could be opened; open the address above.", file=sys.stderr)
