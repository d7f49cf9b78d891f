"""Calls a function in a new process: the calling side, and the code of the new process."""

from __future__ import annotations

import pathlib
import pickle
import sys
import traceback
import typing

from .errors import BenchError
from .result import Result

#: The code of the new process; its argument is the file of the call.
PROGRAM = (
    f"import sys; sys.path.append({str(pathlib.Path(__file__).parents[1])!r}); "
    "import aneroid.calling as c; c.execute()"
)


class RemoteTraceback(Exception):
    """The traceback of the new process as text: the cause of an exception of the function."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def packed(
    function: typing.Callable[..., object],
    arguments: tuple[object, ...],
    keywords: dict[str, object],
) -> bytes:
    """Returns a pickled call with the search paths of its modules.

    Raises TypeError for a function or an argument that cannot be pickled.
    """
    try:
        call = pickle.dumps((function, arguments, keywords))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        message = f"another process calls the function, so a module must have it: {error}"
        raise TypeError(message) from None
    return pickle.dumps((sys.path, call))


def execute() -> None:
    """Executes a call and writes its result to the file."""
    file = pathlib.Path(sys.argv[1])
    path, call = pickle.loads(file.read_bytes())
    file.unlink()
    sys.path[:] = path
    try:
        function, arguments, keywords = pickle.loads(call)
        outcome: tuple[object, BaseException | None, str] = (
            function(*arguments, **keywords),
            None,
            "",
        )
    except Exception as error:
        outcome = (None, error, traceback.format_exc())
    file.write_bytes(_pickled(outcome))


def _pickled(outcome: tuple[object, BaseException | None, str]) -> bytes:
    """Returns the pickled result of a call.

    The text of an error replaces a value or an exception that cannot be pickled.
    """
    try:
        text = pickle.dumps(outcome)
        pickle.loads(text)
        return text
    except Exception as error:
        reason = f"it raised\n{outcome[2]}"
        if outcome[1] is None:
            reason = f"its value cannot be sent: {error}"
        return pickle.dumps(
            (None, BenchError(f"the function was called, and {reason}"), outcome[2])
        )


def value(file: pathlib.Path, result: Result) -> object:
    """Returns the result of a call.

    Raises the exception of the function, and BenchError if its process ended before the function
    returned.
    """
    __tracebackhide__ = True
    if not file.exists() or result.status != 0:
        raise BenchError(
            f"the function's process ended with status {result.status}\n{result.stderr}".strip()
        )
    found, error, text = pickle.loads(file.read_bytes())
    file.unlink()
    if error is not None:
        raise error from RemoteTraceback(text)
    return found
