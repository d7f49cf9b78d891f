import Glibc
import Synchronization

/// The drafts that are not in their places: an exit in the middle must not leave them behind.
package enum Drafts {
  private static let paths = Mutex<Set<String>>([])

  /// An exit from anywhere removes what is left.
  private static let atExit: Void = { atexit { Drafts.removeAll() } }()

  package static func add(_ path: String) {
    _ = atExit
    paths.withLock { _ = $0.insert(path) }
  }

  /// Forgets a draft that is now in its place.
  package static func forget(_ path: String) {
    paths.withLock { _ = $0.remove(path) }
  }

  /// Removes a draft that will never be whole.
  package static func remove(_ path: String) {
    unlink(path)
    forget(path)
  }

  /// Removes all of them; the program is about to end.
  package static func removeAll() {
    paths.withLock {
      $0.forEach { unlink($0) }
      $0 = []
    }
  }
}
