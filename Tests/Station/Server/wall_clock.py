"""A wall clock that tests set: a preloaded library adds the seconds in a file to CLOCK_REALTIME."""

import os
import shutil
import subprocess

from conftest import ROOT


class WallClock:
    """The wall clock of programs that are started with its environment."""

    def __init__(self, folder):
        self.file = folder / "shift"
        library = folder / "wall_clock.so"
        compiler = shutil.which("clang") or shutil.which("gcc") or shutil.which("cc")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, ROOT / "Tests/Peers/wall_clock.c", "-ldl"], check=True)
        self.environment = os.environ | {"LD_PRELOAD": str(library), "WALL_CLOCK_SHIFT": str(self.file)}
        self.set(0)

    def set(self, seconds):
        """Sets the offset to the true clock in seconds."""
        draft = self.file.with_suffix(".new")
        draft.write_text(str(seconds))
        draft.rename(self.file)
