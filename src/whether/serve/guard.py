"""Who may ask the server for anything: whoever has the token, from a page of this server, on this computer.

The token is the first part of every path and nowhere else. A browser does not add it by itself, as it does with a
cookie, so that a foreign page cannot make it ask in somebody's name, and servers on other ports never see it.
"""

from __future__ import annotations

import secrets
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

REFUSED = "Refused. Open the address that `whether serve` printed when it was started, with all of its letters."
# Nothing from elsewhere, nothing inline; the report has a policy of its own.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Guard:
    """Lets through requests that have the token and the right names of server and page; all answers get its headers.

    Parameters
    ----------
    app
        The application that is guarded; it sees paths without the token.
    token : str
    port : int
        The port at which the server is.
    """

    def __init__(self, app: Any, token: str, port: int) -> None:
        self.app, self.token = app, token
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        app = self.app if self._allows(scope) else PlainTextResponse(REFUSED, 403)
        await app({**scope, "root_path": f"/{self.token}"}, receive, send_guarded)

    def _allows(self, scope: Any) -> bool:
        headers = Headers(scope=scope)
        if headers.getlist("host") != [headers.get("host")] or headers["host"] not in self.hosts:
            return False
        if any(origin not in self.origins for origin in headers.getlist("origin")):
            return False
        path = scope["path"]
        if ".." in path or "\\" in path or not path.isprintable():
            return False
        given = path.split("/")[1]
        return path.count("/") > 1 and secrets.compare_digest(given.encode(), self.token.encode())
