"""Helpers of the hub's tests: the program, a real mosquitto, a subscriber that drops duplicates,
and an HTTP collector."""

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import paho.mqtt.client as mqtt

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("ANEROID_HUB", str(ROOT / "Sources/Services/.build/release/aneroid-hub"))
SEED = int(os.environ.get("HUB_SEED", random.randrange(2**32)))


def free_port():
    """Returns a free port on loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def until(condition, seconds=30, what="the condition"):
    """Waits until a condition holds and returns its value; fails after a timeout in seconds."""
    latest = time.monotonic() + seconds
    while time.monotonic() < latest:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError(f"timed out after {seconds} s waiting for {what}")


class Broker:
    """A mosquitto that can be killed and restarted; it stores nothing on disk (mosquitto's
    default)."""

    def __init__(self, folder, lines=(), is_open=True, listener=None):
        self.folder, self.port = folder, free_port()
        self.file = folder / "mosquitto.conf"
        listener = listener or f"listener {self.port} 127.0.0.1"
        self.file.write_text("\n".join([
            listener.replace("PORT", str(self.port)), f"allow_anonymous {'true' if is_open else 'false'}",
            "max_queued_messages 0", "set_tcp_nodelay true", *lines, ""]))
        self.process = None
        self.start()

    def start(self):
        """Starts mosquitto and waits until it listens."""
        self.process = subprocess.Popen([shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c", str(self.file)],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(self.listens, 10, "mosquitto")

    def listens(self):
        """True if the broker accepts connections."""
        assert self.process.poll() is None, f"mosquitto ended with {self.process.returncode}"
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def kill(self):
        """Kills mosquitto with SIGKILL."""
        self.process.kill()
        self.process.wait()


class Subscriber:
    """An independent receiver: stores records, drops duplicates by hub and sequence number, and
    acknowledges them if `confirms`."""

    def __init__(self, broker, hub="north", confirms=False, **options):
        self.records, self.repeats, self.others, self.through = {}, 0, [], 0
        self.hub, self.confirms = hub, confirms
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=f"test-{random.randrange(2**40)}",
                                  clean_session=False)
        self.client.reconnect_delay_set(0.1, 0.5)
        self.client.on_connect = lambda client, *_: client.subscribe([("aneroid/#", 1), ("homeassistant/#", 1)])
        self.client.on_message = self.take
        for name, value in options.items():
            getattr(self.client, name)(*value)
        self.client.connect("127.0.0.1", broker.port, keepalive=5)
        self.client.loop_start()
        until(self.client.is_connected, 10, "the subscriber's connection")

    def take(self, client, _, message):
        """Stores a received message."""
        parts = message.topic.split("/")
        if len(parts) < 4 or parts[2] not in ("reading", "alarm", "event", "dropped"):
            self.others.append((message.topic, message.payload, message.retain))
            return
        record = json.loads(message.payload)
        key = (record["hub"], record["sequence"])
        if key in self.records:
            self.repeats += 1
        self.records.setdefault(key, record)
        while self.confirms and (self.hub, self.through + 1) in self.records:
            self.through += 1
        if self.confirms:
            client.publish(f"aneroid/{self.hub}/received", json.dumps({"hub": self.hub, "through": self.through}), 1)

    def last(self, topic):
        """Returns the last payload of a topic."""
        return next((payload for name, payload, _ in reversed(self.others) if name == topic), None)

    def stop(self):
        """Disconnects."""
        self.client.disconnect()
        self.client.loop_stop()


class Hub:
    """An aneroid-hub that reads notifications from standard input and can be killed and
    restarted."""

    def __init__(self, folder, broker=None, mqtt_keys="", more="", tags=3, period="60s", delay="0s",
                 duty="{people: [Ana, Rui]}", before=()):
        self.folder, self.port, self.count = folder, 0, 0
        self.file = folder / "hub.yaml"
        lines = ["hub: north", "zones:", "  - name: cold room",
                 f"    limits: [{{of: temperature, low: 2C, high: 8C, delay: {delay}, hysteresis: 0.05C}}]", "tags:"]
        lines += [f"  - {{address: \"A4:DA:32:00:00:{n:02X}\", name: shelf-{n}, zone: cold room, period: {period}, "
                  f"at: [{n}m, 2m]}}" for n in range(tags)]
        lines += [f"duty: {duty}", "queue: {file: north.sqlite}", "page: {listen: \"127.0.0.1:0\"}"]
        if broker:
            lines.append(f"mqtt: {{host: 127.0.0.1, port: {broker.port}{mqtt_keys}}}")
        self.file.write_text("\n".join(lines) + "\n" + more)
        self.written, self.talk, self.process, self.before = [], "", None, list(before)
        self.start()

    def start(self, *options):
        """Starts the hub and waits until its page is available."""
        self.process = subprocess.Popen([*self.before, PROGRAM, "serve", str(self.file), "--lines", "--echo", *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.port = 0
        readers = [threading.Thread(target=reader, args=(self.process,), daemon=True) for reader in (self.read_messages, self.read_echo)]
        for reader in readers:
            reader.start()
        self.readers = readers
        until(lambda: self.port or self.process.poll() is not None, 20, "the hub")
        assert self.process.poll() is None, self.talk
        return self

    def read_messages(self, process):
        """Reads the messages on standard error."""
        for line in process.stderr:
            self.talk += line.decode()
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/#token=(\w+)", line.decode()):
                self.token = found[2]
                self.port = int(found[1])

    def read_echo(self, process):
        """Reads the echo of stored records; ignores a line truncated by a kill."""
        for line in process.stdout:
            if line.endswith(b"\n"):
                self.written.append(json.loads(line))

    def notify(self, temperatures, tag=0, battery=90):
        """Sends notifications of one tag with these temperatures in °C."""
        for celsius in temperatures:
            raw = round((celsius + 40) / 165 * 65536).to_bytes(2, "little") + (0x7ABC).to_bytes(2, "little")
            line = {"tag": f"A4:DA:32:00:00:{tag:02X}", "kind": "cc2650", "characteristic": "AA21", "raw": raw.hex(),
                    "rssi": -60, "battery": battery}
            self.process.stdin.write(json.dumps(line).encode() + b"\n")
            self.count += 1
        self.process.stdin.flush()

    def request(self, path, method="GET", body=None, **headers):
        """Sends an HTTP request; returns status, header fields and body."""
        message = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method, data=body,
                                         headers={name.replace("_", "-"): value for name, value in headers.items()})
        try:
            with urllib.request.urlopen(message, timeout=20) as response:
                return response.status, response.headers, response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def state(self):
        """Returns the state of the hub."""
        return json.loads(self.request("/v1/hub")[2])

    def alarm(self, cause="temperature-high"):
        """Returns the open alarm of a cause, or None."""
        return next((one for one in self.state()["alarms"] if one["cause"] == cause), None)

    def log(self):
        """Returns the alarm log."""
        return [json.loads(line) for line in self.request("/v1/log.jsonl")[2].splitlines()]

    def command(self, *words):
        """Runs a command; its client takes port and token from the settings file."""
        return subprocess.run([PROGRAM, *words, "--hub", f"http://127.0.0.1:{self.port}", "--config", str(self.file)],
                              capture_output=True, text=True, timeout=30, cwd=self.folder)

    def kill(self):
        """Kills the hub with SIGKILL and reads its remaining output."""
        self.process.kill()
        self.process.wait()
        for reader in self.readers:
            reader.join()

    def stop(self):
        """Stops the hub with SIGTERM and returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(20)
        for reader in self.readers:
            reader.join()
        return self.process.returncode


def certificates(folder):
    """Creates two authorities, "ca" and "other", and a server certificate for loopback signed by
    "ca"."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
    for name in ("ca", "other"):
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "2",
                "-subj", f"/CN={name}", "-addext", "basicConstraints=critical,CA:true")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "broker.key", "-out", "broker.csr", "-subj", "/CN=127.0.0.1")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1")
    openssl("x509", "-req", "-in", "broker.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-out", "broker.pem", "-extfile", "names")


class Collector:
    """A server that receives batches; it rejects a configured number of them."""

    def __init__(self, tls=None):
        self.records, self.batches, self.rejections, self.headers = {}, 0, [], []
        self.repeats, owner = 0, self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                owner.headers.append(dict(self.headers))
                status = owner.rejections.pop(0) if owner.rejections else 200
                # Status 500 simulates a response lost after the batch was stored: the hub sends it
                # again.
                if status in (200, 500):
                    for record in body["records"]:
                        key = (record["hub"], record["sequence"])
                        owner.repeats += key in owner.records
                        owner.records.setdefault(key, record)
                    owner.batches += 1
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http{'s' if tls else ''}://127.0.0.1:{self.server.server_address[1]}/batches"
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
