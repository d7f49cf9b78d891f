"""A wall clock that a test sets: a library, loaded before libc, adds the seconds of a file to what CLOCK_REALTIME shows."""

import os
import shutil
import subprocess

from conftest import ROOT


class WallClock:
    """The clock of the programs that are started with its environment."""

    def __init__(self, folder):
        self.file = folder / "shift"
        library = folder / "wall_clock.so"
        compiler = shutil.which("clang") or shutil.which("gcc") or shutil.which("cc")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, ROOT / "Tests/Peers/wall_clock.c", "-ldl"], check=True)
        self.environment = os.environ | {"LD_PRELOAD": str(library), "WALL_CLOCK_SHIFT": str(self.file)}
        self.set(0)

    def set(self, seconds):
        """Sets the clock by seconds against the true one."""
        draft = self.file.with_suffix(".new")
        draft.write_text(str(seconds))
        draft.rename(self.file)
