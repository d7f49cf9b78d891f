"""A served bus, and what the data sheet's arithmetic gives for what its trace holds."""

import json
import pathlib
import re
import subprocess
import tempfile
import time


class Served:
    """`aneroid serve` in a folder of its own, while a client uses it."""

    def __init__(self, aneroid, transport, *arguments, address=None):
        self.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self.folder.name)
        self.socket = folder / "bus.socket"
        self.trace = folder / "bus.i2ctrace"
        self.errors = folder / "errors"
        where = address or str(self.socket)
        with open(self.errors, "w") as errors:
            self.process = subprocess.Popen(
                [aneroid, "serve", f"--{transport}", where, "--trace", str(self.trace), *arguments],
                stdout=subprocess.PIPE, stderr=errors, encoding="utf-8")
        # The line to type is printed when the transport is open.
        self.line = self.process.stdout.readline()
        assert self.line, f"serve: {self.errors.read_text()}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end()

    def end(self):
        """Ends the server; returns its report."""
        self.process.terminate()
        status = self.process.wait(10)
        report = self.errors.read_text()
        assert status == 0, f"serve ended with {status}: {report}"
        assert not self.socket.exists(), "serve left its socket"
        return report

    def processor(self):
        """Returns the processor time of the server so far, in microseconds."""
        return int(pathlib.Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[0]) / 1000

    def transfers(self):
        """Returns the transfers of the trace: time in ns, address, written bytes, read bytes, error."""
        found = []
        # A trace begins with the first transfer.
        if not self.trace.exists():
            return found
        for line in self.trace.read_text().splitlines()[1:]:
            event = json.loads(line)
            if "m" not in event:
                continue
            written = b"".join(bytes.fromhex(message.get("w", "")) for message in event["m"])
            read = b"".join(bytes.fromhex(message.get("r", "")) for message in event["m"])
            found.append((event["t"], int(event["a"], 16), written, read, event.get("e")))
        return found


def registers(transfers, address):
    """Returns the last value read of each register of a part with one pointer byte."""
    values = {}
    for _, target, written, read, error in transfers:
        if target == address and not error and len(written) == 1:
            for offset, byte in enumerate(read):
                values[written[0] + offset] = byte
    return values


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def bme280(values):
    """Returns temperature in 0.01 C, pressure in Pa/256 and humidity in %/1024.

    Source: BME280 data sheet (BST-BME280-DS002), 4.2.3 and appendix 8.2, in exact integers.
    """
    def word(register, is_signed=True):
        raw = values[register] | values[register + 1] << 8
        return signed(raw, 16) if is_signed else raw

    t1, t2, t3 = word(0x88, False), word(0x8A), word(0x8C)
    p = [word(0x8E, False)] + [word(0x90 + 2 * index) for index in range(8)]
    h1, h2, h3 = values[0xA1], word(0xE1), values[0xE3]
    h4 = signed(values[0xE4] << 4 | values[0xE5] & 0xF, 12)
    h5 = signed(values[0xE6] << 4 | values[0xE5] >> 4, 12)
    h6 = signed(values[0xE7], 8)
    adc_p = values[0xF7] << 12 | values[0xF8] << 4 | values[0xF9] >> 4
    adc_t = values[0xFA] << 12 | values[0xFB] << 4 | values[0xFC] >> 4
    adc_h = values[0xFD] << 8 | values[0xFE]

    v1 = (((adc_t >> 3) - (t1 << 1)) * t2) >> 11
    v2 = (((((adc_t >> 4) - t1) * ((adc_t >> 4) - t1)) >> 12) * t3) >> 14
    fine = v1 + v2
    temperature = (fine * 5 + 128) >> 8

    v1 = fine - 128000
    v2 = v1 * v1 * p[5] + ((v1 * p[4]) << 17) + (p[3] << 35)
    v1 = ((v1 * v1 * p[2]) >> 8) + ((v1 * p[1]) << 12)
    v1 = (((1 << 47) + v1) * p[0]) >> 33
    quotient = ((((1048576 - adc_p) << 31) - v2) * 3125) // v1
    v1 = (p[8] * (quotient >> 13) * (quotient >> 13)) >> 25
    v2 = (p[7] * quotient) >> 19
    pressure = ((quotient + v1 + v2) >> 8) + (p[6] << 4)

    x = fine - 76800
    y = (((adc_h << 14) - (h4 << 20) - (h5 * x)) + 16384) >> 15
    z = (((((((x * h6) >> 10) * (((x * h3) >> 11) + 32768)) >> 10) + 2097152) * h2) + 8192) >> 14
    x = y * z
    x -= ((((x >> 15) * (x >> 15)) >> 7) * h1) >> 4
    return temperature, pressure, min(max(x, 0), 419430400) >> 12


def dps310(values):
    """Returns the pressure in Pa at one sample per result, exact and as Linux computes it in 64 bits.

    Source: DPS310 data sheet, 4.9.1; Linux, drivers/iio/pressure/dps310.c, whose product p³·c30 can exceed 64 bits.
    """
    word = int.from_bytes(bytes(values[0x10 + index] for index in range(18)), "big")

    def field(start, bits):
        return signed(word >> (144 - start - bits) & (1 << bits) - 1, bits)

    c00, c10 = field(24, 20), field(44, 20)
    c01, c11, c20, c21, c30 = (field(64 + 16 * index, 16) for index in range(5))
    p, t = (signed(int.from_bytes(bytes(values[start + index] for index in range(3)), "big"), 24) for start in (0, 3))
    k = 524288
    cubic = p**3 * c30

    def pressure(cubic):
        return c00 + p * c10 / k + p**2 * c20 / k**2 + cubic / k**3 + t * c01 / k + t * p * c11 / k**2 + t * p**2 * c21 / k**3

    return pressure(cubic), pressure(signed(cubic & (1 << 64) - 1, 64))


def number(text, name):
    """Returns the number of a line `name VALUE` in a guest's output."""
    found = re.search(rf"(?m)^{re.escape(name)} (\S+)$", text)
    assert found, f"the guest printed no {name}:\n{text}"
    return float(found[1])


#: Waits for the served bus in a guest, and sets n to its number.
WAIT_FOR_BUS = """
tries=0
while ! grep -ls "$BUS" /sys/bus/i2c/devices/i2c-*/name >/dev/null && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
n=$(grep -ls "$BUS" /sys/bus/i2c/devices/i2c-*/name | head -1 | sed 's,.*/i2c-\\([0-9]*\\)/name,\\1,')
[ -n "$n" ] || { echo "no bus"; exit 1; }
bind() { echo "$1" "$2" >/sys/bus/i2c/devices/i2c-$n/new_device; }
# The shell's read, because cat hides a failed read by repeating it.
show() { if read -r value <"$2"; then echo "$1 $value"; else echo "$1 failed"; fi 2>/dev/null; }
iio() { for device in /sys/bus/iio/devices/*; do read -r name <$device/name; [ "$name" != "$1" ] || echo $device; done; }
hwmon() { for device in /sys/class/hwmon/*; do read -r name <$device/name; [ "$name" != "$1" ] || echo $device; done; }
"""
