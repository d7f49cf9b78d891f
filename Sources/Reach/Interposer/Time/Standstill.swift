/// Finds out that programs with virtual time go on no more.
///
/// Either all threads sleep, no moment is due that would wake one, and nothing from outside can: they wait for each
/// other for ever. Or time does not pass although some work.
struct Standstill {
  /// What a look has found.
  enum Finding {
    /// All wait for each other, each in words.
    case forEver([String])
    /// Time does not pass, and this thread works.
    case work(Int32)
  }

  /// Where programs are.
  enum State {
    /// These threads sleep, and nothing is due.
    case asleep([Int32])
    /// This one works.
    case work(Int32)
    /// Something is due.
    case due
  }

  /// For how long nothing may go on, in nanoseconds of the machine; `nil` for ever.
  let limit: UInt64?
  /// Since when all sleep, and since when time stands, in nanoseconds of the machine.
  private var (asleepSince, since): (UInt64?, UInt64?) = (nil, nil)
  private var (time, nextLook): (UInt64, UInt64) = (0, 0)
  private var hasToldOfWork = false
  /// Whether the look before found that nothing can wake them.
  ///
  /// One look is not enough: a process may have woken a thread and ended a moment before, and the thread has not gone on.
  private var isSuspected = false

  /// How often it is looked, in nanoseconds of the machine.
  private static let every: UInt64 = 1_000_000_000

  /// Creates one.
  ///
  /// - Parameter limit: for how long nothing may go on, in nanoseconds of the machine; `nil` for ever.
  init(limit: UInt64?) { self.limit = limit }

  /// How long to wait for events before it is looked again, in nanoseconds; `nil` for ever.
  var longestWaitNanoseconds: Int64? { limit.map { Int64(min($0, Self.every)) } }

  /// Looks whether programs go on.
  ///
  /// - Parameters:
  ///   - time: virtual time, in nanoseconds since the start.
  ///   - state: asked where they are.
  /// - Returns: what is to be told of, work only once; `nil` while programs go on.
  mutating func look(at time: UInt64, _ state: () -> State) -> Finding? {
    let now = HeldAnswers.now
    guard let limit, now >= nextLook else { return nil }
    nextLook = now + min(limit, Self.every)
    if time != self.time || since == nil { (self.time, since) = (time, now) }
    switch state() {
    case .due:
      (asleepSince, since, isSuspected) = (nil, now, false)
    case .work(let thread):
      (asleepSince, isSuspected) = (nil, false)
      guard !hasToldOfWork, now - (since ?? now) >= limit else { return nil }
      hasToldOfWork = true
      return .work(thread)
    case .asleep(let threads):
      let start = asleepSince ?? now
      (asleepSince, since) = (start, now)
      guard now - start >= limit else { return nil }
      let sleeps = threads.map(ThreadSleep.init)
      let isForEver = !sleeps.contains { $0.mayBeWokenFromOutside }
      defer { isSuspected = isForEver }
      return isForEver && isSuspected ? .forEver(sleeps.map(\.description)) : nil
    }
    return nil
  }
}
