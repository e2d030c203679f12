"""Names and values that would do harm if they were believed."""

import numpy as np
import pandas as pd
import pytest

import whether as wh
from whether.analysis import Origin
from whether.files.table.findings import UsedAsNumbers
from whether.telling import write_report
from whether.telling.words import clean, name

SCRIPT = "<script>document.title='hacked'</script>"
HOSTILE = [SCRIPT, '"><img src=x onerror="document.title=1">', "</script><b>$\\frac{", "\u202egnp.exe " + "long " * 200]


@pytest.fixture(scope="session")
def hostile_analysis():
    """An analysis in which everything that has a name has a bad one."""
    cohort = wh.simulate("partially-dependent", n=300, seed=1)
    origin = Origin(
        name=SCRIPT + ".csv", event="</script>", time="{{ 7 * 7 }}", follow_up="a\x00b", unit="<i>",
        call=f"whether {SCRIPT}",
        findings=(UsedAsNumbers((SCRIPT, "javascript:alert(1)")),), propensity_features=(HOSTILE[1],),
    )  # fmt: skip
    table = pd.DataFrame(np.asarray(cohort.X), columns=HOSTILE)
    return wh.analyze(
        table, cohort.y, time=cohort.time, follow_up=cohort.follow_up, backtest=False, sensitivity=False, origin=origin
    )


@pytest.fixture(scope="session")
def hostile_page(hostile_analysis, read_report):
    return read_report(hostile_analysis)


def test_no_tag_or_handler_comes_from_a_name(hostile_page):
    assert len(hostile_page.named("script")) == 2
    assert not hostile_page.named("img")
    assert not [name for _, attributes in hostile_page.tags for name in attributes if name.startswith("on")]
    assert not [a for a in hostile_page.named("a") if not a["href"].startswith("#")]


def test_names_are_shown_as_they_are(hostile_page):
    assert SCRIPT in hostile_page.words
    assert "{{ 7 * 7 }}" in hostile_page.words
    assert any(SCRIPT in point["text"] for point in hostile_page.data["figures"]["ratios-outcome"])


def test_long_names_are_shortened_with_the_whole_text_in_the_title(hostile_page):
    titles = [attributes["title"] for attributes in hostile_page.named("bdi") if "title" in attributes]
    assert any(title.count("long") > 100 for title in titles)
    assert max(len(word) for row in hostile_page.tables for cells in row for word in cells) < 400


def test_characters_that_turn_the_line_or_end_a_string_are_gone(hostile_page):
    assert not set(hostile_page.source) & {"\u202e", "\x00", "\u2028"}


@pytest.mark.parametrize("text", ["\u202eabc", "a\u200bb", "a\x07b", "a\ud800b", "\ufeffa"])
def test_invisible_characters_become_visible(text):
    assert "\ufffd" in clean(text)


def test_a_short_name_stays_as_it_is_and_letters_of_any_script_do():
    assert name("年齢 at entry", 40).short == "年齢 at entry"
    assert name("العمر").full == "العمر"


def test_a_name_is_cut_in_its_middle():
    cut = name("a" * 50 + "z" * 50, 20)
    assert len(cut.short) == 20
    assert cut.short.startswith("aaa")
    assert cut.short.endswith("zzz")
    assert len(cut.full) == 100


def test_letters_that_the_font_lacks_do_not_warn(tmp_path, recwarn):
    cohort = wh.simulate("partially-dependent", n=300, seed=1)
    table = pd.DataFrame(np.asarray(cohort.X), columns=["年齢", "العمر", "🙂", "हिन्दी"])
    found = wh.analyze(table, cohort.y, follow_up=cohort.follow_up, backtest=False, sensitivity=False)
    text = write_report(found, tmp_path / "report.html").read_text(encoding="utf-8")
    assert not list(recwarn)
    assert all(name in text for name in table.columns)
