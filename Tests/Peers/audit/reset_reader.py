"""Reads an SHT3x once a second after a soft reset, which a part that measures periodically does not acknowledge.

usage: reset_reader.py [stop], which stops the part before
"""

import fcntl
import os
import sys
import time

bus = os.open("/dev/i2c-1", os.O_RDWR)
fcntl.ioctl(bus, 0x0703, 0x44)


def start():
    if "stop" in sys.argv:
        os.write(bus, b"\x30\x93")
        time.sleep(0.001)
    os.write(bus, b"\x30\xA2")
    time.sleep(0.002)


is_started = False
while True:
    try:
        if not is_started:
            start()
            is_started = True
        os.write(bus, b"\x24\x00")
        time.sleep(0.016)
        data = os.read(bus, 6)
        celsius = -45 + 175 * int.from_bytes(data[:2], "big") / 65535
        humidity = 100 * int.from_bytes(data[3:5], "big") / 65535
        print(f"temperature {celsius:.2f} C humidity {humidity:.2f} %", flush=True)
    except OSError as error:
        print("error:", error, file=sys.stderr, flush=True)
    time.sleep(1)
