"""Guests for the tests with a real kernel: Debian's stock kernel in QEMU's emulation, with a root in memory.

Nothing is built: the kernel, its modules and the programs of the guest are Debian's packages.
"""

import io
import lzma
import os
import pathlib
import re
import stat
import subprocess
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
WORK = REPOSITORY / ".build-kernel"
#: The release whose stock kernel is tested.
RELEASE = os.environ.get("KERNEL_RELEASE", "trixie")

QEMU = {
    "amd64": ["qemu-system-x86_64", "-M", "q35", "-cpu", "max"],
    "arm64": ["qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a72"],
}
CONSOLE = {"amd64": "ttyS0", "arm64": "ttyAMA0"}


def shell(*words, **options):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, encoding="utf-8", **options).stdout


def packages(architecture, *names, release=RELEASE):
    """Downloads packages with what they depend on, and returns a folder with their files."""
    folder = WORK / f"{release}-{architecture}-{'-'.join(sorted(names))[:80]}"
    if not (folder / ".complete").exists():
        environment = {**os.environ, "WITH_DEPENDENCIES": "1"}
        shell(".ci/packaging/debian", release, architecture, str(folder), *names, cwd=REPOSITORY, env=environment)
        for package in sorted((folder / "debs").glob("*.deb")):
            shell("dpkg-deb", "-x", str(package), str(folder / "root"))
        subprocess.run(["rm", "-r", folder / "debs", folder / "cache"], check=True)
        (folder / ".complete").touch()
    return folder / "root"


class Kernel:
    """The newest stock kernel of an architecture, with its modules."""

    def __init__(self, architecture, release=RELEASE):
        self.architecture = architecture
        root = packages(architecture, f"linux-image-{architecture}", release=release)
        images = sorted(root.glob("boot/vmlinuz-*"))
        assert len(images) == 1, f"kernels: {images}"
        self.image = images[0]
        self.version = self.image.name.removeprefix("vmlinuz-")
        # Older releases do not have a merged /usr.
        folder = next(path for path in (root / "usr/lib/modules", root / "lib/modules") if path.exists()) / self.version
        self.modules = {
            re.sub(r"\.ko(\.xz)?$", "", path.name).replace("-", "_"): path for path in folder.rglob("*.ko*")
        }
        self.built_in = {
            pathlib.Path(line).stem.replace("-", "_") for line in (folder / "modules.builtin").read_text().splitlines()
        }

    def has(self, name):
        name = name.replace("-", "_")
        return name in self.modules or name in self.built_in

    def module(self, name):
        path = self.modules[name]
        return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()

    def in_order(self, names):
        """Returns modules and those that they depend on as (name, content), in the order of loading."""
        done = {}

        def add(name):
            name = name.replace("-", "_")
            if name in done or name in self.built_in:
                return
            content = self.module(name)
            depends = re.search(rb"\0depends=([^\0]*)\0", content)
            for other in filter(None, depends[1].decode().split(",")) if depends else []:
                add(other)
            done[name] = content

        for name in names:
            add(name)
        return list(done.items())


class Image:
    """A root in memory: an archive in the format of the kernel's initramfs (cpio, newc)."""

    def __init__(self):
        self.bytes = io.BytesIO()
        self.names = set()
        self.number = 0

    def entry(self, name, mode, content=b""):
        name = str(name).strip("/")
        parent = os.path.dirname(name)
        if parent and parent not in self.names:
            self.folder(parent)
        if name in self.names:
            return
        self.names.add(name)
        self.number += 1
        encoded = name.encode() + b"\0"
        fields = [self.number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(encoded), 0]
        self.bytes.write(b"070701" + b"".join(b"%08X" % field for field in fields) + encoded)
        self._align()
        self.bytes.write(content)
        self._align()

    def _align(self):
        self.bytes.write(b"\0" * (-self.bytes.tell() % 4))

    def folder(self, name):
        self.entry(name, stat.S_IFDIR | 0o755)

    def file(self, name, content, mode=0o644):
        self.entry(name, stat.S_IFREG | mode, content)

    def program(self, name, content):
        self.file(name, content.encode() if isinstance(content, str) else content, 0o755)

    def link(self, name, target):
        self.entry(name, stat.S_IFLNK | 0o777, str(target).encode())

    def tree(self, root, skip=("usr/share/doc", "usr/share/man", "usr/share/locale", "boot", "usr/lib/modules")):
        """Adds all files below a folder."""
        for path in sorted(pathlib.Path(root).rglob("*")):
            name = str(path.relative_to(root))
            if name.startswith(skip):
                continue
            if path.is_symlink():
                self.link(name, os.readlink(path))
            elif path.is_dir():
                self.folder(name)
            elif path.is_file():
                self.file(name, path.read_bytes(), path.stat().st_mode & 0o7777)

    def programs(self, root, *names):
        """Adds programs of a folder of packages with the shared libraries that they need."""
        root = pathlib.Path(root)
        pending = []

        def found(name):
            paths = [path for path in root.rglob(name) if path.parent.name != "doc" and not path.is_dir()]
            assert paths, f"{root} has no {name}"
            return paths[0]

        pending += [found(name) for name in names]
        while pending:
            path = pending.pop()
            name = str(path.relative_to(root))
            if name in self.names:
                continue
            content = path.read_bytes()
            self.file(name, content, 0o755)
            if content[:4] != b"\x7fELF":
                continue
            headers = shell("readelf", "-ld", str(path))
            pending += [found(library) for library in re.findall(r"\(NEEDED\).*\[(.+)\]", headers)]
            interpreter = re.search(r"program interpreter: (.+)\]", headers)
            if interpreter:
                # The name in the program leads through a link of the merged /usr.
                self.file("usr" + interpreter[1], found(os.path.basename(interpreter[1])).read_bytes(), 0o755)

    def own_program(self, path):
        """Adds a program of this machine with the shared libraries that it needs, at their paths."""
        self.program(f"usr/bin/{pathlib.Path(path).name}", pathlib.Path(path).read_bytes())
        for library in set(re.findall(r"(/\S+) \(0x", shell("ldd", str(path)))):
            # The folders /lib and /lib64 are links.
            name = re.sub(r"^/lib", "usr/lib", library)
            self.program(name, pathlib.Path(library).read_bytes())

    def content(self):
        end = Image()
        end.bytes.write(self.bytes.getvalue())
        end.entry("TRAILER!!!", 0)
        return end.bytes.getvalue()


INIT = """#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /tmp /run /root /usr/bin /usr/sbin
/bin/busybox --install -s /bin
export PATH=/usr/local/bin:/usr/bin:/usr/sbin:/bin HOME=/root TERM=dumb
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts pts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tmpfs tmp /tmp
ip link set lo up 2>/dev/null
for module in $(cat /modules/order); do insmod /modules/$module || echo "cannot load $module"; done
echo '== begin'
# The shell of busybox prefers its own commands to those in PATH.
if [ -x /usr/bin/bash ]; then bash /script 2>&1; else sh /script 2>&1; fi
echo "== end $?"
poweroff -f
"""


class Guest:
    """A guest that runs one shell script and ends."""

    def __init__(self, kernel, modules=(), memory=512):
        self.kernel = kernel
        self.memory = memory
        self.image = Image()
        busybox = packages(kernel.architecture, "busybox-static")
        self.image.program("bin/busybox", next(busybox.glob("**/bin/busybox")).read_bytes())
        loaded = kernel.in_order(modules)
        for name, content in loaded:
            self.image.file(f"modules/{name}.ko", content)
        self.loaded = [name for name, _ in loaded]
        self.image.program("init", INIT)
        # The folders of a system whose /usr is merged.
        for name in ["lib", "lib64", "sbin"]:
            self.image.link(name, f"usr/{name}")

    def add_module(self, name, content, loads=True):
        """Adds a module that is no part of the kernel's package, to load last, or one that the script loads."""
        self.image.file(f"modules/{name}.ko", content)
        if loads:
            self.loaded.append(name)

    def run(self, script, *arguments, seconds=300):
        """Runs a script.

        Returns its output and the seconds from the start of the emulator to the end of the script.
        """
        self.image.file("modules/order", "".join(f"{name}.ko\n" for name in self.loaded).encode())
        self.image.file("script", script.encode())
        with tempfile.NamedTemporaryFile(suffix=".cpio", dir=WORK) as archive:
            archive.write(self.image.content())
            archive.flush()
            command = [
                *QEMU[self.kernel.architecture], "-m", str(self.memory), "-smp", "1", "-nodefaults", "-no-user-config",
                "-display", "none", "-serial", "stdio", "-no-reboot", "-kernel", str(self.kernel.image),
                "-initrd", archive.name,
                "-append", f"console={CONSOLE[self.kernel.architecture]} quiet panic=-1 loglevel=1", *arguments,
            ]
            start = time.monotonic()
            try:
                result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        timeout=seconds)
                output = result.stdout
            except subprocess.TimeoutExpired as error:
                raise AssertionError(f"the guest did not end in {seconds} s:\n{(error.stdout or b'').decode(errors='replace')}")
        text = output.decode(errors="replace").replace("\r", "")
        found = re.search(r"== begin\n(.*)== end (\d+)\n", text, re.S)
        assert found, f"the guest did not run its script:\n{text}"
        return found[1], time.monotonic() - start
