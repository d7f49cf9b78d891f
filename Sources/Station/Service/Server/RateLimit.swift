import Synchronization

/// How many requests a second each address may send, and as many at once as in four seconds.
final class RateLimit: Sendable {
  private struct Bucket {
    var tokens: Double
    var time: ContinuousClock.Instant
  }

  private static let mostAddresses = 10_000

  private let rate: Double
  private let buckets = Mutex<[String: Bucket]>([:])

  /// Creates a limit; with 0 there is none.
  init(rate: Int) { self.rate = Double(rate) }

  /// Whether requests are limited at all.
  var isOn: Bool { rate > 0 }

  /// Takes a request of an address.
  func admits(_ address: String) -> Bool {
    let now = ContinuousClock.now
    return buckets.withLock { buckets in
      if buckets.count >= Self.mostAddresses { buckets = [:] }
      var bucket = buckets[address] ?? Bucket(tokens: 4 * rate, time: now)
      let seconds = (now - bucket.time) / .seconds(1)
      bucket.tokens = min(4 * rate, bucket.tokens + seconds * rate)
      bucket.time = now
      let isAdmitted = bucket.tokens >= 1
      if isAdmitted { bucket.tokens -= 1 }
      buckets[address] = bucket
      return isAdmitted
    }
  }
}
