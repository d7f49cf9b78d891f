import BluetoothLE
import Testing
import VirtualI2C

/// Interrupted connections, unanswered requests and the end of the simulated medium itself.
struct AirEndTests {
  /// A central connected to a peripheral, which receives every read as a request and does not answer by itself.
  struct Pair {
    let air: BLEAir
    let central, peripheral: VirtualRadio
    let link: BLEConnection
    let handles: [UInt16]

    init(_ options: BLEAir.Options = .init(), isAnswering: Bool = false) throws {
      air = BLEAir(seed: 5, options: options)
      central = air.radio(BLEAddress(0xC0_0000_0000))
      peripheral = air.radio(BLEAddress(0xA0_0000_0000), at: BLEPosition(x: 2))
      let peripheral = peripheral
      peripheral.handler = { [unowned peripheral] event in
        guard isAnswering, case .readRequested(let request, _, _) = event.kind else { return }
        peripheral.send(.respond(request: request, .value([7])))
      }
      peripheral.send(
        .serve([
          GATTService(
            BLEUUID(0xFF90),
            [
              GATTCharacteristic(BLEUUID(0xFF91), [.read, .notify]),
              GATTCharacteristic(BLEUUID(0xFF92), [.read], value: [1]),
            ])
        ]))
      peripheral.send(.advertise(BLEAdvertising(data: [2, 1, 6])))
      guard
        case .done(_, .connected(let link)) = Self.outcome(
          .connect(peripheral.address, timeOut: 5_000_000_000), central)?.kind
      else { throw NoConnection() }
      self.link = link.connection
      guard
        case .done(_, .services(let services)) = Self.outcome(
          .discover(link.connection), central)?.kind
      else { throw NoConnection() }
      handles = services.flatMap { $0.characteristics.map(\.handle) }
    }

    struct NoConnection: Error {}

    static func outcome(_ command: BLECommand, _ radio: VirtualRadio) -> BLEEvent? {
      let number = radio.send(command)
      while let event = radio.next(by: radio.nanoseconds + 100_000_000_000) {
        switch event.kind {
        case .done(number, _), .failed(number, _): return event
        default: break
        }
      }
      return nil
    }
  }

  @Test("a disconnect command is answered even if the connection ends for another reason first")
  func endings() throws {
    for isCut in [false, true] {
      let pair = try Pair()
      var (centralEvents, peripheralEvents): ([BLEEvent.Kind], [BLEEvent.Kind]) = ([], [])
      pair.central.handler = { centralEvents.append($0.kind) }
      pair.peripheral.handler = { peripheralEvents.append($0.kind) }
      if isCut { pair.air.cut(pair.link, of: pair.central) }
      let numbers = (0..<2).map { _ in pair.central.send(.disconnect(pair.link)) }
      let other = pair.peripheral.send(.disconnect(BLEConnection(rawValue: 1)))
      pair.air.wait(nanoseconds: 60_000_000_000)
      for number in numbers {
        #expect(
          centralEvents.count { $0 == .done(command: number, .nothing) } == 1, "\(centralEvents)")
      }
      #expect(
        peripheralEvents.count { $0 == .done(command: other, .nothing) } == 1, "\(peripheralEvents)"
      )
    }
  }

  @Test("an unanswered request times out after 30 s, and the next request is executed")
  func timeOut() throws {
    let pair = try Pair()
    let start = pair.air.nanoseconds
    let slow = pair.central.send(.read(pair.link, handle: pair.handles[0]))
    let next = pair.central.send(.read(pair.link, handle: pair.handles[1]))
    let first = pair.central.next(by: start + 100_000_000_000)
    #expect(first?.kind == .failed(command: slow, .timeOut))
    #expect(first?.time == start + 30_000_000_000)
    let second = pair.central.next(by: start + 100_000_000_000)
    #expect(second?.kind == .done(command: next, .value([1])))
  }

  @Test("a response after the timeout has no effect")
  func late() throws {
    var options = BLEAir.Options()
    options.requestTimeOut = 2_000_000_000
    let pair = try Pair(options)
    var request: Int?
    pair.peripheral.handler = { event in
      if case .readRequested(let number, _, _) = event.kind { request = number }
    }
    let slow = Pair.outcome(.read(pair.link, handle: pair.handles[0]), pair.central)
    guard case .failed(_, .timeOut) = slow?.kind else {
      Issue.record("\(String(describing: slow))")
      return
    }
    let next = pair.central.send(.read(pair.link, handle: pair.handles[1]))
    pair.peripheral.send(.respond(request: try #require(request), .value([99])))
    let event = pair.central.next(by: pair.air.nanoseconds + 10_000_000_000)
    #expect(event?.kind == .done(command: next, .value([1])))
    #expect(pair.central.next(by: pair.air.nanoseconds + 10_000_000_000) == nil)
  }

  @Test(
    "an interrupted connection and its requests end on both sides after the supervision timeout")
  func cut() throws {
    let pair = try Pair(isAnswering: true)
    var ends: [BLEEvent] = []
    pair.peripheral.handler = { event in
      if case .disconnected = event.kind { ends.append(event) }
    }
    let start = pair.air.nanoseconds
    pair.air.cut(pair.link, of: pair.central)
    let number = pair.central.send(.read(pair.link, handle: pair.handles[1]))
    let failed = pair.central.next(by: start + 60_000_000_000)
    #expect(failed?.kind == .failed(command: number, .disconnected))
    let end = pair.central.next(by: start + 60_000_000_000)
    #expect(end?.kind == .disconnected(pair.link, reason: 0x08))
    #expect(end?.time == start + 6_000_000_000)
    #expect(ends.map(\.time) == [start + 6_000_000_000])
    // It can be connected again: only the connection was interrupted, not the radios.
    pair.peripheral.send(.advertise(BLEAdvertising(data: [2, 1, 6])))
    let again = Pair.outcome(
      .connect(pair.peripheral.address, timeOut: 5_000_000_000), pair.central)
    guard case .done(_, .connected) = again?.kind else {
      Issue.record("\(String(describing: again))")
      return
    }
    // An unknown connection cannot be interrupted.
    pair.air.cut(BLEConnection(rawValue: 99), of: pair.central)
  }

  @Test("radios that outlive their medium emit the event 'gone' and then ignore commands")
  func end() throws {
    func leftOver() throws -> (VirtualRadio, VirtualRadio, BLEConnection, UInt64) {
      let pair = try Pair()
      pair.central.send(.scan(isActive: true))
      // A handler whose owner is deallocated before the medium must not be called.
      final class Owner {}
      let owner = Owner()
      pair.peripheral.handler = { [unowned owner] _ in _ = owner }
      return (pair.central, pair.peripheral, pair.link, pair.air.nanoseconds)
    }
    let (central, peripheral, link, time) = try leftOver()
    for radio in [central, peripheral] {
      #expect(radio.next(by: .max)?.kind == .gone("the radio medium was deallocated"))
      #expect(radio.next(by: .max) == nil)
      #expect(radio.nanoseconds == time)
      radio.position.x = 7
      radio.isOn = false
      radio.isOn = true
      for command: BLECommand in [
        .scan(isActive: false), .read(link, handle: 3), .notify([1], characteristic: 0),
        .respond(request: 1, .value([])), .disconnect(link),
      ] {
        #expect(radio.send(command) > 0)
      }
      #expect(radio.next(by: .max) == nil)
    }
  }
}
