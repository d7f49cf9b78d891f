"""Weather warnings over channels: what is sent, when, once, and what a failing channel does."""
import json
import queue
import re
import sqlite3
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import netCDF4
import numpy as np
import pytest

from conftest import PROGRAM, wait


class Receiver:
    """A webhook that keeps the messages it accepts; it refuses all while `status` is not 200."""

    def __init__(self):
        receiver = self
        self.messages, self.status, self.refused = queue.Queue(), 200, 0

        class Answer(BaseHTTPRequestHandler):
            """One request."""

            def do_POST(self):
                """Accepts or refuses a message."""
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(receiver.status)
                self.end_headers()
                if receiver.status == 200:
                    receiver.messages.put(body)
                else:
                    receiver.refused += 1

            def log_message(self, *_):
                """Suppresses the log."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}/hook"

    def next(self, seconds=15):
        """Returns the next message."""
        return self.messages.get(timeout=seconds)

    def stays_silent(self, seconds=4):
        """True if no message arrives for some seconds."""
        try:
            self.messages.get(timeout=seconds)
        except queue.Empty:
            return True
        return False


@pytest.fixture
def receiver():
    """A webhook."""
    made = Receiver()
    yield made
    made.server.shutdown()


def forecast(path, coldest=None, hours=54):
    """Writes a forecast of 20 °C, with a night of this temperature ten hours from now."""
    begin = int(time.time()) // 3600 * 3600 - 3 * 3600
    celsius = np.full(hours, 20.0)
    if coldest is not None:
        celsius[13:16] = [coldest + 1, coldest, coldest + 1]
    new = path.with_suffix(".new")
    with netCDF4.Dataset(new, "w") as data:
        for name, size in (("time", hours), ("latitude", 2), ("longitude", 2)):
            data.createDimension(name, size)
        for name, values, unit in (("latitude", [36, 42], "degrees_north"), ("longitude", [-12, -6], "degrees_east"),
                                   ("time", begin + 3600 * np.arange(hours), "seconds since 1970-01-01 00:00:00")):
            axis = data.createVariable(name, "f8", (name,))
            axis.setncatts({"units": unit, "standard_name": name})
            axis[:] = values
        for name, standard, unit, values in (("t", "air_temperature", "degC", celsius), ("w", "wind_speed", "m s-1", np.full(hours, 3.0))):
            field = data.createVariable(name, "f8", ("time", "latitude", "longitude"))
            field.setncatts({"standard_name": standard, "units": unit})
            field[:] = values[:, None, None]
    new.rename(path)


@pytest.fixture
def rig(tmp_path, receiver, serve):
    """Starts a station whose channel is the webhook; its forecast and its store are in `tmp_path`."""
    forecast(tmp_path / "run.nc")
    (tmp_path / "channels.yaml").write_text(f"notify:\n  - {{by: webhook, name: chat, address: \"{receiver.address}\"}}\n")

    def start(*more):
        return serve("--data", tmp_path / "run.nc", "--store", tmp_path / "store.sqlite", "--notify", tmp_path / "channels.yaml",
                     "--elevation", "0", "--radius", "0", *more)
    return start


def test_a_warning_is_sent_once_then_worse_then_its_end(rig, receiver, tmp_path):
    """A new warning, one that is worse by 2 °C and its end each make one message; smaller changes make none; a restart
    repeats nothing."""
    station = rig()
    assert receiver.stays_silent()
    forecast(tmp_path / "run.nc", coldest=-3)
    message = receiver.next()
    assert message["title"].startswith("Warning: Frost at Lisboa: down to -") and message["level"] == "warning" and message["station"] == "Lisboa"
    assert "hub" not in message and re.search(r"From \w{3} \d{1,2} \w{3} \d\d:00 to .*\(Europe/Lisbon\): ", message["text"]) and "Station: Lisboa" in message["text"]
    event = message["events"][0]
    assert (event["kind"], event["change"], event["warnings"][0]["unit"]) == ("frost", "begins", "°C")
    announced = event["warnings"][0]["value"]
    forecast(tmp_path / "run.nc", coldest=-4)
    assert receiver.stays_silent()
    station.stop()
    station = rig()
    assert receiver.stays_silent(), "the warning was repeated after a restart"
    forecast(tmp_path / "run.nc", coldest=-7)
    message = receiver.next()
    assert message["title"].startswith("Warning: Frost, worse than announced, at Lisboa") and message["events"][0]["change"] == "worse"
    assert message["events"][0]["warnings"][0]["value"] <= announced - 2
    forecast(tmp_path / "run.nc")
    message = receiver.next()
    assert message["title"] == "Frost is no longer forecast for Lisboa" and message["level"] == "information"
    assert receiver.stays_silent()
    with sqlite3.connect(tmp_path / "store.sqlite") as store:
        assert store.execute("SELECT * FROM announced").fetchall() == []


def test_a_failing_channel_loses_no_warning_and_is_reported_by_the_others(rig, receiver, tmp_path):
    """While a server refuses, its messages are tried again and the other channel says so; then the present state is sent."""
    other = Receiver()
    with (tmp_path / "channels.yaml").open("a") as file:
        file.write(f"  - {{by: webhook, name: other, address: \"{other.address}\"}}\n")
    receiver.status = 503
    forecast(tmp_path / "run.nc", coldest=-3)
    station = rig()
    assert "Frost at Lisboa" in other.next()["title"]
    message = other.next(seconds=40)
    assert "the channel 'chat' fails" in message["title"] and "503" in message["text"] and message["level"] == "alarm"
    receiver.status = 200
    assert "Frost at Lisboa" in receiver.next(seconds=40)["title"]
    assert "the channel 'chat' works again" in other.next()["title"]
    station.stop()
    assert station.talk.count("the channel 'chat' fails") == 1, station.talk
    other.server.shutdown()


def test_another_limit_ends_no_warning(rig, receiver, tmp_path):
    """A warning that only another limit no longer covers, or that is switched off, is forgotten without a message; several
    kinds are in one title."""
    forecast(tmp_path / "run.nc", coldest=-3)
    station = rig("--warn", "heat=15C")
    title = receiver.next()["title"]
    assert title.startswith("Warning: Frost at Lisboa: down to") and "; Heat at Lisboa: up to" in title, title
    station.stop()
    rig("--warn", "frost=-20C", "--warn", "heat=off")
    assert receiver.stays_silent()


def test_the_first_warning_is_that_of_the_corrected_forecast(rig, receiver, tmp_path):
    """A start without stored readings waits for the correction: the message has the value of the service."""
    forecast(tmp_path / "run.nc", coldest=-3)
    station = rig("--bus", "simulated")
    sent = receiver.next()["events"][0]["warnings"][0]["value"]
    _, answer = station.json("/v1/forecast?latitude=38.7223&longitude=-9.1393&hourly=temperature_2m")
    assert answer["aneroid"]["corrected"] and answer["aneroid"]["warnings"][0]["value"] == pytest.approx(sent, abs=0.11)


def test_nothing_is_sent_in_the_quiet_period(rig, receiver, tmp_path):
    """A channel with a quiet period around the present sends nothing."""
    begin, end = (time.strftime("%H:%M", time.localtime(time.time() + seconds)) for seconds in (-3600, 3600))
    path = tmp_path / "channels.yaml"
    path.write_text(path.read_text().replace("}\n", f", quiet: {{from: \"{begin}\", to: \"{end}\"}}}}\n"))
    forecast(tmp_path / "run.nc", coldest=-3)
    rig()
    assert receiver.stays_silent(6)


def test_a_missing_forecast_ends_no_warning(rig, receiver, tmp_path):
    """If the forecast ends before the present, the announced warning stays announced."""
    forecast(tmp_path / "run.nc", coldest=-3)
    station = rig()
    receiver.next()
    forecast(tmp_path / "run.nc", hours=2)
    wait(lambda: station.json("/v1/forecast?latitude=38.7&longitude=-9.1&hourly=temperature_2m")[0] != 200)
    assert receiver.stays_silent()


def test_the_channels_are_listed_and_tested(receiver, tmp_path):
    """`notify` lists them; --test sends a message over each; a channel that fails is named; exit status 69."""
    file = tmp_path / "channels.yaml"
    file.write_text(f"notify:\n  - {{by: webhook, name: chat, address: \"{receiver.address}\"}}\n")

    def notify(*words):
        result = subprocess.run([PROGRAM, "notify", str(file), *words], capture_output=True, text=True, timeout=60)
        return result.returncode, result.stdout + result.stderr
    assert notify() == (0, f"chat (webhook)  {receiver.address}\n")
    assert notify("--test", "--name", "Home") == (0, "chat (webhook): sent\n")
    message = receiver.next()
    assert message["title"] == "test of the channel 'chat'" and "messages of the station reach you" in message["text"] and message["station"] == "Home"
    receiver.status = 404
    status, words = notify("--test")
    assert status == 69 and "chat (webhook): failed: HTTP status 404" in words and "1 of 1 channels failed" in words


@pytest.mark.parametrize("text, status, reason", [
    ("notify: [{by: webhook, name: a, address: \"http://x/\", zones: [b]}]\n", 78, "unknown key 'zones'"),
    ("notify: [{by: pigeon, name: a}]\n", 78, "'pigeon'"), ("hub: north\n", 78, "unknown key 'hub'"), ("notify: []\n", 78, "notify is empty"),
    ("notify: [{by: webhook, name: a, address: \"http://x/\", secret_file: none}]\n", 66, "'secret_file' cannot be read"),
])
def test_a_file_that_cannot_be_used_is_reported(tmp_path, text, status, reason):
    """The station does not start, and the message has the line."""
    (tmp_path / "channels.yaml").write_text(text)
    for words in (["notify", "channels.yaml"], ["--listen", "127.0.0.1:0", "--notify", "channels.yaml"]):
        result = subprocess.run([PROGRAM, *words], cwd=tmp_path, capture_output=True, text=True, timeout=20)
        assert result.returncode == status and reason in result.stderr, result
