"""The settings file of a hub: all errors are reported at once, with line and column, before anything starts."""

import re
import subprocess

import pytest

from hub_program import PROGRAM


@pytest.mark.parametrize("change, words", [
    (("hub: north", "hub: no/rth"), "hub.yaml:1:6: error: hub: the name may have at most 60 letters"),
    (("high: 8C", "hig: 8C"), "hub.yaml:4:41: error: unknown key 'hig'"),
    (("high: 8C", "high: 2.1C"), "hub.yaml:4:47: error: the zone 'cold room': temperature-low alarm 2 and temperature-high alarm 2.1 "
                                 "are less than 0.5 apart"),
    (("A4:DA:32:00:00:01", "A4:DA:32:00:00:00"), "hub.yaml:7:15: error: there are two tags with the address A4:DA:32:00:00:00: "
                                                 "'shelf-0' and 'shelf-1'"),
    (("name: shelf-1, zone: cold room, ", "name: shelf-1, zone: cold rom, "),
     "hub.yaml:7:57: error: the tag 'shelf-1' is in the unknown zone 'cold rom'; did you mean 'cold room'?"),
    (("  - name: cold room\n", "  - name: cold room\n  - name: cold room\n"), "hub.yaml:4:11: error: there are two zones 'cold room'"),
    (("  - name: cold room\n", "  - name: cold_room\n  - name: cold room\n"),
     "hub.yaml:4:11: error: the zones 'cold_room' and 'cold room' would share the topic zone/cold_room"),
    (("at: [1m, 2m]", "at: [1m]"), "the position must have two lengths"),
    (("Rui]}", "Rui], escalate: 0s}"), "hub.yaml:9:38: error: 'escalate' must be greater than 0"),
    (("page:", "mqtt: {host: localhost, prefix: a/#}\npage:"), "mqtt: 'prefix' must be a topic of at most 200 bytes without + and #"),
    (("page:", "mqtt: {host: localhost, prefix: $SYS}\npage:"), "hub.yaml:11:33: error: mqtt: 'prefix' must be a topic"),
    (("page:", "http: {address: 'ftp://x'}\npage:"), "http: 'address' must be an http:// or https:// URL"),
    *((("page:", f"http: {{address: '{address}'}}\npage:"), "hub.yaml:11:17: error: http: 'address' must be an http:// or https:// URL")
      for address in ("https://", "http:///batches", "http://:80/", "https://host:0/", "https://host:65536", "https://a b/", "http://[::1/x")),
    (("name: shelf-1,", "name: shelf-0,"), "hub.yaml:7:42: error: there are two tags 'shelf-0'"),
    (("[Ana, Rui]", "[Ana, Rui, Ana]"), "hub.yaml:9:27: error: duty: 'Ana' is listed twice"),
    (("page:", "commands: {allowed: [silence]}\npage:"), "hub.yaml:11:11: error: commands: commands arrive over the broker, but 'mqtt' is missing"),
    (("page:", "mqtt: {host: localhost}\ncommands: {people: [Ana, Ana]}\npage:"), "hub.yaml:12:26: error: commands: 'Ana' is listed twice"),
    (("page:", "link: {transport: rubbish}\npage:"), "hub.yaml:11:19: error: link: unknown transport 'rubbish' (accepted: "),
    (("page:", "link: {transport: 'ubs:0'}\npage:"), "hub.yaml:11:19: error: link: unknown transport 'ubs'; did you mean 'usb'? (accepted: "),
    (("page:", "link: {transport: usb}\npage:"), "hub.yaml:11:19: error: link: transport 'usb' needs an argument, such as usb:0"),
    (("127.0.0.1:0", "127.0.0.1"), "'listen' must be HOST:PORT"),
    (("127.0.0.1:0", "0.0.0.0:8090"), "hub.yaml:11:16: error: page: 'listen' must be a loopback address"),
    (("127.0.0.1:0", "0.0.0.0"), "not '0.0.0.0'; for remote access use 'ssh -L 8090:127.0.0.1:8090 MACHINE', or a TLS proxy"),
    (("127.0.0.1:0", "[::]:8090"), "not '[::]'"),
    (("127.0.0.1:0", "192.168.1.5:8090"), "not '192.168.1.5'"),
    (("127.0.0.1:0", "127.0.0.1.example:8090"), "not '127.0.0.1.example'"),
])
def test_an_error_in_the_settings_is_reported_with_its_location(hub_of, change, words):
    """Every error is reported with line and column and exit status 78, before anything starts."""
    hub = hub_of()
    text = hub.file.read_text()
    assert change[0] in text
    hub.file.write_text(text.replace(*change))
    result = subprocess.run([PROGRAM, "serve", "--check", str(hub.file)], capture_output=True, text=True, timeout=20)
    assert result.returncode == 78 and words in result.stderr, result
    hub.file.write_text(text)
    assert subprocess.run([PROGRAM, "serve", "--check", str(hub.file)], timeout=20, capture_output=True).returncode == 0


def checked(folder, text, *words):
    """Checks a settings file; returns the exit status, and line, column and message of each
    error."""
    (folder / "hub.yaml").write_text(text)
    result = subprocess.run([PROGRAM, "serve", "hub.yaml", *words], cwd=folder, capture_output=True, text=True, timeout=20)
    found = [re.fullmatch(r"(?:aneroid: )?hub\.yaml:(\d+):(\d+): error: (.*)", line) for line in result.stderr.splitlines()]
    return result.returncode, [(int(one[1]), int(one[2]), one[3]) for one in found] if all(found) else result.stderr


def test_all_errors_are_reported_at_once(tmp_path):
    """Errors of syntax, of values and of files are reported in one pass, in line order; unknown
    values cause no follow-up errors."""
    status, errors = checked(tmp_path, """\
hub: north
zones:
  - name: cold room
    limits: [{of: temperature, low: 7.9C, high: 8C}, {of: humidity, hihg: 60%}]
tags:
  - {address: "A4:DA:32:00:00:01", name: shelf, zone: cold rom, perod: 60s}
  - {address: "A4:DA:32:00:00:02", name: shelf, zone: cold room, period: soon}
duty: {people: [Ana, Rui, Ana]}
link: {transport: rubbish, stay: 1ms}
mqtt: {host: broker, password_file: none.txt, keep_alive: 1s, prot: 1883}
queue: {file: none/north.sqlite}
""")
    assert status == 78
    assert [(line, message.split(";")[0].split(" (known")[0].split(" (")[0]) for line, _, message in errors] == [
        (4, "the zone 'cold room': temperature-low alarm 7.9 and temperature-high alarm 8 are less than 0.5 apart"),
        (4, "unknown key 'hihg' in an entry of limits"),
        (6, "the tag 'shelf' is in the unknown zone 'cold rom'"),
        (6, "unknown key 'perod' in an entry of tags"),
        (7, "there are two tags 'shelf'"),
        (7, "period: 'soon' is not a duration"),
        (8, "duty: 'Ana' is listed twice"),
        (9, "link: unknown transport 'rubbish'"),
        (9, "link: 'stay' must be 1s to 24h"),
        (10, "mqtt: 'password_file' cannot be read: none.txt: No such file or directory"),
        (10, "mqtt: 'keep_alive' must be 5s to 1h"),
        (10, "unknown key 'prot' in mqtt"),
        (11, "queue: the folder of 'file' does not exist: none: No such file or directory"),
    ], errors
    # A zone without a name is one error, not one for each of its tags.
    _, errors = checked(tmp_path, """\
hub: north
zones: [{nam: cold room}, {nam: cold room}]
tags:
  - {address: "A4:DA:32:00:00:01", name: shelf, zone: cold room}
  - {adress: "A4:DA:32:00:00:02", nme: door, zone: cold room}
  - {adress: "A4:DA:32:00:00:02", nme: door, zone: cold room}
duty: {people: [Ana]}
""")
    assert {line for line, *_ in errors} == {2, 5, 6}, errors
    assert all(message.startswith("unknown key ") or " lacks '" in message for *_, message in errors), errors


def test_a_missing_file_is_reported_with_its_line(tmp_path):
    """Missing files are reported before the start, with exit status 66; commands that only read
    recorded data do not require these files."""
    text = ("hub: north\nzones: [{name: cold room}]\ntags:\n  - {address: \"A4:DA:32:00:00:01\", name: shelf, zone: cold room}\n"
            "duty: {people: [Ana]}\nmqtt:\n  host: localhost\n  password_file: none.txt\n  ca: none.pem\n"
            "http: {address: 'http://localhost:1/', authorization_file: none.token}\n")
    status, errors = checked(tmp_path, text, "--check")
    assert status == 66 and [line for line, *_ in errors] == [8, 9, 10], errors
    result = subprocess.run([PROGRAM, "map", "hub.yaml"], cwd=tmp_path, capture_output=True, text=True, timeout=20)
    assert result.returncode == 66 and "there is no queue" in result.stderr, result
    for name in ("none.txt", "none.pem", "none.token"):
        (tmp_path / name).write_text("x\n")
    assert checked(tmp_path, text, "--check") == (0, [])
    # The folder of the queue may be missing before the start: systemd creates it for the service.
    text += "queue: {file: none/north.sqlite}\n"
    assert checked(tmp_path, text, "--check") == (0, [])
    assert checked(tmp_path, text) == (
        78, [(11, 15, "queue: the folder of 'file' does not exist: none: No such file or directory")])


def test_counts_of_one_are_singular(tmp_path):
    """A count of one uses the singular."""
    (tmp_path / "hub.yaml").write_text(
        "hub: north\nzones: [{name: cold room}]\ntags: [{address: \"A4:DA:32:00:00:01\", name: shelf, zone: cold room}]\n"
        "duty: {people: [Ana]}\n")
    result = subprocess.run([PROGRAM, "serve", "--check", "hub.yaml"], cwd=tmp_path, capture_output=True, text=True, timeout=20)
    assert result.stdout == "hub.yaml: 1 tag, no errors\n", result
