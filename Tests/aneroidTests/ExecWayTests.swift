import Foundation
import TestSupport
import Testing

/// Ways to /dev that its name does not tell: nothing is made there by any of them.
struct ExecWayTests {
  /// Shows a program a /dev of its own, which it may spoil, and tells afterwards whether it did.
  private static let jail = """
    mount -t tmpfs none /mnt || exit 9
    for f in null zero full random urandom tty fuse; do cp -a /dev/$f /mnt/ || exit 9; done
    ln -s /proc/self/fd /mnt/fd; mkdir /mnt/shm
    mount --bind /mnt /dev || exit 9
    "$@"; status=$?
    ls /dev | grep i2c
    exit $status
    """

  @Test(
    "calls that make a name say by links and by /proc what they say by /dev, and make nothing",
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
        "open exclusively i2c-4 ENOENT", "open of a link ENOENT", "elsewhere 0 ['i2c-1']",
      ], "\(result.errors)")
  }
}
