import BME280
import BME280Model

extension Scenario {
  /// Buses and parts that do not do what one hopes for.
  static let buses = [
    Scenario(
      "bmp280", "The part is a BMP280: it measures no humidity", exposes: ["B32"]
    ).with {
      $0.chip = .bmp280
      $0.concernsHumidity = true
      $0.wanted = .valuesOrError
    },
    Scenario(
      "wrong-chip", "Another chip answers, and all its registers read 0x54", exposes: ["B56"]
    ).with {
      $0.faults = ["kind: wrong-device, reads: 0x54, count: 1000000"]
      $0.wanted = .error
    },
    Scenario("nobody", "Nobody answers", exposes: ["B35"]).with {
      $0.faults = ["kind: nack-address, count: 1000000"]
      $0.wanted = .error
    },
    Scenario(
      "nack-data", "Where the data are is asked for, and not acknowledged", exposes: ["B35"]
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
      "nack-pointer", "The write that points to the humidity's calibration is not acknowledged",
      exposes: ["B35"], part: .packed
    ).with {
      $0.concernsHumidity = true
      $0.faults = ["kind: nack-address, register: 0xE1, direction: write"]
      $0.wanted = .valuesOrError
      $0.mayNotHappen = true
    },
    Scenario(
      "nack-eremoteio", "As on a Raspberry Pi 5, a NACK is EREMOTEIO, at the second reading",
      exposes: ["B35"]
    ).with {
      $0.adapter = "personality: raspberry-pi-5"
      $0.faults = ["kind: nack-address, register: {data}, direction: read, at: {event}"]
      $0.passes = true
      $0.wanted = .valuesOrError
    },
    Scenario(
      "stuck-sda", "SDA is held low at the second reading, and nine clocks free it",
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
      "bridge-limit", "The adapter reads 18 bytes at once, as the thesis's board",
      exposes: ["B35"]
    ).with {
      $0.adapter = "quirks: {max_read: 18}"
      $0.concernsAdapter = true
      $0.wanted = .valuesOrError
    },
    Scenario(
      "late-calibration", "The reply with the calibration comes half a second late",
      exposes: ["B57"]
    ).with {
      $0.faults = ["kind: clock-stretch, for: 500ms, register: 0x88, direction: read"]
      $0.recognition = .explanation
    },
    Scenario(
      "lost-calibration-reply",
      "Where the pressure's calibration is asked for by itself, it is not acknowledged",
      exposes: ["B58"]
    ).with {
      $0.faults = ["kind: nack-address, register: 0x8E, direction: read"]
      $0.recognition = .valuesWithoutWords
      $0.wanted = .valuesOrError
      $0.mayNotHappen = true
    },
    Scenario(
      "lost-reading", "One measurement is not given, and those before and behind it are",
      exposes: ["B59"]
    ).with {
      $0.faults = ["kind: nack-address, register: {data}, direction: read, at: {event}"]
      $0.recognition = .shareOfTruth
      $0.passes = true
      $0.wanted = .valuesOrError
    },
    Scenario(
      "another-address", "A second part answers at the other address", exposes: ["B36"]
    ).with { $0.hasDecoy = true },
  ]
}
