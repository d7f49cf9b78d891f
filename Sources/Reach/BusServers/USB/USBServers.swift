import I2C

/// A USB adapter for I2C behind the USB redirection protocol, for QEMU's device usb-redir.
///
/// Source: the protocol's specification 0.7 (usbredir-protocol.txt). The device is the side that "has" the device; QEMU is
/// the host of the guest.
package final class USBRedirection: StreamSession {
  /// The types of packets that a device of one control endpoint receives or sends.
  private enum Packet: UInt32 {
    case hello = 0
    case deviceConnect = 1
    case deviceDisconnect = 2
    case reset = 3
    case interfaceInfo = 4
    case endpointInfo = 5
    case setConfiguration = 6
    case getConfiguration = 7
    case configurationStatus = 8
    case setAlternate = 9
    case getAlternate = 10
    case alternateStatus = 11
    case cancel = 21
    case filterReject = 22
    case filter = 23
    case disconnectAcknowledge = 24
    case control = 100
  }

  private enum Capability {
    static let deviceVersion: UInt32 = 1 << 1
    static let maximumPacketSize: UInt32 = 1 << 4
    static let longIdentifiers: UInt32 = 1 << 5
    static let longBulkLength: UInt32 = 1 << 6
    /// Without the last three, QEMU refuses the device on an xHCI controller.
    static let all = deviceVersion | maximumPacketSize | longIdentifiers | longBulkLength
  }

  private enum Status {
    static let success: UInt8 = 0
    static let invalid: UInt8 = 2
    static let stall: UInt8 = 4
  }

  /// The longest accepted packet in bytes: a control request with 64 KiB of data, and its header.
  private static let longest = 65_535 + 10

  private let bus: ServedBus
  private let adapter: USBI2CAdapter
  /// The capabilities that both sides have; `nil` before the hello of the other side.
  private var capabilities: UInt32?

  package init(_ bus: ServedBus) {
    self.bus = bus
    adapter = USBI2CAdapter(bus)
  }

  package var hasBegun: Bool { capabilities != nil }

  package func connectionChange() -> [UInt8]? {
    guard capabilities != nil else { return [] }
    adapter.reset()
    return bus.isPluggedIn ? connection : packet(.deviceDisconnect, 0, [])
  }

  package func greeting() -> [UInt8] {
    var hello: [UInt8] = []
    hello.append("aneroid", length: 64)
    hello.append(Capability.all, .little)
    return packet(.hello, 0, hello)
  }

  package func next(_ received: inout [UInt8]) throws(ProtocolError) -> [UInt8]? {
    let size = has(Capability.longIdentifiers) ? 16 : 12
    guard received.count >= size else { return nil }
    let header = received[..<size]
    let length = Int(header.integer(at: 4, .little, as: UInt32.self))
    guard length <= Self.longest else { throw ProtocolError("it sent a packet of \(length) bytes") }
    guard received.count >= size + length else { return nil }
    let identifier: UInt64 =
      size == 16
      ? header.integer(at: 8, .little) : UInt64(header.integer(at: 8, .little, as: UInt32.self))
    let body = received[size..<(size + length)]
    let answer = try answer(header.integer(at: 0, .little), identifier, body)
    received.removeFirst(size + length)
    return answer
  }

  private func has(_ capability: UInt32) -> Bool { (capabilities ?? 0) & capability != 0 }

  private func answer(
    _ type: UInt32, _ identifier: UInt64, _ body: ArraySlice<UInt8>
  ) throws(ProtocolError) -> [UInt8] {
    guard let packet = Packet(rawValue: type) else {
      throw ProtocolError("it sent a packet of the unknown type \(type)")
    }
    guard (capabilities == nil) == (packet == .hello) else {
      throw ProtocolError(
        capabilities == nil ? "its first packet is no hello" : "it sent a second hello")
    }
    switch packet {
    case .hello:
      return try connect(body)
    case .reset:
      adapter.reset()
      return []
    case .setConfiguration:
      try check(body, has: 1)
      let isKnown = adapter.configure(body.integer(at: 0, .little))
      return configurationStatus(identifier, isKnown ? Status.success : Status.invalid)
    case .getConfiguration:
      return configurationStatus(identifier, Status.success)
    case .setAlternate:
      try check(body, has: 2)
      let interface: UInt8 = body.integer(at: 0, .little)
      let alternate: UInt8 = body.integer(at: 1, .little)
      let status = interface == 0 && alternate == 0 ? Status.success : Status.invalid
      return self.packet(.alternateStatus, identifier, [status, interface, 0])
    case .getAlternate:
      try check(body, has: 1)
      let interface: UInt8 = body.integer(at: 0, .little)
      let status = interface == 0 ? Status.success : Status.invalid
      return self.packet(.alternateStatus, identifier, [status, interface, 0])
    case .control:
      return try control(identifier, body)
    case .cancel, .filter, .disconnectAcknowledge:
      // Each request is answered at once, so that nothing is left to cancel.
      return []
    case .filterReject:
      throw ProtocolError("its filter rejects the device")
    case .deviceConnect, .deviceDisconnect, .interfaceInfo, .endpointInfo, .configurationStatus,
      .alternateStatus:
      throw ProtocolError("it sent a packet that only a device sends (type \(type))")
    }
  }

  /// Stores the capabilities of the other side and connects the device.
  private func connect(_ hello: ArraySlice<UInt8>) throws(ProtocolError) -> [UInt8] {
    guard hello.count >= 64 else { throw ProtocolError("its hello has \(hello.count) bytes") }
    let theirs: UInt32 = hello.count >= 68 ? hello.integer(at: 64, .little) : 0
    capabilities = theirs & Capability.all
    return bus.isPluggedIn ? connection : []
  }

  /// The packets that plug the device in.
  private var connection: [UInt8] {
    packet(.endpointInfo, 0, endpoints) + packet(.interfaceInfo, 0, interfaces)
      + packet(.deviceConnect, 0, device)
  }

  /// The 32 endpoints, of which 0 (out and in) exists.
  private var endpoints: [UInt8] {
    let (control, invalid): (UInt8, UInt8) = (0, 255)
    func each(_ first: UInt8, _ rest: UInt8) -> [UInt8] {
      (0..<32).map { $0 % 16 == 0 ? first : rest }
    }
    var bytes = each(control, invalid) + each(0, 0) + each(0, 0)
    if has(Capability.maximumPacketSize) {
      for size in each(USBI2CAdapter.packetSize, 0) { bytes.append(UInt16(size), .little) }
    }
    return bytes
  }

  /// The 32 interfaces, of which one exists, with their classes.
  private var interfaces: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(UInt32(1), .little)
    return bytes + [UInt8](repeating: 0, count: 4 * 32)
  }

  private var device: [UInt8] {
    let fullSpeed: UInt8 = 1
    var bytes: [UInt8] = [fullSpeed, 0xFF, 0, 0]
    bytes.append(USBI2CAdapter.vendor, .little)
    bytes.append(USBI2CAdapter.product, .little)
    if has(Capability.deviceVersion) { bytes.append(USBI2CAdapter.version, .little) }
    return bytes
  }

  private func configurationStatus(_ identifier: UInt64, _ status: UInt8) -> [UInt8] {
    packet(.configurationStatus, identifier, [status, adapter.configuration])
  }

  private func control(
    _ identifier: UInt64, _ body: ArraySlice<UInt8>
  ) throws(ProtocolError) -> [UInt8] {
    try check(body, has: 10)
    let setup = USBSetup(
      requestType: body.integer(at: 2, .little), request: body.integer(at: 1, .little),
      value: body.integer(at: 4, .little), index: body.integer(at: 6, .little),
      length: body.integer(at: 8, .little))
    let data = body.dropFirst(10)
    guard setup.isIn || data.count == Int(setup.length) else {
      throw ProtocolError("a control packet has \(data.count) bytes of data, not \(setup.length)")
    }
    let answer = adapter.answer(setup, data)
    var header = Array(body.prefix(10))
    switch answer {
    case .data(let bytes):
      header[3] = Status.success
      // An answer has the number of bytes that were transferred.
      let length = UInt16(clamping: setup.isIn ? bytes.count : data.count)
      (header[8], header[9]) = (UInt8(length & 0xFF), UInt8(length >> 8))
      return packet(.control, identifier, header + bytes)
    case .stall:
      header[3] = Status.stall
      (header[8], header[9]) = (0, 0)
      return packet(.control, identifier, header)
    }
  }

  private func check(_ body: ArraySlice<UInt8>, has count: Int) throws(ProtocolError) {
    guard body.count >= count else {
      throw ProtocolError("it sent a packet of \(body.count) bytes that needs \(count)")
    }
  }

  private func packet(_ type: Packet, _ identifier: UInt64, _ body: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(type.rawValue, .little)
    bytes.append(UInt32(body.count), .little)
    if has(Capability.longIdentifiers) {
      bytes.append(identifier, .little)
    } else {
      bytes.append(UInt32(truncatingIfNeeded: identifier), .little)
    }
    return bytes + body
  }
}

/// A USB adapter for I2C behind USB/IP, for Linux's vhci-hcd and the tool `usbip`.
///
/// Source: Linux, Documentation/usb/usbip_protocol.rst, version 1.1.1. All integers are big-endian.
package final class USBIP: StreamSession {
  private enum Operation {
    static let version: UInt16 = 0x0111
    static let requestList: UInt16 = 0x8005
    static let list: UInt16 = 0x0005
    static let requestImport: UInt16 = 0x8003
    static let imported: UInt16 = 0x0003
  }

  private enum Command {
    static let submit: UInt32 = 1
    static let unlink: UInt32 = 2
    static let submitted: UInt32 = 3
    static let unlinked: UInt32 = 4
    static let headerSize = 48
  }

  /// The bus identifier under which the device is listed.
  static let busIdentifier = "1-1"
  /// EPIPE, by which Linux names a stall.
  private static let stall: Int32 = -32
  /// The longest accepted transfer in bytes.
  private static let longest = 65_535

  private let bus: ServedBus
  private let adapter: USBI2CAdapter
  private var isImported = false

  package init(_ bus: ServedBus) {
    self.bus = bus
    adapter = USBI2CAdapter(bus)
  }

  package func greeting() -> [UInt8] { [] }

  package var hasBegun: Bool { isImported }

  /// Linux removes an imported device when its connection is closed.
  package func connectionChange() -> [UInt8]? { nil }

  package func next(_ received: inout [UInt8]) throws(ProtocolError) -> [UInt8]? {
    guard
      let (answer, length) = try isImported ? command(received[...]) : operation(received[...])
    else { return nil }
    received.removeFirst(length)
    return answer
  }

  /// Answers a request before the device is imported; `nil` if it is not complete.
  private func operation(
    _ bytes: ArraySlice<UInt8>
  ) throws(ProtocolError) -> (answer: [UInt8], length: Int)? {
    guard bytes.count >= 8 else { return nil }
    let version: UInt16 = bytes.integer(at: 0, .big)
    let code: UInt16 = bytes.integer(at: 2, .big)
    guard version == Operation.version else {
      throw ProtocolError("it speaks version 0x\(String(version, radix: 16)), not 0x111")
    }
    switch code {
    case Operation.requestList:
      var answer = header(Operation.list, isRefused: false)
      answer.append(UInt32(bus.isPluggedIn ? 1 : 0), .big)
      guard bus.isPluggedIn else { return (answer, 8) }
      // One interface, with its class and padding.
      return (answer + device + [0, 0, 0, 0], 8)
    case Operation.requestImport:
      guard bytes.count >= 40 else { return nil }
      let name = bytes.dropFirst(8).prefix(32).prefix { $0 != 0 }
      guard bus.isPluggedIn, name.elementsEqual(Self.busIdentifier.utf8) else {
        return (header(Operation.imported, isRefused: true), 40)
      }
      isImported = true
      adapter.reset()
      return (header(Operation.imported, isRefused: false) + device, 40)
    default:
      throw ProtocolError("it sent the unknown request 0x\(String(code, radix: 16))")
    }
  }

  private func header(_ code: UInt16, isRefused: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(Operation.version, .big)
    bytes.append(code, .big)
    bytes.append(UInt32(isRefused ? 1 : 0), .big)
    return bytes
  }

  private var device: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append("/sys/devices/aneroid/usb1/\(Self.busIdentifier)", length: 256)
    bytes.append(Self.busIdentifier, length: 32)
    let (bus, number, fullSpeed): (UInt32, UInt32, UInt32) = (1, 2, 2)
    for value in [bus, number, fullSpeed] { bytes.append(value, .big) }
    for value in [USBI2CAdapter.vendor, USBI2CAdapter.product, USBI2CAdapter.version] {
      bytes.append(value, .big)
    }
    // Class, subclass, protocol, current configuration, number of configurations, number of interfaces.
    return bytes + [0xFF, 0, 0, adapter.configuration, 1, 1]
  }

  /// Answers a transfer of the imported device; `nil` if it is not complete.
  private func command(
    _ bytes: ArraySlice<UInt8>
  ) throws(ProtocolError) -> (answer: [UInt8], length: Int)? {
    guard bytes.count >= Command.headerSize else { return nil }
    let code: UInt32 = bytes.integer(at: 0, .big)
    let sequence: UInt32 = bytes.integer(at: 4, .big)
    switch code {
    case Command.submit:
      return try submit(bytes, sequence)
    case Command.unlink:
      // Each transfer is answered at once, so that there is none to unlink: status 0.
      let answer = reply(Command.unlinked, sequence, status: 0, length: 0)
      return (answer, Command.headerSize)
    default:
      throw ProtocolError("it sent the unknown command \(code)")
    }
  }

  private func submit(
    _ bytes: ArraySlice<UInt8>, _ sequence: UInt32
  ) throws(ProtocolError) -> (answer: [UInt8], length: Int)? {
    let isIn = bytes.integer(at: 12, .big, as: UInt32.self) != 0
    let endpoint: UInt32 = bytes.integer(at: 16, .big)
    let length: Int32 = bytes.integer(at: 24, .big)
    guard (0...Int32(Self.longest)).contains(length) else {
      throw ProtocolError("it sent a transfer of \(UInt32(bitPattern: length)) bytes")
    }
    let size = Command.headerSize + (isIn ? 0 : Int(length))
    guard bytes.count >= size else { return nil }
    let packet = bytes.dropFirst(40)
    var setup = USBSetup(
      requestType: packet.integer(at: 0, .little), request: packet.integer(at: 1, .little),
      value: packet.integer(at: 2, .little), index: packet.integer(at: 4, .little),
      length: packet.integer(at: 6, .little))
    // The buffer limits the answer.
    setup.length = min(setup.length, UInt16(length))
    guard endpoint == 0, setup.isIn == isIn || length == 0 else {
      return (reply(Command.submitted, sequence, status: Self.stall, length: 0), size)
    }
    switch adapter.answer(setup, bytes.dropFirst(Command.headerSize).prefix(isIn ? 0 : Int(length)))
    {
    case .data(let data):
      let count = isIn ? data.count : Int(length)
      let answer = reply(Command.submitted, sequence, status: 0, length: count)
      return (answer + (isIn ? data : []), size)
    case .stall:
      return (reply(Command.submitted, sequence, status: Self.stall, length: 0), size)
    }
  }

  private func reply(
    _ code: UInt32, _ sequence: UInt32, status: Int32, length: Int
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    // Device, direction and endpoint are 0 in an answer.
    for value in [code, sequence, 0, 0, 0] { bytes.append(value, .big) }
    bytes.append(status, .big)
    bytes.append(UInt32(length), .big)
    bytes.append(UInt32(0), .big)
    // The number of isochronous packets of another transfer.
    bytes.append(UInt32.max, .big)
    return bytes + [UInt8](repeating: 0, count: Command.headerSize - bytes.count)
  }
}

extension StreamServer {
  /// Creates a transport for the USB redirection protocol, by which QEMU reaches a device outside.
  package static func usbRedirection(
    _ listener: SocketListener, _ bus: ServedBus, notice: @escaping (String) -> Void
  ) -> StreamServer {
    StreamServer("usbredir", listener, bus, notice: notice) { USBRedirection(bus) }
  }

  /// Creates a transport for USB/IP, by which Linux reaches a device of another machine.
  package static func usbip(
    _ listener: SocketListener, _ bus: ServedBus, notice: @escaping (String) -> Void
  ) -> StreamServer {
    StreamServer("usbip", listener, bus, notice: notice) { USBIP(bus) }
  }
}
