import Machines
import Support

/// The levels of all GPIO pins as a value change dump (IEEE 1364-2005, clause 18), for GTKWave or PulseView.
///
/// A pin that neither the program nor the outside drives is `z`. Times are in nanoseconds of the bench clock.
final class PinDump {
  private let pins: PinBank
  private let file: OutputFile
  private var waiting: [UInt8] = []
  private var values: [Character]
  private var time: UInt64 = 0

  /// Begins a dump, and observes the pins.
  ///
  /// - Parameters:
  ///   - machine: the microcontroller.
  ///   - destination: the file.
  /// - Throws: `Failure` if the file cannot be opened.
  init(_ machine: any Microcontroller, to destination: OutputDestination) throws(Failure) {
    pins = machine.pins
    file = try OutputFile(destination, isDurable: false)
    file.appear()
    values = pins.names.map { _ in "z" }
    put("$version aneroid \(Version.text) $end\n$timescale 1 ns $end\n")
    put("$scope module \(machine.name) $end\n")
    for (pin, name) in pins.names.enumerated() {
      put("$var wire 1 \(Self.code(pin)) \(name) $end\n")
      pins.observe(pin)
    }
    put("$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n")
    for pin in values.indices {
      values[pin] = value(of: pin)
      put("\(values[pin])\(Self.code(pin))\n")
    }
    put("$end\n")
    let previous = pins.output
    pins.output = { [unowned self] pin, drive, time in
      previous(pin, drive, time)
      note(pin, at: time)
    }
    pins.outsideDidChange = { [unowned self] in note($0, at: machine.clock.nanoseconds) }
  }

  /// The identifier of a variable: digits of base 94 from `!`.
  private static func code(_ number: Int) -> String {
    let digit = Character(Unicode.Scalar(UInt8(33 + number % 94)))
    return number < 94 ? "\(digit)" : code(number / 94 - 1) + "\(digit)"
  }

  private func value(of pin: Int) -> Character {
    if case .floating = pins.drive(of: pin), pins.outsideLevel(of: pin) == nil { return "z" }
    return pins.level(of: pin) ? "1" : "0"
  }

  private func note(_ pin: Int, at now: UInt64) {
    let value = value(of: pin)
    guard value != values[pin] else { return }
    values[pin] = value
    if now > time {
      time = now
      put("#\(time)\n")
    }
    put("\(value)\(Self.code(pin))\n")
    if waiting.count > 1 << 16 { flush() }
  }

  private func put(_ text: String) { waiting += text.utf8 }

  private func flush() {
    file.write(waiting)
    waiting.removeAll(keepingCapacity: true)
  }

  /// Ends the dump at a time in nanoseconds.
  ///
  /// - Throws: `Failure` if the file could not be written.
  func finish(at end: UInt64) throws(Failure) {
    if end > time { put("#\(end)\n") }
    flush()
    try file.finish()
  }
}
