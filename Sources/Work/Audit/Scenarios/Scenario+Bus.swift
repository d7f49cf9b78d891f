import BME280
import BME280Model

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
