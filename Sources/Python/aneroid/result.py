"""What came of a program on a bench."""

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
    """What a program printed, how it ended, and what it did on the buses."""

    #: The program and its arguments.
    argv: tuple[str, ...]
    #: Its exit status; 128 + n if signal n ended it.
    status: int
    #: What it printed, as UTF-8 whose mistakes are shown as ``\\xNN``.
    stdout: str
    #: What it printed on standard error.
    stderr: str
    #: Seconds of the bench's clock from power-on, 10 ms before the program started, to its end; None where it was
    #: ended before it could tell.
    duration: float | None
    #: The folder of the run's files.
    folder: pathlib.Path
    #: All events as they were told.
    events: tuple[Event, ...]

    @property
    def trace(self) -> pathlib.Path:
        """The trace of all transfers, for ``aneroid trace``, ``diagnose`` and ``exec --bus trace:FILE``."""
        return self.folder / "bus.i2ctrace"

    @functools.cached_property
    def transfers(self) -> tuple[Transfer, ...]:
        """What happened on the buses, in order."""
        return trace.load(self.trace)

    @functools.cached_property
    def faults(self) -> tuple[Fault, ...]:
        """What became of the planned failures, in order of their numbers."""
        return events.faults(list(self.events))

    @functools.cached_property
    def remarks(self) -> tuple[Remark, ...]:
        """What a real part would have punished: at most one for each part."""
        return events.remarks(list(self.events))

    @functools.cached_property
    def notices(self) -> tuple[Notice, ...]:
        """What a user should know of the program."""
        return events.notices(list(self.events))

    @functools.cached_property
    def charges(self) -> tuple[Charge, ...]:
        """What each sensor has used."""
        return events.charges(list(self.events))

    def assert_range(self, pattern: str, *, min: float | None = None, max: float | None = None) -> tuple[float, ...]:
        """Fails unless every number that the pattern finds in what the program printed lies in a range, and there is one.

        pattern is a regular expression; its first group is the number, as in ``r"([-\\d.]+) C"``. min and max are
        inclusive; None is no limit. Returns the numbers in their order. Raises AssertionError, and ValueError for a
        pattern without a group, a range without a limit, and a group that is no number.
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
            raise AssertionError(f"nothing that the program printed matches {pattern!r}:\n{self.stdout}")
        # A number that is none is outside of each range.
        wrong = [
            f"{value:g} in {line!r}"
            for line, value in found
            if not ((min is None or value >= min) and (max is None or value <= max))
        ]
        if wrong:
            limits = [f"at least {min:g}" if min is not None else "", f"at most {max:g}" if max is not None else ""]
            raise AssertionError(
                f"{len(wrong)} of {len(found)} numbers are not {' and '.join(filter(None, limits))}: "
                + ", ".join(wrong[:5]) + (", ..." if len(wrong) > 5 else "")
            )
        return tuple(value for _, value in found)

    def __repr__(self) -> str:
        return f"<Result of {list(self.argv)}: status {self.status}, trace {self.trace}>"
