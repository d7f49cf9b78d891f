/// The times at which a program read measurements from a part.
package struct ReadTimes: Sendable {
  /// The times in seconds, in order.
  package let times: [Double]

  package init(_ times: [Double]) { self.times = times }

  /// Keeps the last read of each group of reads: a program may poll the part, and read its quantities one after the other.
  ///
  /// - Parameter all: the times of all reads in seconds, in order. A group ends at a gap of at least a twentieth of the
  ///   longest one.
  package init(lastOfGroupsIn all: [Double]) {
    let gaps = zip(all, all.dropFirst()).map { $1 - $0 } + [.infinity]
    let longest = gaps.dropLast().max() ?? 0
    times = zip(all, gaps).filter { $1 >= longest / 20 }.map(\.0)
  }

  /// Returns the pauses between readings, each as its middle and its length, in seconds.
  ///
  /// A program may access the part several times for one reading, so a gap only counts as a pause if it is at least
  /// half as long as the longest gap.
  ///
  /// - Parameters:
  ///   - count: the number of displayed readings to consider, starting with the first; the program may pause longer
  ///     later.
  ///   - all: the number of all readings that the program displayed.
  /// - Returns: the pauses.
  package func rests(among count: Int, of all: Int) -> [(middle: Double, length: Double)] {
    let share = Double(count) / Double(max(all, 1)) * Double(times.count)
    let times = self.times.prefix(Int(share.rounded(.up)))
    let gaps = zip(times, times.dropFirst()).map { (middle: ($0 + $1) / 2, length: $1 - $0) }
    let longest = gaps.map(\.length).max() ?? 0
    return gaps.filter { $0.length >= longest / 2 }
  }

  /// Returns how often values were displayed more than 0.25 s after the previous display, without a new measurement in
  /// between.
  ///
  /// - Parameter moments: the times at which values were displayed, in seconds, in order.
  /// - Returns: the number of repeated displays.
  package func repetitions(at moments: [Double]) -> Int {
    zip(moments, moments.dropFirst()).count { before, moment in
      moment - before > 0.25 && !times.contains { before < $0 && $0 <= moment }
    }
  }

  /// Returns the age of the oldest displayed values, which is the longest time between reading a measurement and
  /// displaying it.
  ///
  /// - Parameter moments: the times at which values were displayed, in seconds, in order.
  /// - Returns: the longest time, in seconds.
  package func oldest(at moments: [Double]) -> Double {
    var index = 0
    var longest = 0.0
    for moment in moments {
      while index < times.count, times[index] <= moment { index += 1 }
      if index > 0 { longest = max(longest, moment - times[index - 1]) }
    }
    return longest
  }
}
