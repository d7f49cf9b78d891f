import BusServers
import I2C
import TestSupport
import Testing
import VirtualI2C

/// The adapter i2c-tiny-usb behind USB redirection and USB/IP, as the kernel's driver uses it.
struct USBServerTests {
  /// The requests of the driver: i2c-tiny-usb.c.
  enum Request {
    static let functionality: UInt8 = 1
    static let status: UInt8 = 3
    /// A message that is the first and the last, the first of several, and the last of several.
    static let only: UInt8 = 7
    static let first: UInt8 = 5
    static let last: UInt8 = 6
    static let toDevice: UInt8 = 0x41
    static let toHost: UInt8 = 0xC1
  }

  // MARK: USB redirection

  static func packet(_ type: UInt32, _ body: [UInt8], id: UInt64 = 1, long: Bool = false) -> [UInt8]
  {
    var bytes: [UInt8] = []
    bytes.little(type)
    bytes.little(UInt32(body.count))
    if long { bytes.little(id) } else { bytes.little(UInt32(id)) }
    return bytes + body
  }

  /// A hello with no capabilities, so that identifiers have 32 bits.
  static var hello: [UInt8] {
    packet(0, [UInt8](repeating: 0, count: 64))
  }

  static func control(
    _ type: UInt8, _ request: UInt8, value: UInt16 = 0, index: UInt16 = 0, length: UInt16,
    data: [UInt8] = []
  ) -> [UInt8] {
    var body: [UInt8] = [type & 0x80, request, type, 0]
    for word in [value, index, length] { body.little(word) }
    return packet(100, body + data)
  }

  /// Returns the status and the data of the answer to a control packet.
  static func answer(_ session: USBRedirection, _ packet: [UInt8]) throws -> (UInt8, [UInt8]) {
    var received = packet
    let answer = try session.consume(&received)
    try #require(answer.count >= 22)
    #expect(answer.prefix(4).elementsEqual([100, 0, 0, 0]))
    return (answer[15], Array(answer.dropFirst(22)))
  }

  static func connected(_ bench: ServerBench) throws -> USBRedirection {
    let session = USBRedirection(bench.bus)
    var received = hello
    _ = try session.consume(&received)
    #expect(received.isEmpty)
    return session
  }

  @Test("after the hello of the host, the device connects as 0403:c631 with one control endpoint")
  func connect() throws {
    let bench = try ServerBench()
    let session = USBRedirection(bench.bus)
    #expect(session.greeting().count == 12 + 68)
    var received = Self.hello
    let answer = try session.consume(&received)
    // Endpoints, interfaces, and the device without the version that only a capability adds.
    #expect(answer.count == 12 + 96 + 12 + 132 + 12 + 8)
    #expect(answer.suffix(4).elementsEqual([0x03, 0x04, 0x31, 0xC6]))
  }

  @Test("a register is read by two messages of one transfer")
  func read() throws {
    let bench = try ServerBench()
    let session = try Self.connected(bench)
    let write = try Self.answer(
      session, Self.control(Request.toDevice, Request.first, index: 0x50, length: 1, data: [0x10]))
    #expect(write.0 == 0)
    #expect(bench.bus.isOpen)
    let read = try Self.answer(
      session, Self.control(Request.toHost, Request.last, value: 1, index: 0x50, length: 2))
    #expect(read.0 == 0)
    #expect(read.1 == Array(bench.part.registers[0x10...0x11]))
    #expect(bench.part.stops == 1)
    let status = try Self.answer(session, Self.control(Request.toHost, Request.status, length: 1))
    #expect(status.1 == [1])
  }

  @Test("an address that is not acknowledged gives all bytes and the status 2, a data byte a stall")
  func nacks() throws {
    let bench = try ServerBench()
    let session = try Self.connected(bench)
    let absent = try Self.answer(
      session, Self.control(Request.toHost, Request.only, value: 1, index: 0x51, length: 3))
    #expect(absent == (0, [0xFF, 0xFF, 0xFF]))
    #expect(
      try Self.answer(session, Self.control(Request.toHost, Request.status, length: 1)).1 == [2])
    let refused = try Self.answer(
      session,
      Self.control(Request.toDevice, Request.only, index: 0x50, length: 2, data: [0xFF, 1])
    )
    #expect(refused == (4, []))
    #expect(
      try Self.answer(session, Self.control(Request.toHost, Request.status, length: 1)).1 == [0])
  }

  @Test("the adapter has the functionality of the bus")
  func functionality() throws {
    let bench = try ServerBench()
    let session = try Self.connected(bench)
    let answer = try Self.answer(
      session, Self.control(Request.toHost, Request.functionality, length: 4))
    #expect(answer.1 == [0x09, 0x00, 0xFF, 0x0E])
  }

  static let badPackets: [(bytes: [UInt8], reason: String)] = [
    (packet(100, []), "its first packet is no hello"),
    (hello + hello, "it sent a second hello"),
    (hello + packet(99, []), "unknown type 99"),
    (hello + packet(100, [0]), "a packet of 1 bytes that needs 10"),
    (hello + packet(1, []), "only a device sends"),
    (hello + [100, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0], "a packet of 1048576 bytes"),
    (hello + control(0x41, 7, index: 0x50, length: 4, data: [1]), "1 bytes of data, not 4"),
  ]

  @Test(
    "a packet that breaks the protocol is refused with its reason",
    arguments: badPackets)
  func refused(_ bytes: [UInt8], _ reason: String) throws {
    let session = USBRedirection(try ServerBench().bus)
    var received = bytes
    let error = #expect(throws: ProtocolError.self) { try session.consume(&received) }
    #expect(error?.description.contains(reason) == true)
  }

  @Test("a host with all capabilities gets identifiers of 64 bits, packet sizes and the version")
  func capabilities() throws {
    let session = USBRedirection(try ServerBench().bus)
    var hello = [UInt8](repeating: 0, count: 64)
    hello.little(UInt32(0xFF))
    var received = Self.packet(0, hello)
    let answer = try session.consume(&received)
    #expect(answer.count == 16 + 96 + 64 + 16 + 132 + 16 + 10)
    received = Self.packet(7, [], id: 0x1_0000_0005, long: true)
    let status = try session.consume(&received)
    #expect(status == Self.packet(8, [0, 1], id: 0x1_0000_0005, long: true))
  }

  @Test("the answers do not depend on how the stream is cut")
  func cuts() throws {
    let stream =
      Self.hello + Self.control(Request.toDevice, Request.first, index: 0x50, length: 1, data: [3])
      + Self.control(Request.toHost, Request.last, value: 1, index: 0x50, length: 9)
      + Self.control(0x80, 6, value: 0x0200, length: 255)
    var whole = stream
    let expected = try USBRedirection(ServerBench().bus).consume(&whole)
    for size in [1, 2, 5, 13, 64] {
      let session = USBRedirection(try ServerBench().bus)
      var (pending, answers): ([UInt8], [UInt8]) = ([], [])
      for start in stride(from: 0, to: stream.count, by: size) {
        pending += stream[start..<min(start + size, stream.count)]
        answers += try session.consume(&pending)
      }
      #expect(answers == expected)
    }
  }

  @Test("the device connects, disconnects and connects again with its adapter")
  func unplugged() throws {
    let bench = try ServerBench()
    bench.bus.isPluggedIn = false
    let session = USBRedirection(bench.bus)
    #expect(session.connectionChange() == [], "before the hello of the host")
    var received = Self.hello
    #expect(try session.consume(&received) == [])
    bench.bus.isPluggedIn = true
    let connection = try #require(session.connectionChange())
    #expect(connection.count == 12 + 96 + 12 + 132 + 12 + 8)
    bench.bus.isPluggedIn = false
    #expect(session.connectionChange() == Self.packet(2, [], id: 0))
  }

  // MARK: USB/IP

  static func importRequest(_ name: String = "1-1") -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.big(UInt16(0x0111))
    bytes.big(UInt16(0x8003))
    bytes.big(UInt32(0))
    return bytes + Array(name.utf8) + [UInt8](repeating: 0, count: 32 - name.utf8.count)
  }

  static func submit(
    _ type: UInt8, _ request: UInt8, value: UInt16 = 0, index: UInt16 = 0, length: UInt16,
    data: [UInt8] = []
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    for word in [1, 7, 0x1_0002, type & 0x80 != 0 ? 1 : 0, 0, 0, UInt32(length), 0, 0, 0] {
      bytes.big(word)
    }
    bytes += [type, request]
    for word in [value, index, length] { bytes.little(word) }
    return bytes + data
  }

  @Test("the device is listed and imported under 1-1; another name is refused")
  func imported() throws {
    let session = USBIP(try ServerBench().bus)
    var received: [UInt8] = [0x01, 0x11, 0x80, 0x05, 0, 0, 0, 0]
    let list = try session.consume(&received)
    #expect(list.count == 12 + 312 + 4)
    #expect(list.dropFirst(12 + 300).prefix(4).elementsEqual([0x04, 0x03, 0xC6, 0x31]))
    received = Self.importRequest("2-1")
    #expect(try session.consume(&received) == [0x01, 0x11, 0x00, 0x03, 0, 0, 0, 1])
    received = Self.importRequest()
    let device = try session.consume(&received)
    #expect(device.count == 8 + 312)
    #expect(device.prefix(8).elementsEqual([0x01, 0x11, 0x00, 0x03, 0, 0, 0, 0]))
  }

  @Test("a register is read through submitted transfers, and a refused byte is EPIPE")
  func submitted() throws {
    let bench = try ServerBench()
    let session = USBIP(bench.bus)
    var received =
      Self.importRequest()
      + Self.submit(Request.toDevice, Request.first, index: 0x50, length: 1, data: [0x20])
      + Self.submit(Request.toHost, Request.last, value: 1, index: 0x50, length: 2)
      + Self.submit(Request.toDevice, Request.only, index: 0x50, length: 2, data: [0xFF, 1])
    let answers = Array(try session.consume(&received).dropFirst(320))
    #expect(received.isEmpty)
    try #require(answers.count == 48 + 50 + 48)
    // Command 3, sequence number 7; status 0 and 1 byte sent.
    #expect(answers[20..<28].elementsEqual([0, 0, 0, 0, 0, 0, 0, 1]))
    #expect(answers[48..<56].elementsEqual([0, 0, 0, 3, 0, 0, 0, 7]))
    #expect(answers[96..<98].elementsEqual(bench.part.registers[0x20...0x21]))
    // -32.
    #expect(answers[(98 + 20)..<(98 + 24)].elementsEqual([0xFF, 0xFF, 0xFF, 0xE0]))
  }

  @Test("while its adapter is unplugged, no device is listed or imported; then the connection ends")
  func absent() throws {
    let bench = try ServerBench()
    let session = USBIP(bench.bus)
    bench.bus.isPluggedIn = false
    var received: [UInt8] = [0x01, 0x11, 0x80, 0x05, 0, 0, 0, 0] + Self.importRequest()
    let answers = try session.consume(&received)
    #expect(answers == [1, 0x11, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x11, 0, 3, 0, 0, 0, 1])
    #expect(!session.hasBegun)
    bench.bus.isPluggedIn = true
    received = Self.importRequest()
    #expect(try session.consume(&received).count == 8 + 312)
    #expect(session.hasBegun)
    #expect(session.connectionChange() == nil)
  }

  static let badRequests: [(bytes: [UInt8], reason: String)] = [
    ([0x01, 0x06, 0x80, 0x05, 0, 0, 0, 0], "version 0x106"),
    ([0x01, 0x11, 0x80, 0x09, 0, 0, 0, 0], "unknown request 0x8009"),
    (importRequest() + [0, 0, 0, 9] + zeros(44), "unknown command 9"),
    (
      importRequest() + [0, 0, 0, 1] + zeros(20) + [0x7F, 0xFF, 0xFF, 0xFF] + zeros(20),
      "a transfer of 2147483647 bytes"
    ),
  ]

  static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  @Test(
    "a request that breaks the protocol is refused with its reason",
    arguments: badRequests)
  func refusedRequest(_ bytes: [UInt8], _ reason: String) throws {
    let session = USBIP(try ServerBench().bus)
    var received = bytes
    let error = #expect(throws: ProtocolError.self) { try session.consume(&received) }
    #expect(error?.description.contains(reason) == true)
  }

  // MARK: Both

  @Test("streams with damage never stop the server and leave no message half sent")
  func mutations() throws {
    var generator = Seeded("damaged USB streams")
    let redirected =
      Self.hello + Self.control(Request.toDevice, Request.first, index: 0x50, length: 1, data: [3])
      + Self.control(Request.toHost, Request.last, value: 1, index: 0x50, length: 9)
      + Self.control(0x80, 6, value: 0x0100, length: 18) + Self.packet(6, [1])
    let attached =
      Self.importRequest()
      + Self.submit(Request.toDevice, Request.first, index: 0x50, length: 1, data: [3])
      + Self.submit(Request.toHost, Request.last, value: 1, index: 0x50, length: 9)
    for round in 0..<Repetitions.count(5000, long: 100_000) {
      let isRedirected = round % 2 == 0
      let bench = try ServerBench()
      let session: any StreamSession =
        isRedirected ? USBRedirection(bench.bus) : USBIP(bench.bus)
      var received = Mutator.mutated(isRedirected ? redirected : attached, using: &generator)
      let count = received.count
      _ = try? session.consume(&received)
      #expect(received.count <= count)
      bench.bus.stop()
      #expect(!bench.bus.isOpen)
    }
  }
}
