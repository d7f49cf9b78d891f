"""Malformed requests: the station responds to each, never with a server error, and keeps
running."""

import os
import random
import re
import socket
import string
import zlib

COUNT = int(os.environ.get("STATION_FUZZ", "10000"))
SEED = int(os.environ.get("STATION_FUZZ_SEED", "20131001"))
PATHS = ["/QuickPrevByDate.php", "/PrevByDateAndMetric.php", "/MedianPrevByDays.php", "/PrevForNextHoursByMetric.php",
         "/v1/forecast", "/v1/station", "/v1/history", "/v1/score", "/metrics", "/openapi.json", "/", "/healthz", "/none"]
NAMES = ["Lon", "Lat", "Date", "Metric", "Days", "latitude", "longitude", "hourly", "daily", "current", "timezone",
         "forecast_days", "past_days", "from", "to", "limit", "cursor", "every_s", "date", "timeformat"]
VALUES = ["-9.1393", "38.7223", "20131001_01", "20131001", "temp", "7", "0", "-1", "nan", "inf", "1e309", "-0", "9" * 30,
          "%00", "%ff%fe", "%", "%zz", "../../etc/passwd", "'; DROP TABLE reading;--", "{{7*7}}", "\u202e", "temperature_2m",
          "2026-11-23T00:00:00Z", "0000-00-00", "9999-12-31T23:59:59Z", "auto", "1795336800.290", "-9223372036854775808",
          "9223372036854775807.9223372036854775807", "+", "a,b,,c", ""]


def target(chance):
    path = chance.choice(PATHS)
    if chance.random() < 0.1:
        path += "".join(chance.choice("/.%\\~;" + string.ascii_letters) for _ in range(chance.randrange(1, 60)))
    pairs = []
    for _ in range(chance.randrange(0, 7)):
        value = chance.choice(VALUES)
        if chance.random() < 0.3:
            value = "".join(chr(chance.randrange(33, 127)) for _ in range(chance.randrange(0, 80)))
        pairs.append(chance.choice(NAMES) + "=" + value)
    line = path + ("?" + "&".join(pairs) if pairs else "")
    line = line.replace(" ", "%20").replace("\r", "").replace("\n", "")
    return line + "x" * 3000 if chance.random() < 0.01 else line


def request(chance):
    """Returns the bytes of a request, mostly well formed with a malformed target."""
    method = "GET" if chance.random() < 0.9 else chance.choice(["HEAD", "POST", "BREW", "get", "OPTIONS"])
    host = "localhost" if chance.random() < 0.95 else chance.choice(["", "evil", "[", "localhost\t", "a" * 300])
    lines = [f"{method} {target(chance)} HTTP/1.1", f"Host: {host}"]
    for _ in range(chance.randrange(0, 3)):
        lines.append(chance.choice(["If-None-Match: *", "Accept-Encoding: gzip;q=x", "Last-Event-ID: -5", "X: \x7f",
                                    "Content-Length: 3", "Range: bytes=0-", "Accept-Encoding: gzip", "Expect: 100-continue"]))
    text = "\r\n".join(lines) + "\r\n\r\n"
    if chance.random() < 0.02:
        text = text[:chance.randrange(1, len(text))] + "\r\n\r\n"
    return text.encode("utf-8", "replace") + (b"abc" if "Content-Length" in text else b"")


def answer(station, sent):
    """Returns the whole response, on its own connection."""
    with socket.create_connection(("127.0.0.1", station.port), timeout=10) as link:
        link.sendall(sent)
        link.shutdown(socket.SHUT_WR)
        got = b""
        while chunk := link.recv(65536):
            got += chunk
            if len(got) > 4_000_000:
                break
    return got


def test_ten_thousand_malformed_requests(serve):
    station = serve()
    chance = random.Random(SEED)
    statuses = {}
    for number in range(COUNT):
        sent = request(chance)
        got = answer(station, sent)
        found = re.match(rb"HTTP/1\.1 (\d{3}) ", got)
        what = f"request {number} of seed {SEED}: {sent[:300]!r}"
        # The station may close the connection if the request is not HTTP.
        status = int(found[1]) if found else 0
        statuses[status] = statuses.get(status, 0) + 1
        assert status < 500, f"{status} for {what}"
        # A response must not reveal paths or implementation; the page itself is constant.
        if b"text/html" not in got:
            head, _, body = got.partition(b"\r\n\r\n")
            if b"content-encoding: gzip" in head.lower():
                # Compressed bytes may contain any text by chance.
                got = head + zlib.decompressobj(47).decompress(body)
            assert not re.search(rb"root:|\.swift|Fatal|SQLite|/Sources/|\.nc\b", got), what
        assert station.process.poll() is None, what
    assert station.request("/healthz")[0] == 200
    assert statuses.get(200, 0) > COUNT / 20 and statuses.get(400, 0) > COUNT / 20, statuses
