"""What can go wrong on the way to a result."""

from __future__ import annotations

import typing

if typing.TYPE_CHECKING:
    from .result import Result


class BenchError(Exception):
    """The bench could not do what was asked; the program's own failures are results, not this."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        #: The exit status of the command ``aneroid`` (78 is a mistake in a rig), where it was started.
        self.status = status


class ToolNotFound(BenchError):
    """There is no command ``aneroid``."""


class ProgramTimeout(BenchError):
    """The program took longer than its timeout and was ended."""

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message, result.status)
        #: What the program did until then.
        self.result = result


class ProgramFailed(BenchError):
    """The program ended with another status than 0, and ``check`` was asked for."""

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message, result.status)
        #: What the program did.
        self.result = result
