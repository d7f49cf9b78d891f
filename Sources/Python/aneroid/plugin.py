"""The pytest plugin: the fixture and the marker ``aneroid``, and the report of failures."""

from __future__ import annotations

import pathlib
import typing

import pytest

from . import report
from .bench import Bench
from .factory import BenchFactory
from .options import Options

_BENCHES = pytest.StashKey[typing.List[Bench]]()


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker with pytest."""
    config.addinivalue_line(
        "markers",
        "aneroid(rig, air, faults, part, address, calibration, noise, harsh, allow_run, board, clock, "
        "number, seed, timeout): "
        "default options of the benches of the fixture 'aneroid'.",
    )


@pytest.fixture
def aneroid(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> BenchFactory:
    """Creates benches: a virtual sensor that any program can read at /dev/i2c-1."""
    options = Options()
    for marker in request.node.iter_markers("aneroid"):
        if marker.args:
            raise TypeError(f"the marker aneroid accepts options by name only, not {marker.args!r}")
        options = options.over(Options.named(marker.kwargs))
    factory = BenchFactory(tmp_path / "aneroid", options, relative_to=request.path.parent)
    request.node.stash[_BENCHES] = factory.benches
    return factory


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> typing.Generator[None, typing.Any, None]:
    """Adds the transfers and output on the benches to the report of a failure."""
    outcome = yield
    found = outcome.get_result()
    if found.failed:
        benches = item.stash.get(_BENCHES, None)
        found.sections += report.sections(benches or [])
        if benches is not None and call.excinfo is not None:
            found.sections += report.missing_bus(call.excinfo.value)
