"""Resolves links to /dev/i2c-1: links.py FOLDER, an empty folder in which the links are created."""

import errno
import fcntl
import os
import stat
import sys

folder = sys.argv[1]
os.chdir(folder)
os.mkdir("by-id")
for target, link in [
    ("/dev/i2c-1", "bus"),
    ("bus", "second"),
    (f"{folder}/second", "third"),
    ("../bus", "by-id/bme280"),
    ("/dev", "devices"),
    ("devices/i2c-1", "round"),
    ("/dev/i2c-1", "i2c-alias"),
    ("/dev/i2c-9", "none"),
    ("b", "a"),
    ("a", "b"),
]:
    os.symlink(target, link)


def failure(call):
    try:
        call()
    except OSError as error:
        return errno.errorcode[error.errno]


def identity(path, flags=os.O_RDWR, **more):
    bus = os.open(path, flags, **more)
    assert stat.S_ISCHR(os.fstat(bus).st_mode)
    fcntl.ioctl(bus, 0x0703, 0x76)
    os.write(bus, bytes([0xD0]))
    return os.read(bus, 1).hex()


paths = ["bus", f"{folder}/bus", "second", "third", "by-id/bme280", "devices/i2c-1", "round", "./i2c-alias"]
for path in paths:
    assert os.path.exists(path) and os.access(path, os.R_OK | os.W_OK), path
    assert os.stat(path).st_rdev == os.makedev(89, 1), path
    print(path.replace(folder, "FOLDER"), identity(path))
print(identity("bus", os.O_RDWR | os.O_CREAT), identity("bme280", dir_fd=os.open("by-id", os.O_RDONLY)))
print(stat.S_ISLNK(os.lstat("bus").st_mode), os.readlink("bus"), os.path.realpath("by-id/bme280"))
exclusive = os.O_RDWR | os.O_CREAT | os.O_EXCL
for path, flags in [
    ("bus", os.O_RDWR | os.O_NOFOLLOW),
    ("bus", exclusive),
    ("bus/", os.O_RDWR),
    ("none", os.O_RDWR),
    ("none", os.O_RDWR | os.O_CREAT),
    ("a", os.O_RDWR),
]:
    print(path, failure(lambda: os.open(path, flags)))
os.unlink("bus")
print(os.path.exists("/dev/i2c-1"), os.path.lexists("bus"), failure(lambda: os.stat("second")))
