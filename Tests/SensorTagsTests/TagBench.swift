import BluetoothLE
import Environment
import SensorTags
import Testing

/// A tag and a central in range of each other.
final class TagBench {
  let air = BLEAir(seed: 3)
  let central: VirtualRadio
  let radio: VirtualRadio
  let tag: SensorTag
  private(set) var link = BLEConnection(rawValue: 0)
  private(set) var services: [GATTService] = []
  private var heard: [BLEEvent] = []

  init(
    _ model: TagModel = .cc2650, celsius: Double = 25, humidity: Double = 60,
    pascals: Double = 100_653
  ) {
    central = air.radio(BLEAddress(0xC000_0000_0001))
    radio = air.radio(BLEAddress(0xC4BE_8470_1122), at: BLEPosition(x: 2))
    let around = ScriptedAir(
      constant: Air(pressure: pascals, temperature: celsius, humidity: humidity))
    tag = SensorTag(model, on: radio, in: around, seed: 5)
    tag.run(in: air)
  }

  /// Returns the result of a command from the central, with the time at which the result arrived.
  func outcome(_ command: BLECommand) -> (result: Result<BLEResult, BLEError>?, time: UInt64) {
    let number = central.send(command)
    while let event = central.next(by: air.nanoseconds + 60_000_000_000) {
      switch event.kind {
      case .done(number, let result): return (.success(result), event.time)
      case .failed(number, let error): return (.failure(error), event.time)
      default: heard.append(event)
      }
    }
    return (nil, air.nanoseconds)
  }

  func connect() throws {
    guard
      case .success(.connected(let link)) =
        outcome(.connect(radio.address, timeOut: 5_000_000_000)).result
    else { throw Unreachable() }
    self.link = link.connection
    guard case .success(.services(let found)) = outcome(.discover(self.link)).result else {
      throw Unreachable()
    }
    services = found
  }

  struct Unreachable: Error {}

  func handle(_ number: UInt16) -> UInt16 {
    services.characteristic(TagModel.identifier(number))?.handle ?? 0
  }

  func read(_ number: UInt16) -> [UInt8]? {
    guard case .success(.value(let value)) = outcome(.read(link, handle: handle(number))).result
    else { return nil }
    return value
  }

  @discardableResult
  func write(_ value: [UInt8], _ number: UInt16) -> Result<BLEResult, BLEError>? {
    outcome(.write(value, link, handle: handle(number))).result
  }

  func subscribe(_ number: UInt16) { _ = outcome(.subscribe(link, handle: handle(number))) }

  /// Returns the notifications that arrive within a duration, with their times.
  func notifications(for nanoseconds: UInt64) -> [(time: UInt64, value: [UInt8])] {
    let end = air.nanoseconds + nanoseconds
    while let event = central.next(by: end) { heard.append(event) }
    defer { heard = [] }
    return heard.compactMap {
      if case .notified(let value, _, _, _) = $0.kind { ($0.time, value) } else { nil }
    }
  }
}
