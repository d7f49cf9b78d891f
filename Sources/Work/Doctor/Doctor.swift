import BME280
import BME280Driver
import Bench
package import Findings
import Foundation
import I2C
import Interposer
import LinuxI2C
import VirtualI2C
import BME280Model
import Environment

/// What this machine can do for a bench.
package enum Doctor {
  /// What a finding means for the user.
  enum Standing: String {
    /// It works.
    case good = "ok"
    /// It is not there, which only matters to those who need it.
    case absent = "--"
    /// It should work and does not.
    case broken = "FAIL"

    fileprivate var severity: Finding.Severity {
      switch self {
      case .good: .passed
      case .absent: .skipped
      case .broken: .error
      }
    }
  }

  /// What was found on this machine, or on one of its buses, for all writers.
  ///
  /// - Parameter bus: the bus; the machine where there is none.
  /// - Returns: the findings, in the order in which was looked.
  package static func inspection(_ bus: String?) -> Inspection {
    Inspection(
      "aneroid doctor", of: bus ?? "",
      nouns: Inspection.Nouns(rule: "subject", message: "found", defect: "should work and do not"),
      bus.map { examine(BusReference($0)) } ?? examine())
  }

  /// Looks at everything.
  package static func examine() -> [Finding] {
    [virtualBench(), arithmetic(), interposition()] + adapters()
  }

  /// Reads a virtual sensor through driver, adapter and wire.
  private static func virtualBench() -> Finding {
    let clock = VirtualClock()
    let air = Air(pressure: 100_000, temperature: 20, humidity: 40)
    let adapter = VirtualAdapter(clock: clock)
    let sensor = VirtualBME280(
      chip: .bme280, nvm: example.bytes, address: 0x76, air: ScriptedAir(constant: air))
    let driver = BME280Driver(adapter: adapter, clock: clock)
    do {
      try adapter.attach(sensor)
      try driver.start()
      let reading = try driver.measure()
      let isRight =
        abs((reading.pascals ?? 0) - air.pressure) < 4
        && abs((reading.celsius ?? 0) - air.temperature) < 0.02
        && abs((reading.relativeHumidity ?? 0) - air.humidity) < 0.1
      return Finding(
        standing: isRight ? .good : .broken, subject: "virtual bench",
        detail: isRight
          ? "a virtual BME280 in air of 1000 hPa, 20 C, 40 % reads as such"
          : "a virtual BME280 reads wrong values; please report this")
    } catch {
      return Finding(standing: .broken, subject: "virtual bench", detail: "\(error)")
    }
  }

  /// Computes the worked example of the BMP280 datasheet.
  private static func arithmetic() -> Finding {
    let raw = RawMeasurement(temperature: 519_888, pressure: 415_148)
    let result = datasheetExample.compensate(raw, variant: .datasheetInt64)
    let isRight = result.temperature == 2508 && result.pressure == 25_767_233
    return Finding(
      standing: isRight ? .good : .broken, subject: "compensation",
      detail: isRight
        ? "the datasheet's worked example comes out: 25.08 C, 100653.25 Pa"
        : "the datasheet's worked example comes out wrong; please report this")
  }

  /// Whether `aneroid exec` works here.
  private static func interposition() -> Finding {
    let problem = Availability.problem()
    return Finding(
      standing: problem == nil ? .good : .absent, subject: "/dev/i2c-N for other programs",
      detail: problem ?? "aneroid exec works here")
  }

  /// The real adapters of this machine.
  private static func adapters() -> [Finding] {
    let nodes = LinuxI2CNode.all()
    guard !nodes.isEmpty else {
      return [
        Finding(
          standing: .absent, subject: "real adapters",
          detail: "no /dev/i2c-N here; rigs do not need one")
      ]
    }
    return nodes.map { adapter($0.path, name: $0.name) }
  }

  /// What stands at the path of an adapter's node.
  static func adapter(_ path: String, name: String?) -> Finding {
    let subject = path + (name.map { ", \($0)" } ?? "")
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFCHR {
      return Finding(
        standing: .broken, subject: subject,
        detail: "no device: something else stands at its path, left by a program; remove it")
    }
    let isUsable = access(path, R_OK | W_OK) == 0
    return Finding(
      standing: isUsable ? .good : .absent, subject: subject,
      detail: isUsable
        ? "readable and writable"
        : "not accessible to this user; the group of the node (often i2c) has access")
  }

  /// The words of a real part (fixtures/calibrations/periph-i2c.yaml).
  private static let example = Calibration(
    t1: 28_176, t2: 26_220, t3: 50,
    p1: 38_237, p2: -10_824, p3: 3024, p4: 7799, p5: -99, p6: -7, p7: 9900, p8: -10_230, p9: 4285,
    h1: 75, h2: 366, h3: 0, h4: 309, h5: 0, h6: 30)

  /// The words of the worked example of the BMP280 datasheet.
  private static let datasheetExample = Calibration(
    t1: 27_504, t2: 26_435, t3: -1000,
    p1: 36_477, p2: -10_685, p3: 3024, p4: 2855, p5: 140, p6: -7, p7: 15_500, p8: -14_600,
    p9: 6000)
}

extension Finding {
  /// Creates what was found of a subject, and what to do about it.
  init(standing: Doctor.Standing, subject: String, detail: String) {
    self.init(standing.severity, subject, detail)
    word = standing.rawValue
  }
}
