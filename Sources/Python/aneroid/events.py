"""The events of a run other than transfers: faults, warnings, notices and charges."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import typing

#: An event: its name under "event", and the fields on the documentation page Events.
Event = typing.Dict[str, typing.Any]


@dataclasses.dataclass(frozen=True)
class Fault:
    """The result of an injected fault."""

    #: The number of the fault, from 1. The rig's faults precede those of the option.
    number: int
    #: The kind, such as ``nack-address``.
    kind: str
    #: The bus number.
    bus: int
    #: The target address; None for any address.
    address: int | None
    #: The number of times it was injected.
    count: int
    #: The planned number of times; None for a fault that lasts until the end.
    planned: int | None
    #: Whether the fault was injected as often as planned.
    complete: bool
    #: The time of the first injection in seconds of the bench's clock; None if not injected.
    first: float | None
    #: The time of the last injection in seconds of the bench's clock; None if not injected.
    last: float | None

    @property
    def fired(self) -> bool:
        """Whether the fault was injected at least once."""
        return self.count > 0

    def __str__(self) -> str:
        planned = "" if self.planned is None else f" of {self.planned}"
        times = (
            "once" if self.planned is None and self.count == 1 else f"{self.count}{planned} times"
        )
        return f"fault {self.number}, {self.kind} on bus {self.bus}: fired {times}"


@dataclasses.dataclass(frozen=True)
class Remark:
    """A warning about an access that a real part does not tolerate.

    For example, a read of data before the conversion finished.
    """

    bus: int
    address: int
    #: The most severe error with its count.
    text: str
    #: The number of other kinds of errors.
    others: int

    def __str__(self) -> str:
        kinds = "1 other kind" if self.others == 1 else f"{self.others} other kinds"
        others = f" (and {kinds} of errors)" if self.others else ""
        return f"remark on bus {self.bus}, 0x{self.address:02x}: {self.text}{others}"


@dataclasses.dataclass(frozen=True)
class Notice:
    """A notice about a program, such as an access to a bus that does not exist."""

    #: The subject, as in the field subject of the event notice.
    subject: str
    text: str

    def __str__(self) -> str:
        return f"notice ({self.subject}): {self.text}"


@dataclasses.dataclass(frozen=True)
class Charge:
    """The charge consumed by a sensor since power-on."""

    bus: int
    address: int
    #: The charge in microcoulombs.
    microcoulombs: float


def read(path: pathlib.Path) -> list[Event]:
    """Returns the events in a file.

    The file may be missing or truncated if the command was killed.
    """
    try:
        text = path.read_text("utf-8", errors="backslashreplace")
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in text.split("\n")[:-1] if line]


def named(name: str, events: list[Event]) -> list[Event]:
    """Returns the events with a name."""
    return [event for event in events if event.get("event") == name]


def faults(events: list[Event]) -> tuple[Fault, ...]:
    """Returns the faults of a run, sorted by number."""
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
    """Returns the warnings of a run."""
    return tuple(
        Remark(event["bus"], event["address"], event["text"], event.get("others", 0))
        for event in named("remark", events)
    )


def notices(events: list[Event]) -> tuple[Notice, ...]:
    """Returns the notices of a run."""
    return tuple(Notice(event["subject"], event["text"]) for event in named("notice", events))


def charges(events: list[Event]) -> tuple[Charge, ...]:
    """Returns the charges of a run."""
    return tuple(
        Charge(event["bus"], event["address"], event["charge_uc"])
        for event in named("charge", events)
    )
