"""Reads a sensor on bus 1 with one of the published drivers, and prints its values.

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


def adafruit_advanced():
    from adafruit_bme280 import advanced
    from adafruit_extended_bus import ExtendedI2C

    sensor = advanced.Adafruit_BME280_I2C(ExtendedI2C(1), address=0x76)
    sensor.mode = advanced.MODE_NORMAL
    sensor.standby_period = advanced.STANDBY_TC_500
    sensor.iir_filter = advanced.IIR_FILTER_X16
    sensor.overscan_pressure = advanced.OVERSCAN_X16
    sensor.overscan_humidity = advanced.OVERSCAN_X1
    sensor.overscan_temperature = advanced.OVERSCAN_X2
    time.sleep(1)
    return lambda: values(sensor.temperature, sensor.pressure * 100, sensor.humidity)


def adafruit_bmp280():
    import adafruit_bmp280
    from adafruit_extended_bus import ExtendedI2C

    sensor = adafruit_bmp280.Adafruit_BMP280_I2C(ExtendedI2C(1), address=0x76)
    return lambda: values(sensor.temperature, sensor.pressure * 100, None)


def adafruit_bme280_1():
    from Adafruit_BME280 import BME280
    from Adafruit_GPIO import I2C

    sensor = BME280(address=0x76, i2c=I2C, busnum=1)

    def read():
        # Order of the driver's example: the burst is read with the temperature.
        temperature = sensor.read_temperature()
        return values(temperature, sensor.read_pressure(), sensor.read_humidity())

    return read


def bme_driver():
    import smbus2
    from bme import BME280
    from bme.common import Oversampling

    sensor = BME280(smbus2.SMBus(1), 0x76)
    sensor.temperature_oversampling = Oversampling.oversample_1
    sensor.pressure_oversampling = Oversampling.oversample_1
    sensor.humidity_oversampling = Oversampling.oversample_1

    def read():
        sensor.update()
        data = sensor.measurement
        return values(data.temperature, data.pressure, data.humidity)

    return read


def bmp_280():
    from bmp_280 import BMP280

    sensor = BMP280(
        port=1, mode=BMP280.NORMAL_MODE, oversampling_p=BMP280.OVERSAMPLING_P_x16,
        oversampling_t=BMP280.OVERSAMPLING_T_x1, filter=BMP280.IIR_FILTER_OFF,
        standby=BMP280.T_STANDBY_1000,
    )
    time.sleep(0.2)
    return lambda: values(sensor.read_temperature(), sensor.read_pressure() * 100, None)


def bmp280lp():
    from bmp280lp import BMP280

    sensor = BMP280(mode=BMP280.NORMAL_MODE, standby=BMP280.T_STANDBY_0p5)
    time.sleep(0.2)

    def read():
        pressure = sensor.read_pressure() * 100
        return values(sensor.read_temperature(), pressure, sensor.read_humidity())

    return read


def cfredmond():
    from cfredmond_bme280 import bme280

    def read():
        data = bme280.readBME280All()
        return values(data["temperature"], data["pressure"] * 100, data["humidity"])

    return read


def greenponik():
    from GreenPonik_BME280.BME280 import BME280

    sensor = BME280()

    def read():
        data = sensor.read_bme280()
        return values(data[0], data[2] * 100, data[1])

    return read


def melopero():
    from melopero_bme280 import BME280

    sensor = BME280(i2c_address=BME280.I2C_ADDR_PRIM)
    sensor.set_weather_monitoring_configuration()

    def read():
        data = sensor.get_data()
        # The driver returns the humidity as a fraction.
        return values(data["T"], data["P"], data["H"] * 100)

    return read


def qwiic():
    import qwiic_bme280

    sensor = qwiic_bme280.QwiicBme280(address=0x76)
    if not sensor.begin():
        sys.exit("the sensor does not respond as expected")
    time.sleep(0.1)
    return lambda: values(sensor.temperature_celsius, sensor.pressure, sensor.humidity)


def xinabox():
    import contextlib

    # The package prints each of its steps.
    with contextlib.redirect_stdout(sys.stderr):
        from xSW01 import xSW01

        sensor = xSW01()
    time.sleep(0.1)

    def read():
        temperature, humidity, pressure = sensor.values()
        return values(temperature, pressure * 100, humidity)

    return read


def bme280_upy():
    from bme280 import BME280

    sensor = BME280(i2cBus=1, i2cAddr=0x76)

    def read():
        temperature, humidity, pressure = sensor.readForced()
        return values(temperature, pressure, humidity * 100)

    return read


def pamoja():
    from pamoja.hal import I2cBus
    from pamoja.sensors import Bme280

    sensor = Bme280(I2cBus.open("/dev/i2c-1"), 0x76)

    def read():
        data = sensor.measure()
        return values(data.celsius, data.pascals, data.relative_humidity_percent)

    return read


def envirophat():
    import importlib.util
    import pathlib

    import smbus2

    # The package opens all parts of its board on import; only this one exists.
    folder = next(path for path in sys.path if (pathlib.Path(path) / "envirophat").is_dir())
    place = pathlib.Path(folder) / "envirophat" / "bmp280.py"
    specification = importlib.util.spec_from_file_location("bmp280", place)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    sensor = module.bmp280(smbus2.SMBus(1), addr=0x76)
    return lambda: values(sensor.temperature(), sensor.pressure(), None)


def piicodev():
    from PiicoDev_BME280 import PiicoDev_BME280

    sensor = PiicoDev_BME280(bus=1, address=0x76)
    return lambda: values(*sensor.values())


def bmp_sensors():
    from bmp_sensors.BME280 import BME280, BME280_Mode

    sensor = BME280(1, 0)
    sensor.SetMode(BME280_Mode.NORMAL)

    def read():
        temperature = sensor.MeasureTemperature()
        return values(temperature, sensor.MeasurePressure() * 100, sensor.MeasureHumidity())

    return read


def bmp_sensors_bmp280():
    from bmp_sensors.BMP280 import BMP280, BMP280_Mode

    sensor = BMP280(1, 0)
    sensor.SetMode(BMP280_Mode.NORMAL)
    return lambda: values(sensor.MeasureTemperature(), sensor.MeasurePressure() * 100, None)


def values(temperature, pressure, humidity):
    return {"temperature": temperature, "pressure": pressure, "humidity": humidity}


if __name__ == "__main__":
    read = globals()[sys.argv[1]]()
    print(json.dumps(read()), flush=True)
    while sys.argv[2:] == ["loop"]:
        time.sleep(1)
        print(json.dumps(read()), flush=True)
