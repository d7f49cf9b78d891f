package import HubQueue
import Synchronization
package import Warehouse

/// The core of a hub with its disk: readings, time and commands go in, records come out on disk.
///
/// What it decides is decided by a `WarehouseCore`. A reading and all that follows of it are written in one transaction. What
/// cannot be written, such as on a full disk, is kept for later, and alarms are raised all the same.
package final class HubCore: Sendable {
  private struct State {
    var core: WarehouseCore
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
  ///   - now: nanoseconds since 1970.
  ///   - tell: is told what people should know.
  /// - Throws: an error of SQLite.
  package init(
    policy: WarehousePolicy, queue: RecordQueue, now: Int64,
    tell: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    (self.policy, self.queue, self.tell) = (policy, queue, tell)
    let core = WarehouseCore(
      policy, book: try AlarmLog.book(of: queue), heard: try queue.latest(kind: "reading"), at: now)
    state = Mutex(State(core: core))
  }

  /// Takes readings, in the order of their times.
  ///
  /// - Returns: the readings as they were written; none of them while the disk takes nothing.
  @discardableResult
  package func take(_ readings: [TagReading]) -> [QueuedRecord] {
    state.withLock { state in
      state.core.take(readings)
      return write(&state).filter { $0.record.kind == "reading" }
    }
  }

  /// Time passes: who is not heard, who does not answer, what ends.
  package func advance(to now: Int64) {
    state.withLock { state in
      state.core.advance(to: now)
      write(&state)
    }
  }

  /// Does what a person wants.
  ///
  /// - Returns: what was done, in words.
  package func obey(_ command: HubCommand, at now: Int64) throws(HubCommand.Refusal) -> String {
    let refusal: HubCommand.Refusal? = state.withLock { state in
      do throws(HubCommand.Refusal) {
        try state.core.obey(command, at: now)
        write(&state)
        return nil
      } catch {
        return error
      }
    }
    if let refusal { throw refusal }
    return command.done
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
        givenUp: state.core.givenUp, counts: counts, generation: state.generation)
    }
  }

  /// Writes what has happened since, in one transaction.
  @discardableResult
  private func write(_ state: inout State) -> [QueuedRecord] {
    let new = state.core.takeRecords().map { NewRecord($0) }
    guard !new.isEmpty || !state.unwritten.isEmpty else { return [] }
    state.generation += 1
    do {
      let written = try queue.append(state.unwritten + new)
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
}
