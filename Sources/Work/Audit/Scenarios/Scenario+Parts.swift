package import Environment
import Quantities
import Support

/// The scenarios of any part, from its description alone.
extension Scenario {
  /// All scenarios of a part, the calm one first.
  package static func all(of part: AuditedPart) -> [Scenario] {
    let all =
      [calm(of: part)] + airs(of: part) + inputs(of: part) + [changing(part)] + times(of: part)
      + failures(of: part) + courses(of: part)
    return all.map { scenario in
      scenario.with { $0.auditedPart = part }
    }
  }

  /// The baseline scenario of a part.
  package static func calm(of part: AuditedPart) -> Scenario {
    Scenario("calm", "Usual values, without faults", exposes: [], air: part.mild).with {
      $0.auditedPart = part
    }
  }

  /// Air in which published drivers were wrong: signs, decimals, ends of the range.
  private static func airs(of part: AuditedPart) -> [Scenario] {
    var scenarios: [Scenario] = []
    func add(_ name: String, _ summary: String, _ air: Air, exposes classes: [String] = []) {
      if part.quantities.contains(.temperature), part.covers(air) {
        scenarios.append(Scenario(name, summary, exposes: classes, air: air))
      }
    }
    add("below-zero", "Frost: the sign of the temperature", part.air(celsius: -12.37))
    add(
      "between-minus-one-and-zero", "-0.6 °C: the sign of a temperature whose whole part is 0",
      part.air(celsius: -0.6))
    add(
      "tenths", "20.06 °C and 40.07 %: a decimal that begins with 0",
      part.air(celsius: 20.06, humidity: 40.07), exposes: ["P08"])
    if let range = part.ranges.temperature, range.upperBound.isFinite {
      add("cold-end", "The cold end of the range", part.air(celsius: range.lowerBound + 0.4))
      add("hot-end", "The hot end of the range", part.air(celsius: range.upperBound - 0.4))
    }
    if part.quantities.contains(.humidity) {
      add("dry", "Dry air: the low end of the humidity", part.air(celsius: 24.3, humidity: 0.2))
      add("damp", "Damp air: the high end of the humidity", part.air(celsius: 24.3, humidity: 97.4))
    }
    return scenarios + beyondHumidity(of: part)
  }

  /// Humidities beyond 0 and 100 %, which the error of a part makes of dry and damp air.
  ///
  /// A correct program displays them as they are, or limited to 0 to 100 %.
  private static func beyondHumidity(of part: AuditedPart) -> [Scenario] {
    guard part.measuresBeyondHumidity else { return [] }
    return [
      ("over-dry", "The error of the part makes a humidity below 0 % of dry air", 0.2, -2.0),
      ("over-damp", "The error of the part makes a humidity above 100 % of damp air", 99.6, 2.0),
    ].map { name, summary, humidity, error in
      Scenario(
        name, summary, exposes: ["P03"], air: part.air(celsius: 24.3, humidity: humidity)
      ).with {
        $0.device = ["offset: {humidity: \(error)%}"]
        $0.slack = Air(pressure: 0, temperature: 0, humidity: abs(error))
      }
    }
  }

  /// Inputs in which published drivers were wrong: signs and ends of the range.
  private static func inputs(of part: AuditedPart) -> [Scenario] {
    guard part.changesInputs else { return [] }
    func scenario(_ name: String, _ summary: String, _ inputs: [Double]) -> Scenario {
      Scenario(
        name, summary, exposes: [],
        phases: [Phase(start: .seconds(0), air: part.mild, inputs: inputs)])
    }
    let negative = part.negativeInputs.map {
      [scenario("negative-inputs", "Negative inputs: the sign", $0)]
    }
    return (negative ?? []) + [
      scenario("low-inputs", "The low end of the inputs", part.inputs(atEnd: 0)),
      scenario("high-inputs", "The high end of the inputs", part.inputs(atEnd: 1)),
    ]
  }

  private static func changing(_ part: AuditedPart) -> Scenario {
    Scenario(
      "changing", "All values change between two readings: a value of before", exposes: [],
      phases: [
        Phase(start: .seconds(0), air: part.mild),
        Phase(
          start: .event, air: part.air(celsius: 27.94, humidity: 62.8),
          inputs: part.inputs(at: 0.31)),
      ])
  }

  /// The durations of the part, and the speed of its bus.
  private static func times(of part: AuditedPart) -> [Scenario] {
    let justPowered = Scenario(
      "just-powered", "The part has no result yet at the first reading, 1 ms after power-on",
      exposes: ["P01"]
    ).with {
      $0.faults = ["kind: power-loss, at: 0s, for: {powering}"]
      $0.mayNotHappen = true
      $0.wanted = .valuesOrError
    }
    return [
      Scenario(
        "longest-time",
        "Each measurement takes the longest time of the data sheet: read too early",
        exposes: ["P01"]
      ).with { $0.device = ["timing: maximum"] },
      Scenario(
        "fast-bus", "The longest time, and the bus runs at 400 kHz: nothing but the program waits",
        exposes: ["P01"]
      ).with {
        $0.device = ["timing: maximum"]
        $0.adapter = "frequency: 400kHz"
        $0.concernsAdapter = true
      },
    ] + (part.measuresFromPowerOn ? [justPowered] : [])
      + (part.leftMeasuring.map { [leftMeasuring($0, part)] } ?? [])
  }

  /// A part that did not lose its supply when the program was started again.
  private static func leftMeasuring(_ key: String, _ part: AuditedPart) -> Scenario {
    Scenario(
      "left-measuring", "An earlier program left the part measuring by itself", exposes: ["P09"],
      air: part.mild
    ).with { $0.device = [key] }
  }

  /// Faults of the bus and of the supply.
  private static func failures(of part: AuditedPart) -> [Scenario] {
    [
      Scenario("no-device", "No device responds", exposes: ["P07"]).with {
        $0.faults = ["kind: nack-address, count: 1000000"]
        $0.wanted = .error
      },
      Scenario("nack", "One transfer is not acknowledged at the second reading", exposes: ["P07"])
        .with {
          $0.faults = ["kind: nack-address, at: {event}"]
          $0.passes = true
          $0.wanted = .valuesOrError
        },
      Scenario(
        "brief-power-loss",
        "The supply fails for 20 ms between two readings: the settings are lost",
        exposes: ["P05"]
      ).with {
        $0.faults = ["kind: power-loss, at: {event}, for: 20ms"]
        $0.passes = true
        $0.wanted = .valuesOrError
      },
      Scenario(
        "reset-in-reading",
        "The supply fails for 1 ms between a command and the read of its result: the settings are lost",
        exposes: ["P05"]
      ).with {
        $0.faults = ["kind: power-loss, direction: read, at: {event}, for: 1ms"]
        $0.passes = true
        $0.wanted = .valuesOrError
      },
      gone(
        "unplugged", "The part is unplugged between two readings, permanently", part,
        fault: "kind: nack-address, count: 1000000, at: {event}"),
      gone(
        "lost-in-reading",
        "The part is lost between a command and the read of its result, permanently", part,
        fault: "kind: nack-address, direction: read, count: 1000000, at: {event}"),
    ] + disturbances(of: part)
  }

  /// A part that is lost during the run.
  private static func gone(
    _ name: String, _ summary: String, _ part: AuditedPart, fault: String
  ) -> Scenario {
    Scenario(name, summary, exposes: ["P07"], air: part.mild).timed(until: 12) {
      $0.isGone = true
      $0.wanted = .valuesOrError
      $0.faults = [fault]
    }
  }

  /// Disturbed data, and other devices.
  private static func disturbances(of part: AuditedPart) -> [Scenario] {
    let checked = [
      Scenario(
        "flipped-bit",
        "A bit is inverted on the bus at the second reading: the checksum shows it",
        exposes: ["P06"]
      ).with {
        $0.faults = [
          "kind: bit-flip, at: {event}, direction: read, byte: \(part.resultByte), mask: 0x40"
        ]
        $0.passes = true
        $0.wanted = .valuesOrError
        $0.mayNotHappen = true
      },
      Scenario(
        "wrong-device", "Another chip responds; all its registers read 0x54", exposes: ["P06"]
      ).with {
        $0.faults = ["kind: wrong-device, reads: 0x54, count: 1000000"]
        $0.wanted = .error
      },
    ]
    let otherId = Scenario(
      "wrong-id", "Another part with other contents of the registers that identify it",
      exposes: ["B56"]
    ).with {
      $0.faults = part.identifyingRegisters.map { register in
        "kind: bit-flip, register: 0x\(Hexadecimal.digits(register)), direction: read, mask: 0xFF, count: 1000000"
      }
      $0.wanted = .error
      $0.needsFault = true
    }
    let decoy = Scenario(
      "another-address", "A second part responds at another of its addresses", exposes: []
    ).with { $0.hasDecoy = true }
    let own = Scenario(
      "own-address", "The program is given another address; a second part is at the first",
      exposes: [], air: part.mild
    ).with {
      $0.hasDecoy = true
      $0.isAtOtherAddress = true
    }
    return (part.hasChecksum ? checked : [])
      + (part.identifyingRegisters.isEmpty ? [] : [otherId])
      + (part.otherAddress == nil ? [] : [decoy, own])
  }

  /// Air that changes during the run, in which each reading must match the air at its own time.
  private static func courses(of part: AuditedPart) -> [Scenario] {
    let airs = weather.filter(part.covers)
    func course(_ count: Int) -> [Phase] {
      Scenario.course(Array(airs.prefix(count))).enumerated().map { index, phase in
        var phase = phase
        // The steps have all sizes, and no share comes twice.
        if index > 0 { phase.inputs = part.inputs(at: Double(index * index * 29 % 97) / 97) }
        return phase
      }
    }
    return [
      Scenario(
        "weather", "All values change before each reading, in small and large steps", exposes: [],
        phases: course(airs.count)
      ).timed(until: airs.count) { _ in },
      Scenario(
        "failures-in-weather", "Transfers fail occasionally, and all values change each time",
        exposes: ["P07"], phases: course(11)
      ).timed(until: 12) {
        $0.wanted = .valuesOrError
        $0.mayNotHappen = true
        $0.accusesMeans = true
        $0.faults = [
          "kind: nack-address, at: {event}",
          "kind: nack-address, direction: read, at: {event+2}",
          "kind: nack-address, at: {event+5}, for: {rests*4}",
        ]
      },
      Scenario(
        "long-outage", "No device responds for 1,100 readings in a row, and then it responds again",
        exposes: [], air: part.mild
      ).withLongOutage(),
      Scenario(
        "scattered-failures", "One transfer fails at every third reading, 30 times",
        exposes: ["P07"],
        air: part.mild
      ).withScatteredFailures(),
      Scenario(
        "clock-step",
        "The wall clock is set one hour forward, and later one hour back, while all values change",
        exposes: [], phases: course(16)
      ).withClockSteps(),
      Scenario(
        "long-run", "1,500 readings with occasional changes", exposes: [],
        phases: zip([0, 40, 140, 270, 520, 900, 1400], course(7)).map { rest, phase in
          Phase(
            start: rest == 0 ? .seconds(0) : .rest(rest), air: phase.air, inputs: phase.inputs)
        }
      ).timed(until: 1500) {
        $0.leastReadings = 1500
        $0.resourceLooks = [300, 600, 900, 1200]
      },
    ]
  }
}

extension AuditedPart {
  /// Ordinary air in the range of the part.
  package var mild: Air { air(celsius: 18.63, humidity: 42.6) }

  /// Air with a temperature and a humidity.
  func air(celsius: Double, humidity: Double = 42.6) -> Air {
    Air(pressure: 100_937, temperature: celsius, humidity: humidity)
  }

  /// Returns whether the part can measure all its quantities in the air.
  func covers(_ air: Air) -> Bool {
    quantities.allSatisfy { quantity in ranges[quantity].map { $0.contains(air[quantity]) } ?? true
    }
  }
}
