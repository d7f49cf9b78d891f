import Files
import I2C
import Text

/// A /dev/i2c-N of this machine.
public struct LinuxI2CNode: Hashable, Sendable {
  /// N in /dev/i2c-N.
  public let number: Int
  /// The name of the adapter, if the kernel tells one.
  public let name: String?

  /// The path of the node.
  public var path: String { "/dev/i2c-\(number)" }

  /// All of this machine, by number.
  public static func all() -> [LinuxI2CNode] {
    (Folder.names(in: "/dev") ?? [])
      .compactMap { $0.hasPrefix("i2c-") ? Int($0.dropFirst(4)) : nil }
      .inOrder()
      .map { number in
        let file = "/sys/class/i2c-dev/i2c-\(number)/name"
        let text = try? TextFile.read(file)
        return LinuxI2CNode(number: number, name: text?.trimmedLines)
      }
  }

  /// The path of the adapter that a user means: a path, or the name of an adapter.
  ///
  /// - Throws: ``LinuxI2CError`` when no adapter, or more than one, has the name.
  public static func path(of adapter: String) throws(LinuxI2CError) -> String {
    guard !adapter.hasPrefix("/") else { return adapter }
    let nodes = all()
    let found = nodes.filter { $0.name == adapter }
    if found.count == 1 { return found[0].path }
    let known = nodes.map { "\($0.path) '\($0.name ?? "?")'" }.joined(separator: ", ")
    throw LinuxI2CError(
      path: adapter, operation: "looked for", errno: .enodev,
      explanation: found.isEmpty
        ? "no adapter has this name; there are: \(known.isEmpty ? "none" : known)"
        : "\(found.count) adapters have this name; say /dev/i2c-N: \(known)")
  }
}
