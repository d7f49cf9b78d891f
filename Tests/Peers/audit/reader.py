"""A reader of a BME280 or BMP280 on /dev/i2c-N that follows the data sheet.

usage: reader.py [BUS [ADDRESS]]
Prints a line each second, endlessly: temperature in C, pressure in hPa, humidity in %.
"""

import fcntl
import os
import sys
import time

I2C_SLAVE = 0x0703


class Sensor:
    def __init__(self, bus, address):
        self.file = os.open(f"/dev/i2c-{bus}", os.O_RDWR)
        fcntl.ioctl(self.file, I2C_SLAVE, address)
        self.fine = 0.0
        try:
            self.start()
        except OSError:
            self.close()
            raise

    def close(self):
        os.close(self.file)

    def start(self):
        self.id = self.read(0xD0, 1)[0]
        if self.id not in (0x58, 0x60):
            raise OSError(f"unknown chip 0x{self.id:02x}")
        self.has_humidity = self.id == 0x60
        self.write(0xE0, 0xB6)
        time.sleep(0.003)
        self.wait(0x01)
        self.calibrate()

    def read(self, register, count):
        os.write(self.file, bytes([register]))
        return os.read(self.file, count)

    def write(self, register, value):
        os.write(self.file, bytes([register, value]))

    def wait(self, bit):
        for _ in range(100):
            if not self.read(0xF3, 1)[0] & bit:
                return
            time.sleep(0.001)
        raise OSError("the sensor stays busy")

    def calibrate(self):
        low = self.read(0x88, 24)

        def unsigned(index):
            return low[index] | low[index + 1] << 8

        def signed(index):
            value = unsigned(index)
            return value - 65536 if value & 0x8000 else value

        self.t = [unsigned(0), signed(2), signed(4)]
        self.p = [unsigned(6)] + [signed(index) for index in range(8, 24, 2)]
        if not self.has_humidity:
            return
        h1 = self.read(0xA1, 1)[0]
        high = self.read(0xE1, 7)
        h2 = high[0] | high[1] << 8
        if h2 & 0x8000:
            h2 -= 65536
        h3 = high[2]
        h4 = high[3] << 4 | high[4] & 0x0F
        if h4 & 0x800:
            h4 -= 4096
        h5 = high[5] << 4 | high[4] >> 4
        if h5 & 0x800:
            h5 -= 4096
        h6 = high[6]
        if h6 & 0x80:
            h6 -= 256
        self.h = [h1, h2, h3, h4, h5, h6]

    def measure(self):
        self.wait(0x01)
        self.write(0xF5, 0x00)
        self.write(0xF2, 0x01)
        self.write(0xF4, 0x25)
        time.sleep(0.010)
        self.wait(0x08)
        data = self.read(0xF7, 8)
        raw_p = data[0] << 12 | data[1] << 4 | data[2] >> 4
        raw_t = data[3] << 12 | data[4] << 4 | data[5] >> 4
        raw_h = data[6] << 8 | data[7]
        temperature = self.temperature(raw_t)
        pressure = self.pressure(raw_p)
        humidity = self.humidity(raw_h) if self.has_humidity else None
        return temperature, pressure, humidity

    def temperature(self, raw):
        t1, t2, t3 = self.t
        one = (raw / 16384 - t1 / 1024) * t2
        two = (raw / 131072 - t1 / 8192) ** 2 * t3
        self.fine = one + two
        return self.fine / 5120

    def pressure(self, raw):
        p1, p2, p3, p4, p5, p6, p7, p8, p9 = self.p
        one = self.fine / 2 - 64000
        two = one * one * p6 / 32768
        two += one * p5 * 2
        two = two / 4 + p4 * 65536
        one = (p3 * one * one / 524288 + p2 * one) / 524288
        one = (1 + one / 32768) * p1
        if one == 0:
            raise OSError("the calibration is empty")
        value = 1048576 - raw
        value = (value - two / 4096) * 6250 / one
        one = p9 * value * value / 2147483648
        two = value * p8 / 32768
        return value + (one + two + p7) / 16

    def humidity(self, raw):
        h1, h2, h3, h4, h5, h6 = self.h
        value = self.fine - 76800
        value = (raw - (h4 * 64 + h5 / 16384 * value)) * (
            h2 / 65536 * (1 + h6 / 67108864 * value * (1 + h3 / 67108864 * value))
        )
        value *= 1 - h1 * value / 524288
        return min(max(value, 0), 100)


def main():
    bus = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    address = int(sys.argv[2], 0) if len(sys.argv) > 2 else 0x76
    sensor = None
    while True:
        try:
            sensor = sensor or Sensor(bus, address)
            temperature, pressure, humidity = sensor.measure()
            line = f"temperature {temperature:.2f} C, pressure {pressure / 100:.2f} hPa"
            if humidity is not None:
                line += f", humidity {humidity:.2f} %"
            print(line, flush=True)
        except OSError as error:
            print(f"no reading: {error}", file=sys.stderr, flush=True)
            if sensor:
                sensor.close()
            sensor = None
        time.sleep(1)


main()
