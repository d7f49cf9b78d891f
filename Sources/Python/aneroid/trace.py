"""What happened on the buses, transfer by transfer."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import typing

from . import tool


@dataclasses.dataclass(frozen=True)
class Message:
    """One message of a transfer, as it went over the wire."""

    #: The address, 7 bits.
    address: int
    #: The bytes that were written; None where it was a read.
    written: bytes | None
    #: The bytes that were read, none where that failed; None where it was a write.
    read: bytes | None
    #: How many bytes it was to write or read.
    length: int


@dataclasses.dataclass(frozen=True)
class TransferFailure:
    """Why a transfer failed."""

    #: What happened, such as ``nack-address``.
    kind: str
    #: The name of the error that the program got, such as ``ENXIO``, or its number where it has none.
    errno: str
    #: Which message of the transfer failed, from 0.
    message: int
    #: Which of its bytes was not acknowledged, from 0; 0 where it was none of them.
    byte: int


@dataclasses.dataclass(frozen=True)
class Transfer:
    """One transfer: what is between a start and its stop."""

    #: When it began, in seconds of the bench's clock; power came on at 0.
    time: float
    #: How long it took on the wire, in seconds.
    duration: float
    #: N of the bus in the rig.
    bus: int
    #: The address of its first message, 7 bits.
    address: int
    messages: tuple[Message, ...]
    #: Why it failed; None where it did not.
    failure: TransferFailure | None
    #: The line of 'aneroid trace show': time, bytes, and what they mean to the part.
    text: str

    @property
    def written(self) -> bytes:
        """All bytes that were written."""
        return b"".join(message.written for message in self.messages if message.written is not None)

    @property
    def read(self) -> bytes:
        """All bytes that were read."""
        return b"".join(message.read for message in self.messages if message.read is not None)

    @property
    def error(self) -> str | None:
        """What failed, such as ``nack-address``; None where nothing did."""
        return self.failure.kind if self.failure else None

    def __str__(self) -> str:
        return self.text


def load(path: pathlib.Path) -> tuple[Transfer, ...]:
    """The transfers of a trace, which is missing where nothing was run and may have been cut off.

    Raises BenchError when the command cannot show it.
    """
    try:
        lines = path.read_text("utf-8").split("\n")[:-1]
    except FileNotFoundError:
        return ()
    if len(lines) < 2:
        return ()
    shown = tool.ask(["trace", "show", str(path)]).stdout.splitlines()
    texts = [line for line in shown if not line.startswith("#")]
    buses = json.loads(lines[0])["buses"]
    transfers = [json.loads(line) for line in lines[1:]]
    if len(texts) != len(transfers):
        # The bytes stand, and a text that belongs to another transfer would be worse than none.
        texts = [""] * len(transfers)
    return tuple(_transfer(item, buses[0]["number"], text) for item, text in zip(transfers, texts))


def _transfer(item: dict[str, typing.Any], bus: int, text: str) -> Transfer:
    """A transfer from its line of a trace; bus is what holds where the line names none."""
    error = item.get("e")
    return Transfer(
        time=item["t"] / 1e9,
        duration=item["d"] / 1e9,
        bus=item.get("b", bus),
        address=int(item["a"], 16),
        messages=tuple(_message(message, item["a"]) for message in item["m"]),
        failure=_failure(error) if error else None,
        text=text,
    )


def _message(item: dict[str, typing.Any], address: str) -> Message:
    """A message of a transfer; address is what holds where it names none."""
    written = bytes.fromhex(item["w"]) if "w" in item else None
    read = bytes.fromhex(item["r"]) if "r" in item else None
    return Message(
        address=int(item.get("a", address), 16),
        written=written,
        read=read,
        length=item.get("n", len(written or read or b"")),
    )


def _failure(item: dict[str, typing.Any]) -> TransferFailure:
    """Why a transfer failed."""
    return TransferFailure(item["kind"], str(item["errno"]), item["message"], item.get("byte", 0))
