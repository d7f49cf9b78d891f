"""Runs the examples of the help and of the guide, as written, in an empty folder."""

import ctypes
import fcntl
import json
import os
import re
import shlex
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
HUB = os.environ.get("ANEROID_HUB", str(ROOT / "Sources/Services/.build/release/aneroid-hub"))
COMMAND = os.path.realpath(ROOT / ".build/release/aneroid")
SUBCOMMANDS = ["serve", "show", "alarms", "ack", "silence", "close", "log", "readings", "map", "notify", "example", "reference",
               "schema", "run", "check", "tags"]
GUIDE = ROOT / "Sources/aneroid/aneroid.docc/Hub.md"


def run(*words, **options):
    """Runs the hub's program with the usual terminal width."""
    return subprocess.run([HUB, *words], capture_output=True, text=True, timeout=60, **{"cwd": ROOT, **options})


def examples(text):
    """Returns the lines of the section EXAMPLES of a help text."""
    found = re.search(r"^EXAMPLES\n((?:  .*\n)+)", text, re.M)
    return [line.strip() for line in found[1].splitlines()] if found else []


def guide_examples():
    """Returns the commands of the guide, block by block, without those that build the program."""
    blocks = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(), re.S)
    return [line for block in blocks for line in block.splitlines() if line.startswith(("aneroid ", "curl "))]


# Starts a mail server and adds it to the hub file as the channel of the examples.
MAIL = f"""
{shlex.quote(sys.executable)} -m aiosmtpd -n -l 127.0.0.1:2525 -c aiosmtpd.handlers.Sink & mail=$!
trap 'kill $mail; [ -z "$served" ] || kill -- -$served' EXIT
wait_for bash -c ': </dev/tcp/127.0.0.1/2525'
cat >>hub.yaml <<END
notify:
  - {{by: mail, name: mail, server: "smtp://127.0.0.1:2525", tls: none, from: hub@example.org, to: [ana@example.org]}}
END"""


def run_in_shell(folder, commands):
    """Runs commands in a shell with its own network namespace; returns command, status and output
    of each.

    The hub runs in the background; endless commands are ended after some seconds. Before the first
    command for channels, the hub file gets a channel to a mail server of the test.
    """
    script = ["set -mu", "served=", "trap '[ -z \"$served\" ] || kill -- -$served' EXIT",
              "wait_for() { for _ in $(seq 300); do \"$@\" >wait.out 2>&1 && return; sleep 0.1; done; return 1; }"]
    for index, command in enumerate(commands):
        print(command)
        if " serve " in command and "--check" not in command:
            script += [f"({command}) >serve.out 2>&1 </dev/null &", "served=$!", "wait_for aneroid hub show",
                       f"printf '\\0%s\\0%s\\0%s\\0' {shlex.quote(command)} $? \"$(cat serve.out)\""]
            # Wait until four alarms are open before the acknowledgement.
            if commands[index + 1:]:
                script += ["for _ in $(seq 300); do [ $(aneroid hub alarms | wc -l) -ge 4 ] && break; sleep 0.1; done"]
            continue
        if " hub notify " in command and not any("hub notify" in earlier for earlier in commands[:index]):
            script += [MAIL]
        endless = "--follow" in command
        script += [f"{{ {'timeout 3 ' if endless else ''}{command}; }} >out 2>err </dev/null; "
                   f"printf '\\0%s\\0%s\\0%s\\0%s' {shlex.quote(command)} $? \"$(cat out)\" \"$(cat err)\""]
    (folder / "script").write_text("\n".join(script) + "\n")
    tools = folder / "bin"
    tools.mkdir()
    (tools / "aneroid").symlink_to(COMMAND)
    os.symlink(ROOT / "rigs", folder / "rigs")
    keys = {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(folder), "TMPDIR": str(folder)}
    result = subprocess.run([sys.executable, __file__, "bash", "script"], cwd=folder, capture_output=True, text=True, timeout=300,
                            env=keys)
    parts = result.stdout.split("\0")[1:]
    assert parts, result
    return [(parts[n], int(parts[n + 1]), parts[n + 2], parts[n + 3]) for n in range(0, len(parts), 4)]


def check_result(command, status, errors):
    """Checks the exit status of a command and that it reported no errors; the example's file has no channels, of which --check warns."""
    if "--check" in command and errors.startswith("aneroid: no channel notifies people of alarms") and "\n" not in errors:
        errors = ""
    usual = 1 if " hub alarms" in command else 124 if "--follow" in command else 0
    assert status == usual and not errors, (command, status, errors)


def test_the_examples_of_the_help_work(tmp_path):
    """Each example of 'aneroid hub --help' works, in the order of the help."""
    text = run("--help").stdout
    commands = examples(text)
    assert len(commands) >= 9, text
    results = run_in_shell(tmp_path, commands)
    for command, status, output, errors in results:
        check_result(command, status, errors)
        if " ack " in command:
            assert output == "alarm 1 is acknowledged"
        if " show" in command:
            assert "Warehouse north" in output and "cold room" in output
    assert (tmp_path / "alarms.csv").read_text().startswith("number,tag,zone")
    assert "<svg" in (tmp_path / "map.html").read_text()


# The client subcommands share one running hub. The examples of 'tags' need a Bluetooth central:
# Tests/Hub/Rigs runs them.
CLIENTS = ["show", "alarms", "ack", "silence", "close", "log", "readings", "map"]
OTHERS = [[name] for name in SUBCOMMANDS if name not in [*CLIENTS, "tags"]]


@pytest.mark.parametrize("names", [["guide"], CLIENTS, *OTHERS], ids="+".join)
def test_the_examples_of_subcommands_and_guide_work(tmp_path, names):
    """The examples of each subcommand and of the guide work against a running hub that has the
    alarms they mention."""
    of = {name: guide_examples() if name == "guide" else examples(run(name, "--help").stdout) for name in names}
    assert all(of.values()), f"no example: {of}"
    commands = [command for name in names for command in of[name]]
    before = ["aneroid hub example > hub.yaml"] if names in (CLIENTS, ["serve"], ["notify"]) else []
    if names == CLIENTS:
        before.append("aneroid hub example --lines | aneroid hub serve hub.yaml --lines")
    results = run_in_shell(tmp_path, before + commands)
    assert [command for command, *_ in results] == before + commands
    for command, status, output, errors in results:
        check_result(command, status, errors)
        assert not command.startswith("curl ") or output.startswith('{"ok":true,'), output


@pytest.mark.parametrize("name", ["", *SUBCOMMANDS])
def test_the_help_fits_the_terminal_width(name):
    """No line exceeds 80 columns, and no example or paragraph is broken."""
    text = run(*name.split(), "--help").stdout
    assert all(len(line) <= 80 for line in text.splitlines() if not line.startswith("USAGE")), text
    lines = text.splitlines()
    for line, following in zip(lines, lines[1:]):
        if line[:1].isalpha() and following[:1].isalpha() and " " in line:
            assert len(line) + 1 + len(following.split()[0]) >= 80, (line, following)


def test_the_guide_names_every_subcommand():
    """The guide names every subcommand, and the help lists the same subcommands as this test."""
    listed = re.findall(r"^  ([a-z]+)  ", run("--help").stdout.split("SUBCOMMANDS:")[1], re.M)
    assert listed == SUBCOMMANDS
    for name in SUBCOMMANDS:
        assert re.search(rf"`{name}`|aneroid hub {name}|hub {name}", GUIDE.read_text()), name


@pytest.mark.parametrize("words, status, reason", [
    (("frob",), 64, "frob"),
    (("ack",), 64, "Missing expected argument '<alarm> ...'"),
    (("ack", "1"), 64, "Missing expected argument '--by <name>'"),
    (("ack", "one", "--by", "Ana"), 64, "'one' is invalid"),
    (("silence", "cold room", "--by", "Ana"), 64, "--minutes or --end"),
    (("log", "--format", "xml"), 64, "'xml' is invalid"),
    (("alarms", "--hub", "nowhere"), 64, "--hub must be a URL such as http://127.0.0.1:8090, not 'nowhere'"),
    (("alarms", "--hub", "http://127.0.0.1:1"), 69, "no hub responds at http://127.0.0.1:1"),
    (("ack", "1", "--by", "Ana"), 66, "cannot read the token hub.token: No such file or directory"),
    (("ack", "1", "--by", "Ana", "--config", "no.yaml"), 66, "no.yaml: no such file"),
    (("map", "no.yaml"), 66, "no.yaml: no such file"),
    (("serve", "no.yaml"), 66, "no.yaml: no such file"),
    (("no.yaml",), 66, "no.yaml: no such file"),
    (("--config", "no.yaml"), 66, "no.yaml: no such file"),
    (("--config=no.yaml",), 66, "no.yaml: no such file"),
    (("map", "hub.yaml", "--days", "0"), 64, "--days must be greater than 0"),
    (("map", "hub.yaml", "--days", "-3"), 64, "--days must be greater than 0"),
    (("ack", "1", "--by", "Ana", "--minutes", "-3"), 64, "--minutes must be greater than 0 and at most 480 (8 hours)"),
    (("ack", "1", "--by", "Ana", "--minutes", "nan"), 64, "--minutes must be greater than 0"),
    (("ack", "1", "--by", "Ana", "--minutes", "481"), 64, "at most 480"),
    (("ack", "1", "--by", " "), 64, "--by must give your name"),
    (("close", "1", "--by", "a" * 81), 64, "--by must have at most 80 bytes"),
    (("close", "1", "--by", "a", "--note", "a" * 1001), 64, "--note must have at most 1000 bytes"),
    (("silence", "cold room", "--by", "Ana", "--minutes", "0"), 64, "--minutes must be greater than 0"),
    (("silence", "cold room", "--by", "Ana", "--minutes", "-1"), 64, "--minutes must be greater than 0"),
    (("example", "--lines", "--seconds", "-1"), 64, "--seconds must be at least 0"),
    (("map", "hub.yaml"), 66, "there is no queue"),
])
def test_usage_errors_have_a_message_and_exit_status(tmp_path, words, status, reason):
    """A usage error is one message on standard error with the documented exit status."""
    (tmp_path / "hub.yaml").write_text(run("example").stdout)
    result = run(*words, cwd=tmp_path)
    assert result.returncode == status and reason in result.stderr and not result.stdout, result
    assert "hub.sqlite" not in os.listdir(tmp_path) and "north.sqlite" not in os.listdir(tmp_path)


def test_a_file_argument_selects_its_subcommand(tmp_path):
    """A rig is run and a hub file is served; so is a file given with --config."""
    rig = run("rigs/warehouse/cold-room.yaml")
    assert rig.returncode == 0 and rig.stdout == run("run", "rigs/warehouse/cold-room.yaml").stdout
    (tmp_path / "hub.yaml").write_text(run("example").stdout)
    for words in (("hub.yaml",), ("--config", "hub.yaml"), ("--config=hub.yaml",), ("serve", "hub.yaml")):
        result = run(*words, "--check", cwd=tmp_path)
        assert result.returncode == 0 and result.stdout == "hub.yaml: 6 tags, no errors\n", result


WEATHER, WAREHOUSE = str(ROOT / "rigs/weather-station.yaml"), str(ROOT / "rigs/warehouse/cold-room.yaml")


@pytest.mark.parametrize("words, message", [
    ((HUB, WEATHER), f"{WEATHER}:1:1: error: this is a rig, not a hub file; 'aneroid run {WEATHER}' runs it"),
    ((HUB, "serve", WAREHOUSE), f"{WAREHOUSE}:1:1: error: this is a warehouse rig, not a hub file; "
                                f"'aneroid run {WAREHOUSE}' runs it"),
    ((HUB, "map", WEATHER), f"{WEATHER}:1:1: error: this is a rig, not a hub file; 'aneroid run {WEATHER}' runs it"),
    ((HUB, "run", WEATHER), f"{WEATHER}:1:1: error: this is a rig, not a warehouse rig; 'aneroid run {WEATHER}' runs it"),
    ((HUB, "run", "hub.yaml"), "hub.yaml:1:1: error: this is a hub file, not a warehouse rig; 'aneroid hub hub.yaml' "
                               "serves it"),
    ((HUB, "check", "hub.yaml"), "'aneroid hub hub.yaml' serves it"),
    ((COMMAND, "run", "hub.yaml"), "hub.yaml:1:1: error: this is a hub file, not a rig of parts on a bus; 'aneroid hub hub.yaml' "
                                   "serves it"),
    ((COMMAND, "rig", "check", "hub.yaml"), "'aneroid hub hub.yaml' serves it"),
    ((COMMAND, "read", "--bus", "rig:hub.yaml"), "'aneroid hub hub.yaml' serves it"),
    ((COMMAND, "read", "--bus", f"rig:{WAREHOUSE}"), f"'aneroid run {WAREHOUSE}' runs it"),
])
def test_a_file_of_another_kind_names_the_right_command(tmp_path, words, message):
    """One line reports the kind of the file and the command that accepts it."""
    (tmp_path / "hub.yaml").write_text(run("example").stdout)
    result = subprocess.run(words, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert result.returncode == 78 and message in result.stderr + result.stdout, result
    assert len((result.stderr + result.stdout).splitlines()) == 1, result


@pytest.mark.parametrize("text, is_warehouse", [
    ('{"name": "x", "warehouse": {"zones": []}}', True),
    ("name: x\n? warehouse\n: {zones: []}\n", True),
    ('name: "a\n\nwarehouse: b"\n', False),
    ("name: x\nnotes: |\n warehouse: y\n", False),
])
def test_a_warehouse_is_found_by_its_key(tmp_path, text, is_warehouse):
    """The key 'warehouse' is found in any YAML notation; a similar text is not a warehouse."""
    (tmp_path / "rig.yaml").write_text(text)
    result = subprocess.run([COMMAND, "run", "rig.yaml"], capture_output=True, text=True, timeout=60, cwd=tmp_path)
    named = run("rig.yaml", cwd=tmp_path)
    assert result.returncode == named.returncode == 78
    assert ("error: warehouse lacks 'duty'" in result.stderr) == is_warehouse, result
    assert ("the hub file" in named.stderr) == (not is_warehouse), named


def test_the_schema_accepts_the_example():
    """The schema accepts the example and rejects an unknown key, as an editor does."""
    schema = json.loads(run("schema").stdout)
    validator = jsonschema.validators.validator_for(schema)(schema)
    example = yaml.safe_load(run("example").stdout)
    assert not list(validator.iter_errors(example))
    example["zones"][0]["limts"] = []
    assert any("limts" in error.message for error in validator.iter_errors(example))


def test_the_page_of_keys_is_up_to_date():
    """The generated page in the repository matches the output of the program."""
    assert run("reference").stdout == (ROOT / "Sources/Warehouse/WarehouseRuns/WarehouseRuns.docc/HubKeys.md").read_text()


def alone():
    """Runs a command in its own network namespace, where the default port is free; without the
    privilege, in the machine's."""
    if ctypes.CDLL(None).unshare(0x40000000) == 0:
        with socket.socket() as one:
            flags = struct.pack("16sh14s", b"lo", 0x1, b"")
            fcntl.ioctl(one, 0x8914, flags)
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    assert shutil.which(sys.argv[1])
    alone()


def test_the_version_matches_the_command():
    command = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, timeout=60)
    assert run("--version").stdout == command.stdout != ""
