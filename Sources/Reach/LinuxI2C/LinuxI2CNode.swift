public import I2C
import Support

/// A /dev/i2c-N device node of this machine.
public struct LinuxI2CNode: Hashable, Sendable {
  /// N in /dev/i2c-N.
  public let number: Int
  /// The name of the adapter, if the kernel reports one.
  public let name: String?

  /// The path of the node.
  public var path: String { "/dev/i2c-\(number)" }

  /// Returns all nodes of this machine, sorted by number.
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

  /// Returns the path of an adapter that is given by its path or its name.
  ///
  /// - Throws: `LinuxI2CError` if no adapter, or more than one, has the name.
  public static func path(of adapter: String) throws(LinuxI2CError) -> String {
    guard !adapter.hasPrefix("/") else { return adapter }
    let nodes = all()
    let found = nodes.filter { $0.name == adapter }
    if found.count == 1 { return found[0].path }
    let known = nodes.map { "\($0.path) '\($0.name ?? "?")'" }.joined(separator: ", ")
    throw LinuxI2CError(
      path: adapter, operation: "not found", errno: .enodev,
      explanation: found.isEmpty
        ? "no adapter has this name; available: \(known.isEmpty ? "none" : known)"
        : "\(found.count) adapters have this name; use one of the paths: \(known)")
  }
}

/// An error about a /dev/i2c-N device node.
public struct LinuxI2CError: Error, Hashable, Sendable {
  /// The path of the node, or the adapter name that was searched for.
  public let path: String
  /// The operation that failed.
  public let operation: String
  /// The errno of the kernel.
  public let errno: I2CErrno
  /// The cause and the remedy.
  public let explanation: String
}

extension LinuxI2CError: CustomStringConvertible {
  /// The path, the operation and the cause.
  public var description: String { "\(path): \(operation): \(explanation)" }
}

extension I2CError {
  /// Creates the error for a failed transfer on hardware, without the failed byte, which the kernel does not report.
  init(kernel errno: Int32) {
    let kind: Kind =
      switch I2CErrno(rawValue: errno) {
      case .enxio, .eremoteio: .addressNack
      case .eagain: .arbitrationLost
      case .etimedout: .timeOut
      case .eopnotsupp: .unsupported
      case .einval: .invalid
      case .enodev: .noDevice
      default: .busError
      }
    self.init(kind, errno: I2CErrno(rawValue: errno))
  }
}
