import BME280
import BME280Driver
public import Bench
import Files
import Text
import TraceTools

import I2C
import VirtualI2C

extension Doctor {
  /// Looks at the sensors of a bus in the order of the thesis's own questions: is the adapter or board found, does
  /// anybody answer, do data come, are they right.
  ///
  /// - Parameter reference: the bus.
  /// - Returns: what was found, up to the first thing that is broken, with what to check.
  public static func examine(_ reference: BusReference) -> [Finding] {
    let bus: OpenBus
    do throws(BenchFailure) {
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
    var hasAnswer = false
    for address: I2CAddress in [0x76, 0x77] {
      do throws(I2CError) {
        let identifier = try bus.adapter.readRegister(Register.id, at: address)
        hasAnswer = true
        findings += examine(bus, address, identifier)
      } catch {
        findings.append(
          Finding(standing: .absent, subject: "\(address)", detail: "nobody answers: \(error)"))
      }
    }
    guard !hasAnswer else { return findings }
    return findings + [
      Finding(
        standing: .broken, subject: "sensor",
        detail:
          "check: SDO (at ground 0x76, at VDDIO 0x77); power; SDA and SCL not exchanged; pull-ups; CSB at "
          + "VDDIO; a board that blinks on each command but gives nothing: its wiring")
    ]
  }

  private static func examine(
    _ bus: OpenBus, _ address: I2CAddress, _ identifier: UInt8
  ) -> [Finding] {
    guard let chip = Chip(identifier: identifier) else {
      return [
        Finding(
          standing: .broken, subject: "\(address)",
          detail:
            "answers with the id 0x\(Hexadecimal.digits(identifier)), which is neither a BME280 (0x60) "
            + "nor a BMP280 (0x58)")
      ]
    }
    var findings = [
      Finding(
        standing: .good, subject: "\(address)", detail: "a \("\(chip.name)".uppercased()) answers")
    ]
    let driver = BME280Driver(adapter: bus.adapter, clock: bus.clock, address: address)
    do throws(BME280DriverError) {
      try driver.start()
      let first = try driver.measure()
      bus.clock.wait(nanoseconds: 1_000_000_000)
      findings.append(judged(first, try driver.measure(), address))
    } catch {
      findings.append(
        Finding(standing: .broken, subject: "\(address)", detail: "\(error); \(advice(on: error))"))
    }
    return findings
  }

  /// What to check when a step of a driver fails.
  private static func advice(on error: BME280DriverError) -> String {
    switch error.cause {
    case .bus(let cause) where cause.kind == .timeOut:
      "check: reads longer than the adapter's limit give nothing (18 bytes over the Automat); distance and charge "
        + "of a board"
    case .bus: "check: loose contacts, pull-ups, the length of the wires"
    case .blankCalibration, .notReady: "check: power, and a reset that does not end"
    case .settingsLost: "check: the supply, which breaks down while the part measures"
    default: "aneroid read --trace shows each transfer"
    }
  }

  /// Whether two measurements are such as air gives.
  private static func judged(
    _ first: Measurement, _ second: Measurement, _ address: I2CAddress
  ) -> Finding {
    let value = second.compensated
    let hectopascals = value.pressure / 100
    let text = "\(Decimal.fixed(hectopascals, 2)) hPa, \(Decimal.fixed(value.temperature, 2)) C"
    let isPowerOn = second.raw.pressure == RawMeasurement.skipped20
    let isPossible = (300...1100).contains(hectopascals) && (-40...85).contains(value.temperature)
    guard isPossible, !isPowerOn else {
      return Finding(
        standing: .broken, subject: "\(address)",
        detail: "\(text) cannot be: "
          + (isPowerOn
            ? "these are power-on values, nothing was measured"
            : "the calibration or the raw values are wrong; aneroid read --trace FILE, then aneroid diagnose FILE")
      )
    }
    let jump = abs(value.pressure - first.compensated.pressure)
    guard jump < 500 else {
      return Finding(
        standing: .broken, subject: "\(address)",
        detail:
          "\(text), but \(Decimal.fixed(jump / 100, 1)) hPa off the second before: check the supply"
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
