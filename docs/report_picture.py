"""Draws the picture of a report on the first page: ``python docs/report_picture.py``.

It runs ``whether analyze`` on its simulated cohort and photographs the first screen in Chromium, light and dark. It is
run by hand when the report has changed, so that building the pages needs no browser.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

STATIC = Path(__file__).parent / "_static"
WIDTH, HEIGHT = 1180, 860


def main() -> None:
    """Write report-light.png and report-dark.png."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        raise SystemExit("There is no Chromium: install it, or run .ci/browser, which does.")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        report = Path(folder) / "report"
        subprocess.run([sys.executable, "-m", "whether", "analyze", "-o", str(report)], check=True)
        started = driver.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        for scheme in ("light", "dark"):
            context = started.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
            page = context.new_page()
            page.goto((report / "report.html").as_uri())
            page.screenshot(path=STATIC / f"report-{scheme}.png")
        started.close()


if __name__ == "__main__":
    main()
