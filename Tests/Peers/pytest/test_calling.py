"""Functions of a test that are called on a bench."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from aneroid import BenchError, BenchFactory


class SensorError(Exception):
    """An exception of a driver."""


class Stubborn(Exception):
    """An exception that pickle cannot restore."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(first)


def identity(address: int, *, register: int = 0xD0) -> tuple[int, int]:
    """Returns the id that a driver in this file reads, and its process."""
    import smbus2

    try:
        with smbus2.SMBus(1) as bus:
            return bus.read_byte_data(address, register), os.getpid()
    except OSError as error:
        raise SensorError(f"no device at {address:#x}") from error


def leave(status: int) -> None:
    """Ends the process."""
    print("bye", file=sys.stderr)
    sys.exit(status)


def stumble() -> None:
    """Raises an exception that cannot be pickled."""
    raise Stubborn(1, 2)


def test_a_function_is_called_in_a_process_on_the_bench(aneroid: BenchFactory) -> None:
    bench = aneroid(part="bmp280")
    found, process = bench.call(identity, 0x76)
    assert found == 0x58 and process != os.getpid()
    assert bench.call(identity, 0x76, register=0xF4)[0] == 0
    assert [transfer.written for transfer in bench.transfers] == [b"\xf4"]
    assert sorted(path.name for path in bench.folder.iterdir()) == ["rig.yaml", "run-1", "run-2"]


def test_an_exception_of_the_function_is_raised(aneroid: BenchFactory) -> None:
    with pytest.raises(SensorError, match="no device at 0x77") as caught:
        aneroid().call(identity, 0x77)
    assert "in identity" in str(caught.value.__cause__)


@pytest.mark.parametrize("status", [0, 3])
def test_a_function_may_end_its_process(aneroid: BenchFactory, status: int) -> None:
    with pytest.raises(BenchError, match=f"ended with status {status}\nbye"):
        aneroid().call(leave, status)


def test_values_that_cannot_be_pickled_are_rejected(aneroid: BenchFactory) -> None:
    with pytest.raises(TypeError, match="a module must have it"):
        aneroid().call(lambda: 1)
    with pytest.raises(TypeError, match="a module must have it"):
        aneroid().call(identity, threading.Lock())
    with pytest.raises(BenchError, match="its value cannot be sent"):
        aneroid().call(threading.Lock)
    with pytest.raises(BenchError, match=r"it raised\n(?s:.*)Stubborn: 1"):
        aneroid().call(stumble)
