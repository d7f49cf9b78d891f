"""What messages tell someone who reads them at night: what to do, how long it lasts, and what is to blame."""

import re
import shutil
import subprocess
import time
from datetime import datetime

from hub_program import PROGRAM, until
from test_channels import FAST, channels, webhook


def texts(push):
    """The texts of all messages."""
    return [one["text"] for one in push.accepted()]


def test_the_command_in_a_message_works_as_it_is(hub_of, push):
    hub = hub_of(more=FAST + channels(webhook(push.port)))
    hub.notify([9])
    text = until(lambda: texts(push), what="the message")[0]
    command = re.search(r"^Acknowledge: aneroid hub (ack 1 --by) NAME (--config .*)$", text, re.M)
    assert command and command[2].split()[1] == str(hub.file) and "Last value: 9 °C" in text
    result = hub.command(*command[1].split(), "Ana")
    assert result.returncode == 0 and "alarm 1 is acknowledged" in result.stdout


def test_the_end_of_an_alarm_says_how_long_it_lasted_and_that_it_stays_open(hub_of, push):
    hub = hub_of(more=FAST + channels(webhook(push.port)))
    hub.notify([9])
    until(lambda: texts(push), what="the alarm")
    time.sleep(1.2)
    hub.notify([5])
    text = until(lambda: [one for one in texts(push) if one.startswith("back to normal")], what="the end")[0]
    lasted = re.search(r"^It lasted ([\d.]+) s\.$", text, re.M)
    assert lasted and 1 <= float(lasted[1]) < 20
    assert "It stays open until someone acknowledges it: aneroid hub ack 1 --by NAME" in text


def test_a_recurring_alarm_names_the_present_breach(hub_of, push):
    hub = hub_of(more=FAST + channels(webhook(push.port)), duty="{people: [Ana], quiet: 1s, escalate: 1h}")
    for celsius in (9, 5, 9):
        hub.notify([celsius])
        time.sleep(1.5)
    text = until(lambda: [one for one in texts(push) if "Breach 2 since" in one], what="the recurrence")[0]
    since, first = re.search(r"^Number 1, since (.*)$", text, re.M)[1], re.search(r"^Breach 2 since (.*), not acknowledged yet$", text, re.M)[1]
    assert first < since
    alarm = hub.alarm()
    assert alarm["breaches"] == 2 and alarm["breach_began"] > alarm["began"]
    hub.notify([5])
    until(lambda: hub.alarm()["phase"] == "returned", what="the end")
    header, row = (line.split(",") for line in hub.command("log", "--format", "csv").stdout.splitlines()[:2])
    found = dict(zip(header, row))
    # Two breaches of 1.5 s or more, without the 1.5 s between them.
    alarm = hub.alarm()
    began, returned = (datetime.fromisoformat(alarm[name]) for name in ("began", "returned"))
    assert found["breaches"] == "2" and 2.5 < float(found["duration_s"]) < (returned - began).total_seconds() - 1.2


def test_a_fault_names_what_the_sensor_sends(hub_of, push):
    hub = hub_of(more=FAST + channels(webhook(push.port)))
    hub.notify([5])
    hub.process.stdin.write(b'{"tag":"A4:DA:32:00:00:00","kind":"cc2650","characteristic":"AA21","raw":"00000000"}\n')
    hub.process.stdin.flush()
    text = until(lambda: texts(push), what="the message")[0]
    assert "the sensor is faulty" in text and "Its last reading: all zeros, as from a sensor that is switched off" in text


def test_the_age_of_a_faulty_tag_is_that_of_its_values(hub_of):
    hub = hub_of(tags=1)
    hub.notify([5])
    until(lambda: len(hub.written) == 1, what="the reading")
    time.sleep(2.1)
    hub.process.stdin.write(b'{"tag":"A4:DA:32:00:00:00","kind":"cc2650","characteristic":"AA21","raw":"00000000"}\n')
    hub.process.stdin.flush()
    until(lambda: hub.alarm("sensor-fault"), what="the alarm")
    tag, = hub.state()["tags"]
    assert tag["temperature_c"] == 5.0 and tag["age_s"] >= 2


def test_a_single_outlier_calls_nobody_and_a_change_is_accepted(hub_of, push):
    hub = hub_of(tags=1, more=channels(webhook(push.port)))
    for temperatures in ([5, 60, 5], [7, 30, 30]):
        hub.notify(temperatures)
        time.sleep(1)
    assert hub.alarm("sensor-fault") is None
    assert hub.alarm("temperature-high")["peak"] == 30.0


def test_the_loss_of_all_tags_points_to_the_receiver(hub_of, push):
    hub = hub_of(tags=3, period="1s", more=channels(webhook(push.port, more="").replace("gather: 0s", "gather: 3s")))
    for tag in range(3):
        hub.notify([5], tag)
    text = until(lambda: [one for one in texts(push) if "no data for 3 periods" in one], what="the message")[0]
    assert text.startswith("No tag of this hub sends data any more: first check its receiver")
    assert text.count("No tag of this hub") == 1 and text.count("ALARM: shelf-") == 3


def test_a_failing_channel_wakes_nobody(hub_of, push):
    other = webhook(1, name="broken")
    hub = hub_of(more=FAST + channels(webhook(push.port, more=', quiet: {from: "00:00", to: "23:59"}'), other))
    hub.notify([9])
    until(lambda: next(one for one in hub.state()["channels"] if one["name"] == "broken").get("failure"), 40, "the failure")
    time.sleep(2)
    assert [one["title"] for one in push.accepted()] == ["ALARM: shelf-0 in cold room: temperature above 8 °C"]


def test_several_alarms_are_acknowledged_with_one_command(hub_of):
    hub = hub_of(more=FAST)
    for tag in range(3):
        hub.notify([9], tag)
    until(lambda: len(hub.state()["alarms"]) == 3, what="the alarms")
    result = hub.command("ack", "1", "2", "3", "--by", "Ana")
    assert result.returncode == 0 and result.stdout.count("is acknowledged") == 3
    assert all(one["phase"] == "acknowledged" for one in hub.state()["alarms"])


def test_after_a_restart_the_last_values_are_shown_and_unknown_tags_are_named(hub_of):
    hub = hub_of(tags=2)
    hub.notify([5.5], 1)
    hub.notify([1], 9)
    until(lambda: len(hub.written) == 1, what="the reading")
    assert hub.state()["stranger_addresses"] == ["A4:DA:32:00:00:09"]
    assert "received, but not in the hub file: A4:DA:32:00:00:09" in hub.command("show").stdout
    hub.kill()
    hub.start()
    tags = hub.state()["tags"]
    assert "temperature_c" not in tags[0] or tags[0]["temperature_c"] is None
    assert tags[1]["temperature_c"] == 5.5 and tags[1]["state"] == "waiting"


def test_a_damaged_queue_is_reported_with_a_remedy(hub_of):
    hub = hub_of(tags=1)
    hub.notify([5] * 500)
    until(lambda: len(hub.written) == 500, what="the readings")
    hub.stop()
    file = hub.folder / "north.sqlite"
    file.write_bytes(b"x" * 4096 + file.read_bytes()[4096:])
    run = subprocess.run([PROGRAM, "serve", str(hub.file), "--lines"], capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL)
    assert run.returncode == 74 and "move it away with its -wal and -shm" in run.stderr


def test_a_hub_without_a_source_says_so(tmp_path):
    (tmp_path / "hub.yaml").write_text(
        "hub: north\nzones: [{name: cold room, limits: [{of: temperature, high: 8C}]}]\n"
        "tags: [{address: \"A4:DA:32:00:00:01\", name: a, zone: cold room, period: 60s}]\nduty: {people: [Ana]}\npage: {listen: \"127.0.0.1:0\"}\n")
    process = subprocess.Popen([PROGRAM, "serve", str(tmp_path / "hub.yaml")], stderr=subprocess.PIPE, text=True)
    try:
        assert any("no source of readings: give --lines, or 'link'" in process.stderr.readline() for _ in range(3))
    finally:
        process.terminate()
        process.wait(20)


def test_a_restored_copy_numbers_its_records_under_a_new_epoch(hub_of):
    hub = hub_of(tags=1)
    hub.notify([5])
    until(lambda: len(hub.written) == 1, what="the reading")
    hub.stop()
    queue = hub.folder / "north.sqlite"
    shutil.copy(queue, hub.folder / "copy.sqlite")
    hub.start().notify([6])
    until(lambda: len(hub.written) == 2, what="the second reading")
    hub.stop()
    shutil.copy(hub.folder / "copy.sqlite", queue)
    hub.start("--restored").notify([7])
    until(lambda: len(hub.written) == 3, what="the third reading")
    first, second, third = ((one["epoch"], one["sequence"]) for one in hub.written)
    assert first[0] == second[0] and second[1] == third[1] and second[0] != third[0]


def test_people_whom_no_channel_reaches_are_named(hub_of, push):
    hub = hub_of(duty="{people: [Ana, Rui, Eva]}", more=channels(webhook(push.port, more=", people: [Ana]")))
    assert "no channel of 'notify' reaches Rui, Eva: alarms that escalate to them go nowhere" in hub.talk
    assert hub.state()["unreached"] == ["Rui", "Eva"]
    assert "no channel reaches Rui, Eva: they are not notified" in hub.command("show").stdout
    checks = []
    for text in (hub.file.read_text(), hub.file.read_text().replace(", people: [Ana]", ""), hub.file.read_text().split("notify:")[0]):
        (hub.folder / "other.yaml").write_text(text)
        run = subprocess.run([PROGRAM, "serve", str(hub.folder / "other.yaml"), "--check"], capture_output=True, text=True, timeout=20)
        assert run.returncode == 0, run.stderr
        checks.append(run.stderr)
    assert "reaches Rui, Eva" in checks[0] and checks[1] == "" and "no channel notifies people of alarms" in checks[2]


def test_the_loss_of_the_receiver_is_shown_at_once_and_reported_after_30_s(hub_of, push):
    hub = hub_of(more=channels(webhook(push.port)))
    hub.notify([5])
    until(lambda: len(hub.written) == 1, what="the reading")
    assert "receiver" not in hub.state()
    hub.process.stdin.close()
    until(lambda: hub.state().get("receiver") == "standard input has ended", 5, "the state")
    assert "no readings are received: standard input has ended" in hub.command("show").stdout
    start = time.monotonic()
    text = until(lambda: [one for one in texts(push) if one.startswith("ALARM: no readings are received")], 45, "the message")[0]
    assert "Reason: standard input has ended" in text and time.monotonic() - start > 25
