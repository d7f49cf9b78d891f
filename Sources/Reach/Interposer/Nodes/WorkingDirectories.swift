import CInterposer

/// The synthetic working directories of processes; for the kernel, such a process remains in its last host directory.
struct WorkingDirectories {
  private var folders: [Int32: String?] = [:]

  /// `true` if no process has a synthetic working directory.
  var isEmpty: Bool { folders.isEmpty }

  /// Returns the synthetic working directory of a thread's process, inherited from its parent if it has not changed
  /// directory.
  mutating func folder(of thread: Int32) -> String? {
    guard !folders.isEmpty else { return nil }
    var client = interposer_credentials()
    guard interposer_read_credentials(thread, &client) == 0 else { return nil }
    if let known = folders[client.process] { return known }
    var folder: String?
    var (ancestor, depth) = (client.parent, 0)
    while ancestor > 1, depth < 64 {
      if let known = folders[ancestor] {
        folder = known
        break
      }
      var parent = interposer_credentials()
      guard interposer_read_credentials(ancestor, &parent) == 0 else { break }
      (ancestor, depth) = (parent.parent, depth + 1)
    }
    remember(folder, of: client.process)
    return folder
  }

  /// Sets the working directory of a thread's process; `nil` for a host directory.
  ///
  /// Children that the process has already started keep their working directory.
  mutating func set(_ folder: String?, of thread: Int32) {
    guard folder != nil || !folders.isEmpty else { return }
    var client = interposer_credentials()
    guard interposer_read_credentials(thread, &client) == 0 else { return }
    let before = self.folder(of: thread)
    var started = ClientProcesses.children(of: client.process)
    while let process = started.popLast() {
      // Descendants of a process that changed directory itself inherit from that process.
      guard folders[process] == nil else { continue }
      folders.updateValue(before, forKey: process)
      started += ClientProcesses.children(of: process)
    }
    remember(folder, of: client.process)
  }

  private mutating func remember(_ folder: String?, of process: Int32) {
    if folders.count > 256 {
      var client = interposer_credentials()
      folders = folders.filter { interposer_read_credentials($0.key, &client) == 0 }
    }
    folders.updateValue(folder, forKey: process)
    if folders.values.allSatisfy({ $0 == nil }) { folders = [:] }
  }
}

/// The listings in progress of host directories: each returns the synthetic names first, then the kernel's entries.
///
/// The synthetic names are returned while the directory's offset is at the start. Reading the kernel's entries advances
/// the offset, and rewinding resets it.
struct Listings {
  private struct Key: Hashable {
    let process: Int32
    let descriptor: Int32
  }

  private var given: [Key: Int] = [:]

  /// `true` if no listing is in progress.
  var isEmpty: Bool { given.isEmpty }

  /// The number of synthetic names already returned for a descriptor whose directory is at its start.
  subscript(process: Int32, descriptor: Int32) -> Int {
    get { given[Key(process: process, descriptor: descriptor)] ?? 0 }
    set {
      // Listings that were abandoned are dropped at this size.
      if given.count >= 1024 { given = [:] }
      given[Key(process: process, descriptor: descriptor)] = newValue == 0 ? nil : newValue
    }
  }

  /// Removes the listings of a process whose descriptors are closed, because a directory opened now may get the number
  /// of such a descriptor.
  mutating func forget(process: Int32, unless isOpen: (Int32) -> Bool) {
    given = given.filter { $0.key.process != process || isOpen($0.key.descriptor) }
  }
}
