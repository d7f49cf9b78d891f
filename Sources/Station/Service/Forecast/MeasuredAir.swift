import Forecasts
import Readings

/// What the sensor measured: means of ten minutes around each ten minutes, up to now.
struct MeasuredAir: Sendable {
  /// The length of a mean in seconds.
  private static let step = 600

  /// By the middle of the ten minutes, in seconds since 1970.
  private let means: [Int: Reading]

  /// Reads them.
  ///
  /// - Parameters:
  ///   - store: what the station has read.
  ///   - start: the first moment, in seconds since 1970.
  ///   - now: the last moment.
  /// - Throws: an error of SQLite.
  init(_ store: ReadingStore, from start: Int, to now: Int) throws {
    let first = start - CivilTime.modulo(start, Self.step)
    let half = Self.step / 2
    var means: [Int: Reading] = [:]
    for mean in try store.means(every: Self.step, from: first - half, to: now + 1) {
      // What is not over yet is no measurement of its middle.
      if mean.time + half <= now { means[mean.time + half] = mean }
    }
    self.means = means
  }

  /// What was measured around a moment; `nil` if nothing was, or for a moment between the means.
  subscript(moment: Int) -> Reading? { means[moment] }

  /// The lowest and the highest temperature of an interval in °C; `nil` if none was measured.
  ///
  /// - Parameters:
  ///   - start: the first moment, in seconds since 1970.
  ///   - end: the moment after the last.
  /// - Returns: both.
  func temperatures(from start: Int, to end: Int) -> (low: Double, high: Double)? {
    let all = means.filter { $0.key >= start && $0.key < end }.compactMap(\.value.celsius)
    guard let low = all.min(), let high = all.max() else { return nil }
    return (low, high)
  }
}
