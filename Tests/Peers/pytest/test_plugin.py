"""The plugin within pytest, as users run it."""

from __future__ import annotations

import os
import pathlib
import re
import sys

import pytest

HERE = pathlib.Path(__file__).parent
PAGE = HERE.parents[2] / "Sources" / "aneroid" / "aneroid.docc" / "Pytest.md"
UNITTEST = PAGE.parent / "Unittest.md"
README = HERE.parents[2] / "README.md"

FAILING = """
import sys

READ = '''
import smbus2
bus = smbus2.SMBus(1)
for register in range(60):
    try:
        bus.read_byte_data(0x76, register)
    except OSError as error:
        print(error)
print("done", file=__import__("sys").stderr)
'''

def test_frost(aneroid):
    bench = aneroid(faults=["kind: nack-address, after: 30"])
    bench.run(["true"])
    bench.run([sys.executable, "-c", READ])
    assert bench.transfers == ()
"""


def test_a_failure_shows_transfers_faults_and_output(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(FAILING)
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*- aneroid: transfers -*",
            "status 0, 0.0?? s on the bench, run 2 of 2",
            "... 20 transfers before",
            "* 0x76  w 14  r 00*",
            "* 0x76  w 1e  r [[]1[]]   failed: address not acknowledged*",
            "* 0x76  w 3b  r 00*",
            "trace: */bus.i2ctrace",
            "*- aneroid: faults and remarks -*",
            "fault 1, nack-address on bus 1: fired 1 of 1 times",
            "*- aneroid: stdout -*",
            "[[]Errno 6[]] No such device or address",
            "*- aneroid: stderr -*",
            "done",
        ]
    )
    trace = re.search("trace: (.*)", result.stdout.str())
    assert trace is not None and os.path.exists(trace.group(1))


def test_two_benches_are_distinguished(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        def broken(aneroid):
            aneroid()
            aneroid().run(["true"])
            aneroid().run(["true"])
            raise OSError

        def test_it(broken):
            pass
        """
    )
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*- aneroid, bench 2: transfers -*", "*- aneroid, bench 3: transfers -*"])
    result.stdout.no_fnmatch_line("*bench 1: transfers*")


def test_a_passing_test_shows_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(aneroid): aneroid().run(['true'])")
    result = pytester.runpytest("-rA")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*aneroid: transfers*")


def test_an_error_points_at_the_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(aneroid):\n    aneroid().run(['/no-such-program'])")
    result = pytester.runpytest()
    result.stdout.fnmatch_lines(["E *BenchError: /no-such-program: no such program", "*.py:2: BenchError"])


def test_the_marker_is_registered(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.aneroid(rig="bench.yaml")
        def test_it(aneroid):
            assert aneroid().run(["sh", "-c", "ls /dev/i2c-*"]).stdout == "/dev/i2c-9\\n"
        """
    )
    device = "{model: sht21, address: 0x40}"
    pytester.path.joinpath("bench.yaml").write_text(f"name: nine\nbuses: [{{number: 9, devices: [{device}]}}]\n")
    pytester.runpytest("--strict-markers").assert_outcomes(passed=1)
    pytester.runpytest("--markers").stdout.fnmatch_lines(["@pytest.mark.aneroid(rig, air, *"])
    pytester.runpytest("--fixtures").stdout.fnmatch_lines(["aneroid*", "*Creates benches*"])


@pytest.mark.parametrize(
    ("marker", "words"),
    [("temperature=3", "has no option 'temperature'"), ("{}", "accepts options by name")],
)
def test_an_invalid_marker_is_rejected(pytester: pytest.Pytester, marker: str, words: str) -> None:
    pytester.makepyfile(f"import pytest\n@pytest.mark.aneroid({marker})\ndef test_it(aneroid): pass")
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"E *TypeError*{words}*"])


def test_workers_share_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        FAILING,
        test_more="""
        import pytest

        @pytest.mark.parametrize("temperature", [1, 2, 3, 4])
        def test_it(aneroid, temperature):
            bench = aneroid(air={"temperature": temperature})
            bench.run(["true"])
            assert f'temperature: "{temperature}C"' in (bench.folder / "rig.yaml").read_text()
        """,
    )
    result = pytester.runpytest_subprocess("-n", "2", "-p", "xdist")
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(["*- aneroid: transfers -*", "... 20 transfers before"])


def test_all_of_pytest_can_be_on_a_bench(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_it():
            import smbus2
            assert smbus2.SMBus(1).read_byte_data(0x76, 0xD0) == 0x60
        """
    )
    command = [sys.executable, "-m", "pytest", "test_all_of_pytest_can_be_on_a_bench.py"]
    assert pytester.run(os.environ["ANEROID"], "exec", "--", *command).ret == 0
    assert pytester.run(*command).ret == 1


def test_the_plugin_can_be_disabled(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(aneroid): pass")
    result = pytester.runpytest_subprocess("-p", "no:aneroid")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*fixture 'aneroid' not found*"])


def test_the_first_test_of_the_page_passes(pytester: pytest.Pytester) -> None:
    blocks = re.findall(r"^```python\n# (\S+)\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert [name for name, _ in blocks] == ["station.py", "test_station.py"]
    for name, text in blocks:
        pytester.path.joinpath(name).write_text(text)
    pytester.runpytest().assert_outcomes(passed=2)


def test_the_first_test_of_the_readme_passes(pytester: pytest.Pytester) -> None:
    program = re.search(r"^```python\n# station.py\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    tests = re.search(r"^```python\n(.*?)^```", README.read_text(), re.DOTALL | re.MULTILINE)
    assert program is not None and tests is not None
    pytester.path.joinpath("station.py").write_text(program.group(1))
    pytester.path.joinpath("test_station.py").write_text(tests.group(1))
    pytester.runpytest().assert_outcomes(passed=1)


def page_program() -> str:
    program = re.search(r"^```python\n# station.py\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert program is not None
    return program.group(1)


def test_the_unittest_of_the_page_passes(pytester: pytest.Pytester) -> None:
    tests = re.search(r"^```python\n# test_station.py\n(.*?)^```", UNITTEST.read_text(), re.DOTALL | re.MULTILINE)
    assert tests is not None
    pytester.path.joinpath("station.py").write_text(page_program())
    pytester.path.joinpath("test_station.py").write_text(tests.group(1))
    result = pytester.run(sys.executable, "-m", "unittest", "-v")
    assert result.ret == 0
    result.stderr.fnmatch_lines(["Ran 2 tests in *", "OK"])


LOCAL = """
import os
import pytest

def test_it(aneroid):
    aneroid()
    try:
        os.open("/dev/i2c-%s", os.O_RDWR)
    except OSError as error:
        raise RuntimeError("no sensor") from error
"""


def test_a_failure_without_a_bus_in_its_own_process_is_explained(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(LOCAL % 251)
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*- aneroid: no bus in this process -*", "/dev/i2c-251 was opened in the process of the test*"])


def test_another_missing_file_is_not_explained_by_the_bus(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(aneroid):\n    aneroid()\n    open('/no/such/file')")
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*no bus in this process*")


def test_coverage_of_a_reader_needs_the_settings_of_the_page(pytester: pytest.Pytester) -> None:
    settings = re.search(r"^```ini\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert settings is not None
    pytester.path.joinpath("station.py").write_text(page_program())
    pytester.makepyfile(
        "import pathlib\ndef test_it(aneroid): aneroid().python(pathlib.Path('station.py'), check=True)"
    )

    def covered() -> str:
        assert pytester.run(sys.executable, "-m", "coverage", "run", "-m", "pytest", "-q").ret == 0
        pytester.run(sys.executable, "-m", "coverage", "combine")
        return pytester.run(sys.executable, "-m", "coverage", "report").stdout.str()

    assert "station.py" not in covered().replace("test_station.py", "")
    pytester.path.joinpath(".coveragerc").write_text(settings.group(1))
    assert re.search(r"(?m)^station\.py +\d+ +0 +100%$", covered())
