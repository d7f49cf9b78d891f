import Machines
import NRF52832
import Testing

/// The PWMs, by the product specification v1.4, chapter PWM.
struct PWMTests {
  private static let PWM0: UInt32 = 0x4001_C000, values: UInt32 = 0x2000_1000
  private static let P0: UInt32 = 0x5000_0000
  private static let pin: UInt32 = 17
  private let part = Part()

  /// The edges of a pin: the time in microseconds and the level.
  private final class Edges {
    var all: [(time: Double, isHigh: Bool)] = []
    var levels: [Bool] { all.map(\.isHigh) }
    /// The times from each edge to the next.
    var gaps: [Double] { zip(all, all.dropFirst()).map { $1.time - $0.time } }
  }

  private func record() throws -> Edges {
    let index = try #require(part.machine.pins.index(of: "P0.17"))
    let edges = Edges()
    part.machine.pins.observe(index)
    part.machine.pins.output = { changed, drive, time in
      guard changed == index, case .driven(let isHigh) = drive else { return }
      edges.all.append((Double(time) / 1000, isHigh))
    }
    return edges
  }

  /// Sets up a PWM of 1 MHz whose period has 100 ticks, with words in RAM.
  private func setUp(_ words: [UInt16], load: UInt32 = 0) {
    part[Self.P0 + GPIO.DIRSET] = 1 << Self.pin
    put(words, at: Self.values)
    part[Self.PWM0 + PWM.PSEL_OUT] = Self.pin
    part[Self.PWM0 + PWM.ENABLE] = 1
    part[Self.PWM0 + PWM.PRESCALER] = 4
    part[Self.PWM0 + PWM.COUNTERTOP] = 100
    part[Self.PWM0 + PWM.DECODER] = load
    part[Self.PWM0 + PWM.SEQ_PTR] = Self.values
    part[Self.PWM0 + PWM.SEQ_CNT] = UInt32(words.count)
    part[Self.PWM0 + PWM.SEQ_REFRESH] = 0
  }

  private func put(_ words: [UInt16], at address: UInt32) {
    part.put(words.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, at: address)
  }

  private func start(_ sequence: UInt32 = 0) {
    part[Self.PWM0 + PWM.TASKS_SEQSTART + sequence * 4] = 1
  }

  private func isClose(_ a: [Double], _ b: [Double]) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) < 0.07 }
  }

  @Test(
    "polarity 1 is high up to the compare value, polarity 0 from there on",
    arguments: [true, false])
  func polarity(_ isFirstHigh: Bool) throws {
    setUp([30 | (isFirstHigh ? 0x8000 : 0)])
    let edges = try record()
    start()
    part.pass(microseconds: 350)
    let levels = [true, false, true, false, true, false, true]
    #expect(edges.levels == levels + (isFirstHigh ? [false] : []), "\(edges.all)")
    let gaps: [Double] = isFirstHigh ? [30, 70, 30, 70, 30, 70, 30] : [70, 30, 70, 30, 70, 30]
    #expect(isClose(edges.gaps, gaps), "\(edges.gaps)")
  }

  @Test("up-and-down counting is symmetrical, and doubles the period")
  func upAndDown() throws {
    setUp([0x8000 | 30])
    part[Self.PWM0 + PWM.MODE] = 1
    let edges = try record()
    start()
    part.pass(microseconds: 620)
    #expect(edges.levels.prefix(4) == [true, false, true, false])
    #expect(isClose(Array(edges.gaps.prefix(4)), [30, 140, 60, 140]), "\(edges.gaps)")
  }

  @Test("the value of a step is played REFRESH + 1 times, and the last one is held")
  func refresh() throws {
    setUp([0x8000 | 10, 0x8000 | 90])
    part[Self.PWM0 + PWM.SEQ_REFRESH] = 2
    let edges = try record()
    start()
    #expect(part[Self.PWM0 + PWM.EVENTS_SEQSTARTED] == 1)
    part.pass(microseconds: 250)
    #expect(part[Self.PWM0 + PWM.EVENTS_SEQEND] == 0)
    part.pass(microseconds: 2_000)
    #expect(part[Self.PWM0 + PWM.EVENTS_SEQEND] == 1)
    #expect(isClose(Array(edges.gaps.prefix(7)), [10, 90, 10, 90, 10, 90, 90]), "\(edges.gaps)")
    #expect(
      isClose(Array(edges.gaps.suffix(2)), [90, 10])
        || isClose(Array(edges.gaps.suffix(2)), [10, 90]))
  }

  @Test(
    "each channel has its own value with LOAD Individual, two share one with Grouped",
    arguments: [(2, 0b1101), (1, 0b0011), (0, 0b1111)] as [(UInt32, UInt32)])
  func loads(_ load: UInt32, _ highs: UInt32) throws {
    setUp(
      [0x8000 | 80, 0x8000 | 20, 0x8000 | 60, 0x8000 | 70].prefix([1, 2, 4][Int(load)]).map { $0 },
      load: load)
    part[Self.P0 + GPIO.DIRSET] = 0xF
    for channel: UInt32 in 0..<4 { part[Self.PWM0 + PWM.PSEL_OUT + channel * 4] = channel }
    start()
    part.pass(microseconds: 50)
    // The input buffers are connected.
    for pin: UInt32 in 0..<4 { part[Self.P0 + GPIO.PIN_CNF + pin * 4] = 1 }
    #expect(part[Self.P0 + GPIO.IN] & 0xF == highs)
  }

  @Test("LOAD WaveForm takes COUNTERTOP from the fourth word")
  func waveForm() throws {
    setUp([0x8000 | 10, 0, 0, 50, 0x8000 | 10, 0, 0, 200], load: 3)
    let edges = try record()
    start()
    part.pass(microseconds: 500)
    #expect(isClose(Array(edges.gaps.prefix(4)), [10, 40, 10, 190]), "\(edges.gaps)")
  }

  @Test("LOOP plays both sequences as often as it says, and then raises LOOPSDONE")
  func loop() throws {
    setUp([0x8000 | 10])
    put([0x8000 | 50], at: Self.values + 16)
    part[Self.PWM0 + PWM.SEQ_PTR + PWM.stride] = Self.values + 16
    part[Self.PWM0 + PWM.SEQ_CNT + PWM.stride] = 1
    part[Self.PWM0 + PWM.SEQ_ENDDELAY + PWM.stride] = 1
    part[Self.PWM0 + PWM.LOOP] = 2
    part[Self.PWM0 + TaskPeripheral.SHORTS] = 1 << 4
    let edges = try record()
    start()
    part.pass(microseconds: 1_000)
    #expect(part[Self.PWM0 + PWM.EVENTS_LOOPSDONE] == 1)
    #expect(part[Self.PWM0 + PWM.EVENTS_STOPPED] == 1)
    #expect(
      isClose(Array(edges.gaps.prefix(10)), [10, 90, 50, 50, 50, 50, 10, 90, 50, 50]),
      "\(edges.gaps)")
  }

  @Test("STOP ends the wave at the end of the period and returns the pin to OUT")
  func stop() throws {
    setUp([0x8000 | 30])
    start()
    part.pass(microseconds: 110)
    part[Self.PWM0 + PWM.TASKS_STOP] = 1
    #expect(part[Self.PWM0 + PWM.EVENTS_STOPPED] == 0)
    #expect(part.machine.pins.level(of: 17))
    part[Self.P0 + GPIO.OUTSET] = 1 << Self.pin
    part.pass(microseconds: 100)
    #expect(part[Self.PWM0 + PWM.EVENTS_STOPPED] == 1)
    #expect(part.machine.pins.level(of: 17))
    part[Self.P0 + GPIO.OUTCLR] = 1 << Self.pin
    #expect(!part.machine.pins.level(of: 17))
  }

  @Test("NEXTSTEP advances to the next value at the end of the period")
  func nextStep() throws {
    setUp([0x8000 | 10, 0x8000 | 60], load: 1 << 8)
    let edges = try record()
    start()
    part.pass(microseconds: 250)
    part[Self.PWM0 + PWM.TASKS_NEXTSTEP] = 1
    part.pass(microseconds: 200)
    #expect(isClose(Array(edges.gaps.prefix(7)), [10, 90, 10, 90, 10, 90, 60]), "\(edges.gaps)")
  }

  @Test("PWMPERIODEND is raised at the end of each period, and its interrupt")
  func periodEnd() {
    setUp([0x8000 | 10])
    part[Self.PWM0 + TaskPeripheral.INTENSET] = 1 << 6
    start()
    for _ in 0..<3 {
      part.pass(microseconds: 101)
      #expect(part[Self.PWM0 + PWM.EVENTS_PWMPERIODEND] == 1 && part.isPending(28))
      part[Self.PWM0 + PWM.EVENTS_PWMPERIODEND] = 0
      #expect(part[Self.PWM0 + PWM.EVENTS_PWMPERIODEND] == 0)
    }
  }

  @Test("the nRF52840 has PWM3, the nRF52832 does not")
  func fourth() {
    let larger = Part(.nRF52840)
    larger[0x4002_D500] = 1
    part[0x4002_D500] = 1
    #expect(larger.machine.unmodelledRegisters.accesses.isEmpty)
    #expect(part.machine.unmodelledRegisters.accesses.count == 1)
  }

  @Test("values outside RAM are reported")
  func outside() {
    setUp([])
    part[Self.PWM0 + PWM.SEQ_PTR] = 0x100
    part[Self.PWM0 + PWM.SEQ_CNT] = 1
    start()
    #expect(
      part.machine.unmodelledRegisters.accesses.map(\.mode) == ["EasyDMA outside RAM (SEQ.PTR)"])
  }
}
