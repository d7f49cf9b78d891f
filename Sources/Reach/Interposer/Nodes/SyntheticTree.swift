/// Files, folders, links and nodes that are made up for clients.
///
/// They lie in memory alone, so that a client that looks around in them never meets a file of the machine.
struct SyntheticTree {
  /// What stands at a path.
  enum Entry: Hashable {
    /// A file to be read.
    case file([UInt8])
    case link(String)
    /// A folder; a shared one exists on the machine too, and has more than what is added here.
    case folder(isShared: Bool)
    /// A node, by the number of its bus.
    case device(Int)
  }

  /// Where a path leads.
  enum Place: Hashable {
    /// To something of ours.
    case entry(String, Entry)
    /// To a name that is free in a folder of ours.
    case free(String)
    /// Nowhere, with an errno.
    case failure(Int32)
    /// To something of the machine, which the kernel finds by the path that the client gave.
    case machine(String)
    /// To something of the machine, by a way through folders or links that only we know.
    case beyond(String)
  }

  private var entries: [String: Entry] = ["/": .folder(isShared: true)]
  private var names: [String: [String]] = [:]
  /// The folders whose names are in order.
  private var sorted: Set<String> = []

  /// Adds an entry; folders above it that are not there yet are `isShared` or not.
  mutating func add(_ path: String, _ entry: Entry, isShared: Bool = false) {
    if entries.updateValue(entry, forKey: path) != nil { return }
    let (folder, name) = Self.split(path)
    names[folder, default: []].append(name)
    sorted.remove(folder)
    if entries[folder] == nil { add(folder, .folder(isShared: isShared), isShared: isShared) }
  }

  /// Takes an entry without children away.
  mutating func remove(_ path: String) {
    let (folder, name) = Self.split(path)
    entries[path] = nil
    names[folder]?.removeAll { $0 == name }
  }

  /// What stands at an absolute path without `.` and `..`.
  subscript(_ path: String) -> Entry? { entries[path] }

  /// The names that a folder holds, in order.
  mutating func names(in folder: String) -> [String] {
    if sorted.insert(folder).inserted { names[folder]?.sort() }
    return names[folder] ?? []
  }

  /// What a folder holds under a name.
  func entry(_ name: String, in folder: String) -> Entry? {
    entries[folder == "/" ? "/" + name : "\(folder)/\(name)"]
  }

  /// How many links a way may have, as for the kernel.
  private static let linkLimit = 40

  /// Follows a path, as the kernel does: from the left, through links.
  ///
  /// - Parameters:
  ///   - text: an absolute path.
  ///   - follows: whether a link at its end is followed.
  /// - Returns: where it leads.
  func place(of text: String, follows: Bool = true) -> Place {
    var rest = Array(text.split(separator: "/", omittingEmptySubsequences: false).dropFirst())[...]
    var way: [Substring] = []
    var (links, isOnOurs) = (0, false)
    while let part = rest.popFirst() {
      if part == "" || part == "." { continue }
      if part == ".." {
        _ = way.popLast()
        continue
      }
      let folder = Self.path(way)
      way.append(part)
      let path = Self.path(way)
      switch entries[path] {
      case .folder(let isShared): isOnOurs = isOnOurs || !isShared
      case .link(let target):
        isOnOurs = true
        guard follows || !rest.isEmpty else { return .entry(path, .link(target)) }
        links += 1
        guard links <= Self.linkLimit else { return .failure(Errno.loop) }
        way = target.hasPrefix("/") ? [] : Array(way.dropLast())
        rest = target.split(separator: "/")[...] + rest
      case .some(let entry): return rest.isEmpty ? .entry(path, entry) : .failure(Errno.notFolder)
      case nil:
        guard entries[folder] == .folder(isShared: false) else { continue }
        return rest.allSatisfy(\.isEmpty) ? .free(path) : .failure(Errno.missing)
      }
    }
    let path = Self.path(way)
    guard let entry = entries[path] else { return isOnOurs ? .beyond(path) : .machine(path) }
    return isOnOurs ? .entry(path, entry) : .machine(path)
  }

  private static func path(_ parts: [Substring]) -> String { "/" + parts.joined(separator: "/") }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return ("/", path) }
    let folder = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
  }

  /// The errnos of ways, as Linux numbers them.
  private enum Errno {
    static let missing: Int32 = 2
    static let notFolder: Int32 = 20
    static let loop: Int32 = 40
  }
}
