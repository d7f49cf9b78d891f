import BME280
import BME280Model
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
      "changing", "The air changes between two readings", exposes: ["B13", "B27", "B50", "B71"],
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

extension Scenario {
  /// Scenarios with bus faults or unexpected parts.
  static let buses = [
    Scenario(
      "bmp280", "The part is a BMP280, which does not measure humidity", exposes: ["B32"]
    ).with {
      $0.chip = .bmp280
      $0.concernsHumidity = true
      $0.wanted = .valuesOrError
    },
    Scenario(
      "wrong-chip", "Another chip responds; all its registers read 0x54", exposes: ["B56"]
    ).with {
      $0.faults = ["kind: wrong-device, reads: 0x54, count: 1000000"]
      $0.wanted = .error
    },
    Scenario("nobody", "No device responds", exposes: ["B35"]).with {
      $0.faults = ["kind: nack-address, count: 1000000"]
      $0.wanted = .error
    },
    Scenario(
      "nack-data", "The write of the data register's address is not acknowledged", exposes: ["B35"]
    ).with {
      $0.faults = ["kind: nack-address, register: {data}, direction: write"]
      $0.wanted = .valuesOrError
    },
    Scenario(
      "nack-calibration", "A read of the calibration is not acknowledged", exposes: ["B35"]
    ).with {
      $0.faults = ["kind: nack-address, register: 0x88, direction: read"]
      $0.wanted = .valuesOrError
    },
    Scenario(
      "nack-pointer", "The write of the address of the humidity calibration is not acknowledged",
      exposes: ["B35"], part: .packed
    ).with {
      $0.concernsHumidity = true
      $0.faults = ["kind: nack-address, register: 0xE1, direction: write"]
      $0.wanted = .valuesOrError
      $0.mayNotHappen = true
    },
    Scenario(
      "nack-eremoteio",
      "A NACK at the second reading is reported as EREMOTEIO, as on a Raspberry Pi 5",
      exposes: ["B35"]
    ).with {
      $0.adapter = "personality: raspberry-pi-5"
      $0.faults = ["kind: nack-address, register: {data}, direction: read, at: {event}"]
      $0.passes = true
      $0.wanted = .valuesOrError
    },
    Scenario(
      "stuck-sda", "SDA is stuck low at the second reading, until nine clock pulses release it",
      exposes: ["B35"]
    ).with {
      $0.faults = ["kind: stuck-sda, register: {data}, at: {event}"]
      $0.passes = true
      $0.wanted = .valuesOrError
    },
    Scenario(
      "power-loss", "The part loses its power between two readings", exposes: ["B37"]
    ).with {
      $0.faults = ["kind: power-loss, at: {event}, for: 20ms"]
      $0.passes = true
      $0.wanted = .valuesOrError
    },
    Scenario(
      "replaced", "Between two readings the part is unplugged, and later another one is plugged in",
      exposes: ["B72"]
    ).with {
      $0.faults = [
        "kind: power-loss, at: {event}, for: {rests*2}",
        "kind: part-replaced, at: {event}, calibration: \"{other}\"",
      ]
      $0.passes = true
      $0.wanted = .valuesOrError
      // Both parts measure the air in steps of their own.
      $0.slack = Air(pressure: 6, temperature: 0.02, humidity: 0.15)
    },
    Scenario(
      "bridge-limit", "The adapter reads at most 18 bytes at once, like the thesis's board",
      exposes: ["B35"]
    ).with {
      $0.adapter = "quirks: {max_read: 18}"
      $0.concernsAdapter = true
      $0.wanted = .valuesOrError
    },
    Scenario(
      "late-calibration", "The read of the calibration is delayed by half a second",
      exposes: ["B57"]
    ).with {
      $0.faults = ["kind: clock-stretch, for: 500ms, register: 0x88, direction: read"]
      $0.recognition = .explanation
    },
    Scenario(
      "lost-calibration-reply",
      "A separate read of the pressure calibration is not acknowledged",
      exposes: ["B58"]
    ).with {
      $0.faults = ["kind: nack-address, register: 0x8E, direction: read"]
      $0.recognition = .valuesWithoutWords
      $0.wanted = .valuesOrError
      $0.mayNotHappen = true
    },
    Scenario(
      "lost-humidity-reply",
      "A separate read of H1, and then the read of the humidity calibration, are not acknowledged",
      exposes: ["B58"], part: .packed
    ).with {
      $0.concernsHumidity = true
      $0.faults = [
        "kind: nack-address, register: 0xA1, direction: read",
        "kind: nack-address, register: 0xE1, direction: read",
      ]
      $0.recognition = .valuesWithoutWords
      $0.wanted = .valuesOrError
      $0.mayNotHappen = true
    },
    Scenario(
      "lost-reading", "One read of a measurement fails; those before and after it succeed",
      exposes: ["B59"]
    ).with {
      $0.faults = ["kind: nack-address, register: {data}, direction: read, at: {event}"]
      $0.recognition = .shareOfTruth
      $0.passes = true
      $0.wanted = .valuesOrError
    },
    Scenario(
      "another-address", "A second part responds at the other address", exposes: ["B36"]
    ).with { $0.hasDecoy = true },
    Scenario(
      "own-address",
      "The program is given the other address; a part with another calibration is at the first",
      exposes: ["B36"], part: .packed
    ).with {
      $0.hasDecoy = true
      $0.isAtOtherAddress = true
    },
  ]
}
