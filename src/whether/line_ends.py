"""Where a line of a page may not end: whoever writes a page uses it."""

from __future__ import annotations

import re

# Blanks before a per cent sign, about "=", "<" and ">" before a number, and about the "to" of two limits.
_KEPT = re.compile(
    r" (?=%|[=<>] [−+]?\d)|(?<= [=<>]) (?=[−+]?\d)|(?<=\([<>]) (?=\d)"
    r"|(?<=\d) (?=to [−+<>]?[ \d])|(?<=\d to) (?=[−+<>]?[ \d])|(?<=%) (?=interval\b)"
)


def keep_together(text: str) -> str:
    r"""Return text in which a number stays on one line with its sign, its other limit, and what it is set against.

    >>> keep_together("46 % (95 % interval 43 to 49 %)")
    '46\xa0% (95\xa0%\xa0interval 43\xa0to\xa049\xa0%)'
    """
    return _KEPT.sub("\N{NO-BREAK SPACE}", text)
