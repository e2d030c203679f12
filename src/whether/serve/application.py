"""The requests that the page makes, and what answers them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import secrets
from collections.abc import AsyncIterator
from importlib.metadata import version
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from whether.serve.changes import CHANGES
from whether.serve.children import Children, Told
from whether.serve.uploads import LARGEST, UploadError, check_size, receive, safe_name
from whether.serve.words import MEANINGS, ROLES
from whether.serve.work import REPORT, Work
from whether.validate import ArgumentError

PAGE = Path(__file__).parent / "page"
ASSETS = {"page.css": "text/css", "page.js": "text/javascript"}
BEAT = 5.0  # seconds after which a silent stream shows that it is alive
# The report brings its own script, known by its hash in the page; it runs without an origin and reaches nothing.
REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
LONGEST = 10 * 1024**2  # bytes of what a page says


class Application:
    """Tables that are worked on, and the routes by which a page reaches them.

    Parameters
    ----------
    folder : Path
        Where tables and results lie, each work in a folder of its own.
    forget_after : float
        Seconds after which a table is forgotten whose page was closed.
    """

    def __init__(self, folder: Path, forget_after: float) -> None:
        self.folder, self.forget_after = folder, forget_after
        self.works: dict[str, Work] = {}
        self.children = Children()
        self._watchers: dict[str, int] = {}
        self._closing = False
        one = "/tables/{work}"
        self.routes = Starlette(
            routes=[
                Route("/tables", self._take, methods=["POST"]),
                Route(one, self._forget, methods=["DELETE"]),
                Route(f"{one}/events", self._watch),
                Route(f"{one}/analysis", self._analyse, methods=["POST"]),
                Route(f"{one}/analysis", self._stop, methods=["DELETE"]),
                Route(f"{one}/report", self._report),
                Route(f"{one}/files/{{name}}", self._download),
                Route(f"{one}/{{change}}", self._change, methods=["POST"]),
                Route("/", self._show),
                Route("/{asset}", _send_asset),
            ],
            exception_handlers={HTTPException: _explain},
        )

    def start(self) -> None:
        """Have a process ready for the first table."""
        self.children.prepare()

    def close(self) -> None:
        """End streams: the server is about to."""
        self._closing = True
        for work in self.works.values():
            work.touch()

    async def end(self) -> None:
        """Stop all work."""
        self.close()
        for work in [*self.works.values()]:
            await work.forget()
        await self.children.close()

    def _find(self, request: Request) -> Work:
        work = self.works.get(request.path_params["work"])
        if work is None:
            raise HTTPException(404, "This table is not here any more: its page was closed. Drop it again.")
        return work

    async def _show(self, request: Request) -> Response:
        """The page itself."""
        environment = Environment(
            loader=FileSystemLoader(PAGE), autoescape=select_autoescape(default=True), undefined=StrictUndefined
        )
        text = environment.get_template("index.html").render(
            roles=ROLES,
            meanings=MEANINGS,
            version=version("whether"),
            largest=LARGEST // 1024**3,
            minutes=math.ceil(self.forget_after / 60),
        )
        return HTMLResponse(text)

    async def _take(self, request: Request) -> Response:
        """Take a table."""
        name = safe_name(request.query_params.get("name", ""))
        folder = self.folder / secrets.token_urlsafe(12)
        folder.mkdir(mode=0o700)
        try:
            check_size(int(request.headers.get("content-length", 0)), folder)
            await receive(request.stream(), folder / name)
        except BaseException as error:
            folder.rmdir()
            if isinstance(error, UploadError):
                raise HTTPException(413, str(error)) from None
            if isinstance(error, ClientDisconnect):
                raise HTTPException(400, "The upload was interrupted. Drop the table again.") from None
            raise
        work = self.works[folder.name] = Work(folder, name, self.children)
        self._leave(folder.name)
        await work.look_again()
        return JSONResponse({"work": folder.name}, 201)

    async def _change(self, request: Request) -> Response:
        """Take what was said of the table, and look again."""
        work, change = self._find(request), CHANGES.get(request.path_params["change"])
        if change is None:
            raise HTTPException(404, "There is nothing here.")
        if work.doing == "analysing":
            raise HTTPException(409, "The analysis is running: stop it first.")
        try:
            options, settings = change(work, await _read(request))
        except (ArgumentError, ValueError, KeyError, TypeError) as error:
            said = str(error) if isinstance(error, ArgumentError) else "This cannot be read."
            raise HTTPException(400, said) from None
        await work.look_again(options, settings)
        return Response(status_code=204)

    async def _analyse(self, request: Request) -> Response:
        work = self._find(request)
        if work.doing or work.look is None or not work.look["ready"]:
            raise HTTPException(409, "Something has to be settled first, or the program is still working.")
        await work.analyse()
        return Response(status_code=204)

    async def _stop(self, request: Request) -> Response:
        await self._find(request).stop()
        return Response(status_code=204)

    async def _forget(self, request: Request) -> Response:
        work = self._find(request)
        del self.works[work.folder.name]
        await work.forget()
        work.touch()
        return Response(status_code=204)

    # ---------------------------------------------------------------- watching

    async def _watch(self, request: Request) -> Response:
        stream = self._stream(self._find(request), request.path_params["work"])
        return StreamingResponse(stream, media_type="text/event-stream")

    async def _stream(self, work: Work, name: str) -> AsyncIterator[str]:
        """The state of a table, whenever it changes, as server-sent events."""
        self._watchers[name] = self._watchers.get(name, 0) + 1
        try:
            while not self._closing and name in self.works:
                changed = work.changed
                yield f"data: {json.dumps(work.state())}\n\n"
                while not changed.is_set() and not self._closing:
                    with contextlib.suppress(asyncio.TimeoutError):
                        await asyncio.wait_for(changed.wait(), BEAT)
                    if not changed.is_set():
                        yield ": still here\n\n"
        finally:
            self._watchers[name] -= 1
            self._leave(name)

    def _leave(self, name: str) -> None:
        """Forget a table that nobody watches, unless somebody comes back in time, as when a page is loaded again."""

        def forget() -> None:
            if not self._watchers.get(name) and name in self.works:
                self._ending = asyncio.create_task(self.works.pop(name).forget())
                self._watchers.pop(name, None)

        if not self._closing and not self._watchers.get(name):
            asyncio.get_running_loop().call_later(self.forget_after, forget)

    # ---------------------------------------------------------------- files

    async def _report(self, request: Request) -> Response:
        path = self._find(request).find(REPORT)
        if path is None:
            raise HTTPException(404, "There is no report yet.")
        headers = {"Content-Security-Policy": REPORT_POLICY, "X-Frame-Options": "SAMEORIGIN"}
        return FileResponse(path, media_type="text/html", headers=headers)

    async def _download(self, request: Request) -> Response:
        path = self._find(request).find(request.path_params["name"])
        if path is None:
            raise HTTPException(404, "There is no such file.")
        return FileResponse(path, media_type="application/octet-stream", filename=path.name)


async def _send_asset(request: Request) -> Response:
    """What the page is made of."""
    name = request.path_params["asset"]
    if name not in ASSETS:
        raise HTTPException(404, "There is nothing here.")
    return FileResponse(PAGE / name, media_type=f"{ASSETS[name]}; charset=utf-8")


async def _read(request: Request) -> Told:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST:
            raise HTTPException(413, "The request is too large.")
    told = json.loads(body)
    if not isinstance(told, dict):
        raise ValueError("an object is needed")
    return told


async def _explain(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"problem": error.detail}, error.status_code)
