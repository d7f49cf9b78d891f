"""Servers that receive the messages of channels: a mail server (aiosmtpd), an HTTP server, and servers that misbehave."""

import email
import email.policy
import json
import socket
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from hub_program import free_port


class MailServer:
    """A mail server that stores messages; with `tls`, "smtps" or "starttls", it requires encryption and a login."""

    def __init__(self, folder, tls=None, rejects=(), certificate="broker"):
        self.messages, self.logins, self.rejects = [], [], rejects
        keys = {}
        if tls:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(folder / f"{certificate}.pem", folder / "broker.key")
            keys = {"authenticator": self.login, "auth_required": True}
            keys |= {"ssl_context": context, "auth_require_tls": False} if tls == "smtps" else {
                "tls_context": context, "require_starttls": True}
        self.port = free_port()
        self.controller = Controller(self, hostname="127.0.0.1", port=self.port, ready_timeout=20, **keys)
        self.controller.start()

    def login(self, _server, _session, _envelope, _mechanism, data):
        """Accepts the user 'hub' with the password 'secret word'."""
        self.logins.append((data.login, data.password))
        return AuthResult(success=(data.login, data.password) == (b"hub", b"secret word"), handled=False)

    async def handle_RCPT(self, _server, _session, envelope, address, _options):
        """Accepts recipients that are not listed in `rejects`."""
        if address in self.rejects:
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server, _session, envelope):
        """Stores a message."""
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        self.messages.append((envelope.mail_from, envelope.rcpt_tos, message))
        return "250 stored"

    def stop(self):
        """Stops the server."""
        self.controller.stop(no_assert=True)


class PushServer:
    """An HTTP server that stores requests; `answer` is the status of its responses, and `fields` their header."""

    def __init__(self, port=0, body=b"{}", fields=()):
        self.requests, self.answer, self.body, self.fields = [], 200, body, fields
        self.judge = lambda body: self.answer
        outer = self

        class Handler(BaseHTTPRequestHandler):
            """Stores each request."""

            protocol_version = "HTTP/1.1"

            def do_POST(self):
                """Answers a request, and stores it if it is accepted."""
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                answer = outer.judge(body)
                outer.requests.append((self.path, dict(self.headers), body, answer))
                self.send_response(answer)
                for name, value in outer.fields:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(outer.body)))
                self.end_headers()
                try:
                    self.wfile.write(outer.body)
                except OSError:
                    pass  # The client has read enough.

            do_GET = do_POST

            def log_message(self, *_):
                """Prints nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def accepted(self, path="/"):
        """Returns the JSON bodies that were accepted at a path."""
        return [json.loads(body) for at, _, body, status in list(self.requests) if at == path and status == 200]

    def stop(self):
        """Stops the server."""
        self.server.shutdown()
        self.server.server_close()


class Script:
    """A server that sends fixed answers: the first on connection, then one for each line that it receives.

    None as an answer closes the connection; after the last one, it stays silent."""

    def __init__(self, *answers):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.answers = answers
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        """Serves one connection after the other."""
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        """Sends the answers."""
        try:
            lines = connection.makefile("rb")
            for number, answer in enumerate(self.answers):
                if number and not lines.readline():
                    break
                if answer is None:
                    break
                connection.sendall(answer)
            else:
                while lines.readline():
                    pass
        except OSError:
            pass
        connection.close()

    def stop(self):
        """Accepts no further connections."""
        self.listener.close()
