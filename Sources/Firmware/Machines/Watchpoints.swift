/// The stretches of memory whose loads or stores stop a run.
package final class Watchpoints {
  /// One of them.
  package struct Stretch: Hashable, Sendable {
    /// The first address, and how many bytes.
    package let address: UInt32
    package let count: UInt32
    /// Whether loads stop the run, and whether stores do.
    package let onLoad: Bool
    package let onStore: Bool

    /// Creates a stretch.
    package init(address: UInt32, count: UInt32, onLoad: Bool, onStore: Bool) {
      self.address = address
      self.count = count
      self.onLoad = onLoad
      self.onStore = onStore
    }
  }

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
