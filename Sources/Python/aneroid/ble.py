"""A bridge between JSON lines and Bluetooth LE: ``python -m aneroid.ble``.

The stack is Google's Bumble (``pip install aneroid[ble]``). It reads commands from standard input and writes events
to standard output, one JSON object per line; the documentation page BluetoothBridge lists them. Commands open radios: any
number of virtual ones that share an air, or one on an HCI transport such as ``usb:0``. The bridge ends with its input.
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

from .bleradio import Line, Radio, Refused
from .blestack import Stack


class Bridge:
    """The radios, the input of commands and the output of events."""

    def __init__(self) -> None:
        self.stack = Stack()
        self.radios: typing.Dict[int, Radio] = {}
        self.air: typing.Any = None
        self.kind: typing.Any = None
        self.kept: typing.List[typing.Any] = []
        #: The controllers of virtual radios by radio number.
        self.virtual: typing.Dict[int, typing.Any] = {}
        self.tasks: typing.Set[asyncio.Task[None]] = set()

    def say(self, line: Line) -> None:
        line["t"] = time.monotonic_ns()
        sys.stdout.write(json.dumps(line, separators=(",", ":")) + "\n")
        sys.stdout.flush()

    def controller(self, **host: typing.Any) -> typing.Any:
        if self.air is None:
            self.air = self.stack.virtual_air()
            self.kind = self.stack.virtual_controller(self.air)
        controller = self.kind("aneroid", link=self.air, **host)
        self.kept.append(controller)
        return controller

    async def expose(self, name: str) -> None:
        transport = await self.stack.transport.open_transport(name)
        self.kept.append(transport)
        controller = self.controller(host_source=transport.source, host_sink=transport.sink)
        self.stack.watch(transport, controller)

    async def open(self, line: Line) -> Line:
        """Opens a radio: a virtual one, or one on a Bumble transport."""
        number, name = line["radio"], line.get("transport", "virtual")
        if number in self.radios:
            raise Refused("other", what=f"radio {number} is open")
        if name == "virtual":
            host = self.stack.host.Host()
            controller = self.virtual[number] = self.controller()
            host.controller = controller
        else:
            transport = await self.stack.transport.open_transport(name)
            self.kept.append(transport)
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

    def end(self, why: str) -> None:
        self.say({"event": "gone", "what": why})
        os._exit(69)

    async def carry_out(self, line: Line) -> None:
        """Executes a command and reports its result."""
        answer: Line = {"radio": line.get("radio"), "id": line.get("id")}
        try:
            if line.get("do") == "open":
                found: typing.Optional[Line] = await self.open(line)
            else:
                radio = self.radios[line["radio"]]
                command = getattr(radio, "do_" + str(line.get("do")).replace("-", "_"))
                if "connection" in line and line.get("do") in ("mtu", "discover", "read", "write", "subscribe"):
                    async with radio.order.setdefault(line["connection"], asyncio.Lock()):
                        found = await command(line)
                elif line.get("do") == "connect":
                    async with radio.order.setdefault("connect", asyncio.Lock()):
                        found = await command(line)
                else:
                    found = await command(line)
        except Refused as error:
            self.say({**answer, "event": "failed", **error.line})
        except self.stack.att.ATT_Error as error:
            self.say({**answer, "event": "failed", "error": "refused", "code": int(error.error_code)})
        except (self.stack.core.TimeoutError, asyncio.TimeoutError):
            self.say({**answer, "event": "failed", "error": "timeout"})
        except asyncio.CancelledError:
            # If a connection ends, Bumble cancels its pending requests; any other cancellation is the end of the bridge.
            if not self.is_gone(line):
                raise
            self.say({**answer, "event": "failed", "error": "disconnected"})
        except Exception as error:  # The bridge continues after any error of the stack.
            is_gone = self.is_gone(line)
            what = f"{type(error).__name__}: {error}"
            self.say({**answer, "event": "failed", "error": "disconnected" if is_gone else "other", "what": what})
        else:
            if found is not None:
                self.say({**answer, "event": "done", **found})

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
                self.say({"event": "failed", "id": None, "error": "other", "what": f"invalid command: {error}"})
                continue
            task = asyncio.ensure_future(self.carry_out(line))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)


async def serve() -> None:
    """Runs a bridge until its input ends."""
    await Bridge().run()


def way_in(python: str = sys.executable) -> str:
    """Returns the command that installs Bumble for this Python; for an externally managed one, in a virtual environment."""
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
    """Runs the program: returns 0 at the end of the input, 69 without a stack or radio."""
    logging.disable(logging.CRITICAL)
    # A parent that ignores or blocks a signal, such as a server, passes that on to its children.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    try:
        asyncio.run(serve())
    except ModuleNotFoundError as error:
        what = f"{sys.executable} has no module {error.name}; try: {way_in()}"
        print(json.dumps({"event": "gone", "what": what}), flush=True)
        return 69
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    # Ends all pending operations of the stack.
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
