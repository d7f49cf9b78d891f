package import I2C

/// A serial port of a microcontroller.
package final class SerialPort {
  /// The name in the data sheet.
  package let name: String
  /// A callback for each byte that the microcontroller sends, with the time of the stop bit in nanoseconds.
  ///
  /// It must not be set while a byte is being delivered.
  package var output: (_ byte: UInt8, _ time: UInt64) -> Void {
    get { receiver._withUnsafeGuaranteedRef { $0.take } }
    set {
      let old = receiver
      receiver = .passRetained(Receiver(newValue))
      old.release()
    }
  }
  /// The receiver of the bytes, which is retained manually to avoid reference counting for each byte.
  @exclusivity(unchecked) private var receiver = Unmanaged.passRetained(Receiver { _, _ in })

  private final class Receiver {
    let take: (_ byte: UInt8, _ time: UInt64) -> Void

    init(_ take: @escaping (_ byte: UInt8, _ time: UInt64) -> Void) { self.take = take }
  }
  /// The baud rate that the program has set; 0 until then.
  @exclusivity(unchecked) package var baudRate: UInt64 = 0
  /// A callback for new input, set by the peripheral.
  @exclusivity(unchecked) package var didReceive: () -> Void = {}

  @exclusivity(unchecked) private var waiting: [UInt8] = []
  @exclusivity(unchecked) private var first = 0

  package init(_ name: String) { self.name = name }

  deinit { receiver.release() }

  /// Sends bytes to the microcontroller, which receives them one by one at its baud rate.
  package func send(_ bytes: some Sequence<UInt8>) {
    waiting.append(contentsOf: bytes)
    if hasInput { didReceive() }
  }

  /// Calls `output` with a byte that the microcontroller has sent.
  package func put(_ byte: UInt8, at time: UInt64) {
    receiver._withUnsafeGuaranteedRef { $0.take(byte, time) }
  }

  /// `true` if input is waiting to be received.
  package var hasInput: Bool { first < waiting.count }

  /// Removes and returns the next input byte; `nil` if there is none.
  package func receive() -> UInt8? {
    guard hasInput else { return nil }
    defer {
      first += 1
      if first == waiting.count {
        waiting.removeAll(keepingCapacity: true)
        first = 0
      }
    }
    return waiting[first]
  }
}

/// An I2C controller of a microcontroller, to which a rig connects a bus.
package final class I2CPort {
  /// The names that a rig may use; the first is the usual name.
  package let names: [String]
  /// The bus wire connected to the controller's pins; `nil` for a bus with pull-ups and without targets.
  package var wire: (any I2CWire)? {
    get { storage }
    set { storage = newValue }
  }
  // `wire` is a computed property because exclusive access to a stored one would be checked when other modules set it.
  @exclusivity(unchecked) private var storage: (any I2CWire)?

  /// Creates a controller port without a bus.
  package init(_ names: String...) { self.names = names }

  /// The usual name of the controller.
  package var name: String { names[0] }
}

/// The GPIO pins of a microcontroller.
package final class PinBank {
  /// The state of a pin's output driver.
  package enum Drive: Hashable, Sendable {
    /// The pin is in high impedance.
    case floating
    /// A pull-down (`false`) or pull-up (`true`) resistor is enabled.
    case pulled(Bool)
    /// The microcontroller drives the pin low or high.
    case driven(Bool)
  }

  /// The pin names in the data sheet.
  package let names: [String]
  /// Further names of pins, such as those of a board, with their indices.
  private let aliases: [String: Int]
  /// A callback for changes of a pin's driver, with the time in nanoseconds.
  package var output: (_ pin: Int, _ drive: Drive, _ time: UInt64) -> Void = { _, _, _ in }
  /// A callback for level changes that come from outside, set by the GPIO peripheral.
  package var didChange: (_ pin: Int) -> Void = { _ in }
  /// A callback for changes of what drives a pin from outside.
  package var outsideDidChange: (_ pin: Int) -> Void = { _ in }

  /// The pins whose exact changes matter to an observer of `output`.
  private var observed: Set<Int> = []
  private var inside: [Drive]
  private var outside: [Bool?]

  /// Creates pins that nothing drives.
  ///
  /// - Parameters:
  ///   - names: the names in the data sheet.
  ///   - aliases: further names, in upper case, with the indices of their pins. Default: none.
  package init(_ names: [String], aliases: [String: Int] = [:]) {
    self.names = names
    self.aliases = aliases
    inside = Array(repeating: .floating, count: names.count)
    outside = Array(repeating: nil, count: names.count)
  }

  /// Returns the index of a pin by its name in upper or lower case; `nil` if it does not exist.
  package func index(of name: some StringProtocol) -> Int? {
    let wanted = name.uppercased()
    return names.firstIndex { $0 == wanted } ?? aliases[wanted]
  }

  /// Requires that `output` is called at the exact time of each change of a pin, also for waves that timers generate.
  package func observe(_ pin: Int) { observed.insert(pin) }

  /// Returns whether `observe(_:)` was called for a pin.
  package func isObserved(_ pin: Int) -> Bool { observed.contains(pin) }

  /// Returns the level at a pin; a floating pin reads low.
  package func level(of pin: Int) -> Bool {
    if case .driven(let level) = inside[pin] { return level }
    if let level = outside[pin] { return level }
    if case .pulled(let level) = inside[pin] { return level }
    return false
  }

  /// Returns the state of a pin's driver.
  package func drive(of pin: Int) -> Drive { inside[pin] }

  /// Returns the level that drives a pin from outside; `nil` if nothing does.
  package func outsideLevel(of pin: Int) -> Bool? { outside[pin] }

  /// Drives a pin from outside; `nil` releases it.
  package func set(_ pin: Int, to level: Bool?) {
    guard outside[pin] != level else { return }
    let before = self.level(of: pin)
    outside[pin] = level
    outsideDidChange(pin)
    if self.level(of: pin) != before { didChange(pin) }
  }

  /// Changes the driver of a pin at a time in nanoseconds.
  package func set(_ pin: Int, _ drive: Drive, at time: UInt64) {
    guard inside[pin] != drive else { return }
    let before = level(of: pin)
    inside[pin] = drive
    output(pin, drive, time)
    if level(of: pin) != before { didChange(pin) }
  }
}

/// The analog inputs of a microcontroller, with its supply voltage and die temperature.
package final class AnalogInputs {
  /// Returns the supply voltage in volts at a time in nanoseconds.
  ///
  /// Default: 3.0 V.
  package var supply: (UInt64) -> Double = { _ in 3.0 }
  /// Returns the die temperature in degrees Celsius at a time in nanoseconds.
  ///
  /// Default: 25 °C.
  package var temperature: (UInt64) -> Double = { _ in 25.0 }
  /// Returns the voltage of an input by its number at a time in nanoseconds.
  ///
  /// Default: 0 V.
  package var input: (_ number: Int, _ time: UInt64) -> Double = { _, _ in 0 }

  /// Creates inputs at 0 V, with a supply of 3.0 V and a die temperature of 25 °C.
  package init() {}
}

/// The radio of a microcontroller.
package final class RadioPort {
  /// The name in the data sheet.
  package let name: String
  /// A callback for each packet that the microcontroller has sent, at the end of the packet.
  package var output: (RadioPacket) -> Void = { _ in }

  package init(_ name: String) { self.name = name }

  /// Calls `output` with a packet.
  package func send(_ packet: RadioPacket) { output(packet) }
}

/// A packet on the air, without preamble and whitening.
package struct RadioPacket: Hashable, Sendable {
  /// The time at which the packet began, in nanoseconds.
  package let time: UInt64
  /// The carrier frequency in MHz.
  package let megahertz: Int
  /// The access address; its lowest byte is sent first.
  package let address: UInt32
  /// The header and the payload.
  package let bytes: [UInt8]
  /// The CRC, in the order of the air; empty without one.
  package let check: [UInt8]

  package init(time: UInt64, megahertz: Int, address: UInt32, bytes: [UInt8], check: [UInt8]) {
    self.time = time
    self.megahertz = megahertz
    self.address = address
    self.bytes = bytes
    self.check = check
  }
}
