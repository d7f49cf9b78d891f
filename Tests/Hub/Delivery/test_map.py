"""Reports of `map` for tags that were replaced or moved, for whole days, and with their rules."""

import json
import signal
import subprocess
import time

from hub_program import PROGRAM

HOUR = 3600 * 10**9


def line(address, celsius, time_ns):
    """A notification with a gateway's time."""
    raw = round((celsius + 40) / 165 * 65536).to_bytes(2, "little") + bytes([0, 128])
    return json.dumps({"tag": f"A4:DA:32:00:00:{address:02X}", "kind": "cc2650", "characteristic": "AA21", "raw": raw.hex(), "time_ns": time_ns})


def settings(folder, tags):
    """Writes a hub file with a cold room, a freezer and these tags: address, name, zone."""
    text = "hub: north\nzones: [{name: cold room, storage: cold-chain}, {name: freezer, storage: freezer}]\ntags:\n"
    for address, name, zone in tags:
        text += f"  - {{address: \"A4:DA:32:00:00:{address:02X}\", name: {name}, zone: {zone}, period: 10min}}\n"
    (folder / "hub.yaml").write_text(text + "fastest: {temperature: 400C}\nduty: {people: [Ana]}\npage: {listen: \"127.0.0.1:0\"}\n")


def serve(folder, lines):
    """Lets a hub store these lines, and stops it."""
    process = subprocess.Popen([PROGRAM, "serve", str(folder / "hub.yaml"), "--lines", "--echo"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdin.write("".join(one + "\n" for one in lines).encode())
    process.stdin.flush()
    stored = 0
    while stored < len(lines):
        stored += json.loads(process.stdout.readline())["kind"] == "reading"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)


def study(folder, *options):
    """Runs `map` and returns its rows by their names, and its text."""
    result = subprocess.run([PROGRAM, "map", str(folder / "hub.yaml"), *options], capture_output=True, text=True, timeout=20)
    assert result.returncode == 0, result.stderr
    rows = {row[:row.index("  ")]: row for row in result.stdout.split("\n\n")[1].splitlines() if "  " in row}
    return rows, result.stdout


def test_readings_count_for_the_zone_in_which_they_were_measured(tmp_path):
    """A replaced tag keeps its excursion, and a moved one leaves its past in the old zone."""
    start = time.time_ns() - 48 * HOUR
    settings(tmp_path, [(1, "peas", "cold room"), (2, "labels", "cold room"), (3, "fish", "freezer")])
    half = [start + step * HOUR // 6 for step in range(144)]
    serve(tmp_path, [line(tag, celsius, at) for at in half for tag, celsius in ((1, 9.5), (2, 5), (3, -20))])
    settings(tmp_path, [(4, "peas", "cold room"), (2, "labels", "freezer"), (3, "fish", "freezer")])
    rest = [start + step * HOUR // 6 for step in range(144, 288)]
    serve(tmp_path, [line(tag, celsius, at) for at in rest for tag, celsius in ((4, 5), (2, -19), (3, -20))])
    rows, text = study(tmp_path, "--days", "2")
    assert "cold-chain: not compliant, 1 excursion" in rows["peas (A4:DA:32:00:00:01)"] and "9.5" in rows["peas (A4:DA:32:00:00:01)"]
    assert "not compliant" not in rows["peas"] and "9.5" not in rows["peas"]
    assert "cold room" in rows["labels (before)"] and " 5 " in rows["labels (before)"] and "-19" not in rows["labels (before)"]
    assert "freezer" in rows["labels"] and "excursion" not in rows["labels"]
    assert "freezer: compliant" in rows["fish"]
    # Rules are stated with their limits and sources; monitors are recommended for each zone, among its present tags.
    assert "  cold-chain: 2 to 8 °C (USP <659>" in text and "  freezer: -25 to -10 °C (USP <659>" in text
    monitors = text.split("monitor locations:\n")[1].split("\n\n")[0].splitlines()
    assert monitors and all(one.startswith("  freezer, ") and "(before)" not in one for one in monitors)


def test_a_whole_day_can_be_compliant_although_its_first_reading_comes_later(tmp_path):
    start = (time.time_ns() // (24 * HOUR) - 3) * 24 * HOUR
    settings(tmp_path, [(1, "kept", "cold room")])
    serve(tmp_path, [line(1, 5, start + 34 * 10**9 + step * HOUR // 6) for step in range(-6, 150)])
    stamp = lambda at: time.strftime("%Y-%m-%d", time.gmtime(at // 10**9))
    rows, text = study(tmp_path, "--from", stamp(start), "--to", stamp(start + 24 * HOUR))
    assert "cold-chain: compliant" in rows["kept"] and "Too few" not in text
