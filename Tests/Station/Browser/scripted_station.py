"""A station scripted by a test: serves the page with weather, failures and updates that a real
station cannot provide on demand."""
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import page_parts
import scripted_weather as weather


class ScriptedStation:
    """A server on a free port of loopback; its attributes determine the responses."""

    def __init__(self):
        self.html = page_parts.join()
        self.weather = {"kind": "few"}
        self.failing = None          # None, or (status, body) for /v1/forecast
        self.closed = False          # no response, connections are dropped
        self.has_station = True
        self.has_score = True
        self.wet = 5                 # how many of yesterday's 24 hours were followed by rain
        self.pressure = 1009.4
        self.edit_station = lambda answer: answer
        self.edit_forecast = lambda answer: answer
        self.delay = 0.0             # delay of /v1/forecast in seconds
        self.history_delay = 0.0     # delay of /v1/history in seconds
        self.torn = False            # each response except the page itself is truncated
        self.raw = None              # a text that replaces every JSON response
        self.live_ids = []           # Last-Event-ID of each connection to /v1/live
        self.requests = []
        self.live_epoch = 0
        self.live_pauses = False     # the connection is open and idle
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        """Stops the server and all live connections."""
        self.live_epoch += 1
        self._server.shutdown()
        self._server.server_close()

    def drop_live(self):
        """Closes all live connections; the page may reconnect."""
        self.live_epoch += 1

    def answer(self, path, query):
        """Returns status and body for a path."""
        now = weather.moment()
        if path == "/v1/forecast":
            if self.failing:
                return self.failing
            corrected = query.get("corrected", ["true"])[0] == "true"
            unix = query.get("timeformat") == ["unixtime"]
            response = weather.forecast(now, **{"corrected": corrected and self.has_station, "unix": unix} | self.weather)
            return 200, self.edit_forecast(response)
        if path == "/v1/station" and self.has_station:
            return 200, self.edit_station(weather.station(now, pressure=self.pressure))
        if path == "/v1/history" and self.has_station:
            return 200, {"readings": weather.history(now), "next": None}
        if path == "/v1/score" and self.has_score:
            return 200, weather.score(now, self.wet)
        return 404, {"error": {"code": "not_found", "message": "there is nothing here"}}

    def _handler(station):
        class Handler(BaseHTTPRequestHandler):
            """One request."""

            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                """Suppresses the log."""

            def do_GET(self):
                """Sends the scripted response."""
                if station.closed:
                    self.close_connection = True
                    return self.connection.close()
                parts = urlsplit(self.path)
                if parts.path == "/manifest.webmanifest":
                    return self._send(200, "application/manifest+json", '{"name": "Aneroid"}')
                station.requests.append(self.path)
                if parts.path == "/v1/live":
                    return self._live()
                if parts.path == "/":
                    return self._send(200, "text/html; charset=utf-8", station.html,
                                      {"Content-Security-Policy": page_parts.policy(station.html)})
                if parts.path == "/worker.js":
                    return self._send(200, "text/javascript", page_parts.part("script/worker.js"))
                time.sleep({"/v1/forecast": station.delay, "/v1/history": station.history_delay}.get(parts.path, 0))
                status, body = station.answer(parts.path, parse_qs(parts.query))
                self._send(status, "application/json", json.dumps(body) if station.raw is None else station.raw, cut=station.torn)

            def _send(self, status, kind, text, more=(), cut=False):
                data = text.encode()
                self.send_response(status)
                for name, value in {"Content-Type": kind, "Content-Length": len(data), "Cache-Control": "no-cache", **dict(more)}.items():
                    self.send_header(name, str(value))
                self.end_headers()
                self.wfile.write(data[:len(data) // 2] if cut else data)
                self.close_connection = self.close_connection or cut

            def _live(self):
                if not station.has_station:
                    return self._send(404, "application/json", "{}")
                epoch = station.live_epoch
                station.live_ids.append(self.headers.get("Last-Event-ID"))
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                self.close_connection = True
                sequence = 100
                while station.live_epoch == epoch and not station.closed:
                    if station.live_pauses:
                        time.sleep(0.1)
                        continue
                    sequence += 1
                    reading = station.edit_station(weather.station(weather.moment(), sequence, station.pressure))
                    try:
                        self.wfile.write(f"retry: 500\nid: {sequence}\nevent: reading\ndata: {json.dumps(reading)}\n\n".encode())
                        self.wfile.flush()
                    except OSError:
                        return
                    time.sleep(0.4)

        return Handler
