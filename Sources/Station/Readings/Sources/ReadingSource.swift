/// Where the station's readings come from.
package protocol ReadingSource: Sendable {
  /// `simulated`, `replayed` or `real`.
  var kind: String { get }
  /// How old the last reading may be before it is stale, in seconds.
  var patience: Int { get }
  /// Whether a start tells the same past again, which takes the place of the one before.
  var replaces: Bool { get }
  /// Whether all of it has been told: nothing new comes.
  var hasEnded: Bool { get }

  /// Takes readings until the task is cancelled, or there are no more.
  ///
  /// - Parameter take: is handed what was read; readings of the past together.
  /// - Throws: what `take` throws, or why nothing can be read any more.
  func run(_ take: @Sendable ([Reading]) async throws -> Void) async throws
}

extension ReadingSource {
  package var replaces: Bool { false }
  package var hasEnded: Bool { false }
}
