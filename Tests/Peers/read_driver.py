"""Reads a sensor on bus 1 through one of the drivers that people install, and prints its values.

usage: read_driver.py DRIVER [loop], with the driver's packages in PYTHONPATH
output: JSON with the temperature in C, the pressure in Pa and the humidity in %; once, or each second
"""

import json
import sys
import time


def rpi_bme280():
    import bme280
    import smbus2

    bus = smbus2.SMBus(1)
    calibration = bme280.load_calibration_params(bus, 0x76)

    def read():
        data = bme280.sample(bus, 0x76, calibration)
        return values(data.temperature, data.pressure * 100, data.humidity)

    return read


def bme280_0_7():
    from bme280 import bme280, bme280_i2c

    bme280_i2c.set_default_i2c_address(0x76)
    bme280_i2c.set_default_bus(1)
    bme280.setup()
    time.sleep(0.1)

    def read():
        data = bme280.read_all()
        return values(data.temperature, data.pressure * 100, data.humidity)

    return read


def pimoroni_bme280():
    import bme280
    import smbus2

    sensor = bme280.BME280(i2c_addr=0x76, i2c_dev=smbus2.SMBus(1))
    sensor.setup(mode="forced")

    def read():
        sensor.update_sensor()
        return values(sensor.temperature, sensor.pressure * 100, sensor.humidity)

    return read


def adafruit():
    from adafruit_bme280 import basic
    from adafruit_extended_bus import ExtendedI2C

    sensor = basic.Adafruit_BME280_I2C(ExtendedI2C(1), address=0x76)
    return lambda: values(sensor.temperature, sensor.pressure * 100, sensor.humidity)


def bme280pi():
    from bme280pi import Sensor

    sensor = Sensor(address=0x76)

    def read():
        data = sensor.get_data()
        return values(data["temperature"], data["pressure"] * 100, data["humidity"])

    return read


def aiobme280():
    import asyncio

    from aiobme280 import Sensor

    async def measure():
        sensor = Sensor("/dev/i2c-1", 0x76)
        # The first pressure is computed before any temperature is known.
        await sensor.read()
        data = await sensor.read()
        return values(data[1], data[0], data[2])

    return lambda: asyncio.new_event_loop().run_until_complete(measure())


def pimoroni_bmp280(settles=True):
    import bmp280
    import smbus2

    sensor = bmp280.BMP280(i2c_addr=0x76, i2c_dev=smbus2.SMBus(1))
    sensor.setup()
    if settles:
        time.sleep(0.2)

    def read():
        sensor.update_sensor()
        return values(sensor.temperature, sensor.pressure * 100, None)

    return read


def pimoroni_bmp280_at_once():
    return pimoroni_bmp280(settles=False)


def values(temperature, pressure, humidity):
    return {"temperature": temperature, "pressure": pressure, "humidity": humidity}


if __name__ == "__main__":
    read = globals()[sys.argv[1]]()
    print(json.dumps(read()), flush=True)
    while sys.argv[2:] == ["loop"]:
        time.sleep(1)
        print(json.dumps(read()), flush=True)
