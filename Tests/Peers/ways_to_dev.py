"""Tries to create entries in /dev over every path: ways_to_dev.py FOLDER, empty, for links.

Prints a line for each call and name: the errno of the direct path, and the paths that differ.
"""

import errno
import os
import socket
import stat
import sys

folder = sys.argv[1]
os.chdir("/dev")
os.symlink("/dev", f"{folder}/link")
os.symlink("link", f"{folder}/second")
os.symlink("/", f"{folder}/top")
os.symlink("/proc/self/cwd", f"{folder}/here")
os.mkdir(f"{folder}/inner")
descriptor = os.open("/dev", os.O_RDONLY | os.O_DIRECTORY)
ways = [
    f"{folder}/link",
    f"{folder}/second",
    f"{folder}/inner/../link/.",
    f"{folder}/top/dev",
    f"{folder}/top/../../dev",
    f"{folder}/here",
    "/proc/self/root/dev",
    "/proc/thread-self/root/dev/",
    f"/proc/{os.getpid()}/root/dev",
    "/proc/self/cwd",
    f"/proc/self/fd/{descriptor}",
    f"/dev/fd/{descriptor}",
    f"/proc/self/root/{folder}/link",
]


def made(call):
    def run(path):
        source = "/dev/shm/source"
        os.close(os.open(source, os.O_CREAT | os.O_WRONLY))
        call(source, path)

    return run


def opened(flags):
    return lambda path: os.close(os.open(path, flags, 0o600))


exclusively = os.O_CREAT | os.O_EXCL | os.O_WRONLY
calls = {
    "mknod": lambda path: os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(89, 3)),
    "mkdir": os.mkdir,
    "mkdir with a slash": lambda path: os.mkdir(path + "/"),
    "symlink": lambda path: os.symlink("/nowhere", path),
    "bind": lambda path: socket.socket(socket.AF_UNIX).bind(path),
    "rename": made(os.rename),
    "link": made(os.link),
    "open": opened(os.O_CREAT | os.O_RDWR),
    "open exclusively": opened(exclusively),
}


def result(call, path):
    try:
        call(path)
        return "0"
    except OSError as error:
        return errno.errorcode[error.errno]


for name, call in calls.items():
    for node in ["i2c-1", "i2c-4"]:
        direct = result(call, f"/dev/{node}")
        others = [(way, result(call, f"{way}/{node}")) for way in ways]
        print(name, node, direct, *(other for other in others if other[1] != direct))
# A link as the last component, through a folder that is a link.
os.symlink(f"{folder}/link/i2c-4", f"{folder}/end")
print("open of a link", result(opened(os.O_CREAT | os.O_RDWR), f"{folder}/end"))
# Links with other names, in the folders of programs and through /proc.
for place in ["/usr/local", f"/proc/self/root{folder}", f"/proc/{os.getpid()}/root/usr/local", folder]:
    for node in ["i2c-1", "i2c-4"]:
        os.symlink(f"/dev/{node}", f"{place}/to-{node}")
        with_creat = result(lambda path: os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600)), f"{place}/to-{node}")
        print("link", place.replace(str(os.getpid()), "PID").replace(folder, "") or "here", node, with_creat)
        os.unlink(f"{place}/to-{node}")
# The same names in another folder.
os.mkdir(f"{folder}/i2c-4")
os.symlink(f"{folder}/inner", f"{folder}/elsewhere")
print("elsewhere", result(opened(exclusively), f"{folder}/elsewhere/i2c-1"), os.listdir(f"{folder}/inner"))
