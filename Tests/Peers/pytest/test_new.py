"""The files of `aneroid new`: the test passes, and the steps of the workflow work as written."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

from aneroid.tool import find


def project(folder: pathlib.Path) -> pathlib.Path:
    subprocess.run([find(), "new", folder], check=True, capture_output=True)
    return folder


def steps(folder: pathlib.Path) -> list[tuple[str, str]]:
    text = (folder / ".github/workflows/aneroid.yml").read_text()
    return re.findall(r"- name: (.+)\n +run: (.+)", text)


def test_each_step_of_the_workflow_works(tmp_path: pathlib.Path) -> None:
    folder = project(tmp_path / "bench")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "aneroid").symlink_to(pathlib.Path(find()).resolve())
    (tools / "pytest").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pytest "$@"\n')
    (tools / "pytest").chmod(0o755)
    environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")
    for name in [name for name in environment if name.startswith("PYTEST_")]:
        del environment[name]
    found = steps(folder)
    assert [name for name, _ in found] == ["Install", "Check the rig", "Run the rig", "Test the program"]
    for name, line in found[1:]:
        done = subprocess.run(["bash", "-ec", line], cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"
    assert "3 passed" in done.stdout


def test_the_installation_requires_the_wheel(tmp_path: pathlib.Path) -> None:
    folder = project(tmp_path / "bench")
    line = dict(steps(folder))["Install"]
    environment = {name: value for name, value in os.environ.items() if name != "ANEROID_WHEEL"}
    done = subprocess.run(["bash", "-ec", line], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode != 0
    assert "set the variable ANEROID_WHEEL of this repository" in done.stderr
