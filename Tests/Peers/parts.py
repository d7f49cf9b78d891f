"""Divides the turns of a script among copies of it that run at once: a turn mostly waits."""

import re
import subprocess
import sys

# A copy is worth its start only with some turns.
MOST, LEAST_TURNS = 8, 10


def in_parts(count, arguments):
    """Runs this script once for each part, and ends this process with the first failure.

    `arguments` makes the words of a copy from its number and its turns. Gives the sum of the numbers that the copies
    print at their ends, or nothing where there are too few turns to divide.
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
