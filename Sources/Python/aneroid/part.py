"""A part of a bench as a Python program.

A rig names the program: ``model: {program: [python3, my_part.py]}``. It gets one JSON line for each event on the bus and
answers each with one line; :func:`serve` does both::

    from aneroid.part import Event, serve

    def on_event(event: Event) -> dict | None:
        if event.kind == "read":
            return {"bytes": [round(event.temperature) & 0xFF]}
        return None

    serve(on_event)

The answer is a dictionary with any of these keys, or None:

- ``ack``: False leaves the written byte, or the address of a read, without an acknowledgement
- ``bytes``: the bytes of a read; ones follow
- ``busy``: the time until which the part does not acknowledge its address
- ``stretch``: the time until which it holds SCL
- ``next``: the time of an event of kind "time"

Times are nanoseconds on the clock of the bench, like :attr:`Event.time`.
"""

import json
import os
import select
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Event:
    """What happens to the part: "on", "off", "write", "read" or "time"."""

    kind: str
    #: The time in nanoseconds.
    time: int
    #: The bytes written so far in a message, for "write".
    data: bytes = b""
    #: The air around the part, in C, Pa and %.
    temperature: float = 0.0
    pressure: float = 0.0
    humidity: float = 0.0
    #: The address and the seed of the part, for "on".
    address: int = 0
    seed: int = 0
    #: Everything that the line contained.
    fields: dict[str, Any] = field(default_factory=dict, repr=False)


def serve(handle: Callable[[Event], "dict[str, Any] | None"]) -> None:
    """Answers each event with what the function returns, until the bench ends."""
    for line in _lines():
        fields = json.loads(line)
        event = Event(
            fields["event"], fields["t"], bytes(fields.get("bytes", ())), fields["temperature"],
            fields["pressure"], fields["humidity"], fields.get("address", 0), fields.get("seed", 0), fields)
        os.write(1, json.dumps(handle(event) or {}).encode() + b"\n")


def _lines() -> Iterator[bytes]:
    """The lines of the bench; the next one is often nearer than the time in which a sleeping process wakes up."""
    os.set_blocking(0, False)
    pending = b""
    while True:
        for _ in range(200):
            try:
                chunk = os.read(0, 65536)
                break
            except BlockingIOError:
                os.sched_yield()
        else:
            select.select([0], [], [])
            continue
        if not chunk:
            return
        *lines, pending = (pending + chunk).split(b"\n")
        yield from lines


def crc8(data: bytes, polynomial: int = 0x31, start: int = 0xFF) -> int:
    """Returns the checksum that Sensirion's parts append to each word."""
    for byte in data:
        start ^= byte
        for _ in range(8):
            start = (start << 1 ^ polynomial) & 0xFF if start & 0x80 else start << 1
    return start
