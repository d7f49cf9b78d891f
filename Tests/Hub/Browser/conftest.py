"""Fixtures of the hub's browser tests: one headless Chromium, and hubs that read notifications from
standard input."""

import shutil
import sys
from pathlib import Path

import pytest
from selenium import webdriver

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Delivery"))
from hub_fixtures import hub_of  # noqa: E402, F401
from hub_program import Hub  # noqa: E402


@pytest.fixture(scope="session")
def chromium():
    """One Chromium for all tests."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or pytest.fail("install Debian's chromium and chromium-driver")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--lang=en", "--disable-dev-shm-usage",
                     "--window-size=1100,1300"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    yield driver
    driver.quit()


@pytest.fixture
def hub(tmp_path):
    """A hub with three tags that have reported, one with an alarm, and one tag without data."""
    made = Hub(tmp_path, tags=5)
    for step in range(20):
        made.notify([4 + 0.02 * step], 0)
        made.notify([5 - 0.02 * step], 1)
    made.notify([8.1], 2)
    made.process.stdin.write(b'{"tag":"A4:DA:32:00:00:03","kind":"cc2650","characteristic":"AA21","raw":"00000000"}\n')
    made.process.stdin.flush()
    yield made
    made.stop()


@pytest.fixture
def hub_of_lost(hub_of):
    """A hub with a breach whose tag is lost."""
    made = hub_of(tags=1, period="2s")
    made.notify([8.1])
    return made


@pytest.fixture
def hub_without_data(hub_of):
    """A hub whose tags have not reported."""
    return hub_of(tags=3)


@pytest.fixture
def long_names(hub_of):
    """A hub whose tags have long names and are close together on the plan."""
    made = hub_of(tags=5)
    text = made.file.read_text().replace("name: shelf-1,", "name: the shelf behind the third door on the left,")
    made.stop()
    made.file.write_text(text.replace("name: shelf-4,", "name: cold-store-number-17-upper-level,"))
    made.start()
    for tag in range(5):
        made.notify([5], tag)
    made.notify([5, 8.1], 4)
    return made
