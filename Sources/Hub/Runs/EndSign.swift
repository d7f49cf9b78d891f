import Glibc
import Synchronization

/// The signal that asks a run to end, if one came.
package enum EndSign {
  private static let caught = Atomic<Int32>(0)

  /// Takes Ctrl-C, SIGTERM and SIGHUP from now on.
  package static func listen() {
    // It is there before a handler uses it.
    caught.store(0, ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { EndSign.caught.store($0, ordering: .relaxed) }
    }
  }

  /// The number of the signal; `nil` where none came.
  package static var number: Int32? {
    let number = caught.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }
}
