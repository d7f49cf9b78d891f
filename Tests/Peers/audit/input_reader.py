"""Reads a part whose inputs are no air, once a second: input_reader.py PART [DEFECT...].

Right without a defect. Defects: "early" waits less than the part needs, "sign" takes a signed word for an unsigned one, "shift"
keeps the status bits below the bus voltage, "once" writes the settings at the start only, "channel" reads before the
converter has finished, so that it shows the channel before.
"""

import fcntl
import os
import struct
import sys
import time

ADDRESSES = {"ads1115": 0x48, "ina219": 0x40, "bh1750": 0x23}
part, defects = sys.argv[1], sys.argv[2:]
bus = os.open("/dev/i2c-1", os.O_RDWR)
fcntl.ioctl(bus, 0x0703, ADDRESSES[part])


def read_word(register, form):
    os.write(bus, bytes([register]))
    return struct.unpack(form, os.read(bus, 2))[0]


def write_word(register, word):
    os.write(bus, bytes([register, word >> 8, word & 0xFF]))


def channel(number):
    """One conversion of an ADS1115, +-4.096 V at 128 samples a second."""
    write_word(1, 0x8000 | (4 + number) << 12 | 1 << 9 | 1 << 8 | 4 << 5 | 3)
    if "channel" in defects:
        time.sleep(0.0075)
    else:
        while not read_word(1, ">H") & 0x8000:
            time.sleep(0.001)
    return read_word(0, ">h") * 4.096 / 32768


def ads1115():
    volts = [channel(number) for number in range(4)]
    return "  ".join(f"A{number}: {volt:.4f} V" for number, volt in enumerate(volts))


def configure():
    write_word(0, 0x399F)
    write_word(5, 4096)


def ina219():
    if "once" not in defects:
        configure()
    time.sleep(0.005)
    word = read_word(2, ">H")
    volts = word * 0.004 if "shift" in defects else (word >> 3) * 0.004
    amps = read_word(4, ">H" if "sign" in defects else ">h") * 0.0001
    return (
        f"Bus Voltage: {volts:.3f} V\nShunt Voltage: {read_word(1, '>h') * 0.01:.2f} mV\n"
        f"Current: {amps * 1000:.1f} mA\nPower: {read_word(3, '>H') * 2:.0f} mW"
    )


def bh1750():
    os.write(bus, b"\x20")
    time.sleep(0.12 if "early" in defects else 0.18)
    return f"Light: {struct.unpack('>H', os.read(bus, 2))[0] / 1.2:.1f} lx"


reading = {"ads1115": ads1115, "ina219": ina219, "bh1750": bh1750}[part]
is_configured = part != "ina219"
while True:
    try:
        if not is_configured:
            configure()
            is_configured = True
        print(reading(), flush=True)
    except OSError as error:
        print("error:", error, file=sys.stderr, flush=True)
    time.sleep(1)
