package import HubQueue
import Synchronization
package import Warehouse

/// The core of a hub with its disk: readings, time and commands go in, records come out on disk.
///
/// What it decides is decided by a `WarehouseCore`. A reading and all that follows of it are written in one transaction. What
/// cannot be written, such as on a full disk, is kept for later, and alarms are raised all the same.
///
/// It judges by its ``HubClock``, which no step of the wall clock moves; each step is noticed at the next call, told and written.
package final class HubCore: Sendable {
  private struct State {
    var core: WarehouseCore
    var clock: HubClock
    /// The steps of the wall clock that are on disk, the oldest first.
    var steps: [RecordQueue.ClockStep]
    var unwritten: [NewRecord] = []
    var lost = 0
    var generation = 0
  }

  /// What it has counted since it began.
  package struct Counts: Sendable, Equatable {
    /// Notifications of tags that are expected.
    package var notifications = 0
    /// Those of them whose values are not to be believed.
    package var flagged = 0
    /// Those of tags that nobody expects.
    package var strangers = 0
    /// Commands that were obeyed, and that were refused.
    package var obeyed = 0, refused = 0
    /// Records that could not be written for long, and are lost.
    package var lost = 0
    /// Records that wait to be written.
    package var unwritten = 0
  }

  /// How many records wait in memory while the disk takes none.
  package static let mostUnwritten = 100_000

  /// Where the records go.
  package let queue: RecordQueue
  /// What it judges by.
  package let policy: WarehousePolicy
  private let state: Mutex<State>
  private let tell: @Sendable (String) -> Void

  /// Creates the core of a hub: it knows of the alarms that its queue tells of.
  ///
  /// - Parameters:
  ///   - policy: what it judges by.
  ///   - queue: where records go, and the log of the alarms is.
  ///   - clocks: the machine's clocks.
  ///   - tell: is told what people should know.
  /// - Throws: an error of SQLite.
  package init(
    policy: WarehousePolicy, queue: RecordQueue, clocks: MachineClocks = .system,
    tell: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    (self.policy, self.queue, self.tell) = (policy, queue, tell)
    let (book, steps) = try AlarmLog.book(of: queue)
    let heard = try queue.latest(kind: "reading", steps: steps)
    // A file of before such notes tells when it was written last by its records.
    let note =
      try queue.clockNote().flatMap { HubClock.Note($0) }
      ?? queue.lastTime().map { HubClock.Note(boot: "", offset: 0, time: $0) }
    let clock = HubClock(clocks, after: note)
    let core = WarehouseCore(policy, book: book, heard: heard, at: clock.now)
    state = Mutex(State(core: core, clock: clock, steps: steps))
    state.withLock { keepTime(&$0) }
  }

  /// Takes what was heard, in order.
  ///
  /// - Returns: the readings as they were written; none of them while the disk takes nothing.
  @discardableResult
  package func take(_ heard: [HeardReading]) -> [QueuedRecord] {
    state.withLock { state in
      keepTime(&state)
      let readings = heard.map { one in
        var reading = one.reading
        reading.time = state.clock.time(atBoot: one.boot)
        return reading
      }
      state.core.take(readings, stamps: heard.map(\.stamp))
      return write(&state).filter { $0.record.kind == "reading" }
    }
  }

  /// Time passes: who is not heard, who does not answer, what ends.
  package func advance() {
    state.withLock { state in
      keepTime(&state)
      state.core.advance(to: state.clock.now)
      write(&state)
    }
  }

  /// Does what a person wants.
  ///
  /// - Returns: what was done, in words.
  package func obey(_ command: HubCommand) throws(HubCommand.Refusal) -> String {
    let refusal: HubCommand.Refusal? = state.withLock { state in
      keepTime(&state)
      do throws(HubCommand.Refusal) {
        try state.core.obey(command, at: state.clock.now)
        write(&state)
        return nil
      } catch {
        return error
      }
    }
    if let refusal { throw refusal }
    return command.done
  }

  /// Gives up what waits for too long or is too much, and drops old history.
  ///
  /// - Parameter ages: whether ages count yet, besides numbers.
  /// - Returns: what was given up.
  /// - Throws: an error of SQLite.
  package func keepLimits(ages: Bool) throws -> [RecordQueue.Loss] {
    let (now, steps, note) = state.withLock { ($0.clock.now, $0.steps, $0.clock.note.text) }
    return try queue.keepLimits(now: now, ages: ages, steps: steps, clock: note)
  }

  /// Notices a step of the wall clock.
  private func keepTime(_ state: inout State) {
    let before = state.clock.now
    let step = state.clock.takeStep()
    guard step != 0 else { return }
    state.core.advance(to: before)
    state.core.step(by: step)
    tell(Self.words(ofStep: step))
    write(&state)
  }

  /// A step of the wall clock in words.
  package static func words(ofStep step: Int64) -> String {
    let seconds = JSONText.number(Double(abs(step)) / 1e9, 3)
    return "the wall clock was put \(step < 0 ? "back" : "forward") by \(seconds) s; "
      + "alarms are judged by a clock that nobody sets"
  }

  /// What it knows now.
  package var snapshot: HubSnapshot {
    state.withLock { state in
      let known = state.core.counts
      let counts = Counts(
        notifications: known.readings, flagged: known.flagged, strangers: known.strangers,
        obeyed: known.obeyed, refused: known.refused, lost: state.lost,
        unwritten: state.unwritten.count)
      return HubSnapshot(
        hub: queue.hub, policy: policy, tags: state.core.tags, book: state.core.book,
        givenUp: state.core.givenUp, counts: counts, generation: state.generation,
        now: state.clock.now)
    }
  }

  /// Writes what has happened since, in one transaction.
  @discardableResult
  private func write(_ state: inout State) -> [QueuedRecord] {
    let new = state.core.takeRecords().map { NewRecord($0) }
    guard !new.isEmpty || !state.unwritten.isEmpty else { return [] }
    state.generation += 1
    do {
      let written = try queue.append(state.unwritten + new, clock: state.clock.note.text)
      state.steps += written.compactMap(AlarmLog.step)
      if !state.unwritten.isEmpty { tell("records are written again") }
      state.unwritten = []
      return written
    } catch {
      if state.unwritten.isEmpty {
        tell("cannot write records: \(error); they are kept in memory, and it is tried again")
      }
      state.unwritten += new
      let excess = state.unwritten.count - Self.mostUnwritten
      if excess > 0 {
        state.unwritten.removeFirst(excess)
        state.lost += excess
      }
      return []
    }
  }
}

/// What a hub knows at a moment.
package struct HubSnapshot: Sendable {
  /// Its name.
  package let hub: String
  /// What it judges by.
  package let policy: WarehousePolicy
  /// Its tags, in the order of the policy.
  package let tags: [TagState]
  /// Its alarms.
  package let book: AlarmBook
  /// The addresses of tags whose loss somebody closed by hand, and which have not been heard since.
  package let givenUp: Set<String>
  /// What it has counted.
  package let counts: HubCore.Counts
  /// Changes when anything else does.
  package let generation: Int
  /// When, by the hub's time, in nanoseconds since 1970.
  package let now: Int64
}

/// What was heard of a tag, and when.
package struct HeardReading: Sendable, Equatable {
  /// The reading; its time is set when it is taken.
  package let reading: TagReading
  /// When the hub heard it, in nanoseconds since the machine started.
  package let boot: Int64
  /// When a gateway says that it heard it, in nanoseconds since 1970: recorded, and nothing is judged by it.
  package let stamp: Int64?

  /// Creates it.
  package init(_ reading: TagReading, boot: Int64, stamp: Int64? = nil) {
    (self.reading, self.boot, self.stamp) = (reading, boot, stamp)
  }
}
