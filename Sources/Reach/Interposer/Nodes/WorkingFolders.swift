import CInterposer

/// Which processes work in a folder of ours: the kernel does not know, and holds them elsewhere.
struct WorkingFolders {
  private var folders: [Int32: String?] = [:]

  /// Whether no process does.
  var isEmpty: Bool { folders.isEmpty }

  /// The folder of a thread's process: its own, or that of the process it comes from.
  mutating func folder(of thread: Int32) -> String? {
    guard !folders.isEmpty else { return nil }
    var client = interposer_client()
    guard interposer_identify(thread, &client) == 0 else { return nil }
    if let known = folders[client.process] { return known }
    var folder: String?
    var (ancestor, depth) = (client.parent, 0)
    while ancestor > 1, depth < 64 {
      if let known = folders[ancestor] {
        folder = known
        break
      }
      var parent = interposer_client()
      guard interposer_identify(ancestor, &parent) == 0 else { break }
      (ancestor, depth) = (parent.parent, depth + 1)
    }
    remember(folder, of: client.process)
    return folder
  }

  /// Sets the folder of a thread's process, or says that it is one of the machine.
  ///
  /// What the process has started before stays where it is.
  mutating func set(_ folder: String?, of thread: Int32) {
    guard folder != nil || !folders.isEmpty else { return }
    var client = interposer_client()
    guard interposer_identify(thread, &client) == 0 else { return }
    let before = self.folder(of: thread)
    var started = ClientProcesses.children(of: client.process)
    while let process = started.popLast() {
      // Whoever comes from one that has moved by itself comes from there.
      guard folders[process] == nil else { continue }
      folders.updateValue(before, forKey: process)
      started += ClientProcesses.children(of: process)
    }
    remember(folder, of: client.process)
  }

  private mutating func remember(_ folder: String?, of process: Int32) {
    if folders.count > 256 {
      var client = interposer_client()
      folders = folders.filter { interposer_identify($0.key, &client) == 0 }
    }
    folders.updateValue(folder, forKey: process)
    if folders.values.allSatisfy({ $0 == nil }) { folders = [:] }
  }
}
