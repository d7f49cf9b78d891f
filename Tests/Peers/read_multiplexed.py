"""Reads a BME280 behind each of two channels of a TCA9548A with unmodified drivers.

usage: read_multiplexed.py; prints the temperatures at channels 0 and 2 in C, separated by a space
"""

from adafruit_bme280.basic import Adafruit_BME280_I2C
from adafruit_extended_bus import ExtendedI2C
from adafruit_tca9548a import TCA9548A

multiplexer = TCA9548A(ExtendedI2C(1))
parts = [Adafruit_BME280_I2C(multiplexer[channel], address=0x76) for channel in (0, 2)]
print(*(f"{part.temperature:.2f}" for part in parts))
