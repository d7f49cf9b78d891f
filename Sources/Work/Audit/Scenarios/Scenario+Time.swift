import Environment

extension Scenario {
  /// Scenarios that concern the timing of the part.
  static let times = [
    Scenario(
      "slow-power-on",
      "The part is still starting at the first access, and its calibration reads 0",
      exposes: ["B09"]
    ).with { $0.device = ["unknown: {copy_time_power_on: {starting}}"] },
    Scenario(
      "slow-reset", "The calibration reads 0 for 1.9 ms after a reset", exposes: ["B09"]
    ).with { $0.device = ["unknown: {copy_time_reset: 1.9ms}"] },
    Scenario(
      "start-loses-writes", "Writes within 1.9 ms after a reset are lost", exposes: ["B21"]
    ).with {
      $0.device = ["unknown: {copy_time_reset: 1.9ms, writes_during_start: lost}"]
    },
    Scenario(
      "late-measuring", "The 'measuring' bit is set late", exposes: ["B25"]
    ).with { $0.device = ["unknown: {measuring_delay: 2ms}"] },
    Scenario(
      "slow-conversion", "Each measurement takes the maximum time of the data sheet",
      exposes: ["B26"]
    ).with { $0.device = ["timing: maximum"] },
    Scenario(
      "status-bit-2", "Bit 2 of the status register is also set, as seen on real parts",
      exposes: []
    ).with { $0.device = ["unknown: {status_bit_2: measured}"] },
    Scenario(
      "changing", "The air changes between two readings", exposes: ["B13", "B27", "B50"],
      part: .packed,
      phases: [
        Phase(start: .seconds(0), air: .mild), Phase(start: .event, air: .changed),
      ]),
    Scenario(
      "torn",
      "The part measures during reads, around values at which the most significant byte changes",
      exposes: ["B30"], part: .packed, air: .aroundBoundary
    ).with {
      $0.device = ["noise: 5"]
      $0.slack = Air(pressure: 110, temperature: 0.2, humidity: 1.5)
      $0.readingsFactor = 8
    },
    Scenario(
      "torn-by-repeated-starts",
      "As torn; a repeated start between two reads exposes the next measurement",
      exposes: ["B30"], part: .packed, air: .aroundBoundary
    ).with {
      $0.device = ["noise: 5", "unknown: {burst_end: start}"]
      $0.slack = Air(pressure: 110, temperature: 0.2, humidity: 1.5)
      $0.readingsFactor = 8
    },
    Scenario(
      "self-heating",
      "The part heats itself by 1 C if it measures continuously: a warning, not a verdict",
      exposes: [], part: .packed
    ).with {
      $0.device = ["self_heating: {rise: 1C, time_constant: 5s}"]
      // Tolerance for a correct program with high oversampling once a second.
      $0.slack = Air(pressure: 30, temperature: 0.3, humidity: 1.2)
      $0.readingsFactor = 4
      $0.isWarning = true
    },
  ]

  /// Scenarios with state that an earlier program left in the part, which was powered on 1 s
  /// before.
  static let remains = [
    Scenario(
      "left-in-normal-mode",
      "An earlier program has left the part in normal mode with the filter, and an old measurement",
      exposes: ["B22", "B44", "B47"], part: .packed,
      phases: [Phase(start: .seconds(0), air: .mild), Phase(start: .seconds(0.9), air: .changed)]
    ).with {
      $0.device = ["initial_registers: {config: 0xB0, ctrl_hum: 1, ctrl_meas: 0x27}"]
      $0.shown = 1..<2
    },
    Scenario(
      "left-measuring", "An earlier program has left the part during a long measurement",
      exposes: ["B23"], part: .packed,
      phases: [Phase(start: .seconds(0), air: .mild), Phase(start: .seconds(0.99), air: .changed)]
    ).with {
      $0.device = ["initial_registers: {ctrl_hum: 5, ctrl_meas: 0xB7}"]
      $0.shown = 1..<2
    },
    Scenario(
      "left-oversampled", "An earlier program has left ctrl_hum at x16", exposes: ["B21", "B26"],
      part: .packed
    ).with {
      $0.device = ["initial_registers: {ctrl_hum: 5, ctrl_meas: 0x24}"]
      $0.concernsHumidity = true
    },
  ]
}

extension Air {
  static let changed = Air(pressure: 97_512, temperature: 27.94, humidity: 62.8)
}
