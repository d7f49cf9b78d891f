"""Reads a described part with an unmodified driver of its maker's or a community's library.

usage: read_part.py DRIVER, such as sht4x or sht4x_sensirion; prints the values in C, %, hPa, V, A, W, lx or ppm, separated by spaces
"""

import sys
import time


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


def dps310(bus):
    from adafruit_dps310.basic import DPS310
    part = DPS310(bus)
    return part.temperature, part.pressure


def sensirion(make):
    from sensirion_driver_adapters.i2c_adapter.linux_i2c_channel_provider import LinuxI2cChannelProvider
    with LinuxI2cChannelProvider("/dev/i2c-1") as provider:
        return make(provider.get_channel(slave_address=0x44, crc_parameters=(8, 0x31, 0xFF, 0x00)))


def sht4x_sensirion(_):
    from sensirion_i2c_sht4x.device import Sht4xDevice

    def read(channel):
        part = Sht4xDevice(channel)
        part.serial_number()
        return [value.value for value in part.measure_high_precision()]
    return sensirion(read)


def sht3x_sensirion(_):
    from sensirion_i2c_sht3x.commands import Repeatability
    from sensirion_i2c_sht3x.device import Sht3xDevice
    return sensirion(lambda channel: [
        value.value for value in Sht3xDevice(channel).measure_single_shot(Repeatability(1), False)])


def scd4x_sensirion(_):
    from sensirion_i2c_driver import I2cConnection, LinuxI2cTransceiver
    from sensirion_i2c_scd import Scd4xI2cDevice
    with LinuxI2cTransceiver("/dev/i2c-1") as transceiver:
        part = Scd4xI2cDevice(I2cConnection(transceiver))
        part.stop_periodic_measurement()
        part.reinit()
        time.sleep(0.03)
        part.read_serial_number()
        part.start_periodic_measurement()
        while not part.get_data_ready_status():
            time.sleep(0.1)
        co2, temperature, humidity = part.read_measurement()
        return temperature.degrees_celsius, humidity.percent_rh, co2.co2


def ina219_pi(_):
    from ina219 import INA219
    part = INA219(0.1, address=0x40, busnum=1)
    part.configure()
    time.sleep(0.1)
    return part.voltage(), part.current() / 1000, part.power() / 1000


def si7021_smbus(_):
    import smbus2
    from si7021 import Si7021
    humidity, temperature = Si7021(smbus2.SMBus(1)).read()
    return temperature, humidity


def htu21df(_):
    from htu21 import HTU21
    part = HTU21()
    return part.read_temperature(), part.read_humidity()


def ads1115_smbus(_):
    from ADS1115 import ADS1115
    part = ADS1115()
    return [part.readADCSingleEnded(channel, 4096, 250) / 1000 for channel in range(4)]


class MicroPythonBus:
    """MicroPython's bus, on Linux."""

    def __init__(self):
        import smbus2
        self.bus, self.message = smbus2.SMBus(1), smbus2.i2c_msg

    def writeto(self, address, data):
        self.bus.i2c_rdwr(self.message.write(address, list(data)))

    def readfrom_mem(self, address, register, count):
        read = self.message.read(address, count)
        self.bus.i2c_rdwr(self.message.write(address, [register]), read)
        return bytes(list(read))

    def readfrom_mem_into(self, address, register, buffer):
        buffer[:] = self.readfrom_mem(address, register, len(buffer))


def ms5611(_):
    from types import ModuleType
    sys.modules["micropython"] = ModuleType("micropython")
    sys.modules["micropython"].const = lambda value: value
    time.sleep_ms = lambda count: time.sleep(count / 1000)
    from micropython_ms5611.ms5611 import MS5611
    part = MS5611(MicroPythonBus())
    while True:
        temperature, pressure = part.measurements
        print(f"{temperature:.2f} {pressure * 10:.2f}", flush=True)
        if sys.argv[2:] != ["loop"]:
            sys.exit()
        time.sleep(1)


def bus():
    try:
        from adafruit_extended_bus import ExtendedI2C
    except ImportError:
        return None
    return ExtendedI2C(1)


print(*globals()[sys.argv[1]](bus()))
