"""A reader of a BME280, correct unless its argument names one of its defects.

Each defect needs two or more things at once, so no fixed bench of an audit exposes it.
"""

import errno
import fcntl
import os
import struct
import sys
import time

DEFECT = sys.argv[1] if len(sys.argv) > 1 else ""


class Sensor:
    def __init__(self):
        self.file = os.open("/dev/i2c-1", os.O_RDWR)
        fcntl.ioctl(self.file, 0x0703, 0x76)
        self.errors = 0
        self.is_lost = False
        self.history = []
        self.has_failed = False
        self.start()

    def read(self, register, count):
        os.write(self.file, bytes([register]))
        data = os.read(self.file, count)
        if len(data) != count:
            raise OSError(errno.EIO, "short read")
        return data

    def write(self, register, value):
        os.write(self.file, bytes([register, value]))

    def start(self):
        if self.read(0xD0, 1) != b"\x60":
            raise OSError(errno.ENODEV, "no BME280")
        self.write(0xE0, 0xB6)
        time.sleep(0.01)
        while self.read(0xF3, 1)[0] & 1:
            time.sleep(0.002)
        low, high = self.read(0x88, 26), self.read(0xE1, 7)
        self.t = struct.unpack("<Hhh", low[:6])
        self.p = struct.unpack("<Hhhhhhhhh", low[6:24])
        e4, e5, e6 = high[3:6]
        h4 = struct.unpack("b", bytes([e4]))[0] * 16 + (e5 & 15)
        h5 = struct.unpack("b", bytes([e6]))[0] * 16 + (e5 >> 4)
        h2, h3 = struct.unpack("<hB", high[:3])
        self.h = (low[25], h2, h3, h4, h5, struct.unpack("b", high[6:7])[0])
        self.write(0xF2, 1)
        self.write(0xF4, 0)
        self.write(0xF5, 0)

    def trigger(self):
        if DEFECT == "lost-trigger" and self.errors % 2 == 1:
            # After an odd number of errors, a failed trigger is not noticed.
            try:
                self.write(0xF4, 0x25)
            except OSError:
                pass
        else:
            self.write(0xF4, 0x25)

    def measure(self):
        self.trigger()
        time.sleep(0.012)
        for _ in range(20):
            if not self.read(0xF3, 1)[0] & 8:
                break
            time.sleep(0.002)
        else:
            if DEFECT == "status-stuck" and self.has_failed:
                # After an error of another kind, a status with a wrong bit is believed for ever.
                while True:
                    time.sleep(1)
            raise OSError(errno.ETIMEDOUT, "busy")
        data = self.read(0xF7, 8)
        if self.read(0xF4, 1)[0] & 0xFC != 0x24 or self.read(0xF2, 1)[0] & 7 != 1:
            raise OSError(errno.EIO, "settings lost")
        return self.values(data)

    def values(self, data):
        p = data[0] << 12 | data[1] << 4 | data[2] >> 4
        t = data[3] << 12 | data[4] << 4 | data[5] >> 4
        h = data[6] << 8 | data[7]
        if 0xFFFFF in (p, t):
            raise OSError(errno.EIO, "no data")
        a = (t / 16384 - self.t[0] / 1024) * self.t[1]
        b = (t / 131072 - self.t[0] / 8192) ** 2 * self.t[2]
        fine = a + b
        v1 = fine / 2 - 64000
        v2 = v1 * v1 * self.p[5] / 32768 + v1 * self.p[4] * 2
        v2 = v2 / 4 + self.p[3] * 65536
        v1 = (self.p[2] * v1 * v1 / 524288 + self.p[1] * v1) / 524288
        v1 = (1 + v1 / 32768) * self.p[0]
        press = (1048576 - p - v2 / 4096) * 6250 / v1
        press += (self.p[8] * press * press / 2147483648 + press * self.p[7] / 32768 + self.p[6]) / 16
        x = fine - 76800
        x = (h - (self.h[3] * 64 + self.h[4] / 16384 * x)) * (
            self.h[1] / 65536 * (1 + self.h[5] / 67108864 * x * (1 + self.h[2] / 67108864 * x)))
        hum = max(0.0, min(100.0, x * (1 - self.h[0] * x / 524288)))
        return fine / 5120, press / 100, hum


def show(sensor, values):
    if DEFECT == "second-step" and len(sensor.history) > 2:
        # Two falls of pressure in a row of more than 30 hPa are taken for one.
        a, b = sensor.history[-2:]
        if a[1] - b[1] > 30 and b[1] - values[1] > 30:
            values = (values[0], b[1], values[2])
    if DEFECT == "frost" and sensor.errors and -1 < values[0] < 0:
        values = (-values[0], *values[1:])
    sensor.history.append(values)
    print(f"temperature {values[0]:.2f} C, pressure {values[1]:.2f} hPa, humidity {values[2]:.2f} %", flush=True)


def main():
    sensor = None
    next_time = time.monotonic()
    while True:
        try:
            if sensor is None:
                sensor = Sensor()
            elif sensor.is_lost:
                sensor.start()
            values = sensor.measure()
            sensor.is_lost = False
            show(sensor, values)
        except OSError as error:
            print(f"error: {error}", file=sys.stderr, flush=True)
            if sensor is not None:
                sensor.errors += 1
                sensor.is_lost = True
                if DEFECT == "two-kinds" and sensor.errors == 2 and error.errno == errno.EAGAIN:
                    # A second error of this kind leads to a state that nothing ends.
                    while True:
                        time.sleep(1)
                sensor.has_failed = sensor.has_failed or error.errno != errno.ETIMEDOUT
        next_time += 1
        time.sleep(max(next_time - time.monotonic(), 0))


main()
