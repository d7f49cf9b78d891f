"""Audits a sensor reader on benches that expose known driver defects."""

from __future__ import annotations

import dataclasses
import json
import typing

from . import tool
from .errors import BenchError

#: The verdicts that count as findings against a program.
_FINDINGS = ("wrong", "failed", "small")


@dataclasses.dataclass(frozen=True)
class Difference:
    """A wrong value and the expected value, as text with units."""

    quantity: str
    shown: str
    right: str


@dataclasses.dataclass(frozen=True)
class BusBehavior:
    """An error of the program on the bus."""

    #: The class of the defect in ``aneroid diagnose --catalogue``; empty if no class applies.
    defect: str
    sentence: str
    count: int


@dataclasses.dataclass(frozen=True)
class Scenario:
    """The result of a program on one bench."""

    name: str
    #: The condition that the bench tests.
    summary: str
    #: The classes of defects that the bench exposes.
    exposes: tuple[str, ...]
    #: One of right, reported, wrong, failed, small, not run; see ``aneroid help audit``.
    verdict: str
    #: The reason as a sentence; may be empty.
    reason: str
    #: The cause of the error; empty if unknown.
    cause: str
    #: The values shown by the program, as text with units.
    shown: tuple[str, ...]
    differences: tuple[Difference, ...]
    #: The classes of defects that explain the values.
    likely: tuple[str, ...]
    conduct: tuple[BusBehavior, ...]
    #: The number of readings shown.
    readings: int

    @property
    def is_finding(self) -> bool:
        """Whether the result counts as a finding against the program."""
        return self.verdict in _FINDINGS

    def __str__(self) -> str:
        values = (f"{item.shown}, not {item.right}" for item in self.differences)
        result = "; ".join(values) or self.reason
        cause = f" ({self.cause})" if self.cause and self.cause != result else ""
        return f"{self.verdict:8} {self.name}: {result or self.summary}{cause}"


@dataclasses.dataclass(frozen=True)
class Audit:
    """The results of a program on all benches."""

    argv: tuple[str, ...]
    scenarios: tuple[Scenario, ...]
    #: The inferred regular expressions that find the values; empty if the caller passed them.
    guessed: tuple[str, ...]
    #: The quantities without an inferred expression.
    missing: tuple[str, ...]
    #: Whether the audit has no findings other than those in the baseline.
    is_right: bool
    #: The results as JSON, for use as the baseline of a later audit.
    json: str = dataclasses.field(repr=False)

    @property
    def findings(self) -> tuple[Scenario, ...]:
        """The scenarios with findings against the program."""
        return tuple(scenario for scenario in self.scenarios if scenario.is_finding)

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each scenario by name."""
        return {scenario.name: scenario.verdict for scenario in self.scenarios}

    def assert_right(self) -> None:
        """Raises AssertionError with all findings, if any."""
        __tracebackhide__ = True
        if not self.is_right:
            lines = [str(scenario) for scenario in self.findings]
            count = f"{len(lines)} of {len(self.scenarios)} scenarios"
            head = f"{count} have findings against {' '.join(self.argv)}"
            raise AssertionError("\n".join([head, *lines]))


def run(options: list[str], argv: list[str], timeout: float | None) -> Audit:
    """Audits a program.

    Raises BenchError if the program cannot be evaluated.
    """
    done = tool.run(["audit", "--format=json", *options, "--", *argv], timeout=timeout)
    if done.returncode not in (0, 1) or not done.stdout:
        raise BenchError(
            tool.explain(done.stderr) or f"aneroid ended with {done.returncode}", done.returncode
        )
    item = json.loads(done.stdout)
    return Audit(
        argv=tuple(item["audit"]),
        scenarios=tuple(_scenario(scenario) for scenario in item["scenarios"]),
        guessed=tuple(item["guessed"]),
        missing=tuple(item["missing"]),
        is_right=done.returncode == 0,
        json=done.stdout,
    )


def _scenario(item: dict[str, typing.Any]) -> Scenario:
    return Scenario(
        name=item["scenario"],
        summary=item["summary"],
        exposes=tuple(item["exposes"]),
        verdict=item["verdict"],
        reason=item["reason"],
        cause=item["cause"],
        shown=tuple(item["shown"]),
        differences=tuple(
            Difference(each["quantity"], each["shown"], each["right"])
            for each in item["differences"]
        ),
        likely=tuple(each["class"] for each in item["likely"]),
        conduct=tuple(
            BusBehavior(each["class"], each["sentence"], each["count"]) for each in item["conduct"]
        ),
        readings=item["readings"],
    )
