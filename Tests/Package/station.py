"""A newcomer's weather station: RPi.bme280 as its page shows it, and a warning of frost."""

import bme280
import smbus2

bus = smbus2.SMBus(1)
data = bme280.sample(bus, 0x76, bme280.load_calibration_params(bus, 0x76))
print(f"{data.temperature:.1f} °C", "frost!" if data.temperature < 0 else "")
