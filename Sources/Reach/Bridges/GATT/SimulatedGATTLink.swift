public import I2C
public import VirtualI2C

/// A connection within this process that takes the time of a radio, and fails as one does.
///
/// Each operation goes out at the next connection event and is answered at the one after; the jitter is that
/// of events that are missed and of a phone that is busy.
public final class SimulatedGATTLink: GATTLink {
  /// The longest value that a write request carries: ATT_MTU 23 - 3.
  public static let longestWrite = 20
  /// The longest value that a read response carries: ATT_MTU 23 - 1.
  public static let longestRead = 22

  /// How many answers were lost.
  public private(set) var lost = 0
  /// How many operations met no connection.
  public private(set) var refused = 0
  /// Why the operations that met no connection met none.
  public private(set) var refusals: [Absence: Int] = [:]
  /// How many commands the board has taken.
  public private(set) var commands = 0

  private let server: any GATTServer
  private let clock: any I2CClock
  private let options: Options
  private let faults: FaultPlan
  private var chance: SeededGenerator

  /// Creates a connection.
  ///
  /// - Parameters:
  ///   - server: the board.
  ///   - clock: its time.
  ///   - options: how it behaves.
  ///   - faults: the failures that are planned for its frames.
  ///   - seed: what jitter and losses come from.
  public init(
    to server: any GATTServer, clock: any I2CClock, options: Options = Options(),
    faults: FaultPlan = FaultPlan(), seed: UInt64 = 0
  ) {
    self.server = server
    self.clock = clock
    self.options = options
    self.faults = faults
    chance = SeededGenerator(seed: seed, stream: 0xB1E)
  }

  /// The charge of the battery in percent; full where it lasts for ever.
  public var battery: UInt8 {
    UInt8((100 * max(1 - drained, 0)).rounded())
  }

  /// How much of the battery is used, from 0 to 1.
  private var drained: Double {
    if flatSince != nil { return 1 }
    if let power = options.power {
      return 1 - power.charged + (charge ?? 0) / max(power.capacity, 1e-9)
    }
    guard let life = options.batteryLife else { return 0 }
    return Double(clock.nanoseconds) / Double(life)
  }

  /// Since when the battery has been empty, in nanoseconds; `nil` while it is not.
  public var flatSince: UInt64? {
    let end =
      options.power?.end(interval: options.interval, commands: commands) ?? options.batteryLife
    return end.flatMap { $0 <= clock.nanoseconds ? $0 : nil }
  }

  /// The charge that the board has used, in mAh: no more than its battery held; `nil` where nobody keeps account of it.
  public var charge: Double? {
    options.power.map { power in
      min(
        power.charge(
          over: powered, interval: options.interval, commands: commands), power.available)
    }
  }

  /// For how long the board has had power, in nanoseconds.
  private var powered: UInt64 { flatSince ?? clock.nanoseconds }

  /// How long the battery would last in hours if all went on as until now, or until it was empty, with its
  /// microcontroller asleep or awake between radio events; `nil` where nobody keeps account of it.
  public func life(sleeping: Bool) -> Double? {
    options.power?.sleeping(sleeping).life(
      over: powered, interval: options.interval, commands: commands)
  }

  /// Why there is no connection now; `nil` where there is one.
  public var absence: Absence? {
    let now = clock.nanoseconds
    if flatSince != nil { return .flat }
    if options.silences.contains(where: { $0.contains(now) }) { return .silent }
    return options.outages.contains { $0.contains(now) } ? .outOfRange : nil
  }

  /// Writes a value and waits for the response.
  ///
  /// - Throws: ``GATTError``.
  public func write(_ value: [UInt8], to characteristic: UInt16) throws(GATTError) {
    guard value.count <= Self.longestWrite else { throw .valueTooLong }
    let fault = try travel(isWrite: true)
    try server.take(value, for: characteristic)
    if fault == .frameRepeated { try server.take(value, for: characteristic) }
    try answer(fault)
  }

  /// Reads a value; what is longer than a response is cut, as the attribute protocol does.
  ///
  /// - Throws: ``GATTError``.
  public func read(_ characteristic: UInt16) throws(GATTError) -> [UInt8] {
    let fault = try travel(isWrite: false)
    let value = try server.value(of: characteristic)
    try answer(fault)
    return Array(value.prefix(Self.longestRead))
  }

  /// A request goes to the board.
  ///
  /// - Returns: the fault that spoils it, nothing as a rule.
  private func travel(isWrite: Bool) throws(GATTError) -> PlannedFault.Kind? {
    let now = clock.nanoseconds
    if let absence {
      refused += 1
      refusals[absence, default: 0] += 1
      server.lost()
      throw .disconnected
    }
    if isWrite { commands += 1 }
    clock.wait(nanoseconds: options.interval)
    return faults.injectFrame(at: now, isWrite: isWrite)
  }

  /// An answer comes back, or does not.
  private func answer(_ fault: PlannedFault.Kind?) throws(GATTError) {
    if case .frameLate(let time) = fault { clock.wait(nanoseconds: time) }
    let late = options.jitter > 0 ? chance.unit() * options.jitter * 2 : 0
    clock.wait(nanoseconds: options.interval + UInt64(Double(options.interval) * late))
    let loss = min(options.loss + fading, 1)
    if fault == .frameLost || loss > 0 && chance.unit() < loss {
      lost += 1
      throw .noResponse
    }
  }

  /// How many more answers are lost near the end of the battery.
  private var fading: Double {
    max(0, drained - 0.9) * 10
  }
}
