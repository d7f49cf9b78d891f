"""Divides the iterations of a script among parallel copies of it: an iteration mostly waits."""

import re
import subprocess
import sys

# A copy needs some iterations to be worth its start.
MOST, LEAST_TURNS = 8, 10


def in_parts(count, arguments):
    """Runs this script once for each part; exits with the output of the first failure.

    `arguments` returns the arguments of a copy from its number and its iterations. Returns the sum
    of the numbers that the copies print last, or None if there are too few iterations to divide.
    """
    parts = min(MOST, count // LEAST_TURNS)
    if parts < 2:
        return None
    shares = [count // parts + (part < count % parts) for part in range(parts)]
    copies = [
        subprocess.Popen([sys.executable, sys.argv[0]] + arguments(part, share), stdout=subprocess.PIPE, text=True)
        for part, share in enumerate(shares)]
    outputs = [copy.communicate()[0] for copy in copies]
    for copy, output in zip(copies, outputs):
        if copy.returncode != 0:
            print(output, end="")
            sys.exit(1)
    return sum(int(re.search(r"(\d+)$", output.strip()).group()) for output in outputs)
