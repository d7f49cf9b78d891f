"""A heated room: gains 5 K a second at full power, and loses heat to air at 10 C with a time constant of 10 s."""
import json
import sys

temperature, last = 20.0, 0
for line in sys.stdin:
    event = json.loads(line)
    seconds = (event["t"] - last) / 1e9
    last = event["t"]
    power = event["pins"]["D9"]["duty"]
    temperature += seconds * (5 * power - (temperature - 10) / 10)
    print(json.dumps({"temperature": temperature}), flush=True)
