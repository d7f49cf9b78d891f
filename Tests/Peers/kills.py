"""Kills a program repeatedly while it writes, and checks that no written data are lost.

usage: kills.py history|recording|trace TOOL COUNT SEED FOLDER
Many kills are divided among copies of this script, each with its own files. Prints the amount
written; a first line that begins with "lost" describes the failure.
"""

import hashlib
import json
import os
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import zlib

from parts import in_parts

kind, tool, count, seed, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
chance = random.Random(seed)
signal.pthread_sigmask(signal.SIG_SETMASK, [])


def lost(what):
    print(f"lost: {what} (seed {seed})")
    sys.exit(1)


def content(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def killed(arguments, seconds, has_written=lambda: True):
    """Runs the tool and kills it after some seconds, but not before `has_written` is true."""
    process = subprocess.Popen(
        [tool] + arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    try:
        _, errors = process.communicate(timeout=seconds)
        if process.returncode != 0:
            lost(errors.decode())
    except subprocess.TimeoutExpired:
        while process.poll() is None and not has_written():
            time.sleep(0.01)
        process.kill()
        process.wait()
        process.stderr.close()
        # A client may still receive its last transfer while it ends; afterwards no process remains.
        time.sleep(0.05)
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def at_last(turn, has_written):
    """Returns the condition of the last kill; the other kills may come before any write, on a busy
    machine all of them."""
    return has_written if turn == count - 1 else lambda: True


def watched(seconds, has_written):
    """Watches and records on a terminal, kills the program at a random time, and returns the screen
    output."""
    child, terminal = pty.fork()
    if child == 0:
        arguments = ["watch", "rigs/iss-leak.yaml", "--speed", "200", "--record"]
        os.execv(tool, [tool] + arguments)
    # The screen is read until it closes: an unread terminal would block the program.
    def kill():
        end = time.monotonic() + 100
        while not has_written() and time.monotonic() < end:
            time.sleep(0.01)
        os.kill(child, signal.SIGKILL)

    killer = threading.Timer(seconds, kill)
    killer.start()
    shown = b""
    while True:
        try:
            chunk = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not chunk:
            break
        shown += chunk
    killer.join()
    os.close(terminal)
    os.waitpid(child, 0)
    return shown


def history():
    """Every complete record is kept byte for byte; no record in the middle is corrupt."""
    path, before = f"{folder}/rigs/kept", b""
    for turn in range(count):
        killed(["run", f"{folder}/rigs/kept.yaml"], chance.uniform(0.02, 0.6),
               at_last(turn, lambda: len(content(path)) >= 8 + 21))
        bytes_ = content(path)
        whole = len(bytes_) - (len(bytes_) - 8) % 21 if len(bytes_) >= 8 else 0
        if not bytes_.startswith(before):
            lost(f"the data written before kill {turn}")
        for start in range(len(before) or 8, whole, 21):
            record = bytes_[start:start + 21]
            if zlib.crc32(record[:17]).to_bytes(4, "little") != record[17:]:
                lost(f"the record at byte {start} after kill {turn}")
        before = bytes_[:whole]
    return (len(before) - 8) // 21 if before else 0


def recording():
    """Every row that the screen counted is in the file, and every row is complete."""
    path, before = f"{folder}/state/aneroid/recording", b""
    os.environ["XDG_STATE_HOME"] = f"{folder}/state"
    for turn in range(count):
        shown = watched(chance.uniform(0.1, 1.2), at_last(turn, lambda: content(path).count(b"\n") > 1))
        bytes_ = content(path)
        if not bytes_.startswith(before):
            lost(f"the data written before kill {turn}")
        before = bytes_[:bytes_.rfind(b"\n") + 1]
        rows = before.splitlines()[1:]
        for row in rows:
            fields, digest = row.rsplit(b",", 1)
            if hashlib.sha256(fields).hexdigest()[:8].encode() != digest:
                lost(f"a row after kill {turn}: {row}")
        counts = [int(number) for number in re.findall(rb"recorded (\d+) rows", shown)]
        if max(counts, default=0) > len(rows):
            lost(f"{max(counts)} rows were acknowledged at kill {turn}, {len(rows)} are stored")
    return len(before.splitlines()) - 1


def trace():
    """Every transfer whose result the program received is in the trace."""
    path, received, total = f"{folder}/t", f"{folder}/received", 0
    loop = f"while i2cget -y 1 0x76 0xd0 >> {received}; do :; done"
    for turn in range(count):
        for old in (path, received):
            if os.path.exists(old):
                os.unlink(old)
        killed(["exec", "--trace", path, "--", "sh", "-c", loop], chance.uniform(0.1, 0.8),
               at_last(turn, lambda: b"\n" in content(received)))
        lines = content(path).split(b"\n")
        for line in lines[:-1]:
            json.loads(line)
        transfers, reads = max(len(lines) - 2, 0), content(received).count(b"\n")
        if transfers < reads:
            lost(f"{reads} transfers were received at kill {turn}, {transfers} are in the trace")
        total += reads
    return total


def part(number, turns):
    """Returns the arguments of a copy of this script, with its own folder."""
    own = f"{folder}/{number}"
    os.makedirs(f"{own}/rigs")
    shutil.copy(f"{folder}/rigs/kept.yaml", f"{own}/rigs")
    os.symlink(f"{folder}/fixtures", f"{own}/fixtures")
    return [kind, tool, str(turns), str(seed + number), own]


written = in_parts(count, part)
if written is None:
    written = dict(history=history, recording=recording, trace=trace)[kind]()
print(f"written: {written}")
