"""Analyses of small cohorts, made once, and the pages written from them."""

import json
import re
from functools import lru_cache
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import whether as wh
from whether.analysis import Origin
from whether.telling import write_report
from whether.telling.figures.svg import Picture
from whether.telling.page import sections

NAMES = ["age at entry", "body mass index", "smoker", "visits per year"]
SPLITS = 2


class Page(HTMLParser):
    """What a browser would find in a page: text, tables (rows of cells, the header first), tags, data of the script."""

    def __init__(self, source):
        super().__init__()
        self.source = source
        self.tags, self.text, self.tables = [], [], []
        self._hidden = 0
        self._cell = None
        # A name that is kept on one line is part of its sentence.
        self.feed(re.sub(r'<span class="whole">(.*?)</span>', r"\1", source))

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._hidden += tag in ("script", "style")
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self._cell = ""

    def handle_endtag(self, tag):
        self._hidden -= tag in ("script", "style")
        if tag in ("td", "th") and self._cell is not None:
            self.tables[-1][-1].append(self._cell.replace("\u00a0", " ").strip())
            self._cell = None

    def handle_data(self, data):
        if not self._hidden:
            self.text.append(data)
            if self._cell is not None:
                self._cell += data

    @property
    def words(self):
        return re.sub(r"\s+", " ", " ".join(self.text).replace("\u00a0", " "))

    def named(self, tag):
        return [attributes for found, attributes in self.tags if found == tag]

    @property
    def data(self):
        found = re.search(r'<script type="application/json" id="report-data">(.*?)</script>', self.source, re.DOTALL)
        return json.loads(found[1])


def describe_origin(**changes):
    return Origin(
        **{"name": "a cohort", "event": "relapse", "unit": "years", "call": "whether analyze a.csv", **changes}
    )


@lru_cache(maxsize=8)
def analyze_world(world, known=("time", "follow_up"), n=500, learner=None, named=None, checks=True):
    cohort = wh.simulate(world, n=n, seed=1)
    table = pd.DataFrame(np.asarray(cohort.X), columns=NAMES)
    return wh.analyze(
        table,
        cohort.y,
        **{name: getattr(cohort, name) for name in known},
        propensity_features=None if named is None else list(named),
        learner=learner,
        backtest=checks,
        sensitivity=checks,
        n_splits=SPLITS,
        origin=describe_origin(time="t" if "time" in known else "", follow_up="c" if "follow_up" in known else ""),
    )


@pytest.fixture(scope="session")
def analysis():
    """An analysis with everything in it: times, follow-up, backtest, sensitivity."""
    return analyze_world("partially-dependent")


@pytest.fixture(scope="session")
def read_report(tmp_path_factory):
    """Write an analysis and read the page: ``read_report(analysis, suppress_below=11)``."""

    def read(analysis, **settings):
        path = write_report(analysis, tmp_path_factory.mktemp("report") / "report.html", **settings)
        return Page(path.read_text(encoding="utf-8"))

    return read


@pytest.fixture
def undrawn(monkeypatch):
    """Pages without their drawings, which take most of the time: for tests of what is said beside them."""
    monkeypatch.setattr(sections, "render", lambda chart: Picture(chart, "", "", []))


@pytest.fixture(scope="session")
def page(analysis, read_report):
    """The page of the analysis with everything in it."""
    return read_report(analysis)


@pytest.fixture(scope="session")
def analyze():
    """Analyses by world and by what is known, each made once."""
    return analyze_world
