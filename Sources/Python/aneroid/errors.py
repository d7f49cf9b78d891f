"""The exceptions of the package."""

from __future__ import annotations

import typing

if typing.TYPE_CHECKING:
    from .result import Result


class BenchError(Exception):
    """An error of the bench. A failure of the program is a result, not an error."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        #: The exit status of the command ``aneroid``; None if it was not started; 78: an error in a
        #: rig.
        self.status = status


class ToolNotFound(BenchError):
    """The command ``aneroid`` was not found."""


class ProgramTimeout(BenchError):
    """The program exceeded its timeout and was ended."""

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message, result.status)
        #: The result of the program up to the timeout.
        self.result = result


class ProgramFailed(BenchError):
    """The program ended with a status other than 0, and ``check`` was set."""

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message, result.status)
        #: The result of the program.
        self.result = result
