"""Compares the screens of `aneroid watch` in a terminal with the events of `aneroid run` for the same rig, minute by minute.

usage: screens.py ANEROID [SESSION...]

The terminal is tmux. Sessions: a weather station at 1,609 m, the thesis's station, a quiet cabin, a leaking cabin, and a drill
that is searched with the keys of its screen. A session also fails if fewer than half of its minutes were compared.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ANEROID = os.path.abspath(sys.argv[1])
ROOT = Path(__file__).resolve().parents[2]
SERVER = f"aneroid-screens-{os.getpid()}"
PASCALS = {"hPa": 100, "mmHg": 101_325 / 760}


def tmux(*words):
    """Runs a command of the terminal's own server."""
    return subprocess.run(["tmux", "-u", "-L", SERVER, "-f", "/dev/null", *words], capture_output=True, encoding="utf-8", check=True).stdout


class Screen:
    """A program in a terminal of 120 columns and 40 lines."""

    def __init__(self, folder, *words):
        environment = f"env HOME={folder} XDG_RUNTIME_DIR={folder} LC_ALL=C.UTF-8"
        program = " ".join(f"'{word}'" for word in words)
        tmux("new-session", "-d", "-s", "screen", "-x", "120", "-y", "40", f"cd {ROOT}; {environment} {program}; echo status $?; cat")

    def text(self):
        """Returns the text on the screen."""
        return tmux("capture-pane", "-p", "-t", "screen")

    def press(self, key):
        """Presses a key."""
        tmux("send-keys", "-t", "screen", key)

    def close(self):
        """Ends the terminal and its program."""
        tmux("kill-server")


def events(rig):
    """Returns the events of a run of a rig."""
    lines = subprocess.run([ANEROID, "run", rig, "--format", "jsonl"], cwd=ROOT, capture_output=True, text=True).stdout
    return [json.loads(line) for line in lines.splitlines()]


def clock(text, first):
    """Returns the time of a rig on its screen, in s from its start; `first` is the first time of day shown."""
    found = re.search(r"^0x76 .*?(\d+):(\d\d):(\d\d)(?: UTC)?  as (?:weather|cabin)", text)
    if not found:
        return None
    hours, minutes, seconds = map(int, found.groups())
    return (hours * 3600 + minutes * 60 + seconds - first) % 86_400


def pressure(text):
    """Returns the pressure on a screen in Pa, the width of its last digit, and its age in s."""
    found = re.search(r"^(\d+\.(\d+)) (hPa|mmHg)   (\d+) s old", text, re.M)
    return found and (float(found[1]) * PASCALS[found[3]], PASCALS[found[3]] / 10 ** len(found[2]), int(found[4]))


def paragraphs(text):
    """Returns the texts left of the graph; indented lines continue a text."""
    column = "\n".join(re.split(r"(?: (?:\d+\.\d+|mmHg|hPa) )?[│┤┼]", line)[0].rstrip() for line in text.splitlines())
    return re.sub(r"\n  +", " ", column).splitlines()


class Comparison:
    """The comparison of one session."""

    def __init__(self, name, minutes):
        self.name, self.minutes = name, minutes
        self.compared, self.screens, self.checks = set(), 0, 0

    def expect(self, condition, what, text):
        """Fails with the screen unless the condition is true."""
        self.checks += 1
        if not condition:
            raise SystemExit(f"{self.name}: {what}\n{text}")

    def finish(self):
        """Fails if too few minutes were compared."""
        if len(self.compared) < self.minutes / 2:
            raise SystemExit(f"{self.name}: only {len(self.compared)} of {self.minutes} minutes were compared")
        print(f"{self.name}: {self.screens} screens, {len(self.compared)} of {self.minutes} minutes, {self.checks} values agree",
              flush=True)


def follow(name, rig, speed, seconds, check, *options, step=60, limit=120):
    """Watches a rig and calls `check` with each screen and its time, until the time of the rig exceeds `seconds`."""
    comparison = Comparison(name, int(seconds / step))
    with tempfile.TemporaryDirectory() as folder:
        screen = Screen(folder, ANEROID, "watch", rig, "--speed", str(speed), *options)
        try:
            end, now, last, first = time.monotonic() + limit, 0, "", None
            while now < seconds:
                if time.monotonic() > end:
                    raise SystemExit(f"{name}: {now} of {seconds} s after {limit} s\n{last}")
                time.sleep(0.1)
                last = screen.text()
                if first is None:
                    # The screen of a rig with a date starts at a time of day; the first screens are less than a step later.
                    begin = clock(last, 0)
                    first = begin and begin // 3600 * 3600
                    if first is None:
                        continue
                now = clock(last, first)
                if now is None or not pressure(last):
                    now = now or 0
                    continue
                comparison.screens += 1
                check(comparison, last, now)
                comparison.compared.add(int(now / step))
        finally:
            screen.close()
    comparison.finish()


def measured(run):
    """Returns a check that the pressure on the screen is between those that the run measured about then; at such a speed, the
    watch may read some milliseconds of the machine later."""
    readings = [(event["t"], event["pressure_pa"]) for event in run if event["event"] == "reading"]

    def check(comparison, text, now):
        value, digit, age = pressure(text)
        # A screen may be read while it is drawn: its header is then older than its number.
        near = [pascals for moment, pascals in readings if now - age - 2 <= moment <= now + 2]
        comparison.expect(min(near) - digit <= value <= max(near) + digit,
                          f"{value:.2f} Pa, {age} s old at {now} s; the run measured {near}", text)
    return check


def quiet_cabin():
    """A cabin without a leak: the pressure of each minute, and never LEAK or RESERVE."""
    check_pressure = measured(events("iss-quiet"))

    def check(comparison, text, now):
        check_pressure(comparison, text, now)
        comparison.expect(not re.search(r"^(LEAK|RESERVE|SAFE HAVEN)", text, re.M), "a leak is shown", text)
    follow("quiet cabin", "iss-quiet", 120, 40 * 60, check)


def leaking_cabin():
    """A cabin with a leak, without a search: pressure, status, and the slope since the fall began."""
    rig = (ROOT / "rigs/iss-leak.yaml").read_text()
    rig = re.sub(r", search: 45s", "", re.sub(r"\n  - \{that: leak, found: laboratory\}", "", rig))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "leak.yaml"
        file.write_text(rig)
        run = events(str(file))
        check_pressure = measured(run)
        states = [(event["t"], event["status"]) for event in run if event["event"] == "cabin"]
        declared = next(moment for moment, status in states if status == "leak")

        def check(comparison, text, now):
            check_pressure(comparison, text, now)
            isLeak = bool(re.search(r"^LEAK", text, re.M))
            if now < declared - 2 or now > declared + 5:
                comparison.expect(isLeak == (now > declared), f"LEAK is {isLeak} at {now} s; declared at {declared:.1f} s", text)
            if now > declared + 120:
                rate = float(re.search(r"^T1mm .*?, (-?\d+\.\d+) ±", text, re.M)[1])
                comparison.expect(abs(rate + 1.0) < 0.03, f"{rate} mmHg/min, and the leak is 1 mmHg a minute", text)
                reserve = float(re.search(r"^RESERVE at least (\d+\.\d)", text, re.M)[1])
                # At the present rate the pressure lasts this long, and longer in fact, as the rate falls with the pressure.
                linear = (pressure(text)[0] / PASCALS["mmHg"] - 490) / -rate
                comparison.expect(0.85 * linear < reserve < 1.02 * linear, f"reserve {reserve} min, {linear:.1f} at a constant rate", text)
        follow("leaking cabin", str(file), 60, 20 * 60, check)


# The words by which the screen names a forecaster.
LABELS = {"thesis": "(thesis)", "zambretti": "(Zambretti's"}
# The largest difference between rates of the same cycle in hPa/h.
TOLERANCE = 0.06


def forecasts(run):
    """Returns a check that each forecast on the screen is the last one of the run."""
    made = [event for event in run if event["event"] == "forecast"]

    def check(comparison, text, now):
        for method in {event["method"] for event in made}:
            past = [event for event in made if event["method"] == method and event["t"] < now]
            line = next((found for found in paragraphs(text) if LABELS[method] in found), None)
            # Around a cycle, the screen may show the forecast before it or after it.
            if not past or any(abs(event["t"] - now) < 180 for event in made):
                continue
            comparison.expect(line is not None, f"no forecast of {method} at {now} s", text)
            expected = past[-1]
            rate = re.search(r"(-?\d+\.\d+) hPa/h", line)
            if method == "thesis":
                comparison.expect(rate and abs(float(rate[1]) - expected["rate_hpa_per_h"]) < TOLERANCE,
                                  f"the run has {expected['rate_hpa_per_h']:.3f} hPa/h", text)
                # At a limit between two forecasts, samples some seconds later may give the other one.
                if min(abs(abs(expected["rate_hpa_per_h"]) - limit) for limit in (0.5, 2.5)) < TOLERANCE:
                    continue
            words = expected.get("text", expected["forecast"])
            comparison.expect(words in line, f"'{words}' is the forecast of the run at {expected['t']:.0f} s", text)
    return check


def thesis():
    """The thesis's station: each of its forecasts, over all five words."""
    check = forecasts(events("thesis-automat"))
    follow("thesis-automat", "thesis-automat", 1800, 19.5 * 3600, check, step=1800, limit=180)


HIGH = """
name: high station
seed: 3
duration: 12h
buses: [{number: 1, devices: [{model: bme280, noise: datasheet}]}]
environment: {constant: {pressure: 840hPa, temperature: 15C}}
pipeline: {samples: 5, sample_every: 10s, cycle: 30min, keep: 3h, forecast: [thesis, zambretti], altitude: {from: 1609m}}
"""


def high_station():
    """A station at 1,609 m with two forecasters: both forecasts as in the run, and the pressure at sea level by the standard
    atmosphere and the measured temperature."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "high.yaml"
        file.write_text(HIGH)
        check_forecasts = forecasts(events(str(file)))

        def check(comparison, text, now):
            check_forecasts(comparison, text, now)
            found = re.search(r"^(\d+\.\d+) hPa at sea level, from 1609 m", text, re.M)
            comparison.expect(found and 1010 < float(found[1]) < 1025, "840 hPa at 1,609 m are about 1016 hPa at sea level", text)
        follow("station at 1,609 m", str(file), 1800, 11 * 3600, check, step=1800, limit=180)


def drill():
    """A drill: the search that the screen advises, confirmed with 'y', shuts the leak off."""
    with tempfile.TemporaryDirectory() as folder:
        screen = Screen(folder, ANEROID, "drill", "iss-leak", "--seed", "7", "--speed", "30")
        try:
            end, text, pressed = time.monotonic() + 120, "", 0
            while "status" not in text:
                if time.monotonic() > end:
                    raise SystemExit(f"drill: no end after 120 s, {pressed} keys\n{text}")
                time.sleep(0.25)
                text = screen.text()
                advice = next((line for line in paragraphs(text) if line.startswith("SEARCH:")), "")
                if re.search(r"^LEAK", text, re.M) and not advice:
                    screen.press("g")
                    pressed += 1
                elif "press y" in advice and not advice.startswith("SEARCH: wait"):
                    screen.press("y")
                    pressed += 1
            if "status 0" not in text:
                raise SystemExit(f"drill: the leak was not shut off\n{text}")
            score = [line.strip() for line in text.splitlines() if "min" in line][-1]
            print(f"drill: {pressed} keys; {score}", flush=True)
        finally:
            screen.close()


SESSIONS = {"station": high_station, "thesis": thesis, "quiet": quiet_cabin, "leak": leaking_cabin, "drill": drill}
for chosen in sys.argv[2:] or SESSIONS:
    SESSIONS[chosen]()
