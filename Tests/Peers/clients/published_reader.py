"""A reader of a BMP280 with three defects: signed low bytes, the pressure block from 0x8D, and P9 from one byte twice."""
import fcntl, os, time
bus = os.open("/dev/i2c-1", os.O_RDWR)
fcntl.ioctl(bus, 0x0703, 0x76)

def read(register, count):
    os.write(bus, bytes([register]))
    return os.read(bus, count)

def s8(x):
    return x - 256 if x > 127 else x

def word(b, i):
    return (s8(b[i + 1]) << 8) | s8(b[i])

def uword(b, i):
    return (b[i + 1] << 8) | b[i]

t = read(0x88, 6)
T1, T2, T3 = uword(t, 0), word(t, 2), word(t, 4)
p = read(0x8D, 18)
P1 = uword(p, 0)
P2, P3, P4, P5, P6, P7, P8 = [word(p, 2 * i) for i in range(1, 8)]
P9 = (s8(p[17]) << 8) | s8(p[17])

def c32(x):
    x &= 0xFFFFFFFF
    return x - (1 << 32) if x >> 31 else x

for _ in range(4):
    os.write(bus, bytes([0xF4, 0x25]))
    time.sleep(0.05)
    d = read(0xF7, 6)
    up = d[0] << 12 | d[1] << 4 | d[2] >> 4
    ut = d[3] << 12 | d[4] << 4 | d[5] >> 4
    v1 = (((ut >> 3) - (T1 << 1)) * T2) >> 11
    v2 = (((((ut >> 4) - T1) * ((ut >> 4) - T1)) >> 12) * T3) >> 14
    fine = v1 + v2
    v1 = (fine >> 1) - 64000
    v2 = (((v1 >> 2) * (v1 >> 2)) >> 11) * P6
    v2 = v2 + ((v1 * P5) << 1)
    v2 = (v2 >> 2) + (P4 << 16)
    v1 = (((P3 * (((v1 >> 2) * (v1 >> 2)) >> 13)) >> 3) + ((P2 * v1) >> 1)) >> 18
    v1 = ((32768 + v1) * P1) >> 15
    x = ((1048576 - up) - (v2 >> 12)) * 3125 & 0xFFFFFFFF
    x = (x << 1) // v1 if x < 0x80000000 else (x // v1) * 2
    a = (P9 * (((x >> 3) * (x >> 3)) >> 13)) >> 12
    b = ((x >> 2) * P8) >> 13
    x = x + ((a + b + P7) >> 4)
    print(f"{((fine * 5 + 128) >> 8) / 100:.2f} C  {x / 100:.2f} hPa", flush=True)
    time.sleep(10)
