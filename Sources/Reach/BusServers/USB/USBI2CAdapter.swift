import I2C

/// The setup packet of a USB control request (USB 2.0, 9.3).
struct USBSetup: Equatable {
  var requestType: UInt8
  var request: UInt8
  var value: UInt16
  var index: UInt16
  var length: UInt16

  /// `true` if the data goes to the host.
  var isIn: Bool { requestType & 0x80 != 0 }
}

/// The answer to a USB control request.
enum USBAnswer: Equatable {
  /// The request was accepted; the data of a request that reads.
  case data([UInt8])
  /// The request was refused.
  case stall
}

/// A USB adapter for I2C of the kind that Linux's driver i2c-tiny-usb supports (0403:c631).
///
/// Source: Linux, drivers/i2c/busses/i2c-tiny-usb.c; the standard requests: USB 2.0, 9.4 to 9.6. A data byte that was not
/// acknowledged is answered with a stall, which the driver reports as EIO; an address, by the status that it reports as
/// ENXIO.
final class USBI2CAdapter {
  static let vendor: UInt16 = 0x0403
  static let product: UInt16 = 0xC631
  static let version: UInt16 = 0x0205
  /// The largest packet of endpoint 0 in bytes, the most that a full-speed device may have.
  static let packetSize: UInt8 = 64

  /// The status that a driver asks for after each message.
  private enum Status: UInt8 {
    case idle = 0
    case acknowledged = 1
    case notAcknowledged = 2
  }

  private enum Standard {
    static let getStatus: UInt8 = 0
    static let clearFeature: UInt8 = 1
    static let setFeature: UInt8 = 3
    static let setAddress: UInt8 = 5
    static let getDescriptor: UInt8 = 6
    static let getConfiguration: UInt8 = 8
    static let setConfiguration: UInt8 = 9
    static let getInterface: UInt8 = 10
    static let setInterface: UInt8 = 11
  }

  private enum Command {
    static let echo: UInt8 = 0
    static let getFunctionality: UInt8 = 1
    static let setDelay: UInt8 = 2
    static let getStatus: UInt8 = 3
    /// Bit 0: the first message of a transfer; bit 1: the last.
    static let messages: ClosedRange<UInt8> = 4...7
    static let endBit: UInt8 = 2
  }

  private let bus: ServedBus
  private var status = Status.idle
  private(set) var configuration: UInt8 = 1

  init(_ bus: ServedBus) { self.bus = bus }

  /// Answers a control request.
  ///
  /// - Parameters:
  ///   - setup: the setup packet.
  ///   - data: the data of a request that writes.
  /// - Returns: the answer.
  func answer(_ setup: USBSetup, _ data: some Collection<UInt8>) -> USBAnswer {
    switch setup.requestType & 0x60 {
    case 0x00: standard(setup)
    case 0x40: vendor(setup, data)
    default: .stall
    }
  }

  /// Ends an open transfer, and forgets the status, as a reset of the device does.
  func reset() {
    bus.stop()
    status = .idle
    configuration = 1
  }

  /// Selects a configuration.
  ///
  /// - Returns: `false` if the device has no such configuration.
  func configure(_ value: UInt8) -> Bool {
    guard value <= 1 else { return false }
    configuration = value
    return true
  }

  private func vendor(_ setup: USBSetup, _ data: some Collection<UInt8>) -> USBAnswer {
    switch setup.request {
    case Command.echo:
      return .data(bytes(setup.value).limited(to: setup.length))
    case Command.getFunctionality:
      var bits: [UInt8] = []
      bits.append(bus.functionality.rawValue, .little)
      return .data(bits.limited(to: setup.length))
    case Command.setDelay:
      // The bus of the bench has its own frequency.
      return .data([])
    case Command.getStatus:
      return .data([status.rawValue].limited(to: setup.length))
    case Command.messages:
      return message(setup, data)
    default:
      return .stall
    }
  }

  /// Sends one message of a transfer.
  private func message(_ setup: USBSetup, _ data: some Collection<UInt8>) -> USBAnswer {
    // The kernel's ten-bit addresses are marked by a flag that the adapter's functionality excludes.
    guard setup.index <= 0x7F, let address = I2CAddress(rawValue: setup.index) else {
      return .stall
    }
    let isLast = setup.request & Command.endBit != 0
    var bytes: [UInt8] = []
    let failure: I2CError.Kind?
    if setup.isIn {
      failure = bus.read(Int(setup.length), from: address, isLast: isLast, into: &bytes)
    } else {
      failure = bus.write(data, to: address, isLast: isLast)
    }
    guard failure != nil else {
      status = .acknowledged
      return .data(bytes)
    }
    guard failure == .addressNack else {
      status = .idle
      return .stall
    }
    status = .notAcknowledged
    // The driver takes a short answer for a broken connection, and asks for the status only after a full one.
    return .data([UInt8](repeating: 0xFF, count: setup.isIn ? Int(setup.length) : 0))
  }

  private func standard(_ setup: USBSetup) -> USBAnswer {
    switch setup.request {
    case Standard.getDescriptor:
      guard let descriptor = USBDescriptors.descriptor(setup.value) else { return .stall }
      return .data(descriptor.limited(to: setup.length))
    case Standard.getStatus:
      return .data([0, 0].limited(to: setup.length))
    case Standard.getConfiguration:
      return .data([configuration].limited(to: setup.length))
    case Standard.setConfiguration:
      return configure(UInt8(truncatingIfNeeded: setup.value)) ? .data([]) : .stall
    case Standard.getInterface:
      return .data([0].limited(to: setup.length))
    case Standard.setInterface:
      return setup.value == 0 ? .data([]) : .stall
    case Standard.setAddress, Standard.clearFeature, Standard.setFeature:
      return .data([])
    default:
      return .stall
    }
  }

  private func bytes(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
}

/// The descriptors of the adapter (USB 2.0, 9.6): one configuration with one interface, and no endpoint but 0.
enum USBDescriptors {
  private static let strings = ["", "Aneroid", "i2c-tiny-usb", "bench"]

  /// Finds a descriptor.
  ///
  /// - Parameter value: its type in the upper byte, its index in the lower one.
  /// - Returns: its bytes; `nil` if there is no such descriptor.
  static func descriptor(_ value: UInt16) -> [UInt8]? {
    switch value >> 8 {
    case 1: device
    case 2 where value & 0xFF == 0: configuration
    case 3: string(Int(value & 0xFF))
    default: nil
    }
  }

  private static var device: [UInt8] {
    var bytes: [UInt8] = [18, 1]
    bytes.append(UInt16(0x0110), .little)
    // Each interface has its own class.
    bytes += [0xFF, 0, 0, USBI2CAdapter.packetSize]
    for value in [USBI2CAdapter.vendor, USBI2CAdapter.product, USBI2CAdapter.version] {
      bytes.append(value, .little)
    }
    // The indices of three strings, and the number of configurations.
    return bytes + [1, 2, 3, 1]
  }

  private static var configuration: [UInt8] {
    // Powered by the bus, up to 100 mA.
    let header: [UInt8] = [9, 2, 18, 0, 1, 1, 0, 0x80, 50]
    let interface: [UInt8] = [9, 4, 0, 0, 0, 0, 0, 0, 0]
    return header + interface
  }

  private static func string(_ index: Int) -> [UInt8]? {
    // String 0 lists the languages: English of the United States.
    guard index > 0 else { return [4, 3, 0x09, 0x04] }
    guard index < strings.count else { return nil }
    let units = Array(strings[index].utf16)
    var bytes = [UInt8(2 + 2 * units.count), 3]
    for unit in units { bytes.append(unit, .little) }
    return bytes
  }
}

extension [UInt8] {
  /// Returns at most the number of bytes that a request asks for.
  fileprivate func limited(to length: UInt16) -> [UInt8] { Array(prefix(Int(length))) }
}
