"""Audits a sensor reader on benches designed to expose known driver defects."""

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
    """A wrong value, as shown and as expected, both as text with a unit."""

    quantity: str
    shown: str
    right: str


@dataclasses.dataclass(frozen=True)
class BusBehavior:
    """An error of the program on the bus."""

    #: The class of the defect in ``aneroid diagnose --catalogue``; empty if it has none.
    defect: str
    sentence: str
    count: int


@dataclasses.dataclass(frozen=True)
class Scenario:
    """The result of a program on one bench."""

    name: str
    #: The special feature of the bench.
    summary: str
    #: The classes of defects that the bench exposes.
    exposes: tuple[str, ...]
    #: One of right, reported, wrong, failed, small, not run; see ``aneroid help audit``.
    verdict: str
    #: The reason as a sentence; may be empty.
    reason: str
    #: The explanation of the error; empty if there is none.
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
        what = "; ".join(f"{item.shown}, not {item.right}" for item in self.differences) or self.reason
        cause = f" ({self.cause})" if self.cause and self.cause != what else ""
        return f"{self.verdict:8} {self.name}: {what or self.summary}{cause}"


@dataclasses.dataclass(frozen=True)
class Audit:
    """The results of a program on all benches."""

    argv: tuple[str, ...]
    scenarios: tuple[Scenario, ...]
    #: The regular expressions that were inferred to find the values; empty if they were given.
    guessed: tuple[str, ...]
    #: The quantities for which no expression could be inferred.
    missing: tuple[str, ...]
    #: Whether there are no findings, apart from those in the baseline.
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
        """Raises AssertionError with all findings, if there are any."""
        __tracebackhide__ = True
        if not self.is_right:
            lines = [str(scenario) for scenario in self.findings]
            count = f"{len(lines)} of {len(self.scenarios)} scenarios have findings against {' '.join(self.argv)}"
            raise AssertionError("\n".join([count, *lines]))


def run(options: list[str], argv: list[str], timeout: float | None) -> Audit:
    """Audits a program. Raises BenchError if it cannot be evaluated."""
    done = tool.ask(["audit", "--format=json", *options, "--", *argv], timeout=timeout)
    if done.returncode not in (0, 1) or not done.stdout:
        raise BenchError(tool.explain(done.stderr) or f"aneroid ended with {done.returncode}", done.returncode)
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
        differences=tuple(Difference(each["quantity"], each["shown"], each["right"]) for each in item["differences"]),
        likely=tuple(each["class"] for each in item["likely"]),
        conduct=tuple(BusBehavior(each["class"], each["sentence"], each["count"]) for each in item["conduct"]),
        readings=item["readings"],
    )
