"""Warehouse rigs, run with the hub and with the command that starts the hub."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
HUB = os.environ.get("ANEROID_HUB", str(ROOT / "Sources/Services/.build/release/aneroid-hub"))
# The real path: the command looks for the hub in the build folder of the checkout.
COMMAND = os.path.realpath(ROOT / ".build/release/aneroid")
RIGS = sorted(str(path.relative_to(ROOT)) for path in [*(ROOT / "rigs/warehouse").glob("*.yaml"), ROOT / "rigs/warehouse-large.yaml"])
#: Also the rigs on the wall clock, which have their own tests.
ALL = RIGS + sorted(f"rigs/warehouse{name}.yaml" for name in ("", "-kills", "-trouble", "-500"))
COLD = "rigs/warehouse/cold-room.yaml"


def run(*words, program=HUB, **options):
    """Runs a program and returns its output and exit status."""
    return subprocess.run([program, *map(str, words)], cwd=ROOT, capture_output=True, text=True, timeout=300, **options)


def line_of(path, word):
    """Returns the number of the first line of a file that contains a word."""
    lines = path.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if word in line)


def changed(folder, right, wrong):
    """Returns the cold room rig with one text replaced."""
    text = (ROOT / COLD).read_text()
    assert right in text
    path = folder / "room.yaml"
    path.write_text(text.replace(right, wrong, 1))
    return path


def test_the_list_of_rigs_is_not_empty():
    """There is at least one warehouse rig to test."""
    assert len(RIGS) >= 12 and COLD in RIGS


@pytest.mark.parametrize("name", RIGS)
def test_each_warehouse_rig_passes(name):
    """Each warehouse rig of the repository meets its expectations, and its check reports no
    error."""
    result = run("run", name)
    assert result.returncode == 0 and result.stderr == "", result.stderr
    assert "  met  " in result.stdout and "NOT MET" not in result.stdout
    checked = run("check", name)
    assert checked.returncode == 0 and checked.stdout.endswith("no errors\n")


def test_jsonl_and_json_contain_the_same_records():
    """JSON lines are in time order and equal the JSON list; another seed changes the run; the same
    seed reproduces it."""
    lines = run("run", COLD, "--format", "jsonl").stdout
    events = [json.loads(line) for line in lines.splitlines()]
    assert len(events) > 10 and all(event["event"] for event in events)
    times = [event["t"] for event in events if "t" in event]
    assert times == sorted(times)
    assert json.loads(run("run", COLD, "--format", "json").stdout) == events
    kills = [run("run", "rigs/warehouse/kills.yaml", "--seed", seed, "--format", "jsonl").stdout for seed in (7, 7, 8)]
    assert kills[0] == kills[1] != kills[2]


def test_a_rig_error_is_reported_with_its_location(tmp_path):
    """run and check report an error with file, line and column, and nothing runs."""
    path = changed(tmp_path, "seed: 5", "sede: 5")
    for command in ("run", "check"):
        result = run(command, path)
        assert result.returncode == 78 and result.stdout == ""
        assert result.stderr.startswith(f"aneroid: {path}:{line_of(path, 'sede')}:1: error: unknown key 'sede'"), result.stderr
    mixed = run("check", path, COLD, "no-such.yaml")
    assert mixed.returncode == 78 and "no errors" in mixed.stdout and "no-such.yaml: no such file" in mixed.stderr
    assert run("run", "no-such.yaml").returncode == 66


def test_a_failed_expectation_sets_exit_status_1(tmp_path):
    """A failed expectation is reported and sets the exit status."""
    result = run("run", changed(tmp_path, "kept: false", "kept: true"))
    assert result.returncode == 1 and "NOT MET" in result.stdout, result.stdout


def test_usage_errors_and_a_full_disk_are_reported():
    """An invalid seed, format or option is rejected; a full disk is reported."""
    for words in (("--seed", "x"), ("--format", "xml"), ("--trace", "x"), ("--seed", "-1")):
        assert run("run", COLD, *words).returncode == 64, words
    with open("/dev/full", "w") as full:
        result = subprocess.run([HUB, "run", COLD], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert result.returncode == 74 and "No space left" in result.stderr


def test_the_command_starts_the_hub(tmp_path):
    """aneroid run passes a warehouse rig and its arguments to the hub; exit status and messages are
    the hub's."""
    for words in ((), ("--format", "json"), ("--format", "jsonl", "--seed", "9")):
        result, own = run("run", COLD, *words, program=COMMAND), run("run", COLD, *words)
        assert (result.returncode, result.stdout, result.stderr) == (0, own.stdout, ""), result.stderr
    assert run("run", changed(tmp_path, "kept: false", "kept: true"), program=COMMAND).returncode == 1
    path = changed(tmp_path, "seed: 5", "sede: 5")
    for words in (("run", path), ("rig", "check", path)):
        result = run(*words, program=COMMAND)
        assert result.returncode == 78 and f"{path}:{line_of(path, 'sede')}:1: error: unknown key" in result.stderr, result.stderr
    checked = run("rig", "check", *ALL, program=COMMAND)
    assert checked.returncode == 0 and checked.stdout.count("no errors") == len(ALL), checked.stderr
    # A rig through a pipe, and a file as standard input.
    for words in (("run", "-"), ("rig", "check", "-")):
        piped = run(*words, program=COMMAND, input=(ROOT / COLD).read_text())
        with open(ROOT / COLD) as file:
            given = run(*words, program=COMMAND, stdin=file)
        assert piped.returncode == given.returncode == 0 and piped.stdout == given.stdout, (piped.stderr, given.stderr)
    assert run("run", "-", program=COMMAND, input=(ROOT / COLD).read_text()).stdout == run("run", COLD).stdout
    plain = run("run", "-", program=COMMAND, input=(ROOT / "rigs/thesis.yaml").read_text().replace("../", f"{ROOT}/"))
    assert plain.returncode == 0, plain.stderr
    dashed = tmp_path / "-room.yaml"
    dashed.write_text((ROOT / COLD).read_text())
    result = subprocess.run([COMMAND, "run", "--", "-room.yaml"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
