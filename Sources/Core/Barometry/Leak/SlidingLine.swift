/// A straight line through the youngest values of a series, by least squares, in constant time a value.
struct SlidingLine: Sendable {
  /// The slope of a line and its standard uncertainty, a second.
  struct Slope: Hashable, Sendable {
    let value: Double
    let uncertainty: Double
    /// How many values there are, and over how many seconds.
    let count: Int, span: Double
    /// The sum of the squares of the times from their mean.
    let spread: Double
  }

  /// How many seconds it looks back.
  let length: Double

  private var times: [Double] = []
  private var values: [Double] = []
  /// The index of the oldest value that counts.
  private var head = 0
  private var origin = (time: 0.0, value: 0.0)
  private var sums = Sums()

  private struct Sums {
    var t = 0.0, v = 0.0, tt = 0.0, tv = 0.0, vv = 0.0

    mutating func add(_ t: Double, _ v: Double, _ sign: Double) {
      self.t += sign * t
      self.v += sign * v
      tt += sign * t * t
      tv += sign * t * v
      vv += sign * v * v
    }
  }

  init(length: Double) { self.length = length }

  /// Forgets everything.
  mutating func removeAll() { self = SlidingLine(length: length) }

  /// Takes a value at a time in seconds, later than all before.
  mutating func take(_ value: Double, at time: Double) {
    if values.isEmpty { origin = (time, value) }
    times.append(time)
    values.append(value)
    sums.add(time - origin.time, value - origin.value, 1)
    removeAll(before: time - length)
    if head > 4096 { rebase() }
  }

  /// Forgets what is older than a time.
  mutating func removeAll(before time: Double) {
    while head < values.count, times[head] < time {
      sums.add(times[head] - origin.time, values[head] - origin.value, -1)
      head += 1
    }
  }

  /// Drops what no longer counts and begins the sums anew, so that no rounding gathers.
  private mutating func rebase() {
    times.removeFirst(head)
    values.removeFirst(head)
    head = 0
    origin = (times[0], values[0])
    sums = Sums()
    for index in values.indices {
      sums.add(times[index] - origin.time, values[index] - origin.value, 1)
    }
  }

  /// The line; `nil` with fewer than three values.
  var slope: Slope? {
    let count = values.count - head
    guard count >= 3, let last = times.last else { return nil }
    let n = Double(count)
    let (spread, common) = (sums.tt - sums.t * sums.t / n, sums.tv - sums.t * sums.v / n)
    guard spread > 0 else { return nil }
    let value = common / spread
    let rest = max(sums.vv - sums.v * sums.v / n - value * common, 0)
    return Slope(
      value: value, uncertainty: (rest / (n - 2) / spread).squareRoot(), count: count,
      span: last - times[head], spread: spread)
  }
}
