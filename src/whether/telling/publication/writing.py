"""Tables of a publication as files: Word, LaTeX or CSV."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from whether.analysis import Analysis
from whether.facts import FEWEST
from whether.files.whole_files import write_text
from whether.telling.publication.tables import PublicationTable, publication_tables, typeset
from whether.telling.publication.word import find_docx, write_word
from whether.telling.words import clean
from whether.validate import ArgumentError

WORD, LATEX, CSV = "word", "latex", "csv"
FORMATS = (WORD, LATEX, CSV)
WORD_FILE, LATEX_FILE = "tables.docx", "tables.tex"
CSV_FILES = {key: f"table-{key}.csv" for key in ("cohort", "coefficients", "results")}
# Every name that a file of tables may have.
TABLE_FILES = (WORD_FILE, LATEX_FILE, *CSV_FILES.values())
# What LaTeX would take for a command.
_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "−": "$-$", "’": "'", "[": "{[}", "]": "{]}",
}  # fmt: skip
# What a spreadsheet takes for a formula; a number with a sign, and an interval of two, is none.
_FORMULA = re.compile(r"^\s*(?:[=@]|[+-](?![\d.,e-]+(?: to [\d.,e-]+)?$))")


def check_table_format(kind: str) -> None:
    """Refuse a format that there is not, or that needs a package which is not installed, before any work is done."""
    if kind not in FORMATS:
        raise ArgumentError(f"The format of tables must be one of {', '.join(FORMATS)}, got {kind!r}.")
    if kind == WORD:
        find_docx()


def write_tables(
    analysis: Analysis, folder: str | os.PathLike[str], kind: str = CSV, *, suppress_below: int = FEWEST
) -> list[Path]:
    """Write the tables of a publication: the cohort by recorded event, coefficients, and results by group.

    Parameters
    ----------
    analysis : Analysis
    folder : path-like
        Where the files are to be; it must exist.
    kind : {"csv", "latex", "word"}
        Three CSV files, one LaTeX file for packages booktabs and longtable, or one Word file.
    suppress_below : int
        Smallest number of people that is shown.

    Returns
    -------
    list of Path
        The files that were written.
    """
    check_table_format(kind)
    tables = publication_tables(analysis, suppress_below)
    target = Path(folder)
    if kind == CSV:
        for table in tables:
            write_text(target / CSV_FILES[table.key], as_csv(table))
        return [target / CSV_FILES[table.key] for table in tables]
    write: Callable[[Sequence[PublicationTable], Path], None] = _write_latex if kind == LATEX else write_word
    path = target / (LATEX_FILE if kind == LATEX else WORD_FILE)
    write(tables, path)
    return [path]


def as_csv(table: PublicationTable) -> str:
    """Return a table as CSV; no cell is one that a spreadsheet would compute."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in (table.header, *table.rows):
        writer.writerow([_harmless(clean(cell)) for cell in row])
    return text.getvalue()


def _harmless(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) else cell


def as_latex(table: PublicationTable) -> str:
    """Return a table as LaTeX; names may hold anything."""
    columns = "l" + "r" * (len(table.header) - 1)
    lines = [rf"\begin{{longtable}}{{{columns}}}", rf"\caption{{{latex_text(table.title)}.}}\\", r"\toprule"]
    lines += [_latex_row(table.header), r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"]
    lines += [_latex_row(row) for row in table.rows]
    lines += [r"\end{longtable}", *(rf"\noindent{{\footnotesize {latex_text(note)}}}\par" for note in table.notes)]
    return "\n".join(lines) + "\n"


def _latex_row(cells: Sequence[str]) -> str:
    indent = r"\quad " if cells[0].startswith("  ") else ""
    shown = (cells[0].strip(), *map(typeset, cells[1:]))
    return f"{indent}{' & '.join(map(latex_text, shown))} \\\\"


def latex_text(text: str) -> str:
    r"""Return text in which LaTeX finds no command.

    >>> print(latex_text("a_b & 5 %"))
    a\_b \& 5 \%
    """
    return "".join(_LATEX.get(character, character) for character in clean(text))


def _write_latex(tables: Sequence[PublicationTable], path: Path) -> None:
    head = "% Needs \\usepackage{booktabs,longtable} and a Unicode engine or \\usepackage[utf8]{inputenc}.\n"
    write_text(path, "\n".join([head, *(as_latex(table) for table in tables)]))
