"""A newcomer's tests of the station."""

import pathlib

STATION = pathlib.Path(__file__).with_name("station.py")


def test_frost(aneroid):
    bench = aneroid(air={"temperature": -20})
    result = bench.python(STATION, check=True)
    assert result.stdout == "-20.0 °C frost!\n"
    assert bench.transfers[0].address == 0x76


def test_summer(aneroid):
    bench = aneroid(air={"temperature": "77F"})
    assert bench.python(STATION, check=True).stdout == "25.0 °C \n"


def test_loose_wire(aneroid):
    bench = aneroid(faults=["kind: nack-address, after: 5"])
    assert bench.python(STATION).status == 1
    assert bench.faults[0].complete
