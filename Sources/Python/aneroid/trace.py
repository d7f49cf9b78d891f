"""The transfers on the buses."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import typing

from . import tool


@dataclasses.dataclass(frozen=True)
class Message:
    """One message of a transfer, as transmitted."""

    #: The 7-bit address.
    address: int
    #: The bytes written; None for a read.
    written: bytes | None
    #: The bytes read, empty if the read failed; None for a write.
    read: bytes | None
    #: The number of bytes that the program requested to write or read.
    length: int


@dataclasses.dataclass(frozen=True)
class TransferFailure:
    """The failure of a transfer."""

    #: The kind of failure, such as ``nack-address``.
    kind: str
    #: The errno that the program received, such as ``ENXIO``; its number if it has no name.
    errno: str
    #: The index of the failed message, from 0.
    message: int
    #: The index of the byte that was not acknowledged, from 0. Default: 0.
    byte: int


@dataclasses.dataclass(frozen=True)
class Transfer:
    """One transfer, from its start condition to its stop condition."""

    #: The start time in seconds of the bench's clock; power-on is at 0.
    time: float
    #: The duration on the wire in seconds.
    duration: float
    #: The bus number in the rig.
    bus: int
    #: The 7-bit address of its first message.
    address: int
    messages: tuple[Message, ...]
    #: The failure; None if the transfer succeeded.
    failure: TransferFailure | None
    #: The line of 'aneroid trace show': time, bytes, and their meaning for the part.
    text: str

    @property
    def written(self) -> bytes:
        """All bytes written."""
        return b"".join(message.written for message in self.messages if message.written is not None)

    @property
    def read(self) -> bytes:
        """All bytes read."""
        return b"".join(message.read for message in self.messages if message.read is not None)

    @property
    def error(self) -> str | None:
        """The kind of failure, such as ``nack-address``; None if the transfer succeeded."""
        return self.failure.kind if self.failure else None

    def __str__(self) -> str:
        return self.text


def load(path: pathlib.Path) -> tuple[Transfer, ...]:
    """Returns the transfers of a trace.

    The file may be missing, if no program was run, or truncated. Raises BenchError if the command
    cannot show the trace.
    """
    try:
        lines = path.read_text("utf-8").split("\n")[:-1]
    except FileNotFoundError:
        return ()
    if len(lines) < 2:
        return ()
    shown = tool.run(["trace", "show", str(path)]).stdout.splitlines()
    texts = [line for line in shown if not line.startswith("#")]
    buses = json.loads(lines[0])["buses"]
    transfers = [json.loads(line) for line in lines[1:]]
    if len(texts) != len(transfers):
        # The bytes are valid, but the texts cannot be matched to the transfers.
        texts = [""] * len(transfers)
    return tuple(_transfer(item, buses[0]["number"], text) for item, text in zip(transfers, texts))


def _transfer(item: dict[str, typing.Any], bus: int, text: str) -> Transfer:
    """Creates a transfer from a line of a trace; bus is the default bus number."""
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
    """Creates a message of a transfer; address is the default address."""
    written = bytes.fromhex(item["w"]) if "w" in item else None
    read = bytes.fromhex(item["r"]) if "r" in item else None
    return Message(
        address=int(item.get("a", address), 16),
        written=written,
        read=read,
        length=item.get("n", len(written or read or b"")),
    )


def _failure(item: dict[str, typing.Any]) -> TransferFailure:
    """Creates the failure of a transfer."""
    return TransferFailure(item["kind"], str(item["errno"]), item["message"], item.get("byte", 0))
