"""Who may ask for what: one middleware before everything, which refuses all that is not allowed.

In this order: only HTTP; one Host header, which is exactly ours (against DNS rebinding); an Origin and a Sec-Fetch-Site
that are ours, where a browser says them (against other pages); then, by GET, one of the few public files or an address
that was made for one look; else the secret of this start in the Authorization header, for known and unknown paths
alike. There is no cookie, so a browser carries no authority of its own to other pages.

Decided by the raw Host header and `scope["path"]` alone; a URL put together of what was sent could be made to lie.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from secrets import compare_digest
from typing import Any, Final

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Requests that are answered at the same time; a page has a handful.
MOST_AT_ONCE: Final = 100
#: Bytes of all headers of a request.
MOST_HEADERS: Final = 64 << 10

#: Of every answer. No inline style or script, nothing from elsewhere, no frame around us, texts are never markup.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)
HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
    (b"cache-control", b"no-store"),
)


class Guard:
    """Lets through what may be asked for.

    Parameters
    ----------
    app : ASGI application
    secret : str
        What the page must send.
    hosts : names with the port, as a browser writes them in the Host header
    public : paths that anybody may GET: the page and its files, which hold nothing of anyone's
    used : called whenever the secret was right
    admits : whether a path is one that nobody can guess, made for one look
    """

    def __init__(
        self,
        app: App,
        secret: str,
        hosts: Collection[str],
        public: Collection[str],
        used: Callable[[], None] = lambda: None,
        admits: Callable[[str], bool] = lambda path: False,
    ) -> None:
        self._app, self._used, self._admits = app, used, admits
        self._secret = secret.encode()
        self._hosts = frozenset(host.encode() for host in hosts)
        self._origins = frozenset(b"http://" + host for host in self._hosts)
        self._public = frozenset(public)
        self._at_once = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        refused = self._refusal(scope)
        if refused is None and self._at_once >= MOST_AT_ONCE:
            refused = 503, "too many requests are being answered; wait for some of them."
        if refused is not None:
            await _refuse(_closing(scope, receive, send)[1], *refused)
            return
        self._at_once += 1
        try:
            await self._app(scope, *_closing(scope, receive, _add_headers(send)))
        finally:
            self._at_once -= 1

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """The status and a sentence, or None for what may pass."""
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEADERS:
            return 431, "the headers of a request may not be so long."
        hosts = _all(scope, b"host")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421, "this server answers to its own address only."
        origins, sites = _all(scope, b"origin"), _all(scope, b"sec-fetch-site")
        if any(origin not in self._origins for origin in origins):
            return 403, "other pages may not ask anything here."
        public = scope["path"] in self._public
        # A link that a person follows from elsewhere comes with "none" or as a navigation; it may fetch the bare page.
        followed = public and _all(scope, b"sec-fetch-mode") == [b"navigate"]
        if any(site not in (b"same-origin", b"none") for site in sites) and not followed:
            return 403, "other pages may not ask anything here."
        if public and scope["method"] in ("GET", "HEAD"):
            return None
        if scope["method"] == "GET" and self._admits(scope["path"]):
            return None
        credentials = _all(scope, b"authorization")
        if len(credentials) != 1 or not compare_digest(credentials[0], b"Bearer " + self._secret):
            return 401, "open the address that acumen studio has printed; it holds the key to this page."
        self._used()
        return None


def _all(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key.lower() == name]


def _add_headers(send: Send) -> Send:
    """Every answer carries the headers; what an answer says of caching stands."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            names = {key.lower() for key, _ in headers}
            added = [(b"content-security-policy", POLICY.encode()), *HEADERS]
            message["headers"] = [*headers, *((key, value) for key, value in added if key not in names)]
        await send(message)

    return send_with_headers


def _closing(scope: Scope, receive: Receive, send: Send) -> tuple[Receive, Send]:
    """Close the connection behind an answer to a request that was not read to its end.

    The server would otherwise take in and throw away all that the sender still has to say, be it gigabytes.
    """
    coming = _all(scope, b"transfer-encoding") or _all(scope, b"content-length") not in ([], [b"0"])

    async def watch_receive() -> Message:
        nonlocal coming
        message = await receive()
        coming = bool(message.get("more_body"))
        return message

    async def close_after_send(message: Message) -> None:
        if message["type"] == "http.response.start" and coming:
            message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
        await send(message)

    return watch_receive, close_after_send


async def _refuse(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    dressed = _add_headers(send)
    await dressed({"type": "http.response.start", "status": status, "headers": headers})
    await dressed({"type": "http.response.body", "body": body})
