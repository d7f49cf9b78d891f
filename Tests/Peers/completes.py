"""Types lines into a real shell, presses Tab at the end of each, and prints the completed line.

usage: completes.py zsh|fish SCRIPT LINE...    SCRIPT is the output of aneroid --generate-completion-script
"""

import os
import pty
import re
import select
import sys
import tempfile
import time

shell, script, *lines = sys.argv[1:]
folder = tempfile.mkdtemp()
commands = {"zsh": ["zsh", "-f", "-i"], "fish": ["fish", "--no-config", "--interactive"]}[shell]
process, terminal = pty.fork()
if process == 0:
    kind = "dumb" if shell == "zsh" else "xterm"
    environment = {**os.environ, "HOME": folder, "XDG_DATA_HOME": folder, "TERM": kind}
    os.execvpe(commands[0], commands, environment)


def read_output(until=None, quiet=0.4, limit=30.0):
    """Reads the shell's output until it matches `until` and then nothing arrives for `quiet`
    seconds."""
    text, end = "", time.monotonic() + limit
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], quiet)
        if ready:
            try:
                text += os.read(terminal, 65536).decode(errors="replace")
            except OSError:
                break
        elif text and (until is None or re.search(until, text)):
            break
    return text


def type_in(text):
    os.write(terminal, text.encode())


read_output()
if shell == "zsh":
    # In the fpath, as the packages install it.
    here = os.path.dirname(script)
    type_in(f"fpath=({here} $fpath); autoload -Uz compinit; compinit -u -d {folder}/dump; echo RE''ADY\r")
else:
    type_in(f"source {script}; echo RE''ADY\r")
read_output("READY")
for line in lines:
    type_in(line)
    read_output()
    type_in("\t")
    read_output()
    # Prefix the line with echo: the shell prints it instead of running it.
    type_in("\x01echo LI''NE: \r")
    text = read_output("LINE: .*\n")
    plain = re.sub(r"\x1b(\[[0-9;?]*[a-zA-Z]|\][^\x07]*\x07|[()=>].?)", "", text.replace("\r", "\n"))
    found = re.findall(r"(?m)^LINE: (.*?)\s*$", plain)
    print(found[-1] if found else f"no completion of '{line}': {text!r}")
os.close(terminal)
