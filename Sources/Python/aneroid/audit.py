"""What a reader of a sensor is worth on benches made to show the defects that shipped."""

from __future__ import annotations

import dataclasses
import json
import typing

from . import tool
from .errors import BenchError

#: The verdicts that speak against a program.
_FINDINGS = ("wrong", "failed", "small")


@dataclasses.dataclass(frozen=True)
class Difference:
    """A value that is wrong, as it was shown and as it should be, both as text with a unit."""

    quantity: str
    shown: str
    right: str


@dataclasses.dataclass(frozen=True)
class BusBehavior:
    """What the program did wrong on the bus."""

    #: The class of the defect in ``aneroid diagnose --catalogue``; empty where it is none.
    defect: str
    sentence: str
    count: int


@dataclasses.dataclass(frozen=True)
class Scenario:
    """What the program was worth on one bench."""

    name: str
    #: What is special about it.
    summary: str
    #: The classes of defects that it exposes.
    exposes: tuple[str, ...]
    #: One of right, reported, wrong, failed, small, not run; ``aneroid help audit`` says what they mean.
    verdict: str
    #: Why, in a sentence; may be empty.
    reason: str
    #: What explains it; empty where nothing is wrong.
    cause: str
    #: What the program showed, as text with units.
    shown: tuple[str, ...]
    differences: tuple[Difference, ...]
    #: The classes of defects that explain it.
    likely: tuple[str, ...]
    conduct: tuple[BusBehavior, ...]
    #: How many readings it showed.
    readings: int

    @property
    def is_finding(self) -> bool:
        """Whether it speaks against the program."""
        return self.verdict in _FINDINGS

    def __str__(self) -> str:
        what = "; ".join(f"{item.shown}, not {item.right}" for item in self.differences) or self.reason
        cause = f" ({self.cause})" if self.cause and self.cause != what else ""
        return f"{self.verdict:8} {self.name}: {what or self.summary}{cause}"


@dataclasses.dataclass(frozen=True)
class Audit:
    """What the program was worth on all benches."""

    argv: tuple[str, ...]
    scenarios: tuple[Scenario, ...]
    #: The regular expressions that were guessed to find the values; empty where something was said.
    guessed: tuple[str, ...]
    #: The quantities for which nothing could be guessed.
    missing: tuple[str, ...]
    #: Whether nothing is wrong, or nothing that the baseline does not know.
    is_right: bool
    #: The whole object as JSON: the baseline of a later audit.
    json: str = dataclasses.field(repr=False)

    @property
    def findings(self) -> tuple[Scenario, ...]:
        """The scenarios that speak against the program."""
        return tuple(scenario for scenario in self.scenarios if scenario.is_finding)

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each scenario by its name."""
        return {scenario.name: scenario.verdict for scenario in self.scenarios}

    def assert_right(self) -> None:
        """Raises AssertionError with all findings unless nothing is wrong."""
        __tracebackhide__ = True
        if not self.is_right:
            lines = [str(scenario) for scenario in self.findings]
            count = f"{len(lines)} of {len(self.scenarios)} scenarios speak against {' '.join(self.argv)}"
            raise AssertionError("\n".join([count, *lines]))


def run(options: list[str], argv: list[str], timeout: float | None) -> Audit:
    """Audits a program. Raises BenchError when it cannot be judged."""
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
