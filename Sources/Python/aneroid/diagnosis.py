"""Which defects of a driver explain a trace, and what its program showed."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import typing

from . import tool
from .errors import BenchError


@dataclasses.dataclass(frozen=True)
class BusFinding:
    """What the program did wrong on the bus."""

    #: The class of the defect in ``aneroid diagnose --catalogue``; None where it is none.
    defect: str | None
    sentence: str
    #: When it happened first, in seconds of the bench's clock.
    time: float
    count: int


@dataclasses.dataclass(frozen=True)
class Explanation:
    """Defects that together make of the bytes what was shown."""

    #: Their names; none where the right formulas do.
    defects: tuple[str, ...]
    #: The classes of those that have one.
    classes: tuple[str, ...]
    #: The formulas of the program.
    formula: str
    #: How many of the values that were shown it explains, and how many there were.
    explained: int
    observed: int
    #: The bits of evidence, -log2 of the share of random values that are explained as simply; None of a right program.
    bits: float | None
    #: Whether that is too little: chance gives as much, and it is no explanation.
    by_chance: bool


@dataclasses.dataclass(frozen=True)
class Reading:
    """What the data registers mean by the right formulas, at a time.

    Something stands for each quantity, also for one that the program did not read or does not measure.
    """

    #: In seconds of the bench's clock.
    time: float
    #: In °C.
    temperature: float
    #: In Pa.
    pressure: float
    #: The relative humidity in %; None of a BMP280.
    humidity: float | None


@dataclasses.dataclass(frozen=True)
class Diagnosis:
    """What is wrong with a driver, as far as a trace tells."""

    #: The name of the chip; None where the program did not read its id.
    chip: str | None
    #: Whether nothing is wrong.
    is_clean: bool
    #: Whether the right formulas or known defects explain all values that were shown, with enough evidence.
    is_explained: bool
    findings: tuple[BusFinding, ...]
    #: The best first.
    explanations: tuple[Explanation, ...]
    #: What the bytes mean.
    readings: tuple[Reading, ...]


def run(trace: pathlib.Path, options: list[str]) -> Diagnosis:
    """Diagnoses a trace. Raises BenchError when there is nothing to judge."""
    done = tool.ask(["diagnose", "--format=json", *options, str(trace)])
    try:
        item = json.loads(done.stdout)
        return _diagnosis(item)
    except (ValueError, KeyError):
        message = tool.explain(done.stderr) or done.stdout or f"aneroid ended with {done.returncode}"
        raise BenchError(message, done.returncode) from None


def _diagnosis(item: dict[str, typing.Any]) -> Diagnosis:
    is_dry = item["chip"] == "bmp280"
    return Diagnosis(
        chip=item["chip"],
        is_clean=item["clean"],
        is_explained=item["explained"],
        findings=tuple(
            BusFinding(each["class"], each["sentence"], each["t"], each["count"]) for each in item["findings"]
        ),
        explanations=tuple(
            Explanation(
                defects=tuple(defect["name"] for defect in each["defects"]),
                classes=tuple(defect["class"] for defect in each["defects"] if defect["class"]),
                formula=each["formula"],
                explained=each["explained"],
                observed=each["observed"],
                bits=each["bits"],
                by_chance=each["by_chance"],
            )
            for each in item["explanations"]
        ),
        readings=tuple(
            Reading(
                each["t"], each["temperature_c"], each["pressure_pa"], None if is_dry else each["humidity_rh"]
            )
            for each in item["correct"]
        ),
    )
