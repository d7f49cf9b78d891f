"""A bench: a virtual part in some air, and the programs that read it."""

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

    Each run has a bench of its own, just switched on: nothing stays from one to the next.
    """

    def __init__(
        self, folder: pathlib.Path, options: Options | None = None, *, relative_to: pathlib.Path | None = None
    ) -> None:
        """Prepares a bench.

        folder takes its files and is made where it is missing; relative paths of the options start at ``relative_to``,
        the current folder unless given. Raises TypeError and ValueError for options that no bench can have, and
        ToolNotFound.
        """
        self.folder = pathlib.Path(folder).absolute()
        self.options = options or Options()
        self._results: list[Result] = []
        self._numbers = itertools.count(1)
        tool.find()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._arguments = rig.arguments(self.options, self.folder, (relative_to or pathlib.Path()).absolute())

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
        """Runs a program on the bench, unchanged, and waits for its end.

        input is its standard input, empty unless given. env is set over the environment of the test; None takes a
        variable away. cwd is its folder, that of the test's process unless given. timeout is in seconds of real
        time, the bench's unless given. until ends a program that runs forever after so much of its own time, which is
        virtual by default: seconds, or a text with a unit such as ``"24h"``; it gets SIGTERM, and the status is then 0.
        check raises ProgramFailed when it ends with another status than 0.

        Raises ProgramTimeout, and BenchError when the program could not be run or the rig is wrong.
        """
        __tracebackhide__ = True
        texts = [os.fspath(argument) for argument in argv] if not isinstance(argv, str) else []
        if not texts:
            raise TypeError("argv is a list: a program and its arguments")
        folder = self._new_folder()
        ending = [] if until is None else [f"--for={until if isinstance(until, str) else rig.with_unit(until, 's')}"]
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
        told = events.read(folder / "events.jsonl")
        ends = events.named("end", told)
        if not ends and not is_late:
            failures = [line for event in events.named("failure", told) for line in event["messages"]]
            raise BenchError("\n".join(failures) or tool.explain(stderr) or f"aneroid ended with {status}", status)
        result = Result(
            argv=tuple(texts),
            status=ends[-1]["status"] if ends else 128 - status if status < 0 else status,
            stdout=stdout,
            stderr=stderr,
            duration=ends[-1]["t"] if ends else None,
            folder=folder,
            events=tuple(told),
        )
        self._results.append(result)
        if is_late:
            raise ProgramTimeout(f"{texts[0]} was not done after {limit:g} s of real time, and was ended", result)
        if status == 74 and result.status == 0:
            raise BenchError(tool.explain(stderr) or "the trace or the events could not be written", status)
        if check and result.status != 0:
            raise ProgramFailed(f"{texts[0]} ended with status {result.status}\n{result.stderr}".strip(), result)
        return result

    def _new_folder(self) -> pathlib.Path:
        """Makes the folder of a run: a run that failed, another thread or another bench may have had the one before."""
        for number in self._numbers:
            folder = self.folder / f"run-{number}"
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            return folder
        raise AssertionError("numbers do not end")

    def python(self, program: str | os.PathLike[str], *arguments: str, **options: typing.Any) -> Result:
        """Runs Python code, or a file with a path-like object, with the interpreter of the test; options as of run."""
        __tracebackhide__ = True
        head = ["-c", program] if isinstance(program, str) else [os.fspath(program)]
        return self.run([sys.executable, *head, *arguments], **options)

    def call(self, function: typing.Callable[..., Value], *arguments: object, **keywords: object) -> Value:
        """Calls a function of a module on the bench, in a fresh process, and returns what it returns.

        The process of the test is on no bench: another one imports the function's module anew. Arguments, values and
        exceptions go through pickle. What the function raises is raised here, with the other process's traceback as
        its cause. Raises TypeError for what cannot be called so, and BenchError when the process ended before the
        function did.
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
        """Runs a reader on the benches of ``aneroid audit``, made to show the defects that shipped.

        Those have air, calibrations and faults of their own: of this bench only the part (a BME280 or BMP280), its
        address, the board and the bus's number are taken. scenarios are names; default: all. match, json and csv say where
        the values are in what the program prints, guessed unless given. ignore are quantities that need not be in
        it, such as ``humidity``: any other that is not found is a failure. board is the board whose files the program
        sees, such as ``raspberry-pi-4``; default: the bench's. readings is after how many a program is
        ended that goes on. baseline is the JSON of an earlier audit. limit is the processor time of a scenario,
        such as ``10s``; timeout is for all, in seconds of real time.

        Raises BenchError when it cannot judge: a wrong option, no program, or values that are not clear.
        """
        __tracebackhide__ = True
        if self.options.rig is not None:
            raise BenchError("an audit has rigs of its own: make a bench without one")
        texts = [os.fspath(argument) for argument in argv]
        options = [f"--scenario={name}" for name in scenarios]
        options += [f"--match={pattern}" for pattern in ([match] if isinstance(match, str) else match)]
        options += [f"--ignore={quantity}" for quantity in ([ignore] if isinstance(ignore, str) else ignore)]
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
        """Says which defects of a driver explain what the last program did and showed.

        Values are what it showed: numbers in °C, hPa and %, or texts with a unit or a range, such as ``26.21C``: a
        text stands for all that is rounded to its digits, and so does a number, to those of its shortest form.
        observed is a table of values (CSV). Without any the conversation alone is judged.
        """
        __tracebackhide__ = True
        shown = {"temperature": (temperature, "C"), "pressure": (pressure, "hPa"), "humidity": (humidity, "%")}
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
        """What came of all runs, in order."""
        return tuple(self._results)

    @property
    def result(self) -> Result:
        """What came of the last run.

        Raises BenchError before the first.
        """
        if not self._results:
            raise BenchError("no program was run on this bench")
        return self._results[-1]

    @property
    def transfers(self) -> tuple[Transfer, ...]:
        """What happened on the buses in the last run."""
        return self.result.transfers

    @property
    def faults(self) -> tuple[events.Fault, ...]:
        """What became of the planned failures in the last run."""
        return self.result.faults

    @property
    def remarks(self) -> tuple[events.Remark, ...]:
        """What a real part would have punished in the last run."""
        return self.result.remarks

    @property
    def notices(self) -> tuple[events.Notice, ...]:
        """What a user should know of the last program."""
        return self.result.notices


def _environment(changes: typing.Mapping[str, str | None] | None) -> dict[str, str]:
    """The environment of this process with some changes."""
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
    """The status and output of a command, and whether it had to be ended; then its trace is written before."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=cwd
    ) as process:
        try:
            output = process.communicate(input, timeout)
            return process.returncode, output, False
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            try:
                output = process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                # What ignores its end has no more time; all that it started ends with the command.
                process.kill()
                output = process.communicate()
            return process.returncode, output, True
        except BaseException:
            process.kill()
            raise
