import CInterposer
import Glibc
import I2C
import Support

/// The synthetic files, directories, links and nodes shown to clients.
///
/// They exist in memory only, so that a client that walks them never reaches a host file.
package struct SyntheticTree {
  /// An entry of the tree.
  package enum Entry: Hashable {
    /// A read-only file.
    case file([UInt8])
    case link(String)
    /// A directory; a shared one also exists on the host, with more entries than those added here.
    case folder(isShared: Bool)
    /// An I2C node, by bus number.
    case device(Int)
  }

  /// The result of resolving a path.
  package enum Resolution: Hashable {
    /// A synthetic entry.
    case entry(String, Entry)
    /// An unused name in a synthetic directory.
    case free(String)
    /// The resolution fails with an errno.
    case failure(Int32)
    /// A host path that the kernel resolves by itself.
    case machine(String)
    /// A host path reached through synthetic directories or links, which the kernel cannot follow.
    case beyond(String)
  }

  private var entries: [String: Entry] = ["/": .folder(isShared: true)]
  private var names: [String: [String]] = [:]
  /// The directories whose names are sorted.
  private var sorted: Set<String> = []

  /// Adds an entry and its missing parent directories; with `isShared`, these directories also exist on the host.
  package mutating func add(_ path: String, _ entry: Entry, isShared: Bool = false) {
    if entries.updateValue(entry, forKey: path) != nil { return }
    let (folder, name) = Self.split(path)
    names[folder, default: []].append(name)
    sorted.remove(folder)
    if entries[folder] == nil { add(folder, .folder(isShared: isShared), isShared: isShared) }
  }

  /// Removes an entry without children.
  mutating func remove(_ path: String) {
    let (folder, name) = Self.split(path)
    entries[path] = nil
    names[folder]?.removeAll { $0 == name }
  }

  /// Removes a directory with everything in it.
  mutating func removeAll(in folder: String) {
    for name in names[folder] ?? [] { removeAll(in: "\(folder)/\(name)") }
    names[folder] = nil
    remove(folder)
  }

  /// Returns the entry at an absolute, normalized path.
  package subscript(_ path: String) -> Entry? { entries[path] }

  /// Returns the sorted names in a directory.
  mutating func names(in folder: String) -> [String] {
    if sorted.insert(folder).inserted { names[folder]?.sort() }
    return names[folder] ?? []
  }

  /// Returns the entry with a name in a directory.
  func entry(_ name: String, in folder: String) -> Entry? {
    entries[folder == "/" ? "/" + name : "\(folder)/\(name)"]
  }

  /// The maximum number of links in a path, as in the kernel.
  private static let linkLimit = 40

  /// Resolves a path as the kernel does: component by component, following links.
  ///
  /// - Parameters:
  ///   - text: an absolute path.
  ///   - follows: `true` to follow a link at the end.
  /// - Returns: the result.
  package func resolve(_ text: String, follows: Bool = true) -> Resolution {
    var rest = Array(text.split(separator: "/", omittingEmptySubsequences: false).dropFirst())[...]
    var components: [Substring] = []
    var (links, isSynthetic) = (0, false)
    while let part = rest.popFirst() {
      if part == "" || part == "." { continue }
      if part == ".." {
        _ = components.popLast()
        continue
      }
      let folder = Self.path(components)
      components.append(part)
      let path = Self.path(components)
      switch entries[path] {
      case .folder(let isShared): isSynthetic = isSynthetic || !isShared
      case .link(let target):
        isSynthetic = true
        guard follows || !rest.isEmpty else { return .entry(path, .link(target)) }
        links += 1
        guard links <= Self.linkLimit else { return .failure(Errno.loop) }
        components = target.hasPrefix("/") ? [] : Array(components.dropLast())
        rest = target.split(separator: "/")[...] + rest
      case .some(let entry): return rest.isEmpty ? .entry(path, entry) : .failure(Errno.notFolder)
      case nil:
        guard entries[folder] == .folder(isShared: false) else { continue }
        return rest.allSatisfy(\.isEmpty) ? .free(path) : .failure(Errno.missing)
      }
    }
    let path = Self.path(components)
    guard let entry = entries[path] else { return isSynthetic ? .beyond(path) : .machine(path) }
    return isSynthetic ? .entry(path, entry) : .machine(path)
  }

  private static func path(_ parts: [Substring]) -> String {
    parts.isEmpty ? "/" : "/" + parts.joined(separator: "/")
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return ("/", path) }
    let folder = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
  }

  /// Errno values of Linux.
  private enum Errno {
    static let missing: Int32 = 2
    static let notFolder: Int32 = 20
    static let loop: Int32 = 40
  }
}

extension SyntheticTree {
  /// The parent device of all buses.
  private static let parent = "/sys/devices/platform/aneroid.i2c"

  /// Creates a tree with the entries that Linux has for adapters with i2c-dev: nodes in /dev, devices in /sys and the
  /// links between them.
  package init(_ buses: [InterposedBus]) {
    self.init()
    for folder in [
      "/dev", "/sys/class", "/sys/bus", "/sys/dev/char", "/sys/devices/platform",
    ] {
      add(folder, .folder(isShared: true), isShared: true)
    }
    add("\(Self.parent)/uevent", .file(Array("MODALIAS=platform:aneroid.i2c\n".utf8)))
    for folder in ["/sys/class/i2c-dev", "/sys/class/i2c-adapter", "/sys/bus/i2c/drivers"] {
      add(folder, .folder(isShared: false))
    }
    for bus in buses { add(bus) }
  }

  /// Removes the entries of a bus.
  mutating func remove(_ bus: InterposedBus) {
    let node = "i2c-\(bus.number)"
    removeAll(in: Self.adapter(bus))
    for folder in ["/dev", "/sys/bus/i2c/devices", "/sys/class/i2c-adapter", "/sys/class/i2c-dev"] {
      remove("\(folder)/\(node)")
    }
    remove("/sys/dev/char/89:\(bus.number)")
    for address in bus.node.boundAddresses {
      remove("/sys/bus/i2c/devices/\(Self.name(of: address, on: bus))")
    }
  }

  /// The directory of an adapter.
  private static func adapter(_ bus: InterposedBus) -> String { "\(parent)/i2c-\(bus.number)" }

  /// The kernel's name of a bound device, such as `1-0076`.
  private static func name(of address: I2CAddress, on bus: InterposedBus) -> String {
    "\(bus.number)-" + Hexadecimal.digits(address.rawValue, 4)
  }

  /// Adds the entries of a bus.
  mutating func add(_ bus: InterposedBus) {
    let node = "i2c-\(bus.number)"
    let adapter = Self.adapter(bus)
    let device = "\(adapter)/i2c-dev/\(node)"
    add("/dev/\(node)", .device(bus.number))

    write(bus.name + "\n", "\(adapter)/name")
    write("", "\(adapter)/uevent")
    add("\(adapter)/subsystem", .link("../../../../bus/i2c"))
    add("\(adapter)/device", .link("../../aneroid.i2c"))
    add("/sys/bus/i2c/devices/\(node)", .link("../../../devices/platform/aneroid.i2c/\(node)"))
    add("/sys/class/i2c-adapter/\(node)", .link("../../devices/platform/aneroid.i2c/\(node)"))

    write(bus.name + "\n", "\(device)/name")
    write("89:\(bus.number)\n", "\(device)/dev")
    write("MAJOR=89\nMINOR=\(bus.number)\nDEVNAME=\(node)\n", "\(device)/uevent")
    add("\(device)/subsystem", .link("../../../../../../class/i2c-dev"))
    add("\(device)/device", .link("../../../\(node)"))
    let target = "devices/platform/aneroid.i2c/\(node)/i2c-dev/\(node)"
    add("/sys/class/i2c-dev/\(node)", .link("../../\(target)"))
    add("/sys/dev/char/89:\(bus.number)", .link("../../\(target)"))

    for address in bus.node.boundAddresses {
      let name = Self.name(of: address, on: bus)
      let part = bus.boundNames[address] ?? "dummy"
      write("\(part)\n", "\(adapter)/\(name)/name")
      write("i2c:\(part)\n", "\(adapter)/\(name)/modalias")
      write("MODALIAS=i2c:\(part)\n", "\(adapter)/\(name)/uevent")
      add("\(adapter)/\(name)/subsystem", .link("../../../../../bus/i2c"))
      add(
        "/sys/bus/i2c/devices/\(name)",
        .link("../../../devices/platform/aneroid.i2c/\(node)/\(name)"))
    }
  }

  mutating func write(_ text: String, _ path: String) { add(path, .file(Array(text.utf8))) }
}

/// The contents of synthetic files, each in one memfd, so that `stat` and `open` return the same inode and size, as
/// `cp` requires.
final class SyntheticFiles {
  private var files: [String: Int32] = [:]
  private var paths: [String] = []
  private var oldest = 0

  /// The maximum number of cached files; a client that calls `stat` on more files than this before it opens the first
  /// one sees a different inode.
  private static let limit = 128

  deinit { for file in files.values { close(file) } }

  /// Returns the descriptor of a file, which stays owned by this object, or -errno.
  func file(at path: String, _ bytes: [UInt8]) -> Int32 {
    if let file = files[path] { return file }
    let file = interposer_memory_file(bytes, bytes.count, 0o444)
    guard file >= 0 else { return file }
    if paths.count < Self.limit {
      paths.append(path)
    } else {
      if let old = files.removeValue(forKey: paths[oldest]) { close(old) }
      paths[oldest] = path
      oldest = (oldest + 1) % Self.limit
    }
    files[path] = file
    return file
  }
}
