import I2C
import Testing
import VirtualI2C

/// Planned faults fire at the planned time, as often as planned, and are counted.
struct FaultPlanTests {
  let clock = VirtualClock()
  let echo = Echo(0x76)

  func adapter(_ fault: PlannedFault) throws -> VirtualAdapter {
    let adapter = VirtualAdapter(clock: clock, faults: FaultPlan([fault]))
    try adapter.attach(echo)
    return adapter
  }

  @Test(
    "each kind of fault fires as often as planned and then never again",
    arguments: [
      (.addressNack, .addressNack, .enxio), (.dataNack(byte: 1), .dataNack, .eio),
      (.arbitrationLost, .arbitrationLost, .eagain), (.busError, .busError, .eio),
    ] as [(PlannedFault.Kind, I2CError.Kind, I2CErrno)])
  func fires(_ kind: PlannedFault.Kind, _ error: I2CError.Kind, _ errno: I2CErrno) throws {
    let adapter = try adapter(PlannedFault(kind: kind, start: 0, count: 2))
    let byte = error == .dataNack ? 1 : 0
    for _ in 0..<2 {
      #expect(throws: I2CError(error, message: 0, byte: byte, errno: errno)) {
        try adapter.writeRegister(1, 2, at: 0x76)
      }
    }
    try adapter.writeRegister(3, 4, at: 0x76)
    #expect(adapter.faults.faults[0].fired == 2)
    #expect(adapter.faults.faults[0].isOver)
    #expect(echo.received == (error == .dataNack ? [1, 1, 3, 4] : [3, 4]))
  }

  @Test("a clock-stretch fault extends the transfer, which times out beyond the adapter's limit")
  func stretch() throws {
    let short = try adapter(PlannedFault(kind: .clockStretch(5_000_000), start: 0))
    try short.probe(0x76)
    #expect(clock.nanoseconds == 5_000_000 + 110_000)
    let long = VirtualAdapter(
      clock: clock, stretchLimit: 1_000_000,
      faults: FaultPlan([PlannedFault(kind: .clockStretch(5_000_000), start: 0)]))
    try long.attach(echo)
    #expect(throws: I2CError(.timeOut, errno: .etimedout)) { try long.probe(0x76) }
    try long.probe(0x76)
    #expect(long.faults.faults[0].fired == 1)
  }

  @Test("a stuck SDA is released by nine clocks, and a stuck SCL only when its time ends")
  func stuck() throws {
    let data = try adapter(PlannedFault(kind: .dataStuck, start: 0))
    #expect(throws: I2CError(.timeOut, errno: .etimedout)) { try data.probe(0x76) }
    try data.probe(0x76)
    let clockLine = VirtualAdapter(
      clock: clock, stretchLimit: 1_000_000,
      faults: FaultPlan([PlannedFault(kind: .clockStuck(2_500_000), start: 0)]))
    try clockLine.attach(echo)
    for _ in 0..<3 {
      #expect(throws: I2CError(.timeOut, errno: .etimedout)) { try clockLine.probe(0x76) }
    }
    try clockLine.probe(0x76)
    #expect(clockLine.faults.faults[0].fired == 1)
  }

  @Test("a bit flip affects the planned byte of the planned register only")
  func flips() throws {
    var trigger = PlannedFault.Trigger()
    trigger.register = 7
    let flipping = try adapter(
      PlannedFault(kind: .bitFlip(byte: 1, mask: 0x81), trigger: trigger))
    func read(_ register: UInt8) throws -> [UInt8] {
      var bytes: [UInt8] = [0, 0, 0]
      var span = bytes.mutableSpan
      try flipping.readRegisters(from: register, count: 3, into: &span, at: 0x76)
      return bytes
    }
    #expect(try read(6) == [1, 2, 3])
    #expect(flipping.faults.faults[0].fired == 0)
    #expect(try read(7) == [4, 5 ^ 0x81, 6])
    #expect(try read(7) == [7, 8, 9])
    #expect(flipping.faults.faults[0].fired == 1)
  }

  @Test(
    "a register fault affects the address write or the read after it, depending on direction",
    arguments: [I2CSegment.Direction.write, .read])
  func directions(_ direction: I2CSegment.Direction) throws {
    var trigger = PlannedFault.Trigger()
    (trigger.register, trigger.direction) = (7, direction)
    let adapter = try adapter(PlannedFault(kind: .addressNack, trigger: trigger))
    let register: [UInt8] = [7]
    var bytes: [UInt8] = [0]
    var span = bytes.mutableSpan
    if direction == .write {
      #expect(throws: I2CError.self) { try adapter.write(register.span, to: 0x76) }
    } else {
      try adapter.write(register.span, to: 0x76)
      #expect(adapter.faults.faults[0].fired == 0)
      #expect(throws: I2CError.self) { try adapter.read(into: &span, from: 0x76) }
    }
    #expect(adapter.faults.faults[0].fired == 1)
  }

  @Test(
    "stuck bits of a byte have their level in each read, whatever the device sends",
    arguments: [(true, [1, 0x82, 3]), (false, [1, 0, 3])] as [(Bool, [UInt8])])
  func stuckBits(_ areSet: Bool, _ expected: [UInt8]) throws {
    let kind = PlannedFault.Kind.stuckBits(byte: 1, mask: 0x82, areSet: areSet)
    let adapter = try adapter(PlannedFault(kind: kind, start: 0))
    var bytes: [UInt8] = [0, 0, 0]
    var span = bytes.mutableSpan
    try adapter.read(into: &span, from: 0x76)
    #expect(bytes == expected && adapter.faults.faults[0].fired == 1)
  }

  @Test(
    "a short read is filled with 0xFF, and a different chip returns one value for each register")
  func strangeReads() throws {
    func read(_ kind: PlannedFault.Kind) throws -> [UInt8] {
      let adapter = try adapter(PlannedFault(kind: kind, start: 0))
      var bytes: [UInt8] = [0, 0, 0]
      var span = bytes.mutableSpan
      try adapter.read(into: &span, from: 0x76)
      #expect(adapter.faults.faults[0].fired == 1)
      return bytes
    }
    #expect(try read(.shortRead(bytes: 1)) == [1, 0xFF, 0xFF])
    #expect(try read(.otherTarget(reads: 0x55)) == [0x55, 0x55, 0x55])
    #expect(echo.starts.count == 1, "the intended target received no second start")
    let long = try adapter(PlannedFault(kind: .shortRead(bytes: 1), start: 0))
    var byte: [UInt8] = [0]
    var span = byte.mutableSpan
    try long.read(into: &span, from: 0x76)
    #expect(long.faults.faults[0].fired == 0, "a read of one byte is not cut")
  }

  @Test(
    "the evidence of a fault is its count, and time, transfer and address of the first and last firing"
  )
  func evidence() throws {
    let adapter = try adapter(PlannedFault(kind: .addressNack, start: 500_000, count: 2))
    try adapter.probe(0x76)
    #expect(adapter.faults.faults[0].evidence == PlannedFault.Evidence())
    var times: [UInt64] = []
    for _ in 0..<3 {
      clock.wait(nanoseconds: 1_000_000)
      times.append(clock.nanoseconds)
      try? adapter.writeRegister(1, 2, at: 0x76)
    }
    let evidence = adapter.faults.faults[0].evidence
    #expect(
      evidence
        == PlannedFault.Evidence(
          count: 2, first: .init(time: times[0], transfer: 2, address: 0x76),
          last: .init(time: times[1], transfer: 3, address: 0x76)))
  }

  @Test("only bridge faults affect the frames of a bridge")
  func frames() throws {
    var trigger = PlannedFault.Trigger()
    trigger.start = 5
    let plan = FaultPlan([
      PlannedFault(kind: .addressNack, start: 0), PlannedFault(kind: .frameRepeated, start: 0),
      PlannedFault(kind: .frameLost, trigger: trigger, count: 2),
    ])
    #expect(plan.injectFrame(at: 0, isWrite: false) == nil)
    #expect(plan.injectFrame(at: 0, isWrite: true) == .frameRepeated)
    #expect(plan.injectFrame(at: 4, isWrite: true) == nil)
    for _ in 0..<2 { #expect(plan.injectFrame(at: 5, isWrite: false) == .frameLost) }
    #expect(plan.injectFrame(at: 9, isWrite: true) == nil)
    #expect(plan.faults.map(\.fired) == [0, 1, 2])
  }

  @Test(
    "a fault fires only after the configured number of transfers, or at random with the configured probability"
  )
  func triggers() throws {
    var late = PlannedFault.Trigger()
    late.transfers = 2
    let waiting = try adapter(PlannedFault(kind: .addressNack, trigger: late))
    for _ in 0..<2 { try waiting.probe(0x76) }
    #expect(throws: I2CError.self) { try waiting.probe(0x76) }
    var rare = PlannedFault.Trigger()
    rare.probability = 0.1
    func failures(_ seed: UInt64) throws -> [Bool] {
      let adapter = VirtualAdapter(
        clock: clock,
        faults: FaultPlan(
          [PlannedFault(kind: .addressNack, trigger: rare, count: 1000)], seed: seed))
      try adapter.attach(echo)
      return (0..<1000).map { _ in (try? adapter.probe(0x76)) == nil }
    }
    let first = try failures(1)
    #expect(try failures(1) == first)
    #expect(try failures(2) != first)
    #expect((60...140).contains(first.count { $0 }))
  }

  @Test("a power-loss fault removes and restores the supply on time, even between transfers")
  func supply() throws {
    let adapter = try adapter(PlannedFault(kind: .powerLoss(1_000_000), start: 500_000))
    try adapter.probe(0x76)
    #expect(echo.supply.isEmpty)
    clock.wait(nanoseconds: 1_000_000)
    try adapter.probe(0x76)
    clock.wait(nanoseconds: 1_000_000)
    try adapter.probe(0x76)
    #expect(echo.supply.map(\.isOn) == [false, true])
    #expect(echo.supply.map(\.time) == [500_000, 1_500_000])
    #expect(adapter.faults.faults[0].fired == 1)
  }

  @Test("a fault does not fire before its start time")
  func waits() throws {
    let adapter = try adapter(PlannedFault(kind: .addressNack, start: 1_000_000))
    try adapter.probe(0x76)
    #expect(adapter.faults.faults[0].fired == 0)
    clock.wait(nanoseconds: 1_000_000)
    #expect(throws: I2CError.self) { try adapter.probe(0x76) }
  }

  @Test("a fault affects only its target address, and only writes long enough to reach its byte")
  func selects() throws {
    let other = try adapter(PlannedFault(kind: .addressNack, start: 0, address: 0x77))
    try other.probe(0x76)
    #expect(other.faults.faults[0].fired == 0)
    let deep = VirtualAdapter(
      clock: clock, faults: FaultPlan([PlannedFault(kind: .dataNack(byte: 2), start: 0)]))
    try deep.attach(echo)
    try deep.writeRegister(1, 2, at: 0x76)
    #expect(deep.faults.faults[0].fired == 0)
  }

  @Test(
    "an adapter is unplugged and plugged in in turn; absences that overlap or touch are one",
    arguments: [
      ([(10, 5)], [10, 15]), ([(0, 5)], [0, 5]), ([(20, 5), (10, 5)], [10, 15, 20, 25]),
      ([(10, 5), (15, 5)], [10, 20]), ([(10, 9), (12, 2)], [10, 19]), ([(10, .max)], [10]),
    ] as [([(start: UInt64, length: UInt64)], [UInt64])])
  func connection(_ absences: [(start: UInt64, length: UInt64)], _ changes: [UInt64]) throws {
    let plan = FaultPlan(
      absences.map {
        PlannedFault(kind: .unplugged($0.length, cutsSupply: false), start: $0.start)
      })
    let connection = try #require(plan.connection(clock))
    for (index, time) in changes.enumerated() {
      #expect(connection.nanosecondsToNext == time - clock.nanoseconds)
      if time > 0 {
        clock.wait(nanoseconds: time - 1 - clock.nanoseconds)
        #expect(connection.next() == nil)
        #expect(plan.isUnplugged(at: time - 1) != connection.isPluggedIn)
        clock.wait(nanoseconds: 1)
      }
      let isPluggedIn = index % 2 == 1
      #expect(connection.next() == AdapterConnection.Change(time: time, isPluggedIn: isPluggedIn))
      #expect(connection.isPluggedIn == isPluggedIn && plan.isUnplugged(at: time) != isPluggedIn)
    }
    #expect(connection.next() == nil)
    #expect(plan.faults.allSatisfy { $0.fired == 1 })
    #expect(plan.faults.map(\.span?.first) == absences.map(\.start))
  }

  @Test(
    "while its adapter is unplugged, each transfer fails with ENODEV at once, and then succeeds again",
    arguments: [false, true])
  func unplugged(_ cutsSupply: Bool) throws {
    let plan = FaultPlan([
      PlannedFault(kind: .unplugged(1_000_000, cutsSupply: cutsSupply), start: 500_000)
    ])
    let inner = VirtualAdapter(clock: clock, faults: plan)
    try inner.attach(echo)
    let adapter = UnpluggableAdapter(inner, clock: clock, faults: plan)
    let wire = adapter.wire(clock)
    try adapter.probe(0x76)
    clock.wait(nanoseconds: 500_000)
    let begin = clock.nanoseconds
    #expect(throws: I2CError(.noDevice, errno: .enodev)) {
      try adapter.writeRegister(1, 2, at: 0x76)
    }
    let reply = wire.start(0x76, .write, plan: I2CWirePlan(), at: begin)
    #expect(reply == I2CWireReply(failure: .noDevice, end: begin))
    #expect(wire.write(1, at: begin).failure == .noDevice)
    #expect(wire.errno(of: .noDevice) == .enodev)
    _ = wire.stop(at: begin)
    #expect(clock.nanoseconds == begin && echo.received == [])
    clock.wait(nanoseconds: 1_000_000)
    try adapter.writeRegister(3, 4, at: 0x76)
    #expect(wire.start(0x76, .write, plan: I2CWirePlan(), at: clock.nanoseconds).failure == nil)
    #expect(echo.received == [3, 4])
    #expect(echo.supply.map(\.isOn) == (cutsSupply ? [false, true] : []))
    #expect(echo.supply.map(\.time) == (cutsSupply ? [500_000, 1_500_000] : []))
  }
}
