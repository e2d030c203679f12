"""Directives that execute what they show, so that a page cannot promise what the library does not do.

``run`` executes Python. The blocks of one page share their variables; what they print and warn of is shown below. An
error breaks the build unless the option ``raises`` names it; then its message is shown. ``hide-code`` shows the output
alone. ``command`` executes lines of a shell in an empty folder of the page's own. ``help`` has the help of every
command of the program, each under a title.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

WIDTH, LONGEST_LINE = 110, 125
# Of the program: as wide as a page, and without colours.
SETTINGS = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}

# Folders of the pages that were read, to be removed at the end.
FOLDERS: list[str] = []


class UnexpectedError(Exception):
    """A block did not do what the page says."""


class Run(SphinxDirective):
    """Python that is executed."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"raises": directives.unchanged, "hide-code": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Execute the block and return it with its output."""
        code = "\n".join(self.content)
        state = _state(self)
        try:
            output = _execute(code, state["names"], state["folder"], self.options.get("raises"), self.get_location())
        except UnexpectedError as error:
            raise self.error(str(error)) from error
        shown = [] if "hide-code" in self.options else [_block(code, "python")]
        return [*shown, *([_block(output, "text", "output")] if output else [])]


class Command(SphinxDirective):
    """Commands that are executed, one per line."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"fails": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Execute the lines and return them with their output."""
        code = "\n".join(self.content)
        exit_code, output = _shell(code, _state(self)["folder"])
        if (exit_code != 0) != ("fails" in self.options):
            raise self.error(f"{code!r} ended with exit code {exit_code}: {output}")
        return [_block(code, "bash"), *([_block(_fold(output), "text", "output")] if output else [])]


class Help(SphinxDirective):
    """The help of every command, so that a new command is on the page by itself."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each command."""
        from typer.main import get_command

        from whether.cli.app import app

        sections: list[nodes.Node] = []
        for words in _commands(get_command(app), ("whether",)):
            name = " ".join(words)
            section = nodes.section(ids=[nodes.make_id(name)], names=[name])
            section += nodes.title(name, name)
            section += _block(_shell(f"{name} --help", _state(self)["folder"])[1], "text")
            sections.append(section)
        return sections


def _commands(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Words of every command that does something; a group of commands does nothing by itself."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield words
        return
    for name, child in inner.items():
        yield from _commands(child, (*words, name))


def _shell(code: str, folder: Path) -> tuple[int, str]:
    """Exit code and output of lines of a shell, as somebody without a terminal sees them."""
    exit_code, output = 0, ""
    for line in code.splitlines():
        # The program itself runs in this process, where its libraries are loaded already.
        is_program = line.startswith("whether ") and not set(line) & set("|<>&;$")
        exit_code, text = (_program if is_program else _other)(line, folder)
        output += text
        if exit_code:
            break
    return exit_code, output.rstrip().replace(str(folder) + os.sep, "")


def _program(line: str, folder: Path) -> tuple[int, str]:
    from typer.testing import CliRunner

    from whether.cli.app import app

    with _inside(folder), warnings.catch_warnings():
        result = CliRunner(env=SETTINGS).invoke(app, shlex.split(line)[1:], prog_name="whether")
    return result.exit_code, result.output


def _other(line: str, folder: Path) -> tuple[int, str]:
    search = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    result = subprocess.run(
        line,
        shell=True,
        cwd=folder,
        env={**os.environ, **SETTINGS, "PATH": search},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    return result.returncode, result.stdout


def _state(directive: SphinxDirective) -> dict[str, Any]:
    """Variables and folder of the page."""
    data = directive.env.temp_data
    if "whether_run" not in data:
        folder = tempfile.mkdtemp(prefix="page-")
        FOLDERS.append(folder)
        data["whether_run"] = {"names": {"__name__": "__main__"}, "folder": Path(folder)}
    state: dict[str, Any] = data["whether_run"]
    return state


def _execute(code: str, names: dict[str, Any], folder: Path, raises: str | None, location: str) -> str:
    stream = io.StringIO()
    error = ""
    with warnings.catch_warnings(), contextlib.redirect_stdout(stream), _inside(folder):
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, kind, *_: print(f"{kind.__name__}: {message}", file=stream)  # type: ignore[assignment]
        try:
            exec(compile(code, location, "exec"), names)
        except Exception as problem:
            if type(problem).__name__ != raises:
                raise UnexpectedError(f"{type(problem).__name__}: {problem}") from problem
            error = f"{raises}: {problem}"
    if raises and not error:
        raise UnexpectedError(f"{raises} was expected, and nothing was raised.")
    return _fold((stream.getvalue() + error).rstrip())


def _fold(text: str) -> str:
    """Break sentences that are longer than the page is wide; a table's lines are not."""
    folded = [
        textwrap.wrap(line, WIDTH, subsequent_indent="  ") if len(line) > LONGEST_LINE else [line]
        for line in text.splitlines()
    ]
    return "\n".join(line for lines in folded for line in lines)


@contextlib.contextmanager
def _inside(folder: Path) -> Any:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _block(text: str, language: str, *classes: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language=language, classes=list(classes))


def _clean_up(app: Sphinx, problem: Exception | None) -> None:
    while FOLDERS:
        shutil.rmtree(FOLDERS.pop(), ignore_errors=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.connect("build-finished", _clean_up)
    app.add_directive("run", Run)
    app.add_directive("command", Command)
    app.add_directive("help", Help)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
