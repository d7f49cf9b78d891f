"""The document: limited size, no external requests, identical to the page of the program."""
import json
import re
import urllib.request
from urllib.parse import urljoin

import page_parts


def test_the_page_size_is_limited():
    assert len(page_parts.join().encode()) < 200_000


def test_every_part_is_used_by_the_page():
    named = set(re.findall(r'(?:href|src)="((?:style|script|text)/[^"]+)"', page_parts.part("page.html")))
    lying = {str(path.relative_to(page_parts.PARTS)) for path in page_parts.PARTS.rglob("*") if path.is_file()}
    icons = {f"icon/icon-{size}.png" for size in (180, 192, 512)}
    assert lying - named == {"page.html", "script/worker.js"} | icons and named <= lying


def test_parts_are_short_and_have_a_description():
    for path in page_parts.PARTS.rglob("*.js"):
        lines = path.read_text().split("\n")
        assert len(lines) <= 250 or path.name == "gazetteer.js", path
        assert lines[0].startswith("// "), path


def test_no_part_builds_html_from_strings_or_requests_other_servers():
    for path in page_parts.PARTS.rglob("*"):
        if path.is_file() and path.suffix != ".png":
            text = path.read_text().replace("http://www.w3.org/2000/svg", "")
            assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|https?://", text), path


def test_every_text_is_used():
    code = "".join(page_parts.part(name) for name in re.findall(r'src="(script/[^"]+|text/barometer.js)"', page_parts.part("page.html")))
    code += page_parts.part("page.html")
    keys = set(re.findall(r"[{,\s](\w+): \"", page_parts.part("text/english.js")))
    made = {"quality_good", "quality_stale", "quality_outside", "quality_missing", "synthetic", "simulated", "replayed", "real"}
    made |= {f"uncorrected_{reason}" for reason in ("too_far", "missing", "stale", "ended", "outside", "no_run", "too_few_readings")}
    unused = {key for key in keys - made if not re.search(rf"\b{key}\b", code)}
    assert not unused


def test_both_dark_themes_have_the_same_colours():
    lists = re.findall(r"color-scheme: dark;\s*(--ink.*?)\}", page_parts.part("style/tokens.css"), re.S)
    plain = [re.sub(r"\s+", " ", one).strip() for one in lists]
    assert len(plain) == 2 and plain[0] == plain[1]


def test_only_the_own_server_is_requested_without_policy_violations(page):
    page.open()
    page.visit("Beja")
    page.until(lambda: page.place() == "Beja", "Beja")
    requested = page.requests()
    assert len(requested) > 5
    assert [one for one in requested if not one.startswith((page.url, "data:", "about:"))] == []


def test_an_injected_script_does_not_run(page):
    page.open()
    page.expected += ["Content Security Policy"]
    page.js("const s = document.createElement('script'); s.textContent = 'window.intruder = true'; document.body.append(s)")
    assert page.js("return window.intruder === undefined")


def test_the_page_of_the_program_equals_the_joined_parts(program):
    with urllib.request.urlopen(program) as reply:
        html, policy = reply.read().decode(), reply.headers["Content-Security-Policy"]
    assert html == page_parts.join()
    assert policy == page_parts.policy(html)
    with urllib.request.urlopen(program + "worker.js") as reply:
        assert reply.read().decode() == page_parts.part("script/worker.js") and "javascript" in reply.headers["Content-Type"]


def test_a_phone_can_install_the_page_of_the_program(chromium, program):
    """Chromium accepts the manifest with its icons, and reports no obstacle to the installation."""
    chromium.get(program)
    manifest = chromium.execute_cdp_cmd("Page.getAppManifest", {})
    told = json.loads(manifest["data"])
    assert manifest["errors"] == [] and told["name"] == "Aneroid Lisboa" and told["display"] == "standalone"
    sizes = {}
    for icon in [*told["icons"], {"src": "/icon-180.png", "type": "image/png", "sizes": "180x180"}]:
        with urllib.request.urlopen(urljoin(program, icon["src"])) as reply:
            content = reply.read()
            assert reply.headers["Content-Type"] == icon["type"]
        # The size in the header of a PNG file.
        sizes[icon["sizes"]] = "x".join(str(int.from_bytes(content[at:at + 4], "big")) for at in (16, 20)) if content[1:4] == b"PNG" else "any"
    assert sizes == {size: size for size in ("any", "180x180", "192x192", "512x512")}
    obstacles = chromium.execute_cdp_cmd("Page.getInstallabilityErrors", {})["installabilityErrors"]
    # A headless browser is never offered the installation.
    assert [one for one in obstacles if one["errorId"] != "in-incognito"] == []
