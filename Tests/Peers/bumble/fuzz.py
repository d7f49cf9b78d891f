"""Sends malformed Attribute Protocol messages, below Bumble's own client and server.

usage: fuzz.py client TRANSPORT ADDRESS COUNT SEED: connects to a tag and sends COUNT messages;
between them it reads the device name, which must succeed every time. fuzz.py server TRANSPORT
COUNT SEED: advertises as a tag and sends COUNT random responses. Both print a summary.
"""

import asyncio
import logging
import random
import sys
import time

from bumble import att
from bumble.device import AdvertisingData, Device
from bumble.transport import open_transport

logging.disable(logging.CRITICAL)
REQUESTS = [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x1E, 0x20, 0x52, 0xD2]


def handle(chance: random.Random) -> bytes:
    return chance.choice([chance.randrange(0x80), chance.randrange(0x10000), 0, 0xFFFF]).to_bytes(2, "little")


def malformed(chance: random.Random) -> bytes:
    """Returns noise, a nearly valid request, or a truncated request."""
    kind = chance.randrange(4)
    if kind == 0:
        return chance.randbytes(chance.randrange(1, 60))
    pdu = bytes([chance.choice(REQUESTS)]) + handle(chance)
    if pdu[0] in (0x04, 0x06, 0x08, 0x10):
        pdu += handle(chance) + chance.choice([b"\x00\x28", b"\x03\x28", b"\x01\x28", chance.randbytes(16), b""])
    elif pdu[0] in (0x0C, 0x16):
        pdu += chance.randbytes(2) + chance.randbytes(chance.randrange(24))
    elif pdu[0] in (0x12, 0x52, 0xD2):
        pdu += chance.randbytes(chance.choice([0, 1, 1, 2, 20, 200]))
    return pdu[: chance.randrange(1, len(pdu) + 1)] if kind == 1 else pdu


async def attack(transport: str, address: str, count: int, seed: int) -> None:
    chance = random.Random(seed)
    async with await open_transport(transport) as hci:
        device = Device.with_hci("fuzz", "F0:F1:F2:F3:F4:F6", hci.source, hci.sink)
        await device.power_on()
        connection = await device.connect(address, timeout=30)
        pdus: asyncio.Queue = asyncio.Queue()
        device.l2cap_channel_manager.register_fixed_channel(att.ATT_CID, lambda _, pdu: pdus.put_nowait(bytes(pdu)))

        async def name(prefix: bytes = b"") -> bytes:
            """Reads the name; ignores the responses to malformed messages, including other texts
            that contain the name."""
            connection.send_l2cap_pdu(att.ATT_CID, b"\x0a\x03\x00")
            while True:
                pdu = await asyncio.wait_for(pdus.get(), 60)
                if pdu[0] == 0x0B and b"ensor" in pdu and pdu.startswith(prefix):
                    return pdu

        first = await name()
        start = time.monotonic()
        sent, received = 0, 0
        while sent < count:
            for _ in range(min(50, count - sent)):
                connection.send_l2cap_pdu(att.ATT_CID, malformed(chance))
                sent += 1
            received += pdus.qsize()
            await name(first[:22])
        print(f"sent {sent} in {time.monotonic() - start:.1f} s; every read of the name succeeded")
        await connection.disconnect()


def answer(chance: random.Random, request: bytes) -> bytes:
    """Returns a random response: the right opcode with wrong contents, an error, or noise."""
    kind = chance.randrange(8)
    if kind == 0:
        return chance.randbytes(chance.randrange(1, 40))
    if kind == 1:
        return b"\x01" + request[:1] + handle(chance) + bytes([chance.choice([1, 5, 10, chance.randrange(256)])])
    body = chance.randbytes(chance.randrange(22))
    if request[0] == 0x10:
        first, last = sorted(chance.randrange(1, 0x10000) for _ in range(2))
        body = b"\x06" + first.to_bytes(2, "little") + last.to_bytes(2, "little") + chance.randbytes(2)
    if request[0] == 0x08:
        body = b"\x07" + request[1:3] + chance.randbytes(1) + handle(chance) + chance.randbytes(2)
    return bytes([request[0] + 1]) + (body if kind > 2 else body[: chance.randrange(len(body) + 1)])


async def lure(transport: str, count: int, seed: int) -> None:
    chance = random.Random(seed)
    async with await open_transport(transport) as hci:
        device = Device.with_hci("fuzz", "F0:F1:F2:F3:F4:F6", hci.source, hci.sink)
        await device.power_on()
        answered = 0
        last = (0.0, 0, b"")
        end = asyncio.get_running_loop().create_future()

        def reject(connection: object, request: bytes) -> None:
            """Completes a request that noise left open, so that the peer does not wait for its
            timeout of 30 s."""
            connection.send_l2cap_pdu(att.ATT_CID, b"\x01" + request + b"\x00\x00\x0e")

        def receive(number: int, pdu: bytes) -> None:
            nonlocal answered, last
            last = (time.monotonic(), number, bytes(pdu[:1]))
            connection = device.lookup_connection(number)
            if connection is None:
                return
            if chance.randrange(3) == 0:
                noise = b"\x1b" + handle(chance) + chance.randbytes(chance.randrange(30))
                connection.send_l2cap_pdu(att.ATT_CID, noise[: chance.randrange(1, len(noise) + 1)])
                answered += 1
            response = answer(chance, bytes(pdu))
            connection.send_l2cap_pdu(att.ATT_CID, response)
            answered += 1
            if response[0] not in (0x01, pdu[0] + 1):
                reject(connection, bytes(pdu[:1]))
            if answered >= count and not end.done():
                end.set_result(None)

        device.l2cap_channel_manager.register_fixed_channel(att.ATT_CID, receive)
        data = AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, b"CC2650 SensorTag")])
        await device.start_advertising(auto_restart=True, advertising_data=bytes(data), advertising_interval_min=20,
                                       advertising_interval_max=20)
        print("ready", flush=True)
        while not end.done():
            await asyncio.wait([end], timeout=1)
            moment, number, request = last
            connection = device.lookup_connection(number)
            if connection is not None and time.monotonic() - moment > 1:
                reject(connection, request)
        print(f"answered {answered}", flush=True)


if sys.argv[1] == "client":
    asyncio.run(attack(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])))
else:
    asyncio.run(lure(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
