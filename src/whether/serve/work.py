"""A table that somebody works on in one tab of the browser: what was said of it, what runs, what came out."""

from __future__ import annotations

import asyncio
import json
import shlex
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

from whether.files.whole_files import SUMMARY, clear_remains
from whether.line_ends import keep_together
from whether.serve.children import ChildError, Children, Told
from whether.serve.words import name_roles

SMALL = 20_000_000  # bytes of a table after which a process can go on to the next
REPORT, MODEL, PREDICTIONS = "report.html", "model.whether", "predictions.csv"
FILES = {
    REPORT: "the report, one file that opens without a network",
    PREDICTIONS: "the risk of every person: keep it where personal data may be",
    MODEL: "the model, for the command whether predict",
    SUMMARY: "all numbers of the report, for programs",
}


class Work:
    """One table: its folder, what was said of its columns, and the state that the page shows.

    Parameters
    ----------
    folder : Path
        Holds the table, and the results beside it; its name is the name of the work.
    table : str
        Name of the file.
    children : Children
    """

    def __init__(self, folder: Path, table: str, children: Children) -> None:
        self.folder, self.table, self.children = folder, table, children
        self.options: Told = {}  # parameters of `read_cohort` that the person settled
        self.settings: Told = {}
        self.look: Told | None = None
        self.doing = ""  # "looking", "analysing" or nothing
        self.progress: list[Told] = []
        self.problem = ""
        self.runs: list[Told] = []  # what came out, the last one first
        self.changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()

    def state(self) -> Told:
        """What the page shows."""
        return {
            "table": self.table,
            "doing": self.doing,
            "look": self.look,
            "settings": self.settings,
            "endpoint": self.options.get("endpoint", ""),
            "by": self.options.get("by", []),
            "progress": self.progress,
            "problem": self.problem,
            "runs": self.runs,
        }

    def settled(self) -> Told:
        """What the page shows of columns, as something that was said; guesses of what values mean are not."""
        if self.look is None:
            return dict(self.options)
        guessed = {name: value for name, value in self.look["options"].items() if name not in self.options}
        if self.look["asks_values"]:
            guessed = {name: value for name, value in guessed.items() if name not in ("event_value", "competing")}
        return {**guessed, **self.options}

    def is_leak(self, column: str) -> bool:
        """Whether a column seems to give the outcome away."""
        columns = [] if self.look is None else self.look["columns"]
        return any(one["name"] == column and one["is_leak"] for one in columns)

    def touch(self) -> None:
        """Wake all who watch."""
        before, self.changed = self.changed, asyncio.Event()
        before.set()

    # ---------------------------------------------------------------- work

    async def look_again(self, options: Told | None = None, settings: Told | None = None) -> None:
        """Look at the table with what was said of it now."""
        # Taken at once: what is said while an earlier look is being stopped comes after this.
        if options is not None:
            self.options = options
            self.look = None if self.look is None else {**self.look, "options": options}  # guesses are made anew
        self.settings = self.settings if settings is None else settings
        await self._replace("looking", self._look)

    async def analyse(self) -> None:
        """Run the command lines that the page shows, once the table is ready."""
        await self._replace("analysing", self._analyse)

    async def stop(self) -> None:
        """Stop what runs, and remove what it left."""
        await self._replace("", None)

    async def _replace(self, doing: str, work: Callable[[], Awaitable[None]] | None) -> None:
        """Stop what runs, and start something else; one change at a time."""
        async with self._turn:
            task, self._task = self._task, None
            if task is not None and not task.done():
                task.cancel()
                await asyncio.wait([task])
            self.doing, self.progress = doing, []
            if work is not None:
                self.problem = ""
                self._task = asyncio.create_task(self._do(work))
            self.touch()

    async def forget(self) -> None:
        """Stop, and remove everything."""
        await self.stop()
        await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)

    async def _do(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except ChildError as error:
            self.problem = str(error)
        self.doing, self.progress = "", []
        self.touch()

    def _report(self, rows: list[Told]) -> None:
        self.progress = rows
        self.touch()

    async def _look(self) -> None:
        order = {"kind": "look", "table": self.table, "options": self.options, "settings": self.settings}
        is_small = (self.folder / self.table).stat().st_size < SMALL
        found = await self.children.do({**order, "folder": str(self.folder)}, self._report, is_small=is_small)
        if "error" in found:
            self.problem = found["error"]
            if self.look is not None:  # the columns stay to be corrected
                self.look = {**self.look, "ready": False, "command": ""}
        else:
            self.look = found

    async def _analyse(self) -> None:
        assert self.look is not None
        command = self.look["command"]
        done = await self._run(command)
        if done["code"] != 0:
            self.problem = name_roles(done["err"].strip().rsplit("\n", 1)[-1].removeprefix("whether: "))
            return
        self.runs = [self._describe(command), *self.runs]

    async def _run(self, command: str) -> Told:
        """Run the program in the folder of the table; what it leaves if it is stopped is removed."""
        output = self.folder / shlex.split(command)[-1]
        try:
            order = {"kind": "run", "command": command, "folder": str(self.folder)}
            return await self.children.do(order, self._report)
        finally:
            clear_remains(output, FILES)

    # ---------------------------------------------------------------- results

    def _describe(self, command: str) -> Told:
        summary = json.loads((self.results(command) / SUMMARY).read_text(encoding="utf-8"))
        answer = {name: summary["answer"][name] for name in ("kind", "badge")}
        answer["headline"] = keep_together(summary["answer"]["headline"])
        answer["sentences"] = [keep_together(sentence) for sentence in summary["answer"]["sentences"]]
        number = len(self.runs) + 1
        return {**answer, "command": command, "number": number, "files": self.files(command)}

    def results(self, command: str) -> Path:
        """Folder that the analysis wrote."""
        return self.folder / shlex.split(command)[-1]

    def files(self, command: str) -> list[Told]:
        """What can be downloaded."""
        listed = [(self.results(command) / name, text) for name, text in FILES.items()]
        return [{"name": path.name, "text": text, "size": path.stat().st_size} for path, text in listed]

    def find(self, name: str) -> Path | None:
        """A file that can be downloaded, by its name; None for any other name."""
        if not self.runs or not any(one["name"] == name for one in self.runs[0]["files"]):
            return None
        return self.results(self.runs[0]["command"]) / name
