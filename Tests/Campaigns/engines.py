"""Executes one campaign on this machine, by shards, on Slurm and on Ray with a killed node each, and compares the results.

python3 engines.py ANEROID FOLDER [RUNS]
"""

import filecmp
import importlib.util
import os
import pathlib
import signal
import subprocess
import sys
import time

import slurm

ANEROID = os.path.abspath(sys.argv[1])
FOLDER = pathlib.Path(sys.argv[2]).resolve()
RUNS = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
FILES = ("runs.csv", "summary.json", "index.html")

RIG = """
name: tiny
duration: 20min
buses: [{number: 1, devices: [{model: bme280, noise: datasheet}]}]
environment: {constant: {temperature: 21C}}
pipeline: {samples: 5, sample_every: 2s, cycle: 30s}
expect: [{that: temperature, within: 0.015C, of: environment}]
"""
CAMPAIGN = f"""
name: tiny
rig: rig.yaml
runs: {RUNS}
vary:
  - {{key: environment.constant.temperature, uniform: {{from: -20C, to: 60C}}}}
  - {{key: "buses[0].adapter.frequency", values: [100kHz, 400kHz]}}
measure:
  - {{name: error, error: temperature}}
"""


def run(*words, env=None, good=(0, 1)):
    """Runs the command in the folder of the campaign."""
    result = subprocess.run([ANEROID, "campaign", *words], cwd=FOLDER, env=env, capture_output=True, text=True)
    if result.returncode not in good:
        raise SystemExit(f"campaign {words}: status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def begin(name):
    """Starts the campaign in the background, with two jobs on any machine."""
    return subprocess.Popen(
        [ANEROID, "campaign", "run", "campaign.yaml", "--jobs", "2", "--out", name], cwd=FOLDER,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def compare(name):
    """Compares results with those of one process, byte by byte."""
    for file in FILES:
        if not filecmp.cmp(FOLDER / "one" / file, FOLDER / name / file, shallow=False):
            raise SystemExit(f"{name}/{file} differs from one/{file}")
    print(f"{name}: the same bytes in {', '.join(FILES)}", flush=True)


def shards(name):
    """Returns the number of finished shards."""
    folder = FOLDER / name / "shards"
    return len(list(folder.glob("*.csv"))) if folder.exists() else 0


def killed():
    """Kills a campaign with SIGKILL ten times, each time after another shard is finished, and lets it end."""
    for _ in range(10):
        before = shards("killed")
        process = begin("killed")
        slurm.wait(lambda: shards("killed") > before, 60, "no shard was finished", every=0.005)
        if process.poll() is not None:
            raise SystemExit("the campaign ended before it was killed")
        process.send_signal(signal.SIGKILL)
        process.wait()
        # The shards notice that their reports are not read.
        time.sleep(0.3)
    print(f"killed ten times, the last time after {shards('killed')} shards", flush=True)
    if (process := begin("killed")).wait() not in (0, 1):
        raise SystemExit(f"status {process.returncode} after kills")
    compare("killed")


def crashed():
    """Lets a shard crash; its runs are then executed in a process each."""
    process = begin("crashed")
    slurm.wait(lambda: slurm.descendants(process.pid), 30, "no shard was started")
    os.kill(slurm.descendants(process.pid)[0], signal.SIGILL)
    if process.wait() not in (0, 1):
        raise SystemExit(f"status {process.returncode} after a crash")
    compare("crashed")


def by_hand():
    """Executes shards of a different number in any order."""
    for index in (3, 1, 5, 2, 4):
        run("run", "campaign.yaml", "--shard", f"{index}/5", "--out", f"hand-{index % 2}", good=(0,))
    run("merge", "hand-1", "hand-0", "--out", "hand")
    compare("hand")


def on_slurm():
    """Submits to Slurm, and kills a node with its task."""
    with slurm.Cluster(FOLDER / "cluster") as cluster:
        print(run("submit", "--engine", "slurm", "campaign.yaml", "--out", "slurm", "--shards", "20",
                  env=cluster.environment, good=(0,)), flush=True)
        slurm.wait(lambda: shards("slurm") >= 3, 120, "no shard was finished")
        tasks = 0
        while tasks == 0:
            if shards("slurm") >= 19:
                raise SystemExit("no task ran on the node when it was to be killed")
            tasks = cluster.kill_node("two")
            time.sleep(0.02)
        print(f"node killed with {tasks} processes after {shards('slurm')} shards", flush=True)
        time.sleep(2)
        cluster.start_node("two")
        slurm.wait(lambda: (FOLDER / "slurm" / "index.html").exists(), 300, "the merge did not run")
        slurm.wait(lambda: cluster.queued() == 0, 60, "jobs remain")
        print(run("status", "slurm", env=cluster.environment, good=(0,)), flush=True)
        compare("slurm")
        run("submit", "--engine", "slurm", "campaign.yaml", "--out", "cancelled", "--shards", "100",
            env=cluster.environment, good=(0,))
        slurm.wait(lambda: shards("cancelled") >= 2, 120, "no shard was finished")
        run("cancel", "cancelled", env=cluster.environment, good=(0,))
        slurm.wait(lambda: cluster.queued() == 0, 60, "jobs remain after cancel")
        if not 2 <= shards("cancelled") < 100:
            raise SystemExit("cancel did not end the jobs")
        run("fetch", "cancelled", env=cluster.environment)
        print("cancelled and fetched", flush=True)


def on_ray():
    """Submits to a cluster of Ray, and kills a node."""
    os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0", RAY_DISABLE_IMPORT_WARNING="1")
    from ray.cluster_utils import Cluster  # pylint: disable=import-outside-toplevel

    node = {"num_cpus": 1, "node_ip_address": "127.0.0.1"}
    cluster = Cluster(initialize_head=True, head_node_args=node)
    other = cluster.add_node(**node)
    environment = dict(os.environ, RAY_ADDRESS=cluster.address)
    environment["PATH"] = os.path.dirname(sys.executable) + ":" + environment["PATH"]
    try:
        run("submit", "--engine", "ray", "campaign.yaml", "--out", "ray", "--shards", "20", env=environment, good=(0,))
        slurm.wait(lambda: shards("ray") >= 3, 120, "no shard was finished")
        cluster.remove_node(other, allow_graceful=False)
        print(f"node killed after {shards('ray')} shards", flush=True)
        if shards("ray") >= 20:
            raise SystemExit("the campaign ended before the node was killed")
        slurm.wait(lambda: (FOLDER / "ray" / "index.html").exists(), 300, "the merge did not run")
        compare("ray")
    finally:
        cluster.shutdown()


FOLDER.mkdir(parents=True, exist_ok=True)
(FOLDER / "rig.yaml").write_text(RIG)
(FOLDER / "campaign.yaml").write_text(CAMPAIGN)
run("run", "campaign.yaml", "--jobs", "1", "--out", "one")
run("run", "campaign.yaml", "--jobs", "2", "--out", "two")
compare("two")
killed()
crashed()
by_hand()
on_slurm()
if importlib.util.find_spec("ray") is None:
    raise SystemExit("ray is not installed")
on_ray()
