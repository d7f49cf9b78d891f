"""Runs a program on its own terminal, ends it with a signal, and reports the terminal state.

usage: watch_on_terminal.py SECONDS SIGNAL PROGRAM ARGUMENT...
Prints: status, drawings, seconds, alternate screen left, terminal modes restored.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

# The parent may block signals, and children inherit the mask.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
length, number = float(sys.argv[1]), getattr(signal, "SIG" + sys.argv[2])
controller, terminal = pty.openpty()
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
before = termios.tcgetattr(terminal)
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    for descriptor in 0, 1, 2:
        os.dup2(terminal, descriptor)
    os.environ["TERM"] = "xterm"
    os.execv(sys.argv[3], sys.argv[3:])
shown, start, end = b"", None, None
limit = time.monotonic() + 60
while True:
    if time.monotonic() > limit:
        os.kill(child, signal.SIGKILL)
    ready = select.select([controller], [], [], 0.1)[0]
    if ready:
        shown += os.read(controller, 1 << 16)
    if start is None and b"\x1b[H" in shown:
        start = time.monotonic()
    if start is not None and end is None and time.monotonic() - start > length:
        end = time.monotonic()
        os.kill(child, number)
    ended = os.waitpid(child, os.WNOHANG)
    if ended[0]:
        break
while select.select([controller], [], [], 0.1)[0]:
    shown += os.read(controller, 1 << 16)
print(os.waitstatus_to_exitcode(ended[1]), shown.count(b"\x1b[H"), (end or start or 0) - (start or 0),
      b"\x1b[?1049l" in shown, termios.tcgetattr(terminal) == before)
