"""Every sentence that can be printed, with its file and line: by the program, on the page, in errors and warnings.

Run by hand as ``make words``; ``ARGS=telling`` lists the files of that name only. Sentences are read from the source:
texts of at least three words that are no docstrings, with ``{...}`` where a value goes, and what a template shows.
Docstrings of commands are printed by ``--help``, so that they are listed too.
"""

import ast
import re
import sys
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "whether"
FEWEST_WORDS = 3
WORD = re.compile(r"[A-Za-z’']{2,}")


@dataclass(frozen=True)
class Sentence:
    """A text that may be printed, and where it is written."""

    file: str
    line: int
    text: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.text}"


def list_sentences(source=SOURCE):
    """All sentences of a package, file by file."""
    found = []
    for path in sorted(source.rglob("*.py")):
        found += _of_module(path, path.relative_to(source).as_posix())
    for path in sorted(source.rglob("*.html")):
        found += _of_template(path, path.relative_to(source).as_posix())
    return found


def _of_module(path, name):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = _docstrings(tree) if not name.startswith("cli/") else set()
    inner = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):  # parts of a text are no texts
            inner |= {id(part) for part in ast.walk(node) if part is not node}
    for node in ast.walk(tree):
        if id(node) in silent or id(node) in inner:
            continue
        text = _text(node)
        if text is not None and _is_sentence(text):
            yield Sentence(name, node.lineno, " ".join(text.split()))


def _docstrings(tree):
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = (node.body for node in ast.walk(tree) if isinstance(node, holders))
    return {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}


def _text(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{...}" for part in node.values)
    return None


def _is_sentence(text):
    """Whether a text is made of words, and no name, pattern or style."""
    words = WORD.findall(text.replace("{...}", " "))
    return len(words) >= FEWEST_WORDS and " " in text.strip() and sum(map(len, words)) > len(text.strip()) / 2


def _of_template(path, name):
    shown = re.sub(r"{#.*?#}|<(script|style)\b.*?</\1>", _blank, path.read_text(encoding="utf-8"), flags=re.DOTALL)
    shown = re.sub(r"{%.*?%}", _blank, shown, flags=re.DOTALL)
    shown = re.sub(r"{{.*?}}", lambda found: "{...}" + "\n" * found[0].count("\n"), shown, flags=re.DOTALL)
    line = 1
    for part in re.split(r"(<[^>]*>)", shown):
        if not part.startswith("<") and _is_sentence(part):
            yield Sentence(name, line, " ".join(part.split()))
        line += part.count("\n")


def _blank(found):
    return "\n" * found[0].count("\n")


def main():
    wanted = sys.argv[1:]
    shown = [one for one in list_sentences() if not wanted or any(part in one.file for part in wanted)]
    print(*shown, sep="\n")
    print(f"{len(shown)} sentences in {len({one.file for one in shown})} files", file=sys.stderr)


if __name__ == "__main__":
    main()
