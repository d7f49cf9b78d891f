import BluetoothLE
import Foundation
import TestSupport
import Testing
import VirtualI2C

/// Malformed commands, events and advertisements are tolerated, and each command is answered once.
struct AirFuzzTests {
  /// Random numbers and bytes, small ones more often.
  struct Chance {
    var generator: Seeded

    mutating func below(_ bound: UInt64) -> UInt64 { generator.next() % bound }

    mutating func number(_ bound: UInt64) -> UInt64 {
      below(3) == 0 ? generator.next() % bound : below(12)
    }

    mutating func bytes(_ most: UInt64 = 40) -> [UInt8] {
      (0..<below(most + 1)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }
  }

  /// A random command of either role.
  private static func command(_ chance: inout Chance, _ peers: [BLEAddress]) -> BLECommand {
    let link = BLEConnection(rawValue: Int(chance.number(1 << 40)) - 1)
    let handle = UInt16(chance.number(0x10000))
    let place = Int(chance.number(1 << 40)) - 1
    switch chance.below(17) {
    case 0: return .scan(isActive: chance.below(2) == 0)
    case 1: return .stopScanning
    case 2:
      let peer = peers[Int(chance.below(UInt64(peers.count)))]
      return .connect(peer, timeOut: chance.number(2_000_000_000))
    case 3: return .exchangeMTU(link, Int(truncatingIfNeeded: chance.generator.next()) >> 40)
    case 4: return .discover(link)
    case 5: return .read(link, handle: handle)
    case 6, 7:
      return .write(chance.bytes(600), link, handle: handle, needsResponse: chance.below(2) == 0)
    case 8: return .subscribe(link, handle: handle, BLESubscription.allCases[Int(chance.below(3))])
    case 9: return .readRSSI(link)
    case 10: return .serve(services(&chance))
    case 11, 12:
      return .advertise(
        BLEAdvertising(
          data: chance.bytes(33), scanResponse: chance.bytes(33),
          interval: chance.below(4) == 0 ? chance.generator.next() : chance.number(1 << 32)))
    case 13: return .stopAdvertising
    case 14:
      return .notify(
        chance.bytes(600), characteristic: place, to: chance.below(2) == 0 ? link : nil)
    case 15: return .disconnect(link)
    default:
      return .respond(request: place, chance.below(2) == 0 ? .value(chance.bytes(600)) : .error(3))
    }
  }

  private static func services(_ chance: inout Chance) -> [GATTService] {
    (0..<chance.below(4)).map { _ in
      GATTService(
        BLEUUID(UInt16(chance.number(0x10000))),
        (0..<chance.below(5)).map { _ in
          GATTCharacteristic(
            BLEUUID(UInt16(chance.number(0x10000))),
            .init(rawValue: UInt8(truncatingIfNeeded: chance.generator.next())),
            value: chance.below(2) == 0 ? chance.bytes(600) : nil,
            name: chance.below(4) == 0 ? "name" : nil)
        })
    }
  }

  @Test(
    "each of 100,000 random commands is answered exactly once, and no radio hangs",
    .timeLimit(.minutes(15)))
  func commands() {
    var chance = Chance(generator: Seeded("commands"))
    let seed = chance.generator.seed
    var options = BLEAir.Options()
    (options.loss, options.fading) = (0.1, 3)
    let air = BLEAir(seed: seed, options: options)
    let radios = (0..<4).map {
      air.radio(
        BLEAddress(0xC0_0000_0000 + UInt64($0)), at: BLEPosition(x: Double($0) * 3),
        BLECapabilities(maximumConnections: 2))
    }
    let peers = radios.map(\.address) + [BLEAddress(0xDEAD)]
    var answers: [[Int: Int]] = radios.map { _ in [:] }
    var quiet: [Set<Int>] = radios.map { _ in [] }
    for (index, radio) in radios.enumerated() {
      radio.handler = { event in
        switch event.kind {
        case .done(let number, _), .failed(let number, _): answers[index][number, default: 0] += 1
        case .advertisement(let advertisement):
          let data = BLEAdvertisingData(reading: advertisement.data)
          _ = (data.name, data.services, data.manufacturer)
        default: break
        }
      }
    }
    for _ in 0..<100_000 {
      let index = Int(chance.below(4))
      let command = Self.command(&chance, peers)
      let number = radios[index].send(command)
      switch command {
      case .notify, .respond: quiet[index].insert(number)
      default: break
      }
      air.wait(nanoseconds: chance.below(20_000_000))
    }
    for radio in radios {
      radio.send(.stopScanning)
      radio.send(.stopAdvertising)
    }
    // Unanswered requests are queued behind each other.
    air.wait(nanoseconds: 1_000_000_000_000_000)
    for index in radios.indices {
      #expect(answers[index].values.allSatisfy { $0 == 1 }, "answered twice, seed \(seed)")
      let total = (answers[index].keys.max() ?? 0)
      #expect(total > 20_000)
      let missing = (1...total).filter { answers[index][$0] == nil && !quiet[index].contains($0) }
      #expect(missing.isEmpty, "seed \(seed): \(missing.prefix(20))")
    }
  }

  @Test("100,000 malformed lines from a bridge process cause no crash", .timeLimit(.minutes(15)))
  func lines() throws {
    var chance = Chance(generator: Seeded("lines"))
    let words = [
      "done", "failed", "advertisement", "connected", "disconnected", "mtu", "notified", "read",
      "write", "subscribed", "nothing of this",
    ]
    let keys = [
      "id", "connection", "characteristic", "request", "address", "peer", "rssi", "data",
      "value", "handle", "mtu", "kind", "reason", "interval", "connectable", "response",
      "indication", "services", "error", "code", "what", "t", "uuid", "properties",
    ]
    let values = [
      "0", "1", "-1", "65536", "18446744073709551616", "0.5", "null", "true", "[]", "{}",
      "\"\"", "\"zz\"", "\"0\"", "\"0102\"", "\"C4:BE:84:70:11:22\"", "\"FF90\"",
      "\"C4:BE:84:70:11:22/P\"", "[[[1]]]", "[{\"uuid\":\"FF90\",\"characteristics\":[{}]}]",
      "[{\"uuid\":\"FF90\",\"handle\":70000,\"characteristics\":[{\"uuid\":\"zz\"},{\"uuid\":\"2A00\"}]}]",
      "\"\\u0000\"",
    ]
    var text = "{\"radio\":0,\"id\":1,\"event\":\"done\"}\n"
    for _ in 0..<100_000 {
      let word = words[Int(chance.below(UInt64(words.count)))]
      text += "{\"radio\":0,\"event\":\"\(word)\""
      // A duplicate key makes the line invalid.
      for key in Set((0..<chance.below(8)).map { _ in keys[Int(chance.below(UInt64(keys.count)))] })
        .sorted()
      {
        text += ",\"\(key)\":\(values[Int(chance.below(UInt64(values.count)))])"
      }
      text += "}\n"
    }
    let file = FileManager.default.temporaryDirectory.appending(
      path: "lines-\(ProcessInfo.processInfo.processIdentifier).txt")
    try text.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let bridge = try BLEBridge(command: ["/bin/cat", file.path])
    let radio = try bridge.radio(BLEAddress(1))
    var (events, end) = (0, "")
    while end.isEmpty, let event = radio.next(by: radio.nanoseconds + 60_000_000_000) {
      if case .gone(let why) = event.kind { end = why }
      events += 1
    }
    #expect(end.contains("has exited"), "\(end)")
    #expect(events > 10_000, "\(events)")
  }
}
