"""The sections about the benches in the report of a failed test."""

from __future__ import annotations

import re
import shlex

from .bench import Bench
from .errors import BenchError
from .result import Result

#: The maximum number of lines of transfers, and of program output. Earlier lines are omitted.
LIMIT = 40


def sections(benches: list[Bench]) -> list[tuple[str, str]]:
    """Returns titles and texts about the last run of each bench."""
    result: list[tuple[str, str]] = []
    for index, bench in enumerate(benches, start=1):
        if not bench.results:
            continue
        name = "aneroid" if len(benches) == 1 else f"aneroid, bench {index}"
        last = bench.results[-1]
        result.append((f"{name}: transfers", _transfers(last, len(bench.results))))
        lines = [str(item) for item in (*last.faults, *last.remarks, *last.notices)]
        if lines:
            result.append((f"{name}: faults and remarks", "\n".join(lines)))
        for stream, text in (("stdout", last.stdout), ("stderr", last.stderr)):
            if text.strip():
                result.append((f"{name}: {stream}", _last(text.rstrip("\n").split("\n"), "lines")))
    return result


def missing_bus(error: BaseException) -> list[tuple[str, str]]:
    """Returns a section that explains a failure to open /dev/i2c-N in the process of the test.

    Returns an empty list for any other error.
    """
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in seen:
        seen.append(cause)
        found = re.search(r"/dev/i2c-\d+", f"{getattr(cause, 'filename', None)} {cause}")
        if isinstance(cause, OSError) and found:
            text = (
                f"{found[0]} was opened in the process of the test, which has no virtual bus: only "
                "programs that the bench starts have one.\n"
                "Use bench.run([...]), bench.python(...), or bench.call(function, ...), which "
                "calls a function in a new process on the bench."
            )
            return [("aneroid: no bus in this process", text)]
        cause = cause.__cause__ or cause.__context__
    return []


def _transfers(result: Result, count: int) -> str:
    head = f"$ {shlex.join(result.argv)}\nstatus {result.status}"
    if result.duration is not None:
        head += f", {result.duration:.3f} s on the bench"
    if count > 1:
        head += f", run {count} of {count}"
    try:
        lines = [transfer.text for transfer in result.transfers]
        text = _last(lines, "transfers") if lines else "(no transfers)"
    except (BenchError, OSError, ValueError) as error:
        text = f"(the trace cannot be read: {error})"
    return f"{head}\n{text}\ntrace: {result.trace}"


def _last(lines: list[str], name: str) -> str:
    """Returns the last lines, after a line with the number of omitted lines."""
    omitted = len(lines) - LIMIT
    return "\n".join([f"... {omitted} {name} before"] * (omitted > 0) + lines[-LIMIT:])
