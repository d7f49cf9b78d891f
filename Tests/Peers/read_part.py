"""Reads a described part with an unmodified driver of its maker's or a community's library.

usage: read_part.py PART; prints the values in C, %, V, lx or ppm, separated by spaces
"""

import sys
import time

from adafruit_extended_bus import ExtendedI2C


def sht4x(bus):
    from adafruit_sht4x import SHT4x
    return SHT4x(bus).measurements


def sht3x(bus):
    from adafruit_sht31d import SHT31D
    part = SHT31D(bus)
    return part.temperature, part.relative_humidity


def aht20(bus):
    from adafruit_ahtx0 import AHTx0
    part = AHTx0(bus)
    return part.temperature, part.relative_humidity


aht10 = aht20


def htu21d(bus):
    from adafruit_htu21d import HTU21D
    part = HTU21D(bus)
    return part.temperature, part.relative_humidity


def si7021(bus):
    from adafruit_si7021 import SI7021
    part = SI7021(bus)
    assert part.device_identifier == "Si7021", part.device_identifier
    return part.temperature, part.relative_humidity


def hdc1080(bus):
    from hdc1080 import HDC1080
    part = HDC1080(bus)
    return part.temperature, part.humidity


def ads1115(bus):
    from adafruit_ads1x15.ads1115 import ADS1115
    from adafruit_ads1x15.analog_in import AnalogIn
    part = ADS1115(bus)
    return [AnalogIn(part, channel).voltage for channel in range(4)] + [AnalogIn(part, 0, 1).voltage]


def mcp9808(bus):
    from adafruit_mcp9808 import MCP9808
    part = MCP9808(bus)
    time.sleep(0.3)
    return [part.temperature]


def tmp117(bus):
    from adafruit_tmp117 import TMP117
    return [TMP117(bus).temperature]


def lm75(bus):
    from adafruit_pct2075 import PCT2075
    part = PCT2075(bus, 0x48)
    time.sleep(0.3)
    return [part.temperature]


def bh1750(bus):
    from adafruit_bh1750 import BH1750
    return [BH1750(bus).lux]


def scd4x(bus):
    from adafruit_scd4x import SCD4X
    part = SCD4X(bus)
    part.start_periodic_measurement()
    while not part.data_ready:
        time.sleep(1)
    return part.temperature, part.relative_humidity, part.CO2


def ina219(bus):
    from adafruit_ina219 import INA219
    part = INA219(bus)
    return part.bus_voltage, part.shunt_voltage


print(*globals()[sys.argv[1]](ExtendedI2C(1)))
