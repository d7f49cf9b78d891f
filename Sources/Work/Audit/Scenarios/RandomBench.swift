package import BME280
import Chips
import Environment
import I2C
import Parts
import Quantities
import Support
import VirtualI2C

/// A random bench: a part, its air, its timing, the speed of its bus and perhaps a fault.
struct RandomBench: Sendable {
  /// The name of the scenario: `random-17`.
  var name: String
  /// The seed from which the bench was drawn, and its number.
  var origin: String
  /// The words of the part's calibration, and where they come from.
  var part: (words: Part, source: String)
  /// The air, and the air after the first event; `nil` if it does not change.
  var air: Air
  var laterAir: Air?
  /// The inputs of the part, and those after the first event; empty for the usual ones.
  var inputs: [Double] = []
  var laterInputs: [Double] = []
  /// The durations of the part: `typical`, `maximum` or `drawn`.
  var timing = "typical"
  /// The bus frequency in Hz.
  var frequency = I2CBusFrequency.standard
  /// The keys of a fault at the first event; `nil` for none.
  var fault: String?
  let auditedPart: AuditedPart?

  /// What all benches of an audit have in common.
  struct Kind {
    /// The part, if it is of another family than the chip.
    let part: AuditedPart?
    let chip: Chip
    /// `true` for firmware, whose adapter belongs to its microcontroller.
    let isFirmware: Bool
  }

  /// Draws the bench with a number.
  ///
  /// The first benches have the built-in calibrations of real parts, all others calibrations whose temperature, pressure and
  /// humidity words come from real parts.
  init(_ number: Int, seed: UInt64, _ kind: Kind, real: [(words: Part, source: String)]) {
    var chance = SeededGenerator(seed: seed, stream: UInt64(number))
    func pick<Element>(_ elements: [Element]) -> Element {
      elements[Int(chance.next() % UInt64(elements.count))]
    }
    name = "random-\(number)"
    origin = "Random bench \(number) of seed \(seed)"
    auditedPart = kind.part
    if number <= real.count {
      part = real[number - 1]
    } else {
      let sources = [pick(real), pick(real), pick(real)]
      part = (
        Part(mixing: sources.map(\.words)),
        sources.map(\.source).joined(separator: ", ")
      )
    }
    air = Self.air(&chance, kind.part)
    if let part = kind.part, part.changesInputs { inputs = part.inputs(at: chance.unit()) }
    timing = pick(["typical", "maximum", "drawn"])
    if !kind.isFirmware {
      frequency = pick([I2CBusFrequency.standard, 400_000])
    }
    switch chance.next() % 4 {
    case 0:
      laterAir = Self.air(&chance, kind.part)
      if let part = kind.part, part.changesInputs { laterInputs = part.inputs(at: chance.unit()) }
    // Firmware may display means, for which a lost measurement is no defect.
    case 1 where !kind.isFirmware: fault = pick(Self.faults + [Self.stretch])
    default: break
    }
  }

  /// Faults after which a correct program reports an error or continues.
  private static let faults = [
    "kind: nack-address, at: {event}", "kind: power-loss, at: {event}, for: 20ms",
    "kind: arbitration-lost, at: {event}", "kind: bus-error, at: {event}",
  ]

  /// A stretched clock, which no correct program notices.
  private static let stretch = "kind: clock-stretch, at: {event}, for: 3ms"

  /// Draws air within the range of the part: often a temperature around 0 or a small decimal.
  static func air(_ chance: inout SeededGenerator, _ part: AuditedPart?) -> Air {
    func between(_ range: ClosedRange<Double>, decimals: Double) -> Double {
      let margin = (range.upperBound - range.lowerBound) / 100
      let value =
        range.lowerBound + margin + (range.upperBound - range.lowerBound - 2 * margin)
        * chance.unit()
      return (value * decimals).rounded() / decimals
    }
    func range(_ quantity: Quantity, _ usual: ClosedRange<Double>) -> ClosedRange<Double> {
      guard let range = part?.ranges[quantity], range.lowerBound.isFinite, range.upperBound.isFinite
      else { return usual }
      return range
    }
    let temperatures = range(.temperature, -40...85)
    var temperature = between(temperatures, decimals: 100)
    switch chance.next() % 4 {
    case 0 where temperatures.contains(-1): temperature = between(-1...1, decimals: 100)
    case 1: temperature = temperature.rounded() + between(0...0.09, decimals: 100)
    default: break
    }
    return Air(
      pressure: between(range(.pressure, 30_000...110_000), decimals: 1),
      temperature: min(max(temperature, temperatures.lowerBound), temperatures.upperBound),
      humidity: between(range(.humidity, 0...100), decimals: 10))
  }

  /// The bench as a scenario.
  var scenario: Scenario {
    var keys = ["timing \(timing)", "\(frequency / 1000) kHz"]
    if auditedPart == nil { keys.insert("calibration of \(part.source)", at: 0) }
    if laterAir != nil { keys.append("all values change") }
    if let fault { keys.append(String(fault.dropFirst(6).prefix { $0 != "," })) }
    var phases = [Scenario.Phase(start: .seconds(0), air: air, inputs: inputs)]
    if let laterAir {
      phases.append(Scenario.Phase(start: .event, air: laterAir, inputs: laterInputs))
    }
    let summary = "\(origin): \(keys.joined(separator: ", "))"
    return Scenario(name, summary, exposes: [], part: part.words, phases: phases).with {
      $0.auditedPart = auditedPart
      if timing != "typical" { $0.device = ["timing: \(timing)"] }
      $0.adapter = "frequency: \(frequency / 1000)kHz"
      guard let fault else { return }
      $0.faults = [fault]
      $0.mayNotHappen = true
      guard fault != Self.stretch else { return }
      $0.passes = true
      $0.wanted = .valuesOrError
    }
  }

  /// Simpler benches, the simplest in each respect first.
  var simplifications: [RandomBench] {
    var all: [RandomBench] = []
    func add(_ isOther: Bool, _ change: (inout RandomBench) -> Void) {
      guard isOther else { return }
      var simpler = self
      change(&simpler)
      all.append(simpler)
    }
    let mild = auditedPart?.mild ?? .mild
    add(fault != nil) { $0.fault = nil }
    add(laterAir != nil) { $0.laterAir = nil }
    add(timing != "typical") { $0.timing = "typical" }
    add(frequency != I2CBusFrequency.standard) { $0.frequency = I2CBusFrequency.standard }
    add(part.source != Self.usual.source) { $0.part = Self.usual }
    add(air != mild) { $0.air = mild }
    add(!inputs.isEmpty) { $0.inputs = [] }
    for (path, rounded) in [
      (\Air.humidity, air.humidity.rounded()),
      (\Air.pressure, (air.pressure / 100).rounded() * 100),
      (\Air.temperature, air.temperature.rounded()),
    ] as [(WritableKeyPath<Air, Double>, Double)]
    where air[keyPath: path] != mild[keyPath: path] {
      add(true) { $0.air[keyPath: path] = mild[keyPath: path] }
      add(air[keyPath: path] != rounded) { $0.air[keyPath: path] = rounded }
    }
    return all
  }

  /// The calibration of the fixed benches.
  static let usual = (words: Part.real, source: "periph-i2c")

  /// The built-in calibrations of real parts of a chip.
  static func realParts(_ chip: Chip) -> [(words: Part, source: String)] {
    let all = BuiltInFile.names(.calibration).compactMap { name -> (words: Part, source: String)? in
      guard let file = BuiltInFile.named(name, .calibration),
        let found = try? CalibrationFile(text: file.text, file: file.path), found.chip == chip,
        let words = found.calibration
      else { return nil }
      return (Part(words), name)
    }
    return all.isEmpty ? [usual] : all
  }
}

extension Part {
  /// Creates a part with the temperature words of the first, the pressure words of the second and the humidity words of the
  /// third of three parts.
  init(mixing parts: [Part]) {
    let (temperature, pressure, humidity) = (
      parts[0].calibration, parts[1].calibration, parts[2].calibration
    )
    var words = pressure
    (words.t1, words.t2, words.t3) = (temperature.t1, temperature.t2, temperature.t3)
    (words.h1, words.h2, words.h3) = (humidity.h1, humidity.h2, humidity.h3)
    (words.h4, words.h5, words.h6) = (humidity.h4, humidity.h5, humidity.h6)
    self.init(words)
  }
}

/// Random benches instead of the fixed ones.
package struct RandomBenches: Sendable {
  let benches: [RandomBench]

  /// Draws benches.
  ///
  /// - Parameters:
  ///   - count: the number of benches.
  ///   - seed: the seed; the same seed gives the same benches.
  ///   - chip: the chip of the benches.
  ///   - part: the part of the benches, if it is of another family; `nil` for the chip.
  ///   - isFirmware: whether firmware is audited, whose adapter belongs to its microcontroller.
  package init(_ count: Int, seed: UInt64, chip: Chip, part: AuditedPart?, isFirmware: Bool) {
    let real = part == nil ? RandomBench.realParts(chip) : [RandomBench.usual]
    let kind = RandomBench.Kind(part: part, chip: chip, isFirmware: isFirmware)
    benches = (1...max(count, 1)).map { RandomBench($0, seed: seed, kind, real: real) }
  }

  /// The benches as scenarios.
  package var scenarios: [Scenario] { benches.map(\.scenario) }
}
