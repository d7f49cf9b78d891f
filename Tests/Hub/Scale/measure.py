"""5,000 simulated hub clients on one mosquitto: each connects with a will and publishes records
with QoS 1. Counts and times the acknowledgements; an independent subscriber counts the records that
arrive.

The clients use MQTT 3.1.1 over plain sockets (OASIS standard, sections 3.1 to 3.4): a client
library would measure its threads.

usage: measure.py [CLIENTS [RECORDS]]
"""

import asyncio
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Delivery"))
from hub_program import Broker  # noqa: E402


def text(value):
    """Encodes an MQTT string: length, then bytes."""
    data = value.encode()
    return len(data).to_bytes(2, "big") + data


def packet(kind, body):
    """Encodes a packet: type, remaining length in groups of seven bits, body."""
    length, rest = b"", len(body)
    while True:
        rest, group = divmod(rest, 128)
        length += bytes([group | (128 if rest else 0)])
        if not rest:
            return bytes([kind]) + length + body


async def read(reader):
    """Reads the type and body of the next packet."""
    kind = (await reader.readexactly(1))[0]
    length, shift = 0, 0
    while True:
        group = (await reader.readexactly(1))[0]
        length |= (group & 127) << shift
        shift += 7
        if group < 128:
            return kind, await reader.readexactly(length)


async def connect(port, name, will=None):
    """Opens a connection that the broker has accepted."""
    for attempt in range(20):
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            break
        except OSError:
            await asyncio.sleep(0.2 * (attempt + 1))
    flags = 0x02 | (0x04 | 0x08 | 0x20 if will else 0)
    body = text("MQTT") + bytes([4, flags]) + (300).to_bytes(2, "big") + text(name)
    if will:
        body += text(will) + text("offline")
    writer.write(packet(0x10, body))
    kind, answer = await read(reader)
    assert kind == 0x20 and answer[1] == 0, (kind, answer)
    return reader, writer


async def client(port, number, records, start, latencies):
    """Simulates a hub: waits for the start, then publishes records one by one."""
    reader, writer = await connect(port, f"hub-{number}", f"aneroid/hub-{number}/status")
    start.arrived += 1
    await start.event.wait()
    for sequence in range(1, records + 1):
        record = json.dumps({"hub": f"hub-{number}", "sequence": sequence, "kind": "reading", "temperature_c": 5.25,
                             "tag": "A4:DA:32:00:00:01", "zone": "cold room", "humidity_rh": 47.9, "raw": "4065bc7a"})
        begun = time.perf_counter()
        writer.write(packet(0x32, text(f"aneroid/hub-{number}/reading/A4:DA:32:00:00:01")
                            + sequence.to_bytes(2, "big") + record.encode()))
        kind, answer = await read(reader)
        assert kind == 0x40 and int.from_bytes(answer, "big") == sequence, (kind, answer)
        latencies.append(time.perf_counter() - begun)
    writer.write(packet(0xE0, b""))
    await writer.drain()
    writer.close()


async def subscriber(port, expected):
    """Counts records by hub and sequence number until all have arrived."""
    reader, writer = await connect(port, "receiver")
    writer.write(packet(0x82, (1).to_bytes(2, "big") + text("aneroid/+/reading/#") + b"\x01"))
    assert (await read(reader))[0] == 0x90
    seen = set()
    while len(seen) < expected:
        kind, body = await read(reader)
        if kind & 0xF0 != 0x30:
            continue
        length = int.from_bytes(body[:2], "big")
        record = json.loads(body[4 + length:])
        seen.add((record["hub"], record["sequence"]))
        writer.write(packet(0x40, body[2 + length:4 + length]))
    return len(seen)


class Start:
    """The common start of all clients."""

    def __init__(self):
        self.event, self.arrived = asyncio.Event(), 0


async def measure(port, clients, records):
    """Runs all clients and prints the times."""
    receiver = asyncio.create_task(subscriber(port, clients * records))
    start, latencies, begun = Start(), [], time.perf_counter()
    hubs = [asyncio.create_task(client(port, number, records, start, latencies)) for number in range(clients)]
    while start.arrived < clients:
        await asyncio.sleep(0.05)
        for hub in hubs:
            if hub.done():
                hub.result()
    print(f"{clients} clients connected in {time.perf_counter() - begun:.1f} s")
    begun = time.perf_counter()
    start.event.set()
    await asyncio.gather(*hubs)
    took = time.perf_counter() - begun
    latencies.sort()
    print(f"{len(latencies)} records acknowledged in {took:.1f} s: {len(latencies) / took:.0f} a second, half within "
          f"{latencies[len(latencies) // 2] * 1000:.0f} ms, 99 % within {latencies[len(latencies) * 99 // 100] * 1000:.0f} ms")
    count = await asyncio.wait_for(receiver, 300)
    print(f"{count} of {clients * records} records arrived at the subscriber")
    assert count == clients * records == len(latencies)


def main():
    """Starts the broker and measures."""
    clients = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    records = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2 * clients + 100:
        sys.exit(f"the open file limit is {hard}; at least {2 * clients + 101} are required")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * clients + 100), hard))
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(Path(folder), ["max_connections -1"])
        try:
            asyncio.run(measure(broker.port, clients, records))
        finally:
            status = Path(f"/proc/{broker.process.pid}/status").read_text()
            print("mosquitto:", next(line for line in status.splitlines() if line.startswith("VmHWM")))
            broker.kill()


if __name__ == "__main__":
    main()
