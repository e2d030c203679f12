"""`whether serve` in a real browser: a table dropped, corrected, analysed, an assumption changed, downloads."""

import os
import shlex
import subprocess
import sys
from urllib.parse import urlsplit

import pytest

import whether as wh
from tests.processes import PATIENCE, wait_until
from tests.serve.served import Served

SLOW = 1000 * PATIENCE  # milliseconds
HARM = '<img src=x onerror="window.harmed = 1">'
DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""

# A stage may be over before a test looks.
REMEMBER_STAGES = """() => {
  window.stages = [];
  const stage = document.getElementById("stage");
  new MutationObserver(() => window.stages.push(stage.textContent)).observe(stage, { childList: true });
}"""


@pytest.fixture(scope="module")
def served(browser, tmp_path_factory):
    """A server that forgets a table soon after its page was closed."""
    os.environ["WHETHER_FORGET_AFTER"] = "2"
    one = Served(tmp_path_factory.mktemp("served"))
    del os.environ["WHETHER_FORGET_AFTER"]
    yield one
    assert one.stop() == 0
    one.process.communicate()


@pytest.fixture(scope="module")
def cohort():
    """A cohort whose columns cannot all be understood: a second column could be the event, and one has a bad name."""
    drawn = wh.simulate("baseline", n=200, seed=1).frame()
    columns = {"x1": drawn["x1"], "x2": drawn["x2"], HARM: drawn["x3"].round(3), "patient": range(1000, 1200)}
    columns |= {"relapse": drawn["y"], "died": (drawn["x4"] > 1).astype(int), "years": drawn["time"]}
    return drawn.assign(**columns)[list(columns)].to_csv(index=False)


class Desk:
    """The page in a tab, with everything that it said or asked for."""

    def __init__(self, context, served):
        self.page, self.complaints, self.requests, self.choosers = context.new_page(), [], [], []
        self.page.set_default_timeout(SLOW)
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("filechooser", lambda chooser: self.choosers.append(chooser))
        context.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(served.address)

    def find(self, selector):
        return self.page.locator(selector)

    def drop(self, name, text):
        self.page.evaluate(DROP, [name, text])

    def choose(self, column, role):
        self.page.get_by_label(f"Use of {column}", exact=True).select_option(role)

    def see(self, selector, text=None):
        """Wait until something is shown, with a text."""
        from playwright.sync_api import expect

        expect(self.find(selector)).to_be_visible(timeout=SLOW)
        if text is not None:
            expect(self.find(selector)).to_contain_text(text, timeout=SLOW)

    def see_command(self, text):
        from playwright.sync_api import expect

        expect(self.find("#command")).to_contain_text(text, timeout=SLOW)
        expect(self.find("#run")).to_be_enabled(timeout=SLOW)


@pytest.fixture
def context(browser):
    """A browser that nobody has used yet."""
    opened = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    yield opened
    opened.close()


@pytest.fixture
def desk(context, served):
    """The page, which may not complain or ask elsewhere."""
    one = Desk(context, served)
    yield one
    assert one.complaints == []
    assert {urlsplit(url).netloc for url in one.requests if not url.startswith(("data:", "blob:"))} == {served.host}


def find_faults(page):
    """What axe has to say against the page."""
    from axe_playwright_python.sync_playwright import Axe

    # The report in its frame has tests of its own.
    found = Axe().run(page, {"exclude": [["#report"]]})
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found.response["violations"]]


def test_from_the_table_to_the_report_and_to_another_assumption(desk, served, cohort, tmp_path):
    assert find_faults(desk.page) == []
    desk.drop("cohort.csv", cohort)
    desk.see("#obstacles", "Several columns could be the event: 'relapse', 'died'")
    assert desk.find("#ready").is_hidden()
    assert find_faults(desk.page) == []
    desk.choose("relapse", "event")
    desk.see_command("--event relapse --time years --id patient")
    desk.choose("died", "drop")
    desk.see_command("--drop died")
    desk.page.get_by_label("Rehearse the answer").uncheck()
    desk.see_command("--no-backtest")
    assert desk.page.evaluate("window.harmed") is None
    assert desk.page.locator("img").count() == 0

    desk.page.evaluate(REMEMBER_STAGES)
    desk.find("#run").click()
    desk.see("#running")
    desk.see("#results")
    assert {"Examining the cohort", "Fitting"} <= set(desk.page.evaluate("window.stages"))
    first = desk.find("#answer .headline").inner_text()
    report = desk.page.frame_locator("#report")
    report.locator(".headline").wait_for()
    assert report.locator(".headline").inner_text() == first
    kind = desk.find("#badge").get_attribute("class").removeprefix("badge ")
    assert report.locator("#answer").get_attribute("class") == f"answer {kind}"
    report.locator("#threshold-input").press("Home")
    assert report.locator("#sweep-share").inner_text().startswith("100 %")
    assert find_faults(desk.page) == []

    desk.page.get_by_label("Unit of the times").fill("years")
    desk.page.get_by_label("if known from elsewhere").fill("60")
    desk.page.get_by_label("Standard error of that share").fill("5")
    desk.page.keyboard.press("Tab")
    desk.see_command("--prevalence-error 0.05")
    desk.see("#outdated")
    desk.find("#run").click()
    desk.see("#answer", "taken to be 60 %")
    desk.see("#earlier", first)
    assert desk.find("#outdated").is_hidden()
    _compare_downloads(desk, cohort, tmp_path)
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            desk.page.set_viewport_size({"width": width, "height": 900})
            desk.page.emulate_media(color_scheme=scheme)
            assert desk.page.evaluate("document.documentElement.scrollWidth") <= width
            assert find_faults(desk.page) == []


def _compare_downloads(desk, cohort, folder):
    """Run the command line that the page shows, and compare."""
    (folder / "cohort.csv").write_text(cohort)
    command = desk.find("#command").text_content()
    subprocess.run([sys.executable, "-m", *shlex.split(command)], cwd=folder, check=True, capture_output=True)
    names = desk.find("#files a").all_inner_texts()
    assert len(names) == 4
    for name in names:
        with desk.page.expect_download() as waiting:
            desk.find("#files").get_by_role("link", name=name, exact=True).click()
        got = waiting.value
        assert got.suggested_filename == name
        own = folder / ("" if name.startswith("model-") else "cohort-report") / name
        with open(got.path(), "rb") as file:
            assert file.read() == own.read_bytes(), name


def test_the_keyboard_alone_is_enough(desk, tmp_path):
    drawn = wh.simulate("baseline", n=150, seed=2).frame().rename(columns={"y": "event"})
    drawn[["x1", "event", "time"]].to_csv(tmp_path / "small.csv", index=False)
    keyboard = desk.page.keyboard
    keyboard.press("Tab")
    assert desk.page.evaluate("document.activeElement.id") == "file"
    keyboard.press("Enter")
    desk.page.wait_for_timeout(100)
    wait_until(lambda: desk.choosers or desk.page.wait_for_timeout(100), "no file can be chosen")
    desk.choosers[0].set_files(tmp_path / "small.csv")
    desk.see_command("--event event --time time")
    _tab_to(desk, "Use of x1")
    keyboard.press("l")  # the first use that begins so: "last time without the event"
    desk.see("#obstacles")
    keyboard.press("Home")  # "a feature"
    desk.see_command("--event event --time time")
    assert desk.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Use of x1"
    _tab_to(desk, "", "backtest")
    keyboard.press("Space")
    desk.see_command("--no-backtest")
    _tab_to(desk, "", "run")
    keyboard.press("Enter")
    desk.see("#running")
    assert desk.page.evaluate("document.activeElement.id") == "cancel"  # the focus does not get lost
    keyboard.press("Enter")
    desk.see("#ready")
    assert desk.find("#results").is_hidden()
    assert desk.page.evaluate("document.activeElement.id") == "run"


def _tab_to(desk, label, id=""):
    """Press the tabulator until something has the focus."""
    for _ in range(60):
        desk.page.keyboard.press("Tab")
        found = desk.page.evaluate(
            "[document.activeElement.getAttribute('aria-label') || '', document.activeElement.id]"
        )
        if found == [label, id] or (id and found[1] == id):
            return
    raise AssertionError(f"{label or id} cannot be reached")


def test_a_bad_table_gets_its_sentence_and_another_can_be_taken(desk):
    desk.drop("paper.pdf", "%PDF-1.7 nothing")
    desk.see("#problem", "'paper.pdf' is a PDF document.")
    assert find_faults(desk.page) == []
    desk.page.get_by_role("button", name="Use another table").click()
    desk.see("#dropzone")
    desk.drop(HARM + ".csv", "a,b\n1,2\n")
    desk.see("#table-name", HARM)
    assert desk.page.evaluate("window.harmed") is None


def test_a_single_row_is_counted_as_one(desk):
    desk.drop("one.csv", "a,b\n1,2\n")
    desk.see("main", "1 row, 2 columns.")


def test_what_is_clicked_within_one_moment_stays_as_it_was_clicked(desk, cohort):
    desk.drop("cohort.csv", cohort)
    desk.see("#columns")
    names = [f"Answer by group: {name}" for name in ("x1", "x2", "died")]
    boxes = [desk.page.get_by_label(name, exact=True) for name in names]
    flips = """() => {
      window.flips = 0;
      const shown = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "checked");
      for (const box of document.querySelectorAll("#column-rows input")) {
        Object.defineProperty(box, "checked", {
          get() { return shown.get.call(this); },
          set(value) { window.flips += value !== shown.get.call(this); shown.set.call(this, value); },
        });
      }
    }"""
    desk.page.evaluate(flips)
    desk.page.evaluate(
        "names => names.forEach(name => document.querySelector(`[aria-label='${name}']`).click())", names
    )
    assert all(box.is_checked() for box in boxes)
    desk.see("#obstacles")
    desk.page.wait_for_timeout(1500)  # in which the program tells what it made of each click
    assert all(box.is_checked() for box in boxes)
    assert desk.page.evaluate("window.flips") == 0


def test_two_tabs_work_on_two_tables_and_a_closed_one_is_forgotten(context, desk, served):
    text = "event,time,age\n" + "".join(f"{i % 2},{i % 17 + 1},{i % 30}\n" for i in range(80))
    other = Desk(context, served)
    desk.drop("one.csv", text)
    other.drop("two.csv", text)
    other.see_command("two.csv")
    other.page.reload()
    other.see_command("two.csv")
    other.find("#run").click()
    other.see("#running")
    other.page.close()
    wait_until(lambda: not any(path.name == "two.csv" for path in served.files()), "a closed page keeps its table")
    assert any(path.name == "one.csv" for path in served.files())
    desk.see_command("one.csv")
    assert other.complaints == []


def test_a_page_whose_program_was_stopped_says_so(context, tmp_path):
    served = Served(tmp_path)
    desk = Desk(context, served)
    desk.drop("table.csv", "event,time\n0,1\n1,2\n")
    desk.see("#chosen")
    assert served.stop() == 0
    served.process.communicate()
    desk.see("#problem", "Was it stopped?")


def test_an_address_that_is_not_whole_shows_nothing(context, served):
    page = context.new_page()
    assert page.goto(served.address[:-2]).status == 403
    assert "with all of its letters" in page.locator("body").inner_text()
