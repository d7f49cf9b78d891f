"""A step of the wall clock under a running hub (with a preloaded clock) changes no alarm and is
reported."""

import os
import shutil
import subprocess
import time
from datetime import datetime, timezone
from pathlib import Path

import pytest

from hub_program import Collector, Hub, Subscriber, until

YEARS = 10 * 365 * 86400
STEPS = [1, -1, 3600, -3600, YEARS, -YEARS]
NAMES = ["+1s", "-1s", "+1h", "-1h", "+10y", "-10y"]


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """The preloaded clock library."""
    made = tmp_path_factory.mktemp("clock") / "stepped_clock.so"
    subprocess.run([shutil.which("clang") or "cc", "-shared", "-fPIC", "-O2", "-o", made,
                    Path(__file__).with_name("stepped_clock.c"), "-ldl"], check=True)
    return made


class Wall:
    """The wall clock of a hub: the machine's clock plus an offset."""

    def __init__(self, folder, library):
        self.file, self.offset = folder / "offset", 0
        self.set(0)
        self.before = ["env", f"LD_PRELOAD={library}", f"STEPPED_CLOCK={self.file}"]

    def set(self, seconds):
        """Sets the offset in seconds."""
        self.offset = seconds
        draft = self.file.with_suffix(".new")
        draft.write_text(str(round(seconds * 1e9)))
        os.replace(draft, self.file)

    def is_shown(self, text):
        """True if a hub timestamp is close to the current time of this clock."""
        moment = datetime.fromisoformat(text[:19]).replace(tzinfo=timezone.utc).timestamp()
        return abs(moment - time.time() - self.offset) < 30


@pytest.fixture
def wall(tmp_path, library):
    """A wall clock that tests set."""
    return Wall(tmp_path, library)


def steps(hub):
    """Returns the steps in the log, in seconds."""
    return [one["by_s"] for one in hub.log() if one["event"] == "clock-stepped"]


@pytest.mark.parametrize("step", STEPS, ids=NAMES)
def test_a_step_changes_no_alarm(hub_of, wall, step):
    """An open alarm closes, a new one opens, a silent tag is lost, the next person is notified;
    every output reports the step."""
    hub = hub_of(before=wall.before, tags=2, period="2s", duty="{people: [Ana, Rui], escalate: 3s}")
    hub.notify([8.1])
    until(lambda: hub.alarm(), what="the alarm")
    wall.set(step)
    until(lambda: steps(hub), 10, "the step")
    assert steps(hub)[0] == pytest.approx(step, abs=0.6)
    word = "back" if step < 0 else "forward"
    assert f"the wall clock was set {word} by" in hub.talk
    assert hub.state()["clock_step"]["by_s"] == pytest.approx(step, abs=0.6) and wall.is_shown(hub.state()["time"])
    assert f"the wall clock was set {word} by" in " ".join(hub.command("show").stdout.split())
    assert "warehouse_clock_steps_total 1" in hub.request("/metrics")[2].decode()
    hub.notify([7.9])
    until(lambda: hub.alarm()["phase"] == "returned", 10, "the end of the open alarm")
    hub.notify([8.1], tag=1)
    fresh = until(lambda: next((one for one in hub.state()["alarms"] if one["name"] == "shelf-1"
                                and one["cause"] == "temperature-high"), None), 10, "an alarm after the step")
    assert wall.is_shown(fresh["began"])
    # The tags stop sending: both are lost, and the next person is notified.
    until(lambda: [tag["state"] for tag in hub.state()["tags"]] == ["lost", "lost"], 20, "the loss of both tags")
    until(lambda: any({"Ana", "Rui"} <= set(one["told"]) for one in hub.state()["alarms"]), 20, "the notification of the next person on duty")


@pytest.mark.parametrize("step", [245 * 365 * 86400, -245 * 365 * 86400], ids=["+245y", "-245y"])
def test_an_implausible_clock_changes_no_alarm(hub_of, wall, step):
    """With a clock beyond 64 bits of nanoseconds or before 1970, alarms are still raised, also
    after a restart."""
    hub = hub_of(before=wall.before, tags=2, period="60s")
    wall.set(step)
    hub.notify([8.1])
    until(lambda: hub.alarm(), what="the alarm")
    assert not steps(hub)
    hub.kill()
    hub.start()
    hub.notify([7.9])
    until(lambda: hub.alarm()["phase"] == "returned", 10, "the end of the alarm")


def test_two_steps_do_not_change_an_alarm_delay(hub_of, wall):
    """A delay counts from the first reading to the last, across a step forward and back."""
    hub = hub_of(before=wall.before, tags=1, delay="6s", period="30s")
    begin = time.monotonic()
    hub.notify([8.1])
    until(lambda: hub.state()["tags"][0]["state"] == "pending", what="the breach")
    for number, step in enumerate((-3600, 0), 1):
        wall.set(step)
        until(lambda: len(steps(hub)) == number, 10, "a step")
        hub.notify([8.1])
    assert not hub.alarm() or time.monotonic() - begin > 6
    until(lambda: hub.notify([8.1]) or hub.alarm(), 20, "the alarm")
    assert time.monotonic() - begin >= 6


@pytest.mark.parametrize("step", STEPS, ids=NAMES)
def test_a_step_while_the_hub_is_stopped_is_detected(hub_of, wall, step):
    """A hub that starts after the clock was set detects the step: acknowledged alarms stay
    acknowledged, open alarms end."""
    hub = hub_of(before=wall.before, tags=1, period="60s")
    hub.notify([8.1])
    until(lambda: hub.alarm(), what="the alarm")
    assert hub.command("ack", "1", "--by", "Ana", "--minutes", "30").returncode == 0
    hub.kill()
    wall.set(step)
    hub.start()
    assert steps(hub) == [pytest.approx(step, abs=0.6)]
    assert hub.alarm()["phase"] == "acknowledged" and wall.is_shown(hub.alarm()["began"])
    assert hub.state()["tags"][0]["age_s"] < 60
    hub.notify([7.9])
    until(lambda: not hub.alarm(), what="its end")
    hub.kill()
    hub.start()
    assert len(steps(hub)) == 1 and not hub.alarm()


@pytest.mark.parametrize("step", [YEARS, -YEARS], ids=["+10y", "-10y"])
def test_a_step_drops_no_queued_record(hub_of, broker, wall, step):
    """Queued records keep their age: a clock that jumps years ahead drops no record, and all arrive
    in order."""
    broker.kill()
    hub = hub_of(broker, before=wall.before, tags=1)
    hub.notify([5])
    until(lambda: hub.state()["delivery"][0]["waiting"], what="a record")
    wall.set(step)
    until(lambda: steps(hub), 10, "the step")
    hub.notify([5.1])
    until(lambda: hub.state()["tags"][0].get("temperature_c") == pytest.approx(5.1, abs=0.01), what="the second")
    broker.start()
    subscriber = Subscriber(broker)
    until(lambda: len(subscriber.records) == 3, 70, "all three")
    assert [number for _, number in sorted(subscriber.records)] == [1, 2, 3]
    assert hub.state()["delivery"][0]["dropped"] == 0
    subscriber.stop()


def test_alarms_use_the_arrival_time_and_not_the_gateway_time(hub_of):
    """The gateway's own time is recorded; alarms are judged by the arrival time of the
    notification."""
    hub = hub_of(tags=1, period="60s")
    for celsius in (8.1, 8.2):
        raw = round((celsius + 40) / 165 * 65536).to_bytes(2, "little") + b"\xbc\x7a"
        line = f'{{"tag":"A4:DA:32:00:00:00","kind":"cc2650","characteristic":"AA21","raw":"{raw.hex()}","time_ns":1000000000}}\n'
        hub.process.stdin.write(line.encode())
    hub.process.stdin.flush()
    until(lambda: hub.alarm(), what="the alarm")
    until(lambda: len(hub.written) == 2, what="the records")
    assert hub.written[-1]["time"] == "1970-01-01T00:00:01.000000000Z"


def test_batch_intervals_and_retries_do_not_use_the_wall_clock(hub_of, wall):
    """A rejected batch is retried on time, and the next period ends, although the clock was set
    back ten years."""
    collector = Collector()
    collector.rejections = [503, 503]
    hub = hub_of(before=wall.before, tags=1, more=f"http: {{address: \"{collector.address}\", every: 1s}}\n")
    hub.notify([5])
    wall.set(-YEARS)
    until(lambda: collector.batches >= 1, 30, "a batch after the rejections")
    wall.set(YEARS)
    hub.notify([5.1])
    until(lambda: len(collector.records) >= 4, 30, "a batch after both steps")
