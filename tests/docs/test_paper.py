"""The paper for strangers: its example prints what it says, its references exist, and the citation is the package's."""

import contextlib
import io
import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
PAPER = (ROOT / "paper.md").read_text()


def test_the_example_prints_what_the_paper_says():
    code, said = re.findall(r"```(?:python|text)\n(.*?)```", PAPER, re.DOTALL)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue() == said


def test_every_reference_is_in_the_bibliography_and_cited():
    cited = set(re.findall(r"@([a-z]+\d{4})", PAPER))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", (ROOT / "paper.bib").read_text(), re.MULTILINE))


def test_the_citation_leaves_the_version_to_tags_and_has_the_licence_of_the_package():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert "version" not in citation  # tags have it, and nothing else
    assert f'license = "{citation["license"]}"' in (ROOT / "pyproject.toml").read_text()
