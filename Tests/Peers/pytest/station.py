"""A typical weather station: reads a BME280 with RPi.bme280 and prints a line.

usage: station.py [ADDRESS [BUS]]
"""

import json
import sys

import bme280
import smbus2

address = int(sys.argv[1], 0) if len(sys.argv) > 1 else 0x76
bus = smbus2.SMBus(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
calibration = bme280.load_calibration_params(bus, address)
data = bme280.sample(bus, address, calibration)
values = {"temperature": data.temperature, "pressure": data.pressure, "humidity": data.humidity}
print(json.dumps(values))
