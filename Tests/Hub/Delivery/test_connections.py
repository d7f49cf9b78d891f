"""Connections and receivers that misbehave: HTTP/1.0, slow clients, receivers of another queue, and
alarms between batches."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from hub_program import PROGRAM, ROOT, Collector, Subscriber, until


def request_http_1_0(port, more=b""):
    """Sends an HTTP/1.0 request; returns the response up to the end of the connection."""
    with socket.create_connection(("127.0.0.1", port), 20) as one:
        one.sendall(b"GET /healthz HTTP/1.0\r\nHost: 127.0.0.1:%d\r\n%s\r\n" % (port, more))
        return b"".join(iter(lambda: one.recv(4096), b""))


@pytest.mark.parametrize("more", [b"", b"Connection: keep-alive\r\n"], ids=["plain", "keep-alive"])
def test_the_connection_closes_after_an_http_1_0_response(hub_of, more):
    """An HTTP/1.0 client such as ab reads until the connection closes; an HTTP/1.1 connection stays
    open."""
    hub = hub_of()
    assert request_http_1_0(hub.port, more).endswith(b'{"status":"ok"}')
    with socket.create_connection(("127.0.0.1", hub.port), 20) as one:
        for _ in range(2):
            one.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % hub.port)
            assert one.recv(4096).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("begin", [b"GET / HTTP/1.1\r\nX: ", b"POST /v1/command HTTP/1.1\r\nContent-Length: 5000\r\n\r\n"],
                         ids=["head", "body"])
def test_a_slow_client_times_out(hub_of, begin):
    """The timeout covers the whole head and the whole body; single bytes do not extend it."""
    hub = hub_of()
    with socket.create_connection(("127.0.0.1", hub.port), 20) as one:
        one.sendall(begin)
        one.settimeout(1)

        def ended():
            try:
                one.send(b"a")
                return one.recv(4096) == b""
            except TimeoutError:
                return False
            except OSError:
                return True

        # A connection with a response before the body arrived has the idle timeout of 75 s.
        until(ended, 100, "the end of the connection")
    assert hub.request("/healthz")[0] == 200


def test_an_alarm_is_sent_without_waiting_for_the_batch_period(hub_of):
    """Readings wait for the batch period; an alarm is sent at once with all earlier records."""
    collector = Collector()
    hub = hub_of(tags=1, more=f"http: {{address: \"{collector.address}\", every: 1h}}\n")
    time.sleep(1.5)
    hub.notify([5])
    until(lambda: hub.written, what="the first reading")
    time.sleep(1.5)
    first = len(collector.records)
    hub.notify([5.2, 5.5])
    until(lambda: len(hub.written) == 3, what="more readings")
    time.sleep(1)
    assert len(collector.records) == first, "a reading did not wait"
    hub.notify([5.8, 6.1, 6.4, 6.7, 7, 7.3, 7.6, 7.9, 8.2])
    until(lambda: any(one.get("event") == "told" for one in collector.records.values()), 10, "the alarm")


def test_only_existing_records_of_this_epoch_can_be_confirmed(broker, hub_of):
    """A confirmation beyond the last record or of another epoch confirms no record and is
    reported."""
    hub = hub_of(broker, mqtt_keys=", confirm: receiver", tags=1)
    subscriber = Subscriber(broker)
    hub.notify([5, 5.1, 5.2])
    until(lambda: len(subscriber.records) == 3, what="three records")
    epoch, = {one["epoch"] for one in subscriber.records.values()}

    def confirm(through, **keys):
        message = json.dumps({"hub": "north", "through": through, **keys})
        subscriber.client.publish("aneroid/north/received", message, 1).wait_for_publish(5)

    waiting = lambda: hub.state()["delivery"][0]["waiting"]
    confirm(500)
    until(lambda: "record 500, which does not exist" in hub.talk, 10,
          "the warning of the missing record")
    confirm(3, epoch="another")
    until(lambda: 'ignored a confirmation of epoch "another"' in hub.talk, 10,
          "the warning of the other epoch")
    assert waiting() == 3
    confirm(2)
    until(lambda: waiting() == 1, 10, "a confirmation without an epoch")
    confirm(3, epoch=epoch)
    until(lambda: waiting() == 0, 10, "a confirmation with the epoch")
    subscriber.stop()


def test_a_new_queue_has_a_new_epoch(broker, hub_of):
    """A replaced file restarts at sequence number 1 with a new epoch, so a receiver detects new
    records; a restart keeps the epoch."""
    hub = hub_of(broker, tags=1)
    subscriber = Subscriber(broker)
    hub.notify([5])
    until(lambda: len(hub.written) == 1, what="a record")
    hub.stop()
    assert not [one.name for one in hub.folder.iterdir() if one.name.startswith("north.sqlite-")]
    hub.start()
    hub.notify([5])
    until(lambda: len(hub.written) == 2, what="a second record")
    hub.stop()
    (hub.folder / "north.sqlite").unlink()
    hub.start()
    hub.notify([5])
    until(lambda: len(hub.written) == 3, what="a third record")
    first, second, third = hub.written
    assert first["epoch"] == second["epoch"] != third["epoch"]
    assert [one["sequence"] for one in hub.written] == [1, 2, 1]
    subscriber.stop()


def test_a_failed_start_leaves_no_temporary_files(hub_of, tmp_path):
    """If the port is in use, only the token, the settings and the queue file remain."""
    hub = hub_of()
    other = tmp_path / "other"
    other.mkdir()
    (other / "hub.yaml").write_text(hub.file.read_text().replace("127.0.0.1:0", f"127.0.0.1:{hub.port}"))
    assert subprocess.run([PROGRAM, "serve", str(other / "hub.yaml")], capture_output=True, timeout=20).returncode == 69
    assert sorted(one.name for one in other.iterdir()) == ["hub.token", "hub.yaml", "north.sqlite"]


def test_the_bridge_ends_with_sigterm():
    """SIGTERM ends the bridge even if its parent ignores and blocks the signal, as servers do."""
    def ignore():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

    bridge = subprocess.Popen([sys.executable, "-m", "aneroid.ble"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env={**os.environ, "PYTHONPATH": str(ROOT / "Sources/Python")}, preexec_fn=ignore)
    bridge.stdin.write(b'{"command":"nothing"}\n')
    bridge.stdin.flush()
    assert bridge.stdout.readline()
    bridge.terminate()
    assert bridge.wait(10) == -signal.SIGTERM
