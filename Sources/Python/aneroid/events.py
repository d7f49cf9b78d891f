"""What a run tells beside its transfers: faults, remarks, notices and charges."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import typing

#: One event as it was told: its name under "event", its fields as the page Events has them.
Event = typing.Dict[str, typing.Any]


@dataclasses.dataclass(frozen=True)
class Fault:
    """What became of a planned failure."""

    #: Which one it is, from 1: those of the rig first, then the option's in their order.
    number: int
    #: Its kind, such as ``nack-address``.
    kind: str
    #: N of the bus.
    bus: int
    #: The address of its target; None where it is planned for any.
    address: int | None
    #: How often it happened.
    count: int
    #: How often it was planned; None for one that lasts to the end.
    planned: int | None
    #: Whether it happened as often as planned.
    complete: bool
    #: When it happened first and last, in seconds of the bench's clock; None where it did not.
    first: float | None
    last: float | None

    @property
    def fired(self) -> bool:
        """Whether it happened at all."""
        return self.count > 0

    def __str__(self) -> str:
        planned = "" if self.planned is None else f" of {self.planned}"
        times = "once" if self.planned is None and self.count == 1 else f"{self.count}{planned} times"
        return f"fault {self.number}, {self.kind} on bus {self.bus}: fired {times}"


@dataclasses.dataclass(frozen=True)
class Remark:
    """What the program did that a real part punishes, such as data that are read before a measurement has ended."""

    bus: int
    address: int
    #: The worst of what it did, and how often.
    text: str
    #: How many other kinds of mistakes there were.
    others: int

    def __str__(self) -> str:
        kinds = "1 other kind" if self.others == 1 else f"{self.others} other kinds"
        others = f" (and {kinds} of mistakes)" if self.others else ""
        return f"remark on bus {self.bus}, 0x{self.address:02x}: {self.text}{others}"


@dataclasses.dataclass(frozen=True)
class Notice:
    """What a user should know of a program, such as that it asked for a bus that is not there."""

    #: What it is about, as the field subject of the event notice names it.
    subject: str
    text: str

    def __str__(self) -> str:
        return f"notice ({self.subject}): {self.text}"


@dataclasses.dataclass(frozen=True)
class Charge:
    """What a sensor has used since power came on."""

    bus: int
    address: int
    #: In microcoulombs.
    microcoulombs: float


def read(path: pathlib.Path) -> list[Event]:
    """The events of a file, which may be missing or cut off where the command was ended."""
    try:
        text = path.read_text("utf-8", errors="backslashreplace")
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in text.split("\n")[:-1] if line]


def named(name: str, events: list[Event]) -> list[Event]:
    """The events of a name."""
    return [event for event in events if event.get("event") == name]


def faults(events: list[Event]) -> tuple[Fault, ...]:
    """The faults of a run, in order of their numbers."""
    found = [
        Fault(
            number=event["number"],
            kind=event["fault"],
            bus=event["bus"],
            address=event.get("address"),
            count=event["count"],
            planned=event.get("planned"),
            complete=event["complete"],
            first=event.get("first_t"),
            last=event.get("last_t"),
        )
        for event in named("fault", events)
    ]
    return tuple(sorted(found, key=lambda fault: fault.number))


def remarks(events: list[Event]) -> tuple[Remark, ...]:
    """The remarks of a run."""
    return tuple(
        Remark(event["bus"], event["address"], event["text"], event.get("others", 0))
        for event in named("remark", events)
    )


def notices(events: list[Event]) -> tuple[Notice, ...]:
    """The notices of a run."""
    return tuple(Notice(event["subject"], event["text"]) for event in named("notice", events))


def charges(events: list[Event]) -> tuple[Charge, ...]:
    """The charges of a run."""
    return tuple(Charge(event["bus"], event["address"], event["charge_uc"]) for event in named("charge", events))
