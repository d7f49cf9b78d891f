import Glibc
import Testing

@testable import Interposer

/// What a client's path names.
struct ClientPathTests {
  @Test(
    "a path is made absolute without looking at files",
    arguments: [
      ("/dev/i2c-1", "/dev/i2c-1"), ("/dev//./i2c-1/", "/dev/i2c-1"),
      ("/a/../dev/i2c-1", "/dev/i2c-1"),
      ("/../../dev", "/dev"), ("/", "/"), ("/dev/..", "/"),
    ])
  func absolute(_ path: String, _ text: String) {
    #expect(ClientPath(Array(path.utf8), relativeTo: AT_FDCWD, of: getpid())?.text == text)
  }

  @Test("a relative path begins at the caller's directory or descriptor")
  func relative() throws {
    let directory = open("/dev", O_RDONLY | O_DIRECTORY)
    defer { close(directory) }
    let path = try #require(
      ClientPath(Array("./i2c-3".utf8), relativeTo: directory, of: getpid()))
    #expect(path.deviceNumber == 3)
    let here = try #require(ClientPath(Array("x".utf8), relativeTo: AT_FDCWD, of: getpid()))
    #expect(here.text.hasSuffix("/x"))
    #expect(ClientPath([0xFF], relativeTo: AT_FDCWD, of: getpid()) == nil)
    #expect(ClientPath(Array("x".utf8), relativeTo: 9999, of: getpid()) == nil)
  }

  @Test(
    "only /dev/i2c-N is a node",
    arguments: [
      ("/dev/i2c-0", 0), ("/dev/i2c-255", 255), ("/dev/i2c-01", nil), ("/dev/i2c-", nil),
      ("/dev/i2c-1x", nil), ("/dev/i2c/1", nil), ("/dev/i2c-9999", nil), ("/tmp/dev/i2c-1", nil),
    ] as [(String, Int?)])
  func node(_ path: String, _ number: Int?) throws {
    let path = try #require(ClientPath(Array(path.utf8), relativeTo: AT_FDCWD, of: getpid()))
    #expect(path.deviceNumber == number)
  }

  @Test("paths that can be ours are looked at, the others pass at once")
  func interest() {
    func matters(_ path: String, _ opensDirectory: Bool = false) -> Bool {
      ClientPath.mayMatter(Array(path.utf8), opensDirectory: opensDirectory)
    }
    for path in [
      "/dev", "/dev/", "dev", "/dev/i2c-1", "i2c-1", "/sys/class", "/sys/bus/i2c/devices",
    ] {
      #expect(matters(path), "\(path)")
    }
    for path in ["/usr/lib/libc.so.6", "/dev/null", "/etc/passwd", ".", "", "a"] {
      #expect(!matters(path), "\(path)")
    }
    #expect(matters(".", true))
  }
}
