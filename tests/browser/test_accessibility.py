"""The page by the rules of axe, on light and dark screens, and used with the keyboard alone."""

from importlib.resources import files

import pytest

from tests.browser.conftest import SIZES, Visit

# What the keyboard has to reach, each by its own sign.
REACHED = """() => [...document.querySelectorAll("a, summary, input, .plot, .scroll, pre")]
  .filter((one) => one.getClientRects().length && one.type !== "radio").length"""
# Puts a mark on what has the focus; returns what it is, and whether one sees that it has it.
MARK = """() => {
  const one = document.activeElement;
  if (one === document.body) return null;
  one.dataset.reached = "yes";
  const box = one.getBoundingClientRect(), style = getComputedStyle(one);
  return { name: one.outerHTML.slice(0, 80), outlined: style.outlineStyle !== "none", inside: box.width > 0 };
}"""


@pytest.fixture(scope="module")
def axe():
    """The source of axe, which comes with a package: nothing is fetched."""
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(params=[(size, scheme) for size in SIZES for scheme in ("light", "dark")], ids="-".join)
def screen(request, browser, report):
    """The report on screens of each size and scheme, with everything opened."""
    size, scheme = request.param
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    visit = Visit(context, report)
    visit.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    yield visit.page
    context.close()


def find_faults(page, axe):
    """Faults by axe: the rule, and where it is broken."""
    page.evaluate(axe)
    found = page.evaluate("async () => (await axe.run(document, { resultTypes: ['violations'] })).violations")
    return [(fault["id"], node["html"][:150]) for fault in found for node in fault["nodes"]]


def test_axe_finds_no_fault(screen, axe):
    assert find_faults(screen, axe) == []


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ("document.documentElement.style.setProperty('--soft', '#999999')", "color-contrast"),
        ("document.getElementById('threshold-input').id = 'other'", "label"),
        ("document.documentElement.removeAttribute('lang')", "html-has-lang"),
    ],
)
def test_axe_finds_faults_that_are_there(browser, report, axe, change, rule):
    page = Visit(browser.new_context(viewport={"width": 1280, "height": 900}), report).page
    page.evaluate(change)
    assert rule in {fault for fault, _ in find_faults(page, axe)}
    page.context.close()


def test_the_keyboard_alone_reaches_everything_and_shows_where_it_is(screen):
    wanted = screen.evaluate(REACHED) + 1  # radio buttons are one stop
    hidden = []
    for _ in range(3 * wanted):
        screen.keyboard.press("Tab")
        found = screen.evaluate(MARK)
        if found is None:
            break
        if not (found["outlined"] and found["inside"]):
            hidden.append(found["name"])
    reached = screen.evaluate("document.querySelectorAll('[data-reached]').length")
    assert hidden == []
    assert reached == wanted


def test_details_open_and_close_with_the_keyboard(screen):
    summary = screen.locator("summary").first
    summary.focus()
    screen.keyboard.press("Enter")
    assert not summary.evaluate("one => one.parentElement.open")
    screen.keyboard.press("Space")
    assert summary.evaluate("one => one.parentElement.open")


def test_the_slider_stops_at_every_threshold_that_may_be_shown_and_goes_on(screen):
    thresholds = screen.evaluate("JSON.parse(document.getElementById('report-data').textContent).sweeps[0].thresholds")
    slider = screen.locator("#threshold-input")
    slider.focus()
    screen.keyboard.press("Home")
    seen = [screen.locator("#threshold-value").inner_text()]
    for _ in thresholds[1:]:
        screen.keyboard.press("ArrowRight")
        seen.append(screen.locator("#threshold-value").inner_text())
    assert seen == [f"{round(100 * value)} %" for value in thresholds]
    # Its place on the line is the threshold itself.
    assert float(slider.input_value()) == pytest.approx(100 * thresholds[-1])


def test_contents_stay_in_view_on_wide_screens_and_say_where_one_is(screen):
    screen.locator("#people").evaluate("one => one.scrollIntoView()")
    screen.wait_for_timeout(100)
    assert screen.locator("nav a[aria-current]").get_attribute("href") == "#people"
    box = screen.locator("nav a[href='#answer']").bounding_box()
    is_wide = screen.viewport_size["width"] > 1200
    assert (0 <= box["y"] <= screen.viewport_size["height"]) == is_wide
