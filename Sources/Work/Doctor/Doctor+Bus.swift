package import Bench
import Bridges
import Chips
import I2C
import Parts
import Quantities
package import Support
import TraceTools
import VirtualI2C

extension Doctor {
  /// Checks the sensors on a bus step by step: adapter or board found, device responds, data
  /// received, values plausible.
  ///
  /// - Parameter reference: the bus.
  /// - Returns: the findings, up to the first failure, with suggestions.
  package static func examine(_ reference: BusReference) -> [Finding] {
    let bus: OpenBus
    do throws(Failure) {
      bus = try OpenBus(reference, ReplayOptions(.model), trace: nil)
    } catch {
      return [
        Finding(
          standing: .broken, subject: "bus",
          detail: error.messages.joined(separator: "; ")
            + "; check: the name (aneroid doctor lists adapters); for a board, its charge, distance and connection"
        )
      ]
    }
    var findings = [Finding(standing: .good, subject: "bus", detail: "\(bus.name) found")]
    // A device that was just powered on, as on a rig, may not respond yet.
    bus.clock.wait(nanoseconds: 20_000_000)
    if let board = bus.board?() {
      findings.append(self.board(board.absence, board.battery))
      if board.absence != nil { return findings }
    }
    var hasAnswer = false
    for address in Catalogue.addresses where mayAnswer(address, on: bus) {
      do throws(I2CError) {
        let found = try examine(bus, address)
        hasAnswer = true
        findings += found
      } catch {
        findings.append(
          Finding(
            standing: .absent, subject: "\(address)",
            detail: silence(error, behindBoard: bus.board != nil)))
      }
    }
    guard !hasAnswer else { return findings }
    return findings + [
      Finding(
        standing: .broken, subject: "sensor",
        detail:
          "check: \(wiring); if a board blinks on each command but returns no data: its wiring")
    ]
  }

  /// Describes a device that does not respond.
  private static func silence(_ error: I2CError, behindBoard: Bool) -> String {
    guard behindBoard, error.kind == .timeOut else { return "no response: \(error)" }
    // The board sends an empty reply, which the program ignores, so the operation times out.
    return "no response from the device connected to the board (timeout)"
  }

  /// Describes whether a board is reachable, with a remedy if not.
  private static func board(_ absence: SimulatedGATTLink.Absence?, _ battery: Int) -> Finding {
    let charge = "battery \(battery) %"
    let (standing, detail): (Standing, String) =
      switch absence {
      case nil: (.good, "advertises and is connected, \(charge)")
      case .outOfRange?:
        (
          .broken,
          "out of range: \(SimulatedGATTLink.Absence.outOfRange.remedy); \(charge) when last received"
        )
      case .silent?:
        (
          .broken,
          "near, but not advertising: \(SimulatedGATTLink.Absence.silent.remedy); \(charge)"
        )
      case .flat?:
        (.broken, "the battery is flat: \(SimulatedGATTLink.Absence.flat.remedy)")
      }
    return Finding(standing: standing, subject: "board", detail: detail)
  }

  /// The wiring checks for a device that does not respond, with the pins of the most common part.
  private static var wiring: String {
    let pins = Catalogue.models.first?.wiring ?? PartWiring()
    let common = ["power", "SDA and SCL not exchanged", "pull-ups"]
    return ((pins.address.map { [$0] } ?? []) + common + pins.others).joined(separator: "; ")
  }

  /// Returns `true` if an address is to be probed: on a bus with known sensors, only their
  /// addresses and the default addresses are.
  private static func mayAnswer(_ address: I2CAddress, on bus: OpenBus) -> Bool {
    bus.sensors.contains { $0.address == address }
      || Catalogue.models.first?.addresses.contains(address) == true || bus.sensors.isEmpty
  }

  /// Identifies the device at an address.
  ///
  /// - Throws: `I2CError` if no device responds.
  private static func examine(
    _ bus: OpenBus, _ address: I2CAddress
  ) throws(I2CError) -> [Finding] {
    var others: [String] = []
    var found: [any PartModel] = []
    var failure: I2CError?
    for model in Catalogue.models(at: address) {
      do throws(I2CError) {
        switch try model.identify(bus.adapter, at: address) {
        case .itself: found.append(model)
        case .other(let other): others.append(other)
        }
      } catch {
        // A part may reject the identification of another part.
        failure = failure ?? error
      }
    }
    if let failure, found.isEmpty, others.isEmpty { throw failure }
    // Parts with the same ID are distinguished only by the rig.
    let known = bus.sensors.first { $0.address == address }?.model.name
    if let known = found.first(where: { $0.name == known }) { found = [known] }
    if let model = found.first {
      return examine(bus, address, model, named: found.map(\.titleWithArticle))
    }
    return [
      Finding(
        standing: .broken, subject: "\(address)",
        detail: others.last ?? "responds, but is not a supported part")
    ]
  }

  private static func examine(
    _ bus: OpenBus, _ address: I2CAddress, _ model: any PartModel, named names: [String]
  ) -> [Finding] {
    var findings = [
      Finding(
        standing: .good, subject: "\(address)",
        detail: "\(names.joined(separator: " or ")) responds")
    ]
    let driver = model.driver(model.usualSettings, bus.adapter, bus.clock, at: address)
    do throws(SensorFailure) {
      try driver.start()
      let first = try driver.sample()
      bus.clock.wait(nanoseconds: 1_000_000_000)
      findings.append(judged(first, try driver.sample(), address, model))
    } catch {
      findings.append(
        Finding(standing: .broken, subject: "\(address)", detail: "\(error); \(advice(on: error))"))
    }
    return findings
  }

  /// The suggestion for a failed step of a driver.
  private static func advice(on error: SensorFailure) -> String {
    switch error.kind {
    case .wire(let cause) where cause.kind == .timeOut:
      "check: reads beyond the adapter's limit return no data (\(BoardModel.limits)); distance and "
        + "charge of a board"
    case .wire: "check: loose contacts, pull-ups, the length of the wires"
    case .unready: "check: the supply, and a reset line that is held active"
    case .settingsLost: "check: the supply voltage, which may drop during measurements"
    default: "use 'aneroid read --trace' to see each transfer"
    }
  }

  /// Checks whether two measurements are plausible.
  private static func judged(
    _ first: Sample, _ second: Sample, _ address: I2CAddress, _ model: any PartModel
  ) -> Finding {
    let values = [
      second.pascals.map { "\(Decimal.fixed(Quantity.pressure.shown($0), 2)) hPa" },
      second.celsius.map { "\(Decimal.fixed($0, 2)) C" },
      second.pascals == nil ? second.relativeHumidity.map { "\(Decimal.fixed($0, 1)) %RH" } : nil,
    ]
    let text = values.compactMap { $0 }.joined(separator: ", ")
    let shortcoming = model.shortcoming(of: second)
    guard model.ranges.contain(second), shortcoming == nil else {
      return Finding(
        standing: .broken, subject: "\(address)",
        detail: "\(text) is not plausible: "
          + (shortcoming
            ?? "the calibration or the raw values are wrong; aneroid read --trace FILE, then aneroid diagnose FILE")
      )
    }
    let jump = second.pascals.flatMap { now in first.pascals.map { abs(now - $0) } } ?? 0
    guard jump < 500 else {
      return Finding(
        standing: .broken, subject: "\(address)",
        detail:
          "\(text), but \(Decimal.fixed(Quantity.pressure.shown(jump), 1)) hPa different from a second ago: check the supply"
      )
    }
    return Finding(
      standing: .good, subject: "\(address)",
      detail:
        "\(text). If a program displays other values, record it (aneroid exec --bus BUS --trace FILE), "
        + "then run aneroid diagnose FILE. If only the forecast is wrong, check the altitude: "
        + "11 m correspond to 1.3 hPa")
  }
}
