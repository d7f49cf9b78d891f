"""Fails unless the documentation of an installed package is complete: the links of its pages and
the manuals that a manual refers to.

usage: pages.py FOLDER OF THE PAGES [FOLDER OF THE MANUALS]
"""

import gzip
import pathlib
import re
import sys

pages = sorted(pathlib.Path(sys.argv[1]).glob("*.md"))
assert len(pages) > 10 and pathlib.Path(sys.argv[1], "README.md") in pages, pages
missing = []
for page in pages:
    text = re.sub(r"(?ms)^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"))
    assert "<doc:" not in text, page
    for target in re.findall(r"\]\(([^()\s]+)\)", text):
        if not re.match(r"[a-z]+:|#", target) and not (page.parent / target).is_file():
            missing.append(f"{page}: {target}")
for folder in map(pathlib.Path, sys.argv[2:]):
    manuals = {path.name.split(".")[0]: path for path in folder.glob("aneroid*.1*")}
    assert "aneroid" in manuals, manuals
    for path in manuals.values():
        text = (gzip.open(path) if path.suffix == ".gz" else path.open("rb")).read().decode()
        for name in re.findall(r"\\fB([\w\\-]+)\\fR\(1\)", text):
            if name.replace("\\", "") not in manuals:
                missing.append(f"{path}: {name}(1)")
if missing:
    sys.exit("\n".join(missing))
print(f"{len(pages)} pages, every link works")
