import Foundation
import TestSupport
import Testing

/// Calls that change files, on nodes: the results are those of Linux for a device, and the machine is unchanged.
struct ExecChangeTests {
  private static let calls = Fixtures.root.appending(path: "Tests/Peers/node_calls.py").path
  private static let otherUser = [
    "/usr/bin/setpriv", "--reuid=51789", "--regid=51789", "--clear-groups", "--no-new-privs",
  ]

  /// The script in a file that every user can read.
  private static func script() throws -> String {
    let text = try String(contentsOfFile: calls, encoding: .utf8)
    let copy = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).py").path
    try text.write(toFile: copy, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy)
    return copy
  }

  private static func names(in folder: String) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder))
  }

  @Test(
    "54 calls by root on a node return what Linux returns for a device, and leave /dev unchanged")
  func root() throws {
    guard geteuid() == 0 else { return try stranger() }
    let script = try Self.script()
    defer { try? FileManager.default.removeItem(atPath: script) }
    let before = try Self.names(in: "/dev")
    // A device of the test in its own file system.
    let linux = try CommandLineTool.run(
      URL(filePath: "/usr/bin/unshare"),
      [
        "--mount", "/bin/sh", "-c",
        "mount -t tmpfs none /mnt && mknod -m 660 /mnt/null c 1 3 && "
          + "exec /usr/bin/python3 \(script) /mnt/null \(script)-elsewhere",
      ])
    try #require(linux.outputLines.count == 54, "\(linux.errors)")
    let ours = try VirtualBusBench.exec(
      ["/usr/bin/python3", script, "/dev/i2c-1", "\(script)-elsewhere"])
    #expect(ours.outputLines == linux.outputLines, "\(ours.errors)")
    #expect(try Self.names(in: "/dev").subtracting(before).filter { $0.contains("i2c") } == [])
  }

  @Test("calls by another user on a node return what Linux returns for /dev/null")
  func stranger() throws {
    let script = try Self.script()
    defer { try? FileManager.default.removeItem(atPath: script) }
    let (prefix, linux) =
      geteuid() == 0 ? (Self.otherUser, Self.otherUser) : ([], ["/usr/bin/env"])
    let native = try CommandLineTool.run(
      URL(filePath: linux[0]),
      Array(linux.dropFirst())
        + ["/usr/bin/python3", script, "/dev/null", "\(script)-elsewhere"])
    try #require(native.outputLines.count == 54, "\(native.errors)")
    guard geteuid() == 0 else { return }
    let ours = try VirtualBusBench.exec(
      prefix + ["/usr/bin/python3", script, "/dev/i2c-1", "\(script)-elsewhere"])
    #expect(ours.outputLines == native.outputLines, "\(ours.errors)")
  }

  @Test(
    "root cannot create a file with a node's name on the machine",
    arguments: [
      "mknod /dev/i2c-7 c 89 7", "mkdir /dev/i2c-7", "ln -s /dev/null /dev/i2c-7",
      ": > /dev/i2c-7", "cp /dev/null /dev/i2c-7", "cd /dev && : > i2c-7",
      "mv /dev/i2c-1 /dev/i2c-7", "mv /dev/i2c-1 /dev/aneroid-moved",
      "rm /dev/i2c-1; : > /dev/i2c-1",
      "rm /dev/i2c-1; mkdir /dev/i2c-1", "touch /dev/i2c-7", "mkfifo /dev/i2c-7",
      "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un(\"/dev/i2c-7\")) or die'",
    ])
  func reserved(_ script: String) throws {
    for options in [[], ["--fast"]] as [[String]] {
      let result = try VirtualBusBench.shell(script, options: options)
      let made = ["i2c-7", "i2c-1", "aneroid-moved"].filter {
        FileManager.default.fileExists(atPath: "/dev/\($0)")
      }
      for name in made { try? FileManager.default.removeItem(atPath: "/dev/\(name)") }
      #expect(made == [], "\(options)")
      #expect(result.status != 0, "\(options) \(result.output) \(result.errors)")
    }
  }

  @Test("a node made private with chmod stays private, and a removed node disappears from listings")
  func effects() throws {
    guard geteuid() == 0 else { return }
    let otherUser = Self.otherUser.joined(separator: " ")
    let script = """
      chmod 600 /dev/i2c-1; \(otherUser) test -r /dev/i2c-1 || echo private
      \(otherUser) i2cget -y 1 0x76 0xd0 2>&1 | grep -o 'Permission denied'
      i2cget -y 1 0x76 0xd0
      chown 51789 /dev/i2c-1; \(otherUser) i2cget -y 1 0x76 0xd0
      rm /dev/i2c-1; ls /dev | grep -c i2c-1; test -e /dev/i2c-1 || echo gone
      mknod -m 666 /dev/i2c-1 c 89 1; \(otherUser) i2cget -y 1 0x76 0xd0
      """
    let result = try VirtualBusBench.shell(script)
    #expect(
      result.outputLines == ["private", "Permission denied", "0x60", "0x60", "0", "gone", "0x60"],
      "\(result.errors)")
  }
}
