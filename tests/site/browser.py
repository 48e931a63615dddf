"""A browser without a screen and without a network, and what of a page is cut off in it."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
from typing import Any, Iterator

__all__ = ["WIDTHS", "cut_off", "keep_picture", "opened", "started"]

WIDTHS = (400, 800, 1280)

# What is cut off at the right: wider than the window, and not inside of something that scrolls.
_CUT_OFF = """
const width = document.documentElement.clientWidth;
const scrolls = one => one.closest("pre") && getComputedStyle(one.closest("pre")).whiteSpace === "pre";
return [...document.querySelectorAll(arguments[0] + " *")]
  .filter(one => one.getBoundingClientRect().right > width + 1 && one.getClientRects().length && !scrolls(one))
  .map(one => one.tagName + ": " + one.textContent.slice(0, 60));
"""
_WIDER = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


@contextlib.contextmanager
def started() -> Iterator[Any]:
    """Chromium; needs selenium, chromium and chromedriver."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ):
        options.add_argument(argument)
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()


def opened(browser: Any, page: pathlib.Path, width: int) -> None:
    """Shows the file *page* in a window of that *width*."""
    # By the protocol of the browser's tools: a window itself cannot be as narrow as a phone.
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(page.as_uri())
    assert browser.execute_script("return window.innerWidth") == width


def keep_picture(browser: Any, name: str) -> None:
    """A screenshot, where the environment names a folder for them."""
    if os.environ.get("SCREENSHOTS"):
        folder = pathlib.Path(os.environ["SCREENSHOTS"])
        folder.mkdir(parents=True, exist_ok=True)
        browser.save_screenshot(str(folder / f"{name}.png"))


def cut_off(browser: Any, within: str) -> list[str]:
    """What of the elements *within* is wider than the window; the first entry says whether the page is."""
    wider = browser.execute_script(_WIDER)
    return [*([f"the page, by {wider} pixels"] if wider > 0 else []), *browser.execute_script(_CUT_OFF, within)]
