public import I2C
import VirtualI2C

/// The air between radios of this process, in virtual time: range, losses, signal strength, connection events.
///
/// It moves only when it is told to, or when a radio waits for an event. All its chance comes from its seed: twice the same
/// commands at the same times, twice the same events. Whoever uses its radios keeps it: without it they do nothing, and their last event is that they are gone.
public final class BLEAir: I2CClock {
  /// The time in nanoseconds.
  public private(set) var nanoseconds: UInt64
  /// How waves and connections behave.
  public let options: Options
  /// Its radios, in the order in which they came.
  public private(set) var radios: [VirtualRadio] = []

  let seed: UInt64
  var chance: SeededGenerator
  private(set) var byAddress: [BLEAddress: VirtualRadio] = [:]
  private var plans = BLEPlans()
  var scanners: [VirtualRadio] = []

  /// Creates air without radios.
  ///
  /// - Parameters:
  ///   - seed: what all chance comes from.
  ///   - options: how it behaves.
  ///   - start: its time, in nanoseconds.
  public init(seed: UInt64, options: Options = Options(), start: UInt64 = 0) {
    self.seed = seed
    self.options = options
    nanoseconds = start
    chance = SeededGenerator(seed: seed, stream: 0xB1EA1)
  }

  deinit { for radio in radios { radio.endsWithAir(at: nanoseconds) } }

  /// Puts a radio into the air, switched on.
  ///
  /// - Parameters:
  ///   - address: who it is; no other radio may have it.
  ///   - place: where it is.
  ///   - capabilities: what it can.
  /// - Returns: the radio.
  public func radio(
    _ address: BLEAddress, at place: BLEPlace = BLEPlace(),
    _ capabilities: BLECapabilities = BLECapabilities()
  ) -> VirtualRadio {
    precondition(byAddress[address] == nil, "two radios have the address \(address)")
    let radio = VirtualRadio(address, in: self, at: place, capabilities)
    radios.append(radio)
    byAddress[address] = radio
    return radio
  }

  /// When something happens next, in nanoseconds; `nil` where nothing will.
  public var nextChange: UInt64? { plans.first?.time }

  /// Does something at a time, which firmware and users of the air share with it; at once where the time is past.
  public func schedule(at time: UInt64, _ action: @escaping () -> Void) {
    plans.add(at: max(time, nanoseconds), action)
  }

  /// Lets all happen that is due by a time.
  public func advance(to time: UInt64) {
    while let plan = plans.removeFirst(by: time) {
      nanoseconds = max(nanoseconds, plan.time)
      plan.action()
    }
    nanoseconds = max(nanoseconds, time)
  }

  /// Lets the next thing happen, if it is due by a time.
  ///
  /// - Returns: whether there was one.
  func step(by time: UInt64) -> Bool {
    guard let plan = plans.removeFirst(by: time) else { return false }
    nanoseconds = max(nanoseconds, plan.time)
    plan.action()
    return true
  }

  /// Lets time pass, and all happen that falls into it.
  public func wait(nanoseconds: UInt64) {
    let (sum, isTooMuch) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    advance(to: isTooMuch ? .max : sum)
  }
}
