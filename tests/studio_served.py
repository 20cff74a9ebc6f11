"""A studio that serves, for tests: started as a person starts it, spoken to as its page does; and a table for it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

import acumen
from ctrl_c_pressed import LIMIT, hears_ctrl_c

HOSTILE = "<img src=x onerror=alert(1)>"


def write_customers(path: Path, rows: int = 300) -> None:
    """Customers who leave or stay; a column and levels whose names are markup; an identifier."""
    rng = np.random.default_rng(4)
    lines = [f"customer_id;age;plan;{HOSTILE};calls;churned"]
    for i in range(rows):
        age, calls = int(rng.integers(18, 80)), int(rng.poisson(2))
        plan = ("basic", "plus", "</script><b>pro")[rng.integers(3)]
        leaves = rng.random() < 1 / (1 + np.exp(2.2 - 0.9 * calls - (plan == "basic")))
        lines.append(f"{i + 1};{age};{plan};{'ab'[i % 2]}{HOSTILE};{calls};{'leaves' if leaves else 'stays'}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


class Served:
    """A running `acumen studio`."""

    #: Seconds that an answer is waited for.
    patience = 500

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder = folder
        with (folder.parent / f"{folder.name}.err").open("w") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "acumen", "studio", "--no-browser", *words],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
                preexec_fn=hears_ctrl_c,
                env={
                    **os.environ,
                    "TMPDIR": str(folder.parent),
                    # The package that the tests look at, wherever the studio is started.
                    "PYTHONPATH": str(Path(acumen.__file__).resolve().parents[1]),
                },
            )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        parts = urlsplit(self.address)
        assert parts.hostname == "127.0.0.1"
        assert parts.port
        self.port, self.key = parts.port, parts.fragment.removeprefix("key=")
        self.base = f"http://127.0.0.1:{self.port}"

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
        key: bool = True,
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body; `headers` take the place of those that the page would send."""
        made = {"Host": f"127.0.0.1:{self.port}"}
        if key:
            made["Authorization"] = f"Bearer {self.key}"
        if body is not None and not isinstance(body, bytes):
            body, made["Content-Type"] = json.dumps(body).encode(), "application/json"
        made |= headers or {}
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.patience)
        try:
            link.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in {"Content-Length": str(len(body or b"")), **made}.items():
                link.putheader(name, value)
            link.endheaders(body)
            answer = link.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        finally:
            link.close()

    def ask(self, question: str, **asked: Any) -> Any:
        status, _, body = self.request("POST", f"/api/ask/{question}", asked)
        assert status == 200, body
        return json.loads(body)

    def begin(self, job: str, **asked: Any) -> int:
        status, _, body = self.request("POST", "/api/jobs", {"job": job, **asked})
        assert status == 200, body
        return int(json.loads(body)["number"])

    def events(self, number: int, after: int = 0) -> list[dict[str, Any]]:
        """All events until the last."""
        status, _, body = self.request("GET", f"/api/jobs/{number}?after={after}")
        assert status == 200, body
        return [json.loads(line) for line in body.splitlines()]

    def at_work(self, number: int) -> dict[str, Any]:
        """Wait until a job tells of something done; that event."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        try:
            link.request("GET", f"/api/jobs/{number}", headers={"Authorization": f"Bearer {self.key}"})
            answer = link.getresponse()
            while line := answer.readline():
                event: dict[str, Any] = json.loads(line)
                if not event.keys() & {"waiting", "begun", "beat"}:
                    return event
        finally:
            link.close()
        raise AssertionError("the job ended without a word")

    def job(self, name: str, **asked: Any) -> Any:
        last = self.events(self.begin(name, **asked))[-1]
        assert "result" in last, last
        return last["result"]

    def end(self, by: signal.Signals = signal.SIGINT) -> int:
        """Stop it, as Ctrl-C does; its exit code."""
        assert self.process.stdout is not None
        self.process.send_signal(by)
        try:
            return self.process.wait(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.process.stdout.close()
