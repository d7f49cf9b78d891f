"""Connects to SensorTags in a guest, with only BlueZ's daemon and bleak.

Prints the devices that bluetoothctl finds, then for each tag that bleak finds its services, its model,
three notifications of the humidity service, and the disconnection.
"""

import asyncio
import os
import subprocess
import time

from bleak import BleakClient, BleakScanner

TAGS = 2


def tag(number: int) -> str:
    return f"f000{number:04x}-0451-4000-b000-000000000000"


def power_on() -> None:
    """Waits until the driver has started the controller, and powers it on."""
    end, output = time.monotonic() + 90, "none appeared"
    while time.monotonic() < end:
        time.sleep(0.5)
        if not os.path.exists("/sys/class/bluetooth/hci0"):
            continue
        try:
            run = subprocess.run(["bluetoothctl", "power", "on"], capture_output=True, text=True, timeout=20)
        except subprocess.TimeoutExpired:
            continue
        output = run.stdout
        if "succeeded" in output:
            return
    raise SystemExit("no controller: " + output)


async def meet(device: object) -> None:
    address = device.address
    async with BleakClient(device, timeout=60) as client:
        for service in client.services:
            print(address, "service", service.uuid, "at", service.handle, flush=True)
            for one in service.characteristics:
                print(address, "characteristic", one.uuid, "|".join(sorted(one.properties)), flush=True)
        print(address, "model", bytes(await client.read_gatt_char("2a24")).decode(), flush=True)
        await client.write_gatt_char(tag(0xAA23), bytes([30]), response=True)
        values: asyncio.Queue = asyncio.Queue()
        await client.start_notify(tag(0xAA21), lambda _, value: values.put_nowait(bytes(value)))
        await client.write_gatt_char(tag(0xAA22), b"\x01", response=True)
        for _ in range(3):
            print(address, "notified", (await asyncio.wait_for(values.get(), 60)).hex(), flush=True)
        await client.write_gatt_char(tag(0xAA22), b"\x00", response=True)
        print(address, "off", bytes(await client.read_gatt_char(tag(0xAA21))).hex(), flush=True)
    print(address, "disconnected", flush=True)


async def main() -> None:
    found = {}
    async with BleakScanner() as scanner:
        end = time.monotonic() + 60
        while len(found) < TAGS and time.monotonic() < end:
            await asyncio.sleep(0.5)
            for device, data in scanner.discovered_devices_and_advertisement_data.values():
                if data.local_name and "ensor" in data.local_name:
                    found[device.address] = device
                    known = (data.local_name, data.rssi, sorted(data.service_uuids))
                    if len(found) > 0 and getattr(main, device.address, None) != known:
                        setattr(main, device.address, known)
                        print(device.address, "named", *known, flush=True)
    for device in found.values():
        await meet(device)
    print("met", len(found), flush=True)


power_on()
print("version", subprocess.run(["bluetoothctl", "--version"], capture_output=True, text=True).stdout.strip(), flush=True)
output = subprocess.run(["bluetoothctl", "--timeout", "8", "scan", "on"], capture_output=True, text=True)
for line in subprocess.run(["bluetoothctl", "devices"], capture_output=True, text=True).stdout.splitlines():
    print("bluetoothctl", line, flush=True)
asyncio.run(main())
