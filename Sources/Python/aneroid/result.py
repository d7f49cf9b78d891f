"""The result of a program on a bench."""

from __future__ import annotations

import dataclasses
import functools
import pathlib
import re

from . import events, trace
from .events import Charge, Event, Fault, Notice, Remark
from .trace import Transfer


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The output of a program, its exit status, and its activity on the buses."""

    #: The program and its arguments.
    argv: tuple[str, ...]
    #: The exit status; 128 + n if signal n ended it.
    status: int
    #: The standard output as UTF-8; invalid bytes are shown as ``\\xNN``.
    stdout: str
    #: The standard error.
    stderr: str
    #: The bench time in seconds from power-on, 10 ms before the program started, to its end; None
    #: if the command was killed before it could report.
    duration: float | None
    #: The folder of the run's files.
    folder: pathlib.Path
    #: All events of the run.
    events: tuple[Event, ...]

    @property
    def trace(self) -> pathlib.Path:
        """The trace of all transfers, for ``aneroid trace``, ``diagnose`` and ``exec --bus``."""
        return self.folder / "bus.i2ctrace"

    @functools.cached_property
    def transfers(self) -> tuple[Transfer, ...]:
        """The transfers on the buses, in order."""
        return trace.load(self.trace)

    @functools.cached_property
    def faults(self) -> tuple[Fault, ...]:
        """The results of the injected faults, sorted by number."""
        return events.faults(list(self.events))

    @functools.cached_property
    def remarks(self) -> tuple[Remark, ...]:
        """The warnings: accesses that a real part would not tolerate; at most one per part."""
        return events.remarks(list(self.events))

    @functools.cached_property
    def notices(self) -> tuple[Notice, ...]:
        """The notices about the program."""
        return events.notices(list(self.events))

    @functools.cached_property
    def charges(self) -> tuple[Charge, ...]:
        """The charge consumed by each sensor."""
        return events.charges(list(self.events))

    def assert_range(
        self, pattern: str, *, min: float | None = None, max: float | None = None
    ) -> tuple[float, ...]:
        """Fails unless the pattern matches the program's output and all its numbers are in a range.

        pattern is a regular expression; its first group is the number, as in ``r"([-\\d.]+) C"``.
        min and max are inclusive; None: no limit. Returns the numbers in their order. Raises
        AssertionError, and ValueError for a pattern without a group, a range without a limit, and a
        group that is not a number.
        """
        __tracebackhide__ = True
        expression = re.compile(pattern)
        if expression.groups < 1:
            raise ValueError(f"the pattern {pattern!r} has no group: put the number in parentheses")
        if min is None and max is None:
            raise ValueError("a range needs min, max or both")
        found = [
            (line, float(match[1]))
            for line in self.stdout.splitlines()
            for match in expression.finditer(line)
            if match[1] is not None
        ]
        if not found:
            raise AssertionError(
                f"the output of the program does not match {pattern!r}:\n{self.stdout}"
            )
        # NaN is outside any range.
        wrong = [
            f"{value:g} in {line!r}"
            for line, value in found
            if not ((min is None or value >= min) and (max is None or value <= max))
        ]
        if wrong:
            limits = [
                f"at least {min:g}" if min is not None else "",
                f"at most {max:g}" if max is not None else "",
            ]
            raise AssertionError(
                f"{len(wrong)} of {len(found)} numbers"
                f" are not {' and '.join(filter(None, limits))}: "
                + ", ".join(wrong[:5])
                + (", ..." if len(wrong) > 5 else "")
            )
        return tuple(value for _, value in found)

    def __repr__(self) -> str:
        return f"<Result of {list(self.argv)}: status {self.status}, trace {self.trace}>"
