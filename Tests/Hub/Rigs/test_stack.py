"""Warehouses over a Bluetooth stack in real time: Bumble's frames, a real mosquitto, and programs
that are killed."""

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
HUB = os.environ.get("ANEROID_HUB", str(ROOT / "Sources/Services/.build/release/aneroid-hub"))
COMMAND = os.path.realpath(ROOT / ".build/release/aneroid")
SEED = int(os.environ.get("HUB_SEED", random.randrange(2**32)))
BRIDGE = {"PYTHONPATH": str(ROOT / "Sources/Python"), "PYTHONDONTWRITEBYTECODE": "1"}


def start(*words, program=HUB, prefix=(), **environment):
    """Starts a program with its output piped."""
    return subprocess.Popen([*prefix, program, *map(str, words)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env={**os.environ, **environment})


def ended(process, seconds=240):
    """Waits for a program; returns exit status, output and messages."""
    output, errors = process.communicate(timeout=seconds)
    return process.returncode, output, errors


def test_the_article_s_formula_fails_over_bluetooth(tmp_path):
    """The warehouse passes: 69 % instead of 60 %, an alarm at 56.8 %, false and missed alarms. With
    wrong expectations the same run fails, in parallel with the first: two runs on one machine do
    not interfere."""
    began = time.monotonic()
    right = start("run", "rigs/warehouse.yaml", program=COMMAND)
    text = (ROOT / "rigs/warehouse.yaml").read_text()
    for good, bad in (("is: 69%", "is: 68%"), ("true: 56.8%", "true: 57.8%"), ("false: 2", "false: 1"), ("told: [Ana]", "told: [Rui]")):
        assert good in text
        text = text.replace(good, bad, 1)
    (tmp_path / "wrong.yaml").write_text(text)
    wrong = start("run", tmp_path / "wrong.yaml", "--format", "jsonl")
    status, output, errors = ended(right)
    took = time.monotonic() - began
    assert (status, errors) == (0, ""), output + errors
    assert "NOT MET" not in output and output.count("  met  ") == 9, output
    assert re.search(r"the article shows 69 % at shelf 1 where 60 % is true: 69\.\d\d % and 60\.\d\d %|"
                     r"the article shows 69 % at shelf 1 where 60 % is true: 6[89]\.\d\d % and (59|60)\.\d\d %", output), output
    assert "with the article's formula: 2 false alarms, 1 missed" in output
    assert "the article's alarm at 65 % at shelf 1 trips at a true 56.8 %" in output
    print(f"the warehouse took {took:.0f} s")
    status, output, errors = ended(wrong)
    events = [json.loads(line) for line in output.splitlines()]
    failed = {event["expectation"] for event in events if event["event"] == "expectation" and not event["passed"]}
    assert status == 1 and len(failed) == 4, failed
    folder = Path(re.search(r"are kept in (\S+)", errors)[1])
    assert "the radio" in (folder / "hub.log").read_text()
    shutil.rmtree(folder)


def test_faults_over_bluetooth_are_reported_and_recovered_from(tmp_path):
    """A tag that fails and returns, a disabled sensor and an unreachable broker are reported and
    recovered from; without the faults the same expectations fail."""
    right = start("run", "rigs/warehouse-trouble.yaml", program=COMMAND)
    text = (ROOT / "rigs/warehouse-trouble.yaml").read_text()
    (tmp_path / "calm.yaml").write_text(re.sub(r"  faults:\n.*\n.*\n", "", text))
    calm = start("run", tmp_path / "calm.yaml")
    status, output, errors = ended(right)
    assert (status, errors) == (0, ""), output + errors
    assert "the broker is unreachable" in output and "the broker is available" in output, output
    assert "no-data" in output and "sensor-fault" in output, output
    status, output, errors = ended(calm)
    assert status == 1 and output.count("NOT MET") == 3, output
    shutil.rmtree(Path(re.search(r"are kept in (\S+)", errors)[1]))


def test_a_rig_from_standard_input():
    """A rig over a stack can be piped."""
    text = (ROOT / "rigs/warehouse.yaml").read_text().split("  commands:")[0].replace("duration: 25s", "duration: 3s")
    text += "expect:\n  - {that: delivery, is: exactly-once}\n"
    for program in (HUB, COMMAND):
        result = subprocess.run([program, "run", "-"], cwd=ROOT, input=text, capture_output=True, text=True, timeout=200)
        assert (result.returncode, result.stderr) == (0, ""), result.stdout + result.stderr
        assert "  met  " in result.stdout


def children(folder):
    """Returns the processes that have this folder in their arguments."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if folder.encode() in (process / "cmdline").read_bytes():
                found.append(process.name)
        except OSError:
            pass
    return found


def until(condition, seconds=60):
    """Waits until a condition holds."""
    latest = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < latest
        time.sleep(0.1)


def test_a_killed_run_leaves_no_processes(tmp_path):
    """The programs of a run end with it; its folder is removed on SIGTERM, or by the next run."""
    def started():
        process = start("run", "rigs/warehouse.yaml", "--format", "jsonl", TMPDIR=str(tmp_path))
        assert json.loads(process.stdout.readline())["event"] == "rig"
        return process

    killed = started()
    [folder] = tmp_path.glob("aneroid-warehouse-*")
    assert len(children(str(folder))) >= 2
    killed.kill()
    killed.communicate()
    until(lambda: not children(str(folder)))
    assert folder.exists()
    kept = tmp_path / "aneroid-warehouse-kept00"
    kept.mkdir()
    interrupted = started()
    assert not folder.exists() and kept.exists()
    [folder] = [one for one in tmp_path.glob("aneroid-warehouse-*") if one != kept]
    interrupted.send_signal(signal.SIGTERM)
    status, _, errors = ended(interrupted, 60)
    assert (status, errors) == (143, "aneroid: the run was ended by signal 15\n")
    assert not folder.exists() and not children(str(folder)) and kept.exists()


READER = """
import asyncio, sys
from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.hci import Address
from bumble.transport import open_transport

def own(short):
    return f"F000{short}-0451-4000-B000-000000000000"

async def main():
    async with await open_transport(sys.argv[1]) as hci:
        device = Device.with_hci("reader", Address("F0:F1:F2:F3:F4:F5"), hci.source, hci.sink)
        await device.power_on()
        connection = await device.connect(Address("C4:BE:84:70:00:01"))
        client = connection.gatt_client
        print("mtu", await client.request_mtu(185))
        await client.discover_services()
        for service in client.services:
            await service.discover_characteristics()
        def at(short):
            [one] = [one for service in client.services for one in service.characteristics if str(one.uuid).upper() == own(short)]
            return one
        data, configuration, period = at("AA21"), at("AA22"), at("AA23")
        print("off", bytes(await client.read_value(data)).hex())
        await client.write_value(period, bytes([5]), with_response=True)
        print("period", bytes(await client.read_value(period)).hex())
        notified = asyncio.get_running_loop().create_future()
        await client.discover_descriptors(data)
        await client.subscribe(
            data, lambda value: notified.done() or notified.set_result(bytes(value)))
        await client.write_value(configuration, bytes([1]), with_response=True)
        print("notified", (await asyncio.wait_for(notified, 20)).hex())
        await client.write_value(configuration, bytes([0]), with_response=True)
        print("off", bytes(await client.read_value(data)).hex())
        absent = at("AA71"), at("AA72")
        await client.write_value(absent[1], bytes([1]), with_response=True)
        print("failed", bytes(await client.read_value(absent[1])).hex())

asyncio.run(main())
"""


def free_port():
    """Returns a free port on loopback."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def test_bumble_programs_can_read_the_simulated_tags():
    """Bumble's scanner, its GATT dump and a client of its library read the tags that 'aneroid hub
    tags' advertises."""
    ports = [free_port() for _ in range(2)]
    words = [word for port in ports for word in ("--air", f"tcp-server:127.0.0.1:{port}")]
    tags = start("hub", "tags", *words, program=COMMAND)
    try:
        assert [tags.stdout.readline() for _ in range(2)] == ["C4:BE:84:70:00:01  cc2650\n", "C4:BE:84:70:00:02  cc2541\n"]
        assert "available at tcp-server:127.0.0.1:" in tags.stderr.readline()
        programs = Path(sys.executable).parent
        client = f"tcp-client:127.0.0.1:{ports[0]}"
        dump = subprocess.run([programs / "bumble-gatt-dump", client, "C4:BE:84:70:00:01"], capture_output=True, text=True, timeout=120)
        for short in ("AA20", "AA21", "AA22", "AA23", "AA40", "AA41", "AA42", "AA44"):
            assert f"F000{short}-0451-4000-B000-000000000000" in dump.stdout.upper(), dump.stdout + dump.stderr
        scan = subprocess.Popen([programs / "bumble-scan", f"tcp-client:127.0.0.1:{ports[1]}"], stdout=subprocess.PIPE, text=True,
                                env={**os.environ, "PYTHONUNBUFFERED": "1"})
        scanned = ""
        try:
            latest = time.monotonic() + 60
            while not ("CC2650 SensorTag" in scanned and "C4:BE:84:70:00:02" in scanned) and time.monotonic() < latest:
                scanned += scan.stdout.readline()
        finally:
            scan.kill()
        assert "CC2650 SensorTag" in scanned and "C4:BE:84:70:00:02" in scanned, scanned
        read = subprocess.run([sys.executable, "-c", READER, client], capture_output=True, text=True, timeout=120)
        lines = dict(line.split() for line in read.stdout.splitlines() if not line.startswith("off"))
        assert read.returncode == 0 and read.stdout.count("off 00000000") == 2, read.stdout + read.stderr
        assert lines["period"] == "1e" and lines["failed"] == "ff" and int(lines["mtu"]) > 23, lines
        data = bytes.fromhex(lines["notified"])
        celsius = int.from_bytes(data[:2], "little") / 65536 * 165 - 40
        percent = (int.from_bytes(data[2:], "little") & ~3) / 65536 * 100
        assert abs(celsius - 21) < 0.5 and abs(percent - 50) < 1, (celsius, percent)
    finally:
        tags.send_signal(signal.SIGINT)
        status, _, _ = ended(tags, 60)
    assert status == 0
    for words, expected in ((("--kind", "cc2640"), 64), (("--radio", "usb:0", "--air", "x"), 64), (("--radio", "hci-socket:0"), 69),
                          (("--radio", "usb:0"), 69), (("no-such.yaml",), 66)):
        status, output, errors = ended(start("hub", "tags", *words, program=COMMAND), 60)
        assert (status, output) == (expected, "") and errors, (words, status, output, errors)
        if expected == 69:
            assert len(errors.splitlines()) == 1 and words[1] in errors, errors


def test_the_bridge_is_found_next_to_the_program(tmp_path):
    """Outside a checkout the module in the folder 'python' next to the program is used; without it,
    one line lists what to install."""
    shutil.copy2(HUB, tmp_path / "aneroid-hub")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment.pop("ANEROID_BLE", None)
    words = [str(tmp_path / "aneroid-hub"), "tags", "--air", f"unix-server:{tmp_path}/air"]
    result = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert result.returncode == 69 and len(result.stderr.splitlines()) == 1 and "pip install" in result.stderr, result.stderr
    (tmp_path / "python").symlink_to(ROOT / "Sources/Python")
    process = subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline().endswith("cc2650\n")
    process.send_signal(signal.SIGTERM)
    assert ended(process, 60)[0] == 0


def test_ten_kills_lose_no_record():
    """Hub, bridge and broker are killed with SIGKILL at random times: every record on the hub's
    disk arrives exactly once."""
    print(f"seed {SEED}")
    status, output, errors = ended(start("run", "rigs/warehouse-kills.yaml", "--seed", SEED), 400)
    assert (status, errors) == (0, ""), f"seed {SEED}\n{output}{errors}"
    assert output.count("killed: the ") == 10, output
    print(re.search(r"\d+ readings written.*", output)[0])


@pytest.mark.skipif("HUB_LONG" not in os.environ, reason="takes minutes: .ci/hub --long")
def test_five_hundred_tags_over_one_bridge():
    """500 tags are connected through one bridge, and their readings arrive exactly once."""
    began = time.monotonic()
    status, output, errors = ended(start("run", "rigs/warehouse-500.yaml"), 1200)
    assert (status, errors) == (0, ""), output + errors
    print(f"500 tags: {time.monotonic() - began:.0f} s; " + re.search(r"\d+ readings written.*", output)[0])


def test_a_missing_dependency_is_reported_in_one_line():
    """Without Bumble, a bridge or mosquitto a run ends with status 69, and one line lists what to
    install."""
    python = sys.executable
    status, output, errors = ended(start("run", "rigs/warehouse.yaml", ANEROID_BLE=f"{python} -S -m aneroid.ble", **BRIDGE))
    assert (status, output) == (69, "") and len(errors.splitlines()) == 1, errors
    assert "no module bumble" in errors and "pip install" in errors
    status, output, errors = ended(start("run", "rigs/warehouse.yaml", ANEROID_BLE="/no/such/bridge"))
    assert (status, output) == (69, "") and "(/no/such/bridge: No such file or directory)" in errors, errors
    assert len(errors.splitlines()) == 1 and "pip install" in errors, errors
    hidden = "for one in $(which -a mosquitto) /usr/sbin/mosquitto; do mount --bind /dev/null $one; done; exec \"$@\""
    status, output, errors = ended(start("run", "rigs/warehouse.yaml", prefix=("unshare", "-m", "sh", "-c", hidden, "sh")))
    assert (status, output) == (69, ""), errors
    assert errors == "aneroid: mosquitto, the broker of this run, is not installed; try: apt-get install mosquitto\n"


def test_an_error_of_the_link_is_reported(tmp_path):
    """A key that is not supported over a stack is reported with its location; so is an invalid link
    of a hub file."""
    text = (ROOT / "rigs/warehouse.yaml").read_text()
    (tmp_path / "rig.yaml").write_text(text.replace("link: {over: bumble}", "link: {over: bumble, range: 30m}"))
    status, output, errors = ended(start("run", tmp_path / "rig.yaml"))
    assert (status, output) == (78, "") and "range: is not supported over a Bluetooth stack" in errors, errors
    (tmp_path / "hub.yaml").write_text(hub_file("link: {transport: usb:0, period: 100ms, stay: 1ms}"))
    status, _, errors = ended(start("serve", tmp_path / "hub.yaml", "--check"))
    assert status == 78 and "'period' must be at least 300ms" in errors and "'stay' must be 1s to 24h" in errors, errors


def hub_file(link, period="1s"):
    """Returns a hub file with one tag and a radio."""
    return "\n".join([
        "hub: north", "zones: [{name: shelves}]",
        f"tags: [{{address: \"A4:DA:32:00:00:01\", name: shelf, zone: shelves, period: {period}}}]", "duty: {people: [Ana]}",
        "queue: {file: north.sqlite}", "page: {listen: \"127.0.0.1:0\"}", link, ""])


def test_a_missing_dongle_is_reported_and_retried(tmp_path):
    """A missing dongle is reported once and retried; the hub serves, reports the tag as lost, and
    exits on SIGTERM."""
    (tmp_path / "hub.yaml").write_text(hub_file("link: {transport: usb:0}"))
    with (tmp_path / "talk").open("w") as talk:
        hub = subprocess.Popen([HUB, "serve", str(tmp_path / "hub.yaml")], cwd=tmp_path, stderr=talk)
    try:
        latest, alarms = time.monotonic() + 60, []
        while time.monotonic() < latest and not (alarms and "the radio usb:0 is not available" in (tmp_path / "talk").read_text()):
            if port := re.search(r"127\.0\.0\.1:(\d+)/", (tmp_path / "talk").read_text()):
                with urllib.request.urlopen(f"http://127.0.0.1:{port[1]}/v1/hub", timeout=20) as answer:
                    alarms = json.load(answer)["alarms"]
            time.sleep(0.1)
        assert [alarm["cause"] for alarm in alarms] == ["no-data"]
        # The hub retries without repeating the message.
        time.sleep(3)
    finally:
        hub.send_signal(signal.SIGTERM)
        assert hub.wait(30) == 0
    talk = (tmp_path / "talk").read_text()
    assert talk.count("the radio usb:0 is not available") == 1 and "retrying" in talk, talk
