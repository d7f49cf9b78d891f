"""Finds the driver defects that explain a trace and the program's output."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import typing

from . import tool
from .errors import BenchError


@dataclasses.dataclass(frozen=True)
class BusFinding:
    """An error of the program on the bus."""

    #: The class of the defect in ``aneroid diagnose --catalogue``; None if no class applies.
    defect: str | None
    sentence: str
    #: The time of the first occurrence in seconds of the bench's clock.
    time: float
    count: int


@dataclasses.dataclass(frozen=True)
class Explanation:
    """A combination of defects that turns the bytes read into the values shown."""

    #: The names of the defects; empty if the correct formulas explain the values.
    defects: tuple[str, ...]
    #: The classes of the defects, without defects that have no class.
    classes: tuple[str, ...]
    #: The formulas used by the program.
    formula: str
    #: The number of explained values.
    explained: int
    #: The number of values shown.
    observed: int
    #: The evidence in bits: -log2 of the share of random values with an equally simple explanation.
    #: None for a correct program.
    bits: float | None
    #: Whether the evidence is too weak to exclude chance.
    by_chance: bool


@dataclasses.dataclass(frozen=True)
class Reading:
    """The values of the data registers by the correct formulas, at a time.

    Every quantity has a value, also one that the program did not read.
    """

    #: The time in seconds of the bench's clock.
    time: float
    #: The temperature in °C.
    temperature: float
    #: The pressure in Pa.
    pressure: float
    #: The relative humidity in %; None for a BMP280.
    humidity: float | None


@dataclasses.dataclass(frozen=True)
class Diagnosis:
    """The driver defects that a trace reveals."""

    #: The name of the chip; None if the program did not read its ID.
    chip: str | None
    #: Whether the diagnosis has no findings.
    is_clean: bool
    #: Whether the correct formulas or known defects explain all values shown, with enough evidence.
    is_explained: bool
    findings: tuple[BusFinding, ...]
    #: The explanations, best first.
    explanations: tuple[Explanation, ...]
    #: The decoded readings.
    readings: tuple[Reading, ...]


def run(trace: pathlib.Path, options: list[str]) -> Diagnosis:
    """Diagnoses a trace.

    Raises BenchError for a trace without anything to evaluate.
    """
    done = tool.run(["diagnose", "--format=json", *options, str(trace)])
    try:
        item = json.loads(done.stdout)
        return _diagnosis(item)
    except (ValueError, KeyError):
        message = (
            tool.explain(done.stderr) or done.stdout or f"aneroid ended with {done.returncode}"
        )
        raise BenchError(message, done.returncode) from None


def _diagnosis(item: dict[str, typing.Any]) -> Diagnosis:
    is_dry = item["chip"] == "bmp280"
    return Diagnosis(
        chip=item["chip"],
        is_clean=item["clean"],
        is_explained=item["explained"],
        findings=tuple(
            BusFinding(each["class"], each["sentence"], each["t"], each["count"])
            for each in item["findings"]
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
                each["t"],
                each["temperature_c"],
                each["pressure_pa"],
                None if is_dry else each["humidity_rh"],
            )
            for each in item["correct"]
        ),
    )
