"""Virtual sensors for tests of programs that read real sensors.

In pytest, the fixture ``aneroid`` creates benches::

    def test_frost(aneroid):
        bench = aneroid(air={"temperature": -20})
        result = bench.run(["python3", "station.py"])
        assert "frost" in result.stdout

A bench runs unmodified programs without privileges. They access the virtual part at /dev/i2c-1.
Outside pytest, create a :class:`Bench` with a folder and :class:`Options`.
"""

from .audit import Audit, BusBehavior, Difference, Scenario
from .bench import Bench
from .diagnosis import BusFinding, Diagnosis, Explanation, Reading
from .errors import BenchError, ProgramFailed, ProgramTimeout, ToolNotFound
from .events import Charge, Fault, Notice, Remark
from .factory import BenchFactory
from .options import Options
from .result import Result
from .trace import Message, Transfer, TransferFailure

__all__ = [
    "Audit",
    "Bench",
    "BenchError",
    "BenchFactory",
    "BusBehavior",
    "BusFinding",
    "Charge",
    "Diagnosis",
    "Difference",
    "Explanation",
    "Fault",
    "Message",
    "Notice",
    "Options",
    "ProgramFailed",
    "ProgramTimeout",
    "Reading",
    "Remark",
    "Result",
    "Scenario",
    "ToolNotFound",
    "Transfer",
    "TransferFailure",
]
