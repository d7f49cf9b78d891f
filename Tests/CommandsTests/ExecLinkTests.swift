import Foundation
import TestSupport
import Testing

/// Symbolic links on the machine to nodes, which do not exist there.
struct ExecLinkTests {
  /// Runs a program in an empty directory that every user may use.
  private func run(
    _ program: (String) -> [String], as user: VirtualBusBench.User = .asIs
  ) throws -> CommandLineTool.Result {
    let folder = "/tmp/aneroid-links-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o777])
    chmod(folder, 0o777)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try VirtualBusBench.exec(program(folder), as: user)
  }

  private static let links = Fixtures.root.appending(path: "Tests/Peers/links.py").path

  @Test(
    "a link to a node is followed as Linux follows links",
    arguments: VirtualBusBench.User.allCases)
  func followed(_ user: VirtualBusBench.User) throws {
    let result = try run({ ["/usr/bin/python3", Self.links, $0] }, as: user)
    let names = [
      "bus", "FOLDER/bus", "second", "third", "by-id/bme280", "devices/i2c-1", "round",
      "./i2c-alias",
    ]
    #expect(
      result.outputLines == names.map { "\($0) 60" } + [
        "60 60", "True /dev/i2c-1 /dev/i2c-1", "bus ELOOP", "bus EEXIST", "bus/ ENOTDIR",
        "none ENOENT", "none ENOENT", "a ELOOP", "True False ENOENT",
      ], "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: "/dev/i2c-9"))
  }

  @Test("a link in a sandbox is resolved in that sandbox")
  func jail() throws {
    let result = try run {
      [
        "bwrap", "--ro-bind", "/", "/", "--bind", $0, "/tmp", "--symlink", "/dev/i2c-1", "/tmp/bus",
        "/usr/bin/python3", "-c",
        "import os, stat; print(stat.S_ISCHR(os.stat('/tmp/bus').st_mode), os.readlink('/tmp/bus'))",
      ]
    }
    #expect(result.output == "True /dev/i2c-1\n", "\(result.errors)")
  }

  @Test("a FUSE file system that never answers does not block other calls")
  func servedByClient() throws {
    // A file system whose server never answers: a lookup of a link in it would block forever.
    let script = """
      import ctypes, os, sys, time
      libc = ctypes.CDLL(None, use_errno=True)
      device = os.open('/dev/fuse', os.O_RDWR)
      options = b'fd=%d,rootmode=40000,user_id=0,group_id=0' % device
      if libc.mount(b'deaf', sys.argv[1].encode(), b'fuse.deaf', 0, options) < 0:
          sys.exit(os.strerror(ctypes.get_errno()))
      parent, name = os.path.split(sys.argv[1]); os.chdir(parent); children = []
      for path in [sys.argv[1] + '/bus', name + '/bus', name]:
          children.append(os.fork())
          if children[-1] == 0: os.stat(path)
      time.sleep(0.3); print(os.path.exists('/dev/i2c-1'), flush=True)
      for child in children: os.kill(child, 9)
      """
    let result = try run {
      [
        "unshare", "--mount", "--map-root-user", "timeout", "-s", "KILL", "10", "/usr/bin/python3",
        "-c", script, $0,
      ]
    }
    #expect(result.output == "True\n", "\(result.errors)")
  }
}
