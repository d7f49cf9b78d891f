import Foundation
import TestSupport
import Testing

/// Sandboxed clients: they see nodes and their files in /sys, and never a host file outside the sandbox.
struct ExecJailTests {
  typealias User = VirtualBusBench.User

  /// A client that tries to escape: it opens directories, walks up from them, and creates files.
  private static let burglar = """
    import os, sys
    root = '/dev', '/sys/class/i2c-dev', '/sys/class/i2c-dev/i2c-1', '/sys/bus/i2c', '/sys/class', '/sys'
    for folder in root:
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            continue
        for depth in range(1, 9):
            up = '/'.join(['..'] * depth)
            for name in sys.argv[1:]:
                for flags in (os.O_RDONLY, os.O_WRONLY | os.O_CREAT):
                    try:
                        os.open(up + name + ('' if flags == os.O_RDONLY else '-made'), flags, 0o600,
                                dir_fd=descriptor)
                        print('out by', folder, up, flags)
                    except OSError:
                        pass
            try:
                os.stat(up + sys.argv[1], dir_fd=descriptor)
                print('seen by', folder, up)
            except OSError:
                pass
    print('i2c-1' in os.listdir('/dev'), os.listdir('/sys/class/i2c-dev'))
    print(open('/sys/class/i2c-dev/i2c-1/name').read().strip())
    bus = os.open('/dev/i2c-1', os.O_RDWR)
    import fcntl
    fcntl.ioctl(bus, 0x0703, 0x76); os.write(bus, bytes([0xD0])); print(os.read(bus, 1).hex())
    """
  private static let found = ["True ['i2c-1']", "aneroid built-in bus 1", "60"]

  private static func withSecret(_ body: (String) throws -> Void) throws {
    let secret = "/var/tmp/aneroid-\(UUID().uuidString)"
    try "secret".write(toFile: secret, atomically: true, encoding: .utf8)
    defer {
      for path in [secret, secret + "-made"] { try? FileManager.default.removeItem(atPath: path) }
    }
    try body(secret)
    #expect(!FileManager.default.fileExists(atPath: secret + "-made"))
  }

  @Test("a program in a bwrap sandbox cannot escape from it", arguments: User.allCases)
  func bubblewrap(_ user: User) throws {
    try Self.withSecret { secret in
      let jail = [
        "/usr/bin/bwrap", "--unshare-all", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib",
        "/lib", "--symlink", "usr/lib64", "/lib64", "--symlink", "usr/bin", "/bin", "--dev", "/dev",
        "--proc", "/proc",
      ]
      let result = try VirtualBusBench.exec(
        jail + ["/usr/bin/python3", "-c", Self.burglar, secret], as: user)
      #expect(result.outputLines == Self.found, "\(result.errors)")
    }
  }

  @Test("a program in a chroot cannot escape from it, neither as root nor as another user")
  func changedRoot() throws {
    guard geteuid() == 0 else { return }
    let jail = "/var/tmp/aneroid-jail-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: jail) }
    for folder in ["dev", "usr", "lib", "lib64", "proc"] {
      try FileManager.default.createDirectory(
        atPath: "\(jail)/\(folder)", withIntermediateDirectories: true)
    }
    for user in ["0", "65534"] {
      try Self.withSecret { secret in
        let prepare = """
          for f in usr lib lib64; do mount --bind /$f \(jail)/$f; done
          exec "$@"
          """
        let result = try CommandLineTool.run(
          URL(filePath: "/usr/bin/unshare"),
          [
            "--mount", "/bin/sh", "-c", prepare, "sh", "/usr/bin/timeout", "-s", "KILL", "20",
            CommandLineTool.path.path, "exec", "--", "/usr/sbin/chroot",
            "--userspec=\(user):\(user)",
            jail, "/usr/bin/python3", "-c", Self.burglar, secret,
          ])
        #expect(result.outputLines == Self.found, "\(user): \(result.errors)")
      }
    }
  }

  @Test("synthetic files never exist on a disk, even if no temporary directory is writable")
  func noFolder() throws {
    let result = try VirtualBusBench.exec(
      [
        "/bin/sh", "-c",
        "i2cdetect -l; ls -l /proc/$(cut -d' ' -f4 /proc/$PPID/stat)/fd | grep -c /aneroid-",
      ],
      environment: ["TMPDIR": "/nonexistent"])
    #expect(
      result.outputLines == [
        "i2c-1\ti2c       \taneroid built-in bus 1          \tI2C adapter", "0",
      ], "\(result.errors)")
  }
}
