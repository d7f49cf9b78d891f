import Environment

extension Scenario {
  /// Parts that take their time.
  static let times = [
    Scenario(
      "slow-power-on",
      "The part still starts when the program first talks to it, and its calibration reads 0",
      exposes: ["B09"]
    ).with { $0.device = ["unknown: {copy_time_power_on: {starting}}"] },
    Scenario(
      "slow-reset", "The calibration reads 0 for 1.9 ms after a reset", exposes: ["B09"]
    ).with { $0.device = ["unknown: {copy_time_reset: 1.9ms}"] },
    Scenario(
      "start-loses-writes", "What is written within 1.9 ms of a reset is lost", exposes: ["B21"]
    ).with {
      $0.device = ["unknown: {copy_time_reset: 1.9ms, writes_during_start: lost}"]
    },
    Scenario(
      "late-measuring", "The bit 'measuring' rises late", exposes: ["B25"]
    ).with { $0.device = ["unknown: {measuring_delay: 2ms}"] },
    Scenario(
      "slow-conversion", "Each measurement takes the data sheet's longest time", exposes: ["B26"]
    ).with { $0.device = ["timing: maximum"] },
    Scenario(
      "status-bit-2", "The status register also shows bit 2, as seen on real parts",
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
      "The part measures on while it is read, around values at which the highest byte changes",
      exposes: ["B30"], part: .packed, air: .aroundBoundary
    ).with {
      $0.device = ["noise: 5"]
      $0.slack = Air(pressure: 110, temperature: 0.2, humidity: 1.5)
      $0.readingsFactor = 8
    },
    Scenario(
      "torn-by-repeated-starts",
      "As torn, and a repeated start between two reads lets the next measurement be seen",
      exposes: ["B30"], part: .packed, air: .aroundBoundary
    ).with {
      $0.device = ["noise: 5", "unknown: {burst_end: start}"]
      $0.slack = Air(pressure: 110, temperature: 0.2, humidity: 1.5)
      $0.readingsFactor = 8
    },
    Scenario(
      "self-heating",
      "The part warms itself by 1 C if it measures without a pause: a warning, and no verdict",
      exposes: [], part: .packed
    ).with {
      $0.device = ["self_heating: {rise: 1C, time_constant: 5s}"]
      // What a careful program with high oversampling once a second may show.
      $0.slack = Air(pressure: 30, temperature: 0.3, humidity: 1.2)
      $0.readingsFactor = 4
      $0.isWarning = true
    },
  ]

  /// What an earlier program has left behind; power came on a second before.
  static let remains = [
    Scenario(
      "left-in-normal-mode",
      "An earlier program has left the part in normal mode, filtered, with an old measurement",
      exposes: ["B22", "B44", "B47"], part: .packed,
      phases: [Phase(start: .seconds(0), air: .mild), Phase(start: .seconds(0.9), air: .changed)]
    ).with {
      $0.device = ["initial_registers: {config: 0xB0, ctrl_hum: 1, ctrl_meas: 0x27}"]
      $0.shown = 1..<2
    },
    Scenario(
      "left-measuring", "An earlier program has left the part within a long measurement",
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
