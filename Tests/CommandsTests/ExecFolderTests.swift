import Foundation
import TestSupport
import Testing

/// The files of a virtual bus in /sys, used as for hardware.
struct ExecFolderTests {
  typealias User = VirtualBusBench.User

  @Test("ls -la shows links, files and parent directories", arguments: User.allCases)
  func list(_ user: User) throws {
    let script = """
      ls -la /sys/class/i2c-dev | awk 'NR > 1 { print $1, $9, $10, $11 }'
      ls -la /sys/class/i2c-dev/i2c-1/ | awk 'NR > 1 { print $1, $9, $10, $11 }'
      ls -la /sys/bus/i2c/devices/i2c-1/../../../../dev/char/89:1/subsystem/ | wc -l
      readlink -f /sys/dev/char/89:1 /sys/class/i2c-adapter/i2c-1
      cat /sys/dev/char/89:1/device/name
      stat -f -c %T /sys/class/i2c-dev; stat -c %F /sys/class/i2c-dev /sys/class/i2c-dev/i2c-1
      find /sys/bus/i2c /sys/class/i2c-dev/ | sort
      """
    let result = try VirtualBusBench.shell(script, as: user)
    let device = "/sys/devices/platform/aneroid.i2c/i2c-1"
    #expect(
      result.outputLines == [
        "drwxr-xr-x .  ", "drwxr-xr-x ..  ",
        "lrwxrwxrwx i2c-1 -> ../../devices/platform/aneroid.i2c/i2c-1/i2c-dev/i2c-1",
        "drwxr-xr-x .  ", "drwxr-xr-x ..  ", "-r--r--r-- dev  ",
        "lrwxrwxrwx device -> ../../../i2c-1", "-r--r--r-- name  ",
        "lrwxrwxrwx subsystem -> ../../../../../../class/i2c-dev", "-r--r--r-- uevent  ",
        "4", "\(device)/i2c-dev/i2c-1", device, "aneroid built-in bus 1", "sysfs", "directory",
        "symbolic link", "/sys/bus/i2c", "/sys/bus/i2c/devices", "/sys/bus/i2c/devices/i2c-1",
        "/sys/bus/i2c/drivers", "/sys/class/i2c-dev/", "/sys/class/i2c-dev/i2c-1",
      ], "\(result.errors)")
    #expect(result.errors.isEmpty)
  }

  @Test("a synthetic directory can be a working directory and be left", arguments: User.allCases)
  func work(_ user: User) throws {
    let script = """
      cd /sys/class/i2c-dev && /bin/pwd && ls && cat i2c-1/name
      (cd i2c-1 && cat dev && ls | wc -l); cd -P i2c-1/device && /bin/pwd && cat name
      cd /usr && /bin/pwd && ls -d bin
      """
    let name = "aneroid built-in bus 1"
    let result = try VirtualBusBench.shell(script, as: user)
    #expect(
      result.outputLines == [
        "/sys/class/i2c-dev", "i2c-1", name, "89:1", "5",
        "/sys/devices/platform/aneroid.i2c/i2c-1", name, "/usr", "bin",
      ], "\(result.errors)")
  }

  @Test(
    "synthetic files can be copied, because stat and fstat agree on them", arguments: User.allCases)
  func copy(_ user: User) throws {
    let script = """
      folder=$(mktemp -d); cd "$folder"
      cp /sys/class/i2c-dev/i2c-1/name name && cat name
      cp -r /sys/devices/platform/aneroid.i2c/i2c-1/i2c-dev/i2c-1 all && cat all/dev all/name
      stat -c '%d %i %s' /sys/class/i2c-dev/i2c-1/name >before
      stat -L -c '%d %i %s' /proc/self/fd/0 </sys/class/i2c-dev/i2c-1/name | cmp - before
      wc -c </sys/class/i2c-dev/i2c-1/name
      { echo changed >/sys/class/i2c-dev/i2c-1/name; } 2>/dev/null || cat name
      cd /; rm -r "$folder"
      """
    let result = try VirtualBusBench.shell(script, as: user)
    let name = "aneroid built-in bus 1"
    #expect(
      result.outputLines == [name, "89:1", name, "\(name.utf8.count + 1)", name], "\(result.errors)"
    )
    #expect(result.errors.isEmpty)
  }

  @Test(
    "a child process keeps its working directory when its parent changes directory",
    arguments: User.allCases)
  func siblings(_ user: User) throws {
    let script = """
      folder=$(mktemp -d); cd "$folder"; mkfifo go
      (read line <"$folder/go"; /bin/pwd; echo kept >mine; cat mine; sh -c 'ls') &
      cd /sys/class/i2c-dev/i2c-1; echo >"$folder/go"; wait; cat name
      (read line <"$folder/go"; cat name; sh -c 'cat dev') &
      cd "$folder"; echo >"$folder/go"; wait; ls | wc -l
      cd /; rm -r "$folder"; echo "$folder"
      """
    let result = try VirtualBusBench.shell(script, as: user)
    let name = "aneroid built-in bus 1"
    let folder = result.outputLines.last ?? ""
    #expect(
      result.outputLines == [folder, "kept", "go", "mine", name, name, "89:1", "2", folder],
      "\(result.output)\(result.errors)")
    #expect(result.errors.isEmpty)
  }

  @Test(
    "directories can be listed by descriptor and repeatedly, and concurrent listings do not mix")
  func walk() throws {
    let script = """
      import os
      assert [n for _, d, f, _ in os.fwalk('/sys/bus/i2c') for n in d + f] == ['drivers', 'devices', 'i2c-1'] \
        or sorted(n for _, d, f, _ in os.fwalk('/sys/bus/i2c') for n in d + f) == ['devices', 'drivers', 'i2c-1']
      folder = os.open('/dev', os.O_RDONLY)
      for _ in range(3):
          assert os.listdir(folder).count('i2c-1') == 1
      with os.scandir('/dev') as outer:
          first = next(outer).name
          for _ in range(2):
              assert os.listdir('/dev').count('i2c-1') == 1
              assert os.listdir('/sys/class').count('i2c-dev') == 1
          assert [first, *(e.name for e in outer)].count('i2c-1') == 1
      for _ in range(3):
          with os.scandir('/dev') as early:
              next(early)
          assert os.listdir('/dev').count('i2c-1') == 1
      os.chdir('/sys/class/i2c-dev'); os.fchdir(os.open('i2c-1', os.O_RDONLY))
      print(os.getcwd(), sorted(os.listdir('.')), os.path.exists('dev'), os.path.exists('nothing'))
      os.chdir('/'); print(os.getcwd(), os.path.exists('etc'))
      """
    let result = try VirtualBusBench.exec(["/usr/bin/python3", "-c", script])
    #expect(
      result.outputLines == [
        "/sys/devices/platform/aneroid.i2c/i2c-1/i2c-dev/i2c-1 "
          + "['dev', 'device', 'name', 'subsystem', 'uevent'] True False",
        "/ True",
      ], "\(result.errors)")
  }

  @Test(
    "fchdir leaves a synthetic working directory only if the descriptor is of a directory",
    arguments: User.allCases)
  func leave(_ user: User) throws {
    let script = """
      import os
      folders = [os.open('/usr', os.O_RDONLY), os.open('/usr', os.O_PATH), os.open('/dev', os.O_RDONLY)]
      for folder in folders:
          os.chdir('/sys/class/i2c-dev')
          for other in (os.open('/dev/null', os.O_RDONLY), 99):
              try: os.fchdir(other)
              except OSError as error: print(error.strerror, os.getcwd())
          os.fchdir(folder); print(os.getcwd(), os.path.exists('bin'), os.path.exists('i2c-1/name'))
      """
    let result = try VirtualBusBench.exec(["/usr/bin/python3", "-c", script], as: user)
    let stays = ["Not a directory", "Bad file descriptor"].map { "\($0) /sys/class/i2c-dev" }
    let left = ["/usr True False", "/usr True False", "/dev False False"]
    #expect(result.outputLines == left.flatMap { stays + [$0] }, "\(result.errors)")
  }

  @Test("in a synthetic working directory, calls that are not intercepted fail with ENOENT")
  func astray() throws {
    let script = """
      import ctypes, errno, os, platform, tempfile
      libc = ctypes.CDLL(None, use_errno=True)
      numbers = {'pivot_root': (155, 41), 'execveat': (322, 281), 'open_tree': (428, 428), 'move_mount': (429, 429),
                 'fspick': (433, 433), 'mount_setattr': (442, 442)}
      def say(name, *arguments):
          ctypes.set_errno(0)
          if name in numbers:
              done = libc.syscall(numbers[name][platform.machine() == 'aarch64'], *arguments)
          else: done = getattr(libc, name)(*arguments)
          print(name, errno.errorcode[ctypes.get_errno()] if done < 0 else 'done')
      def others(here, path):
          say('swapoff', path)
          say('quotactl', 0x80000100, path, 0, None)
          say('pivot_root', path, path)
          say('execveat', here, path, None, None, 0)
          say('fanotify_mark', libc.fanotify_init(0, 0), 1, ctypes.c_uint64(32), here, path)
          say('open_tree', here, path, 0)
          say('move_mount', here, path, here, path, 0)
          say('fspick', here, path, 0)
          say('mount_setattr', here, path, 0, bytes(32), 32)
      with tempfile.TemporaryDirectory() as old:
          os.mkdir(old + '/relative')
          with open(old + '/program', 'w') as program: program.write('#!/bin/sh\\necho ran')
          os.chmod(old + '/program', 0o755)
          here, path = -100, b'relative'
          os.chdir(old); others(here, path)
          os.chdir('/sys/class/i2c-dev'); others(here, path)
          say('inotify_add_watch', libc.inotify_init(), path, 0x100)
          say('name_to_handle_at', here, path, ctypes.create_string_buffer(b'\\x80', 200), ctypes.byref(ctypes.c_int()), 0)
          say('mount', b'none', path, b'tmpfs', 0, None)
          say('mount', path, old.encode(), None, 4096, None)
          say('umount2', path, 0)
          say('swapon', path, 0)
          say('acct', path)
          try: os.execv('./program', ['program'])
          except OSError as error: print('execv', errno.errorcode[error.errno])
          say('inotify_add_watch', libc.inotify_init(), old.encode(), 0x100)
          say('chroot', b'.')
          say('chroot', b'relative')
          os.chdir('/')
      """
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/unshare"),
      (geteuid() == 0 ? ["--mount"] : ["--mount", "--map-root-user"])
        + [CommandLineTool.path.path, "exec", "--", "/usr/bin/python3", "-c", script])
    let others = [
      "swapoff", "quotactl", "pivot_root", "execveat", "fanotify_mark", "open_tree", "move_mount",
      "fspick", "mount_setattr",
    ]
    // The kernel answers for the directory itself, as for any directory.
    let native = result.outputLines.prefix(others.count)
    #expect(native.count == others.count && native.allSatisfy { !$0.hasSuffix("ENOENT") })
    let refused =
      others + [
        "inotify_add_watch", "name_to_handle_at", "mount", "mount", "umount2", "swapon", "acct",
        "execv",
      ]
    #expect(
      Array(result.outputLines.dropFirst(others.count)) == refused.map { "\($0) ENOENT" } + [
        "inotify_add_watch done", "chroot ENOENT", "chroot ENOENT",
      ], "\(result.errors)")
  }

  @Test("udevadm and pyudev enumerate the bus", arguments: User.allCases)
  func udev(_ user: User) throws {
    let script = """
      import pyudev
      context = pyudev.Context()
      for device in context.list_devices(subsystem='i2c-dev'):
          print(device.device_node, device.sys_path, device.parent.sys_name, device.parent.subsystem)
      for device in context.list_devices(subsystem='i2c'):
          print(device.sys_name, device.attributes.get('name').decode())
      print(pyudev.Devices.from_device_file(context, '/dev/i2c-1').device_number)
      """
    let python = try VirtualBusBench.exec(
      ["/usr/bin/python3", "-c", script], as: user,
      environment: ["PYTHONPATH": "\(VirtualBusBench.peers)/drivers/pyudev"])
    let device = "/sys/devices/platform/aneroid.i2c/i2c-1"
    #expect(
      python.outputLines == [
        "/dev/i2c-1 \(device)/i2c-dev/i2c-1 i2c-1 i2c", "i2c-1 aneroid built-in bus 1", "22785",
      ], "\(python.errors)")
    let info = try VirtualBusBench.exec(["udevadm", "info", "/dev/i2c-1"], as: user)
    for line in ["N: i2c-1", "D: c 89:1", "E: SUBSYSTEM=i2c-dev", "E: DEVNAME=/dev/i2c-1"] {
      #expect(info.outputLines.contains(line), "\(info.output)\(info.errors)")
    }
    let all = try VirtualBusBench.exec(["udevadm", "info", "--export-db"], as: user)
    #expect(all.status == 0 && all.output.contains("P: \(device.dropFirst(4))/i2c-dev/i2c-1"))
  }
}
