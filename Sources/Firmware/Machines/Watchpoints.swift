package import Cores

/// The stretches of memory whose loads or stores stop a run.
package final class Watchpoints {
  /// One of them, by the addresses of a debugger.
  package typealias Stretch = MemoryWatch

  /// All of them.
  package private(set) var stretches: Set<Stretch> = []
  /// Is told of each that comes (`true`) or goes; the core's run sets it.
  package var didChange: (Stretch, Bool) -> Void = { _, _ in }

  /// Creates none.
  package init() {}

  /// Stops behind loads and stores of a stretch from now on.
  package func insert(_ stretch: Stretch) {
    if stretches.insert(stretch).inserted { didChange(stretch, true) }
  }

  /// Stops there no more.
  package func remove(_ stretch: Stretch) {
    if stretches.remove(stretch) != nil { didChange(stretch, false) }
  }
}
