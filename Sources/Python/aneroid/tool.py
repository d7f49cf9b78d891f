"""Finds the command ``aneroid`` and starts it."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import typing

from .errors import BenchError, ToolNotFound

#: The path of the command in a wheel.
PACKED = pathlib.Path(__file__).parent / "bin" / "aneroid"


def find() -> str:
    """Returns the path of the command.

    The order is: the environment variable ANEROID, the command in the wheel, the first one on PATH.
    Raises ToolNotFound without a command, or if ANEROID is not an executable program.
    """
    named = os.environ.get("ANEROID")
    if named:
        path = shutil.which(os.path.abspath(named))
        if path is None:
            raise ToolNotFound(
                f"the environment variable ANEROID is {named!r}, which is not an executable program"
            )
        return path
    if os.access(PACKED, os.X_OK):
        return str(PACKED)
    for folder in os.get_exec_path():
        path = shutil.which("aneroid", path=os.path.abspath(folder))
        if path is not None and not _is_own_script(path):
            return path
    raise ToolNotFound(
        "the command 'aneroid' was not found: it is not in this package "
        f"({PACKED}), the environment variable ANEROID is not set, and it is not on PATH"
    )


def _is_own_script(path: str) -> bool:
    """Whether the file is the wheel's own script, which starts main()."""
    try:
        with open(path, "rb") as file:
            start = file.read(1000)
    except OSError:
        return False
    return start.startswith(b"#!") and b"aneroid.tool" in start


def run(
    arguments: typing.Sequence[str], *, timeout: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the command and returns its output.

    timeout is in seconds; default: none. Raises BenchError if the command exceeds it.
    """
    try:
        return subprocess.run(
            [find(), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="backslashreplace",
            timeout=timeout,
        )
    except subprocess.TimeoutExpired as error:
        message = f"'aneroid {arguments[0]}' exceeded its timeout of {error.timeout:g} s"
        raise BenchError(message) from None


def explain(stderr: str) -> str:
    """Returns the error messages of the command, without the prefix ``aneroid:``."""
    lines = [
        line[9:] if line.startswith("aneroid: ") else line for line in stderr.strip().splitlines()
    ]
    return "\n".join(lines)


def main() -> typing.NoReturn:
    """Replaces this process with the command and passes its arguments."""
    try:
        path = find()
        os.execv(path, [path, *sys.argv[1:]])
    except (ToolNotFound, OSError) as error:
        print(f"aneroid: {error}", file=sys.stderr)
        sys.exit(69)
