"""The page: rendered from a template and written whole or not at all."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from whether.analysis import Analysis
from whether.facts import FEWEST
from whether.files.whole_files import write_text
from whether.line_ends import keep_together
from whether.methods import METHODS
from whether.telling.page.page import describe
from whether.telling.words import Name, as_rows, clean, rows_sentence

TEMPLATES = Path(__file__).parent / "templates"

# Names of methods and of options that a line could break at their hyphen, and what they do not stand in: drawings have
# lines of their own, and so have names that somebody gave.
_HYPHENED = re.compile(rf"\b(?:{'|'.join(name for name in METHODS if '-' in name)})\b|(?<![\w-])--[a-z][a-z-]*")
_APART = re.compile(r"(<(title|style|script|svg|bdi)\b.*?</\2>|<[^>]*>)", re.DOTALL)


def write_report(analysis: Analysis, path: str | os.PathLike[str], *, suppress_below: int = FEWEST) -> Path:
    """Write an analysis as one HTML file that opens without a network.

    No individual-level data is in it: no row, no count below the threshold, no time that is one person's own.

    Parameters
    ----------
    analysis : Analysis
    path : path-like
        Where the file is to be; one that is there is replaced.
    suppress_below : int
        Smallest number of people that is shown in tables and plots; 0 or 1 shows everything, for invented people.

    Returns
    -------
    Path
        Where the file is.
    """
    target = Path(path)
    text = render_page(describe(analysis, suppress_below))
    write_text(target, _count_rows(text, analysis.origin.n_persons) if analysis.origin.n_persons else text)
    return target


def _count_rows(page: str, n_persons: int) -> str:
    """Say rows instead of people wherever text is shown or read out, and say so first.

    Styles, the script, names that somebody gave, and tags but for their labels stay as they are.
    """
    kept = r"<script>.*?</script>|<style.*?</style>|<bdi.*?</bdi>"
    parts = re.split(rf"({kept}|<script type.*?</script>|<[^>]*>)", page, flags=re.DOTALL)
    shown = "".join(_say_rows(part) for part in parts)
    said = f'<p class="asked">{rows_sentence(n_persons)}</p>\n  <p class="headline">'
    return shown.replace('<p class="headline">', said, 1)


def _say_rows(part: str) -> str:
    """Say rows in a text, in what the script tells, or in the label of a tag."""
    if part.startswith("<script type"):
        return re.sub(r'"(text|title|measure)": "[^"]*"', lambda found: as_rows(found[0]), part)
    if part.startswith("<"):
        return re.sub(r'aria-label="[^"]*"', lambda found: as_rows(found[0]), part)
    return as_rows(part)


def render_page(content: dict[str, Any]) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    content : dict
        What `describe` returned.
    """
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    script = (TEMPLATES / "report.js").read_text(encoding="utf-8")
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = environment.get_template("report.html").render(
        **content,
        # Both are files of this package, so they need no escaping; the hash lets no other script run.
        script=Markup(script),
        style=Markup(style),
        script_hash=Markup(digest),
        markup=Markup,
    )
    return _keep_names(page)


def _keep_names(page: str) -> str:
    """Keep the name of a method or an option on one line, without a character that a copied text would carry along.

    >>> _keep_names('<p id="AFTMC-F">AFTMC-F</p>')
    '<p id="AFTMC-F"><span class="whole">AFTMC-F</span></p>'
    >>> _keep_names("<i>with --entry-time</i>")
    '<i>with <span class="whole">--entry-time</span></i>'
    """
    # Three parts in turn: a text, what stands apart after it, and the name of that tag or nothing.
    parts = _APART.split(page)
    parts[::3] = [_HYPHENED.sub(r'<span class="whole">\g<0></span>', text) for text in parts[::3]]
    parts[2::3] = [""] * len(parts[2::3])
    return "".join(parts)


def _finalize(value: Any) -> Any:
    """Clean whatever is printed, unless it is markup already; long names carry their whole text as a title."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, Name):
        if value.short == value.full:
            return Markup("<bdi>{}</bdi>").format(value.full)
        return Markup('<bdi title="{}">{}</bdi>').format(value.full, value.short)
    return keep_together(clean(value)) if isinstance(value, str) else value
