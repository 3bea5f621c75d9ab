"""One browser for all tests of a module that needs it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest

PROGRAMS = ("chromium", "google-chrome")
Open = Callable[[Path], Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("no Chromium with its driver here: scripts/system-packages.sh --tests")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(word)
    options.add_argument("--window-size=1280,1000")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    session = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield session
    finally:
        session.quit()


@pytest.fixture(scope="module")
def opened(browser: Any) -> Open:
    """Opens a page and waits until its charts are drawn."""
    wait = pytest.importorskip("selenium.webdriver.support.ui").WebDriverWait

    def open_page(path: Path) -> Any:
        browser.get(path.as_uri())
        ready = "return document.documentElement.dataset.ready === 'yes'"
        wait(browser, 60, 0.05).until(lambda b: b.execute_script(ready))
        return browser

    return open_page
