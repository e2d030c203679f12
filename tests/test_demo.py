import pytest

from whether import METHODS, demo


@pytest.fixture(scope="module")
def printed():
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()) as output:
        demo.main(n=400, n_fresh=500)
    return output.getvalue()


@pytest.mark.parametrize("name", [*METHODS, "oracle"])
def test_every_method_of_the_catalogue_and_the_oracle_have_one_row(printed, name):
    rows = [line for line in printed.splitlines() if line.split()[:1] in ([name], [f"{name}*"])]
    assert len(rows) == 1


@pytest.mark.parametrize(
    "heading", ["method", "what it knows", "restriction", "AUC", "mean", "true", "calib.", "seconds"]
)
def test_every_column_has_its_heading(printed, heading):
    assert heading in printed


def test_no_line_is_wider_than_a_page(printed):
    assert max(len(line) for line in printed.splitlines()) <= demo.WIDTH == 110


def test_the_restriction_is_told_in_full_although_it_wraps(printed):
    words = " ".join(printed.split())
    assert "event within own follow-up," in words
    assert "times depend on named features" in words


def test_a_warning_of_a_fit_becomes_a_footnote_of_its_row(printed):
    assert "SARPU-F*" in printed
    assert "* SARPU-F: IdentifiabilityWarning:" in printed


def test_the_table_says_what_each_method_knows(printed):
    rows = {line.split()[0]: line for line in printed.splitlines() if line.split()[:1] and line.split()[0] in METHODS}
    assert "labels, event times, names" in rows["AFTMC-R"]
    assert "labels, follow-up  " in rows["FUMC-F"]
    assert "," not in rows["LR"]


def test_the_introduction_counts_the_people(printed):
    assert printed.startswith("Of 400 simulated people")
    assert "500 new people" in " ".join(printed.split())


def test_without_warnings_there_are_no_footnotes():
    result = demo.Comparison("LR", "labels", "none", (0.5, 0.5, 0.5, 0.1), 0.0, ())
    assert demo.format_notes([result]) == [""]
