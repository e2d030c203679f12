import re
import subprocess
import sys
from pathlib import Path

import pytest

import whether

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", whether.__all__)
def test_every_public_name_resolves_and_is_listed(name):
    assert getattr(whether, name) is not None
    assert name in dir(whether)


@pytest.mark.parametrize("name", [name for name in whether.__all__ if name.endswith("Classifier")])
def test_a_public_classifier_has_the_name_of_its_class(name):
    assert getattr(whether, name).__name__ == name


def test_public_parts_need_no_import_of_their_own():
    parts = ("advise", "analysis", "evaluate", "learners", "files", "methods", "simulation", "study", "telling")
    program = f"import whether; [getattr(whether, name).__doc__ for name in {parts!r}]"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_public_names_are_listed_once():
    assert len(set(whether.__all__)) == len(whether.__all__)


def test_an_unknown_name_is_an_attribute_error_that_repeats_it():
    with pytest.raises(AttributeError, match="'whether' has no attribute 'FollowUpClassifier'"):
        _ = whether.FollowUpClassifier


def test_every_classifier_of_the_catalogue_is_public():
    assert {method.estimator.__name__ for method in whether.METHODS.values()} <= set(whether.__all__)


@pytest.mark.parametrize("package", ["lightgbm", "sklearn", "torch"])
def test_importing_the_package_alone_does_not_load(package):
    program = f"import sys, whether; sys.exit({package!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_first_python_example_of_the_readme_runs(capsys):
    path = REPOSITORY / "README.md"
    if not path.exists():
        pytest.skip("README.md is not part of this copy")
    example = re.search(r"^```python\n(.*?)^```$", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    exec(compile(example[1], "README.md", "exec"), {"__name__": "example"})
    assert capsys.readouterr().out
