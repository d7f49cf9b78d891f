"""The options of a bench, for the fixture, the marker and Bench."""

from __future__ import annotations

import dataclasses
import difflib
import os
import typing

#: A path. Some options also accept another text.
Pathlike = typing.Union[str, "os.PathLike[str]"]
#: A number in the documented unit, or a text with a unit as in a rig.
Amount = typing.Union[float, str]
#: Air: pressure in hPa, temperature in °C, relative humidity in %.
Air = typing.Mapping[str, Amount]
#: The keys of a rig.
Keys = typing.Mapping[str, typing.Any]
#: A fault to inject: the keys of a rig, or the text of ``aneroid exec --fault``.
PlannedFault = typing.Union[str, Keys]
#: The 33 (BMP280: 24) bytes of a calibration, as bytes or in hexadecimal; a file, a name, or
#: registers.
Calibration = typing.Union[
    bytes, Pathlike, typing.Mapping[typing.Union[int, str], typing.Union[str, bytes]]
]


@dataclasses.dataclass(frozen=True)
class Options:
    """The options of a bench; None selects the default.

    ``rig`` describes the whole bench. It can be combined only with faults, harsh, allow_run, board,
    clock, number, frequency and timeout.
    """

    #: A rig: a file next to the test, the name of a built-in rig, or its keys as a dictionary or
    #: YAML.
    rig: Pathlike | Keys | None = None
    #: Constant air, or steps of air, each with ``at`` in seconds. Default: 1013.25 hPa, 21 °C and
    #: 50 %.
    air: Air | typing.Sequence[Air] | None = None
    #: The faults to inject, in order. Their numbers follow those of the rig's faults.
    faults: typing.Sequence[PlannedFault] | None = None
    #: The model of the part: bme280, bmp280, bmp180, sht21 or hdc1000. Default: bme280.
    part: str | None = None
    #: The 7-bit address. Default: the first address of the part.
    address: int | None = None
    #: The calibration of a BME280 or BMP280. Default: a published one.
    calibration: Calibration | None = None
    #: The noise: ``off``, ``datasheet``, or a factor of the data sheet's values. Default: ``off``.
    noise: str | float | None = None
    #: Whether everything that data sheets leave open is answered against the program. Default: as
    #: the rig says.
    harsh: bool | None = None
    #: Whether parts of the rig may be programs. Default: False.
    allow_run: bool | None = None
    #: The board whose files the program can open, such as ``raspberry-pi-4``. Default: none.
    board: str | None = None
    #: The clock: ``virtual`` (a sleep returns at once) or ``real``. Default: ``virtual``.
    clock: str | None = None
    #: N in /dev/i2c-N. Default: that of the rig, else 1.
    number: int | None = None
    #: The frequency of the bus, in Hz or as ``400kHz``. Default: that of the rig, else 100 kHz.
    frequency: Amount | None = None
    #: The seed of all random choices. Default: 0.
    seed: int | None = None
    #: The timeout of a program in seconds of real time. Default: 60.
    timeout: float | None = None

    @classmethod
    def named(cls, options: Keys) -> Options:
        """Creates options from names and values.

        Raises TypeError for an unknown name.
        """
        names = [field.name for field in dataclasses.fields(cls)]
        for name in options:
            if name not in names:
                near = difflib.get_close_matches(name, names, 1)
                advice = (
                    f": did you mean {near[0]!r}?" if near else f" (accepted: {', '.join(names)})"
                )
                raise TypeError(f"aneroid has no option {name!r}{advice}")
        return cls(**options)

    def over(self, others: Options) -> Options:
        """Returns these options, merged over others."""
        return dataclasses.replace(others, **self.given())

    def given(self) -> dict[str, typing.Any]:
        """Returns the options that are not None, by name."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {name: value for name, value in values.items() if value is not None}
