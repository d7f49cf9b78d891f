import Foundation

/// The folder of a run's programs, which goes with the run: one that a run that was killed left behind goes with the next one.
package final class RunFolder {
  private static let name = "aneroid-warehouse-"
  /// The file that a run holds locked as long as it lasts.
  private static let mark = "running"

  /// Its path.
  package let path: String
  private let lock: Int32

  /// Makes one, and removes those of runs that are no more.
  ///
  /// - Parameter place: the folder of temporary files.
  /// - Throws: why there is none.
  package init(in place: String) throws(StackRunError) {
    // The path of a socket has at most 107 bytes.
    let place = place.utf8.count > 80 ? "/tmp" : place
    Self.sweep(place)
    var pattern = Array("\(place)/\(Self.name)XXXXXX".utf8CString)
    guard mkdtemp(&pattern) != nil else {
      throw StackRunError(
        "cannot make a folder for the run in \(place): \(String(cString: strerror(errno)))",
        status: 74)
    }
    path = String(decoding: pattern.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // Locked before it has its name: nobody finds it unlocked while the run lasts.
    lock = open("\(path)/new", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0,
      rename("\(path)/new", "\(path)/\(Self.mark)") == 0
    else {
      let why = String(cString: strerror(errno))
      Self.remove(path)
      throw StackRunError("cannot write in \(path): \(why)", status: 74)
    }
  }

  deinit { close(lock) }

  /// Removes it.
  package func remove() { Self.remove(path) }

  /// Leaves it to who wants to read it: no later run removes it.
  package func keep() { unlink("\(path)/\(Self.mark)") }

  /// Removes the folders of this user whose run has ended without a word.
  private static func sweep(_ place: String) {
    for entry in names(in: place) where entry.hasPrefix(name) {
      let folder = "\(place)/\(entry)"
      // What a link leads to is not looked at.
      let found = try? FileManager.default.attributesOfItem(atPath: folder)
      guard found?[.type] as? FileAttributeType == .typeDirectory,
        (found?[.ownerAccountID] as? NSNumber)?.uint32Value == getuid()
      else { continue }
      let mark = open("\(folder)/\(mark)", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
      guard mark >= 0 else { continue }
      if flock(mark, LOCK_EX | LOCK_NB) == 0 { remove(folder) }
      close(mark)
    }
  }

  /// Removes a folder and the files in it; a run makes no folders in its own.
  private static func remove(_ folder: String) {
    for entry in names(in: folder) { unlink("\(folder)/\(entry)") }
    rmdir(folder)
  }

  private static func names(in folder: String) -> [String] {
    guard let handle = opendir(folder) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names.filter { $0 != "." && $0 != ".." }
  }
}
