"""Findings in sentences: every kind has words, and none points at few people."""

import pytest

from whether.files.table import findings as facts
from whether.files.table.encoder import BeyondTraining
from whether.files.table.findings import ColumnFinding, Finding, Held, Reason
from whether.telling.table_words import word, word_all

FEW, MANY = Held("Utopia", 4), Held("Rome", 40)
EXAMPLES = [
    facts.FileRead(encoding="Latin-1"),
    facts.FileRead(empty_rows=40),
    facts.SheetRead("people"),
    facts.OneColumn("a b"),
    facts.Unnamed("(column 1)", 1),
    facts.Converted("x", "with decimal commas"),
    *(facts.LeftOut("x", reason, (FEW,)) for reason in Reason),
    facts.LooksLikeId("x"),
    facts.GapsFilled("x", 7, 1.5),
    facts.GapsCoded("x", 7, FEW),
    facts.RarePooled("x", 7, 7, FEW),
    facts.UnknownCategories("x", (FEW, MANY), "Rome"),
    facts.SameFeature("x", "y"),
    facts.UsedAsNumbers(("x",)),
    facts.UsedAsCategories("x", (MANY, FEW)),
    facts.EventRead("x", (FEW,), (MANY,)),
    facts.CompetingRead("x", (FEW,)),
    facts.OtherValues("x", (FEW, MANY)),
    facts.Suspected("x", Reason.SEPARATES, 0.98),
    facts.LikelyCode("x", Held("-99", 7)),
    facts.Outlying("x"),
    facts.AllEmpty("x"),
    BeyondTraining("x", 7, -50.0, 160.0),
    facts.SameId(("x",), 7),
    facts.RowsLeftOut("x", "is not before the time", 7),
    facts.LostEarlier(7, 100),
    facts.LostEarlier(93, 100),
    facts.EndpointRead("2020-12-31"),
    facts.NeverAfter(48.0, 7, 100),
    facts.NeverAfter(48.0, 93, 100),
    facts.DatesToYears(),
    facts.Simulated("baseline", 0, 100),
]


def test_every_kind_of_finding_is_tried():
    assert {type(finding) for finding in EXAMPLES} == {*Finding.__subclasses__(), *ColumnFinding.__subclasses__()} - {
        ColumnFinding
    }


@pytest.mark.parametrize("finding", EXAMPLES, ids=str)
def test_no_sentence_has_a_value_or_a_count_of_few_people(finding):
    told = word(finding)
    assert told.endswith(".")
    assert "Utopia" not in told
    assert "7" not in told


def test_what_many_people_have_is_told_and_so_is_everything_where_nothing_is_held_back():
    assert "'Rome'" in word(facts.UnknownCategories("x", (FEW, MANY), "Rome"))
    assert "'Utopia'" in word(facts.UnknownCategories("x", (FEW, MANY), "Rome"), 0)
    assert "7 missing values" in word(facts.GapsFilled("x", 7, 1.5), 0)
    assert "30 rare categories (40 people)" in word(facts.RarePooled("x", 30, 40, None))


def test_what_is_alike_of_several_columns_is_one_sentence():
    gaps = [facts.GapsFilled(name, 126, 1.5, is_flagged=True) for name in "abc"]
    same = [facts.SameFeature(f"{name} is missing", "a is missing") for name in "bcd"]
    few = [facts.GapsFilled(name, people, 2.5) for name, people in (("e", 3), ("f", 4), ("g", 5))]
    told = word_all([*gaps, facts.DatesToYears(), *same, *few, facts.GapsFilled("h", 20, 4.5)])
    assert len(told) == 5
    assert all(repr(name) in told[0] for name in "abc")
    assert "126" in told[0]
    assert "indicators" in told[0]
    assert all(repr(f"{name} is missing") in told[2] for name in "abcd")
    # Numbers of few people are alike as they are told, and told as such.
    assert "fewer than 11" in told[3]
    assert "'h'" in told[4]


def test_two_columns_keep_their_own_sentences():
    gaps = [facts.GapsFilled(name, 126, fill) for name, fill in (("a", 1.5), ("b", 2.5))]
    assert word_all(gaps) == tuple(word(finding) for finding in gaps)
