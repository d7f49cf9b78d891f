"""A person at the front panel: checks the tone at D8, presses the button, and asks for the voltage that was set."""
import json
import sys

text = ""
for line in sys.stdin:
    event = json.loads(line)
    now = event["t"]
    text += event["uart"].get("USART0", "")
    tone = event["pins"]["D8"]
    if now > 200_000_000 and not (450 < tone["frequency"] < 550 and 0.45 < tone["duty"] < 0.55):
        sys.exit(f"no tone of 500 Hz: {tone}")
    answer = {}
    if now == 500_000_000:
        answer = {"pins": {"D2": "low"}, "voltages": {"0": 2.5}}
    if now == 600_000_000:
        if "press 1" not in text or event["pins"]["D13"]["level"] != "high":
            sys.exit(f"the button was not noticed: {text!r}")
        answer = {"pins": {"D2": "open"}, "send": "volts\n"}
    print(json.dumps(answer), flush=True)
