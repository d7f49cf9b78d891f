"""Reads the chip id and the calibration of a BME280 through an Automat board, as a phone does, with Bumble alone.

usage: read_automat.py TRANSPORT
"""

import asyncio
import sys

import bumble.transport
from bumble.device import Device, Peer
from bumble.hci import Address


async def main(name):
    async with await bumble.transport.open_transport(name) as hci:
        device = Device.with_hci("phone", Address("F0:F1:F2:F3:F4:F5"), hci.source, hci.sink)
        await device.power_on()
        found = asyncio.get_running_loop().create_future()

        def advertised(advertisement):
            if advertisement.data.get(0x09) == "AUTOMAT" and not found.done():
                found.set_result(advertisement.address)

        device.on("advertisement", advertised)
        await device.start_scanning(active=True)
        connection = await device.connect(await asyncio.wait_for(found, 20))
        peer = Peer(connection)
        await peer.discover_services()
        await peer.discover_characteristics()
        reads, writes = (
            next(one for one in peer.services for one in one.characteristics if one.uuid.to_hex_str().upper() == digits)
            for digits in ("FF92", "FF91")
        )

        async def request(*frame):
            await peer.write_value(reads, bytes(frame), with_response=True)
            return (await peer.read_value(reads)).hex()

        print(await request(0x76, 0xD0, 1))
        print(await request(0x76, 0x88, 18))
        # Beyond the limit of 18 bytes, and an absent part: no data.
        print("beyond:", await request(0x76, 0x88, 19))
        print("absent:", await request(0x20, 0xD0, 1))
        await peer.write_value(writes, bytes([0x76, 0xF5, 0x10]), with_response=True)
        print(await request(0x76, 0xF5, 1))
        await connection.disconnect()


asyncio.run(main(sys.argv[1]))
