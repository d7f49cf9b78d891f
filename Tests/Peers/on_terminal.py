"""Runs a program on its own terminal and prints everything that it displays.

usage: on_terminal.py PROGRAM ARGUMENT...
COLUMNS in the environment sets the width. Exits with the program's status, and never before the
program: SIGTERM is sent to the program.
"""

import fcntl
import os
import pty
import signal
import struct
import sys
import termios

child, descriptor = pty.fork()
if child == 0:
    os.environ["TERM"] = "xterm"
    if "COLUMNS" in os.environ:
        size = struct.pack("HHHH", 24, int(os.environ["COLUMNS"]), 0, 0)
        fcntl.ioctl(1, termios.TIOCSWINSZ, size)
    os.environ.pop("NO_COLOR", None)
    os.execv(sys.argv[1], sys.argv[1:])
signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
while True:
    try:
        chunk = os.read(descriptor, 1 << 16)
    except OSError:
        break
    if not chunk:
        break
    sys.stdout.buffer.write(chunk)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
