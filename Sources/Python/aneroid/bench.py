"""A bench: a virtual part in simulated air, and the programs that read the part."""

from __future__ import annotations

import itertools
import os
import pathlib
import signal
import subprocess
import sys
import typing

from . import audit, calling, diagnosis, events, rig, tool
from .errors import BenchError, ProgramFailed, ProgramTimeout
from .options import Amount, Options
from .result import Result
from .trace import Transfer

#: A program and its arguments.
Arguments = typing.Sequence[typing.Union[str, "os.PathLike[str]"]]

Value = typing.TypeVar("Value")


class Bench:
    """Runs programs with the buses of a rig as their /dev/i2c-N.

    Each run starts with the bench in its power-on state.
    """

    def __init__(
        self,
        folder: pathlib.Path,
        options: Options | None = None,
        *,
        relative_to: pathlib.Path | None = None,
    ) -> None:
        """Prepares a bench.

        folder contains the files of the runs and is created if missing. Relative paths in the
        options start at ``relative_to``; default: the current folder. Raises TypeError and
        ValueError for invalid options, and ToolNotFound.
        """
        self.folder = pathlib.Path(folder).absolute()
        self.options = options or Options()
        self._results: list[Result] = []
        self._numbers = itertools.count(1)
        tool.find()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._arguments = rig.arguments(
            self.options, self.folder, (relative_to or pathlib.Path()).absolute()
        )

    def run(
        self,
        argv: Arguments,
        *,
        input: str | bytes | None = None,
        env: typing.Mapping[str, str | None] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        until: Amount | None = None,
        check: bool = False,
    ) -> Result:
        """Runs an unmodified program on the bench and waits until it exits.

        input is the standard input of the program; default: empty. env is merged into the
        environment of the test; None removes a variable. cwd is the working directory; default:
        that of the test's process. timeout is in seconds of real time; default: that of the bench.
        until ends an endless program with SIGTERM after an amount of bench time: seconds, or a text
        with a unit such as ``"24h"``; the status is then 0. check raises ProgramFailed if the exit
        status is not 0.

        Raises ProgramTimeout, and BenchError if the program could not be run or the rig is invalid.
        """
        __tracebackhide__ = True
        texts = [os.fspath(argument) for argument in argv] if not isinstance(argv, str) else []
        if not texts:
            raise TypeError("argv must be a list: a program and its arguments")
        folder = self._new_folder()
        ending = []
        if until is not None:
            ending = [f"--for={until if isinstance(until, str) else rig.with_unit(until, 's')}"]
        limit = next(value for value in (timeout, self.options.timeout, 60) if value is not None)
        status, output, is_late = _execute(
            [tool.find(), "exec", "--silent", "--trace", str(folder / "bus.i2ctrace")]
            + ["--events", str(folder / "events.jsonl"), *ending, *self._arguments, "--", *texts],
            input=input.encode() if isinstance(input, str) else input or b"",
            env=_environment(env),
            cwd=cwd,
            timeout=limit,
        )
        stdout, stderr = (text.decode("utf-8", errors="backslashreplace") for text in output)
        run_events = events.read(folder / "events.jsonl")
        ends = events.named("end", run_events)
        if not ends and not is_late:
            failures = [
                line for event in events.named("failure", run_events) for line in event["messages"]
            ]
            message = "\n".join(failures) or tool.explain(stderr) or f"aneroid ended with {status}"
            raise BenchError(message, status)
        result = Result(
            argv=tuple(texts),
            status=ends[-1]["status"] if ends else 128 - status if status < 0 else status,
            stdout=stdout,
            stderr=stderr,
            duration=ends[-1]["t"] if ends else None,
            folder=folder,
            events=tuple(run_events),
        )
        self._results.append(result)
        if is_late:
            raise ProgramTimeout(f"{texts[0]} was ended after {limit:g} s of real time", result)
        if status == 74 and result.status == 0:
            message = tool.explain(stderr) or "the trace or the events could not be written"
            raise BenchError(message, status)
        if check and result.status != 0:
            message = f"{texts[0]} ended with status {result.status}\n{result.stderr}"
            raise ProgramFailed(message.strip(), result)
        return result

    def _new_folder(self) -> pathlib.Path:
        """Creates the folder of a run, with the first number that no other run uses."""
        for number in self._numbers:
            folder = self.folder / f"run-{number}"
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            return folder
        raise AssertionError("numbers do not end")

    def python(
        self, program: str | os.PathLike[str], *arguments: str, **options: typing.Any
    ) -> Result:
        """Runs Python code, or a file if program is a path-like object.

        The interpreter is that of the test. options are those of run.
        """
        __tracebackhide__ = True
        head = ["-c", program] if isinstance(program, str) else [os.fspath(program)]
        return self.run([sys.executable, *head, *arguments], **options)

    def call(
        self, function: typing.Callable[..., Value], *arguments: object, **keywords: object
    ) -> Value:
        """Calls a function of a module on the bench in a new process, and returns its result.

        The process of the test has no bench. The new process imports the function's module again.
        Arguments, results and exceptions are pickled. An exception of the function is raised here,
        with the new process's traceback as its cause. Raises TypeError for a function that cannot
        be pickled, and BenchError if the process ended before the function returned.
        """
        __tracebackhide__ = True
        file = self.folder / f"call-{len(self._results) + 1}"
        file.write_bytes(calling.packed(function, arguments, keywords))
        return typing.cast(Value, calling.value(file, self.python(calling.PROGRAM, str(file))))

    def audit(
        self,
        argv: Arguments,
        *,
        scenarios: typing.Sequence[str] = (),
        match: str | typing.Sequence[str] = (),
        json: str | None = None,
        csv: str | None = None,
        ignore: str | typing.Sequence[str] = (),
        board: str | None = None,
        readings: int | None = None,
        baseline: str | os.PathLike[str] | None = None,
        jobs: int | None = None,
        limit: str | None = None,
        timeout: float | None = 600,
    ) -> audit.Audit:
        """Runs a reader on the benches of ``aneroid audit``, which expose known driver defects.

        These benches define their own air, calibrations and faults. The audit uses only the part of
        this bench (a BME280 or BMP280), its address, the board and the bus number.

        scenarios are names; default: all. match, json and csv define how to find the values in the
        output; default: inferred. ignore lists quantities that may be missing from the output, such
        as ``humidity``; any other missing quantity is a failure. board selects the board files that
        the program can open, such as ``raspberry-pi-4``; default: that of the bench. readings is
        the number of readings after which a running program is ended. baseline is the JSON of an
        earlier audit. limit is the processor time of a scenario, such as ``10s``. timeout applies
        to all scenarios together, in seconds of real time.

        Raises BenchError if the program cannot be evaluated: an invalid option, no program, or
        ambiguous values.
        """
        __tracebackhide__ = True
        if self.options.rig is not None:
            raise BenchError("an audit uses rigs of its own: create a bench without a rig")
        texts = [os.fspath(argument) for argument in argv]
        options = [f"--scenario={name}" for name in scenarios]
        options += [
            f"--match={pattern}" for pattern in ([match] if isinstance(match, str) else match)
        ]
        options += [
            f"--ignore={quantity}" for quantity in ([ignore] if isinstance(ignore, str) else ignore)
        ]
        for name, value in {
            "json": json,
            "csv": csv,
            "readings": readings,
            "baseline": baseline if baseline is None else os.path.abspath(baseline),
            "jobs": jobs,
            "timeout": limit,
            "chip": self.options.part,
            "address": None if self.options.address is None else f"0x{self.options.address:02x}",
            "board": self.options.board if board is None else board,
            "bus": self.options.number,
        }.items():
            options += [] if value is None else [f"--{name}={value}"]
        return audit.run(options, texts, timeout)

    def diagnose(
        self,
        *,
        temperature: Amount | None = None,
        pressure: Amount | None = None,
        humidity: Amount | None = None,
        observed: str | os.PathLike[str] | None = None,
    ) -> diagnosis.Diagnosis:
        """Finds the driver defects that explain the last program's bus traffic and output.

        temperature, pressure and humidity are the values that the program showed: numbers in °C,
        hPa and %, or texts with a unit or a range, such as ``26.21C``. A text matches all values
        that round to its digits. A number matches the values that round to its shortest
        representation. observed is a table of values (CSV). Without values only the bus traffic is
        evaluated.
        """
        __tracebackhide__ = True
        shown = {
            "temperature": (temperature, "C"),
            "pressure": (pressure, "hPa"),
            "humidity": (humidity, "%"),
        }
        options = [
            f"--{name}={value if isinstance(value, str) else rig.with_unit(value, unit)}"
            for name, (value, unit) in shown.items()
            if value is not None
        ]
        if observed is not None:
            options.append(f"--observed={os.path.abspath(observed)}")
        if self.options.rig is None and self.options.address is not None:
            options.append(f"--address=0x{self.options.address:02x}")
        return diagnosis.run(self.result.trace, options)

    @property
    def results(self) -> tuple[Result, ...]:
        """The results of all runs, in order."""
        return tuple(self._results)

    @property
    def result(self) -> Result:
        """The result of the last run.

        Raises BenchError before the first run.
        """
        if not self._results:
            raise BenchError("no program was run on this bench")
        return self._results[-1]

    @property
    def transfers(self) -> tuple[Transfer, ...]:
        """The transfers on the buses in the last run."""
        return self.result.transfers

    @property
    def faults(self) -> tuple[events.Fault, ...]:
        """The results of the injected faults in the last run."""
        return self.result.faults

    @property
    def remarks(self) -> tuple[events.Remark, ...]:
        """The warnings of the last run: accesses that a real part would not tolerate."""
        return self.result.remarks

    @property
    def notices(self) -> tuple[events.Notice, ...]:
        """The notices about the last program."""
        return self.result.notices


def _environment(changes: typing.Mapping[str, str | None] | None) -> dict[str, str]:
    """Returns the environment of this process with some changes."""
    result: dict[str, str | None] = {**os.environ, **(changes or {})}
    return {name: value for name, value in result.items() if value is not None}


def _execute(
    command: list[str],
    *,
    input: bytes,
    env: dict[str, str],
    cwd: str | os.PathLike[str] | None,
    timeout: float,
) -> tuple[int, tuple[bytes, bytes], bool]:
    """Runs a command and returns its status, its output, and whether it timed out.

    The trace of a command that timed out is complete.
    """
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
        cwd=cwd,
    ) as process:
        try:
            output = process.communicate(input, timeout)
            return process.returncode, output, False
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            try:
                output = process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                # The program ignores SIGTERM; its children are killed with the command.
                process.kill()
                output = process.communicate()
            return process.returncode, output, True
        except BaseException:
            process.kill()
            raise
