"""A real browser, and a page whose columns have names that would do harm if they were believed."""

import os
import shutil

import numpy as np
import pandas as pd
import pytest

import whether as wh
from whether.analysis import Origin
from whether.telling import write_report

HARM = "<script>window.harmed = true</script>"
NAMES = ["age at entry", HARM, '"><img src=x onerror="window.harmed = true">', "a name that is long " * 30]
SIZES = {"desktop": (1280, 900), "phone": (390, 800)}
REQUIRED = "WHETHER_BROWSER_REQUIRED"


def find_browser():
    """Path of the system's Chromium; None without one."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium; without it tests are skipped, unless the environment says that it has to be there."""
    path = find_browser()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path, reason = None, "playwright is not installed"
    else:
        reason = "there is no Chromium: install Debian's chromium, or run .ci/browser"
    if path is None:
        (pytest.fail if os.environ.get(REQUIRED) else pytest.skip)(reason)
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def report(browser, tmp_path_factory):
    """A report with everything in it, written once."""
    cohort = wh.simulate("partially-dependent", n=400, seed=1)
    found = wh.analyze(
        pd.DataFrame(np.asarray(cohort.X), columns=NAMES),
        cohort.y,
        time=cohort.time,
        follow_up=cohort.follow_up,
        n_splits=2,
        by={"arm": np.array(["old", "new", HARM])[np.arange(400) % 3]},
        origin=Origin(
            name=HARM + ".csv", event="</script>", time="time", follow_up="follow_up", unit="years", call=HARM
        ),
    )
    return write_report(found, tmp_path_factory.mktemp("browser") / "report.html")


class Visit:
    """An opened page, with everything that it said or asked for."""

    def __init__(self, context, path):
        self.page = context.new_page()
        self.complaints, self.requests = [], []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())


@pytest.fixture(params=list(SIZES))
def visit(request, browser, report):
    """The report, opened on a screen of a desktop and of a phone."""
    width, height = SIZES[request.param]
    context = browser.new_context(viewport={"width": width, "height": height}, has_touch=request.param == "phone")
    yield Visit(context, report)
    context.close()
