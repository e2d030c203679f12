"""What is said of columns with the mouse, as parameters of the library."""

import pytest

from whether.serve.choices import give_endpoint, give_role, give_values, tell_apart
from whether.serve.uploads import safe_name
from whether.validate import ArgumentError

OPTIONS = {"event": "relapse", "time": "years", "id": ["patient"], "by": ["stage"]}


def test_a_use_moves_from_one_column_to_another():
    found = give_role({**OPTIONS, "event_value": ["2"], "competing": ["3"]}, "died", "event")
    assert found == {**OPTIONS, "event": "died"}


def test_a_column_has_one_use():
    assert give_role(OPTIONS, "years", "id") == {"event": "relapse", "id": ["patient", "years"], "by": ["stage"]}
    assert give_role(OPTIONS, "stage", "time") == {"event": "relapse", "time": "stage", "id": ["patient"]}


def test_that_nobody_is_named_is_something_to_be_said():
    assert give_role(OPTIONS, "patient", "feature")["id"] == []


def test_a_column_that_gives_the_outcome_away_has_to_be_asked_for():
    assert "keep" not in give_role(OPTIONS, "stage", "feature")
    assert give_role({**OPTIONS, "drop": ["stage"]}, "stage", "feature", is_leak=True)["keep"] == ["stage"]


def test_what_cannot_stand_together_gives_way():
    dated = give_role(OPTIONS, "relapse_date", "event_date")
    assert dated == {"event_date": "relapse_date", "id": ["patient"], "by": ["stage"]}
    assert "event_date" not in give_role(dated, "relapse", "event")
    assert "follow_up" not in give_endpoint({**OPTIONS, "follow_up": "watched"}, "2020")
    assert give_endpoint({**OPTIONS, "endpoint": "2020"}, "") == OPTIONS


def test_values_of_the_event_get_a_meaning():
    found = give_values(OPTIONS, {"0": "none", "1": "seen", "2": "other", "3": "other"})
    assert (found["event_value"], found["competing"]) == (["1"], ["2", "3"])
    with pytest.raises(ArgumentError, match="one has to"):
        give_values(OPTIONS, {"0": "none", "1": "other"})


def test_groups_are_told_apart_or_not():
    assert tell_apart(OPTIONS, "sex", True)["by"] == ["stage", "sex"]
    assert "by" not in tell_apart(OPTIONS, "stage", False)


def test_there_is_no_other_use():
    with pytest.raises(ArgumentError, match="no use 'query'"):
        give_role(OPTIONS, "stage", "query")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("cohort.csv", "cohort.csv"), ("../../etc/passwd", "passwd"), ("..\\..\\a.csv", "a.csv"), ("", "table"),
        ("...", "table"), ("-o.csv", "o.csv"), ("a\nb\x00.csv", "ab.csv"), (".profile", "profile"), ("/", "table"),
        ("x" * 500 + ".parquet", "x" * 112 + ".parquet"), ("<script>.csv", "<script>.csv"),
    ],
)  # fmt: skip
def test_a_file_keeps_its_name_as_far_as_it_is_one(given, kept):
    assert safe_name(given) == kept


@pytest.mark.parametrize("letter", ["ä", "漢", "😀", "\ud800"])
def test_a_name_fits_any_file_system(letter, tmp_path):
    name = safe_name(letter * 300 + ".csv")
    (tmp_path / name).write_text("a")
    assert len(name.encode()) <= 240
