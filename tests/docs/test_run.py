"""A page that shows what does not happen breaks the build."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("myst_parser")

EXTENSIONS = Path(__file__).parents[2] / "docs" / "_ext"
CONF = f"""
import sys
sys.path.insert(0, {str(EXTENSIONS)!r})
extensions = ["myst_parser", "run", "mathml"]
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath"]
"""


def build(folder, page):
    (folder / "conf.py").write_text(CONF)
    (folder / "index.md").write_text("# Page\n\n" + page)
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-b", "html", "-W", "-q", str(folder), str(folder / "html")],
        capture_output=True,
        text=True,
        check=False,
    )
    shown = folder / "html" / "index.html"
    return done.returncode, done.stderr, shown.read_text() if shown.exists() else ""


def test_a_page_shows_what_its_blocks_print_warn_of_and_raise(tmp_path):
    code, errors, html = build(
        tmp_path,
        "```{run}\nimport warnings\nnumber = 41\nwarnings.warn('careful')\n```\n\n"
        "```{run}\n:hide-code:\n\nprint('forty', number + 1)\n```\n\n"
        "```{run}\n:raises: ValueError\n\nint('many')\n```\n\n"
        "```{command}\necho from the shell\n```\n\n$p_i$\n",
    )
    assert (code, errors) == (0, "")
    assert "UserWarning: careful" in html
    assert "forty 42" in html
    assert "number + 1" not in html
    assert "ValueError: invalid literal" in html
    assert "from the shell" in html
    assert "<msub>" in html


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        ("```{run}\n1 / 0\n```\n", "ZeroDivisionError"),
        ("```{run}\n:raises: ValueError\n\nprint('fine')\n```\n", "ValueError was expected"),
        ("```{command}\nfalse\n```\n", "exit code 1"),
        ("```{command}\n:fails:\n\ntrue\n```\n", "exit code 0"),
    ],
)
def test_a_block_that_does_something_else_breaks_the_build(tmp_path, page, complaint):
    code, errors, _ = build(tmp_path, page)
    assert code != 0
    assert complaint in errors
