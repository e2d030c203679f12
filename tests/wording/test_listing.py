"""Every sentence that can be printed is listed, and none has words that people stumbled over."""

import re

import pytest

from tests.wording.listing import SOURCE, list_sentences

# Words that readers stumbled over, in whatever is told to who uses the program.
STUMBLES = re.compile(
    r"% points|of AUC\b|called in for nothing|Kaplan and Meier|in its spreads|\bU\(0|single persons|"
    r"expected to be positive|was not seen are|the unlabeled are positive|Miss the tables|a feature of its own|"
    r"\bAsked is\b|had the event seen"
)
TOLD = ("telling/", "cli/", "files/table/")


@pytest.fixture(scope="module")
def sentences():
    return list_sentences()


def test_texts_of_program_page_errors_and_warnings_are_listed(sentences):
    found = {one.file: " ".join(other.text for other in sentences if other.file == one.file) for one in sentences}
    assert "are expected to have it {...}" in found["telling/headline_words.py"]
    assert "exists and does not look like a file that whether wrote" in found["cli/output.py"]
    assert "Skip to the answer" in found["telling/page/templates/report.html"]
    assert "Follow-up looks too short" in found["estimators/time_model.py"]
    assert "Base of the classifiers with a model of event times" not in found["estimators/time_model.py"]  # a docstring


def test_a_sentence_names_its_place(sentences):
    places = [str(one) for one in sentences if one.text.startswith("Follow-up looks too short")]
    lines = (SOURCE / "estimators/time_model.py").read_text(encoding="utf-8").splitlines()
    number = next(number for number, line in enumerate(lines, start=1) if "Follow-up looks too short" in line)
    assert any(place.startswith(f"estimators/time_model.py:{number}: Follow-up looks too short") for place in places)


def test_nobody_stumbles_over_known_words_again(sentences):
    told = [one for one in sentences if one.file.startswith(TOLD)]
    assert len(told) > 500
    assert not [str(one) for one in told if STUMBLES.search(one.text)]
