import I2C
import Testing
import VirtualI2C

/// Planned failures happen when they should, as often as they should, and say so.
struct FaultPlanTests {
  let clock = VirtualClock()
  let echo = Echo(0x76)

  func adapter(_ fault: PlannedFault) throws -> VirtualAdapter {
    let adapter = VirtualAdapter(clock: clock, faults: FaultPlan([fault]))
    try adapter.attach(echo)
    return adapter
  }

  @Test(
    "each kind fires as often as planned and then never again",
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

  @Test("a fault waits for its time")
  func waits() throws {
    let adapter = try adapter(PlannedFault(kind: .addressNack, start: 1_000_000))
    try adapter.probe(0x76)
    #expect(adapter.faults.faults[0].fired == 0)
    clock.wait(nanoseconds: 1_000_000)
    #expect(throws: I2CError.self) { try adapter.probe(0x76) }
  }

  @Test("a fault strikes only its own address, and only writes that reach its byte")
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
}
