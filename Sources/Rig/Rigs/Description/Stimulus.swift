package import Quantities
import Schema
import Support

/// An action on firmware from outside: a level or a square wave at a pin, bytes at a serial port, a voltage at an
/// analog input, other air, or a reset.
package struct Stimulus: Sendable {
  /// A level that the outside drives at a pin.
  package enum Level: String, Sendable, CaseIterable {
    case high, low
    /// The pin is not driven from outside.
    case open

    /// The driven level; `nil` for an open pin.
    package var isHigh: Bool? { self == .open ? nil : self == .high }
  }

  /// The output of the program that a stimulus waits for: text at a serial port, or a level at a pin.
  package struct Trigger: Hashable, Sendable {
    /// The regular expression that the current line of a serial port matches, also before the line ends.
    package fileprivate(set) var pattern: String?
    /// The name or number of the serial port; `nil` for any.
    package fileprivate(set) var port: String?
    /// The pin that changes to `level`.
    package fileprivate(set) var pin: String?
    package fileprivate(set) var level = Level.high

    static let keys = KeyGroup(
      "The output of the program that a stimulus waits for.", Trigger(), needing: ["uart", "pin"],
      example: #"{uart: "press the button"}"#
    ) {
      [
        Key(
          "uart", \.pattern, .text,
          "a regular expression for a line of a UART, which need not have ended, such as a prompt",
          absent: "none"
        ).example("ready"),
        Key("port", \.port, .text, "with 'uart': the port, by its number or name", absent: "any")
          .example("UART0"),
        Key("pin", \.pin, .text, "instead of 'uart': a pin that changes to 'level'", absent: "none")
          .example("P0.17"),
        Key("level", \.level, .choice, "with 'pin': the level"),
      ]
    }
  }

  /// The action.
  package enum Action: Hashable, Sendable {
    /// A level at a pin; with a length in nanoseconds, the pin then has its previous level again. After each change, the
    /// level alternates for the time of `bounce`, as at the contacts of a button.
    case level(pin: String, Bool?, length: UInt64?, bounce: UInt64)
    /// A square wave in Hz at a pin, with a length in nanoseconds or without end.
    case wave(pin: String, frequency: UInt64, length: UInt64?)
    /// Bytes at a serial port; `nil` is the port that the program uses.
    case bytes([UInt8], port: String?)
    /// A voltage at an analog input.
    case voltage(input: Int, Double)
    /// A change of the air around the sensors, linear over a length in nanoseconds.
    case air(AirChange)
    /// A pulse at the reset pin.
    case reset
  }

  /// A change of the air; quantities that are `nil` stay.
  package struct AirChange: Hashable, Sendable {
    /// The values after the change, in °C, Pa and %.
    package let temperature, pressure, humidity: Double?
    /// The time over which they change, in nanoseconds.
    package let length: UInt64

    /// The value of a quantity after the change; `nil` if it stays.
    package subscript(_ quantity: Quantity) -> Double? {
      switch quantity {
      case .temperature: temperature
      case .pressure: pressure
      case .humidity: humidity
      }
    }
  }

  /// The time in nanoseconds since the start of the run or, with a trigger, since the output of the program.
  package fileprivate(set) var time: UInt64 = 0
  /// The output that the stimulus waits for; `nil` for a stimulus at a time.
  package fileprivate(set) var trigger: Trigger?
  /// The interval at which the stimulus is repeated, in nanoseconds; `nil` for no repetition.
  package fileprivate(set) var interval: UInt64?
  /// How often the stimulus is applied; `nil` for the default.
  fileprivate var repetitions: Int?
  fileprivate var pin: String?
  fileprivate var level: Level?
  fileprivate var length: UInt64?
  fileprivate var bounce: UInt64?
  fileprivate var frequency: UInt64?
  fileprivate var bytes: [UInt8]?
  fileprivate var line: String?
  fileprivate var port: String?
  fileprivate var input: Int?
  fileprivate var voltage: Double?
  fileprivate var temperature: Double?, pressure: Double?, humidity: Double?
  fileprivate var course: UInt64?
  fileprivate var isReset = false
  /// The line of the stimulus in the rig file; 0 for one of the command line.
  package internal(set) var fileLine = 0

  /// How often the stimulus is applied; `nil` for no limit.
  package var count: Int? { repetitions ?? (interval == nil ? 1 : nil) }

  /// The action; valid only after `RigReader.stimuli(_:duration:)`.
  package var action: Action {
    if let pin, let frequency { return .wave(pin: pin, frequency: frequency, length: length) }
    if let pin {
      return .level(pin: pin, (level ?? .open).isHigh, length: length, bounce: bounce ?? 0)
    }
    if let input { return .voltage(input: input, voltage ?? 0) }
    if isReset { return .reset }
    if changesAir {
      return .air(
        AirChange(
          temperature: temperature, pressure: pressure, humidity: humidity, length: course ?? 0))
    }
    return .bytes(bytes ?? line.map { Array($0.utf8) + [0x0A] } ?? [], port: port)
  }

  private var changesAir: Bool { temperature != nil || pressure != nil || humidity != nil }

  static let keys = KeyGroup(
    "An action on firmware from outside; one of 'pin', 'send', 'line', 'input', quantities of the air, and 'reset'.",
    Stimulus(),
    needing: ["pin", "send", "line", "input", "temperature", "pressure", "humidity", "reset"],
    example: "{at: 2s, pin: P0.13, level: low, for: 100ms, bounce: 5ms}"
  ) {
    [
      Key(
        "at", \.time, .duration,
        "the time since the start of the run, or with 'after' since the output of the program"
      ).example("2s"),
      Key(
        "after", \.trigger, .group(Trigger.keys), "the output of the program that it waits for",
        absent: "none"),
      Key("every", \.interval, .duration(atLeast: 1), "the interval of repetitions", absent: "none")
        .example("1s"),
      Key(
        "count", \.repetitions, .integer(1...1_000_000_000), "how often it is applied",
        absent: "1, or with 'every' no limit"
      ).example("3"),
      Key("pin", \.pin, .text, "a pin, by its name in the datasheet", absent: "none")
        .example("P0.13"),
      Key(
        "level", \.level, .choice, "with 'pin': the level; 'open' leaves the pin to the program",
        absent: "none"
      ).example("low"),
      Key(
        "for", \.length, .duration(atLeast: 1),
        "with 'pin': the time after which the pin has its previous level again", absent: "no end"
      ).example("100ms"),
      Key(
        "bounce", \.bounce, .duration,
        "with 'level': the time for which the contacts bounce after each change",
        absent: "none"
      ).example("5ms"),
      Key(
        "frequency", \.frequency, .frequency, "with 'pin', instead of 'level': a square wave",
        absent: "none"
      ).example("1kHz"),
      Key(
        "send", \.bytes, .sentBytes,
        "a text or a list of bytes that a UART receives, at its baud rate",
        absent: "none"
      ).example(#""help\n""#),
      Key(
        "line", \.line, .text, "a text that a UART receives, followed by a line feed",
        absent: "none"
      )
      .example("help"),
      Key(
        "uart", \.port, .text, "with 'send' or 'line': the port, by its number or name",
        absent: "the one that the program has set up and used last"
      ).example("UART0"),
      Key("input", \.input, .integer(0...31), "an analog input, by its number", absent: "none")
        .example("3"),
      Key("voltage", \.voltage, .quantity(.voltage), "with 'input': the voltage", absent: "none")
        .example("1.25V"),
      Key(
        "temperature", \.temperature, .quantity(.temperature),
        "the temperature around the sensors from then on", absent: "as before"
      ).example("40C"),
      Key(
        "pressure", \.pressure, .quantity(.pressure),
        "the pressure around the sensors from then on", absent: "as before"
      ).example("990hPa"),
      Key(
        "humidity", \.humidity, .quantity(.humidity),
        "the relative humidity around the sensors from then on", absent: "as before"
      ).example("80%"),
      Key(
        "over", \.course, .duration,
        "with a quantity of the air: the time over which it changes linearly",
        absent: "at once"
      ).example("10min"),
      Key("reset", \.isReset, .boolean, "true: a pulse at the reset pin"),
    ]
  }

  /// Returns the errors of the combination of keys, such as `level` without `pin`.
  var errors: [String] {
    let actions = [
      ("pin", pin != nil), ("send", bytes != nil), ("line", line != nil), ("input", input != nil),
      ("temperature", changesAir), ("reset", isReset),
    ].filter(\.1).map(\.0)
    guard actions.count == 1 else {
      return actions.isEmpty
        ? [
          "a stimulus needs 'pin', 'send', 'line', 'input', 'temperature', 'pressure', 'humidity' or 'reset: true'"
        ]
        : ["'\(actions[0])' and '\(actions[1])' exclude each other: use two stimuli"]
    }
    var errors: [String] = []
    func need(_ key: String, _ isGiven: Bool, _ owner: String, _ hasOwner: Bool) {
      if isGiven, !hasOwner { errors.append("'\(key)' needs '\(owner)'") }
    }
    need("level", level != nil, "pin", pin != nil)
    need("frequency", frequency != nil, "pin", pin != nil)
    need("for", length != nil, "pin", pin != nil)
    need("bounce", bounce != nil, "level", level != nil)
    need("uart", port != nil, "send", bytes != nil || line != nil)
    need("voltage", voltage != nil, "input", input != nil)
    need("input", input != nil, "voltage", voltage != nil)
    need("over", course != nil, "temperature', 'pressure' or 'humidity", changesAir)
    need("count", repetitions ?? 1 > 1, "every' or 'after", interval != nil || trigger != nil)
    if pin != nil, (level == nil) == (frequency == nil) {
      errors.append("'pin' needs either 'level' or 'frequency'")
    }
    if let bounce, let length, bounce > length {
      errors.append("the bounce is longer than the level")
    }
    if let length, let interval, length >= interval {
      errors.append("'for' must be shorter than 'every'")
    }
    if let trigger {
      if trigger.pattern != nil, trigger.pin != nil {
        errors.append("'after': 'uart' and 'pin' exclude each other")
      }
      if trigger.pattern == nil, trigger.port != nil {
        errors.append("'after': 'port' needs 'uart'")
      }
      if trigger.level == .open { errors.append("'after': the level of a pin is high or low") }
      if let pattern = trigger.pattern, SerialPattern(pattern) == nil {
        errors.append("'\(pattern.clipped)' is not a valid regular expression")
      }
    }
    return errors
  }
}

/// A program that simulates what firmware controls, such as a heated room: it reads pins and UARTs, and sets the air.
package struct Plant: Sendable {
  /// The program and its arguments.
  package fileprivate(set) var program: [String] = []
  /// The interval at which the program is called, in nanoseconds.
  package fileprivate(set) var step: UInt64 = 100_000_000
  /// The pins that the program reads; `nil` for none.
  package fileprivate(set) var pins: [String]?
  /// The line of the plant in the rig file.
  package internal(set) var fileLine = 0

  static let keys = KeyGroup(
    "A program that simulates what firmware controls: it reads pins and UARTs, and sets the air, voltages and pins.",
    Plant(), example: "{program: [python3, heater.py], step: 100ms, pins: [D9]}"
  ) {
    [
      .required(
        "program", \.program, .texts, "the program and its arguments, run in the folder of the rig"
      ).example("[python3, heater.py]"),
      Key("step", \.step, .duration(atLeast: 1_000), "the interval at which it is called"),
      Key("pins", \.pins, .texts, "the pins that it reads", absent: "none").example("[D9]"),
    ]
  }
}

extension KeyFormat<[UInt8]> {
  /// A text, as UTF-8, or a list of bytes.
  fileprivate static let sentBytes = KeyFormat(
    .either([.list(.integer(0...255)), .text]), text: { _ in nil }
  ) { value in
    value.text.map { Array($0.utf8) } ?? value.list.compactMap { $0.integer.map { UInt8($0) } }
  }
}
