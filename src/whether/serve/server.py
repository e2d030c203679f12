"""Start the server, open the page, and end without remains."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import uvicorn

from whether.serve.application import Application
from whether.serve.guard import Guard
from whether.serve.workspace import server_folder
from whether.validate import ArgumentError

HOST = "127.0.0.1"
FORGET_AFTER = 120  # seconds after which a table is forgotten whose page was closed, unless WHETHER_FORGET_AFTER says
PATIENCE = 3  # seconds that answers have which are under way when the server is stopped


class Server(uvicorn.Server):
    """A server that says when it can be reached, and tells its application first when it is to end."""

    def __init__(self, config: uvicorn.Config, application: Application, when_started: Callable[[], None]) -> None:
        super().__init__(config)
        self.application, self.when_started = application, when_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        if self.started:
            self.application.start()
            self.when_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop, and end what is under way."""
        await super().shutdown(sockets)
        await self.application.end()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Let open streams end: uvicorn waits for them."""
        self.application.close()
        super().handle_exit(sig, frame)


def bind(port: int) -> socket.socket:
    """Take a port of this computer, any that is free for 0; nobody else's computer can reach it."""
    taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((HOST, port))
    except OSError as error:
        taken.close()
        raise ArgumentError(f"Port {port} cannot be used: {error.strerror}. Give another as --port.") from error
    return taken


def run(port: int, *, opens_browser: bool, say: Callable[[str], None]) -> None:
    """Serve the page until Ctrl-C.

    Parameters
    ----------
    port : int
        0 takes any that is free.
    opens_browser : bool
        Whether to open the page.
    say
        Called with lines for the user.
    """
    with bind(port) as taken, server_folder() as folder:
        number, token = taken.getsockname()[1], secrets.token_urlsafe(32)
        address = f"http://{HOST}:{number}/{token}/"

        def greet() -> None:
            say(f"The page is at {address}")
            say("Tables stay on this computer and can be reached from this computer only. Ctrl-C ends the program.")
            if opens_browser:
                webbrowser.open(address)

        asyncio.run(_serve(taken, token, folder, greet))


async def _serve(taken: socket.socket, token: str, folder: Path, greet: Callable[[], None]) -> None:
    application = Application(folder, float(os.environ.get("WHETHER_FORGET_AFTER", FORGET_AFTER)))
    guarded = Guard(application.routes, token, taken.getsockname()[1])
    config = uvicorn.Config(
        guarded, log_level="critical", access_log=False, server_header=False, lifespan="off", ws="none",
        proxy_headers=False, timeout_graceful_shutdown=PATIENCE,
    )  # fmt: skip
    await Server(config, application, greet).serve(sockets=[taken])
