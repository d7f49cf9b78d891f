import CInterposer
import Glibc
import I2C
import Interposer
import Testing

/// Resolution of client paths, and the pre-filter.
struct ClientPathTests {
  static let tree = SyntheticTree([
    InterposedBus(number: 1, name: "bus", node: I2CDeviceNode(adapter: Silent()))
  ])

  /// An adapter without devices.
  final class Silent: I2CAdapter {
    let functionality = I2CFunctionality.standard
    let quirks = I2CQuirks.none

    func transfer(
      _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
    ) throws(I2CError) {}
  }

  private static let device = "/sys/devices/platform/aneroid.i2c/i2c-1/i2c-dev/i2c-1"

  @Test(
    "a path resolves as in the kernel",
    arguments: [
      ("/dev/i2c-1", .entry("/dev/i2c-1", .device(1))),
      ("/dev//./i2c-1", .entry("/dev/i2c-1", .device(1))),
      ("/a/../dev/i2c-1", .entry("/dev/i2c-1", .device(1))),
      ("/../dev/i2c-1", .entry("/dev/i2c-1", .device(1))),
      ("/dev/i2c-1/", .failure(ENOTDIR)), ("/dev/i2c-1/..", .failure(ENOTDIR)),
      ("/dev/i2c-2", .machine("/dev/i2c-2")), ("/dev", .machine("/dev")), ("/", .machine("/")),
      ("/tmp/dev/i2c-1", .machine("/tmp/dev/i2c-1")),
      ("/sys/class/i2c-dev/missing", .free("/sys/class/i2c-dev/missing")),
      ("/sys/class/i2c-dev/missing/x", .failure(ENOENT)),
      ("/sys/class/i2c-dev/..", .entry("/sys/class", .folder(isShared: true))),
      ("/sys/class/i2c-dev/../net", .beyond("/sys/class/net")),
      ("/sys/class/i2c-dev/../../../etc/passwd", .beyond("/etc/passwd")),
      ("/sys/class/i2c-dev/i2c-1", .entry(device, .folder(isShared: false))),
      ("/sys/dev/char/89:1/dev", .entry(device + "/dev", .file(Array("89:1\n".utf8)))),
      ("/sys/class/i2c-dev/i2c-1/subsystem/i2c-1/", .entry(device, .folder(isShared: false))),
    ] as [(String, SyntheticTree.Resolution)])
  func places(_ path: String, _ resolution: SyntheticTree.Resolution) {
    #expect(Self.tree.resolve(path) == resolution)
  }

  @Test(
    "a device bound to a kernel driver is listed in /sys under its own name, or as 'dummy' if it has none"
  )
  func boundParts() {
    let node = I2CDeviceNode(adapter: Silent(), boundAddresses: [0x40, 0x41])
    let tree = SyntheticTree([
      InterposedBus(number: 1, name: "bus", node: node, boundNames: [0x40: "sht21"])
    ])
    let bus = "/sys/devices/platform/aneroid.i2c/i2c-1"
    #expect(tree["\(bus)/1-0040/name"] == .file(Array("sht21\n".utf8)))
    #expect(tree["\(bus)/1-0040/modalias"] == .file(Array("i2c:sht21\n".utf8)))
    #expect(tree["\(bus)/1-0041/name"] == .file(Array("dummy\n".utf8)))
  }

  @Test("a symbolic link at the end of a path is followed only on request, and a loop gives ELOOP")
  func links() {
    var tree = Self.tree
    let link = tree.resolve("/sys/dev/char/89:1", follows: false)
    guard case .entry("/sys/dev/char/89:1", .link) = link else {
      Issue.record("\(link)")
      return
    }
    tree.add("/sys/bus/i2c/a", .link("b"))
    tree.add("/sys/bus/i2c/b", .link("a"))
    #expect(tree.resolve("/sys/bus/i2c/a") == .failure(ELOOP))
  }

  @Test("a relative path starts at the caller's directory or descriptor")
  func relative() throws {
    let directory = open("/dev", O_RDONLY | O_DIRECTORY)
    defer { close(directory) }
    let path = try #require(
      ClientPath(Array("./i2c-1".utf8)) { ClientPath.path(of: directory, getpid()) })
    #expect(Self.tree.resolve(path.text) == .entry("/dev/i2c-1", .device(1)))
    let here = ClientPath(Array("x".utf8)) { ClientPath.path(of: AT_FDCWD, getpid()) }
    #expect(try #require(here).text.hasSuffix("/x"))
    #expect(ClientPath([0xFF]) { "/" } == nil)
    #expect(ClientPath([]) { "/" } == nil)
    #expect(ClientPath(Array("x".utf8)) { ClientPath.path(of: 9999, getpid()) } == nil)
  }

  @Test(
    "only a path of the form /dev/i2c-N names a device node",
    arguments: [
      ("/dev/i2c-0", 0), ("/dev/i2c-255", 255), ("/dev/i2c-01", nil), ("/dev/i2c-", nil),
      ("/dev/i2c-1x", nil), ("/dev/i2c/1", nil), ("/dev/i2c-9999", nil), ("/tmp/dev/i2c-1", nil),
    ] as [(String, Int?)])
  func node(_ path: String, _ number: Int?) {
    #expect(ClientPath.deviceNumber(path) == number)
  }

  @Test("the pre-filter checks paths that may be synthetic and passes all others")
  func interest() {
    var prefilter = interposer_prefilter()
    prefilter.first_number = 64
    func matters(_ path: String, _ directory: Int32 = AT_FDCWD) -> Bool {
      interposer_is_relevant_path(&prefilter, directory, path, path.utf8.count)
    }
    let others = [
      "/usr/lib/libc.so.6", "/dev/null", "/etc/passwd", ".", "", "a", "/dev", "/dev/fd/3",
    ]
    for path in ["/dev/i2c-1", "i2c-1", "/sys/bus/i2c/devices", "89:1", "/sys/dev/char/89:1"] {
      #expect(matters(path), "\(path)")
    }
    for path in others { #expect(!matters(path), "\(path)") }
    prefilter.has_sockets = true
    #expect(matters("", 3) && matters("..", 64) && !matters("..", 3) && matters("/dev/fd/3"))
    prefilter.has_folders = true
    #expect(matters("..") && matters("a") && !matters("/a"))
  }
}
