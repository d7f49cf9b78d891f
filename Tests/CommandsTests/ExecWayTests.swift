import Foundation
import TestSupport
import Testing

/// Indirect paths to /dev: nothing is created through any of them.
struct ExecWayTests {
  /// Runs a program with its own /dev, which it may modify, and reports afterwards whether it did.
  private static let jail = """
    mount -t tmpfs none /mnt || exit 9
    for f in null zero full random urandom tty fuse; do cp -a /dev/$f /mnt/ || exit 9; done
    ln -s /proc/self/fd /mnt/fd; mkdir /mnt/shm
    mount --bind /mnt /dev && mount -t tmpfs none /usr/local || exit 9
    "$@"; status=$?
    ls /dev | grep i2c
    exit $status
    """

  @Test("openat2 accepts the flags, modes and RESOLVE flags that Linux accepts")
  func how() throws {
    let script = """
      import ctypes, errno, os, struct, tempfile
      libc = ctypes.CDLL(None, use_errno=True)
      def say(path, flags=os.O_RDWR, mode=0, ways=0, size=24, folder=-100):
          done = libc.syscall(437, folder, path, struct.pack('QQQ', flags, mode, ways), size)
          print(errno.errorcode[ctypes.get_errno()] if done < 0 else 'done', end=' ')
      node = b'/dev/i2c-1'; folder = os.open('/dev', os.O_RDONLY)
      say(node, mode=0o777); say(node, size=8); say(node, ways=0x40); say(node, ways=0x18); say(node, flags=1 << 40)
      say(node, ways=8); say(node); say(node, flags=os.O_RDWR | os.O_CREAT, mode=0o600); say(node, ways=4)
      say(b'i2c-1', ways=8, folder=folder); say(b'/sys/class/i2c-dev/i2c-1', flags=0, ways=4)
      with tempfile.TemporaryDirectory() as place:
          os.symlink('/dev/i2c-1', place + '/link')
          say((place + '/link').encode(), ways=4); say((place + '/link').encode())
      """
    let result = try VirtualBusBench.exec(["/usr/bin/python3", "-c", script])
    let answers = [
      "EINVAL", "EINVAL", "EINVAL", "EINVAL", "EINVAL", "EXDEV", "done", "done", "done", "done",
      "ELOOP", "ELOOP", "done",
    ]
    #expect(result.output == answers.map { $0 + " " }.joined(), "\(result.errors)")
  }

  @Test(
    "calls that create a name in /dev fail alike through links and /proc, and create nothing",
    arguments: [[], ["--fast"]] as [[String]])
  func made(_ options: [String]) throws {
    guard geteuid() == 0 else { return }
    let folder = "/tmp/aneroid-ways-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let script = Fixtures.root.appending(path: "Tests/Peers/ways_to_dev.py").path
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/unshare"),
      [
        "--mount", "/bin/sh", "-c", Self.jail, "sh", "/usr/bin/timeout", "-s", "KILL", "30",
        CommandLineTool.path.path, "exec",
      ] + options + ["--", "/usr/bin/python3", script, folder])
    #expect(
      result.outputLines == [
        "mknod i2c-1 EEXIST", "mknod i2c-4 EPERM", "mkdir i2c-1 EEXIST", "mkdir i2c-4 EPERM",
        "mkdir with a slash i2c-1 EEXIST", "mkdir with a slash i2c-4 EPERM",
        "symlink i2c-1 EEXIST", "symlink i2c-4 EPERM", "bind i2c-1 EADDRINUSE",
        "bind i2c-4 EACCES", "rename i2c-1 EPERM", "rename i2c-4 EPERM", "link i2c-1 EEXIST",
        "link i2c-4 EPERM", "open i2c-1 0", "open i2c-4 ENOENT", "open exclusively i2c-1 EEXIST",
        "open exclusively i2c-4 ENOENT", "open of a link ENOENT", "link /usr/local i2c-1 0",
        "link /usr/local i2c-4 ENOENT", "link /proc/self/root i2c-1 0",
        "link /proc/self/root i2c-4 ENOENT", "link /proc/PID/root/usr/local i2c-1 0",
        "link /proc/PID/root/usr/local i2c-4 ENOENT", "link here i2c-1 0",
        "link here i2c-4 ENOENT", "elsewhere 0 ['i2c-1']",
      ], "\(result.errors)")
  }
}
