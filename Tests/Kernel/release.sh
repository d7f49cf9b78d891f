# The first steps of a new user on a Raspberry Pi, in a guest: the package, then the wheel.
set -e
step() { echo "-- $1"; }
cd /root

step install
# The libraries are there without the records of their packages, so that dpkg warns of each.
dpkg --force-depends --install /packages/aneroid_*.deb >install.log 2>&1 || { cat install.log; exit 1; }
dpkg-query --show --showformat='${Status}\n' aneroid
aneroid --version
step doctor
aneroid doctor
step bus
aneroid exec -- i2cdetect -y 1
aneroid exec -- i2cget -y 1 0x76 0xd0
step static
aneroid exec -- busybox i2cget -y 1 0x76 0xd0
step part
aneroid exec --part sht4x -- i2ctransfer -y 1 w1@0x44 0x89 r6
step fault
aneroid exec --fault 'kind: nack-address, count: 1' -- sh -c 'i2cget -y 1 0x76 0xd0 2>&1 || i2cget -y 1 0x76 0xd0'
step virtual
aneroid exec --clock virtual -- sh -c 'date; sleep 3600; date'
step smbus2
cat >reader.py <<'END'
import time
from smbus2 import SMBus

with SMBus(1) as bus:
    print(hex(bus.read_byte_data(0x76, 0xD0)))
    bus.write_byte_data(0x76, 0xF4, 0x25)
    time.sleep(0.1)
    print(len(bus.read_i2c_block_data(0x76, 0xF7, 8)))
END
aneroid exec --clock virtual -- python3 reader.py
step rig
aneroid run weather-station --format jsonl 2>/dev/null | sha256sum
aneroid run iss-leak --format jsonl 2>/dev/null | sha256sum
step audit
cat >bad.py <<'END'
print("temperature 20.0 C")
END
aneroid audit -- python3 bad.py >audit.txt 2>&1 || echo "audit ended with $?"
tail -1 audit.txt
step wheel
dpkg --purge aneroid 2>/dev/null >&2
hash -r
pip install --quiet --no-index --no-deps --break-system-packages --root-user-action=ignore /packages/aneroid-*.whl
aneroid --version
cat >test_station.py <<'END'
def test_frost(aneroid):
    bench = aneroid(air={"temperature": -20})
    result = bench.run(["i2cget", "-y", "1", "0x76", "0xd0"], check=True)
    assert "0x60" in result.stdout
    assert not any(transfer.error for transfer in bench.transfers)
END
python3 -m pytest -q test_station.py 2>&1 | tail -1 | sed 's/ in .*//'
step done
