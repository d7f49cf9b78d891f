"""The bench as seen by a program, and its reports."""

from __future__ import annotations

import json
import os
import pathlib
import shlex
import sys
import typing

import pytest

from aneroid import Bench, BenchError, BenchFactory, Options, ProgramFailed

HERE = pathlib.Path(__file__).parent
STATION = HERE / "station.py"
FIXTURES = HERE.parents[2] / "fixtures"

#: Writes bytes to a part and reads one, without packages.
READ_ID = """
import fcntl
import sys

with open(sys.argv[1], "r+b", buffering=0) as bus:
    fcntl.ioctl(bus, 0x0703, int(sys.argv[2], 0))
    bus.write(bytes.fromhex(sys.argv[3]))
    print(bus.read(1).hex())
"""


def station(bench: Bench, *arguments: str) -> dict[str, float]:
    """Returns the values that RPi.bme280 reads, in °C, hPa and %."""
    values: dict[str, float] = json.loads(bench.python(STATION, *arguments, check=True).stdout)
    return values


def near(temperature: float, pressure: float, humidity: float) -> typing.Any:
    """Returns values with the tolerance of one code of the part."""
    return {
        "temperature": pytest.approx(temperature, abs=0.006),
        "pressure": pytest.approx(pressure, abs=0.02),
        "humidity": pytest.approx(humidity, abs=0.02),
    }


@pytest.mark.parametrize(
    ("air", "expected"),
    [
        (None, near(21, 1013.25, 50)),
        ({"temperature": -20}, near(-20, 1013.25, 50)),
        ({"pressure": 850.5, "humidity": 12.25}, near(21, 850.5, 12.25)),
        ({"pressure": "750mmHg", "temperature": "70F", "humidity": "45%"}, near(21.111, 999.918, 45)),
    ],
)
def test_a_real_driver_reads_the_environment(aneroid: BenchFactory, air: typing.Any, expected: object) -> None:
    assert station(aneroid(air=air)) == expected


def test_the_air_changes_in_steps_of_bench_time(aneroid: BenchFactory) -> None:
    bench = aneroid(air=[{"at": 0, "temperature": 20}, {"at": 3600, "temperature": -5}])
    code = f"import time, runpy; time.sleep(3700); runpy.run_path({str(STATION)!r})"
    result = bench.python(code)
    assert json.loads(result.stdout)["temperature"] == pytest.approx(-5, abs=0.006)
    assert result.duration is not None and 3700 < result.duration < 3701


@pytest.mark.parametrize(
    ("part", "address", "answer"),
    [("bme280", None, "60"), ("bmp280", None, "58"), ("bme280", 0x77, "60"), ("sht21", None, "3a")],
)
def test_a_part_is_at_its_address(aneroid: BenchFactory, part: str, address: int | None, answer: str) -> None:
    bench = aneroid(part=part, address=address)
    at = {"sht21": 0x40}.get(part, 0x76) if address is None else address
    # The user register of an SHT21, the id of the others.
    result = bench.python(READ_ID, "/dev/i2c-1", hex(at), "e7" if part == "sht21" else "d0", check=True)
    assert result.stdout == answer + "\n"
    assert [transfer.address for transfer in bench.transfers] == [at, at]


def test_an_hdc1000_returns_its_temperature(aneroid: BenchFactory) -> None:
    code = """
import fcntl, os, time
bus = os.open("/dev/i2c-1", os.O_RDWR)
fcntl.ioctl(bus, 0x0703, 0x40)
time.sleep(0.1)
os.write(bus, b"\\x00")
time.sleep(0.1)
print(int.from_bytes(os.read(bus, 4)[:2], "big") / 65536 * 165 - 40)
"""
    result = aneroid(part="hdc1000", air={"temperature": 33}).python(code, check=True)
    assert float(result.stdout) == pytest.approx(33, abs=0.02)


REGISTERS = {"0x88": "5f6e12693200a58d2bd6d00b4117c3fff9ffac260ad8bd10004b", "0xE1": "6e01001305001e"}
BYTES = bytes.fromhex(REGISTERS["0x88"] + REGISTERS["0xE1"])


@pytest.mark.parametrize(
    "calibration",
    [BYTES, BYTES.hex(), BYTES.hex(" "), ", ".join(f"0x{byte:02X}" for byte in BYTES), REGISTERS],
    ids=["bytes", "digits", "spaced", "words", "registers"],
)
def test_a_calibration_has_many_forms(aneroid: BenchFactory, calibration: typing.Any) -> None:
    bench = aneroid(calibration=calibration)
    assert station(bench) == near(21, 1013.25, 50)
    assert BYTES[:2] in bench.transfers[0].read


def test_a_calibration_is_a_file_too(aneroid: BenchFactory) -> None:
    path = os.path.relpath(FIXTURES / "calibrations" / "xft.yaml", HERE)
    assert station(aneroid(calibration=path)) == near(21, 1013.25, 50)
    assert station(aneroid(calibration=pathlib.Path(path))) == near(21, 1013.25, 50)


RIG: dict[str, typing.Any] = {
    "buses": [
        {"number": 2, "devices": [{"model": "sht21", "address": 0x40}]},
        {"number": 5, "devices": [{"model": "bme280", "address": 0x77, "calibration": REGISTERS}]},
    ],
    "environment": {"constant": {"temperature": "3C"}},
}


def test_a_rig_is_a_dictionary(aneroid: BenchFactory) -> None:
    bench = aneroid(rig=RIG)
    assert station(bench, "0x77", "5")["temperature"] == pytest.approx(3, abs=0.006)
    assert {transfer.bus for transfer in bench.transfers} == {5}


def test_a_rig_is_a_file_or_text(aneroid: BenchFactory) -> None:
    path = HERE.parents[2] / "rigs" / "thesis.yaml"
    relative = os.path.relpath(path, HERE)
    text = path.read_text().replace("../fixtures", str(FIXTURES))
    values = [station(aneroid(rig=rig, number=3), "0x76", "3") for rig in (path, relative, text)]
    assert values[0] == values[1] == values[2]


def test_the_bus_has_a_number(aneroid: BenchFactory) -> None:
    bench = aneroid(number=7)
    assert station(bench, "0x76", "7") == near(21, 1013.25, 50)
    assert bench.transfers[0].bus == 7


def test_a_board_is_emulated(aneroid: BenchFactory) -> None:
    code = "print(open('/proc/device-tree/model').read())"
    assert "Raspberry Pi 4" in aneroid(board="raspberry-pi-4").python(code).stdout


def test_a_harsh_part_ignores_config_in_normal_mode(aneroid: BenchFactory) -> None:
    code = (
        "import smbus2; bus = smbus2.SMBus(1); bus.write_byte_data(0x76, 0xF4, 0x27); "
        "bus.write_byte_data(0x76, 0xF5, 0x90); print(bus.read_byte_data(0x76, 0xF5))"
    )
    assert aneroid().python(code).stdout.strip() == "144"
    assert aneroid(harsh=True).python(code).stdout.strip() == "0"


def test_a_part_is_a_program_that_serves_events(aneroid: BenchFactory, tmp_path: pathlib.Path) -> None:
    program = tmp_path / "part.py"
    program.write_text(
        "from aneroid.part import Event, crc8, serve\n"
        "def handle(event: Event):\n"
        "    if event.kind == 'read':\n"
        "        return {'bytes': [round(event.temperature), crc8(b'\\xBE\\xEF')]}\n"
        "serve(handle)\n"
    )
    model = {"program": [sys.executable, str(program)]}
    rig = {"buses": [{"number": 1, "devices": [{"address": 0x44, "model": model}]}]}
    code = "import smbus2; bus = smbus2.SMBus(1); print(bus.read_i2c_block_data(0x44, 0, 2))"
    assert aneroid(rig=rig, allow_run=True).python(code).stdout.strip() == "[21, 146]"
    with pytest.raises(BenchError, match="--allow-run permits it"):
        aneroid(rig=rig).python(code, check=True)


@pytest.mark.parametrize(
    ("options", "hertz"),
    [({}, 100_000), ({"frequency": 400_000}, 400_000), ({"frequency": "400kHz"}, 400_000)],
)
def test_the_bus_frequency_sets_the_transfer_time(
    aneroid: BenchFactory, options: dict[str, typing.Any], hertz: int
) -> None:
    bench = aneroid(**options)
    bench.python("import smbus2; smbus2.SMBus(1).read_byte_data(0x76, 0xD0)", check=True)
    # A register read of one byte takes 39 bits on the bus.
    assert bench.transfers[0].duration == pytest.approx(39 / hertz, rel=0.01)


def test_noise_comes_from_the_seed(aneroid: BenchFactory) -> None:
    values = [station(aneroid(noise="datasheet", seed=seed)) for seed in (1, 1, 2)]
    assert values[0] == values[1] != values[2]


def test_the_clock_can_be_real(aneroid: BenchFactory) -> None:
    code = "import time; start = time.time(); time.sleep(0.2); print(start)"
    real, virtual = (aneroid(clock=clock).python(code) for clock in ("real", "virtual"))
    assert float(real.stdout) > 1.7e9 > float(virtual.stdout)
    assert virtual.duration is not None and 0.2 <= virtual.duration < 0.3


def test_transfers_are_recorded_byte_for_byte(aneroid: BenchFactory) -> None:
    code = """
import smbus2
bus = smbus2.SMBus(1)
bus.read_byte_data(0x76, 0xD0)
bus.write_byte_data(0x76, 0xF4, 0x25)
try:
    bus.read_byte_data(0x55, 1)
except OSError:
    pass
"""
    bench = aneroid()
    bench.python(code, check=True)
    first, second, third = bench.transfers
    assert (first.bus, first.address, first.written, first.read) == (1, 0x76, b"\xd0", b"\x60")
    assert [(each.written, each.read, each.length) for each in first.messages] == [
        (b"\xd0", None, 1),
        (None, b"\x60", 1),
    ]
    assert first.error is None and first.duration == pytest.approx(390e-6)
    assert first.time == pytest.approx(0.01, abs=0.01) and first.time < second.time < third.time
    assert second.written == b"\xf4\x25" and second.read == b""
    assert "id -> 0x60 bme280" in first.text and "ctrl_meas <- 0x25" in str(second)
    assert third.failure is not None and third.messages[1].length == 1
    assert (third.error, third.failure.errno, third.failure.message) == ("nack-address", "ENXIO", 0)
    assert bench.result.charges[0].microcoulombs > 0


def test_an_injected_fault_occurs_and_is_counted(aneroid: BenchFactory) -> None:
    bench = aneroid(
        faults=["kind: nack-address, after: 2", {"kind": "bit-flip", "register": 0xD0, "at": 5, "address": 0x76}]
    )
    result = bench.python(STATION)
    assert result.status == 1 and "OSError" in result.stderr
    assert [transfer.error for transfer in bench.transfers] == [None, None, "nack-address"]
    nack, flip = bench.faults
    assert (nack.number, nack.kind, nack.bus, nack.address) == (1, "nack-address", 1, None)
    assert (nack.count, nack.planned, nack.complete, nack.fired) == (1, 1, True, True)
    assert nack.first == nack.last == bench.transfers[2].time
    assert (flip.number, flip.fired, flip.complete, flip.first, flip.address) == (2, False, False, None, 0x76)
    assert str(nack) == "fault 1, nack-address on bus 1: fired 1 of 1 times"


def test_accesses_that_a_real_part_does_not_tolerate_are_reported(aneroid: BenchFactory) -> None:
    bench = aneroid()
    code = """
import smbus2
bus = smbus2.SMBus(1)
bus.read_byte_data(0x76, 0xD0)
bus.write_byte_data(0x76, 0xF4, 0x25)
print(bus.read_i2c_block_data(0x76, 0xF7, 8))
"""
    bench.python(code, check=True)
    assert [(remark.bus, remark.address) for remark in bench.remarks] == [(1, 0x76)]
    assert "without waiting for the measurement" in bench.remarks[0].text
    assert str(bench.remarks[0]).endswith("(and 1 other kind of errors)")


def test_undefined_air_is_noticed(aneroid: BenchFactory) -> None:
    bench = aneroid(rig=HERE.parents[2] / "rigs" / "stormy-week.yaml")
    bench.run(["sh", "-c", f"sleep 1000000; exec {shlex.join([sys.executable, str(STATION)])}"], check=True)
    assert [notice.subject for notice in bench.notices] == ["air"]
    assert str(bench.notices[0]).startswith("notice (air): ")


def test_a_program_gets_input_environment_and_folder(
    aneroid: BenchFactory, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAKEN", "1")
    monkeypatch.setenv("KEPT", "2")
    code = "import os, sys; print(os.environ.get('TAKEN'), os.environ['KEPT'], os.environ['NEW'], os.getcwd(), input())"
    env = {"NEW": "ü", "TAKEN": None}
    result = aneroid().python(code, input="hello\n", env=env, cwd=tmp_path, check=True)
    assert result.stdout == f"None 2 ü {tmp_path} hello\n"


@pytest.mark.parametrize("status", [0, 1, 78, 127])
def test_the_status_is_the_programs(aneroid: BenchFactory, status: int) -> None:
    result = aneroid().run(["sh", "-c", f"echo out; echo err >&2; exit {status}"])
    assert (result.status, result.stdout, result.stderr) == (status, "out\n", "err\n")


def test_a_signal_is_a_status(aneroid: BenchFactory) -> None:
    assert aneroid().run(["sh", "-c", "kill -9 $$"]).status == 137


def test_check_raises_if_the_program_fails(aneroid: BenchFactory) -> None:
    with pytest.raises(ProgramFailed, match="ended with status 3\nwhy") as caught:
        aneroid().run(["sh", "-c", "echo why >&2; exit 3"], check=True)
    assert caught.value.result.status == 3


def test_output_may_be_binary(aneroid: BenchFactory) -> None:
    result = aneroid().run([sys.executable, "-c", "import sys; sys.stdout.buffer.write(b'\\xff\\r\\n')"])
    assert result.stdout == "\\xff\r\n"


def test_each_run_restarts_the_bench_and_is_kept(aneroid: BenchFactory) -> None:
    bench = aneroid()
    first = bench.python(STATION)
    second = bench.run(["true"])
    assert bench.results == (first, second) and bench.result is second
    assert bench.transfers == () and len(first.transfers) > 3
    assert first.trace.exists() and first.trace != second.trace


def test_two_runs_are_identical(aneroid: BenchFactory) -> None:
    bench = aneroid(noise="datasheet", seed=7)
    first, second = (bench.python(STATION) for _ in range(2))
    assert first.stdout == second.stdout and first.events == second.events
    assert first.trace.read_bytes() == second.trace.read_bytes()


def test_a_bench_needs_no_pytest(tmp_path: pathlib.Path) -> None:
    bench = Bench(tmp_path / "new" / "folder", Options(air={"temperature": 4}))
    assert station(bench)["temperature"] == pytest.approx(4, abs=0.006)


@pytest.mark.aneroid(air={"temperature": 1}, number=2)
class TestMarkers:
    """The nearest marker applies to a test; a call overrides it."""

    @pytest.mark.aneroid(air={"temperature": 2})
    def test_the_nearest_marker_applies(self, aneroid: BenchFactory) -> None:
        assert station(aneroid(), "0x76", "2")["temperature"] == pytest.approx(2, abs=0.006)

    def test_a_call_overrides_the_marker(self, aneroid: BenchFactory) -> None:
        bench = aneroid(number=3)
        assert station(bench, "0x76", "3")["temperature"] == pytest.approx(1, abs=0.006)


@pytest.mark.parametrize("name", ["plain", "with space", "ü € 😀", "quote'\"\\", "new\nline", "{bus}", "-x", "$(x)"])
def test_file_names_may_contain_any_character(aneroid: BenchFactory, tmp_path: pathlib.Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "c.yaml").write_text((FIXTURES / "calibrations" / "xft.yaml").read_text())
    script = folder / f"{name}.py"
    script.write_text(STATION.read_text())
    bench = Bench(folder / "bench", Options(calibration=folder / "c.yaml"))
    assert station(bench) == near(21, 1013.25, 50)
    assert bench.python(script, cwd=folder, check=True).stdout.startswith("{")


@pytest.mark.parametrize(("until", "lines"), [(35, 4), (0.5, 1), ("24h", 8640)])
def test_an_endless_program_ends_at_a_virtual_time(
    aneroid: BenchFactory, until: float | str, lines: int
) -> None:
    program = "import time\nwhile True:\n    print(time.monotonic())\n    time.sleep(10)"
    result = aneroid().python(program, until=until)
    assert result.status == 0
    assert abs(len(result.stdout.splitlines()) - lines) <= 1
    assert result.duration is not None


def test_an_invalid_end_time_is_rejected(aneroid: BenchFactory) -> None:
    with pytest.raises(BenchError, match="--for"):
        aneroid().run(["true"], until="soon")


def test_printed_numbers_are_checked_against_a_range(aneroid: BenchFactory) -> None:
    result = aneroid().python("print('-19.8 C, 40 %'); print('-20.1 C'); print('nan C')")
    pattern = r"(-?[\d.]+|nan) C"
    with pytest.raises(AssertionError, match="1 of 3 numbers are not at least -21 and at most -19: nan in 'nan C'"):
        result.assert_range(pattern, min=-21, max=-19)
    assert result.assert_range(r"(-?[\d.]+) C", min=-21, max=-19) == (-19.8, -20.1)
    with pytest.raises(AssertionError, match="1 of 2 numbers are not at most -20: -19.8 in '-19.8 C, 40 %'"):
        result.assert_range(r"(-?[\d.]+) C", max=-20)
    with pytest.raises(AssertionError, match="the output of the program does not match"):
        result.assert_range(r"([\d.]+) hPa", min=900)
    with pytest.raises(ValueError, match="needs min, max or both"):
        result.assert_range(pattern)
    with pytest.raises(ValueError, match="has no group"):
        result.assert_range("C", min=1)


def test_an_address_is_not_acknowledged_for_a_time(aneroid: BenchFactory) -> None:
    bench = aneroid(faults=["kind: nack-address, at: 1s, for: 2s"])
    program = (
        "import fcntl, os, time\n"
        "bus = os.open('/dev/i2c-1', os.O_RDWR)\n"
        "fcntl.ioctl(bus, 0x0703, 0x76)\n"
        "for _ in range(8):\n"
        "    try:\n        os.write(bus, b'\\xd0'); print('ok')\n"
        "    except OSError as error:\n        print(error.errno)\n"
        "    time.sleep(0.5)\n"
    )
    # The program starts 10 ms after power-on.
    assert bench.python(program).stdout.split() == ["ok", "ok", "6", "6", "6", "6", "ok", "ok"]
    assert bench.faults[0].fired and bench.faults[0].planned is None
