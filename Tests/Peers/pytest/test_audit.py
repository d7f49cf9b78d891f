"""Audits and diagnoses as Python objects."""

from __future__ import annotations

import pathlib
import sys

import pytest

from aneroid import BenchError, BenchFactory

HERE = pathlib.Path(__file__).parent
RIGHT = [sys.executable, str(HERE.parent / "audit" / "reader.py")]
#: Reads the id and prints constants.
WRONG = """
import smbus2
smbus2.SMBus(1).read_byte_data(0x76, 0xD0)
print("temperature 99.9 C")
"""


def test_a_correct_reader_passes(aneroid: BenchFactory) -> None:
    audit = aneroid().audit(RIGHT, scenarios=["negative-h4", "frost"])
    audit.assert_right()
    assert audit.is_right and audit.findings == ()
    assert audit.verdicts == {"negative-h4": "right", "frost": "right"}
    first = audit.scenarios[0]
    assert (first.summary, first.exposes, first.readings) == ("H4 is negative", ("B03",), 4)
    assert first.shown[2] == "42.60 %"


def test_a_wrong_reader_fails_with_its_findings(aneroid: BenchFactory, tmp_path: pathlib.Path) -> None:
    argv = [sys.executable, "-c", WRONG]
    audit = aneroid().audit(argv, scenarios=["calm"], match=r"temperature (?<temperature_c>[0-9.]+)", readings=1)
    assert audit.guessed == () == audit.missing
    with pytest.raises(AssertionError) as caught:
        audit.assert_right()
    assert "1 of 1 scenarios have findings against" in str(caught.value)
    assert "wrong    calm: 99.9 C, not 18.63 C" in str(caught.value)
    baseline = tmp_path / "baseline.json"
    baseline.write_text(audit.json)
    known = aneroid().audit(argv, scenarios=["calm"], match=r"(?<temperature_c>99.9)", readings=1, baseline=baseline)
    assert known.is_right and len(known.findings) == 1


def test_guessed_fields_are_reported(aneroid: BenchFactory) -> None:
    audit = aneroid().audit([sys.executable, "-c", WRONG], scenarios=["calm"], readings=1)
    assert len(audit.guessed) == 1 and audit.missing == ("pressure", "humidity")


def test_a_missing_quantity_fails_unless_it_is_ignored(aneroid: BenchFactory) -> None:
    code = "import smbus2; smbus2.SMBus(1).read_byte_data(0x76, 0xD0); print('temperature 18.63 C')"
    argv = [sys.executable, "-c", code]
    audit = aneroid().audit(argv, scenarios=["calm"], readings=1)
    assert not audit.is_right and audit.missing == ("pressure", "humidity")
    aneroid().audit(argv, scenarios=["calm"], readings=1, ignore=["pressure", "humidity"]).assert_right()


def test_the_benchs_part_is_audited(aneroid: BenchFactory) -> None:
    bench = aneroid(part="bmp280", address=0x77, number=3)
    code = """
import smbus2
is_right = smbus2.SMBus(3).read_byte_data(0x77, 0xD0) == 0x58
print("temperature", 18.63 if is_right else 0, "C")
"""
    audit = bench.audit([sys.executable, "-c", code, "{bus}", "{address}"], scenarios=["calm"], jobs=1, limit="5s")
    assert audit.verdicts == {"calm": "right"}


@pytest.mark.parametrize(("of_bench", "of_audit"), [("raspberry-pi-4", None), (None, "raspberry-pi-4")])
def test_a_program_sees_the_files_of_a_board(aneroid: BenchFactory, of_bench: str | None, of_audit: str | None) -> None:
    code = """
import smbus2
smbus2.SMBus(1).read_byte_data(0x76, 0xD0)
is_board = "Raspberry Pi 4" in open("/proc/device-tree/model").read()
print("temperature", 18.63 if is_board else 0, "C")
"""
    argv = [sys.executable, "-c", code]
    bench = aneroid(board=of_bench)
    audit = bench.audit(argv, scenarios=["calm"], readings=1, ignore=["pressure", "humidity"], board=of_audit)
    assert audit.verdicts == {"calm": "right"}


def test_an_unknown_board_and_a_misspelt_scenario_are_rejected(aneroid: BenchFactory) -> None:
    with pytest.raises(BenchError, match="raspberry-pi-4"):
        aneroid().audit(RIGHT, board="toaster")
    with pytest.raises(BenchError, match="unknown scenario 'unpluged'; did you mean 'unplugged'"):
        aneroid().audit(RIGHT, scenarios=["unpluged"])


def test_an_audit_that_is_not_possible_is_rejected(aneroid: BenchFactory) -> None:
    with pytest.raises(BenchError, match="unknown scenario 'thaw'") as caught:
        aneroid().audit(RIGHT, scenarios=["thaw"])
    assert caught.value.status == 64
    with pytest.raises(BenchError, match="rigs of its own"):
        aneroid(rig={}).audit(RIGHT)
    with pytest.raises(BenchError, match="exceeded its timeout of 0.2 s"):
        aneroid().audit(RIGHT, timeout=0.2)


def test_a_diagnosis_decodes_the_transfers(aneroid: BenchFactory) -> None:
    bench = aneroid(air={"temperature": 7.5, "pressure": 990})
    bench.python(HERE / "station.py", check=True)
    diagnosis = bench.diagnose(temperature=7.5, pressure="990.00hPa")
    assert (diagnosis.chip, diagnosis.is_clean, diagnosis.is_explained) == ("bme280", True, True)
    assert (diagnosis.explanations[0].defects, diagnosis.explanations[0].explained) == ((), 2)
    (reading,) = diagnosis.readings
    assert reading.temperature == pytest.approx(7.5, abs=0.006)
    assert reading.pressure == pytest.approx(99000, abs=2)
    assert reading.humidity == pytest.approx(50, abs=0.02)


def test_a_diagnosis_finds_the_defect(aneroid: BenchFactory) -> None:
    bench = aneroid(part="bmp280", address=0x77)
    code = """
import smbus2
bus = smbus2.SMBus(1)
bus.read_byte_data(0x77, 0xD0)
bus.read_i2c_block_data(0x77, 0x88, 24)
bus.write_byte_data(0x77, 0xF4, 0x25)
bus.read_i2c_block_data(0x77, 0xF7, 6)
"""
    bench.python(code, check=True)
    diagnosis = bench.diagnose()
    assert not diagnosis.is_clean
    assert "without waiting" in diagnosis.findings[0].sentence and diagnosis.findings[0].count == 1
    assert all(reading.humidity is None for reading in diagnosis.readings)


def test_a_run_without_transfers_has_no_diagnosis(aneroid: BenchFactory) -> None:
    bench = aneroid()
    bench.run(["true"])
    with pytest.raises(BenchError):
        bench.diagnose()
