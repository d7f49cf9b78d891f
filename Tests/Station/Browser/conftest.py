"""Fixtures of the station's browser tests: one headless Chromium, a scripted station per test, and
the real station."""
import contextlib
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest
from selenium import webdriver

import page_parts
from browser_page import BrowserPage
from scripted_station import ScriptedStation


def pytest_addoption(parser):
    """Adds options that break a part of the page: see breaks.py."""
    for name in ("part", "old", "new"):
        parser.addoption(f"--break-{name}", default="")


def pytest_configure(config):
    """Breaks the part for all scripted stations of this run."""
    if name := config.getoption("--break-part"):
        page_parts.BREAK = (name, config.getoption("--break-old"), config.getoption("--break-new"))


@pytest.fixture(scope="session")
def chromium():
    """One Chromium for all tests; each test has its own station and therefore its own origin."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or pytest.fail("install Debian's chromium and chromium-driver")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--lang=en", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"intl.accept_languages": "en"})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    yield driver
    driver.quit()


@pytest.fixture
def station():
    """A station scripted by the test."""
    scripted = ScriptedStation()
    yield scripted
    scripted.stop()


@pytest.fixture
def page(chromium, station):
    """The page of the scripted station, wide, light and without motion; the console must have no
    errors."""
    shown = BrowserPage(chromium, station.url)
    yield shown
    shown.finish()


@pytest.fixture(scope="session")
def program():
    """The address of the real station, simulated, on a free port of loopback."""
    with running() as url:
        yield url


@pytest.fixture
def ended_page(chromium):
    """The page of the real station with only a forecast of October 2013."""
    data = Path(__file__).resolve().parents[3] / "fixtures/forecasts/portugal-27km.nc"
    with running("--data", str(data), "--bus", "simulated") as url:
        shown = BrowserPage(chromium, url)
        yield shown
        shown.finish()


@contextlib.contextmanager
def running(*arguments):
    """Runs the real station, simulated, on a free port of loopback."""
    path = os.environ.get("ANEROID_STATION") or pytest.fail(
        "set ANEROID_STATION to the program aneroid-station, such as Sources/Services/.build/release/aneroid-station")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"station-page-{port}")
    os.makedirs(folder)
    process = subprocess.Popen([path, "--listen", f"127.0.0.1:{port}", "--store", os.path.join(folder, "store.sqlite"), *arguments])
    url = f"http://127.0.0.1:{port}/"
    try:
        wait_for(url, process)
        yield url
    finally:
        process.terminate()
        process.wait(20)
        shutil.rmtree(folder)


def wait_for(url, process):
    """Waits until the station responds."""
    for _ in range(200):
        assert process.poll() is None, f"aneroid-station ended with {process.returncode}"
        try:
            urllib.request.urlopen(url + "healthz", timeout=2).close()
            return
        except OSError:
            time.sleep(0.1)
    pytest.fail("aneroid-station does not respond within 20 s")


@pytest.fixture
def real_page(chromium, program):
    """The page of the real station, with empty storage."""
    chromium.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": program, "storageTypes": "all"})
    shown = BrowserPage(chromium, program)
    yield shown
    shown.finish()
