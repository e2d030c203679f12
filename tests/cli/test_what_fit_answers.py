"""What a fit says of its own figures: which question they answer, and that a range takes their place."""

from pathlib import Path

from whether.cli.method_choice import Training, training_sentence
from whether.cli.reporting import _about_files

TRAINING = Training(people=1_384, events=115, seen_share=0.083, mean_risk=0.125, expected_unseen=59.0, converged=True)


def test_it_says_which_question_is_answered_where_some_died_first():
    said = training_sentence(TRAINING, "lifetime")
    assert "It answers whether the event comes before death; --question net asks" in said
    assert "59 of those alive without it" in said
    assert "--question lifetime asks" in training_sentence(TRAINING, "net")
    assert "question" not in training_sentence(TRAINING)


def test_where_analyze_gives_a_range_it_says_so():
    assert "`whether analyze` gives the range" in training_sentence(TRAINING, refused=True)
    assert "range" not in training_sentence(TRAINING)


def test_predictions_have_a_row_for_each_row_where_people_have_several():
    _, rows = _about_files(Path("r"), tells_all=False, has_several=True)
    assert "a row for each row of the table, several for some people" in rows
    _, rows = _about_files(Path("r"), tells_all=False, has_several=False)
    assert "a row for each person" in rows


def test_rows_that_depend_on_each_other_are_not_called_people():
    training = Training(600, 169, 169 / 600, 0.54, 155.0, True)
    assert "fitted to 600 people, of whom 169" in training_sentence(training)
    assert "fitted to 600 rows in 300 groups, of which 169" in training_sentence(training, groups=300)
    assert "fitted to 600 rows, of which 169" in training_sentence(training, groups=7)
