"""Kills a bench while it starts or serves its program, and checks that no process remains.

usage: launch_kills.py starts|opens TOOL COUNT SEED
`starts`: half of the kills come as soon as the program's process exists, the others at any time of
the start. `opens`: the kills come while the program opens a node repeatedly, on a slow file system.
Every other bench of `starts` has virtual time. Prints the number of programs that had a process; a
line that begins with "left" lists the processes that remain.
"""

import ctypes
import os
import random
import signal
import subprocess
import sys
import time

kind, tool, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
program = {"starts": ["/usr/bin/sleep", "1000"], "opens": ["/bin/sh", "-c", "while :; do : </dev/i2c-1; done"]}[kind]
# The bench is the child, strace is not (-D); the bench's replies to the kernel are delayed by 20
# ms.
late = ["/usr/bin/strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", "inject=writev:delay_enter=20000"]
chance = random.Random(seed)
signal.pthread_sigmask(signal.SIG_SETMASK, [])
# Orphans become children of this process, so that all are counted (PR_SET_CHILD_SUBREAPER).
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def children(process):
    try:
        with open(f"/proc/{process}/task/{process}/children") as file:
            return [int(number) for number in file.read().split()]
    except OSError:
        return []


def has_program(bench):
    return any(children(guard) for guard in children(bench))


def name(process):
    try:
        with open(f"/proc/{process}/comm") as file:
            return file.read().strip()
    except OSError:
        return None


def serves(bench):
    """True if the program itself runs, not only a process that will exec it or traces it."""
    return any(name(child) == "sh" for guard in children(bench) for child in children(guard))


def all_gone(seconds):
    """True if every child ends within some seconds; kills the rest."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.005)
        except ChildProcessError:
            return True
    for child in children(os.getpid()):
        for grandchild in children(child) + [child]:
            os.kill(grandchild, signal.SIGKILL)
    return False


seen = 0
for turn in range(count):
    clock = "real" if kind == "opens" else ["real", "virtual"][turn % 2]
    # No pipe: reading to its end would wait for remaining processes.
    bench = subprocess.Popen(
        (late if kind == "opens" else []) + [tool, "exec", "--clock", clock, "--"] + program,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if kind == "opens":
        while bench.poll() is None and not serves(bench.pid):
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.2))
    elif turn % 4 < 2:
        while bench.poll() is None and not has_program(bench.pid):
            pass
        time.sleep(chance.choice([0, 0, 0.0003, 0.001]))
    else:
        time.sleep(chance.uniform(0, 0.05))
    seen += has_program(bench.pid)
    bench.kill()
    bench.returncode = 0
    if not all_gone(60):
        print(f"left after kill {turn} of {count} (seed {seed})")
        sys.exit(1)
print(f"programs: {seen}")
