"""Reads a part behind a serial port with Firmata, by a client from PyPI: its chip id once and, if it has one, continuously.

usage: read_firmata.py pymata4|pymata_express PORT ADDRESS REGISTER
"""

import asyncio
import sys
import time

client, port = sys.argv[1:3]
address, register = (int(word, 0) for word in sys.argv[3:])
values = []


def keep(data):
    values.append([int(value) for value in data[1:-1]])


async def keep_soon(data):
    keep(data)


def wait(count):
    end = time.monotonic() + 5
    while len(values) < count and time.monotonic() < end:
        time.sleep(0.01)


if client == "pymata4":
    from pymata4.pymata4 import Pymata4

    board = Pymata4(com_port=port, arduino_wait=0)
    board.set_pin_mode_i2c()
    board.i2c_write(address, [0xF2, 0x01])
    board.i2c_read(address, register, 1, callback=keep)
    wait(1)
    board.i2c_read_continuous(address, register, 1, callback=keep)
    wait(4)
    board.shutdown()
else:
    from pymata_express.pymata_express import PymataExpress

    async def read(board):
        await board.set_pin_mode_i2c()
        await board.i2c_read(address, register, 1, keep_soon)
        end = time.monotonic() + 5
        while not values and time.monotonic() < end:
            await asyncio.sleep(0.01)

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    board = PymataExpress(com_port=port, arduino_wait=0, loop=loop, autostart=False, close_loop_on_shutdown=False)
    loop.run_until_complete(board.start_aio())
    loop.run_until_complete(read(board))

print(values)
sys.stdout.flush()
