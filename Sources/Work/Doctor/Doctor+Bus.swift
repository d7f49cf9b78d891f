package import Bench
import Bridges
import Chips
import Files
package import Findings
import I2C
import Parts
import Quantities
import Text
import TraceTools
import VirtualI2C

extension Doctor {
  /// Looks at the sensors of a bus in the order of the thesis's own questions: is the adapter or board found, does
  /// anybody answer, do data come, are they right.
  ///
  /// - Parameter reference: the bus.
  /// - Returns: what was found, up to the first thing that is broken, with what to check.
  package static func examine(_ reference: BusReference) -> [Finding] {
    let bus: OpenBus
    do throws(Failure) {
      bus = try OpenBus(reference, ReplayOptions(.model), trace: nil)
    } catch {
      return [
        Finding(
          standing: .broken, subject: "bus",
          detail: error.messages.joined(separator: "; ")
            + "; check: the name (aneroid doctor lists adapters), that a board is charged, near and connected"
        )
      ]
    }
    var findings = [Finding(standing: .good, subject: "bus", detail: "\(bus.name) is there")]
    // Who has just got its power, as on a rig, may not answer yet.
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
          "check: \(wiring); a board that blinks on each command but gives nothing: its wiring")
    ]
  }

  /// That nobody answers at an address, and how that is known.
  private static func silence(_ error: I2CError, behindBoard: Bool) -> String {
    guard behindBoard, error.kind == .timeOut else { return "nobody answers: \(error)" }
    // A board gives an empty answer, and a program waits for another one in vain.
    return "nobody answers behind the board, which says so by silence"
  }

  /// Whether a board can be reached, and what to do where it cannot.
  private static func board(_ absence: SimulatedGATTLink.Absence?, _ battery: Int) -> Finding {
    let charge = "battery \(battery) %"
    let (standing, detail): (Standing, String) =
      switch absence {
      case nil: (.good, "advertises and is connected, \(charge)")
      case .outOfRange?:
        (
          .broken,
          "out of range: \(SimulatedGATTLink.Absence.outOfRange.remedy); \(charge) when it was last heard"
        )
      case .silent?:
        (
          .broken,
          "near, and not advertising: \(SimulatedGATTLink.Absence.silent.remedy); \(charge)"
        )
      case .flat?:
        (.broken, "its battery is flat: \(SimulatedGATTLink.Absence.flat.remedy)")
      }
    return Finding(standing: standing, subject: "board", detail: detail)
  }

  /// What to look at when nobody answers: as with the part that is met most often.
  private static var wiring: String {
    let pins = Catalogue.models.first?.wiring ?? PartWiring()
    let common = ["power", "SDA and SCL not exchanged", "pull-ups"]
    return ((pins.address.map { [$0] } ?? []) + common + pins.others).joined(separator: "; ")
  }

  /// Whether an address is worth a question: on a bus whose sensors are known only theirs and the usual ones are.
  private static func mayAnswer(_ address: I2CAddress, on bus: OpenBus) -> Bool {
    bus.sensors.contains { $0.address == address }
      || Catalogue.models.first?.addresses.contains(address) == true || bus.sensors.isEmpty
  }

  /// Looks at who answers at an address.
  ///
  /// - Throws: `I2CError` where nobody does.
  private static func examine(
    _ bus: OpenBus, _ address: I2CAddress
  ) throws(I2CError) -> [Finding] {
    var strangers: [String] = []
    var found: [any PartModel] = []
    var failure: I2CError?
    for model in Catalogue.models(at: address) {
      do throws(I2CError) {
        switch try model.identify(bus.adapter, at: address) {
        case .itself: found.append(model)
        case .other(let stranger): strangers.append(stranger)
        }
      } catch {
        // A part need not take what another is asked.
        failure = failure ?? error
      }
    }
    if let failure, found.isEmpty, strangers.isEmpty { throw failure }
    // Relatives that say the same of themselves are told apart only by who has put them there.
    let known = bus.sensors.first { $0.address == address }?.model.name
    if let known = found.first(where: { $0.name == known }) { found = [known] }
    if let model = found.first {
      return examine(bus, address, model, named: found.map(\.titleWithArticle))
    }
    return [
      Finding(
        standing: .broken, subject: "\(address)",
        detail: strangers.last ?? "answers, whatever it is")
    ]
  }

  private static func examine(
    _ bus: OpenBus, _ address: I2CAddress, _ model: any PartModel, named names: [String]
  ) -> [Finding] {
    var findings = [
      Finding(
        standing: .good, subject: "\(address)",
        detail: "\(names.joined(separator: " or ")) answers")
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

  /// What to check when a step of a driver fails.
  private static func advice(on error: SensorFailure) -> String {
    switch error.kind {
    case .wire(let cause) where cause.kind == .timeOut:
      "check: reads longer than the adapter's limit give nothing (\(BoardModel.limits)); distance and "
        + "charge of a board"
    case .wire: "check: loose contacts, pull-ups, the length of the wires"
    case .unready: "check: power, and a reset that does not end"
    case .settingsLost: "check: the supply, which breaks down while the part measures"
    default: "aneroid read --trace shows each transfer"
    }
  }

  /// Whether two measurements are such as air gives.
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
        detail: "\(text) cannot be: "
          + (shortcoming
            ?? "the calibration or the raw values are wrong; aneroid read --trace FILE, then aneroid diagnose FILE")
      )
    }
    let jump = second.pascals.flatMap { now in first.pascals.map { abs(now - $0) } } ?? 0
    guard jump < 500 else {
      return Finding(
        standing: .broken, subject: "\(address)",
        detail:
          "\(text), but \(Decimal.fixed(Quantity.pressure.shown(jump), 1)) hPa off the second before: check the supply"
      )
    }
    return Finding(
      standing: .good, subject: "\(address)",
      detail:
        "\(text). A program that shows something else: record it (aneroid exec --bus BUS --trace FILE), "
        + "then aneroid diagnose FILE. A forecast that is wrong although this is right: height counts as "
        + "weather, 11 m are 1.3 hPa")
  }
}
