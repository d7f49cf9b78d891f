package import DriverDefects

/// A program with defects that is compared: which of its builds runs from which time on.
package struct ComparedProgram: Sendable {
  /// One build, or the same with other luck.
  package struct Build: Sendable {
    /// From when on it runs, in nanoseconds since the start.
    package let start: UInt64
    /// What is wrong with it.
    package let decoder: FaultyDecoder
    /// How many pressures of a cycle are missing from the sum, which is divided by all nevertheless.
    package let lost: Int
    /// Whether it begins without a memory of what was read before; else it is the one before, going on.
    package let isAnew: Bool

    /// Creates a build.
    package init(start: UInt64, decoder: FaultyDecoder, lost: Int, isAnew: Bool) {
      (self.start, self.decoder, self.lost, self.isAnew) = (start, decoder, lost, isAnew)
    }
  }

  /// The builds, in order of their time; the first runs from 0 on.
  package let builds: [Build]

  /// Creates a program of some builds.
  package init(_ builds: [Build]) { self.builds = builds }

  /// Which of the builds runs at a time in nanoseconds.
  package func build(at time: UInt64) -> Int { builds.lastIndex { $0.start <= time } ?? 0 }
}
