import BME280
import BME280Model
import Environment
import I2C
import Quantities
import TestSupport
import Testing
import VirtualI2C

/// Tests that a driver computes the air from the registers, within a step of the resolution.
struct InverseTests {
  /// The BME280 calibrations of the vectors, by name.
  static let sets: [(name: String, nvm: String)] = {
    let text = (try? Fixtures.text("fixtures/compensation/vectors.csv")) ?? ""
    var seen: Set<Substring> = []
    return text.split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: ",", maxSplits: 6, omittingEmptySubsequences: false)
      guard seen.insert(fields[1]).inserted else { return nil }
      return (String(fields[1]), String(fields[4] + fields[5]))
    }
  }()

  @Test("the tests cover 40 calibrations")
  func complete() { #expect(Self.sets.count == 40) }

  /// Returns the largest change of a value when its code changes by some steps.
  static func step(
    _ code: Int32, _ width: Int32, _ limit: Int32, _ value: (Int32) -> Double
  ) -> Double {
    let (low, high) = (max(code - width, 0), min(code + width, limit))
    return max(abs(value(high) - value(code)), abs(value(code) - value(low)))
  }

  @Test(
    "temperature, pressure and humidity are reproduced within one step", arguments: sets.map(\.name)
  )
  func comesBack(_ name: String) throws {
    let nvm = try #require(Self.sets.first { $0.name == name }?.nvm)
    for oversampling in [Oversampling.x1, .x4, .x16] {
      for temperature in stride(from: -40.0, through: 85, by: 25) {
        for pressure in stride(from: 30_000.0, through: 110_000, by: 20_000) {
          for humidity in [0.0, 20, 55, 90, 100] {
            let air = Air(pressure: pressure, temperature: temperature, humidity: humidity)
            try check(nvm, air, oversampling, name)
          }
        }
      }
    }
  }

  private func check(
    _ nvm: String, _ air: Air, _ oversampling: Oversampling, _ name: String
  ) throws {
    let probe = try Probe(nvm: nvm, air)
    try probe.force(oversampling, oversampling)
    let raw = try probe.raw()
    let calibration = probe.sensor.calibration
    let result = calibration.compensateSI(raw)
    let saturations = probe.sensor.saturations
    let width = Int32(1) << Int32(20 - oversampling.resolutionBits)
    let comment: Comment = "\(name) in \(air) at \(oversampling): \(raw)"

    func value(
      _ channel: WritableKeyPath<RawMeasurement, Int32>,
      _ quantity: KeyPath<CompensatedMeasurement, Double>
    ) -> (Int32) -> Double {
      { code in
        var moved = raw
        moved[keyPath: channel] = code
        return calibration.compensateSI(moved)[keyPath: quantity]
      }
    }
    if saturations.temperature == nil {
      // The integer formula drops four bits and has a resolution of hundredths.
      let step = Self.step(
        raw.temperature, max(width, 16), 0xFFFFF, value(\.temperature, \.temperature))
      #expect(abs(result.temperature - air.temperature) <= step + 0.01, comment)
    }
    if saturations.pressure == nil {
      let step = Self.step(raw.pressure, width, 0xFFFFF, value(\.pressure, \.pressure))
      #expect(abs(result.pressure - air.pressure) <= step, comment)
    }
    if saturations.humidity == nil {
      let step = Self.step(raw.humidity, 1, 0xFFFF, value(\.humidity, \.humidity))
      #expect(abs(result.humidity - air.humidity) <= step, comment)
    }
  }

  @Test(
    "each real calibration has a code for every temperature and pressure in the operating range")
  func realPartsReachAll() throws {
    for (name, nvm) in Self.sets where !name.hasPrefix("syn") {
      for temperature in stride(from: -40.0, through: 85, by: 12.5) {
        for pressure in stride(from: 30_000.0, through: 110_000, by: 10_000) {
          let probe = try Probe(
            nvm: nvm, Air(pressure: pressure, temperature: temperature, humidity: 50))
          try probe.force(.x16, .x16)
          _ = try probe.raw()
          #expect(probe.sensor.saturations.temperature == nil, "\(name) \(temperature)")
          #expect(probe.sensor.saturations.pressure == nil, "\(name) \(temperature) \(pressure)")
        }
      }
    }
  }

  @Test("for values that a part cannot represent, no code is nearer", arguments: sets.map(\.name))
  func nearestOfAll(_ name: String) throws {
    let nvm = try #require(Self.sets.first { $0.name == name }?.nvm)
    for corner in [
      (-40.0, 30_000.0, 0.0), (-40, 110_000, 100), (85, 30_000, 100), (20, 70_000, 50),
    ] {
      let air = Air(pressure: corner.1, temperature: corner.0, humidity: corner.2)
      let probe = try Probe(nvm: nvm, air)
      try probe.force(.x1, .x1)
      var raw = try probe.raw()
      let calibration = probe.sensor.calibration
      if let shortfall = probe.sensor.saturations.humidity {
        let nearest = (0...0xFFFF as ClosedRange<Int32>).map { code in
          raw.humidity = code
          return abs(calibration.compensateSI(raw).humidity - air.humidity)
        }.min()
        #expect(nearest.map { $0 >= abs(shortfall.nearest - air.humidity) } == true)
      }
      if let shortfall = probe.sensor.saturations.pressure {
        let nearest = (0...0xFFFF as ClosedRange<Int32>).map { code in
          raw.pressure = code << 4
          return abs(calibration.compensateSI(raw).pressure - air.pressure)
        }.min()
        #expect(nearest.map { $0 >= abs(shortfall.nearest - air.pressure) } == true)
      }
    }
  }

  @Test("only the listed synthetic calibrations lack codes for a part of the operating range")
  func whoFallsShort() throws {
    var short: [String: Set<String>] = [:]
    for (name, nvm) in Self.sets {
      for temperature in stride(from: -40.0, through: 85, by: 12.5) {
        for pressure in stride(from: 30_000.0, through: 110_000, by: 20_000) {
          for humidity in [0.0, 50, 100] {
            let probe = try Probe(
              nvm: nvm, Air(pressure: pressure, temperature: temperature, humidity: humidity))
            try probe.force(.x1, .x1)
            _ = try probe.raw()
            let found = probe.sensor.saturations
            if found.temperature != nil { short[name, default: []].insert("temperature") }
            if found.pressure != nil { short[name, default: []].insert("pressure") }
            if found.humidity != nil { short[name, default: []].insert("humidity") }
          }
        }
      }
    }
    #expect(
      short == [
        "syn-adv-h2neg": ["humidity"], "syn-adv-h4neg": ["humidity"],
        "syn-adv-h4h5neg": ["humidity"], "syn-adv-p1-0": ["pressure"],
        "syn-adv-p1-65535": ["pressure"],
      ])
  }

  @Test("an air value for which a part has no code is reported with the nearest possible value")
  func shortfall() throws {
    // A slope of zero: every code has the same humidity.
    let nvm = Probe.periph.prefix(52) + "0000001305001e"
    let probe = try Probe(nvm: String(nvm), Air(pressure: 100_000, temperature: 20, humidity: 50))
    try probe.force(.x1, .x1)
    _ = try probe.raw()
    let shortfall = try #require(probe.sensor.saturations.humidity)
    #expect(shortfall.requested == 50)
    #expect(shortfall.nearest == 0)
    #expect(shortfall.count == 1)
    #expect(probe.sensor.saturations.pressure == nil)
  }
}
