/// A hub without its outside: readings, time and commands go in; its state, and records to be written, come out.
///
/// The program of a hub and a run in virtual time drive the same one. It reads no clock and no disk: whoever drives it writes
/// ``takeRecords()`` before anybody acts on them, and gives what the log made to the next one after a start.
public struct WarehouseCore: Sendable {
  /// What it has counted since it began.
  public struct Counts: Hashable, Sendable {
    /// Readings of tags that are expected.
    public var readings = 0
    /// Those of them whose values are not to be believed.
    public var flagged = 0
    /// Readings of tags that nobody expects.
    public var strangers = 0
    /// Commands that were obeyed, and that were refused.
    public var obeyed = 0, refused = 0
  }

  /// What it knows of its tags, in the order of the policy.
  public private(set) var tags: [TagState]
  /// What it has counted.
  public private(set) var counts = Counts()
  private var keeper: AlarmKeeper
  private var rates: RateCheck
  private var records: [HubRecord] = []

  /// Creates the core of a hub.
  ///
  /// - Parameters:
  ///   - policy: what it judges by; ``WarehousePolicy/mistakes`` says whether it can be used.
  ///   - book: what the log of alarms made.
  ///   - heard: when each tag was heard last, by its address, in nanoseconds since 1970.
  ///   - time: now, in nanoseconds since 1970.
  public init(
    _ policy: WarehousePolicy, book: AlarmBook = AlarmBook(), heard: [String: Int64] = [:],
    at time: Int64
  ) {
    keeper = AlarmKeeper(policy, book: book, heard: heard, at: time)
    rates = RateCheck(fastest: policy.fastest)
    tags = policy.tags.map { TagState($0, heard: heard[$0.address]) }
  }

  /// What it judges by.
  public var policy: WarehousePolicy { keeper.policy }
  /// The moment up to which it has looked, in nanoseconds since 1970.
  public var now: Int64 { keeper.now }
  /// What is known of alarms.
  public var book: AlarmBook { keeper.book }
  /// The addresses of tags whose loss somebody closed by hand, and which have not been heard since.
  public var givenUp: Set<String> { keeper.givenUp }

  /// Takes readings in the order of their times: flags what changed faster than air does, judges the rest.
  ///
  /// - Parameters:
  ///   - readings: what was heard, each with the time at which the hub heard it.
  ///   - stamps: the time under which each is recorded where a gateway gave one of its own: of decisions, only
  ///     a rate of change is taken by it.
  public mutating func take(_ readings: some Sequence<TagReading>, stamps: [Int64?] = []) {
    for (index, var reading) in readings.enumerated() {
      guard let place = keeper.places[reading.tag] else {
        counts.strangers += 1
        continue
      }
      reading.hub = policy.hub
      let (heard, stamp) = (reading.time, stamps.indices.contains(index) ? stamps[index] : nil)
      // What a gateway kept and gives at once did not change at once.
      reading.time = stamp ?? heard
      rates.check(&reading)
      reading.time = heard
      tags[place].take(reading)
      if reading.kind.isEmpty { reading.kind = tags[place].kind }
      reading.battery = tags[place].battery
      reading.rssi = tags[place].rssi
      reading.firmware = tags[place].firmware
      counts.readings += 1
      if !reading.isGood { counts.flagged += 1 }
      let tag = tags[place].tag
      var recorded = reading
      recorded.time = stamp ?? heard
      records.append(.reading(recorded, name: tag.name, zone: tag.zone))
      keeper.take(reading)
      noteEntries()
    }
  }

  /// Time passes: who is not heard, who does not answer, what ends.
  public mutating func advance(to time: Int64) {
    keeper.advance(to: time)
    noteEntries()
  }

  /// The wall clock was stepped by so many nanoseconds: what is under way moves with it, and a record says so.
  public mutating func step(by step: Int64) {
    let before = keeper.now
    keeper.step(by: step)
    let moved = keeper.now - before
    rates.step(by: moved)
    for place in tags.indices { tags[place].step(by: moved) }
    noteEntries()
  }

  /// Does what a person wants.
  ///
  /// - Throws: ``HubCommand/Refusal`` where it cannot be done; nothing has changed then.
  public mutating func obey(
    _ command: HubCommand, at time: Int64
  ) throws(HubCommand.Refusal) {
    defer { noteEntries() }
    do throws(HubCommand.Refusal) {
      try keeper.take(command, at: time)
      counts.obeyed += 1
    } catch {
      counts.refused += 1
      throw error
    }
  }

  /// The records since the last call, in the order in which things happened.
  public mutating func takeRecords() -> [HubRecord] {
    defer { records.removeAll(keepingCapacity: true) }
    return records
  }

  private mutating func noteEntries() {
    for entry in keeper.takeEntries() { records.append(.alarm(entry)) }
  }
}
