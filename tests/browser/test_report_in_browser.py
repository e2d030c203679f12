"""The report in a real browser: it works, stands by itself, and nothing overlaps or is cut."""

import pytest

from tests.browser.conftest import Visit

# Boxes of what must not overlap: blocks of one parent, from top to bottom.
OVERLAPS = """() => {
  const found = [];
  const shown = (one) => one.getClientRects().length && getComputedStyle(one).position === "static";
  for (const parent of document.querySelectorAll("main, section, figure, .flow, .step, .facts, .leaves, .terms")) {
    const children = [...parent.children].filter(shown);
    for (let i = 0; i < children.length; i++) for (let j = i + 1; j < children.length; j++) {
      const a = children[i].getBoundingClientRect(), b = children[j].getBoundingClientRect();
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (width > 1 && height > 1)
        found.push(children[i].outerHTML.slice(0, 80) + " over " + children[j].outerHTML.slice(0, 80));
    }
  }
  return found;
}"""

# Blocks whose text is wider than they are and cannot be scrolled to.
CUT = """() => [...document.querySelectorAll("h1, h2, h3, p, li, dt, dd, .leaf, .question, figure, summary, pre")]
  .filter((one) => one.getClientRects().length && (one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0))
  .map((one) => one.outerHTML.slice(0, 120))"""

# Texts of the shown drawings that leave their drawing or run into each other.
CROWDED = """() => {
  const found = [];
  for (const svg of document.querySelectorAll(".plot svg")) {
    if (!svg.getClientRects().length) continue;
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map((one) => [one.textContent, one.getBoundingClientRect()]);
    texts.forEach(([text, box], i) => {
      const across = box.left < frame.left - 3 || box.right > frame.right + 3;
      if (across || box.top < frame.top - 3 || box.bottom > frame.bottom + 3)
        found.push(text + " leaves its drawing");
      for (const [other, there] of texts.slice(i + 1)) {
        const width = Math.min(box.right, there.right) - Math.max(box.left, there.left);
        const height = Math.min(box.bottom, there.bottom) - Math.max(box.top, there.top);
        if (width > 2 && height > 4) found.push(text + " runs into " + other);
      }
    });
  }
  return found;
}"""

# Red, green and blue of text, of what it is written on, and of text in drawings.
COLORS = """() => {
  const numbers = (color) => color.match(/[0-9]+/g).slice(0, 3).map(Number);
  const body = getComputedStyle(document.body), drawn = document.querySelector(".plot .wide text");
  return [numbers(body.color), numbers(body.backgroundColor), numbers(getComputedStyle(drawn).fill)];
}"""


def test_it_opens_without_a_complaint_and_without_the_network(visit):
    visit.page.wait_for_timeout(200)
    assert visit.complaints == []
    assert len(visit.requests) == 1
    assert visit.requests[0].startswith("file:")


def test_a_script_in_a_name_does_not_run(visit):
    assert visit.page.evaluate("window.harmed") is None
    assert visit.page.locator("img").count() == 0
    assert "<script>window.harmed = true</script>" in visit.page.locator("pre").inner_text()


def test_nothing_is_wider_than_the_screen(visit):
    for one in visit.page.locator("details").all():
        one.evaluate("details => { details.open = true; }")
    assert visit.page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0


def test_the_answer_by_group_needs_no_scrolling(visit):
    answered = visit.page.locator("#answer .scroll").first
    assert answered.evaluate("one => one.scrollWidth - one.clientWidth") <= 0
    assert "still expected" in answered.inner_text() or visit.page.viewport_size["width"] < 640


def test_a_table_of_few_lines_does_not_hold_the_next_section_back_on_paper(visit):
    visit.page.emulate_media(media="print")
    visit.page.evaluate("document.querySelectorAll('#when tbody tr:not(:first-child)').forEach((one) => one.remove())")
    only = visit.page.locator("#when tbody tr")
    assert only.evaluate("one => getComputedStyle(one).breakAfter") == "auto"


def test_nothing_overlaps_or_is_cut(visit):
    assert visit.page.evaluate(OVERLAPS) == []
    assert visit.page.evaluate(CUT) == []
    assert visit.page.evaluate(CROWDED) == []


def test_text_is_large_enough_to_be_read(visit):
    smallest = "Math.min(...[...document.querySelectorAll('p, li, td, th, dt, dd, caption, label, span')].map(SIZE))"
    size = smallest.replace("SIZE", "one => parseFloat(getComputedStyle(one).fontSize)")
    assert visit.page.evaluate(size) >= 12


@pytest.mark.parametrize(
    ("rule", "script"),
    [
        ("figure h3 { margin-bottom: -3rem; }", OVERLAPS),
        ("h2 { width: 4rem; overflow-wrap: normal; }", CUT),
        (".plot text { font-size: 30px !important; }", CROWDED),
    ],
)
def test_the_search_for_overlaps_finds_them(visit, rule, script):
    visit.page.add_style_tag(content=rule)
    assert visit.page.evaluate(script)


def test_each_screen_has_its_own_drawing(visit):
    wide = visit.page.viewport_size["width"] > 640
    assert visit.page.locator(".plot .wide").first.is_visible() == wide
    assert visit.page.locator(".plot .narrow").first.is_visible() != wide


def test_the_slider_answers_to_the_keyboard(visit):
    slider = visit.page.locator("#threshold-input")
    before = [visit.page.locator(one).inner_text() for one in ("#threshold-value", "#sweep-selected", "#sweep-true")]
    slider.focus()
    for _ in range(6):
        slider.press("ArrowLeft")
    after = [visit.page.locator(one).inner_text() for one in ("#threshold-value", "#sweep-selected", "#sweep-true")]
    assert all(then != now for then, now in zip(before, after, strict=True))
    assert int(after[1].replace(",", "")) > int(before[1].replace(",", ""))
    assert slider.get_attribute("aria-valuetext") == f"at least {after[0]}"


def test_the_slider_knows_two_groups_of_people(visit):
    slider, share = visit.page.locator("#threshold-input"), visit.page.locator("dd:has(#sweep-share)")
    slider.focus()
    slider.press("Home")
    everybody = share.inner_text()
    visit.page.locator("input[value=new]").check()
    slider.press("Home")
    assert share.inner_text() != everybody
    assert share.inner_text() == "100 % of 400 people"


def test_pointing_at_a_figure_tells_its_numbers(visit):
    plot = visit.page.locator("[data-plot=risks]")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    tooltip = visit.page.locator("#tooltip")
    assert tooltip.is_hidden()
    visit.page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.7)
    assert "recorded event" in tooltip.inner_text()
    place = tooltip.bounding_box()
    assert place["x"] >= 0
    assert place["x"] + place["width"] <= visit.page.viewport_size["width"]
    visit.page.mouse.move(0, 0)
    assert tooltip.is_hidden()


def test_pointing_anywhere_in_a_row_tells_that_row(visit):
    plot, tooltip = visit.page.locator("[data-plot=ratios-outcome]"), visit.page.locator("#tooltip")
    plot.scroll_into_view_if_needed()
    shown = plot.locator("svg:visible")
    label = shown.locator("text", has_text="age at entry").first.bounding_box()
    for share in (0.35, 0.9):
        frame = shown.bounding_box()
        visit.page.mouse.move(frame["x"] + share * frame["width"], label["y"] + label["height"] / 2)
        assert tooltip.inner_text().startswith("age at entry")


def test_a_figure_can_be_read_with_the_keyboard(visit):
    plot, tooltip = visit.page.locator("[data-plot=events]"), visit.page.locator("#tooltip")
    plot.focus()
    plot.press("ArrowRight")
    first = tooltip.inner_text()
    plot.press("ArrowRight")
    assert "without the event" in first
    assert tooltip.inner_text() != first
    plot.press("Escape")
    assert tooltip.is_hidden()


def test_paper_shows_every_number_and_no_control(visit):
    visit.page.emulate_media(media="print")
    assert visit.page.locator("#slider").is_hidden()
    assert visit.page.locator(".plot .wide").first.is_visible()
    assert visit.page.locator(".plot .narrow").first.is_hidden()
    assert visit.page.locator("details table").first.is_visible()


@pytest.mark.parametrize(
    ("media", "scheme", "is_dark"),
    [("screen", "light", False), ("screen", "dark", True), ("print", "light", False), ("print", "dark", False)],
)
def test_dark_screens_are_dark_and_paper_is_light(visit, media, scheme, is_dark):
    visit.page.emulate_media(media=media, color_scheme=scheme)
    colors = visit.page.evaluate(COLORS)
    assert [sum(color) < 3 * 128 for color in colors] == ([False, True, False] if is_dark else [True, False, True])


def test_contents_stand_beside_the_answer_on_every_screen_but_a_narrow_one(browser, report):
    context = browser.new_context(viewport={"width": 1030, "height": 800})
    page = Visit(context, report).page
    contents, answer = (page.locator(one).bounding_box() for one in ("nav", "#answer"))
    assert contents["x"] + contents["width"] <= answer["x"]
    assert answer["y"] < 300
    assert page.evaluate(OVERLAPS) + page.evaluate(CUT) + page.evaluate(CROWDED) == []
    context.close()


def test_without_scripts_everything_but_the_slider_is_there(browser, report):
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.locator("#slider").is_hidden()
    assert page.locator("figure").count() >= 9
    page.locator("#threshold summary").first.click()
    assert page.locator("#threshold table").first.is_visible()
    context.close()
