package import I2C
package import Parts
package import Quantities

/// A part as described in a part file: what it measures, how it is addressed, and how long it takes.
package struct PartDescription: Sendable {
  /// The manufacturer: `sensirion`.
  package var vendor = ""
  /// The name in rigs: `sht4x`.
  package var name = ""
  /// The name for display: `SHT4x`.
  package var title = ""
  /// What the part measures, in a few words.
  package var summary = ""
  /// The documents from which the description was made.
  package var sources: [String] = []
  /// The possible addresses, the default first.
  package var addresses: [I2CAddress] = []
  /// What selects the address: a pin, or the order code; empty if the part has one address.
  package var addressPins = ""
  /// The time after power-on during which the part does not answer.
  package var startTime = Span()
  /// The checksum after each word, or after a whole response; `nil` for none.
  package var checksum: Checksum?
  /// The inputs that are no air, such as a light or a voltage.
  package var inputs: [PartInput] = []
  /// The measured values.
  package var values: [Value] = []
  /// The registers; those of a part with commands are reached by its commands.
  package var registers = Registers()
  /// The commands; empty for a part that is addressed by registers.
  package var commands: [Command] = []
  /// `true` if bytes that are no command are acknowledged and have no effect; otherwise they are not acknowledged.
  package var ignoresUnknownCommands = false
  /// What the part measures, when and for how long.
  package var measurements: [Measurement] = []
  /// The current while the part does not measure, in µA; `nil` if unknown.
  package var idleCurrent: Double?
  /// The heater in the part; `nil` for none.
  package var heater: Heater?
  /// The field that shows a low supply; `nil` for none.
  package var lowSupply: LowSupply?
  /// The calibration and the form in which the part contains it; `nil` for none.
  package var calibration: (any CalibrationForm)?
  /// The written fields that reset the part.
  package var resettingFields: [Setting] = []
  /// How the part behaves where many data sheets say nothing, and the keys of the questions that its own data sheet answers.
  package var behavior = DescribedBehavior()
  package var documented: Set<String> = []
  /// What a driver sends at its start, in order.
  package var preparations: [Preparation] = []

  /// A checksum of eight bits (CRC-8), most significant bit first.
  package struct Checksum: Hashable, Sendable {
    /// The polynomial without its highest bit: 0x31 is x⁸ + x⁵ + x⁴ + 1.
    package var polynomial: UInt8
    /// The start value.
    package var start: UInt8
    /// What it follows.
    package var placement: Placement

    /// What a checksum follows.
    package enum Placement: String, CaseIterable, Sendable {
      /// Each word of two bytes.
      case word
      /// Each word of two bytes; it includes the words before.
      case words
      /// The whole response.
      case response
      /// Each byte.
      case byte
      /// Each byte; it includes the bytes before.
      case bytes
      /// Nothing: there is none.
      case none

      /// The number of bytes before each checksum; `nil` if none follows a group of bytes.
      var groupLength: Int? {
        switch self {
        case .word, .words: 2
        case .byte, .bytes: 1
        case .response, .none: nil
        }
      }

      /// `true` if a checksum includes the groups before.
      var isCumulative: Bool { self == .words || self == .bytes }
    }

    /// Returns the checksum after another byte.
    package func next(_ sum: UInt8, _ byte: UInt8) -> UInt8 {
      var sum = sum ^ byte
      for _ in 0..<8 { sum = sum & 0x80 != 0 ? sum << 1 ^ polynomial : sum << 1 }
      return sum
    }
  }

  /// A duration with the typical and the longest value of a data sheet, in nanoseconds.
  package struct Span: Hashable, Sendable {
    package var typical: UInt64 = 0
    package var maximum: UInt64 = 0
  }

  /// What a driver sends at its start.
  package enum Preparation: Hashable, Sendable {
    /// The command with this index.
    case command(Int)
    /// A word to the register with this index.
    case write(Int, UInt32)
  }

  /// A value for each value of a field, or one for all.
  package struct Choice<Element: Hashable & Sendable>: Hashable, Sendable {
    /// The field that selects; `nil` for one value.
    package var field: Int?
    /// The values, one for each value of the field.
    package var elements: [Element]

    /// Creates a choice of one value.
    package init(_ element: Element) { elements = [element] }

    package init(by field: Int, _ elements: [Element]) {
      (self.field, self.elements) = (field, elements)
    }

    /// Returns the value for the value of the field.
    package subscript(_ number: UInt32) -> Element {
      elements[min(Int(number), elements.count - 1)]
    }
  }

  /// A factor that the value of a field selects, or to which it is proportional.
  package struct Multiplier: Hashable, Sendable {
    package var field: Int
    /// The factors, one for each value of the field; empty for the field divided by `divisor`.
    package var factors: [Double] = []
    package var divisor = 1.0

    /// Returns the factor for a value of the field; at least 1e-9, so that it has an inverse.
    package subscript(_ number: UInt32) -> Double {
      let factor =
        factors.isEmpty
        ? Double(number) / divisor : factors[min(Int(number), factors.count - 1)]
      return max(factor, 1e-9)
    }
  }

  /// A measured value, with the formula that converts its code.
  ///
  /// The value is offset + scale x code / gain.
  package struct Value: Sendable {
    /// What is converted.
    package enum Source: Hashable, Sendable {
      case air(Quantity)
      /// The input with this index.
      case input(Int)
      /// The product of two codes or registers, divided by a number.
      case product(Factor, Factor, divisor: Double)
    }

    /// A factor of a product.
    package enum Factor: Hashable, Sendable {
      /// The code of the value with this index.
      case value(Int)
      /// The content of the register with this index.
      case register(Int)
    }

    package var name = ""
    package var source = Choice(Source.air(.temperature))
    package var scale = Choice(1.0)
    /// The factor of the code, as of an exposure time; `nil` for 1.
    package var gain: Multiplier?
    package var offset = 0.0
    /// The width of the code in bits.
    package var bits = 16
    package var isSigned = false
    /// The number of bits of the code that are measured, the others are 0; `nil` for all.
    package var precision: Choice<Int>?
    /// The number of zero bits below the code in a register.
    package var shift = 0
    /// The code before the first result.
    package var first = 0
    /// The codes between which results are limited; `nil` for all that have room.
    package var limits: Choice<ClosedRange<Int>>?
    /// The standard deviation of one result, in the unit of the value.
    package var noise = 0.0
    /// Codes in ascending order, each with its value, which change in one direction; values between them are interpolated.
    ///
    /// Empty for a formula.
    package var table: [Point] = []
    /// The specified range, in the unit of the value; `nil` if unknown.
    package var range: ClosedRange<Double>?
    /// `true` if a read sets the code to that before the first result.
    package var isClearedByReading = false
    /// `true` if the calibration converts the code; the scale is then the factor that the oversampling selects.
    package var isCalibrated = false

    /// The codes that have room in the width.
    var room: ClosedRange<Int> {
      isSigned ? -(1 << (bits - 1))...(1 << (bits - 1)) - 1 : 0...(1 << bits) - 1
    }

    /// The codes that have room, in words.
    var roomText: String {
      "codes of \(bits) bits are from \(room.lowerBound) to \(room.upperBound)"
    }

    /// Returns the points of a table of codes and values; `nil` if they have no inverse.
    static func points(_ rows: [[Double]]) -> [Point]? {
      let steps = zip(rows, rows.dropFirst())
      guard rows.count > 1, rows.allSatisfy({ $0.count == 2 }), steps.allSatisfy({ $0[0] < $1[0] }),
        steps.allSatisfy({ $0[1] < $1[1] }) || steps.allSatisfy({ $0[1] > $1[1] })
      else { return nil }
      return rows.map { Point(code: $0[0], value: $0[1]) }
    }

    /// A point of a table.
    package struct Point: Hashable, Sendable {
      let code, value: Double
    }

    /// Returns the code nearest to a value, as its bits.
    ///
    /// The formula or the table is applied backwards; the result is limited.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - scale: the factor of the code.
    ///   - limits: the lowest and the highest code. Default: those that have room.
    ///   - precision: the number of bits that are measured. Default: all.
    /// - Returns: the bits of the code.
    package func code(
      nearestTo value: Double, scale: Double, limits: ClosedRange<Int>? = nil, precision: Int? = nil
    ) -> UInt32 {
      let range = limits ?? room
      let unit = 1 << max(0, bits - (precision ?? bits))
      let linear =
        table.isEmpty
        ? (value - offset) / scale
        : interpolate(value, from: \.value, to: \.code)
      let exact = (linear / Double(unit)).rounded() * Double(unit)
      let code =
        exact.isNaN || exact <= Double(range.lowerBound)
        ? range.lowerBound : exact >= Double(range.upperBound) ? range.upperBound : Int(exact)
      return (UInt32(truncatingIfNeeded: code & -unit) & mask) << UInt32(shift)
    }

    /// The bits of the code before the first result.
    var firstCode: UInt32 { (UInt32(truncatingIfNeeded: first) & mask) << UInt32(shift) }

    /// Returns the value of a code, given as its bits.
    package func value(of bits: UInt32, scale: Double) -> Double {
      let number = Double(number(of: bits))
      return table.isEmpty
        ? offset + scale * number : interpolate(number, from: \.code, to: \.value)
    }

    /// Returns the coordinate of the table at another, on the line through its two neighbours or the two nearest points.
    private func interpolate(
      _ argument: Double, from: KeyPath<Point, Double>, to: KeyPath<Point, Double>
    ) -> Double {
      let isRising = table[1][keyPath: from] > table[0][keyPath: from]
      let next =
        table.firstIndex { ($0[keyPath: from] >= argument) == isRising } ?? table.count
      let high = min(max(next, 1), table.count - 1)
      let (one, other) = (table[high - 1], table[high])
      let width = other[keyPath: from] - one[keyPath: from]
      let share = (argument - one[keyPath: from]) / width
      return one[keyPath: to] + share * (other[keyPath: to] - one[keyPath: to])
    }

    /// Returns the number that the bits of a code stand for.
    package func number(of word: UInt32) -> Int {
      let code = word >> UInt32(shift) & mask
      let isNegative = isSigned && code >> UInt32(bits - 1) & 1 != 0
      return Int(code) - (isNegative ? 1 << bits : 0)
    }

    private var mask: UInt32 { bits >= 32 ? .max : 1 << UInt32(bits) - 1 }
  }

  /// The registers of a part.
  package struct Registers: Sendable {
    /// What follows the last byte of a register in a longer read.
    package enum Continuation: String, CaseIterable, Sendable {
      /// The next register.
      case next
      /// The same register again.
      case same
      /// Ones.
      case ones
    }

    /// The number of bytes of a register.
    package var bytes = 1
    package var isLittleEndian = false
    package var continuation = Continuation.next
    package var list: [Register] = []
    package var fields: [Field] = []

    /// `true` if a write begins with the address of a register.
    package var isAddressed: Bool { list.contains { $0.address != nil } }
  }

  /// A register.
  package struct Register: Sendable {
    package var name = ""
    /// The address; `nil` for one that only commands reach.
    package var address: UInt8?
    /// The content after power-on and reset.
    package var reset: UInt32 = 0
    /// The bits that can be written.
    package var writable: UInt32 = 0
    /// The bits that a reset does not change.
    package var kept: UInt32 = 0
    /// The number of bytes; `nil` for that of all registers.
    package var bytes: Int?
    /// The value whose code it shows; `nil` for its own content.
    package var value: Int?
    /// The index of the first byte of the calibration that it shows; `nil` for none.
    package var calibration: Int?
    /// `true` if drivers recognise the part by its content.
    package var identifies = false
  }

  /// A group of bits in a register.
  package struct Field: Sendable {
    package let name: String
    package let register: Int
    package let lowest: Int
    package let width: Int
    /// The bits that it consists of, the highest first, if they are not adjacent; otherwise empty.
    package var scattered: [Int] = []
    /// The registers whose reading clears it, if it shows a new result; empty for its own register, and those of the values.
    package var clearingRegisters: [Int] = []

    /// The bits that it consists of in a word.
    var mask: UInt32 { bits(of: .max) }

    /// The largest value.
    var largest: UInt32 { width >= 32 ? .max : 1 << UInt32(width) - 1 }

    /// Returns the value of the field in a word.
    func value(in word: UInt32) -> UInt32 {
      guard !scattered.isEmpty else { return word >> UInt32(lowest) & largest }
      return scattered.reduce(0) { $0 << 1 | word >> UInt32($1) & 1 }
    }

    /// Returns the bits of a word that a value of the field sets; more bits than it has are ignored.
    func bits(of value: UInt32) -> UInt32 {
      guard !scattered.isEmpty else { return (value & largest) << UInt32(lowest) }
      var word: UInt32 = 0
      for (index, bit) in scattered.reversed().enumerated() {
        word |= (value >> UInt32(index) & 1) << UInt32(bit)
      }
      return word
    }
  }

  /// A value of a field.
  package struct Setting: Hashable, Sendable {
    package let field: Int
    package let value: UInt32
  }

  /// A field of one bit that shows whether the supply is below a voltage; it is updated with each measurement.
  package struct LowSupply: Sendable {
    package let field: Int
    /// The voltage in V.
    package let volts: Double
    /// `true` if it is also updated at the start.
    package let isKnownAtStart: Bool
  }

  /// A heater that warms the part above the air.
  package struct Heater: Sendable {
    /// The states of fields in which it is on.
    package let conditions: [Condition]
    /// The temperature rise that it reaches, in °C.
    package let rise: Choice<Double>
    /// The time constant of the part, in nanoseconds.
    package let timeConstant: UInt64
  }

  /// A state of a field: one of some values.
  package struct Condition: Hashable, Sendable {
    package let field: Int
    package let values: [UInt32]
  }

  /// A command.
  package struct Command: Sendable {
    package var name = ""
    /// The code, of two bytes if it is above 0xFF; `nil` for the response to a read without a command.
    package var code: UInt16?
    /// The field that the lowest bits of the code set, as many as it has; `nil` if the code has no such bits.
    package var codeField: Int?
    /// The bits of the code that set the field.
    package var codeMask: UInt16 = 0
    /// The bytes that follow the code in the same write; their content is not checked.
    package var arguments: [UInt8] = []
    /// The register that the bytes after the code write; `nil` for none.
    package var writes: Int?
    /// `true` if a checksum follows each written word; a wrong one is not acknowledged.
    package var isChecked = false
    /// The number of bytes after the code.
    package var length = 0
    /// The measurement that it starts; `nil` for none.
    package var measurement: Int?
    /// The command with which a driver reads the result of the measurement; `nil` if a read alone does.
    package var fetch: Int?
    /// The response to a read after it.
    package var response: [Item] = []
    /// What a checksum follows in the response; `nil` for the placement of the part.
    package var placement: Checksum.Placement?
    /// `true` if drivers recognise the part by the response.
    package var identifies = false
    package var resets = false
    /// The time during which the part does not answer afterwards, unless it measures.
    package var busyTime = Span()
    package var sets: [Setting] = []
    /// While this is so, the command is not acknowledged.
    package var forbidden: [Condition] = []
    /// The command exists while this is so; another with the same code may exist otherwise.
    package var conditions: [Condition] = []
  }

  /// A piece of a response.
  package struct Item: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
      /// The latest code of a value.
      case value(Int)
      case register(Int)
      case constant(UInt32)
      /// The word of the serial number with this index, 0 for the highest.
      case serial(Int)
      /// The word of the calibration with this index.
      case calibration(Int)
    }

    package let content: Content
    /// The width in bits.
    package let bits: Int
  }

  /// A measurement: what it converts, when and for how long.
  package struct Measurement: Sendable {
    /// What the part does during a measurement.
    package enum Meanwhile: String, CaseIterable, Sendable {
      /// It does not acknowledge its address.
      case nack
      /// It holds SCL from a read until the result is there.
      case stretch
      /// It answers with the last result.
      case last
    }

    package var name = ""
    package var values: [Int] = []
    package var typical = Choice(UInt64(0))
    package var maximum = Choice(UInt64(0))
    /// The factor of its durations and of its period, as a number of averages; `nil` for 1.
    package var times: Multiplier?
    package var meanwhile = Meanwhile.last
    /// The fields that have these values during a measurement, and others after it.
    package var busy: [Setting] = []
    /// The written fields that start one measurement.
    package var starts: [Setting] = []
    /// The time from one measurement to the next, in nanoseconds; `nil` for one that is started each time.
    package var every: Choice<UInt64>?
    /// Repeated measurements are made while this is so.
    package var conditions: [Condition] = []
    /// `true` if a read without a new result is not acknowledged.
    package var needsNew = false
    /// The fields of one bit that are set by a new result and cleared by reading it.
    package var newFields: [Int] = []
    /// The fields that the part sets when the measurement ends.
    package var ends: [Setting] = []
    /// The standard deviation of each value, if it differs from that of the value; empty if it does not.
    package var noise: [Double] = []
    /// The current during the measurement, in µA; `nil` if unknown.
    package var current: Double?
  }
}

extension PartDescription.Choice {
  /// Creates a choice by a field, or of one value.
  init(field: Int?, _ elements: [Element]) {
    self.init(elements[0])
    (self.field, self.elements) = (field, elements)
  }

  /// Returns the choice with each value converted.
  func map<Other>(_ convert: (Element) -> Other) -> PartDescription.Choice<Other> {
    PartDescription.Choice<Other>(field: field, elements.map(convert))
  }
}
