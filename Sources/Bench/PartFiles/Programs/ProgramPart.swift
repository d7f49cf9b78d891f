package import Environment
package import I2C
import I2CTrace
package import Parts
import Quantities
package import Schema
package import Support
package import VirtualI2C

/// A part that is a program: `model: {program: [python3, my_part.py]}`.
///
/// Pipelines, `read` and traces know only its bytes, unless it behaves like a known model.
package struct ProgramPart: PartModel {
  /// The program and its arguments.
  package let arguments: [String]
  /// The working directory of the program: the folder of the rig.
  let folder: String
  /// The model whose driver reads the part; `nil` for none.
  let likeness: (any PartModel)?
  private let keyAddress: I2CAddress

  /// Creates the part.
  ///
  /// - Parameters:
  ///   - arguments: the program and its arguments.
  ///   - folder: its working directory.
  ///   - likeness: the model that it behaves like; `nil` for none.
  ///   - address: its address.
  package init(
    _ arguments: [String], in folder: String, like likeness: (any PartModel)?,
    at address: I2CAddress
  ) {
    (self.arguments, self.folder, self.likeness) = (arguments, folder, likeness)
    keyAddress = address
  }

  package var name: String { likeness?.name ?? "program" }
  package var title: String { arguments.joined(separator: " ") }
  package var addresses: [I2CAddress] { [keyAddress] }
  package var addressSummary: String { "\(keyAddress)" }
  package var ranges: SampleRanges { likeness?.ranges ?? SampleRanges() }
  package var keys: [Section.Field] { [] }
  package var driverKeys: [Section.Field] { likeness?.driverKeys ?? [] }
  package var text: any TransferText { likeness?.text ?? NoText() }
  package var fidelity: String { "" }

  package func configured(
    _ value: CheckedValue, _ reader: inout PartReader
  ) -> (any ConfiguredPart)? {
    ConfiguredProgramPart(part: self)
  }

  package var usualSettings: any DriverSettings { likeness?.usualSettings ?? NoSettings() }

  package func settings(_ value: CheckedValue, _ checker: inout Checker) -> any DriverSettings {
    likeness?.settings(value, &checker) ?? NoSettings()
  }

  package func driver(
    _ settings: any DriverSettings, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    at address: I2CAddress
  ) -> any SensorDriver {
    likeness?.driver(settings, adapter, clock, at: address) ?? NoDriver(address: address)
  }

  package func identify(
    _ adapter: any I2CAdapter, at address: I2CAddress
  ) throws(I2CError) -> PartIdentity {
    try likeness?.identify(adapter, at: address) ?? .itself
  }
}

/// A part that is a program, as configured by a rig.
package struct ConfiguredProgramPart: ConfiguredPart {
  package let part: ProgramPart

  package var model: any PartModel { part }
  package var program: [String]? { part.arguments }
  package var details: [String] { ["a program"] }
  package var excesses: [PartExcess] { [] }

  package func poweredOn(
    at address: I2CAddress, in air: any AirSource, seed: UInt64
  ) -> any VirtualPart {
    VirtualProgramPart(part.arguments, in: part.folder, at: address, air: air, seed: seed)
  }
}

/// The settings of a part without a driver.
private struct NoSettings: DriverSettings {
  var measurementTime: UInt64 { 0 }
  var measuresTemperature: Bool { false }
  var measuresPressure: Bool { false }
}

/// The driver of a part that no driver is known for.
private final class NoDriver: SensorDriver {
  let address: I2CAddress

  init(address: I2CAddress) { self.address = address }

  func start() throws(SensorFailure) {
    throw SensorFailure(
      .unexpectedDevice, step: "choosing a driver",
      cause: "the part is a program without 'like', which names the model whose driver reads it")
  }

  func sample() throws(SensorFailure) -> Sample { Sample() }
}

/// The text of a part whose bytes have no known meaning.
private struct NoText: TransferText {
  mutating func meaning(of transfer: TracedTransfer) -> String? { nil }
}

/// A virtual part whose behavior is a program.
///
/// After a failure of the program the part answers no more.
package final class VirtualProgramPart: VirtualI2CDevice {
  package let address: I2CAddress
  package let air: any AirSource
  /// The failure of the program; `nil` if there is none.
  package private(set) var failure: Failure?

  private let program: PartProgram?
  private let seed: UInt64
  private var isPowered = true
  private var busyUntil: UInt64 = 0
  private var wake: UInt64?
  private var written: [UInt8] = []
  private var bytes: [UInt8] = []
  private var nextByte = 0

  /// The largest number of `time` events between two events on the bus.
  static let mostWakes = 100_000

  /// Starts the program, whose first event is `on` at time 0.
  ///
  /// - Parameters:
  ///   - arguments: the program, looked up in PATH, and its arguments.
  ///   - folder: its working directory.
  ///   - address: the address of the part.
  ///   - air: the ambient air.
  ///   - seed: the seed that the program gets.
  package init(
    _ arguments: [String], in folder: String, at address: I2CAddress, air: any AirSource,
    seed: UInt64
  ) {
    (self.address, self.air, self.seed) = (address, air, seed)
    do throws(Failure) {
      program = try PartProgram(arguments, in: folder)
    } catch {
      (program, failure) = (nil, error)
    }
    _ = ask(.on, at: 0, origin)
  }

  /// The fields of each `on` event.
  private var origin: [(key: String, value: JSONValue)] {
    [("address", .integer(address.rawValue)), ("seed", .integer(seed))]
  }

  /// Passes an event on; returns `nil` after a failure.
  private func ask(
    _ event: PartProgram.Event, at time: UInt64, _ fields: [(key: String, value: JSONValue)] = []
  ) -> PartProgram.Answer? {
    guard let program, failure == nil else { return nil }
    let air = air.air(at: time)
    let sensed = Quantity.allCases.map { ("\($0)", JSONValue.decimal(air[$0])) }
    do throws(Failure) {
      let answer = try program.answer(to: event, at: time, fields + sensed)
      busyUntil = answer.busyUntil
      wake = answer.next
      return answer
    } catch {
      failure = error
      return nil
    }
  }

  /// Passes the `time` events on that are due.
  private func advance(to time: UInt64) {
    var count = 0
    while let due = wake, due <= time, isPowered, failure == nil {
      wake = nil
      count += 1
      guard count <= Self.mostWakes else {
        failure = Failure(
          .unavailable,
          "the part at \(address) asked for \(Self.mostWakes) 'time' events between two events on the bus"
        )
        return
      }
      _ = ask(.time, at: due)
    }
  }

  /// Passes the start of a read on; a write begins with its first byte.
  package func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    advance(to: time.nanoseconds)
    guard isPowered, failure == nil, time.nanoseconds >= busyUntil else { return false }
    written.removeAll(keepingCapacity: true)
    guard direction == .read else { return true }
    guard let answer = ask(.read, at: time.nanoseconds) else { return false }
    (bytes, nextByte) = (answer.bytes, 0)
    hold(answer, &time)
    return answer.isAcknowledged
  }

  /// Passes a written byte on, with those before it in the message.
  package func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    advance(to: time.nanoseconds)
    written.append(byte)
    let list = JSONValue.array(written.map { .integer($0) })
    guard let answer = ask(.write, at: time.nanoseconds, [("bytes", list)]) else { return false }
    hold(answer, &time)
    if !answer.isAcknowledged { written.removeLast() }
    return answer.isAcknowledged
  }

  private func hold(_ answer: PartProgram.Answer, _ time: inout WireTime) {
    guard answer.stretchUntil > time.nanoseconds else { return }
    time.stretch(nanoseconds: answer.stretchUntil - time.nanoseconds)
  }

  /// Returns the next byte of the answer, or ones after the last.
  package func read(at time: inout WireTime) -> UInt8 {
    guard nextByte < bytes.count else { return 0xFF }
    defer { nextByte += 1 }
    return bytes[nextByte]
  }

  /// Does nothing: a write is complete with its last byte.
  package func stop(at time: inout WireTime) {}

  package func setSupply(_ isOn: Bool, at time: UInt64) {
    guard isOn != isPowered else { return }
    advance(to: time)
    isPowered = isOn
    (bytes, written, wake, busyUntil) = ([], [], nil, 0)
    _ = isOn ? ask(.on, at: time, origin) : ask(.off, at: time)
  }
}

extension VirtualProgramPart: VirtualPart {}
