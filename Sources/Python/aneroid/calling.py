"""Calls a function in another process: what the test's process says, and what the other one does."""

from __future__ import annotations

import pathlib
import pickle
import sys
import traceback
import typing

from .errors import BenchError
from .result import Result

#: What the other process runs; its argument is the file of the call.
PROGRAM = f"import sys; sys.path.append({str(pathlib.Path(__file__).parents[1])!r}); import aneroid.calling as c; c.answer()"


class RemoteTraceback(Exception):
    """The traceback of another process, as text: the cause of the exception that came from there."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def packed(
    function: typing.Callable[..., object], arguments: tuple[object, ...], keywords: dict[str, object]
) -> bytes:
    """A call, and the paths on which its modules are found.

    Raises TypeError for a function, or an argument, that another process cannot have.
    """
    try:
        call = pickle.dumps((function, arguments, keywords))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise TypeError(f"another process calls the function, so a module must have it: {error}") from None
    return pickle.dumps((sys.path, call))


def answer() -> None:
    """Does a call, and leaves what came of it in its file."""
    file = pathlib.Path(sys.argv[1])
    path, call = pickle.loads(file.read_bytes())
    file.unlink()
    sys.path[:] = path
    try:
        function, arguments, keywords = pickle.loads(call)
        outcome: tuple[object, BaseException | None, str] = (function(*arguments, **keywords), None, "")
    except Exception as error:
        outcome = (None, error, traceback.format_exc())
    file.write_bytes(_whole(outcome))


def _whole(outcome: tuple[object, BaseException | None, str]) -> bytes:
    """What came of a call as bytes that read back; a value or an exception that does not is told as text."""
    try:
        text = pickle.dumps(outcome)
        pickle.loads(text)
        return text
    except Exception as error:
        reason = f"its value cannot be sent: {error}" if outcome[1] is None else f"it raised\n{outcome[2]}"
        return pickle.dumps((None, BenchError(f"the function was called, and {reason}"), outcome[2]))


def value(file: pathlib.Path, result: Result) -> object:
    """What came of a call.

    Raises what the function raised, and BenchError when its process ended before it did.
    """
    __tracebackhide__ = True
    if not file.exists() or result.status != 0:
        raise BenchError(f"the function's process ended with status {result.status}\n{result.stderr}".strip())
    found, error, text = pickle.loads(file.read_bytes())
    file.unlink()
    if error is not None:
        raise error from RemoteTraceback(text)
    return found
