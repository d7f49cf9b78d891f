"""Types lines into a real shell, presses Tab at the end of each, and prints what the line has become.

usage: completes.py zsh|fish SCRIPT LINE...    SCRIPT is what aneroid --generate-completion-script has written
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


def heard(until=None, quiet=0.4, limit=30.0):
    """What the shell writes until it has written something that matches, and then nothing for a while."""
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


heard()
if shell == "zsh":
    # Where compinit finds it, as the packages install it.
    here = os.path.dirname(script)
    type_in(f"fpath=({here} $fpath); autoload -Uz compinit; compinit -u -d {folder}/dump; echo RE''ADY\r")
else:
    type_in(f"source {script}; echo RE''ADY\r")
heard("READY")
for line in lines:
    type_in(line)
    heard()
    type_in("\t")
    heard()
    # The line is not run but shown: something is put before it.
    type_in("\x01echo LI''NE: \r")
    text = heard("LINE: .*\n")
    plain = re.sub(r"\x1b(\[[0-9;?]*[a-zA-Z]|\][^\x07]*\x07|[()=>].?)", "", text.replace("\r", "\n"))
    found = re.findall(r"(?m)^LINE: (.*?)\s*$", plain)
    print(found[-1] if found else f"nothing of '{line}': {text!r}")
os.close(terminal)
