"""Reads the temperature of an MCP9808 each second: `check` compares its two id registers, `read` only reads them."""

import fcntl
import os
import sys
import time

BUS = os.open("/dev/i2c-1", os.O_RDWR)
fcntl.ioctl(BUS, 0x0703, 0x18)


def register(number):
    """Returns the word in a register."""
    os.write(BUS, bytes([number]))
    return int.from_bytes(os.read(BUS, 2), "big")


def celsius():
    """Returns the temperature, after a conversion has ended."""
    time.sleep(0.5)
    code = register(0x05) & 0x1FFF
    return (code - 0x2000 if code & 0x1000 else code) / 16


while True:
    try:
        if sys.argv[1:] in (["check"], ["read"]):
            identity = register(0x06), register(0x07) >> 8
            if sys.argv[1] == "check" and identity != (0x54, 0x04):
                sys.exit(f"not an MCP9808: {identity}")
        print(f"{celsius():.4f} C", flush=True)
    except OSError as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
    time.sleep(1)
