"""A wall clock that steps under a running hub (by a preloaded clock) changes no alarm, and the step is reported."""

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
    """The preloaded clock."""
    made = tmp_path_factory.mktemp("clock") / "stepped_clock.so"
    subprocess.run([shutil.which("clang") or "cc", "-shared", "-fPIC", "-O2", "-o", made,
                    Path(__file__).with_name("stepped_clock.c"), "-ldl"], check=True)
    return made


class Wall:
    """The wall clock of a hub: what is added to that of the machine."""

    def __init__(self, folder, library):
        self.file, self.offset = folder / "offset", 0
        self.set(0)
        self.before = ["env", f"LD_PRELOAD={library}", f"STEPPED_CLOCK={self.file}"]

    def set(self, seconds):
        """Adds so many seconds from now on."""
        self.offset = seconds
        draft = self.file.with_suffix(".new")
        draft.write_text(str(round(seconds * 1e9)))
        os.replace(draft, self.file)

    def is_shown(self, text):
        """Whether a moment of the hub is about now, by this clock."""
        moment = datetime.fromisoformat(text[:19]).replace(tzinfo=timezone.utc).timestamp()
        return abs(moment - time.time() - self.offset) < 30


@pytest.fixture
def wall(tmp_path, library):
    """A wall clock that tests set."""
    return Wall(tmp_path, library)


def steps(hub):
    """The steps that the log tells of, in seconds."""
    return [one["by_s"] for one in hub.log() if one["event"] == "clock-stepped"]


@pytest.mark.parametrize("step", STEPS, ids=NAMES)
def test_a_step_changes_no_alarm(hub_of, wall, step):
    """An open alarm closes, a new one opens, a dead tag is lost, the next person is notified; every output reports the step."""
    hub = hub_of(before=wall.before, tags=2, period="2s", duty="{people: [Ana, Rui], escalate: 3s}")
    hub.tell([8.1])
    until(lambda: hub.alarm(), what="the alarm")
    wall.set(step)
    until(lambda: steps(hub), 10, "the step")
    assert steps(hub)[0] == pytest.approx(step, abs=0.6)
    word = "back" if step < 0 else "forward"
    assert f"the wall clock was set {word} by" in hub.talk
    assert hub.state()["clock_step"]["by_s"] == pytest.approx(step, abs=0.6) and wall.is_shown(hub.state()["time"])
    assert f"the wall clock was set {word} by" in " ".join(hub.command("show").stdout.split())
    assert "warehouse_clock_steps_total 1" in hub.ask("/metrics")[2].decode()
    hub.tell([7.9])
    until(lambda: hub.alarm()["phase"] == "returned", 10, "the end of the alarm that was open")
    hub.tell([8.1], tag=1)
    fresh = until(lambda: next((one for one in hub.state()["alarms"] if one["name"] == "shelf-1"
                                and one["cause"] == "temperature-high"), None), 10, "an alarm after the step")
    assert wall.is_shown(fresh["began"])
    # No tag sends any more: both are lost, and the next person is notified.
    until(lambda: [tag["state"] for tag in hub.state()["tags"]] == ["lost", "lost"], 20, "the loss of both")
    until(lambda: any({"Ana", "Rui"} <= set(one["told"]) for one in hub.state()["alarms"]), 20, "the next on duty")


@pytest.mark.parametrize("step", [245 * 365 * 86400, -245 * 365 * 86400], ids=["+245y", "-245y"])
def test_a_clock_that_no_hub_believes_changes_nothing(hub_of, wall, step):
    """Where it shows more nanoseconds than 64 bits hold, or a time before 1970: an alarm comes, and also after a start."""
    hub = hub_of(before=wall.before, tags=2, period="60s")
    wall.set(step)
    hub.tell([8.1])
    until(lambda: hub.alarm(), what="the alarm")
    assert not steps(hub)
    hub.kill()
    hub.start()
    hub.tell([7.9])
    until(lambda: hub.alarm()["phase"] == "returned", 10, "the end of the alarm")


def test_two_steps_change_no_delay(hub_of, wall):
    """A delay counts from the first reading to the last, there and back again."""
    hub = hub_of(before=wall.before, tags=1, delay="6s", period="30s")
    begin = time.monotonic()
    hub.tell([8.1])
    until(lambda: hub.state()["tags"][0]["state"] == "pending", what="the breach")
    for number, step in enumerate((-3600, 0), 1):
        wall.set(step)
        until(lambda: len(steps(hub)) == number, 10, "a step")
        hub.tell([8.1])
    assert not hub.alarm() or time.monotonic() - begin > 6
    until(lambda: hub.tell([8.1]) or hub.alarm(), 20, "the alarm")
    assert time.monotonic() - begin >= 6


@pytest.mark.parametrize("step", STEPS, ids=NAMES)
def test_a_step_while_the_hub_is_away(hub_of, wall, step):
    """A hub that starts again after the clock was set knows it: what was acknowledged stays so, what was open ends."""
    hub = hub_of(before=wall.before, tags=1, period="60s")
    hub.tell([8.1])
    until(lambda: hub.alarm(), what="the alarm")
    assert hub.command("ack", "1", "--by", "Ana", "--minutes", "30").returncode == 0
    hub.kill()
    wall.set(step)
    hub.start()
    assert steps(hub) == [pytest.approx(step, abs=0.6)]
    assert hub.alarm()["phase"] == "acknowledged" and wall.is_shown(hub.alarm()["began"])
    assert hub.state()["tags"][0]["age_s"] < 60
    hub.tell([7.9])
    until(lambda: not hub.alarm(), what="its end")
    hub.kill()
    hub.start()
    assert len(steps(hub)) == 1 and not hub.alarm()


@pytest.mark.parametrize("step", [YEARS, -YEARS], ids=["+10y", "-10y"])
def test_a_step_gives_up_no_record(hub_of, broker, wall, step):
    """What waits is as old as it is: a clock that jumps years ahead drops nothing, and all of it arrives in order."""
    broker.kill()
    hub = hub_of(broker, before=wall.before, tags=1)
    hub.tell([5])
    until(lambda: hub.state()["delivery"][0]["waiting"], what="a record")
    wall.set(step)
    until(lambda: steps(hub), 10, "the step")
    hub.tell([5.1])
    until(lambda: hub.state()["tags"][0].get("temperature_c") == pytest.approx(5.1, abs=0.01), what="the second")
    broker.start()
    subscriber = Subscriber(broker)
    until(lambda: len(subscriber.records) == 3, 70, "all three")
    assert [number for _, number in sorted(subscriber.records)] == [1, 2, 3]
    assert hub.state()["delivery"][0]["dropped"] == 0
    subscriber.stop()


def test_a_gateway_with_a_wrong_clock(hub_of):
    """A gateway's own moment is recorded; alarms are judged by when its line came."""
    hub = hub_of(tags=1, period="60s")
    for celsius in (8.1, 8.2):
        raw = round((celsius + 40) / 165 * 65536).to_bytes(2, "little") + b"\xbc\x7a"
        line = f'{{"tag":"A4:DA:32:00:00:00","kind":"cc2650","characteristic":"AA21","raw":"{raw.hex()}","time_ns":1000000000}}\n'
        hub.process.stdin.write(line.encode())
    hub.process.stdin.flush()
    until(lambda: hub.alarm(), what="the alarm")
    until(lambda: len(hub.written) == 2, what="the records")
    assert hub.written[-1]["time"] == "1970-01-01T00:00:01.000000000Z"


def test_batches_and_their_waits_know_no_wall_clock(hub_of, wall):
    """A collector that refused is tried again in time, and the next period ends, though the clock went back ten years."""
    collector = Collector()
    collector.refusals = [503, 503]
    hub = hub_of(before=wall.before, tags=1, more=f"http: {{address: \"{collector.address}\", every: 1s}}\n")
    hub.tell([5])
    wall.set(-YEARS)
    until(lambda: collector.batches >= 1, 30, "a batch behind refusals")
    wall.set(YEARS)
    hub.tell([5.1])
    until(lambda: len(collector.records) >= 4, 30, "a batch behind both steps")
