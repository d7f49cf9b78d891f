"""Connections and receivers that are not as they should be: old, slow, of another queue, or waiting for an alarm."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from hub_program import PROGRAM, ROOT, Collector, Subscriber, until


def ask_old(port, more=b""):
    """The bytes of an answer to a request of HTTP/1.0, up to the end of the connection."""
    with socket.create_connection(("127.0.0.1", port), 20) as one:
        one.sendall(b"GET /healthz HTTP/1.0\r\nHost: 127.0.0.1:%d\r\n%s\r\n" % (port, more))
        return b"".join(iter(lambda: one.recv(4096), b""))


@pytest.mark.parametrize("more", [b"", b"Connection: keep-alive\r\n"], ids=["plain", "keep-alive"])
def test_http_1_0_ends_with_its_answer(hub_of, more):
    """A client of HTTP/1.0, such as ab, takes the end of the connection for the end of the answer; one of 1.1 keeps it."""
    hub = hub_of()
    assert ask_old(hub.port, more).endswith(b'{"status":"ok"}')
    with socket.create_connection(("127.0.0.1", hub.port), 20) as one:
        for _ in range(2):
            one.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % hub.port)
            assert one.recv(4096).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("begin", [b"GET / HTTP/1.1\r\nX: ", b"POST /v1/command HTTP/1.1\r\nContent-Length: 5000\r\n\r\n"],
                         ids=["head", "body"])
def test_a_dripping_client_is_dropped(hub_of, begin):
    """A byte now and then keeps no connection: the time is that of the whole head, and of the whole body."""
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

        # One that was answered before its body had come is kept for as long as an idle one: 75 s.
        until(ended, 100, "the end of the connection")
    assert hub.ask("/healthz")[0] == 200


def test_an_alarm_waits_for_no_batch(hub_of):
    """Records wait for their period; an alarm goes at once, with all before it."""
    collector = Collector()
    hub = hub_of(tags=1, more=f"http: {{address: \"{collector.address}\", every: 1h}}\n")
    time.sleep(1.5)
    hub.tell([5])
    until(lambda: hub.written, what="the first reading")
    time.sleep(1.5)
    first = len(collector.records)
    hub.tell([5.2, 5.5])
    until(lambda: len(hub.written) == 3, what="more readings")
    time.sleep(1)
    assert len(collector.records) == first, "a reading did not wait"
    hub.tell([5.8, 6.1, 6.4, 6.7, 7, 7.3, 7.6, 7.9, 8.2])
    until(lambda: any(one.get("event") == "told" for one in collector.records.values()), 10, "the alarm")


def test_a_receiver_confirms_only_what_there_is(broker, hub_of):
    """An acknowledgement beyond the last record or of another epoch belongs to another queue: it confirms nothing and is reported."""
    hub = hub_of(broker, mqtt_keys=", confirm: receiver", tags=1)
    subscriber = Subscriber(broker)
    hub.tell([5, 5.1, 5.2])
    until(lambda: len(subscriber.records) == 3, what="three records")
    epoch, = {one["epoch"] for one in subscriber.records.values()}

    def say(through, **keys):
        word = json.dumps({"hub": "north", "through": through, **keys})
        subscriber.client.publish("aneroid/north/received", word, 1).wait_for_publish(5)

    waiting = lambda: hub.state()["delivery"][0]["waiting"]
    say(500)
    until(lambda: "record 500, which there is not yet" in hub.talk, 10, "the refusal")
    say(3, epoch="another")
    until(lambda: 'confirms records of epoch "another"' in hub.talk, 10, "the second refusal")
    assert waiting() == 3
    say(2)
    until(lambda: waiting() == 1, 10, "the word of a receiver that tells no epoch")
    say(3, epoch=epoch)
    until(lambda: waiting() == 0, 10, "the word with the epoch")
    subscriber.stop()


def test_a_new_queue_has_a_new_epoch(broker, hub_of):
    """A file that was replaced begins at 1 again, and a receiver sees that these are no repeats; a restart changes nothing."""
    hub = hub_of(broker, tags=1)
    subscriber = Subscriber(broker)
    hub.tell([5])
    until(lambda: len(hub.written) == 1, what="a record")
    hub.stop()
    assert not [one.name for one in hub.folder.iterdir() if one.name.startswith("north.sqlite-")]
    hub.start()
    hub.tell([5])
    until(lambda: len(hub.written) == 2, what="a second")
    hub.stop()
    (hub.folder / "north.sqlite").unlink()
    hub.start()
    hub.tell([5])
    until(lambda: len(hub.written) == 3, what="a third")
    first, second, third = hub.written
    assert first["epoch"] == second["epoch"] != third["epoch"]
    assert [one["sequence"] for one in hub.written] == [1, 2, 1]
    subscriber.stop()


def test_a_failed_start_leaves_the_queue_alone(hub_of, tmp_path):
    """Nothing but the file of the queue is left where the port is taken."""
    hub = hub_of()
    other = tmp_path / "other"
    other.mkdir()
    (other / "hub.yaml").write_text(hub.file.read_text().replace("127.0.0.1:0", f"127.0.0.1:{hub.port}"))
    assert subprocess.run([PROGRAM, "serve", str(other / "hub.yaml")], capture_output=True, timeout=20).returncode == 69
    assert sorted(one.name for one in other.iterdir()) == ["hub.token", "hub.yaml", "north.sqlite"]


def test_the_bridge_ends_with_sigterm():
    """Also where its parent ignores and blocks the signal, as servers do."""
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
