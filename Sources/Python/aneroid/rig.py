"""Creates the rig of a bench from options."""

from __future__ import annotations

import numbers
import os
import pathlib
import re
import typing

from . import yaml
from .options import Calibration, Keys, Options, PlannedFault

#: The options that can be combined with a rig.
WITH_RIG = (
    "rig", "faults", "harsh", "allow_run", "board", "clock", "number", "frequency", "timeout",
)

#: A published calibration for each chip with calibration registers, captured from a real part.
TYPICAL: dict[str, dict[str, str]] = {
    "bme280": {
        "0x88": "106e6c6632005d95b8d5d00b771e9dfff9ffac260ad8bd10004b",
        "0xE1": "6e01001305001e",
    },
    "bmp280": {"0x88": "5c6e706818fc098e8ed6d00bac132b01f9ff8c3cf8c67017"},
}

_UNITS = {"pressure": "hPa", "temperature": "C", "humidity": "%"}
_DURATIONS = ("at", "for")


def arguments(options: Options, folder: pathlib.Path, relative_to: pathlib.Path) -> list[str]:
    """Returns the options of ``aneroid exec`` that create the bench.

    A rig that is not a file is written to the folder. Paths are relative to ``relative_to``. Raises
    TypeError and ValueError for invalid options.
    """
    clock = options.clock or "virtual"
    result = ["--rig", _rig(options, folder, relative_to), "--clock", clock]
    if options.rig is not None and options.number is not None:
        result += ["--number", str(options.number)]
    if options.frequency is not None:
        result += ["--frequency", with_unit(options.frequency, "Hz")]
    if options.board is not None:
        result += ["--board", options.board]
    result += ["--harsh"] if options.harsh else []
    result += ["--allow-run"] if options.allow_run else []
    if isinstance(options.faults, (str, typing.Mapping)):
        raise TypeError("faults must be a list of faults")
    for fault in options.faults or ():
        result += ["--fault", fault_text(fault)]
    return result


def fault_text(fault: PlannedFault) -> str:
    """Returns a fault in the format of ``--fault``. A time without a unit is in seconds."""
    if isinstance(fault, str):
        return fault
    if not isinstance(fault, typing.Mapping):
        raise TypeError(f"a fault must be a text or a dictionary, not {fault!r}")
    return yaml.pairs(
        {key: with_unit(value, "s") if key in _DURATIONS else value for key, value in fault.items()}
    )


def _rig(options: Options, folder: pathlib.Path, relative_to: pathlib.Path) -> str:
    rig = options.rig
    if rig is None:
        text = yaml.document(_single_part(options, relative_to))
    else:
        extra = sorted(set(options.given()) - set(WITH_RIG))
        if extra:
            raise TypeError(
                f"a rig describes the whole bench: set {' and '.join(extra)} in the rig, "
                "or pass no rig"
            )
        if isinstance(rig, typing.Mapping):
            text = yaml.document(rig if "name" in rig else {"name": "test", **rig})
        elif isinstance(rig, str) and "\n" in rig:
            text = rig
        elif isinstance(rig, (str, os.PathLike)):
            return _absolute(rig, relative_to)
        else:
            raise TypeError(f"a rig must be a path, a dictionary or YAML, not {rig!r}")
    file = folder / "rig.yaml"
    file.write_text(text, "utf-8")
    return str(file)


def _single_part(options: Options, relative_to: pathlib.Path) -> dict[str, typing.Any]:
    """Returns a rig with one part in simulated air."""
    part = options.part or "bme280"
    device: dict[str, typing.Any] = {"model": part}
    if options.address is not None:
        device["address"] = options.address
    if options.calibration is not None:
        device["calibration"] = _calibration(options.calibration, relative_to)
    elif part in TYPICAL:
        device["calibration"] = TYPICAL[part]
    if options.noise is not None:
        device["noise"] = options.noise
    rig: dict[str, typing.Any] = {"name": "test"}
    if options.seed is not None:
        rig["seed"] = options.seed
    number = 1 if options.number is None else options.number
    rig["buses"] = [{"number": number, "devices": [device]}]
    if options.air is not None:
        rig["environment"] = _environment(options.air)
    return rig


def _environment(air: object) -> Keys:
    """Returns the environment of a rig: constant air, or steps."""
    if isinstance(air, typing.Mapping):
        return {"constant": _air(air, step=False)}
    if isinstance(air, (list, tuple)):
        return {"steps": [_air(step, step=True) for step in air]}
    raise TypeError(f"air must be a dictionary, or a list of dictionaries with 'at', not {air!r}")


def _air(air: object, *, step: bool) -> Keys:
    if not isinstance(air, typing.Mapping):
        raise TypeError(f"air must be a dictionary such as {{'temperature': -20}}, not {air!r}")
    units = {"at": "s", **_UNITS} if step else _UNITS
    for key in air:
        if key not in units:
            raise TypeError(f"unknown key {key!r} of air (accepted: {', '.join(units)})")
    return {key: with_unit(value, units[key]) for key, value in air.items()}


def with_unit(value: object, unit: str) -> str:
    """Returns a text with a unit; the unit is appended to a number."""
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Real):
        return yaml.number(value if isinstance(value, int) else float(value)) + unit
    raise TypeError(f"{value!r} must be a number, or a text with a unit")


def _calibration(value: Calibration, relative_to: pathlib.Path) -> object:
    """Returns a calibration in the format of a rig."""
    if isinstance(value, typing.Mapping):
        return value
    if isinstance(value, str):
        digits = re.sub(r"[\s:,]+|0[xX]", "", value)
        if re.fullmatch(r"[0-9A-Fa-f]{48}|[0-9A-Fa-f]{66}", digits):
            value = bytes.fromhex(digits)
    if isinstance(value, (bytes, bytearray)):
        if len(value) not in (24, 33):
            raise ValueError(
                f"a calibration must have 33 bytes (24 for a BMP280), not {len(value)}"
            )
        registers = {"0x88": value[:26].hex(), "0xE1": value[26:].hex()}
        return {key: digits for key, digits in registers.items() if digits}
    return _absolute(value, relative_to)


def _absolute(path: object, relative_to: pathlib.Path) -> str:
    """Returns the absolute path of a file.

    A name without a file is returned unchanged: the command resolves built-in names.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{path!r} is not a path")
    text = os.fspath(path)
    resolved = relative_to / text
    is_name = isinstance(path, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", text)
    return text if is_name and not resolved.is_file() else str(resolved.absolute())
