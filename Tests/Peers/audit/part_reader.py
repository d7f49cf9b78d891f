"""Reads an SHT4x once a second with plain system calls, right or with one published kind of defect.

usage: part_reader.py [DEFECT]
  sign      the sign of a temperature is lost between -1 and 0 C
  tenths    a decimal that begins with 0 loses it
  early     waits for the typical time, and does not try again
  crc       does not check the checksum
  unsigned  computes the humidity without a sign
  stale     prints the last values again if a read fails
"""

import fcntl
import os
import sys
import time

defect = sys.argv[1] if len(sys.argv) > 1 else ""
bus = os.open("/dev/i2c-1", os.O_RDWR)
fcntl.ioctl(bus, 0x0703, 0x44)


def checksum(data):
    value = 0xFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value << 1 ^ 0x31) & 0xFF if value & 0x80 else value << 1
    return value


def measure():
    os.write(bus, b"\xFD")
    time.sleep(0.0070 if defect == "early" else 0.0085)
    data = os.read(bus, 6)
    for word in (data[:3], data[3:]):
        if defect != "crc" and checksum(word[:2]) != word[2]:
            raise OSError("checksum")
    return -45 + 175 * int.from_bytes(data[:2], "big") / 65535, -6 + 125 * int.from_bytes(data[3:5], "big") / 65535


last = None
while True:
    try:
        last = measure()
    except OSError as error:
        if defect != "stale" or not last:
            print("error:", error, flush=True)
            time.sleep(1)
            continue
    celsius, humidity = last
    if defect == "unsigned":
        humidity = (round(humidity * 100) & 0xFFFF) / 100
    text = f"{celsius:.2f}"
    if defect == "sign" and -1 < celsius < 0:
        text = text[1:]
    if defect == "tenths":
        whole, rest = divmod(round(abs(celsius) * 100), 100)
        text = f"{'-' if celsius < 0 else ''}{whole}.{rest}"
    print(f"temperature {text} C humidity {humidity:.2f} %", flush=True)
    time.sleep(1)
