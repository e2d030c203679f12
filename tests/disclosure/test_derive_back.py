"""No small count and no person can be found in what the program tells of cohorts with small groups."""

import pytest

from tests.disclosure import drawn
from tests.disclosure.attack import attack
from tests.disclosure.cohorts import MAKERS, write_outputs
from tests.disclosure.level_cohorts import LEVELS
from tests.disclosure.reading import read_folder
from tests.disclosure.record_cohorts import RECORDS
from tests.disclosure.truth import find_truth
from whether.telling.figures import svg

COHORTS = MAKERS | RECORDS | LEVELS
FILES = {
    "summary.json",
    "report.html",
    "analyze.txt",
    "examine.json",
    "examine.svg",
    "backtest.json",
    "table-cohort.csv",
}
# Narrow pictures are the wide ones with shorter names: these are attacked, elsewhere the wide ones stand for them.
DRAWN_NARROW = {"everything", "levels", "few events", "few deaths and a range"}


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Function that lets the program tell everything of a cohort, once."""
    folders = {}

    def tell(name):
        if name not in folders:
            folders[name] = tmp_path_factory.mktemp("told")
            with pytest.MonkeyPatch.context() as patch:
                if name not in DRAWN_NARROW:
                    patch.setattr(svg, "_draw", draw_wide_only(svg._draw))
                write_outputs(COHORTS[name](), folders[name])
        return folders[name]

    return tell


def draw_wide_only(draw):
    """Draw each chart once, wide; the narrow picture, which is asked for next, is the same again."""
    last = []

    def draw_once(chart, *, narrow):
        if not narrow:
            last[:] = [(chart, draw(chart, narrow=False))]
        assert last[0][0] is chart
        return last[0][1]

    return draw_once


@pytest.mark.parametrize("name", COHORTS)
def test_nothing_small_can_be_derived(name, told):
    cohort = COHORTS[name]()
    leaks = attack(told(name), find_truth(cohort.table, cohort.roles, cohort.by))
    assert not leaks, "\n".join(map(str, leaks))


def test_everything_that_is_told_is_read(told):
    shown, models = read_folder(told("everything"))
    assert {document.name for document in shown} >= FILES
    assert all(document.texts or document.pictures for document in shown)
    assert [len(model.numbers) > 10 for model in models] == [True]
    page = next(document for document in shown if document.name == "report.html")
    assert page.tables
    assert page.data
    # Thresholds and bins of the risk are understood, and so are the axes of the curves.
    assert len(drawn.tails_of_risks(page)) > 10
    assert any(drawn.can_be_read(picture) for picture in page.pictures)
    assert any(drawn.can_be_read(picture) for document in shown for picture in document.pictures)
