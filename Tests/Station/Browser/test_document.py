"""The document itself: small, closed to the outside, and the program's own."""
import re
import urllib.request

import page_parts


def test_the_page_is_small():
    assert len(page_parts.join().encode()) < 200_000


def test_every_part_belongs_to_the_page():
    named = set(re.findall(r'(?:href|src)="((?:style|script|text)/[^"]+)"', page_parts.part("page.html")))
    lying = {str(path.relative_to(page_parts.PARTS)) for path in page_parts.PARTS.rglob("*") if path.is_file()}
    assert lying - named == {"page.html", "script/worker.js"} and named <= lying


def test_parts_are_small_and_say_what_they_are():
    for path in page_parts.PARTS.rglob("*.js"):
        lines = path.read_text().split("\n")
        assert len(lines) <= 250 or path.name == "gazetteer.js", path
        assert lines[0].startswith("// "), path


def test_no_part_makes_html_of_strings_or_asks_the_outside():
    for path in page_parts.PARTS.rglob("*"):
        if path.is_file():
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


def test_both_dark_lists_are_one():
    lists = re.findall(r"color-scheme: dark;\s*(--ink.*?)\}", page_parts.part("style/tokens.css"), re.S)
    plain = [re.sub(r"\s+", " ", one).strip() for one in lists]
    assert len(plain) == 2 and plain[0] == plain[1]


def test_only_the_own_server_is_asked_and_no_policy_broken(page):
    page.open()
    page.visit("Beja")
    page.until(lambda: page.place() == "Beja", "Beja")
    asked = page.requests()
    assert len(asked) > 5
    assert [one for one in asked if not one.startswith((page.url, "data:", "about:"))] == []


def test_a_script_from_outside_of_the_document_does_not_run(page):
    page.open()
    page.expected += ["Content Security Policy"]
    page.js("const s = document.createElement('script'); s.textContent = 'window.intruder = true'; document.body.append(s)")
    assert page.js("return window.intruder === undefined")


def test_the_program_s_page_is_the_joined_one(program):
    with urllib.request.urlopen(program) as reply:
        html, policy = reply.read().decode(), reply.headers["Content-Security-Policy"]
    assert html == page_parts.join()
    assert policy == page_parts.policy(html)
    with urllib.request.urlopen(program + "worker.js") as reply:
        assert reply.read().decode() == page_parts.part("script/worker.js") and "javascript" in reply.headers["Content-Type"]
