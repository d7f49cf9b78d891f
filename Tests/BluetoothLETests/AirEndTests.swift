import BluetoothLE
import Testing
import VirtualI2C

/// What ends in the air of a process: connections that are cut, requests that nobody answers, and the air itself.
struct AirEndTests {
  /// A central that is connected with a peripheral, which is asked for each value and does not answer by itself.
  struct Pair {
    let air: BLEAir
    let central, peripheral: VirtualRadio
    let link: BLEConnection
    let handles: [UInt16]

    init(_ options: BLEAir.Options = .init(), isAnswering: Bool = false) throws {
      air = BLEAir(seed: 5, options: options)
      central = air.radio(BLEAddress(0xC0_0000_0000))
      peripheral = air.radio(BLEAddress(0xA0_0000_0000), at: BLEPlace(x: 2))
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

  @Test("who ends a connection is answered, also where something else ends it first")
  func endings() throws {
    for isCut in [false, true] {
      let pair = try Pair()
      var (heard, told): ([BLEEvent.Kind], [BLEEvent.Kind]) = ([], [])
      pair.central.handler = { heard.append($0.kind) }
      pair.peripheral.handler = { told.append($0.kind) }
      if isCut { pair.air.cut(pair.link, of: pair.central) }
      let numbers = (0..<2).map { _ in pair.central.send(.disconnect(pair.link)) }
      let other = pair.peripheral.send(.disconnect(BLEConnection(rawValue: 1)))
      pair.air.wait(nanoseconds: 60_000_000_000)
      for number in numbers {
        #expect(heard.count { $0 == .done(command: number, .nothing) } == 1, "\(heard)")
      }
      #expect(told.count { $0 == .done(command: other, .nothing) } == 1, "\(told)")
    }
  }

  @Test("a request that nobody answers fails after its time, and the next one is carried out")
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

  @Test("an answer that comes after its time changes nothing")
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
    let told = pair.central.next(by: pair.air.nanoseconds + 10_000_000_000)
    #expect(told?.kind == .done(command: next, .value([1])))
    #expect(pair.central.next(by: pair.air.nanoseconds + 10_000_000_000) == nil)
  }

  @Test("a connection that is cut ends for both some seconds later, and its requests with it")
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
    // It can be connected with again: a cut is of the connection, not of the radios.
    pair.peripheral.send(.advertise(BLEAdvertising(data: [2, 1, 6])))
    let again = Pair.outcome(
      .connect(pair.peripheral.address, timeOut: 5_000_000_000), pair.central)
    guard case .done(_, .connected) = again?.kind else {
      Issue.record("\(String(describing: again))")
      return
    }
    // One that there is not cannot be cut.
    pair.air.cut(BLEConnection(rawValue: 99), of: pair.central)
  }

  @Test("radios that outlive their air are told that they are gone, and do no harm")
  func end() throws {
    func leftOver() throws -> (VirtualRadio, VirtualRadio, BLEConnection, UInt64) {
      let pair = try Pair()
      pair.central.send(.scan(isActive: true))
      // A handler whose object is gone before the air: it is not called.
      final class Owner {}
      let owner = Owner()
      pair.peripheral.handler = { [unowned owner] _ in _ = owner }
      return (pair.central, pair.peripheral, pair.link, pair.air.nanoseconds)
    }
    let (central, peripheral, link, time) = try leftOver()
    for radio in [central, peripheral] {
      #expect(radio.next(by: .max)?.kind == .gone("its air is gone"))
      #expect(radio.next(by: .max) == nil)
      #expect(radio.nanoseconds == time)
      radio.place.x = 7
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
