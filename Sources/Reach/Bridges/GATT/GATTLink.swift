public import I2C
public import VirtualI2C

/// A GATT connection over Bluetooth LE, seen from the client.
///
/// The link provides the operations that a bridge requires: write with response, and read. `SimulatedGATTLink`
/// implements this protocol, and so can a Bluetooth stack.
public protocol GATTLink: AnyObject {
  /// Writes a value and waits for the response.
  ///
  /// - Parameters:
  ///   - value: the bytes, at most ATT_MTU - 3.
  ///   - characteristic: the 16-bit UUID of the characteristic.
  /// - Throws: ``GATTError``.
  func write(_ value: [UInt8], to characteristic: UInt16) throws(GATTError)

  /// Reads a value.
  ///
  /// - Parameter characteristic: the 16-bit UUID of the characteristic.
  /// - Returns: the bytes, at most ATT_MTU - 1.
  /// - Throws: ``GATTError``.
  func read(_ characteristic: UInt16) throws(GATTError) -> [UInt8]
}

/// The failures of a GATT operation.
public enum GATTError: Error, Hashable, Sendable {
  /// There is no connection.
  case disconnected
  /// No response arrived.
  case noResponse
  /// The value is longer than the attribute protocol permits.
  case valueTooLong
  /// The server has no such characteristic.
  case noSuchCharacteristic
}

/// The server side of a connection, which holds the values.
public protocol GATTServer: AnyObject {
  /// Handles the write of a value by a client.
  ///
  /// - Throws: ``GATTError``.
  func take(_ value: [UInt8], for characteristic: UInt16) throws(GATTError)
  /// Returns the value that a client reads.
  ///
  /// - Throws: ``GATTError``.
  func value(of characteristic: UInt16) throws(GATTError) -> [UInt8]
  /// Notifies the server that an operation found no connection.
  func lost()
}

extension GATTServer {
  /// The default implementation, which does nothing.
  public func lost() {}
}

/// An in-process connection with the latency and the failures of a radio.
///
/// Each operation is sent at the next connection event and answered at the event after that. The jitter models missed
/// events and a busy phone.
public final class SimulatedGATTLink: GATTLink {
  /// The maximum length of the value in a write request, in bytes: the ATT_MTU of 23, less 3.
  public static let longestWrite = 20
  /// The maximum length of the value in a read response, in bytes: the ATT_MTU of 23, less 1.
  public static let longestRead = 22

  /// The number of lost answers.
  public private(set) var lost = 0
  /// The number of operations that found no connection.
  public private(set) var refused = 0
  /// The number of operations that found no connection, for each reason.
  public private(set) var refusals: [Absence: Int] = [:]
  /// The number of commands received by the board.
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
  ///   - clock: the clock of the connection.
  ///   - options: the behavior of the connection.
  ///   - faults: the faults to inject into the frames.
  ///   - seed: the seed of jitter and losses. Default: 0.
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

  /// The battery charge in percent; 100 without a battery model.
  public var battery: UInt8 {
    UInt8((100 * max(1 - drained, 0)).rounded())
  }

  /// The used fraction of the battery, from 0 to 1.
  private var drained: Double {
    if flatSince != nil { return 1 }
    if let power = options.power {
      return 1 - power.charged + (charge ?? 0) / max(power.capacity, 1e-9)
    }
    guard let life = options.batteryLife else { return 0 }
    return Double(clock.nanoseconds) / Double(life)
  }

  /// The time at which the battery became empty, in nanoseconds; `nil` while it is not empty.
  public var flatSince: UInt64? {
    let end =
      options.power?.end(interval: options.interval, commands: commands) ?? options.batteryLife
    return end.flatMap { $0 <= clock.nanoseconds ? $0 : nil }
  }

  /// The charge used by the board, in mAh, at most the battery's charge; `nil` without a power model.
  public var charge: Double? {
    options.power.map { power in
      min(
        power.charge(
          over: powered, interval: options.interval, commands: commands), power.available)
    }
  }

  /// The time for which the board has had power, in nanoseconds.
  private var powered: UInt64 { flatSince ?? clock.nanoseconds }

  /// Calculates the battery life in hours at the average consumption until now, or until the battery was empty.
  ///
  /// The microcontroller is assumed to sleep between radio events if `sleeping` is `true`. Without a power model the
  /// result is `nil`.
  public func life(sleeping: Bool) -> Double? {
    options.power?.sleeping(sleeping).life(
      over: powered, interval: options.interval, commands: commands)
  }

  /// The reason why there is currently no connection; `nil` if there is one.
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

  /// Reads a value; as the attribute protocol prescribes, it is truncated to `longestRead` bytes.
  ///
  /// - Throws: ``GATTError``.
  public func read(_ characteristic: UInt16) throws(GATTError) -> [UInt8] {
    let fault = try travel(isWrite: false)
    let value = try server.value(of: characteristic)
    try answer(fault)
    return Array(value.prefix(Self.longestRead))
  }

  /// Sends a request to the board.
  ///
  /// - Returns: the fault injected into the frame, if any.
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

  /// Waits for the answer, which may be lost.
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

  /// The additional probability of losing an answer near the end of the battery's life.
  private var fading: Double {
    max(0, drained - 0.9) * 10
  }
}

extension SimulatedGATTLink {
  /// The behavior of the connection.
  public struct Options: Hashable, Sendable {
    /// The connection interval in nanoseconds; 0 for an ideal link.
    ///
    /// Default: 30 ms.
    public var interval: UInt64 = 30_000_000
    /// The maximum additional duration of an operation, as a fraction of two intervals.
    ///
    /// Default: 0.
    public var jitter = 0.0
    /// The probability that an answer is lost, from 0 to 1.
    ///
    /// Default: 0.
    public var loss = 0.0
    /// The times without a connection, in nanoseconds since the start.
    public var outages: [Range<UInt64>] = []
    /// The times in which the board does not advertise, in nanoseconds since the start; it then cannot be found at any
    /// distance.
    public var silences: [Range<UInt64>] = []
    /// The power model of the board, by which use drains the battery; `nil` if `batteryLife` applies instead.
    public var power: BoardPower?
    /// The battery life of the board in nanoseconds, for a board without a power model; `nil` for unlimited.
    ///
    /// The board has no sleep mode, so its battery life does not depend on use. In the last tenth of the battery life,
    /// more and more answers are lost.
    public var batteryLife: UInt64?

    /// Creates options: 30 ms, no jitter, no losses.
    public init() {}
  }

  /// The reasons why there is no connection.
  public enum Absence: String, Hashable, Sendable, CaseIterable {
    /// The board is too far away.
    case outOfRange = "out of range"
    /// The board is near and has stopped advertising.
    case silent = "not advertising"
    /// The battery of the board is empty.
    case flat = "its battery is flat"

    /// The name of the reason in events.
    public var name: String {
      switch self {
      case .outOfRange: "out-of-range"
      case .silent: "not-advertising"
      case .flat: "flat"
      }
    }

    /// The reason as a phrase for failure messages.
    public var reason: String {
      switch self {
      case .outOfRange: "the board is out of range"
      case .silent: "the board is in range but does not advertise"
      case .flat: "the board's battery is flat"
      }
    }

    /// The suggested remedy.
    public var remedy: String {
      switch self {
      case .outOfRange: "move closer"
      case .silent: "it is switched off or hangs; press its button"
      case .flat: "charge or replace it"
      }
    }
  }
}
