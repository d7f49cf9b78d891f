"""Errors of a bench that cannot be created."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import time
import typing

import pytest

from aneroid import Bench, BenchError, BenchFactory, Options, ProgramTimeout, ToolNotFound, tool


def test_without_a_command_all_three_places_are_named(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANEROID")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(tool, "PACKED", tmp_path / "bin" / "aneroid")
    with pytest.raises(ToolNotFound) as caught:
        Bench(tmp_path / "bench")
    assert str(tmp_path / "bin" / "aneroid") in str(caught.value)
    assert "variable ANEROID" in str(caught.value) and "PATH" in str(caught.value)


def test_a_variable_without_a_program_is_rejected(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANEROID", "nowhere/aneroid")
    with pytest.raises(ToolNotFound, match="ANEROID is 'nowhere/aneroid', which is not an executable program"):
        Bench(tmp_path)


def program(path: pathlib.Path, text: str = "#!/bin/sh\n") -> str:
    """Writes a program with this text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def test_the_variable_precedes_the_wheel_and_the_wheel_precedes_the_path(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = program(tmp_path / "named")
    on_path = program(tmp_path / "second" / "aneroid")
    # The script of the package itself would start itself endlessly.
    program(tmp_path / "first" / "aneroid", f"#!{sys.executable}\nfrom aneroid.tool import main\nmain()\n")
    monkeypatch.setenv("PATH", f"{tmp_path / 'first'}:{tmp_path / 'second'}")
    monkeypatch.setenv("ANEROID", named)
    monkeypatch.setattr(tool, "PACKED", tmp_path / "bin" / "aneroid")
    assert tool.find() == named
    monkeypatch.delenv("ANEROID")
    assert tool.find() == on_path
    packed = program(tmp_path / "bin" / "aneroid")
    assert tool.find() == packed


def test_the_module_is_the_command() -> None:
    def output(*command: str) -> str:
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout

    assert output(sys.executable, "-m", "aneroid", "--version") == output(os.environ["ANEROID"], "--version") != ""


def test_the_command_reports_what_is_missing() -> None:
    env = {**os.environ, "ANEROID": "/nowhere"}
    done = subprocess.run([sys.executable, "-m", "aneroid"], env=env, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 69 and done.stderr.startswith("aneroid: the environment variable ANEROID")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rig": "no-such.yaml"}, "no-such.yaml: no such file"),
        ({"rig": {"name": "x", "bus": []}}, "rig.yaml:2:1: error: unknown key 'bus'"),
        ({"part": "bme680"}, "'bme680'"),
        ({"address": 0x40}, "0x76"),
        ({"air": {"temperature": "cold"}}, "cold"),
        ({"faults": ["kind: nack-adress"]}, "unknown 'kind' 'nack-adress'"),
        ({"faults": [{"kind": "stuck-scl"}]}, "'for'"),
        ({"board": "toaster"}, "toaster"),
        ({"clock": "slow"}, "slow"),
        ({"calibration": "no-such.yaml"}, "no-such.yaml"),
        ({"number": -1}, "number"),
    ],
    ids=str,
)
def test_an_invalid_rig_is_rejected(aneroid: BenchFactory, options: dict[str, typing.Any], words: str) -> None:
    bench = aneroid(**options)
    with pytest.raises(BenchError) as caught:
        bench.run(["true"])
    assert words in str(caught.value)
    assert caught.value.status in (64, 65, 66, 78)
    assert bench.results == ()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"air": {"temprature": 3}}, "unknown key 'temprature' of air"),
        ({"air": 20}, "air must be a dictionary"),
        ({"air": [20]}, "air must be a dictionary"),
        ({"air": {"temperature": float("nan")}}, "nan is not a"),
        ({"air": {"temperature": True}}, "True is not a"),
        ({"air": {"temperature": None}}, "None must be a number"),
        ({"calibration": bytes(32)}, "33 bytes"),
        ({"calibration": 3}, "3 is not a path"),
        ({"calibration": "\udcff.yaml"}, "must be UTF-8"),
        ({"faults": "kind: nack-address"}, "a list of faults"),
        ({"faults": [3]}, "a fault must be"),
        ({"rig": 3}, "a rig must be a path"),
        ({"rig": {"buses": {3.5: 1}}}, "a key of a rig"),
        ({"rig": {"buses": None}}, "a rig cannot hold"),
        ({"rig": "thesis.yaml", "air": {}, "seed": 3}, "set air and seed in the rig, or pass no rig"),
    ],
    ids=str,
)
def test_invalid_bench_options_are_rejected_at_once(
    aneroid: BenchFactory, options: dict[str, typing.Any], words: str
) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        aneroid(**options)
    assert words in str(caught.value)


def test_an_unknown_option_suggests_the_nearest() -> None:
    with pytest.raises(TypeError, match="no option 'fault': did you mean 'faults'"):
        Options.named({"fault": []})


def test_a_missing_program_is_reported(aneroid: BenchFactory) -> None:
    with pytest.raises(BenchError, match="no-such-program: no such program") as caught:
        aneroid().run(["./no-such-program"])
    assert caught.value.status == 127


@pytest.mark.parametrize("argv", [[], "ls -l"])
def test_a_program_is_a_list(aneroid: BenchFactory, argv: list[str]) -> None:
    with pytest.raises(TypeError, match="argv must be a list"):
        aneroid().run(argv)


def test_results_before_a_run_raise(aneroid: BenchFactory) -> None:
    with pytest.raises(BenchError, match="no program was run"):
        aneroid().transfers


def has_ended(process: str) -> bool:
    """Returns True if a process ends within some seconds; a zombie has ended."""
    for _ in range(100):
        try:
            if pathlib.Path("/proc", process, "stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("stubborn", [False, True])
def test_a_program_is_ended_after_its_timeout(aneroid: BenchFactory, stubborn: bool) -> None:
    bench = aneroid(timeout=3)
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " if stubborn else ""
    code += """import smbus2, os
print(smbus2.SMBus(1).read_byte_data(0x76, 0xD0), os.getpid(), flush=True)
while True:
    pass
"""
    start = time.monotonic()
    with pytest.raises(ProgramTimeout, match="was ended after 3 s") as caught:
        bench.python(code)
    assert time.monotonic() - start < 20
    result = caught.value.result
    assert bench.result is result and result.stdout.startswith("96 ")
    assert has_ended(result.stdout.split()[1])
    assert result.status == (137 if stubborn else 143)
    assert [transfer.read for transfer in result.transfers] == [b"\x60"]


def test_a_bench_is_usable_after_a_failed_run(tmp_path: pathlib.Path) -> None:
    bench = Bench(tmp_path)
    for _ in range(2):
        with pytest.raises(BenchError):
            bench.run(["no-such-program"])
    assert bench.run(["true"]).status == 0
    assert Bench(tmp_path).run(["true"]).status == 0
