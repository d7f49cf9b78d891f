import I2C
import Testing
import VirtualI2C

/// Wire faults have the same effect on any adapter as on a virtual one.
struct FaultyAdapterTests {
  /// Every kind of wire fault, with its triggers.
  static let faults: [PlannedFault] = {
    let kinds: [PlannedFault.Kind] = [
      .addressNack, .dataNack(byte: 0), .dataNack(byte: 1), .arbitrationLost, .busError,
      .clockStretch(5_000_000), .clockStretch(2_000_000_000), .dataStuck, .clockStuck(500_000_000),
      .bitFlip(byte: 1, mask: 0x81), .shortRead(bytes: 1), .otherTarget(reads: 0x5A),
    ]
    var faults: [PlannedFault] = []
    for kind in kinds {
      for direction in [nil, I2CSegment.Direction.write, .read] {
        for (transfers, count) in [(0, 1), (1, 2), (0, 3)] {
          var trigger = PlannedFault.Trigger()
          trigger.direction = direction
          trigger.transfers = transfers
          faults.append(
            PlannedFault(kind: kind, trigger: trigger, address: 0x50, count: count))
        }
      }
    }
    return faults
  }()

  /// The results that a program observed, and the calls that a target received.
  struct Outcome: Hashable {
    var answers: [String] = []
    var received: [UInt8] = []
    var fired = 0
  }

  /// Returns the outcome of every form of transfer, with an existing and a missing target.
  static func outcome(_ fault: PlannedFault, isDecorated: Bool) throws -> Outcome {
    let (clock, plan) = (VirtualClock(), FaultPlan([fault]))
    let bus = VirtualAdapter(clock: clock, faults: isDecorated ? FaultPlan() : plan)
    let echo = Echo(0x50)
    try bus.attach(echo)
    let adapter: any I2CAdapter =
      isDecorated ? FaultyAdapter(bus, clock: clock, faults: plan) : bus
    var outcome = Outcome()
    let transfers: [[I2CSegment]] = [
      [.write(2, to: 0x50)], [.write(1, to: 0x50), .read(3, from: 0x50)], [.read(2, from: 0x50)],
      [.write(1, to: 0x51), .read(3, from: 0x50)], [.write(0, to: 0x50)],
      [.write(2, to: 0x50), .write(3, to: 0x50), .read(2, from: 0x50), .read(1, from: 0x50)],
      [.write(1, to: 0x50), .read(2, from: 0x51)], [.read(1, from: 0x50)],
    ]
    for segments in transfers {
      let written = segments.filter { $0.direction == .write }.map(\.count).reduce(0, +)
      let count = segments.filter { $0.direction == .read }.map(\.count).reduce(0, +)
      let writing = (0..<written).map { UInt8(0x10 + $0) }
      var reading = [UInt8](repeating: 0, count: count)
      do throws(I2CError) {
        var bytes = reading.mutableSpan
        try adapter.transfer(segments.span, writing: writing.span, reading: &bytes)
        outcome.answers.append("\(reading)")
      } catch {
        outcome.answers.append("\(error)")
      }
    }
    outcome.received = echo.received
    outcome.fired = plan.faults[0].fired
    return outcome
  }

  @Test(
    "a wire fault has the same effect on program and target as on a virtual adapter",
    arguments: faults)
  func same(_ fault: PlannedFault) throws {
    let virtual = try Self.outcome(fault, isDecorated: false)
    #expect(try Self.outcome(fault, isDecorated: true) == virtual)
    let none = try Self.outcome(PlannedFault(kind: .addressNack, start: .max), isDecorated: false)
    #expect((virtual == none) == (virtual.fired == 0))
  }

  @Test("a transfer without a fault is forwarded as one transfer, including its repeated start")
  func whole() throws {
    let counter = Counter(VirtualAdapter(clock: VirtualClock()))
    let fault = PlannedFault(kind: .addressNack, start: 0, address: 0x51)
    let adapter = FaultyAdapter(counter, clock: VirtualClock(), faults: FaultPlan([fault]))
    #expect(throws: I2CError.self) { try adapter.readRegister(0xD0, at: 0x50) }
    #expect(counter.counts == [2])
  }

  @Test("faults of a target or a bridge are not injected on the wire")
  func reach() {
    #expect(Self.faults.allSatisfy { $0.kind.reach == .wire })
    #expect(PlannedFault.Kind.powerLoss(1).reach == .target)
    #expect(PlannedFault.Kind.condition(.frozen).reach == .target)
    #expect(PlannedFault.Kind.frameLost.reach == .bridge)
  }

  /// An adapter that records the number of messages of each transfer.
  private final class Counter: I2CAdapter {
    private let adapter: any I2CAdapter
    private(set) var counts: [Int] = []

    init(_ adapter: any I2CAdapter) { self.adapter = adapter }

    var functionality: I2CFunctionality { adapter.functionality }
    var quirks: I2CQuirks { adapter.quirks }

    func transfer(
      _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
    ) throws(I2CError) {
      counts.append(segments.count)
      try adapter.transfer(segments, writing: writing, reading: &reading)
    }
  }
}
