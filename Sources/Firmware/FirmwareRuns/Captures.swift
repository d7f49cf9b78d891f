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

/// The packets of a radio as a PCAP file with nanoseconds (LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR), for Wireshark.
///
/// Each packet has the date of its first bit, its channel, access address, header, payload and CRC. Packets that are not
/// of Bluetooth LE are counted.
final class RadioCapture {
  private static let nanosecondsMagic: UInt32 = 0xA1B2_3C4D
  private static let linkType: UInt32 = 256
  /// The packet is without whitening, its access address and its CRC are valid.
  private static let flags: UInt16 = 0xC11
  private static let channels = 2402...2480
  private static let checkBytes = 3

  private let file: OutputFile
  private let startMoment: Int64
  /// The number of packets that are not of Bluetooth LE.
  private(set) var foreign = 0

  /// Begins a file, and observes the radio.
  ///
  /// - Parameters:
  ///   - radio: the radio.
  ///   - destination: the file.
  ///   - startMoment: the date at time 0, in nanoseconds since 1970.
  /// - Throws: `Failure` if the file cannot be opened.
  init(_ radio: RadioPort, to destination: OutputDestination, startMoment: Int64) throws(Failure) {
    file = try OutputFile(destination, isDurable: false)
    self.startMoment = startMoment
    file.appear()
    file.write(
      Self.bytes(Self.nanosecondsMagic) + Self.bytes(UInt16(2)) + Self.bytes(UInt16(4))
        + Self.bytes(UInt64(0)) + Self.bytes(UInt32(65_535)) + Self.bytes(Self.linkType))
    let previous = radio.output
    radio.output = { [unowned self] packet in
      previous(packet)
      take(packet)
    }
  }

  private func take(_ packet: RadioPacket) {
    guard Self.channels.contains(packet.megahertz), packet.megahertz % 2 == 0,
      packet.check.count == Self.checkBytes
    else {
      foreign += 1
      return
    }
    // Channel, signal and noise in dBm, and offenses of the access address, of which only the channel is known.
    let channel = [UInt8((packet.megahertz - Self.channels.lowerBound) / 2), 0, 0, 0]
    let address = Self.bytes(packet.address)
    let content =
      channel + address + Self.bytes(Self.flags) + address + packet.bytes + packet.check
    let moment = UInt64(bitPattern: startMoment &+ Int64(clamping: packet.time))
    let (seconds, rest) = moment.quotientAndRemainder(dividingBy: 1_000_000_000)
    let count = UInt32(content.count)
    file.write(
      Self.bytes(UInt32(truncatingIfNeeded: seconds)) + Self.bytes(UInt32(rest))
        + Self.bytes(count) + Self.bytes(count) + content)
  }

  /// The bytes of a number, the lowest first.
  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  /// Ends the file.
  ///
  /// - Throws: `Failure` if the file could not be written.
  func finish() throws(Failure) { try file.finish() }
}
