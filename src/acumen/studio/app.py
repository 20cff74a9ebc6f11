"""The routes: each takes a request apart, puts in where tables really are, and hands it to the worker.

GET  /  and the page's other addresses     the page itself, which holds nothing of anyone's
GET  /static/...                           its files
GET  /api/start                            what there is: files by number, built-in tables, what was asked for
PUT  /api/upload                           a file that was dropped on the page
POST /api/ask/{question}                   an answer
POST /api/jobs                             a job into the queue
GET  /api/jobs/{number}                    its events, a line of JSON each, as they come
DELETE /api/jobs/{number}                  its end
GET  /api/made/{number}                    a file that was made
POST /api/made/{number}                    a ticket to open it as a page
GET  /kept/{ticket}                        that page, once, which can do nothing
POST /api/databases                        the address of a database, which gets a number
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any, Final
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from acumen.errors import AcumenError, DataError, ParameterError
from acumen.render import palette
from acumen.studio.folder import Databases, Folder
from acumen.studio.output_files import PREFIX, SANDBOX, OutputFiles
from acumen.studio.problems import NotMade, TooLarge, WorkerLost
from acumen.studio.uploads import Uploads, patiently
from acumen.studio.workbench import Workbench

#: Entries whose names are those of columns: one may be called `source`, and is no place of a table.
_BY_COLUMN: Final = frozenset({"kinds", "levels", "changed", "shapes"})
#: Addresses of the page; what it shows is behind the question mark, and is the page's own business.
PAGES: Final = ("/", "/table", "/compare", "/model", "/errors", "/row", "/groups", "/keep")
_STATIC: Final = {"studio.js": "text/javascript", "studio.css": "text/css", "icon.svg": "image/svg+xml"}
_WHOLE: Final = re.compile("[0-9]{1,9}")
_LENGTH: Final = re.compile("[0-9]{1,20}")
#: Bytes of a question, and how deep its lists and objects lie in each other.
MOST_ASKED: Final = 4 << 20
DEEPEST: Final = 12


def public_paths() -> tuple[str, ...]:
    """What anybody may GET."""
    return (*PAGES, *(f"/static/{name}" for name in (*_STATIC, "palette.css")))


class Studio:
    """What requests are answered with."""

    def __init__(
        self,
        bench: Workbench,
        folder: Folder,
        uploads: Uploads,
        made: OutputFiles,
        start: dict[str, Any],
        *,
        databases: bool = False,
    ) -> None:
        self.bench, self.folder, self.uploads, self.made = bench, folder, uploads, made
        self.start_with, self.databases = start, Databases(databases)
        static = files("acumen.studio") / "static"
        self._page = (static / "index.html").read_bytes()
        self._static = {name: (static / name).read_bytes() for name in _STATIC}
        self._static["palette.css"] = palette.STYLE.encode()

    # -- the page ---------------------------------------------------------------------------------

    async def page(self, request: Request) -> Response:
        return _cached_response(request, self._page, "text/html; charset=utf-8")

    async def static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._static:
            return _refusal("there is no such file.", 404)
        kind = _STATIC.get(name, "text/css")
        return _cached_response(request, self._static[name], f"{kind}; charset=utf-8")

    # -- questions --------------------------------------------------------------------------------

    async def start(self, request: Request) -> Response:
        import acumen
        from acumen.data.formats import FORMATS
        from acumen.datasets import _TABLES

        self.bench.warm()
        built_in = [
            {"name": name, "title": each.title, "target": each.target} for name, each in _TABLES.items()
        ]
        return JSONResponse(
            {
                "version": acumen.__version__,
                "folder": self.folder.root.name.encode(errors="replace").decode(),
                **self.folder.listing(),
                "datasets": built_in,
                "formats": list(FORMATS),
                "uploads": self.uploads.listing(),
                "most_upload": self.uploads.most,
                "databases": self.databases.listing(),
                "start": self.start_with,
            }
        )

    async def upload(self, request: Request) -> Response:
        name = unquote(request.headers.get("x-file-name", "table"))
        length = request.headers.get("content-length", "")
        if length and (not _LENGTH.fullmatch(length) or int(length) > self.uploads.most):
            raise TooLarge("the file", self.uploads.most)
        return JSONResponse(await self.uploads.take(name, request.stream()))

    async def ask(self, request: Request) -> Response:
        from acumen.studio.names import QUESTIONS

        name = request.path_params["question"]
        if name not in QUESTIONS:
            return _refusal("there is no such question.", 404)
        return JSONResponse(await self.bench.ask(name, self._with_addresses(await _body(request))))

    # -- jobs -------------------------------------------------------------------------------------

    async def begin(self, request: Request) -> Response:
        from acumen.studio.names import JOBS

        body = await _body(request)
        name = body.pop("job", None)
        if not isinstance(name, str) or name not in JOBS:
            return _refusal("there is no such job.", 404)
        return JSONResponse({"number": self.bench.begin(name, self._with_addresses(body)).number})

    async def follow(self, request: Request) -> Response:
        job = self.bench.job(request.path_params["number"])
        after = request.query_params.get("after", "0")

        async def lines() -> AsyncIterator[bytes]:
            async for number, event in job.follow(int(after) if _WHOLE.fullmatch(after) else 0):
                yield json.dumps({"id": number, **event}).encode() + b"\n"

        return StreamingResponse(lines(), media_type="application/x-ndjson")

    async def end(self, request: Request) -> Response:
        self.bench.end(self.bench.job(request.path_params["number"]))
        return JSONResponse({"ending": True})

    # -- files that were made -----------------------------------------------------------------------

    async def fetch(self, request: Request) -> Response:
        """To be saved, whatever it is: nothing of it is shown by the browser."""
        path = self.made.path(request.path_params["number"])
        return FileResponse(path, media_type="application/octet-stream", filename=path.name)

    async def ticket(self, request: Request) -> Response:
        return JSONResponse({"address": self.made.ticket(request.path_params["number"])})

    async def saved_page(self, request: Request) -> Response:
        path = self.made.use(request.path_params["ticket"])
        # A page of nobody's origin may not share ours: browsers refuse one that says both.
        headers = {"content-security-policy": SANDBOX, "cross-origin-opener-policy": "unsafe-none"}
        return Response(path.read_bytes(), media_type="text/html; charset=utf-8", headers=headers)

    async def database(self, request: Request) -> Response:
        return JSONResponse(self.databases.take((await _body(request)).get("address")))

    # -- where tables are -------------------------------------------------------------------------

    def _with_addresses(self, value: Any) -> Any:
        """The request with every `source` of a table or model replaced by its address."""
        if isinstance(value, list):
            return [self._with_addresses(each) for each in value]
        if not isinstance(value, dict):
            return value
        for name in ("data", "file"):  # these are ours to say
            if name in value and not isinstance(value[name], dict):
                raise ParameterError(f"studio: {name} is not for the page to say.")
        placed = {
            key: each if key in _BY_COLUMN else self._with_addresses(each)
            for key, each in value.items()
            if key not in ("source", "shown", "stamp")
        }
        if "source" in value:
            data, shown, stamp = self._source(value["source"])
            placed |= {"file" if value.get("model_file") else "data": data, "shown": shown, "stamp": stamp}
            placed.pop("model_file", None)
        return placed

    def _source(self, source: Any) -> tuple[str, str, str]:
        """Where a table or model is, what it is called, and which version of its file is there now."""
        from acumen.datasets import names

        match source:
            case {"file": number, **more} if not more:
                place = self.folder.place(number)
                return _operand(place), _operand(place), self.folder.stamp(place)
            case {"dataset": str(name), **more} if not more:
                if name not in names():
                    raise DataError("there is no built-in table of that name.")
                return name, name, ""
            case {"upload": number, **more} if not more:
                shown, path = self.uploads.file_named(number)
                return str(path), _operand(shown), ""
            case {"database": number, **more} if not more:
                address = self.databases.address(number)
                return address, address, ""
        raise ParameterError(
            "studio: a source is a file, an upload or a database by number, or a built-in table by name."
        )


def _operand(name: str) -> str:
    """The name of a file as a command takes it: one that begins with a dash would be an option."""
    return f"./{name}" if name.startswith("-") else name


class _Number(IntegerConvertor):
    """Numbers in addresses that Python reads whatever their length; longer ones lead nowhere."""

    regex = "[0-9]{1,15}"


def application(studio: Studio) -> Starlette:
    """All routes; nothing is served without the guard before it."""
    register_url_convertor("number", _Number())

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await studio.bench.close()

    return Starlette(
        routes=[
            *(Route(path, studio.page, methods=["GET"]) for path in PAGES),
            Route("/static/{name}", studio.static, methods=["GET"]),
            Route("/api/start", _endpoint_with_errors(studio.start), methods=["GET"]),
            Route("/api/upload", _endpoint_with_errors(studio.upload), methods=["PUT"]),
            Route("/api/ask/{question}", _endpoint_with_errors(studio.ask), methods=["POST"]),
            Route("/api/databases", _endpoint_with_errors(studio.database), methods=["POST"]),
            Route("/api/made/{number:number}", _endpoint_with_errors(studio.fetch), methods=["GET"]),
            Route("/api/made/{number:number}", _endpoint_with_errors(studio.ticket), methods=["POST"]),
            Route(PREFIX + "{ticket}", _endpoint_with_errors(studio.saved_page), methods=["GET"]),
            Route("/api/jobs", _endpoint_with_errors(studio.begin), methods=["POST"]),
            Route("/api/jobs/{number:number}", _endpoint_with_errors(studio.follow), methods=["GET"]),
            Route("/api/jobs/{number:number}", _endpoint_with_errors(studio.end), methods=["DELETE"]),
        ],
        lifespan=lifespan,
        exception_handlers={404: _not_found, 405: _not_found},
    )


Endpoint = Callable[[Request], Awaitable[Response]]


def _endpoint_with_errors(endpoint: Endpoint) -> Endpoint:
    """What goes wrong as a sentence; 503 where asking again helps."""

    async def call(request: Request) -> Response:
        try:
            return await endpoint(request)
        except WorkerLost as error:
            return _refusal(str(error), 503)
        except NotMade as error:
            return JSONResponse({"error": str(error), "needs": error.needs}, status_code=422)
        except TooLarge as error:
            return _refusal(str(error), 413)
        except AcumenError as error:
            return _refusal(str(error), 422)

    return call


async def _not_found(request: Request, error: Exception) -> Response:
    return _refusal("there is nothing here.", getattr(error, "status_code", 404))


def _refusal(sentence: str, status: int) -> JSONResponse:
    return JSONResponse({"error": sentence}, status_code=status)


async def _body(request: Request) -> dict[str, Any]:
    """The JSON that was sent; counted while it comes."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise ParameterError("studio: what is asked comes as application/json.")
    parts, total = [], 0
    async for part in patiently(request.stream()):
        total += len(part)
        if total > MOST_ASKED:
            raise ParameterError("studio: that is too much to ask at once.")
        parts.append(part)
    try:
        content = json.loads(b"".join(parts) or b"{}")
    except (ValueError, RecursionError):
        raise ParameterError("studio: what is asked must be JSON.") from None
    if not isinstance(content, dict):
        raise ParameterError("studio: what is asked must be an object.")
    _require_shallow(content)
    return content


def _require_shallow(value: dict[str, Any]) -> None:
    """Refuse a request nested so deeply that whoever walks through it later would run out of stack."""
    level: list[Any] = [value]
    for _ in range(DEEPEST):
        inner = [each.values() if isinstance(each, dict) else each for each in level]
        level = [each for values in inner for each in values if isinstance(each, (dict, list))]
        if not level:
            return
    raise ParameterError(f"studio: lists and objects may lie {DEEPEST} deep in a request; yours is deeper.")


def _cached_response(request: Request, content: bytes, kind: str) -> Response:
    """Asked for anew each time, sent only where it has changed."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, headers={**headers, "content-type": kind})
