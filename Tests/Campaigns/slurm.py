"""A Slurm cluster of two nodes on this machine, with a controller, a munge daemon and a folder of its own."""

import os
import pathlib
import secrets
import signal
import socket
import subprocess
import time

CONF = """
ClusterName=bench
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1,requeue_delay=0
ReturnToService=2
SlurmdTimeout=10
MpiDefault=none
JobRequeue=1
NodeName=one NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1 State=UNKNOWN
NodeName=two NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1 State=UNKNOWN
PartitionName=all Nodes=one,two Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    """Returns ports of the loopback interface that no program listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for item in sockets:
        item.bind(("127.0.0.1", 0))
    ports = [item.getsockname()[1] for item in sockets]
    for item in sockets:
        item.close()
    return ports


class Cluster:
    """A controller and two nodes, `one` and `two`."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        (self.folder / "state").mkdir(exist_ok=True)
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"))
        host = socket.gethostname().split(".")[0]
        conf = CONF.format(folder=self.folder, host=host, ports=free_ports(3))
        (self.folder / "slurm.conf").write_text(conf)
        self.nodes = {}
        self.daemons = []

    def __enter__(self):
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o400)
        munge = self.folder / "munge.socket"
        self._start(
            "munged", "--foreground", "--force", f"--key-file={key}", f"--socket={munge}",
            f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
            f"--seed-file={self.folder}/munged.seed")
        wait(munge.exists, 20, "munged has no socket")
        self._start("slurmctld", "-D", "-c")
        for node in ("one", "two"):
            self.start_node(node)
        wait(lambda: self.idle() == 2, 60, "the nodes did not register")
        return self

    def __exit__(self, *_):
        for daemon in [*self.nodes.values(), *reversed(self.daemons)]:
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def _start(self, *words):
        log = open(self.folder / f"{words[0]}.output", "ab")
        daemon = subprocess.Popen(words, env=self.environment, stdout=log, stderr=log, start_new_session=True)
        self.daemons.append(daemon)
        return daemon

    def start_node(self, name):
        """Starts the daemon of a node."""
        log = open(self.folder / f"{name}.output", "ab")
        self.nodes[name] = subprocess.Popen(
            ["slurmd", "-D", "-N", name], env=self.environment, stdout=log, stderr=log, start_new_session=True)

    def kill_node(self, name):
        """Kills a node with everything that it executes, as a power failure would.

        Returns the number of killed processes; a node that executes nothing is left alone.
        """
        # What is stopped cannot end before the node is killed.
        tasks = [process for process in self._tasks(name) if send(process, signal.SIGSTOP)]
        if not tasks:
            return 0
        daemon = self.nodes.pop(name)
        os.kill(daemon.pid, signal.SIGKILL)
        daemon.wait()
        return sum(send(process, signal.SIGKILL) for process in tasks)

    def _tasks(self, node):
        """Returns the processes of the tasks on a node, and the step daemons that started them."""
        found = []
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                environment = pathlib.Path(f"/proc/{name}/environ").read_bytes().split(b"\0")
                status = pathlib.Path(f"/proc/{name}/stat").read_text()
                if f"SLURM_CONF={self.folder}/slurm.conf".encode() not in environment:
                    continue
                if f"SLURMD_NODENAME={node}".encode() not in environment:
                    continue
                parent = int(status[status.rindex(")") + 1:].split()[1])
                if pathlib.Path(f"/proc/{parent}/comm").read_text().startswith("slurmstepd"):
                    found.append(parent)
                found.append(int(name))
            except OSError:
                pass
        return found

    def run(self, *words, check=True):
        """Runs a command with this cluster, and returns its output."""
        result = subprocess.run(words, env=self.environment, capture_output=True, text=True)
        if check and result.returncode != 0:
            raise RuntimeError(f"{words}: {result.stdout}{result.stderr}")
        return result.stdout

    def idle(self):
        """Returns the number of idle nodes."""
        lines = self.run("sinfo", "--noheader", "--Node", "--format=%T", check=False).split()
        return lines.count("idle")

    def queued(self):
        """Returns the number of jobs and tasks in the queue."""
        return len(self.run("squeue", "--array", "--noheader").splitlines())


def send(process, number):
    """Sends a signal to a process; returns false if the process has ended."""
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return False
    return True


def wait(condition, seconds, message, every=0.2):
    """Waits until a condition, looked at every so many seconds, is true."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(message)
        time.sleep(every)


def descendants(process):
    """Returns the processes that a process has started, and those that these have started."""
    found = []
    for child in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        for number in child.read_text().split():
            found += [int(number), *descendants(int(number))]
    return found
