"""A bridge between JSON lines and Bluetooth LE: ``python -m aneroid.ble``.

The stack is Google's Bumble (``pip install aneroid[ble]``). The bridge reads commands from standard
input and writes events to standard output, one JSON object per line. The documentation page
BluetoothBridge lists them. Commands open radios: any number of virtual radios that share a medium,
or one on an HCI transport such as ``usb:0``. The bridge exits when its input is closed.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import sysconfig
import time
import typing

from .bleradio import CommandError, Line, Radio
from .blestack import Stack


def transport_failure(error: Exception) -> str:
    """Describes why a transport of HCI could not be opened."""
    name = type(error).__name__
    if name == "TransportSpecError":
        return (
            "not a radio; expected an HCI transport such as hci-socket:0, usb:0, serial:/dev/ttyACM0 "
            "or tcp-client:127.0.0.1:6402"
        )
    if name.startswith("USBError"):
        return f"no Bluetooth controller on USB that this user may open ({error})"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, (AssertionError, ValueError)):
        return "the parameters of this HCI transport are missing or malformed"
    return f"{name}: {error}"



class Bridge:
    """The radios, the input of commands and the output of events."""

    def __init__(self) -> None:
        self.stack = Stack()
        self.radios: typing.Dict[int, Radio] = {}
        #: The medium of the virtual radios; None until the first one is opened.
        self.air: typing.Any = None
        #: The class of the virtual controllers.
        self.controller_class: typing.Any = None
        #: References that keep transports and controllers alive.
        self.references: typing.List[typing.Any] = []
        #: The controllers of virtual radios by radio number.
        self.virtual: typing.Dict[int, typing.Any] = {}
        self.tasks: typing.Set[asyncio.Task[None]] = set()

    def send(self, line: Line) -> None:
        """Writes an event with its time."""
        line["t"] = time.monotonic_ns()
        sys.stdout.write(json.dumps(line, separators=(",", ":")) + "\n")
        sys.stdout.flush()

    def controller(self, **host: typing.Any) -> typing.Any:
        """Creates a virtual controller."""
        if self.air is None:
            self.air = self.stack.virtual_air()
            self.controller_class = self.stack.virtual_controller(self.air)
        controller = self.controller_class("aneroid", link=self.air, **host)
        self.references.append(controller)
        return controller

    async def transport(self, name: str) -> typing.Any:
        """Opens a transport of HCI; a failure names its cause."""
        try:
            return await self.stack.transport.open_transport(name)
        except Exception as error:  # Each kind of transport raises errors of its own.
            raise CommandError("other", what=f"{name}: {transport_failure(error)}") from error

    async def expose(self, name: str) -> None:
        """Creates a virtual controller for a host on a transport."""
        transport = await self.transport(name)
        self.references.append(transport)
        controller = self.controller(host_source=transport.source, host_sink=transport.sink)
        self.stack.unplug_on_host_change(transport, controller)

    async def open(self, line: Line) -> Line:
        """Opens a virtual radio, or a radio on a Bumble transport."""
        number, name = line["radio"], line.get("transport", "virtual")
        if number in self.radios:
            raise CommandError("other", what=f"radio {number} is open")
        if name == "virtual":
            host = self.stack.host.Host()
            controller = self.virtual[number] = self.controller()
            host.controller = controller
        else:
            transport = await self.transport(name)
            self.references.append(transport)
            host = self.stack.host.Host(transport.source, transport.sink)
            ended = getattr(transport.source, "terminated", None)
            if ended is not None:
                ended.add_done_callback(lambda _: self.end(f"{name}: the other side is gone"))
        configuration = self.stack.device.DeviceConfiguration()
        configuration.name = line.get("name", "")
        configuration.address = self.stack.hci.Address(line["address"])
        device = self.stack.device.Device(config=configuration, host=host)
        await device.power_on()
        self.radios[number] = Radio(self, number, device)
        return {"address": str(device.random_address)}

    def end(self, reason: str) -> None:
        """Reports that a transport has ended, and exits."""
        self.send({"event": "gone", "what": reason})
        os._exit(69)

    async def execute(self, line: Line) -> None:
        """Executes a command and reports its result."""
        response: Line = {"radio": line.get("radio"), "id": line.get("id")}
        try:
            if line.get("do") == "open":
                found: typing.Optional[Line] = await self.open(line)
            else:
                radio = self.radios[line["radio"]]
                command = getattr(radio, "do_" + str(line.get("do")).replace("-", "_"))
                if "connection" in line and line.get("do") in (
                    "mtu",
                    "discover",
                    "read",
                    "write",
                    "subscribe",
                ):
                    async with radio.order.setdefault(line["connection"], asyncio.Lock()):
                        found = await command(line)
                elif line.get("do") == "connect":
                    async with radio.order.setdefault("connect", asyncio.Lock()):
                        found = await command(line)
                else:
                    found = await command(line)
        except CommandError as error:
            self.send({**response, "event": "failed", **error.line})
        except self.stack.att.ATT_Error as error:
            self.send(
                {**response, "event": "failed", "error": "refused", "code": int(error.error_code)}
            )
        except (self.stack.core.TimeoutError, asyncio.TimeoutError):
            self.send({**response, "event": "failed", "error": "timeout"})
        except asyncio.CancelledError:
            # Bumble cancels the pending requests of a connection that ends. Any other cancellation
            # ends the bridge.
            if not self.is_gone(line):
                raise
            self.send({**response, "event": "failed", "error": "disconnected"})
        except Exception as error:  # The bridge continues after any error of the stack.
            is_gone = self.is_gone(line)
            message = f"{type(error).__name__}: {error}"
            kind = "disconnected" if is_gone else "other"
            self.send({**response, "event": "failed", "error": kind, "what": message})
        else:
            if found is not None:
                self.send({**response, "event": "done", **found})

    def is_gone(self, line: Line) -> bool:
        """Whether the connection of a command has ended."""
        return "connection" in line and line["connection"] not in self.radios[line["radio"]].links

    async def run(self) -> None:
        """Reads commands until the end of the input."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=1 << 20)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while True:
            text = await reader.readline()
            if not text:
                return
            try:
                line = json.loads(text)
                if not isinstance(line, dict):
                    raise ValueError("it is not an object")
            except ValueError as error:
                message = f"invalid command: {error}"
                self.send({"event": "failed", "id": None, "error": "other", "what": message})
                continue
            task = asyncio.ensure_future(self.execute(line))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)


async def serve() -> None:
    """Runs a bridge until its input is closed."""
    await Bridge().run()


def install_command(python: str = sys.executable) -> str:
    """Returns the command that installs Bumble for a Python interpreter.

    For an externally managed interpreter, the command creates a virtual environment.
    """
    managed = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    if sys.prefix != sys.base_prefix or not os.path.exists(managed):
        return f"{python} -m pip install bumble==0.0.236"
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    checkout = os.path.dirname(os.path.dirname(here))
    if os.path.exists(os.path.join(checkout, "Package.swift")):
        # The hub searches this folder.
        folder = os.path.join(checkout, ".build-hub-python")
        return f"{python} -m venv {folder} && {folder}/bin/pip install bumble==0.0.236"
    return (
        f"{python} -m venv bluetooth && bluetooth/bin/pip install bumble==0.0.236, "
        f"and ANEROID_BLE='env PYTHONPATH={here} bluetooth/bin/python -m aneroid.ble'"
    )


def main() -> int:
    """Runs the bridge. Returns 0 at the end of the input, 69 without a stack or radio."""
    logging.disable(logging.CRITICAL)
    # A parent that ignores or blocks a signal, such as a server, passes this setting to its
    # children.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    try:
        asyncio.run(serve())
    except ModuleNotFoundError as error:
        message = f"{sys.executable} has no module {error.name}; try: {install_command()}"
        print(json.dumps({"event": "gone", "what": message}), flush=True)
        return 69
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    # Exits without waiting for pending operations of the stack.
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
