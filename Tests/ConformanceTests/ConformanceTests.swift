import Bridges
import Conformance
import Foundation
import I2C
import I2CTrace
import Support
import TestSupport
import Testing
import TraceTools
import VirtualI2C

/// Every adapter passes the conformance check.
struct ConformanceTests {
  @Test("the virtual adapter passes the conformance check")
  func virtual() throws {
    #expect(Conformance.differences(of: try Bus().adapter).isEmpty)
  }

  @Test("an adapter with planned faults that never fire passes the conformance check")
  func faulty() throws {
    let bus = try Bus()
    let plan = FaultPlan([
      PlannedFault(kind: .addressNack, start: .max),
      PlannedFault(kind: .bitFlip(byte: 0, mask: 1), start: 0, address: 0x11),
    ])
    let adapter = FaultyAdapter(bus.adapter, clock: bus.clock, faults: plan)
    #expect(Conformance.differences(of: adapter).isEmpty)
    #expect(plan.faults.allSatisfy { $0.fired == 0 })
  }

  @Test(
    "a recording adapter and the replays of its recording pass the conformance check",
    arguments: Replay.Strictness.allCases)
  func recorded(_ strictness: Replay.Strictness) throws {
    let bus = try Bus()
    var trace: [UInt8] = []
    let header = TraceHeader(
      generator: "test", clock: "virtual",
      buses: [
        TraceHeader.Bus(
          number: 1, functionality: bus.adapter.functionality, quirks: bus.adapter.quirks)
      ])
    let recorder = TraceRecorder(TraceWriter(header, isBuffered: false) { trace += $0 })
    let recording = TracingAdapter(bus.adapter, bus: 1, clock: bus.clock, recorder: recorder)
    #expect(Conformance.differences(of: recording).isEmpty)
    recorder.flush()
    var chunks = [trace]
    let reader = try TraceReader { chunks.popLast() ?? [] }
    let replay = Replay(reader, bus: reader.header.buses[0], strictness: strictness)
    #expect(Conformance.differences(of: replay).isEmpty)
    #expect(replay.difference == nil && replay.failure == nil)
  }

  @Test("a virtual part created from a trace passes the conformance check")
  func model() throws {
    let file = Fixtures.root.appending(path: "fixtures/traces/periph-i2c.i2ctrace").path
    let bus = try ReplayedBus(file, number: nil, ReplayOptions(.model))
    bus.clock.wait(nanoseconds: 10_000_000)
    #expect(Conformance.differences(of: bus.adapter).isEmpty)
  }

  @Test("an Automat passes the conformance check for adapters of limited capabilities")
  func automat() throws {
    let bus = try Bus()
    let link = SimulatedGATTLink(to: AutomatBoard(bus.adapter), clock: bus.clock)
    let adapter = AutomatAdapter(link, clock: bus.clock)
    #expect(Conformance.differences(of: adapter, .emptyMessages).isEmpty)
  }
}
