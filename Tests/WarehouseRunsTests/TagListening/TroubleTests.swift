import BluetoothLE
import SensorTags
import TestSupport
import Testing
import Warehouse
import WarehouseRuns

/// Devices that misbehave, and connections that end at any time.
struct TroubleTests {
  /// A device that looks like a tag and whose behavior the test defines.
  private final class Pretender {
    let radio: VirtualRadio
    let data: Int
    /// The value that the device notifies every second once a central subscribes; empty for none.
    var told: [UInt8] = []
    private var isHeard = false

    /// Creates the device; `answers` returns the response to a read or write, or `nil` for no
    /// response.
    init(in air: BLEAir, answers: @escaping (Bool) -> BLEResponse?) {
      radio = air.radio(ListeningBench.address(0))
      let services = [
        GATTService(
          BLEUUID(0x180A), [.init(BLEUUID(0x2A24), .read, value: Array("CC2650 SensorTag".utf8))]),
        GATTService(
          TagModel.identifier(0xAA20),
          [
            .init(TagModel.identifier(0xAA21), [.read, .notify]),
            .init(TagModel.identifier(0xAA22), [.read, .write]),
            .init(TagModel.identifier(0xAA23), [.read, .write]),
          ]),
      ]
      data = 1
      let radio = radio
      radio.handler = { event in
        switch event.kind {
        case .readRequested(let request, _, _):
          if let answer = answers(true) { radio.send(.respond(request: request, answer)) }
        case .writeRequested(_, let request, _, _):
          if let request, let answer = answers(false) {
            radio.send(.respond(request: request, answer))
          }
        case .disconnected: radio.send(.advertise(TagModel.cc2650.advertising()))
        default: break
        }
      }
      radio.send(.serve(services))
      radio.send(.advertise(TagModel.cc2650.advertising()))
    }

    func tell() {
      if !told.isEmpty { radio.send(.notify(told, characteristic: data)) }
    }
  }

  @Test("a tag that does not respond is disconnected and retried, without delaying other tags")
  func mute() {
    let bench = ListeningBench([])
    let pretender = Pretender(in: bench.air) { _ in nil }
    bench.listen(to: 1)
    bench.wait(seconds: 200)
    let name = ListeningBench.name(0)
    #expect(bench.news.contains(.lost(tag: name, .mute("write the period"))), "\(bench.news)")
    #expect(bench.readings.isEmpty && bench.listener?.counts.connections ?? 0 > 2)
    #expect(pretender.radio.isOn)
  }

  @Test("a tag that rejects its configuration is disconnected and retried")
  func refused() {
    let bench = ListeningBench([])
    let pretender = Pretender(in: bench.air) { $0 ? .value([]) : .error(0x80) }
    bench.listen(to: 1)
    bench.wait(seconds: 60)
    let name = ListeningBench.name(0)
    #expect(bench.news.contains(.lost(tag: name, .mute("enable a sensor"))), "\(bench.news)")
    #expect(pretender.radio.isOn)
  }

  @Test("a tag's retry delay ends when it advertises during a scan for another tag")
  func back() {
    let bench = ListeningBench([.cc2650, .cc2650])
    bench.setPower(false, of: 0)
    bench.setPower(false, of: 1)
    bench.listen()
    // Both delays have grown to five minutes, with jitter down to half of that.
    bench.wait(seconds: 3000)
    bench.forget()
    bench.setPower(true, of: 0)
    bench.setPower(true, of: 1)
    bench.wait(seconds: 310)
    let first = [0, 1].map { bench.readings(of: $0).first?.time ?? .max }
    #expect(first.max() != .max)
    // The scan for the first tag finds both, so both are connected.
    #expect(abs(first[0] - first[1]) < 2_000_000_000, "\(first)")
  }

  @Test("a disabled sensor and a silent sensor result in different flags")
  func faults() {
    for (trouble, quality) in [
      (SensorTag.Trouble.off, TagQuality.off), (.silent, .silent),
    ] {
      for period: Int64 in [1_000_000_000, 10_000_000_000] {
        let bench = ListeningBench()
        bench.listen(period: period)
        bench.wait(seconds: 60)
        bench.tags[0].set(trouble, at: bench.air.nanoseconds)
        bench.wait(seconds: 1)
        bench.forget()
        bench.wait(seconds: 90)
        let found = bench.readings(of: 0)
        #expect(!found.isEmpty && found.allSatisfy { $0.quality == quality }, "\(found)")
        bench.tags[0].set(.none, at: bench.air.nanoseconds)
        bench.wait(seconds: 120)
        bench.forget()
        bench.wait(seconds: 60)
        let after = bench.readings(of: 0)
        #expect(after.count > 4 && after.allSatisfy { $0.quality.isEmpty }, "\(after)")
      }
    }
  }

  @Test("a connected tag that sends no notifications is reconnected")
  func quiet() {
    let bench = ListeningBench([])
    let pretender = Pretender(in: bench.air) { $0 ? .value([1]) : .value([]) }
    bench.listen(to: 1)
    bench.wait(seconds: 60)
    #expect(bench.news.contains(.lost(tag: ListeningBench.name(0), .quiet)), "\(bench.news)")
    #expect(pretender.radio.isOn)
  }

  @Test("data of any length results in a reading, which is flagged if the length is wrong")
  func lengths() {
    let bench = ListeningBench([])
    let pretender = Pretender(in: bench.air) { $0 ? .value([1]) : .value([]) }
    bench.listen(to: 1)
    bench.wait(seconds: 10)
    for length in 0...20 {
      pretender.told = (0..<length).map { UInt8($0 * 7 + 64) }
      pretender.tell()
      bench.wait(seconds: 1)
    }
    let readings = bench.readings(of: 0)
    #expect(readings.map(\.raw.count) == Array(1...20))
    #expect(readings.filter { $0.isGood }.map(\.raw.count) == [4])
    #expect(readings.filter { $0.raw.count != 4 }.allSatisfy { $0.quality == .length })
  }

  @Test("a device that is not a tag is rejected")
  func stranger() {
    let bench = ListeningBench([])
    let radio = bench.air.radio(ListeningBench.address(0))
    radio.send(.serve([GATTService(BLEUUID(0x180F), [.init(BLEUUID(0x2A19), .read, value: [50])])]))
    radio.send(.advertise(TagModel.cc2650.advertising()))
    bench.listen(to: 1)
    bench.wait(seconds: 30)
    #expect(bench.news.contains(.lost(tag: ListeningBench.name(0), .unknownKind)), "\(bench.news)")
  }

  @Test("a listener whose radio is lost reports the loss and does nothing more")
  func gone() {
    let bench = ListeningBench()
    bench.listen()
    bench.wait(seconds: 10)
    bench.listener?.take(BLEEvent(at: bench.air.nanoseconds, .gone("pulled out")))
    bench.forget()
    bench.wait(seconds: 10)
    #expect(bench.listener?.isGone == "pulled out")
    #expect(bench.readings.isEmpty)
  }

  /// After any sequence of failures, all tags report again once the failures end.
  @Test("a connection that ends at any step is established again")
  func everyStep() {
    var chance = Seeded("connections that end at every step")
    for round in 0..<150 {
      let bench = ListeningBench(
        [.cc2650, .cc2541], loss: round % 3 == 0 ? 0.3 : 0, seed: UInt64(round))
      bench.listen(period: round % 2 == 0 ? 1_000_000_000 : 4_000_000_000)
      for _ in 0..<Int.random(in: 1...3, using: &chance) {
        bench.air.wait(nanoseconds: UInt64.random(in: 0...4_000_000_000, using: &chance))
        switch Int.random(in: 0..<4, using: &chance) {
        case 0:
          for number in 1...4 {
            bench.radios[0].send(.disconnect(BLEConnection(rawValue: number)))
          }
        case 1:
          bench.radios[0].position = BLEPosition(x: 500)
          bench.air.wait(nanoseconds: UInt64.random(in: 0...12_000_000_000, using: &chance))
          bench.radios[0].position = BLEPosition(x: 2)
        case 2:
          bench.setPower(false, of: 1)
          bench.air.wait(nanoseconds: UInt64.random(in: 0...12_000_000_000, using: &chance))
          bench.setPower(true, of: 1)
        default:
          for number in 1...4 { bench.dongle.send(.disconnect(BLEConnection(rawValue: number))) }
        }
      }
      bench.wait(seconds: 130)
      bench.forget()
      bench.wait(seconds: 20)
      for place in 0...1 {
        #expect(
          bench.readings(of: place).count >= 3,
          "round \(round), seed \(chance.seed), tag \(place): \(String(describing: bench.listener?.contacts[place]))"
        )
      }
    }
  }
}
