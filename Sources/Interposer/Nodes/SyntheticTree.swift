import Foundation
import I2C

/// The files of /sys that tell a program which buses there are, made in a folder of their own when
/// somebody first asks for one.
///
/// What stands below `/sys/class/i2c-dev` and `/sys/bus/i2c` for a client lies there in truth.
final class SyntheticTree {
  /// A name that a directory has for a client beyond those that it has.
  struct Addition: Hashable {
    let name: String
    let isDevice: Bool
  }

  /// The folder.
  let root: String
  private let buses: [InterposedBus]
  private var isMade = false
  private let additions: [String: [Addition]]

  private static let places = ["/sys/class/i2c-dev", "/sys/class/i2c-adapter", "/sys/bus/i2c"]

  /// Prepares the files for some buses.
  init(_ buses: [InterposedBus]) {
    self.buses = buses
    let temporary = FileManager.default.temporaryDirectory
    root = temporary.appending(path: "aneroid-\(getpid())-\(UUID().uuidString.prefix(8))").path
    additions = [
      "/dev": buses.map { Addition(name: "i2c-\($0.number)", isDevice: true) },
      "/sys/class": ["i2c-adapter", "i2c-dev"].map { Addition(name: $0, isDevice: false) },
      "/sys/bus": [Addition(name: "i2c", isDevice: false)],
    ]
  }

  deinit { if isMade { try? FileManager.default.removeItem(atPath: root) } }

  /// Makes the files; where that is not possible there are none.
  private func make() {
    guard !isMade else { return }
    isMade = true
    for bus in buses { try? add(bus) }
  }

  private func add(_ bus: InterposedBus) throws {
    let node = "i2c-\(bus.number)"
    try write(bus.name + "\n", "/sys/class/i2c-dev/\(node)/name")
    try write("89:\(bus.number)\n", "/sys/class/i2c-dev/\(node)/dev")
    try write(
      "MAJOR=89\nMINOR=\(bus.number)\nDEVNAME=\(node)\n", "/sys/class/i2c-dev/\(node)/uevent")
    try write(bus.name + "\n", "/sys/class/i2c-dev/\(node)/device/name")
    try write(bus.name + "\n", "/sys/class/i2c-adapter/\(node)/name")
    try write(bus.name + "\n", "/sys/bus/i2c/devices/\(node)/name")
    for address in bus.node.boundAddresses {
      let digits = String(address.rawValue, radix: 16)
      let padded = String(repeating: "0", count: 4 - digits.count) + digits
      try write("bme280\n", "/sys/bus/i2c/devices/\(bus.number)-\(padded)/name")
    }
  }

  private func write(_ text: String, _ path: String) throws {
    let url = URL(filePath: root + path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  /// Where a path of a client lies in truth, or nothing if it is not made up.
  func location(of path: ClientPath) -> String? {
    for place in Self.places where path.text == place || path.text.hasPrefix(place + "/") {
      make()
      return root + path.text
    }
    return nil
  }

  /// What a directory has for a client beyond what it has, but for names that it has anyway.
  func additions(to path: ClientPath) -> [Addition]? {
    additions[path.text].map { list in
      list.filter { !FileManager.default.fileExists(atPath: path.text + "/" + $0.name) }
    }
  }
}
