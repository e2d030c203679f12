"""The API reference has every public name, and the pages name no example that is not there."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

from whether.estimators import CensoredClassifier

DOCS = Path(__file__).parents[2] / "docs"
SOURCE = DOCS.parent / "src" / "whether"
LISTED = set(re.findall(r"^   (?:\w+\.)?(\w+)$", "\n".join(page.read_text() for page in DOCS.glob("api/*.md")), re.M))
# Names that a page writes out in another way.
BY_HAND = {"METHODS", "WORLDS", "PAPER_WORLDS", "PRINTED_WORLDS", "STRESS_WORLDS", "DIABETES_WORLDS", "AUTISM_WORLDS",
           "PROMOTION_WORLDS", "RECORD_WORLDS", "SHAPE_WORLDS"}  # fmt: skip


@pytest.mark.parametrize(
    "module",
    ["whether", "whether.advise", "whether.analysis", "whether.evaluate", "whether.files.model", "whether.telling",
     "whether.simulation"],
)  # fmt: skip
def test_every_public_name_is_in_the_reference(module):
    names = set(importlib.import_module(module).__all__)
    assert names - LISTED - BY_HAND == set()


def test_every_page_is_in_a_table_of_contents():
    pages = {page.stem for page in DOCS.glob("howto/*.md")} - {"index"}
    contents = (DOCS / "howto" / "index.md").read_text()
    assert pages == {line for line in contents.splitlines() if re.fullmatch(r"\w+", line)}


def test_every_record_that_a_fit_takes_is_on_its_page():
    page = (DOCS / "howto" / "records.md").read_text()
    taken = set(inspect.signature(CensoredClassifier.fit).parameters) - {"self", "X", "sample_weight"}
    assert {name for name in taken if f"`{name}`" not in page and f"`{name}=" not in page} == set()


def test_examples_that_pages_point_to_exist():
    pointed = {
        name
        for page in [*DOCS.glob("*.md"), *DOCS.glob("howto/*.md")]
        for name in re.findall(r"(?:gallery|tutorials)/(plot_\w+)", page.read_text())
    }
    there = {script.stem for script in DOCS.parent.glob("examples/*/plot_*.py")}
    assert pointed
    assert pointed <= there


def test_what_contributing_points_to_is_there():
    """Paths below the package, or from the root of the project."""
    text = (DOCS.parent / "CONTRIBUTING.md").read_text()
    paths = set(re.findall(r"`([\w./]+(?:\.py|/))`", text))
    assert len(paths) > 15
    missing = [path for path in paths if not (DOCS.parent / path).exists() and not (SOURCE / path).exists()]
    assert missing == []
