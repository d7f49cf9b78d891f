import ArgumentParser
import CProcess
import Chips
import Glibc
import I2C
import Rigs
import Schema
import Support

/// The arguments of this process.
package enum Arguments {
  /// The arguments after the program's name; available even without /proc, which `CommandLine`
  /// requires.
  package static var own: [String] {
    let count = process_argument_count()
    guard count > 0 else { return Array(CommandLine.arguments.dropFirst()) }
    var arguments: [String] = []
    // No range: its types, which unoptimised code looks up at run time, would take a third of a millisecond of each start.
    var index: Int32 = 1
    while index < count {
      if let argument = process_argument(index) { arguments.append(String(cString: argument)) }
      index += 1
    }
    return arguments
  }
}

/// The permission to run the programs that a rig names.
struct ProgramPermission: ParsableArguments {
  @Flag(
    help: "Allow the rig to run programs: parts, a plant and, in 'run', notifications.")
  var allowRun = false
}

/// An address on the command line: `0x76` or `118`.
struct Address: ExpressibleByArgument, Equatable {
  let address: I2CAddress

  init?(argument: String) {
    guard let number = RigText.integer(argument), (0x03...0x77).contains(number),
      let address = I2CAddress(rawValue: UInt16(number))
    else { return nil }
    self.address = address
    isDecimal = argument.allSatisfy(\.isNumber)
  }

  /// `true` if the argument was decimal, without `0x`.
  private let isDecimal: Bool

  /// Returns whether the part of the built-in bench supports an address; `nil` is the default
  /// address.
  static func isOfBuiltInPart(_ address: Address?) -> Bool {
    address == nil || address?.address == 0x76 || address?.address == 0x77
  }

  /// The error message for an address that the part of the built-in bench does not support.
  static let builtInPartRule = "--address must be 0x76 or 0x77"

  /// Rejects a decimal number, such as `76`, that would be a sensor address if it were hexadecimal.
  ///
  /// - Throws: `ValidationError` that suggests the hexadecimal address.
  func validate() throws {
    let number = Int(address.rawValue)
    guard isDecimal, !Catalogue.addresses.contains(address),
      let meant = Int("\(number)", radix: 16),
      let other = Catalogue.addresses.first(where: { Int($0.rawValue) == meant })
    else { return }
    throw ValidationError(
      "--address \(number) is \(address), which no supported part uses; did you mean \(other)?"
    )
  }
}

extension Rig {
  /// Creates the built-in bench, which runs without a rig file.
  ///
  /// - Parameters:
  ///   - address: the address of its part; default: 0x76.
  ///   - isHarsh: whether the part is harsh. Default: `false`.
  /// - Returns: the rig.
  static func builtIn(at address: Address?, isHarsh: Bool = false) -> Rig {
    builtIn(address: address?.address.rawValue ?? 0x76, isHarsh: isHarsh)
  }
}

/// An altitude in the format of rigs, such as `1609m` or `5280ft`.
struct Altitude: Equatable {
  let metres: Double

  /// Parses the value of an option.
  ///
  /// - Throws: `ValidationError` that describes the error.
  static func read(_ argument: String) throws -> Altitude {
    do throws(QuantityKind.FormatError) {
      return Altitude(metres: try QuantityKind.altitude.parse(argument))
    } catch {
      throw ValidationError(error.message)
    }
  }
}

/// A bus frequency in the format of rigs, such as `400kHz`.
struct BusFrequency: Equatable {
  let hertz: UInt64

  init?(argument: String) {
    guard let hertz = RigText.hertz(argument) else { return nil }
    self.hertz = hertz
  }

  /// Parses the value of an option.
  ///
  /// - Throws: `ValidationError` that describes the error.
  static func read(_ argument: String) throws -> BusFrequency {
    guard let frequency = BusFrequency(argument: argument) else {
      let error = RigText.error(inFrequency: argument) ?? "'\(argument)' is not a valid frequency"
      throw ValidationError("--frequency: \(error)")
    }
    return frequency
  }
}

/// A duration on the command line: `10s`, `500ms`, `1y` for 365 days.
struct Interval: ExpressibleByArgument, Equatable {
  let nanoseconds: UInt64

  init(nanoseconds: UInt64) {
    self.nanoseconds = nanoseconds
  }

  init?(argument: String) {
    let years = argument.hasSuffix("y") ? Int(argument.dropLast()) : nil
    let text = years.map { "\(min($0, 1000) * 365)d" } ?? argument
    guard let nanoseconds = RigText.nanoseconds(text) else { return nil }
    self.nanoseconds = nanoseconds
  }

  /// The longest duration, for messages.
  static let longest = "3650d, which is 10y"

  /// Parses the value of an option.
  ///
  /// - Throws: `ValidationError` that describes the error.
  static func read(_ argument: String) throws -> Interval {
    if let interval = Interval(argument: argument) { return interval }
    let error = RigText.error(inTime: argument) ?? "it is too long"
    let isYears = argument.hasSuffix("y") && Int(argument.dropLast()) != nil
    let text = isYears ? "\(argument) is out of range for a duration" : error
    throw ValidationError("\(text); the maximum is \(longest)")
  }

  var defaultValueDescription: String { "\(nanoseconds / 1_000_000_000)s" }
}

/// A pair of bus numbers on the command line: `1=3`.
struct NumberMapping: ExpressibleByArgument, Equatable {
  let from: Int
  let to: Int

  init?(argument: String) {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, let from = Int(parts[0]), let to = Int(parts[1]),
      I2CBusNumber.all.contains(from), I2CBusNumber.all.contains(to)
    else { return nil }
    (self.from, self.to) = (from, to)
  }
}

extension ArgumentHelp {
  /// Creates the help for an option whose value has a name, such as `--trace <file>`.
  static func value(_ name: String, _ text: String) -> ArgumentHelp {
    ArgumentHelp("\(text)", valueName: name)
  }
}

/// Standard input that can be read again after it was inspected.
enum RepeatableInput {
  /// Returns the contents, and rewinds the input for the next reader, also across `exec`.
  ///
  /// - Parameter longest: the limit in bytes; the last chunk may exceed it.
  /// - Returns: the bytes; `nil` if the input cannot be read or rewound.
  static func bytes(longest: Int) -> [UInt8]? {
    let start = lseek(STDIN_FILENO, 0, SEEK_CUR)
    guard let input = try? InputFile("-") else { return nil }
    var bytes: [UInt8] = []
    while bytes.count <= longest, let chunk = try? input.chunk() { bytes += chunk }
    if start >= 0 { return lseek(STDIN_FILENO, start, SEEK_SET) == start ? bytes : nil }
    let copy = ScratchFile.open()
    guard copy >= 0 else { return nil }
    defer { close(copy) }
    guard writeAll(bytes, to: copy) == 0, lseek(copy, 0, SEEK_SET) == 0,
      dup2(copy, STDIN_FILENO) == STDIN_FILENO
    else { return nil }
    return bytes
  }
}
