import I2C
import I2CTrace
import TestSupport
import Testing
import VirtualI2C

/// Tests that byte-wise transfers on the wire are indistinguishable from combined transfers.
struct WireTests {
  /// The observable results of one way to read registers.
  private struct Outcome: Equatable {
    var bytes: [UInt8] = []
    var failure: I2CError.Kind?
    var end: UInt64 = 0
    var trace = ""
    var fired: [Int] = []
    var seen: [String] = []
  }

  private final class Setting {
    let clock = VirtualClock(nanoseconds: 1_000)
    let target: EchoTarget
    let faults: FaultPlan
    var lines: [TracedTransfer] = []
    lazy var observed = ObservedAdapter(adapter, bus: 1, clock: clock) { [unowned self] in
      lines.append($0)
    }
    let adapter: VirtualAdapter

    init(_ planned: [PlannedFault], stretch: UInt64 = 0) throws {
      target = EchoTarget(at: 0x76, stretch: stretch)
      faults = FaultPlan(planned, seed: 3)
      adapter = VirtualAdapter(clock: clock, stretchLimit: 1_000_000, faults: faults)
      try adapter.attach(target)
    }

    func outcome(_ bytes: [UInt8], _ failure: I2CError.Kind?, end: UInt64) -> Outcome {
      // A byte-wise program does not send anything after a failure.
      let trace = failure == nil ? "\(lines)" : "\(lines.map { ($0.time, $0.duration, $0.error) })"
      return Outcome(
        bytes: failure == nil ? bytes : [], failure: failure, end: end, trace: trace,
        fired: faults.faults.map(\.fired), seen: target.seen)
    }
  }

  private static func combined(
    _ setting: Setting, _ written: [UInt8], _ count: Int
  ) -> Outcome {
    var bytes = [UInt8](repeating: 0, count: count)
    var failure: I2CError.Kind?
    var segments = [I2CSegment.write(written.count, to: 0x76)]
    if count > 0 { segments.append(.read(count, from: 0x76)) }
    do throws(I2CError) {
      var buffer = bytes.mutableSpan
      try setting.observed.transfer(segments.span, writing: written.span, reading: &buffer)
    } catch {
      failure = error.kind
    }
    return setting.outcome(bytes, failure, end: setting.clock.nanoseconds)
  }

  private static func bytewise(
    _ setting: Setting, _ written: [UInt8], _ count: Int, isPlanned: Bool
  ) -> Outcome {
    let wire = setting.observed.wire(setting.clock)
    var bytes: [UInt8] = []
    let plan =
      isPlanned
      ? [I2CWirePlan(count: written.count, first: written.first), I2CWirePlan(count: count)]
      : [I2CWirePlan(), I2CWirePlan()]
    var reply = wire.start(0x76, .write, plan: plan[0], at: 1_000)
    for byte in written where reply.failure == nil { reply = wire.write(byte, at: reply.end) }
    if reply.failure == nil, count > 0 {
      reply = wire.start(0x76, .read, plan: plan[1], at: reply.end)
      for index in 0..<count where reply.failure == nil {
        reply = wire.read(acknowledging: index < count - 1, at: reply.end)
        bytes.append(reply.byte)
      }
    }
    let end = wire.stop(at: reply.end).end
    return setting.outcome(bytes, reply.failure, end: end)
  }

  private static func planned(_ kind: PlannedFault.Kind, register: UInt8? = nil) -> PlannedFault {
    var trigger = PlannedFault.Trigger()
    trigger.register = register
    return PlannedFault(kind: kind, trigger: trigger, address: 0x76)
  }

  private static let faults: [[PlannedFault]] = [
    [], [planned(.addressNack)], [planned(.dataNack(byte: 1))], [planned(.arbitrationLost)],
    [planned(.busError)], [planned(.clockStretch(5_000))], [planned(.clockStretch(2_000_000))],
    [planned(.dataStuck)], [planned(.clockStuck(50_000_000))],
    [planned(.bitFlip(byte: 2, mask: 0x10))], [planned(.shortRead(bytes: 1))],
    [planned(.otherTarget(reads: 0x58))], [planned(.bitFlip(byte: 0, mask: 1), register: 0xF7)],
  ]

  private static let transfers: [([UInt8], Int)] = [
    ([0xF7], 3), ([0xF4, 0x25], 0), ([0xF4, 0x25, 0xF7], 2),
  ]

  @Test("a transfer byte by byte has the same bytes, time, faults and trace as a combined transfer")
  func alike() throws {
    for faults in Self.faults {
      for (written, count) in Self.transfers {
        let before = Self.combined(try Setting(faults, stretch: 777), written, count)
        for isPlanned in [true, false] {
          let after = Self.bytewise(
            try Setting(faults, stretch: 777), written, count, isPlanned: isPlanned)
          #expect(before == after, "\(faults) \(written) \(count) planned \(isPlanned)")
        }
      }
    }
  }

  @Test("a fault for a register acts at the byte that selects the register")
  func register() throws {
    let setting = try Setting([Self.planned(.addressNack, register: 0xF7)])
    let wire = setting.adapter.wire(setting.clock)
    let start = wire.start(0x76, .write, plan: I2CWirePlan(), at: 0)
    #expect(start.failure == nil)
    #expect(wire.write(0xF7, at: start.end).failure == .dataNack)
    #expect(setting.faults.faults[0].fired == 1)
    _ = wire.stop(at: 0)
    #expect(wire.start(0x76, .write, plan: I2CWirePlan(), at: 0).failure == nil)
    #expect(wire.write(0xF7, at: 0).failure == nil)
  }

  @Test("the controller's pauses and frequency determine the timing on the wire")
  func pauses() throws {
    let setting = try Setting([])
    let wire = setting.adapter.wire(setting.clock)
    wire.frequency = 400_000
    let start = wire.start(0x76, .write, plan: I2CWirePlan(), at: 500)
    #expect(start.end == 500 + 25_000)
    #expect(wire.write(1, at: 100_000).end == 100_000 + 22_500)
    #expect(wire.stop(at: 0).end == 122_500 + 2_500)
    // The bus is busy until then, regardless of the controller's state.
    #expect(wire.start(0x76, .write, plan: I2CWirePlan(), at: 0).end == 125_000 + 25_000)
  }

  @Test("an unused address is NACKed at the address byte, and a repeated start may follow")
  func noDevice() throws {
    let setting = try Setting([])
    let wire = setting.adapter.wire(setting.clock)
    #expect(wire.start(0x10, .write, plan: I2CWirePlan(), at: 0).failure == .addressNack)
    #expect(wire.write(1, at: 0).failure == .dataNack)
    #expect(wire.start(0x76, .write, plan: I2CWirePlan(), at: 0).failure == nil)
  }

  @Test("a collecting wire passes the bytes of a transfer to its adapter as one combined transfer")
  func collecting() throws {
    for written: [UInt8] in [[0xF7], [0xF4, 0x25]] {
      let before = Self.combined(try Setting([]), written, 3)
      let setting = try Setting([])
      let wire = CollectingWire(setting.observed, setting.clock)
      var reply = wire.start(0x76, .write, plan: I2CWirePlan(), at: 1_000)
      for byte in written { reply = wire.write(byte, at: reply.end) }
      reply = wire.start(0x76, .read, plan: I2CWirePlan(count: 3), at: reply.end)
      let bytes = (0..<3).map { wire.read(acknowledging: $0 < 2, at: reply.end).byte }
      _ = wire.stop(at: reply.end)
      #expect(setting.outcome(bytes, reply.failure, end: setting.clock.nanoseconds) == before)
    }
  }

  @Test("a collecting wire reports a failed write at the stop, and continues long reads")
  func collectingLimits() throws {
    let setting = try Setting([])
    let wire = CollectingWire(setting.observed, setting.clock)
    #expect(wire.start(0x10, .write, plan: I2CWirePlan(), at: 0).failure == nil)
    #expect(wire.write(1, at: 0).failure == nil)
    #expect(wire.stop(at: 0).failure == .addressNack)
    #expect(wire.start(0x76, .read, plan: I2CWirePlan(), at: 0).failure == nil)
    let bytes = (0..<40).map { _ in wire.read(acknowledging: true, at: 0).byte }
    #expect(bytes == (0..<40).map { UInt8($0) })
  }
}

/// A target whose registers contain their own number, incremented by each read, and that records accesses.
private final class EchoTarget: VirtualI2CDevice {
  let address: I2CAddress
  var seen: [String] = []
  private let stretch: UInt64
  private var register: UInt8 = 0
  private var isFirst = true

  init(at address: I2CAddress, stretch: UInt64) {
    self.address = address
    self.stretch = stretch
  }

  func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    seen.append("start \(direction) \(time.nanoseconds)")
    if stretch > 0 { time.stretch(nanoseconds: stretch) }
    isFirst = direction == .write
    return true
  }

  func write(_ byte: UInt8, at time: inout WireTime) -> Bool {
    seen.append("write \(byte) \(time.nanoseconds)")
    if isFirst { register = byte }
    isFirst = false
    return true
  }

  func read(at time: inout WireTime) -> UInt8 {
    seen.append("read \(time.nanoseconds)")
    defer { register &+= 1 }
    return register
  }

  func stop(at time: inout WireTime) { seen.append("stop \(time.nanoseconds)") }
}
