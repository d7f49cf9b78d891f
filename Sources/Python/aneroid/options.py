"""What a bench is made of, as the fixture, the marker and Bench take it."""

from __future__ import annotations

import dataclasses
import difflib
import os
import typing

#: A path, or text where that is said.
Pathlike = typing.Union[str, "os.PathLike[str]"]
#: A number in the unit that is said, or text with its unit as a rig has it.
Amount = typing.Union[float, str]
#: Some air: pressure in hPa, temperature in °C, relative humidity in %.
Air = typing.Mapping[str, Amount]
#: Keys of a rig.
Keys = typing.Mapping[str, typing.Any]
#: A planned failure: the keys of a rig, or the text of ``aneroid exec --fault``.
PlannedFault = typing.Union[str, Keys]
#: The 33 (BMP280: 24) bytes of a calibration, as bytes or in hexadecimal; a file, a name, or registers.
Calibration = typing.Union[bytes, Pathlike, typing.Mapping[typing.Union[int, str], typing.Union[str, bytes]]]


@dataclasses.dataclass(frozen=True)
class Options:
    """What a bench is made of; None is what holds unless something is said.

    ``rig`` says all that is on the bench: beside it only faults, board, clock, number, frequency and timeout can be given.
    """

    #: A rig: a file beside the test, a name that aneroid knows, or its keys as a dictionary or YAML.
    rig: Pathlike | Keys | None = None
    #: Air that stays, or steps of it, each with ``at`` in seconds: 1013.25 hPa, 21 °C and 50 % unless given.
    air: Air | typing.Sequence[Air] | None = None
    #: Planned failures, in order: their numbers go on from those of the rig.
    faults: typing.Sequence[PlannedFault] | None = None
    #: The model of the part: bme280 unless given, bmp280, bmp180, sht21, hdc1000.
    part: str | None = None
    #: Where it answers, 7 bits; the first address of the part unless given.
    address: int | None = None
    #: The calibration of a BME280 or BMP280: a published one unless given.
    calibration: Calibration | None = None
    #: Noise: ``off`` unless given, ``datasheet``, or a factor of the datasheet's figures.
    noise: str | float | None = None
    #: Which board's files are shown, such as ``raspberry-pi-4``: none unless given.
    board: str | None = None
    #: ``virtual`` unless given, where sleeps pass at once, or ``real``.
    clock: str | None = None
    #: N in /dev/i2c-N: 1 unless given, or as the rig says.
    number: int | None = None
    #: The frequency of the bus, in Hz or as ``400kHz``. Default: that of the rig, else 100 kHz.
    frequency: Amount | None = None
    #: Where all chance comes from: 0 unless given.
    seed: int | None = None
    #: After how many seconds of real time a program is ended: 60 unless given.
    timeout: float | None = None

    @classmethod
    def named(cls, options: Keys) -> Options:
        """Options by their names.

        Raises TypeError for a name that is none of them.
        """
        known = [field.name for field in dataclasses.fields(cls)]
        for name in options:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                advice = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
                raise TypeError(f"aneroid has no option {name!r}: {advice}")
        return cls(**options)

    def over(self, others: Options) -> Options:
        """These options, and the others where these say nothing."""
        return dataclasses.replace(others, **self.given())

    def given(self) -> dict[str, typing.Any]:
        """What is given, by name."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {name: value for name, value in values.items() if value is not None}
