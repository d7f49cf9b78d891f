"""The channels of a hub: what people receive over mail, webhooks, ntfy and Gotify, and what happens when servers fail."""

import hashlib
import hmac
import json
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import apprise
import pytest

from hub_program import PROGRAM, Hub, certificates, free_port, until
from notify_servers import MailServer, PushServer, Script


# Readings that follow each other at once may differ by any amount.
FAST = "fastest: {temperature: 400C}\n"


def channels(*lines):
    """Returns the section of a hub file with these channels."""
    return "notify:\n" + "".join(f"  - {{{line}}}\n" for line in lines)


def webhook(port, name="chat", more=""):
    """Returns a webhook channel at a loopback port."""
    return f'by: webhook, name: {name}, address: "http://127.0.0.1:{port}/", gather: 0s{more}'


def test_an_alarm_reaches_people_over_every_kind_of_channel(hub_of, push, mail_of, tmp_path):
    """Each kind of channel delivers an alarm with the tag, its zone, the limit, the worst value and the person."""
    mail = mail_of()
    (tmp_path / "gotify.token").write_text("app-token\n")
    (tmp_path / "ntfy.token").write_text("tk_1\n")
    hub = hub_of(more=channels(
        f'by: mail, name: mail, server: "smtp://127.0.0.1:{mail.port}", tls: none, from: hub@example.org, '
        "to: [ana@example.org, rui@example.org], gather: 0s",
        webhook(push.port),
        f'by: ntfy, name: phone, address: "http://127.0.0.1:{push.port}/cold-chain", token_file: ntfy.token, '
        'link: "https://hub.example.org/", gather: 0s',
        f'by: gotify, name: push, address: "http://127.0.0.1:{push.port}", token_file: gotify.token, gather: 0s'))
    hub.notify([8.8], tag=1)
    until(lambda: len(mail.messages) == 1 and len(push.requests) >= 3, what="the messages")
    title = "ALARM: shelf-1 in cold room: temperature above 8 °C"
    sender, recipients, message = mail.messages[0]
    assert (sender, recipients) == ("hub@example.org", ["ana@example.org", "rui@example.org"])
    assert message["Subject"] == title and message["To"] == "ana@example.org, rui@example.org"
    assert message["From"] == "hub@example.org" and message["Auto-Submitted"] == "auto-generated"
    assert re.fullmatch(r"<[0-9a-f]{32}@example\.org>", message["Message-ID"]) and message["X-Priority"] == "1"
    assert abs((message["Date"].datetime - datetime.now().astimezone()).total_seconds()) < 60
    text = message.get_content().replace("\r\n", "\n")
    for part in ("Number 1, since ", "Worst value: 8.8 °C", "Notified: Ana", "aneroid hub ack 1 --by NAME", "Hub: north"):
        assert part in text, text
    ours, = [one for one in push.accepted("/") if "events" in one]
    assert (ours["level"], ours["hub"], ours["title"]) == ("alarm", "north", title) and text.split("\n")[0] in ours["text"]
    record, = ours["events"]
    assert (record["kind"], record["event"], record["name"], record["alarm"]) == ("alarm", "told", "Ana", 1)
    ntfy, = [one for one in push.accepted("/") if "topic" in one]
    assert (ntfy["topic"], ntfy["title"], ntfy["priority"]) == ("cold-chain", title, 5)
    assert ntfy["click"] == "https://hub.example.org/" and ntfy["message"].startswith(title)
    gotify, = push.accepted("/message")
    assert (gotify["title"], gotify["priority"]) == (title, 8)
    heads = {json.loads(body).get("topic") or path: head for path, head, body, _ in push.requests}
    assert heads["cold-chain"]["Authorization"] == "Bearer tk_1" and heads["/message"]["X-Gotify-Key"] == "app-token"
    # A channel counts a message when its server has acknowledged it.
    until(lambda: {one["name"]: one["sent"] for one in hub.state()["channels"]}
          == {"mail": 1, "chat": 1, "phone": 1, "push": 1}, what="the acknowledgements")


def test_push_services_get_what_another_client_sends(hub_of, push, tmp_path):
    """The members and header fields of ntfy and Gotify are those of Apprise, another client of these services."""
    (tmp_path / "token").write_text("abc\n")
    hub_of(more=channels(
        f'by: ntfy, name: phone, address: "http://127.0.0.1:{push.port}/topic", token_file: token',
        f'by: gotify, name: push, address: "http://127.0.0.1:{push.port}", token_file: token')).stop()
    run = subprocess.run([PROGRAM, "notify", str(tmp_path / "hub.yaml"), "--test"], capture_output=True, text=True, timeout=30)
    assert run.stdout == "phone (ntfy): sent\npush (gotify): sent\n", run
    ours = {path: (head, json.loads(body)) for path, head, body, _ in push.requests}
    push.requests.clear()
    other = apprise.Apprise()
    other.add(f"ntfy://tk_abc@127.0.0.1:{push.port}/topic?tags=white_check_mark&mode=private&auth=token")
    other.add(f"gotify://127.0.0.1:{push.port}/abc")
    assert other.notify(body="text", title="title")
    theirs = {path: (head, json.loads(body)) for path, head, body, _ in push.requests}
    assert ours.keys() == theirs.keys() == {"/", "/message"}
    for path, fields in (("/", ["Authorization"]), ("/message", ["X-Gotify-Key"])):
        (our_head, our_body), (their_head, their_body) = ours[path], theirs[path]
        assert all(our_head[name].split(" ")[0] == their_head[name].split(" ")[0] for name in fields)
        assert set(our_body) <= set(their_body) | {"priority", "tags", "click", "extras"}, (our_body, their_body)
        for name in set(our_body) & set(their_body):
            assert type(our_body[name]) is type(their_body[name]), name


def test_channels_select_events_by_person_level_and_topic(hub_of, push):
    """An escalation goes to the next person's channel; a channel gets the events, zones and levels that it lists."""
    hub = hub_of(duty="{people: [Ana, Rui], escalate: 2s}", more=FAST + channels(
        *[f'by: ntfy, name: {name}, address: "http://127.0.0.1:{push.port}/{name}", gather: 0s{more}' for name, more in (
            ("ana", ", people: [Ana]"), ("rui", ", people: [Rui]"), ("quiet", ", events: [normal]"),
            ("all", ", events: [alarm, escalation, normal, action]"), ("severe", ", level: alarm"))]))

    def titles(topic):
        return [one["title"] for one in push.accepted("/") if one["topic"] == topic]

    hub.notify([8.8], tag=1)
    what = "shelf-1 in cold room: temperature above 8 °C"
    until(lambda: titles("rui"), what="the escalation")
    assert titles("ana")[0] == f"ALARM: {what}" and titles("rui") == [f"ALARM: not acknowledged: {what}"]
    hub.command("ack", "1", "--by", "Ana", "--note", 'the "door"')
    hub.notify([5], tag=1)

    def said(topic):
        return "\n\n".join(one["message"] for one in push.accepted("/") if one["topic"] == topic)

    for topic in ("quiet", "all"):
        until(lambda: f"back to normal: {what}" in said(topic), what="the return")
    assert f"acknowledged: {what}" in said("all") and f"acknowledged: {what}" not in said("ana") + said("quiet")
    assert "By: Ana" in said("all") and 'Note: the "door"' in said("all")
    # A low battery is a warning.
    hub.notify([5], tag=2, battery=3)
    until(lambda: "Warning: shelf-2 in cold room: battery below 10 %" in said("all"), what="the warning")
    time.sleep(1)
    assert "battery" not in said("severe") + said("quiet")


def test_no_event_is_lost_while_server_and_hub_are_killed(hub_of, tmp_path):
    """Events wait while the server is down and the hub is killed; each arrives, the most severe first."""
    port = free_port()
    hub = hub_of(tags=6, more=channels(webhook(port)))
    for tag in range(3):
        hub.notify([8.8], tag=tag)
    until(lambda: len(hub.state()["alarms"]) == 3, what="the alarms")
    hub.kill()
    hub.start()
    hub.notify([5], tag=0, battery=2)
    for tag in range(3, 6):
        hub.notify([9.1], tag=tag)
    until(lambda: len(hub.state()["alarms"]) == 7, what="the alarms")
    hub.kill()
    server = PushServer(port)
    try:
        hub.start()
        numbers = lambda: [event["alarm"] for body in server.accepted() for event in body["events"] if event.get("event") == "told"]
        until(lambda: len(numbers()) == 7, what="the messages")
        assert sorted(numbers()) == list(range(1, 8))
        assert server.accepted()[0]["title"].startswith("ALARM: ")
        first = server.accepted()[0]["text"]
        assert "Warning: " not in first or first.index("ALARM: ") < first.index("Warning: ")
        time.sleep(1)
        assert len(numbers()) == 7
    finally:
        server.stop()


def test_a_failing_channel_is_an_alarm_on_the_others(hub_of, push):
    """The others report which channel fails and why, and that it works again; so do the state, the metrics and the table."""
    port = free_port()
    hub = hub_of(more=channels(webhook(port, "broken"), webhook(push.port, "good")))
    hub.notify([8.8])
    failure = until(lambda: next((one for one in push.accepted() if "fails" in one["title"]), None), what="the failure")
    assert failure["title"] == "ALARM: the channel 'broken' fails" and failure["level"] == "alarm"
    assert "Reason: Failed to connect to 127.0.0.1" in failure["text"], failure["text"]
    state = {one["name"]: one for one in hub.state()["channels"]}
    assert "Failed to connect" in state["broken"]["failure"] and "failure" not in state["good"]
    metrics = hub.request("/metrics")[2].decode()
    assert 'warehouse_channel_failing{channel="broken"} 1' in metrics and 'warehouse_channel_failing{channel="good"} 0' in metrics
    assert "the channel broken fails: Failed to connect" in hub.command("show").stdout
    server = PushServer(port)
    try:
        until(lambda: any("works again" in one["title"] for one in push.accepted()), 90, what="the recovery")
        titles = [one["title"] for one in server.accepted()]
        assert any("shelf-0 in cold room" in title for title in titles), titles
    finally:
        server.stop()
    assert "failure" not in next(one for one in hub.state()["channels"] if one["name"] == "broken")


def test_many_events_become_one_message(hub_of, push):
    """Events of the same moment are combined, and a long message names the number of the rest."""
    hub = hub_of(tags=60, more=channels(webhook(push.port).replace("gather: 0s", "gather: 3s")))
    for tag in range(60):
        hub.notify([9], tag=tag)
    until(lambda: sum(len(one["events"]) for one in push.accepted()) == 60, what="the events")
    bodies = push.accepted()
    assert len(bodies) <= 2, [one["title"] for one in bodies]
    longest = max(bodies, key=lambda one: len(one["events"]))
    count = len(longest["events"])
    assert longest["title"].startswith(f"ALARM: {count} events in cold room, first: shelf-")
    assert f"and {count - 20} events more" in longest["text"]


def test_the_signature_and_the_template_of_a_webhook(hub_of, push, tmp_path):
    """The signature is the HMAC-SHA256 of time and body; values in a JSON template are escaped, unknown names stay."""
    (tmp_path / "secret").write_text("the secret\n")
    (tmp_path / "authorization").write_text("Bearer 123\n")
    (tmp_path / "chat.json").write_text('{"text": "{{title}} / {{ text }}", "other": "{{nothing}}", "all": {{events}}}')
    hub = hub_of(more=channels(webhook(
        push.port, more=", template: chat.json, secret_file: secret, authorization_file: authorization, events: [action]")))
    hub.command("silence", "cold room", "--by", 'Ana "A" \\ Sá', "--note", "line \u00e9", "--minutes", "5")
    until(lambda: push.requests, what="the message")
    path, head, body, _ = push.requests[0]
    moment, digest = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", head["X-Aneroid-Signature"]).groups()
    assert abs(int(moment) - time.time()) < 60 and head["Authorization"] == "Bearer 123"
    assert digest == hmac.new(b"the secret", f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    filled = json.loads(body)
    assert filled["text"].startswith("the zone 'cold room' is silenced / the zone") and 'By: Ana "A" \\ Sá' in filled["text"]
    assert filled["other"] == "{{nothing}}" and filled["all"][0]["event"] == "silenced"


@pytest.mark.parametrize("template, more, reason", [
    ('{"text": "{{titel}}"}', "", "unknown placeholder 'titel'; did you mean 'title'?"),
    ('{"text": {{title}}}', "", "the filled template is not JSON; set 'content_type' if it need not be"),
    ("{{title}}: {{text}}", ", content_type: text/plain", None),
])
def test_a_template_is_checked_before_it_is_needed(push, tmp_path, template, more, reason):
    """A misspelt placeholder, or a template that makes no JSON, is an error of the test command and of the start."""
    (tmp_path / "chat.txt").write_text(template)
    example = subprocess.run([PROGRAM, "example"], capture_output=True, text=True, timeout=60).stdout
    (tmp_path / "hub.yaml").write_text(example + channels(webhook(push.port, more=f", template: chat.txt{more}")))
    sent = subprocess.run([PROGRAM, "notify", "hub.yaml", "--test"], capture_output=True, text=True, timeout=60, cwd=tmp_path)
    if reason is None:
        assert sent.returncode == 0 and push.requests[0][2].startswith(b"test of the channel"), sent
        return
    assert sent.returncode == 69 and reason in sent.stdout and not push.requests, sent
    for words in ((), ("--check",)):
        served = subprocess.run([PROGRAM, "serve", "hub.yaml", *words], capture_output=True, text=True, timeout=60, cwd=tmp_path)
        assert served.returncode == 78 and reason in served.stderr, served


@pytest.mark.parametrize("tls", ["smtps", "starttls"])
def test_mail_is_sent_over_tls_with_a_login(hub_of, mail_of, tmp_path, tls):
    """The server's certificate is checked, and user and password are sent only over TLS."""
    certificates(tmp_path)
    mail = mail_of(tls=tls)
    (tmp_path / "password").write_text("secret word\n")
    scheme = "smtps" if tls == "smtps" else "smtp"
    line = (f'by: mail, name: mail, server: "{scheme}://127.0.0.1:{mail.port}", from: hub@example.org, to: [ana@example.org], '
            "user: hub, password_file: password, ca: ca.pem")
    hub_of(more=channels(line)).stop()

    def test(change=None):
        if change:
            (tmp_path / "hub.yaml").write_text((tmp_path / "hub.yaml").read_text().replace(*change))
        return subprocess.run([PROGRAM, "notify", str(tmp_path / "hub.yaml"), "--test"], capture_output=True, text=True, timeout=60)

    run = test()
    assert (run.returncode, run.stdout) == (0, "mail (mail): sent\n"), run
    assert mail.messages[0][2]["Subject"] == "test of the channel 'mail'" and mail.logins == [(b"hub", b"secret word")]
    (tmp_path / "password").write_text("wrong\n")
    run = test()
    assert run.returncode == 69 and "Login denied" in run.stdout, run
    logins = len(mail.logins)
    run = test(("ca: ca.pem", "ca: other.pem"))
    assert run.returncode == 69 and "certificate" in run.stdout and len(mail.logins) == logins, run
    assert len(mail.messages) == 1


def expired(folder):
    """Creates a server certificate that has expired."""
    subprocess.run(["openssl", "x509", "-req", "-in", "broker.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                    "-days", "-1", "-out", "expired.pem", "-extfile", "names"], cwd=folder, check=True, capture_output=True)


def test_servers_that_misbehave_are_reported(hub_of, mail_of, tmp_path):
    """A server that hangs, lies, floods, redirects, refuses, or has an expired certificate fails the test with a reason."""
    certificates(tmp_path)
    expired(tmp_path)
    hello = b"250-here\r\n250 OK\r\n"
    web = b"HTTP/1.1 "
    cases = {
        "hang": ("http", Script(), "Operation timed out"),
        "drip": ("http", Script(web + b"200 OK\r\nContent-Length: 10\r\n\r\nx"), "timed out"),
        "flood": ("http", PushServer(body=b"x" * 3_000_000), "the response exceeds 1 MiB"),
        "redirect": ("http", PushServer(fields=[("Location", "http://127.0.0.1:1/")]), "HTTP status 302: the server redirects"),
        "refuse": ("http", PushServer(body=b"unknown\n\x1b[31mtopic"), r"HTTP status 404: unknown \u{1B}[31mtopic"),
        "garbage": ("http", Script(b"\x00\xff\xfe\r\n\r\n", None), "HTTP/0.9"),
        "close": ("http", Script(b"", None), "Empty reply"),
        "gone": ("http", None, "Failed to connect"),
        "silent mail": ("smtp", Script(), "timed out"),
        "busy mail": ("smtp", Script(b"421 too busy\r\n"), "421"),
        "mail that closes": ("smtp", Script(b"220 hi\r\n", hello, b"250 OK\r\n", b"250 OK\r\n", None), "mail"),
        "mail that refuses": ("smtp", MailServer(tmp_path, rejects=["ana@example.org"]), "550"),
        "mail without TLS": ("smtp+tls", Script(b"220 hi\r\n", hello), "STARTTLS not supported"),
        "expired": ("smtps", mail_of(tls="smtps", certificate="expired"), "certificate has expired"),
    }
    cases["redirect"][1].answer, cases["refuse"][1].answer = 302, 404
    lines = []
    for name, (scheme, server, _) in cases.items():
        port = server.port if server else free_port()
        if scheme == "http":
            lines.append(webhook(port, name))
        else:
            plain = ", tls: none" if scheme == "smtp" else ", ca: ca.pem"
            lines.append(f'by: mail, name: {name}, server: "{scheme.split("+")[0]}://127.0.0.1:{port}", from: hub@example.org, '
                         f"to: [ana@example.org]{plain}")
    hub_of(more=channels(*lines)).stop()

    def test(name):
        begin = time.monotonic()
        run = subprocess.run([PROGRAM, "notify", str(tmp_path / "hub.yaml"), "--test", "--channel", name],
                             capture_output=True, text=True, timeout=60)
        return run, time.monotonic() - begin

    with ThreadPoolExecutor(len(cases)) as pool:
        for (name, (_, server, reason)), (run, seconds) in zip(cases.items(), pool.map(test, cases)):
            assert run.returncode == 69 and reason.lower() in run.stdout.lower(), (name, run)
            assert seconds < 45 and "\x1b" not in run.stdout, (name, seconds)
            if server and not isinstance(server, MailServer) or name == "mail that refuses":
                server.stop()


def test_in_a_quiet_period_only_alarms_are_sent_until_it_ends(hub_of, push):
    """Warnings and returns wait for the end of the period and arrive then; alarms do not wait, unless all are held."""
    now = datetime.now()
    end = now + timedelta(minutes=1 if now.second < 50 else 2)
    quiet = f', quiet: {{from: "{now - timedelta(minutes=1):%H:%M}", to: "{end:%H:%M}"'
    hub = hub_of(more=channels(webhook(push.port, more=quiet + "}"), webhook(push.port, "late", more=quiet + ", hold: all}")))
    hub.notify([8.8])
    hub.notify([5], tag=1, battery=3)
    until(lambda: push.accepted(), what="the alarm")
    time.sleep(2)
    before = push.accepted()
    assert [len(one["events"]) for one in before] == [1] and before[0]["title"].startswith("ALARM: shelf-0"), before
    until(lambda: sum(len(one["events"]) for one in push.accepted()) == 4, 130, what="the end of the period")
    assert datetime.now() >= end.replace(second=0, microsecond=0)
    assert sorted(len(one["events"]) for one in push.accepted()) == [1, 1, 2]


def test_another_hub_that_is_lost_is_reported(tmp_path, broker):
    """A hub at the same broker that has been killed is reported after 30 s, and when it is back."""
    push = PushServer()
    (tmp_path / "north").mkdir()
    (tmp_path / "south").mkdir()
    north = Hub(tmp_path / "north", broker, ", keep_alive: 5s", more=channels(webhook(push.port, more=", events: [hub]")))
    south = Hub(tmp_path / "south", broker, ", keep_alive: 5s")
    south.stop()
    south.file.write_text(south.file.read_text().replace("hub: north", "hub: south").replace("north.sqlite", "south.sqlite"))
    south.start()
    try:
        until(lambda: not south.state()["delivery"][0]["waiting"] and south.state()["broker"], what="the connection")
        south.kill()
        lost = until(lambda: push.accepted(), 60, what="the loss")[0]
        assert lost["title"] == "ALARM: the hub 'south' is lost", lost
        south.start()
        until(lambda: len(push.accepted()) == 2, 30, what="the return")
        assert push.accepted()[1]["title"] == "the hub 'south' is back"
    finally:
        north.stop()
        south.stop()
        push.stop()


def test_a_heartbeat_is_sent_while_the_hub_works(hub_of, push):
    """The address is requested at the interval; after the end of the hub it is no longer."""
    hub = hub_of(more=channels(f'by: heartbeat, name: pulse, address: "http://127.0.0.1:{push.port}/ping", every: 1s'))
    until(lambda: len(push.requests) >= 3, 15, what="three heartbeats")
    assert all(path == "/ping" for path, *_ in push.requests)
    hub.kill()
    count = len(push.requests)
    time.sleep(2.5)
    assert len(push.requests) <= count + 1


def test_a_refused_recipient_does_not_silence_the_others(hub_of, mail_of):
    """The others receive the mail once, and the refused address is reported as the channel's failure."""
    mail = mail_of(rejects=["gone@example.org"])
    hub = hub_of(more=channels(
        f'by: mail, name: mail, server: "smtp://127.0.0.1:{mail.port}", tls: none, from: hub@example.org, '
        "to: [ana@example.org, gone@example.org, rui@example.org], gather: 0s"))
    hub.notify([8.8])
    until(lambda: len(mail.messages) == 2, what="the mails")
    assert [recipients for _, recipients, _ in mail.messages] == [["ana@example.org"], ["rui@example.org"]]
    state = until(lambda: next((one for one in hub.state()["channels"] if "failure" in one), None), what="the failure")
    assert state["failure"].startswith("gone@example.org: ") and "550" in state["failure"], state
    time.sleep(1.5)
    assert len(mail.messages) == 2


def test_a_recurrence_is_an_alarm_and_not_an_escalation(hub_of, push):
    """An alarm that recurs before its acknowledgement is reported as an alarm, also to channels without escalations."""
    hub = hub_of(duty="{people: [Ana, Rui], escalate: 1h, quiet: 1s}",
                 more=FAST + channels(webhook(push.port, more=", events: [alarm]")))
    for celsius, count in ((8.8, 1), (5, 1), (9.1, 2)):
        hub.notify([celsius])
        until(lambda: len(push.accepted()) == count, what="the message")
        time.sleep(1.5)
    assert [one["title"] for one in push.accepted()] == ["ALARM: shelf-0 in cold room: temperature above 8 °C"] * 2


def test_people_are_notified_while_the_disk_is_full(hub_of, push):
    """An alarm that cannot be stored is sent once from memory, and not again when the disk has space."""
    import resource
    hub = hub_of(more=FAST + channels(webhook(push.port)))
    hub.notify([5])
    until(lambda: len(hub.written) == 1, what="the stored reading")
    hard = resource.RLIM_INFINITY
    resource.prlimit(hub.process.pid, resource.RLIMIT_FSIZE, (1000, hard))
    hub.notify([8.8])
    until(lambda: push.accepted(), 10, what="the message")
    assert hub.state()["unwritten"] > 0
    until(lambda: sum(len(one["events"]) for one in push.accepted()) == 2, what="the alarm and the event of the storage")
    titles = "\n".join(one["text"] for one in push.accepted())
    assert titles.count("ALARM: shelf-0 in cold room: temperature above 8") == 1 and titles.count("ALARM: the hub cannot store records") == 1
    count = len(push.accepted())
    resource.prlimit(hub.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
    until(lambda: hub.state()["unwritten"] == 0, what="the stored records")
    until(lambda: any(one["title"] == "records are stored again" for one in push.accepted()), what="the end of the event")
    time.sleep(2)
    assert len(push.accepted()) == count + 1


def test_an_alarm_passes_any_number_of_held_events(hub_of, push):
    """A quiet period with more than a thousand waiting events does not delay an alarm."""
    hub = hub_of(tags=250, more=FAST + channels(webhook(push.port, more=', quiet: {from: "00:00", to: "23:59"}')))
    for battery in (3, 90, 3, 90, 3):
        for tag in range(250):
            hub.notify([5], tag=tag, battery=battery)
    until(lambda: hub.state()["delivery"][0]["waiting"] > 1000, 60, what="the waiting events")
    hub.notify([8.8], tag=1)
    until(lambda: push.accepted(), 15, what="the alarm")
    assert [one["level"] for one in push.accepted()] == ["alarm"] and len(push.accepted()[0]["events"]) == 1


def test_a_refused_message_does_not_block_the_others(hub_of, push):
    """If a server refuses a combined message, it is divided until only what the server refuses is left."""
    push.judge = lambda body: 400 if b"shelf-1 in" in body else 413 if len(body) > 4000 else 200
    hub = hub_of(tags=30, more=channels(webhook(push.port).replace("gather: 0s", "gather: 2s")))
    for tag in range(30):
        hub.notify([9], tag=tag)
    numbers = lambda: sorted(event["alarm"] for one in push.accepted() for event in one["events"] if event["kind"] == "alarm")
    until(lambda: len(numbers()) == 29, 60, what="all other alarms")
    time.sleep(2)
    assert len(numbers()) == len(set(numbers())) == 29
    refused = len([1 for _, _, body, status in push.requests if status == 400])
    time.sleep(5)
    assert len([1 for _, _, body, status in push.requests if status == 400]) <= refused + 1
    push.judge = lambda body: 200


def test_a_secret_that_a_server_repeats_is_not_shown(hub_of, push, tmp_path):
    """Tokens do not appear in the state, in the log or in the messages of other channels."""
    (tmp_path / "token").write_text("SECRETTOKEN42\n")
    echo = PushServer(body=b"bad token: Bearer SECRETTOKEN42")
    echo.answer = 401
    hub = hub_of(more=channels(
        f'by: ntfy, name: phone, address: "http://127.0.0.1:{echo.port}/topic", token_file: token, gather: 0s', webhook(push.port, "good")))
    hub.notify([8.8])
    until(lambda: any("phone" in one["title"] or "phone" in one["text"] for one in push.accepted()), what="the failure")
    said = json.dumps([hub.state(), push.accepted(), hub.talk])
    assert "bad token: Bearer ***" in said and "SECRETTOKEN42" not in said
    echo.stop()


def test_a_channel_that_is_removed_leaves_a_word(hub_of):
    """Events of a channel that the file no longer has are dropped, and the start says how many."""
    hub = hub_of(more=channels(webhook(free_port())))
    hub.notify([8.8])
    until(lambda: hub.state()["alarms"], what="the alarm")
    hub.stop()
    hub.file.write_text(hub.file.read_text().replace("name: chat", "name: chat-2"))
    hub.talk = ""
    hub.start()
    assert re.search(r"\d+ records dropped that waited for 'notify:chat', which the file no longer has", hub.talk), hub.talk


@pytest.mark.parametrize("line,message", [
    ('by: mail, name: m, server: "mail.example:25", from: a@b.c, to: [a@b.c]', "'server' must be smtp://HOST:PORT"),
    ('by: mail, name: m, server: "smtp://h", from: a, to: [a@b.c]', "a mail address is NAME@HOST"),
    ('by: mail, name: m, server: "smtp://h", from: "a@b.c\\r\\nBcc: x@y.z", to: [a@b.c]', "a mail address is NAME@HOST"),
    ('by: mail, name: m, server: "smtp://h", from: a@b.c, to: [a@b.c], user: u', "'user' and 'password_file' must be given together"),
    ('by: webhook, name: w, address: "ftp://h/"', "'address' must be an http:// or https:// URL"),
    ('by: webhook, name: w, address: "http://h/", zones: [cold rom]', "unknown zone 'cold rom'; did you mean 'cold room'?"),
    ('by: webhook, name: w, address: "http://h/", people: [Ann]', "unknown person 'Ann'; did you mean 'Ana'?"),
    ('by: webhook, name: w, address: "http://h/", quiet: {from: "25:00", to: "07:00"}', 'a time of day is 00:00 to 23:59'),
    ('by: webhook, name: w, address: "http://h/", secret_file: nothing', "'secret_file' cannot be read"),
    ('by: webhook, name: a/b, address: "http://h/"', "'name' may have at most 60 bytes"),
    ('by: webhok, name: w, address: "http://h/"', "did you mean 'webhook'?"),
    ('by: gotify, name: g, address: "http://h/"', "token_file"),
    ('by: ntfy, name: n, address: "http://h"', "must be the URL of a topic"),
    ('by: ntfy, name: n, address: "http://h/t/"', "must be the URL of a topic"),
    ('by: webhook, name: w, address: "http://u:p@h/"', "without user and password"),
    ('by: webhook, name: w, address: "http://h/", content_type: "text/plain\\r\\nX: 1"', "'content_type' must be a media type"),
    ('by: webhook, name: w, address: "http://h/", quiet: {from: "07:00", to: "07:00"}', "must differ"),
    ('by: ntfy, name: n, address: "http://h/t", topic: t', "unknown key 'topic'"),
])
def test_errors_in_channels_are_reported_with_their_line(tmp_path, line, message):
    """Each error of a channel is reported with file, line and column, and no hub starts."""
    text = ("hub: north\nzones: [{name: cold room}]\ntags: [{address: \"A4:DA:32:00:00:01\", name: shelf, zone: cold room}]\n"
            "duty: {people: [Ana, Rui]}\n")
    (tmp_path / "hub.yaml").write_text(text + channels(line))
    run = subprocess.run([PROGRAM, "serve", "hub.yaml", "--check"], cwd=tmp_path, capture_output=True, text=True, timeout=20)
    assert run.returncode in (66, 78) and message in run.stderr and "hub.yaml:6:" in run.stderr, run


def test_the_command_lists_channels_and_rejects_unknown_ones(hub_of, tmp_path, push):
    """Without --test the channels are listed; a wrong name is suggested, and a file without channels is an error."""
    hub = hub_of(more=channels(webhook(push.port), f'by: heartbeat, name: pulse, address: "http://127.0.0.1:{push.port}/ping"'))
    listed = subprocess.run([PROGRAM, "notify", str(hub.file)], capture_output=True, text=True, timeout=20)
    assert listed.stdout.splitlines() == [
        f"chat (webhook)  http://127.0.0.1:{push.port}/  events: alarm, escalation, normal, clock, storage, channel, hub  from level warning",
        f"pulse (heartbeat)  http://127.0.0.1:{push.port}/ping  every 60 s"], listed
    wrong = subprocess.run([PROGRAM, "notify", str(hub.file), "--test", "--channel", "chatt"], capture_output=True, text=True, timeout=20)
    assert wrong.returncode == 64 and "did you mean 'chat'?" in wrong.stderr, wrong
    sent = subprocess.run([PROGRAM, "notify", str(hub.file), "--test"], capture_output=True, text=True, timeout=20)
    assert sent.returncode == 0 and {path for path, *_ in push.requests} >= {"/", "/ping"}, sent
    (tmp_path / "none.yaml").write_text(re.sub(r"notify:\n(  - .*\n)+", "", hub.file.read_text()))
    none = subprocess.run([PROGRAM, "notify", str(tmp_path / "none.yaml")], capture_output=True, text=True, timeout=20)
    assert none.returncode == 78 and "has no channels" in none.stderr, none
