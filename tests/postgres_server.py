"""A PostgreSQL server of one's own: started for the tests that need a real one, stopped and removed behind them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

USER, PASSWORD = "acumen", "geheim%wort"


@dataclass(frozen=True)
class Server:
    """Where the server is; `address` holds the password."""

    address: str
    shown: str
    psql: tuple[str, ...]

    def run(self, *statements: str) -> str:
        """What psql says to these statements, each for itself; not the road that is tested."""
        asked = [word for statement in statements for word in ("-c", statement)]
        return subprocess.run(
            [*self.psql, *asked],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PGPASSWORD": PASSWORD},
        ).stdout


def programs() -> Path | None:
    """The newest PostgreSQL there is; None if there is none."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if found:
        return max(found, key=lambda path: float(path.parent.name))
    there = shutil.which("initdb")
    return Path(there).parent if there else None


def reason_against() -> str | None:
    """Why no server can be started here, or None."""
    if programs() is None:
        return "PostgreSQL is not installed"
    try:
        import adbc_driver_postgresql  # noqa: F401
    except ImportError:
        return "adbc-driver-postgresql is not installed"
    if os.geteuid() == 0 and shutil.which("runuser") is None:
        return "PostgreSQL refuses to be run by root, and there is no runuser"
    return None


@contextmanager
def serving() -> Iterator[Server]:
    """A server that listens on a free port of this machine alone."""
    bin_folder = programs()
    assert bin_folder is not None
    folder = Path(tempfile.mkdtemp(prefix="acumen-pg-", dir="/tmp"))
    as_user: tuple[str, ...] = ()
    if os.geteuid() == 0:  # which PostgreSQL refuses
        shutil.chown(folder, "postgres")
        as_user = ("runuser", "-u", "postgres", "--")
    secret = folder / "secret"
    secret.write_text(PASSWORD)
    if as_user:
        shutil.chown(secret, "postgres")
    data, quiet = folder / "data", {"check": True, "stdout": subprocess.DEVNULL, "cwd": "/"}
    try:
        subprocess.run(
            [*as_user, str(bin_folder / "initdb"), "-D", str(data), "-U", USER, "-A", "scram-sha-256",
             f"--pwfile={secret}", "--no-sync", "-E", "UTF8", "--locale=C"], **quiet,
        )  # fmt: skip
        control = [*as_user, str(bin_folder / "pg_ctl"), "-D", str(data), "-w", "-t", "300"]
        for left in reversed(range(5)):  # between asking for a port and taking it another may have got it
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            options = f"-h 127.0.0.1 -p {port} -k {folder} -c fsync=off -c shared_buffers=32MB"
            try:
                subprocess.run([*control, "-l", str(folder / "log"), "-o", options, "start"], **quiet)
                break
            except subprocess.CalledProcessError:
                if not left:
                    raise
        try:
            quoted = PASSWORD.replace("%", "%25")
            psql = (
                str(bin_folder / "psql"),
                "-qAt",
                "-h",
                "127.0.0.1",
                "-p",
                str(port),
                "-U",
                USER,
                "postgres",
            )
            place = f"127.0.0.1:{port}/postgres"
            yield Server(
                f"postgresql://{USER}:{quoted}@{place}",
                f"postgresql://{USER}@{place}",
                (*psql, "-v", "ON_ERROR_STOP=1"),
            )
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], **quiet)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
