"""The factory that the pytest fixture returns."""

from __future__ import annotations

import pathlib
import typing

from .bench import Bench
from .options import Air, Amount, Calibration, Keys, Options, Pathlike, PlannedFault


class BenchFactory:
    """Creates benches: ``aneroid(air={"temperature": -20})``.

    The marker of the test defines omitted options, then the defaults of :class:`Options`. Each
    bench has a folder of its own. Its files exist as long as pytest keeps ``tmp_path``.
    """

    def __init__(
        self, folder: pathlib.Path, options: Options, *, relative_to: pathlib.Path
    ) -> None:
        """Creates a factory for benches in a folder.

        Relative paths in options start at ``relative_to``.
        """
        self.folder = folder
        self.options = options
        self.relative_to = relative_to
        #: The created benches, in order.
        self.benches: list[Bench] = []

    def __call__(
        self,
        *,
        rig: Pathlike | Keys | None = None,
        air: Air | typing.Sequence[Air] | None = None,
        faults: typing.Sequence[PlannedFault] | None = None,
        part: str | None = None,
        address: int | None = None,
        calibration: Calibration | None = None,
        noise: str | float | None = None,
        harsh: bool | None = None,
        allow_run: bool | None = None,
        board: str | None = None,
        clock: str | None = None,
        number: int | None = None,
        frequency: Amount | None = None,
        seed: int | None = None,
        timeout: float | None = None,
    ) -> Bench:
        """Creates a bench; see :class:`Options` for the parameters."""
        __tracebackhide__ = True
        options = Options(
            rig=rig,
            air=air,
            faults=faults,
            part=part,
            address=address,
            calibration=calibration,
            noise=noise,
            harsh=harsh,
            allow_run=allow_run,
            board=board,
            clock=clock,
            number=number,
            frequency=frequency,
            seed=seed,
            timeout=timeout,
        )
        folder = self.folder / f"bench-{len(self.benches) + 1}"
        bench = Bench(folder, options.over(self.options), relative_to=self.relative_to)
        self.benches.append(bench)
        return bench
