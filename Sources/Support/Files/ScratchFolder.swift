import Glibc

/// A folder for what a command and the programs that it starts need only while it runs.
///
/// It goes with the command. Who has one holds its lock, which the kernel gives back however the holder ends: what
/// a killed command has left is removed by the next one.
package final class ScratchFolder {
  /// Where it is.
  package let path: String
  /// The open folder, which is locked.
  private let descriptor: Int32

  /// How its name begins, before a dash and a random number.
  private static let prefix = "aneroid-scratch"

  /// Makes an empty one, which only this user may look into.
  ///
  /// - Throws: ``Failure`` of kind input/output when there is no place for it.
  package init() throws(Failure) {
    Self.sweep(Folder.temporary)
    path = Folder.temporaryPath(Self.prefix)
    guard mkdir(path, 0o700) == 0 else { throw OutputPlace.failure(path, errno) }
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor >= 0 { Leftovers.hold(descriptor) }
  }

  /// Removes it with all that lies in it, before its time.
  package func remove() { Folder.remove(path) }

  deinit {
    remove()
    if descriptor >= 0 { close(descriptor) }
  }

  /// Removes those that are this user's, and that nobody holds.
  ///
  /// - Parameters:
  ///   - folder: where they may lie.
  ///   - now: the time, in seconds since 1970.
  static func sweep(_ folder: String, at now: Int = Glibc.time(nil)) {
    for name in Folder.names(in: folder) ?? [] where name.hasPrefix(prefix + "-") {
      let number = name.dropFirst(prefix.utf8.count + 1)
      guard UInt64(number, radix: 16).map({ String($0, radix: 16) }) == String(number) else {
        continue
      }
      let path = FilePath.joined(folder, name)
      guard Leftovers.isStale(path, S_IFDIR, at: now) else { continue }
      Folder.remove(path)
    }
  }
}
