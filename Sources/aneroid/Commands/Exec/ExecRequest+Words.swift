import I2CTrace
import Interposer
import Rigs
import TraceTools

extension ExecRequest {
  /// Reads a command line that is written plainly: names and values apart, nothing wrong with them.
  ///
  /// The parser builds all commands with all options from their types, which takes longer than most programs that are
  /// run; here are the same names without it.
  ///
  /// It is `nil` where the words are another command's, or written in a way that only the parser knows, or wrong: then the
  /// parser is to be asked, which also says what is wrong.
  ///
  /// - Parameter words: all arguments, `exec` the first.
  init?(plain words: [String]) {
    guard words.first == "exec" else { return nil }
    self.init()
    var index = 1
    while index < words.count, words[index] != "--" {
      let name = words[index]
      index += 1
      if take(flag: name) { continue }
      guard index < words.count else { return nil }
      let value = words[index]
      guard !value.isEmpty, !value.hasPrefix("-"), take(name, value) else { return nil }
      index += 1
    }
    guard index < words.count else { return nil }
    program = Array(words[(index + 1)...])
    guard !program.isEmpty, complaint == nil else { return nil }
  }

  /// Takes an option without a value; whether it is one.
  private mutating func take(flag name: String) -> Bool {
    switch name {
    case "--fast": fast = true
    case "--log": log = true
    case "--silent": silent = true
    case "--quiet": quiet = true
    default: return false
    }
    return true
  }

  /// Takes an option with its value; whether both are known.
  private mutating func take(_ name: String, _ value: String) -> Bool {
    switch name {
    case "--rig": rig = value
    case "--bus": bus = value
    case "--trace": trace = value
    case "--events": events = value
    case "--fault": fault.append(value)
    case "--number": return Self.keep(Int(value), in: &number)
    case "--parent": return Self.keep(Int32(value), in: &parent)
    case "--steps": return Self.keep(Int32(value), in: &steps)
    case "--address": return Self.keep(Address(argument: value), in: &address)
    case "--board": return Self.keep(Board(rawValue: value), in: &board)
    case "--clock": return Self.keep(Rig.ClockKind(rawValue: value), in: &clock)
    case "--replay": return Self.keep(ReplayMode(rawValue: value), in: &replay)
    case "--times": return Self.keep(Replay.Pace(value), in: &times)
    case "--frequency": return Self.keep(BusFrequency(argument: value), in: &frequency)
    case "--for": return Self.keep(Interval(argument: value), in: &limit)
    case "--stall": return Self.keep(Interval(argument: value), in: &stall)
    case "--grace": return Self.keep(Interval(argument: value), in: &grace)
    case "--map":
      guard let mapping = NumberMapping(argument: value) else { return false }
      map.append(mapping)
    default: return false
    }
    return true
  }

  /// Keeps what a value means; whether it means something.
  private static func keep<Meant>(_ meant: Meant?, in place: inout Meant) -> Bool {
    guard let meant else { return false }
    place = meant
    return true
  }

  private static func keep<Meant>(_ meant: Meant?, in place: inout Meant?) -> Bool {
    guard let meant else { return false }
    place = meant
    return true
  }
}
