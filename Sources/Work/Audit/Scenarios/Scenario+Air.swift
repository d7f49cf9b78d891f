import BME280
import Environment

extension Scenario {
  /// Extreme air that is rare in a development environment.
  static let airs = [
    Scenario(
      "frost", "Air of -20 C", exposes: ["B11", "B15", "B17", "B39", "B41"], part: .packed,
      air: .frost),
    Scenario(
      "deep-frost", "Air of -39 C", exposes: ["B11", "B17"], part: .packed,
      air: Air(pressure: 103_320, temperature: -39.12, humidity: 54.3)),
    Scenario(
      "heat", "Air of 80 C", exposes: ["B13", "B15", "B41"], part: .packed,
      air: Air(pressure: 99_340, temperature: 80.41, humidity: 12.6)),
    Scenario(
      "just-below-zero", "Air of -0.43 C: a negative value with integer part 0",
      exposes: ["B61"], part: .packed,
      air: Air(pressure: 100_603, temperature: -0.43, humidity: 71.08)),
    Scenario(
      "small-fractions", "Values such as 19.07, whose decimals begin with a 0", exposes: ["B61"],
      part: .packed, air: Air(pressure: 100_906, temperature: 19.07, humidity: 42.06)),
    // H5 is 0 at the limits of humidity, so that errors in its nibbles do not hide the limits.
    Scenario(
      "dry", "Dry air: the code corresponds to less than 0 %", exposes: ["B12", "B48"],
      air: Air(pressure: 100_130, temperature: 24.3, humidity: 0)
    ).with {
      $0.concernsHumidity = true
      $0.device = ["offset: {humidity: -3%}"]
    },
    Scenario(
      "above-saturation",
      "Saturated air, and a part that reads higher: the code corresponds to more than 100 %",
      exposes: ["B12"],
      air: Air(pressure: 100_130, temperature: 24.3, humidity: 100)
    ).with {
      $0.concernsHumidity = true
      $0.device = ["offset: {humidity: +3%}"]
    },
    Scenario(
      "saturated", "Saturated air", exposes: ["B05", "B48"],
      part: .packed, air: Air(pressure: 100_130, temperature: 24.3, humidity: 100)
    ).with { $0.concernsHumidity = true },
    Scenario(
      "thin-air", "300 hPa, as in a balloon", exposes: ["B17", "B18"], part: .packed,
      air: Air(pressure: 30_040, temperature: -32.6, humidity: 8.2)),
    Scenario(
      "high-pressure", "1100 hPa, as in a mine", exposes: ["B18"], part: .packed,
      air: Air(pressure: 109_880, temperature: 33.4, humidity: 78.4)),
    Scenario(
      "beyond-the-range", "1128 hPa: above the specified range, but still measured",
      exposes: ["B20"], part: .packed,
      air: Air(pressure: 112_810, temperature: 21.7, humidity: 51.9)
    ).with { $0.wanted = .valuesOrError },
  ]

  /// Valid readings whose raw codes equal the codes of skipped channels.
  static let codes = [
    coded(
      "code-of-skipped-temperature", "The temperature's code is 0x80000",
      RawMeasurement(temperature: 0x80000, pressure: 0x4B2F0, humidity: 0x6C31)),
    coded(
      "code-of-skipped-pressure", "The pressure's code is 0x80000",
      RawMeasurement(temperature: 0x7D3A0, pressure: 0x80000, humidity: 0x6C31)),
    coded(
      "code-of-skipped-humidity", "The humidity's code is 0x8000",
      RawMeasurement(temperature: 0x7D3A0, pressure: 0x4B2F0, humidity: 0x8000)
    ).with { $0.concernsHumidity = true },
  ]

  private static func coded(
    _ name: String, _ summary: String, _ raw: RawMeasurement
  ) -> Scenario {
    Scenario(name, summary, exposes: ["B28"], part: .packed, air: air(of: raw))
  }

  /// Returns the air in which a part with the calibration `Part.packed` measures given raw codes.
  static func air(of raw: RawMeasurement) -> Air {
    let calibration = Part.packed.calibration
    let value = calibration.compensateSI(raw, variant: .datasheetDouble)
    // The integer formula maps some adjacent codes to the same humidity: move towards the next
    // code.
    var next = raw
    next.humidity += 1
    let (here, there) = (calibration.compensateSI(raw), calibration.compensateSI(next))
    let humidity = here.humidity + (there.humidity - here.humidity) / 4
    return Air(pressure: value.pressure, temperature: value.temperature, humidity: humidity)
  }
}

extension Scenario {
  /// Scenarios with changing air, in which each reading must match the air at its own time.
  static let courses = [
    Scenario(
      "weather", "The air changes before each reading, in small and large steps",
      exposes: ["B66"], part: .packed, phases: course(weather)
    ).timed(until: weather.count) { $0.staleClass = "B66" },
    Scenario(
      "same-codes", "One code stays constant while another changes, in turn", exposes: ["B63"],
      part: .packed, phases: course(sameCodes)
    ).timed(until: sameCodes.count) { $0.staleClass = "B63" },
    Scenario(
      "failures-in-weather", "Reads and writes fail occasionally, and the air changes each time",
      exposes: ["B60"], part: .packed, phases: course(Array(weather.prefix(13)))
    ).timed(until: 14) {
      $0.staleClass = "B60"
      $0.wanted = .valuesOrError
      $0.mayNotHappen = true
      $0.accusesMeans = true
      $0.faults = [
        "kind: nack-address, at: {event}",
        "kind: nack-address, register: {data}, direction: read, at: {event+2}",
        "kind: nack-address, register: 0xF4, direction: write, at: {event+4}",
        "kind: nack-address, register: 0xF3, direction: read, at: {event+6}",
        "kind: nack-address, at: {event+8}, for: {rests*4}",
      ]
    },
    Scenario(
      "lost-start", "The write that starts a measurement fails once, and the air changes each time",
      exposes: ["B60"], part: .packed, phases: course(Array(weather.prefix(6)))
    ).timed(until: 7) {
      $0.staleClass = "B60"
      $0.wanted = .valuesOrError
      $0.mayNotHappen = true
      $0.accusesMeans = true
      $0.faults = ["kind: nack-address, register: 0xF4, direction: write, at: {event+1}"]
    },
    Scenario(
      "scattered-failures", "One transfer fails at every third reading, 30 times", exposes: ["B68"],
      part: .packed
    ).withScatteredFailures(),
    Scenario(
      "unplugged", "The part is unplugged between two readings, permanently", exposes: ["B60"],
      part: .packed
    ).timed(until: 12) {
      $0.isGone = true
      $0.wanted = .valuesOrError
      $0.faults = ["kind: nack-address, count: 1000000, at: {event}"]
    },
    Scenario(
      "lost-in-reading",
      "The part is lost between the start of a measurement and the read of its result, permanently",
      exposes: ["B67"], part: .packed
    ).timed(until: 12) {
      $0.isGone = true
      $0.wanted = .valuesOrError
      $0.faults = ["kind: nack-address, direction: read, count: 1000000, at: {event}"]
    },
    Scenario(
      "stuck-measuring",
      "From the second reading on, the status says that a measurement is running, permanently",
      exposes: ["B67"], part: .packed
    ).timed(until: 12) {
      $0.wanted = .valuesOrError
      $0.mayNotHappen = true
      $0.faults = [
        "kind: stuck-bits, register: 0xF3, direction: read, mask: 0x08, level: 1, count: 1000000, at: {event}",
        // As part of a longer read from ctrl_hum on.
        "kind: stuck-bits, register: 0xF2, byte: 1, direction: read, mask: 0x08, level: 1, count: 1000000, at: {event}",
      ]
    },
    Scenario(
      "long-outage", "No device responds for 1,100 readings in a row, and then it responds again",
      exposes: ["B65"], part: .packed
    ).withLongOutage(),
    Scenario(
      "clock-step",
      "The wall clock is set one hour forward, and later one hour back, while the air changes",
      exposes: ["B69"], part: .packed, phases: course(Array(weather.prefix(16)))
    ).withClockSteps(),
    Scenario(
      "fast-bus", "A bus at 400 kHz, and maximum conversion times of the data sheet",
      exposes: ["B62"], part: .packed, phases: course(Array(weather.prefix(4)))
    ).timed(until: 5) {
      $0.adapter = "frequency: 400kHz"
      $0.device = ["timing: maximum"]
      $0.concernsAdapter = true
      $0.staleClass = "B62"
    },
    Scenario(
      "long-run", "2,200 readings with occasional changes of the air",
      exposes: ["B54", "B64", "B65"], part: .packed,
      phases: [Phase(start: .seconds(0), air: .mild)]
        + zip([40, 140, 262, 270, 520, 900, 1040, 1400, 2160], weather.dropFirst()).map {
          Phase(start: .rest($0), air: $1)
        }
    ).timed(until: 2200) {
      // Signed 32-bit microsecond counters overflow after 35.8 minutes, which 2200 readings exceed
      // at one per second.
      $0.leastReadings = 2200
      $0.resourceLooks = [300, 700, 1100, 1480]
    },
  ]

  /// `true` for a scenario of thousands of readings, in which the program's resources are sampled.
  var isLongRun: Bool { !resourceLooks.isEmpty }

  /// Returns one phase for each air state; each phase lasts for one interval between readings.
  static func course(_ airs: [Air]) -> [Phase] {
    airs.enumerated().map { index, air in
      Phase(start: index == 0 ? .seconds(0) : .rest(index - 1), air: air)
    }
  }

  func timed(until rest: Int, _ change: (inout Scenario) -> Void) -> Scenario {
    with {
      $0.isTimed = true
      $0.lastRest = rest
      change(&$0)
    }
  }

  /// Loses the part for more readings than the 1,024 files that a process can usually have open.
  func withLongOutage() -> Scenario {
    timed(until: 1112) {
      $0.faults = ["kind: nack-address, at: {event}, for: {rests*1100}"]
      $0.passes = true
      $0.wanted = .valuesOrError
      $0.resourceLooks = [200, 500, 800, 1090]
    }
  }

  /// Sets the wall clock of the program, as NTP does after the start of a computer without a battery.
  func withClockSteps() -> Scenario {
    timed(until: 14) {
      $0.clockSteps = ["at: {event+2}, forward: 1h", "at: {event+7}, back: 1h"]
      $0.staleClass = "B69"
    }
  }

  /// The number of readings from one scattered failure to the next.
  static let scatterInterval = 3

  /// Fails one transfer at every third reading, so often that a total number of errors becomes large.
  func withScatteredFailures() -> Scenario {
    timed(until: 94) {
      // A failure that has met no transfer within two readings passes: for a program that waits longer after failures, they
      // would accumulate to an outage.
      $0.faults = (0..<30).map {
        "kind: nack-address, at: {event+\(Self.scatterInterval * $0)}, for: {rests*2}, count: 1"
      }
      $0.failsRepeatedly = true
      $0.passes = true
      $0.wanted = .valuesOrError
    }
  }

  /// Air states with steps of all sizes, from a change in the last digits to the full range.
  static let weather: [Air] = {
    let steps: [(pressure: Double, temperature: Double, humidity: Double)] = [
      (100_937, 18.63, 42.6), (100_998, 18.72, 43.1), (101_071, 18.84, 43.9),
      (100_811, 18.55, 42.2), (97_512, 27.94, 62.8), (97_205, 29.13, 60.4),
      (103_320, -12.36, 88.7), (103_011, -12.88, 85.2), (84_760, 3.47, 31.3),
      (84_690, 3.39, 30.8), (99_340, 55.41, 12.6), (101_340, 21.06, 55.04),
      (101_406, 21.17, 55.6), (101_880, 24.52, 47.3), (101_310, 22.08, 51.9),
      (69_930, -27.44, 20.8), (101_520, 20.31, 57.7), (101_600, 20.42, 58.3),
    ]
    return steps.map {
      Air(pressure: $0.pressure, temperature: $0.temperature, humidity: $0.humidity)
    }
  }()

  /// Air states in which some raw codes equal those of the previous state.
  private static let sameCodes: [Air] = {
    let codes: [(temperature: Int32, pressure: Int32, humidity: Int32)] = [
      (0x7D3A0, 0x4B2F0, 0x6C31), (0x83C50, 0x4B2F0, 0x6C31), (0x83C50, 0x50F60, 0x6C31),
      (0x83C50, 0x50F60, 0x7240), (0x79110, 0x50F60, 0x7240), (0x79110, 0x50F60, 0x6C31),
      (0x79110, 0x4B2F0, 0x6C31), (0x7D3A0, 0x4B2F0, 0x6C31),
    ]
    return codes.map {
      let raw = RawMeasurement(
        temperature: $0.temperature, pressure: $0.pressure, humidity: $0.humidity)
      return air(of: raw)
    }
  }()
}
