"""A server of its own, started as a user starts it, and somebody who asks it things."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

from tests.processes import PATIENCE


class Served:
    """A running server, and requests to it."""

    def __init__(self, temporary, *arguments):
        self.temporary = Path(temporary)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "whether", "serve", "--no-browser", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            env={**os.environ, "TMPDIR": str(temporary)},
        )  # fmt: skip
        found = re.search(r"http://\S+", self.process.stdout.readline())
        assert found, self.process.stderr.read()
        self.address = found[0]
        parts = urlsplit(self.address)
        self.host, self.port, self.root = parts.netloc, parts.port, parts.path

    def ask(self, method, path, body=None, **headers):
        """Ask for a path as it is written; returns the answer and what it holds."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, path, skip_host=True)
            body = json.dumps(body).encode() if isinstance(body, dict) else body or b""
            for name, value in {"Host": self.host, "Content-Length": len(body), **headers}.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()

    def drop(self, name, content):
        """Drop a table, and return the path of the work on it."""
        answer, body = self.ask("POST", f"{self.root}tables?name={quote(name)}", content)
        assert answer.status == 201, body
        return f"{self.root}tables/{json.loads(body)['work']}"

    def watch(self, work):
        """The stream of states of a table; the connection is to be closed."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("GET", f"{work}/events", headers={"Host": self.host})
        return connection, connection.getresponse()

    def wait(self, work, *, until=lambda state: not state["doing"]):
        """Wait for a state, and return it."""
        connection, stream = self.watch(work)
        end = time.monotonic() + PATIENCE
        try:
            for line in stream:
                assert time.monotonic() < end, line
                if line.startswith(b"data: ") and until(state := json.loads(line[6:])):
                    return state
        finally:
            connection.close()
        raise AssertionError("the stream ended")

    def say(self, work, change, **said):
        answer, body = self.ask("POST", f"{work}/{change}", said)
        assert answer.status == 204, body
        return self.wait(work)

    def files(self):
        """Everything in the private folders; os.walk goes on where one is removed meanwhile."""
        walked = (walk for folder in self.temporary.glob("whether-serve-*") for walk in os.walk(folder))
        return sorted(Path(folder, name) for folder, inner, names in walked for name in (*inner, *names))

    def stop(self, number=signal.SIGINT):
        """Stop it, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(PATIENCE)
