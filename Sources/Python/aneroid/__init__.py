"""Virtual sensors for the tests of programs that read real ones.

Within pytest the fixture ``aneroid`` makes benches::

    def test_frost(aneroid):
        bench = aneroid(air={"temperature": -20})
        result = bench.run(["python3", "station.py"])
        assert "frost" in result.stdout

Each program that a bench runs finds the virtual part behind /dev/i2c-1, unchanged and without privileges.
Elsewhere a :class:`Bench` is made from a folder and :class:`Options`.
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
