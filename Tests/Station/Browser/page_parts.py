"""Joins the page from its parts, as the program does, for tests that need a modified page."""
import base64
import hashlib
import re
from pathlib import Path

PARTS = Path(__file__).resolve().parents[3] / "Sources/Services/Station/Page/Parts"

BREAK = None


def part(name):
    """Returns the text of a part, modified if a break is configured."""
    text = (PARTS / name).read_text(encoding="utf-8")
    if BREAK and BREAK[0] == name:
        assert BREAK[1] in text, f"{name} does not contain {BREAK[1]}"
        text = text.replace(BREAK[1], BREAK[2])
    return text


def join(edit=lambda name, text: text):
    """Returns the whole document; `edit` may change a part to create a newer or a broken page."""
    lines, styles, scripts = [], [], []
    for line in part("page.html").split("\n"):
        if found := re.match(r'<link rel="stylesheet" href="([^"]+)"', line):
            styles.append(edit(found[1], part(found[1])))
        elif found := re.match(r'<script src="([^"]+)"', line):
            scripts.append(edit(found[1], part(found[1])))
        else:
            if line == "</head>":
                lines.append("@style")
            if line == "</body>":
                lines.append("@script")
            lines.append(line)
    style, script = "\n" + "\n".join(styles), "\n" + "\n".join(scripts)
    whole = {"@style": f"<style>{style}</style>", "@script": f"<script>{script}</script>"}
    return "\n".join(whole.get(line, line) for line in lines)


def policy(html):
    """Returns the content security policy of a document: its own style and script by their
    digests."""
    def digest(tag):
        text = re.search(rf"<{tag}>(.*?)</{tag}>", html, re.S)[1]
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return "; ".join([
        "default-src 'none'", f"script-src 'sha256-{digest('script')}'", f"style-src 'sha256-{digest('style')}'",
        "connect-src 'self'", "worker-src 'self'", "manifest-src 'self'", "img-src 'self' data:", "base-uri 'none'", "form-action 'none'",
        "frame-ancestors 'none'",
    ])
