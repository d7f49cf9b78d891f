import BME280
import Environment

extension Scenario {
  /// Air with a course: each reading must show the air of its own time.
  static let courses = [
    Scenario(
      "weather", "The air changes before each reading, by little and by much",
      exposes: ["B66"], part: .packed, phases: course(weather)
    ).timed(until: weather.count) { $0.staleClass = "B66" },
    Scenario(
      "same-codes", "One code stays while another moves, in turn", exposes: ["B63"],
      part: .packed, phases: course(sameCodes)
    ).timed(until: sameCodes.count) { $0.staleClass = "B63" },
    Scenario(
      "failures-in-weather", "Reads and writes fail now and then, and the air changes each time",
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
      "unplugged", "The part is unplugged between two readings, for good", exposes: ["B60"],
      part: .packed
    ).timed(until: 12) {
      $0.isGone = true
      $0.wanted = .valuesOrError
      $0.faults = ["kind: nack-address, count: 1000000, at: {event}"]
    },
    Scenario(
      "fast-bus", "A bus at 400 kHz, and measurements of the data sheet's longest time",
      exposes: ["B62"], part: .packed, phases: course(Array(weather.prefix(4)))
    ).timed(until: 5) {
      $0.adapter = "frequency: 400kHz"
      $0.device = ["timing: maximum"]
      $0.concernsAdapter = true
      $0.staleClass = "B62"
    },
    Scenario(
      "long-run", "2,200 readings, and the air changes now and then",
      exposes: ["B54", "B64", "B65"], part: .packed,
      phases: [Phase(start: .seconds(0), air: .mild)]
        + zip([40, 140, 262, 270, 520, 900, 1040, 1400, 2160], weather.dropFirst()).map {
          Phase(start: .rest($0), air: $1)
        }
    ).timed(until: 2200) {
      // The clocks of 32 bits that count microseconds with a sign overflow after 35.8 minutes: at a reading a second too.
      $0.leastReadings = 2200
      $0.resourceLooks = [300, 700, 1100, 1480]
    },
  ]

  /// Whether it takes so many readings that a slow program need not show all of them.
  var isLongRun: Bool { !resourceLooks.isEmpty }

  /// One air after the other, a rest apart.
  private static func course(_ airs: [Air]) -> [Phase] {
    airs.enumerated().map { index, air in
      Phase(start: index == 0 ? .seconds(0) : .rest(index - 1), air: air)
    }
  }

  private func timed(until rest: Int, _ change: (inout Scenario) -> Void) -> Scenario {
    with {
      $0.isTimed = true
      $0.lastRest = rest
      change(&$0)
    }
  }

  /// Steps of all sizes, from a few last digits to the whole range.
  private static let weather: [Air] = {
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

  /// Air in which some codes are those of the air before.
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
