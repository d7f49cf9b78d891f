"""Reads a SensorTag with Bumble's own client, independently of Aneroid.

usage: client.py TRANSPORT ADDRESS COUNT; prints the model, then the bytes of COUNT notifications of the humidity service.
"""

import asyncio
import sys

from bumble.device import Device, Peer
from bumble.transport import open_transport


def tag(number: int) -> str:
    return f"F000{number:04X}-0451-4000-B000-000000000000"


async def main() -> None:
    transport, address, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    async with await open_transport(transport) as hci:
        device = Device.with_hci("client", "F0:F1:F2:F3:F4:F5", hci.source, hci.sink)
        await device.power_on()
        connection = await device.connect(address, timeout=60)
        peer = Peer(connection)
        await peer.discover_all()

        def find(uuid: str):
            return next(c for s in peer.services for c in s.characteristics if c.uuid.to_hex_str("-").upper() == uuid)

        print("model", (await find("2A24").read_value()).decode())
        data, configuration, period = (find(tag(number)) for number in (0xAA21, 0xAA22, 0xAA23))
        await period.write_value(bytes([30]), with_response=True)
        values: asyncio.Queue = asyncio.Queue()
        await data.subscribe(lambda value: values.put_nowait(bytes(value)))
        await configuration.write_value(b"\x01", with_response=True)
        for _ in range(count):
            print("notified", (await asyncio.wait_for(values.get(), 60)).hex(), flush=True)
        await configuration.write_value(b"\x00", with_response=True)
        print("off", (await data.read_value()).hex())
        await connection.disconnect()


asyncio.run(main())
