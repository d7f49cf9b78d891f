"""Makes the system calls that change files on a device node: node_calls.py NODE ELSEWHERE.

Prints a line for each call: its name and the errno, 0 on success. On an ordinary character device
without a bench, it prints the results of Linux. Finally it removes the node, if permitted.
"""

import ctypes
import errno
import os
import socket
import stat
import sys

node, elsewhere = sys.argv[1:3]
folder = os.path.dirname(node)
libc = ctypes.CDLL(None, use_errno=True)


def c(name, *arguments):
    def call():
        values = [a.encode() if isinstance(a, str) else a for a in arguments]
        if getattr(libc, name)(*values) < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))

    return call


def mode_is(expected):
    def check():
        assert stat.S_IMODE(os.stat(node).st_mode) == expected, oct(os.stat(node).st_mode)

    return check


def opened(call, flags=os.O_RDWR):
    def run():
        descriptor = os.open(node, flags)
        try:
            call(descriptor)
        finally:
            os.close(descriptor)

    return run


def times_are(read, written):
    def check():
        status = os.stat(node)
        assert (status.st_atime_ns, status.st_mtime_ns) == (read, written)

    return check


rights = os.stat(node)
changed = os.geteuid() == 0
rows = [
    ("chdir", lambda: os.chdir(node)),
    ("chmod", lambda: os.chmod(node, 0o640)),
    ("  and stat sees it", mode_is(0o640) if changed else lambda: None),
    ("chmod by descriptor", opened(lambda fd: os.fchmod(fd, 0o660 if changed else 0o666))),
    ("chmod of its child", lambda: os.chmod(node + "/x", 0o640)),
    ("chown to itself", lambda: os.chown(node, rights.st_uid, rights.st_gid)),
    ("chown to another user", lambda: os.chown(node, -1, -1)),
    ("chown to another", lambda: os.chown(node, 4711, 4711)),
    ("chown of the link", lambda: os.lchown(node, 0, 0)),
    ("chown by descriptor", opened(lambda fd: os.fchown(fd, 0, 0))),
    ("utime now", lambda: os.utime(node)),
    ("utime set", lambda: os.utime(node, ns=(10**18, 10**18 + 1))),
    ("  and stat sees it", times_are(10**18, 10**18 + 1) if changed else lambda: None),
    ("truncate", lambda: os.truncate(node, 0)),
    ("truncate to less", c("truncate", node, ctypes.c_long(-1))),
    ("creat", lambda: os.close(os.open(node, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))),
    ("open exclusively", lambda: os.open(node, os.O_CREAT | os.O_EXCL | os.O_RDWR)),
    ("open as a folder", lambda: os.open(node, os.O_DIRECTORY)),
    ("open with a slash", lambda: os.open(node + "/", os.O_RDWR)),
    ("mkdir", lambda: os.mkdir(node)),
    ("mknod", lambda: os.mknod(node, 0o660 | stat.S_IFCHR, os.makedev(89, 1))),
    ("mknod of a pipe", lambda: os.mkfifo(node)),
    ("symlink over it", lambda: os.symlink("/x", node)),
    ("link elsewhere", lambda: os.link(node, elsewhere)),
    ("link over it", lambda: os.link(__file__, node)),
    ("rename elsewhere", lambda: os.rename(node, elsewhere)),
    ("rename over it", lambda: os.rename(elsewhere + "-not", node)),
    ("rename to itself", lambda: os.rename(node, node)),
    ("rmdir", lambda: os.rmdir(node)),
    ("readlink", lambda: os.readlink(node)),
    ("listdir", lambda: os.listdir(node)),
    ("getxattr", lambda: os.getxattr(node, "user.x")),
    ("listxattr", lambda: os.listxattr(node)),
    ("setxattr", lambda: os.setxattr(node, "user.x", b"1")),
    ("removexattr", lambda: os.removexattr(node, "user.x")),
    ("statfs", lambda: os.statvfs(node)),
    ("statfs by descriptor", opened(lambda fd: os.fstatvfs(fd))),
    ("access to read", lambda: c("access", node, os.R_OK)()),
    ("access to run", lambda: c("access", node, os.X_OK)()),
    ("bind", lambda: socket.socket(socket.AF_UNIX).bind(node)),
    ("mkdir with a slash", lambda: os.mkdir(node + "/")),
    ("stat with a slash", lambda: os.stat(node + "/")),
    ("lstat with a slash", lambda: os.lstat(node + "/")),
    ("access with a slash", c("access", node + "/", os.R_OK)),
    ("access of its child", c("access", node + "/x", os.R_OK)),
    ("open of its child", lambda: os.open(node + "/x", os.O_RDWR)),
    ("stat of its child", lambda: os.stat(node + "/x")),
    ("mkdir in it", lambda: os.mkdir(node + "/x")),
]
if "--keep" not in sys.argv:
    rows += [
        ("unlink", lambda: os.unlink(node)),
        ("unlink twice", lambda: os.unlink(node) if changed else None),
        ("stat of what is gone", lambda: os.stat(node) if changed else None),
        ("open of what is gone", lambda: os.close(os.open(node, os.O_RDWR)) if changed else None),
        (
            "mknod again",
            lambda: os.mknod(node, 0o660 | stat.S_IFCHR, rights.st_rdev) if changed else None,
        ),
        ("  and it is there", lambda: os.stat(node)),
    ]
for name, call in rows:
    try:
        call()
        print(f"{name}: 0")
    except OSError as error:
        print(f"{name}: {errno.errorcode[error.errno]}")
