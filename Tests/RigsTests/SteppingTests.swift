import Bench
import Foundation
import I2C
import Rigs
import Runs
import Support
import TestSupport
import Testing

/// A run advances only when the caller requests the next event.
struct SteppingTests {
  @Test(
    "a run gives the same events one by one, and its time does not advance between requests")
  func same() throws {
    let (events, _) = try SampleRig.run(SampleRig.text)
    let run = try RigRun(Rig(text: SampleRig.text, file: SampleRig.file))
    var lines: [String] = []
    while let event = try run.next() {
      lines.append(event.json.compact)
      guard case .reading(let reading) = event else { continue }
      // When a reading is returned, the bench is at the time of that sample, because no further
      // sample has been taken.
      #expect(run.bench.clock.nanoseconds == reading.time)
    }
    #expect(lines == events.map(\.json.compact))
    #expect(lines.count > 10)
    #expect(try run.next() == nil, "the verdict is the last event")
  }

  @Test("two runs can be interleaved, and a run can be abandoned in the middle")
  func interleaved() throws {
    let rig = try Rig(text: SampleRig.text, file: SampleRig.file)
    let (one, other) = (try RigRun(rig), try RigRun(rig))
    for _ in 0..<10 {
      let (left, right) = (try one.next(), try other.next())
      #expect(left?.json.compact == right?.json.compact && left != nil)
    }
  }

  @Test("the events before a failure are returned before the failure is thrown")
  func failure() throws {
    let faults = "faults:\n  - {at: 0s, kind: nack-address, count: 1000}\nexpect:"
    let run = try RigRun(
      Rig(text: SampleRig.changed("expect:", to: faults), file: SampleRig.file))
    var kinds: [RunEvent.Kind] = []
    #expect(throws: Failure.self) {
      while let event = try run.next() { kinds.append(event.kind) }
    }
    #expect(kinds == [.rig])
  }

  @Test("the last traffic report of a bus counts every transfer of the run")
  func traffic() throws {
    let (events, _) = try SampleRig.run(SampleRig.text)
    var last: [Int: RunEvent.TrafficReport] = [:]
    for case .traffic(let report) in events {
      #expect(report.transfers >= last[report.bus]?.transfers ?? 0)
      #expect(report.errors <= report.transfers)
      last[report.bus] = report
    }
    #expect(last.count == 1)
    let readings = events.count { if case .reading = $0 { true } else { false } }
    #expect(try #require(last.values.first).transfers > readings)
  }

  @Test("each reading of a virtual part contains its used charge, which increases")
  func charge() throws {
    let (events, _) = try SampleRig.run(SampleRig.text)
    var charges: [Double] = []
    for case .reading(let reading) in events { charges.append(try #require(reading.charge)) }
    #expect(charges.count > 5 && charges == charges.sorted() && charges[0] > 0)
  }
}
