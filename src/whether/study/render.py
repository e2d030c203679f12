"""Write tables as plain text, Markdown, LaTeX or CSV.

By hand: pandas needs one more package for Markdown, and none of its writers sets the rows of a world apart.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Sequence

from whether.study.errors import StudyError
from whether.study.score_tables import Record, ScoreTable

FORMATS = ("text", "markdown", "latex", "csv")

_LATEX_SIGNS = {"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$"}
_CSV_HEADER = (
    "study", "world", "scenario", "method", "learner", "label", "metric", "mean", "sd", "replicates", "paper",
    "paper_sd", "difference", "minus_oracle",
)  # fmt: skip


def check_format(name: str) -> str:
    """Return the name of a format if there is one."""
    if name not in FORMATS:
        raise StudyError(f"No format is called {name!r}; there are {', '.join(FORMATS)}.")
    return name


def render(tables: Sequence[ScoreTable], records: Sequence[Record], form: str) -> str:
    """Write tables in one of the `FORMATS`, or for CSV the records behind them."""
    if check_format(form) == "csv":
        return _write_csv(records)
    write: Callable[[ScoreTable], str] = {"text": _write_text, "markdown": _write_markdown, "latex": _write_latex}[form]
    return "\n".join(write(table) for table in tables)


def _write_text(table: ScoreTable) -> str:
    lines = [table.header, *table.rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(table.header))]
    text = [table.title, "", _align(table.header, widths), "-" * (sum(widths) + 2 * (len(widths) - 1))]
    for number, row in enumerate(table.rows):
        if number and row[0] and _has_groups(table):
            text.append("")
        text.append(_align(row, widths))
    return "\n".join([*text, *([""] if table.notes else []), *table.notes, ""])


def _align(cells: Sequence[str], widths: Sequence[int]) -> str:
    words = [
        cell.ljust(width) if column < 2 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(words).rstrip()


def _has_groups(table: ScoreTable) -> bool:
    return any(not row[0] for row in table.rows)


def _write_markdown(table: ScoreTable) -> str:
    lines = [f"**{table.title}**", "", _bar(table.header), _bar(["---", "---", *["---:"] * (len(table.header) - 2)])]
    lines += [_bar(row) for row in table.rows]
    return "\n".join([*lines, "", *(f"{note}\n" for note in table.notes)])


def _bar(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _write_latex(table: ScoreTable) -> str:
    columns = "ll" + "r" * (len(table.header) - 2)
    lines = [r"\begin{table}", rf"\caption{{{_escape(' '.join([table.title + '.', *table.notes]))}}}", r"\centering"]
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _latex_row(table.header), r"\midrule"]
    for number, row in enumerate(table.rows):
        if number and row[0] and _has_groups(table):
            lines.append(r"\addlinespace")
        lines.append(_latex_row(row))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


def _latex_row(cells: Sequence[str]) -> str:
    # A leading sign would be set as a hyphen.
    return " & ".join(f"${cell}$" if cell[:1] in ("+", "-") else _escape(cell) for cell in cells) + r" \\"


def _escape(text: str) -> str:
    return "".join(_LATEX_SIGNS.get(sign, sign) for sign in text).replace("`", "")


def _write_csv(records: Sequence[Record]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([_CSV_HEADER, *map(_csv_line, records)])
    return stream.getvalue()


def _csv_line(record: Record) -> list[str]:
    entry, score, published, oracle = record.entry, record.score, record.published, record.oracle
    return [
        *(record.study, record.world, record.scenario, entry.name, entry.learner, entry.label, record.metric),
        *(_number(score.mean), _number(score.sd), str(score.count)),
        *(("", "") if published is None else (f"{published.auc:g}", f"{published.sd:g}")),
        "" if published is None else _number(score.mean - published.auc),
        "" if oracle is None else _number(score.mean - oracle.mean),
    ]


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6f}"
