import Machines
import STM32F411
import Testing

/// The timers and their pins, by RM0383, sections 12 to 14.
struct TimerTests {
  private let part: Part
  init() throws { part = try #require(Part()) }

  /// An edge of a pin, with the time in microseconds.
  private struct Edge: Hashable, CustomStringConvertible {
    var time: Double
    var isHigh: Bool
    var description: String { "\(isHigh ? "high" : "low") at \(time)" }
  }

  private final class Edges {
    var all: [Edge] = []
    var times: [Double] { all.map(\.time) }
  }

  /// Sets a pin to an alternate function.
  private func connect(_ port: UInt32, _ pin: UInt32, function: UInt32) {
    part[port] = part[port] & ~(3 << (pin * 2)) | 2 << (pin * 2)
    let register = port + (pin < 8 ? 0x20 : 0x24)
    part[register] = part[register] & ~(15 << (pin % 8 * 4)) | function << (pin % 8 * 4)
  }

  /// Records the edges of a pin, with times from now on.
  private func record(_ name: String) throws -> Edges {
    let pin = try #require(part.machine.pins.index(of: name))
    let edges = Edges()
    part.machine.pins.observe(pin)
    part.machine.pins.output = { changed, drive, time in
      guard changed == pin, case .driven(let isHigh) = drive else { return }
      edges.all.append(Edge(time: Double(time) / 1000, isHigh: isHigh))
    }
    return edges
  }

  /// Starts a timer at 1 MHz.
  private func start(_ base: UInt32, top: UInt32, _ control: UInt32 = 0) {
    (part[base + TIM.PSC], part[base + TIM.ARR]) = (15, top)
    part[base + TIM.CR1] = control
    part[base + TIM.EGR] = 1
    part[base + TIM.SR] = 0
    part[base + TIM.CR1] = control | 1
  }

  private func set(_ pin: String, _ isHigh: Bool) throws {
    part.machine.pins.set(try #require(part.machine.pins.index(of: pin)), to: isHigh)
  }

  // MARK: Outputs

  @Test(
    "PWM mode 1 is active below CCRx, PWM mode 2 from CCRx on",
    arguments: [(6, true, 25), (7, false, 25), (6, true, 1), (7, false, 99)]
      as [(UInt32, Bool, UInt32)])
  func pulses(_ mode: UInt32, _ isFirstHigh: Bool, _ value: UInt32) throws {
    connect(Base.GPIOA, 6, function: 2)
    let edges = try record("PA6")
    part[Base.TIM3 + TIM.CCMR1] = mode << 4
    part[Base.TIM3 + TIM.CCR1] = value
    part[Base.TIM3 + TIM.CCER] = 1
    start(Base.TIM3, top: 99)
    edges.all = []
    part.pass(microseconds: 350)
    let starts = edges.all.filter { $0.isHigh == isFirstHigh }
    let ends = edges.all.filter { $0.isHigh != isFirstHigh }
    #expect(ends.count >= 3 && starts.count >= 3, "\(edges.all)")
    for (end, start) in zip(ends, starts) {
      #expect(abs(start.time - end.time - Double(100 - value)) < 0.001, "\(edges.all)")
    }
    for (first, second) in zip(starts, starts.dropFirst()) {
      #expect(abs(second.time - first.time - 100) < 0.001)
    }
  }

  @Test(
    "PWM at the ends: CCRx 0 is never active, a CCRx above ARR always",
    arguments: [(0, false), (100, true)] as [(UInt32, Bool)])
  func constant(_ value: UInt32, _ isHigh: Bool) throws {
    connect(Base.GPIOA, 6, function: 2)
    part[Base.TIM3 + TIM.CCMR1] = 6 << 4
    part[Base.TIM3 + TIM.CCR1] = value
    part[Base.TIM3 + TIM.CCER] = 1
    start(Base.TIM3, top: 99)
    let edges = try record("PA6")
    part.pass(microseconds: 350)
    #expect(edges.all.isEmpty)
    let pin = try #require(part.machine.pins.index(of: "PA6"))
    #expect(part.machine.pins.drive(of: pin) == .driven(isHigh))
  }

  @Test("center-aligned PWM is symmetrical: active for 2 * CCRx of 2 * ARR ticks")
  func centered() throws {
    connect(Base.GPIOB, 6, function: 2)
    part[Base.TIM4 + TIM.CCMR1] = 6 << 4
    part[Base.TIM4 + TIM.CCR1] = 30
    part[Base.TIM4 + TIM.CCER] = 1
    let edges = try record("PB6")
    start(Base.TIM4, top: 100, 3 << 5)
    edges.all = []
    part.pass(microseconds: 700)
    let falls = edges.all.filter { !$0.isHigh }.map(\.time)
    let rises = edges.all.filter(\.isHigh).map(\.time)
    #expect(falls.count == 4 && rises.count == 3, "\(edges.all)")
    for (fall, rise) in zip(falls, rises) { #expect(abs(rise - fall - 140) < 0.001) }
    for (rise, fall) in zip(rises, falls.dropFirst()) { #expect(abs(fall - rise - 60) < 0.001) }
  }

  @Test(
    "output compare toggles, sets and clears a pin at each match", arguments: [3, 1, 2] as [UInt32])
  func compare(_ mode: UInt32) throws {
    connect(Base.GPIOA, 0, function: 1)
    part[Base.TIM2 + TIM.CCER] = 1
    // Forced active, so that clearing is seen.
    part[Base.TIM2 + TIM.CCMR1] = (mode == 2 ? 5 : 4) << 4
    part[Base.TIM2 + TIM.CCMR1] = mode << 4
    part[Base.TIM2 + TIM.CCR1] = 10
    let edges = try record("PA0")
    start(Base.TIM2, top: 49)
    part.pass(microseconds: 170)
    #expect(edges.all.map(\.isHigh) == (mode == 3 ? [true, false, true, false] : [mode == 1]))
    for (first, second) in zip(edges.times, edges.times.dropFirst()) {
      #expect(abs(second - first - 50) < 0.001)
    }
  }

  @Test("an unobserved pin has the level of the wave when the program reads IDR")
  func unobserved() {
    connect(Base.GPIOA, 6, function: 2)
    part[Base.TIM3 + TIM.CCMR1] = 6 << 4
    part[Base.TIM3 + TIM.CCR1] = 50
    part[Base.TIM3 + TIM.CCER] = 1
    start(Base.TIM3, top: 99)
    part.pass(microseconds: 20)
    #expect(part[Base.GPIOA + 0x10] >> 6 & 1 == 1)
    part.pass(microseconds: 50)
    #expect(part[Base.GPIOA + 0x10] >> 6 & 1 == 0)
    part.pass(microseconds: 10_050)
    #expect(part[Base.GPIOA + 0x10] >> 6 & 1 == 1)
  }

  @Test(
    "a preloaded CCRx takes effect at the next update event, another at once",
    arguments: [true, false])
  func preload(_ isPreloaded: Bool) throws {
    connect(Base.GPIOA, 6, function: 2)
    part[Base.TIM3 + TIM.CCMR1] = 6 << 4 | (isPreloaded ? 8 : 0)
    part[Base.TIM3 + TIM.CCR1] = 20
    part[Base.TIM3 + TIM.CCER] = 1
    let edges = try record("PA6")
    start(Base.TIM3, top: 99)
    part.pass(microseconds: 50)
    edges.all = []
    part[Base.TIM3 + TIM.CCR1] = 80
    part.pass(microseconds: 160)
    let highs = edges.all.map(\.isHigh)
    #expect(highs == [true, false, true] + (isPreloaded ? [] : [false, true]))
    // At once: high from now to 80; preloaded: high from 100 on.
    let first = try #require(edges.times.first)
    let second = try #require(edges.times.dropFirst().first)
    #expect(isPreloaded ? abs(second - first - 80) < 0.001 : second - first < 31, "\(edges.all)")
  }

  @Test("TIM1 drives its pins only with MOE, and CHxN is the complement of CHx")
  func complementary() throws {
    connect(Base.GPIOA, 8, function: 1)
    connect(Base.GPIOB, 13, function: 1)
    let (pin, other) = (
      try #require(part.machine.pins.index(of: "PA8")),
      try #require(part.machine.pins.index(of: "PB13"))
    )
    part[Base.TIM1 + TIM.CCMR1] = 6 << 4
    part[Base.TIM1 + TIM.CCR1] = 50
    part[Base.TIM1 + TIM.CCER] = 5
    start(Base.TIM1, top: 99)
    part.pass(microseconds: 10)
    #expect(part.machine.pins.drive(of: pin) == .floating)
    part[Base.TIM1 + TIM.BDTR] = 1 << 15
    #expect(part.machine.pins.drive(of: pin) == .driven(true))
    #expect(part.machine.pins.drive(of: other) == .driven(false))
    part.pass(microseconds: 50)
    _ = part[Base.GPIOA + 0x10]
    #expect(part.machine.pins.drive(of: pin) == .driven(false))
    #expect(part.machine.pins.drive(of: other) == .driven(true))
  }

  // MARK: DMA

  /// Enables a stream with halfwords of memory.
  private func stream(
    _ base: UInt32, _ number: UInt32, channel: UInt32, port: UInt32, count: UInt32, toMemory: Bool
  ) {
    let control = base + DMA.S0CR + number * 0x18
    (part[control + DMA.PAR], part[control + DMA.M0AR]) = (port, 0x2000_1000)
    part[control + DMA.NDTR] = count
    // Halfwords at both ends, MINC, DIR.
    part[control] = channel << 25 | 1 << 13 | 1 << 11 | 1 << 10 | (toMemory ? 0 : 1 << 6) | 1
  }

  private func put(_ halves: [UInt16]) {
    for index in stride(from: 0, to: halves.count, by: 2) {
      let high = index + 1 < halves.count ? UInt32(halves[index + 1]) : 0
      part[0x2000_1000 + UInt32(index) * 2] = UInt32(halves[index]) | high << 16
    }
  }

  @Test(
    "a stream loads the next compare value at each match, or at each update event with CCDS",
    arguments: [false, true])
  func transfers(_ isAtUpdate: Bool) throws {
    connect(Base.GPIOA, 6, function: 2)
    put([20, 60, 80, 0])
    part[Base.TIM3 + TIM.CCMR1] = 6 << 4 | 8
    part[Base.TIM3 + TIM.CCR1] = 10
    part[Base.TIM3 + TIM.CCER] = 1
    part[Base.TIM3 + TIM.CR2] = isAtUpdate ? 1 << 3 : 0
    stream(Base.DMA1, 4, channel: 5, port: Base.TIM3 + TIM.CCR1, count: 4, toMemory: false)
    let edges = try record("PA6")
    start(Base.TIM3, top: 99)
    part[Base.TIM3 + TIM.DIER] = 1 << 9
    part.pass(microseconds: 1000)
    let times = edges.times.suffix(from: 1)
    let pulses = zip(edges.all, edges.all.dropFirst()).filter(\.0.isHigh).map { $1.time - $0.time }
    let expected: [Double] = isAtUpdate ? [10, 10, 20, 60, 80] : [10, 20, 60, 80]
    #expect(pulses.count == expected.count, "\(edges.all)")
    for (pulse, wanted) in zip(pulses, expected) { #expect(abs(pulse - wanted) < 0.1, "\(pulses)") }
    #expect(!times.isEmpty)
    // The stream has ended with TCIF4.
    #expect(part[Base.DMA1 + DMA.HISR] >> 5 & 1 == 1)
  }

  @Test("update events of TIM1 write a pattern to a port through DMA2")
  func pattern() throws {
    part[Base.GPIOB] = part[Base.GPIOB] & ~3 | 1
    put([1, 0, 1, 1, 0])
    stream(Base.DMA2, 5, channel: 6, port: Base.GPIOB + 0x14, count: 5, toMemory: false)
    let edges = try record("PB0")
    start(Base.TIM1, top: 99)
    part[Base.TIM1 + TIM.DIER] = 1 << 8
    part.pass(microseconds: 700)
    #expect(edges.all.map(\.isHigh) == [true, false, true, false])
    for (gap, wanted) in zip(
      zip(edges.times, edges.times.dropFirst()).map { $1 - $0 }, [100, 100, 200.0])
    {
      #expect(abs(gap - wanted) < 1, "\(edges.all)")
    }
  }

  @Test("captures go to memory through DMA1")
  func capturedTimes() throws {
    connect(Base.GPIOA, 1, function: 1)
    stream(Base.DMA1, 6, channel: 3, port: Base.TIM2 + TIM.CCR2, count: 3, toMemory: true)
    part[Base.TIM2 + TIM.CCMR1] = 1 << 8
    part[Base.TIM2 + TIM.CCER] = 1 << 4
    part[Base.TIM2 + TIM.DIER] = 1 << 10
    start(Base.TIM2, top: .max)
    for _ in 0..<3 {
      part.pass(microseconds: 50)
      for level in [true, false] { try set("PA1", level) }
    }
    let words = (part[0x2000_1000], part[0x2000_1004])
    let times = [words.0 & 0xFFFF, words.0 >> 16, words.1 & 0xFFFF]
    for (time, wanted) in zip(times, [50, 100, 150] as [UInt32]) {
      #expect((wanted...wanted + 3).contains(time), "\(times)")
    }
    #expect(part[Base.TIM2 + TIM.SR] & 4 == 0, "the transfer has read CCR2")
  }

  // MARK: Counting

  @Test("a down-counter underflows from 0 to ARR and sets UIF there")
  func down() {
    start(Base.TIM2, top: 99, 1 << 4)
    part.pass(microseconds: 30)
    let count = part[Base.TIM2 + TIM.CNT]
    #expect((67...70).contains(count))
    #expect(part[Base.TIM2 + TIM.SR] & 1 == 0)
    part.pass(microseconds: 75)
    #expect(part[Base.TIM2 + TIM.SR] & 1 == 1)
    #expect((90...97).contains(part[Base.TIM2 + TIM.CNT]))
  }

  @Test("a center-aligned counter counts to ARR and back, and DIR shows the direction")
  func upAndDown() {
    start(Base.TIM2, top: 100, 1 << 5)
    part.pass(microseconds: 60)
    #expect((59...62).contains(part[Base.TIM2 + TIM.CNT]))
    #expect(part[Base.TIM2 + TIM.CR1] & 1 << 4 == 0)
    part.pass(microseconds: 60)
    #expect((77...81).contains(part[Base.TIM2 + TIM.CNT]))
    #expect(part[Base.TIM2 + TIM.CR1] & 1 << 4 != 0)
    part.pass(microseconds: 20_000)
    #expect((77...81).contains(part[Base.TIM2 + TIM.CNT]))
  }

  @Test("a preloaded ARR takes effect at the next update event")
  func preloadedTop() {
    start(Base.TIM2, top: 99, 1 << 7)
    part[Base.TIM2 + TIM.ARR] = 9
    part.pass(microseconds: 50)
    #expect((48...53).contains(part[Base.TIM2 + TIM.CNT]))
    part.pass(microseconds: 60)
    #expect(part[Base.TIM2 + TIM.CNT] < 10)
  }

  // MARK: Inputs

  @Test(
    "a channel captures the count at rising, falling or both edges",
    arguments: [0, 2, 10] as [UInt32])
  func capture(_ polarity: UInt32) throws {
    connect(Base.GPIOA, 1, function: 1)
    part[Base.TIM2 + TIM.CCMR1] = 1 << 8
    part[Base.TIM2 + TIM.CCER] = (1 | polarity) << 4
    part[Base.TIM2 + TIM.DIER] = 4
    start(Base.TIM2, top: .max)
    var captured: [UInt32] = []
    for (isHigh, wait) in [(true, 100), (false, 40), (true, 60)] as [(Bool, UInt64)] {
      part.pass(microseconds: wait)
      try set("PA1", isHigh)
      guard part[Base.TIM2 + TIM.SR] & 4 != 0 else { continue }
      #expect(part.isPending(28))
      captured.append(part[Base.TIM2 + TIM.CCR2])
      #expect(part[Base.TIM2 + TIM.SR] & 4 == 0, "reading CCRx clears the flag")
    }
    let expected: [UInt32] = polarity == 0 ? [100, 200] : polarity == 2 ? [140] : [100, 140, 200]
    #expect(captured.count == expected.count, "\(captured)")
    for (value, wanted) in zip(captured, expected) {
      #expect((wanted...wanted + 3).contains(value))
    }
  }

  @Test("a second capture before the first was read sets the overcapture flag")
  func overcapture() throws {
    connect(Base.GPIOA, 1, function: 1)
    part[Base.TIM2 + TIM.CCMR1] = 1 << 8
    part[Base.TIM2 + TIM.CCER] = 1 << 4
    start(Base.TIM2, top: .max)
    for level in [true, false, true] { try set("PA1", level) }
    #expect(part[Base.TIM2 + TIM.SR] & (4 | 1 << 10) == 4 | 1 << 10)
  }

  @Test("PWM input mode measures period and pulse of a wave")
  func waveInput() throws {
    connect(Base.GPIOA, 6, function: 2)
    // IC1 at rising edges of TI1, IC2 at falling edges of TI1; reset at TI1FP1.
    part[Base.TIM3 + TIM.CCMR1] = 1 | 2 << 8
    part[Base.TIM3 + TIM.CCER] = 1 | 3 << 4
    part[Base.TIM3 + TIM.SMCR] = 5 << 4 | 4
    start(Base.TIM3, top: 0xFFFF)
    for _ in 0..<3 {
      try set("PA6", true)
      part.pass(microseconds: 300)
      try set("PA6", false)
      part.pass(microseconds: 700)
    }
    try set("PA6", true)
    #expect((999...1001).contains(part[Base.TIM3 + TIM.CCR1]))
    #expect((299...301).contains(part[Base.TIM3 + TIM.CCR2]))
  }

  @Test("an external clock at TI2 or ETR counts edges", arguments: [true, false])
  func externalClock(_ isTrigger: Bool) throws {
    if isTrigger {
      connect(Base.GPIOD, 2, function: 2)
      part[Base.TIM3 + TIM.SMCR] = 1 << 14
    } else {
      connect(Base.GPIOA, 7, function: 2)
      part[Base.TIM3 + TIM.CCMR1] = 1 << 8
      part[Base.TIM3 + TIM.SMCR] = 6 << 4 | 7
    }
    part[Base.TIM3 + TIM.ARR] = 4
    part[Base.TIM3 + TIM.CR1] = 1
    for edge in 1...7 {
      for level in [true, false] { try set(isTrigger ? "PD2" : "PA7", level) }
      part.pass(microseconds: 10)
      #expect(part[Base.TIM3 + TIM.CNT] == UInt32(edge % 5))
    }
    #expect(part[Base.TIM3 + TIM.SR] & 1 == 1)
  }

  @Test("gated mode counts only while the trigger is high")
  func gated() throws {
    connect(Base.GPIOA, 6, function: 2)
    part[Base.TIM3 + TIM.CCMR1] = 1
    part[Base.TIM3 + TIM.SMCR] = 5 << 4 | 5
    start(Base.TIM3, top: 0xFFFF)
    part.pass(microseconds: 100)
    #expect(part[Base.TIM3 + TIM.CNT] == 0)
    try set("PA6", true)
    part.pass(microseconds: 30)
    try set("PA6", false)
    part.pass(microseconds: 100)
    #expect((29...31).contains(part[Base.TIM3 + TIM.CNT]))
  }

  @Test(
    "an encoder counts up in one direction and down in the other", arguments: [1, 2, 3] as [UInt32])
  func encoder(_ mode: UInt32) throws {
    connect(Base.GPIOA, 6, function: 2)
    connect(Base.GPIOA, 7, function: 2)
    part[Base.TIM3 + TIM.CCMR1] = 1 | 1 << 8
    part[Base.TIM3 + TIM.SMCR] = mode
    part[Base.TIM3 + TIM.ARR] = 0xFFFF
    part[Base.TIM3 + TIM.CR1] = 1
    let forward: [(String, Bool)] = [("PA6", true), ("PA7", true), ("PA6", false), ("PA7", false)]
    for _ in 0..<5 { for (pin, level) in forward { try set(pin, level) } }
    #expect(part[Base.TIM3 + TIM.CNT] == (mode == 3 ? 20 : 10))
    #expect(part[Base.TIM3 + TIM.CR1] & 1 << 4 == 0)
    for (pin, level) in forward.reversed() { try set(pin, !level) }
    #expect(part[Base.TIM3 + TIM.CNT] == (mode == 3 ? 16 : 8))
    #expect(part[Base.TIM3 + TIM.CR1] & 1 << 4 != 0)
  }

  @Test(
    "trigger mode starts the counter at an edge, and one-pulse mode stops it at the update event")
  func onePulse() throws {
    connect(Base.GPIOA, 7, function: 2)
    connect(Base.GPIOA, 6, function: 2)
    part[Base.TIM3 + TIM.CCMR1] = 7 << 4 | 1 << 8
    part[Base.TIM3 + TIM.CCER] = 1
    part[Base.TIM3 + TIM.CCR1] = 20
    (part[Base.TIM3 + TIM.PSC], part[Base.TIM3 + TIM.ARR]) = (15, 69)
    part[Base.TIM3 + TIM.EGR] = 1
    part[Base.TIM3 + TIM.CR1] = 1 << 3
    part[Base.TIM3 + TIM.SMCR] = 6 << 4 | 6
    let edges = try record("PA6")
    part.pass(microseconds: 100)
    #expect(edges.all.isEmpty)
    try set("PA7", true)
    part.pass(microseconds: 300)
    #expect(edges.all.map(\.isHigh) == [true, false])
    #expect(abs(edges.times[1] - edges.times[0] - 50) < 0.001)
    #expect(part[Base.TIM3 + TIM.CR1] & 1 == 0)
  }

  // MARK: Triggers between timers

  /// What a trigger output shows (CR2.MMS).
  private enum Output {
    static let reset: UInt32 = 0, enable: UInt32 = 1 << 4, update: UInt32 = 2 << 4
    static let compare: UInt32 = 3 << 4, reference1: UInt32 = 4 << 4
  }

  /// Makes TIM3 a slave of TIM2 (ITR1).
  private func follow(_ mode: UInt32) { part[Base.TIM3 + TIM.SMCR] = 1 << 4 | mode }

  @Test(
    "a timer in external clock mode counts each update or compare event of its source",
    arguments: [Output.update, Output.compare, Output.reference1], [0, 1] as [UInt32])
  func cascade(_ output: UInt32, _ prescaler: UInt32) {
    part[Base.TIM2 + TIM.CR2] = output
    (part[Base.TIM2 + TIM.CCMR1], part[Base.TIM2 + TIM.CCR1]) = (6 << 4, 50)
    follow(7)
    (part[Base.TIM3 + TIM.PSC], part[Base.TIM3 + TIM.ARR]) = (prescaler, 6)
    part[Base.TIM3 + TIM.EGR] = 1
    part[Base.TIM3 + TIM.SR] = 0
    part[Base.TIM3 + TIM.CR1] = 1
    start(Base.TIM2, top: 99)
    let before = part[Base.TIM3 + TIM.CNT]
    part.pass(microseconds: 480)
    let events: UInt32 = output == Output.compare ? 5 : 4
    if output != Output.reference1 || prescaler == 0 {
      #expect(part[Base.TIM3 + TIM.CNT] == before + events / (prescaler + 1))
    }
    #expect(part[Base.TIM3 + TIM.SR] & 1 == 0)
    part.pass(microseconds: 1600)
    #expect(part[Base.TIM3 + TIM.SR] & 1 == 1, "an overflow of the slave")
  }

  @Test(
    "a slave in trigger mode starts with its source, at the same count", arguments: [true, false])
  func startsTogether(_ isSlaveWide: Bool) {
    let (source, slave): (UInt32, UInt32) =
      isSlaveWide ? (Base.TIM3, Base.TIM2) : (Base.TIM2, Base.TIM3)
    part[slave + TIM.SMCR] = (isSlaveWide ? 2 : 1) << 4 | 6
    (part[slave + TIM.PSC], part[slave + TIM.ARR]) = (15, 0xFFFF)
    part[slave + TIM.EGR] = 1
    part[source + TIM.CR2] = Output.enable
    part.pass(microseconds: 100)
    #expect(part[slave + TIM.CR1] & 1 == 0)
    start(source, top: 0xFFFF)
    part.pass(microseconds: 250)
    #expect(part[slave + TIM.CR1] & 1 == 1 && part[slave + TIM.SR] & 1 << 6 != 0)
    #expect((249...251).contains(part[slave + TIM.CNT]))
    #expect(part[slave + TIM.CNT] == part[source + TIM.CNT])
  }

  @Test("a gated slave counts while OC1REF of its source is high")
  func gatedBySource() {
    part[Base.TIM2 + TIM.CR2] = Output.reference1
    (part[Base.TIM2 + TIM.CCMR1], part[Base.TIM2 + TIM.CCR1]) = (6 << 4, 30)
    follow(5)
    start(Base.TIM3, top: 0xFFFF)
    start(Base.TIM2, top: 99)
    part.pass(microseconds: 980)
    #expect((299...303).contains(part[Base.TIM3 + TIM.CNT]))
  }

  @Test("a slave in reset mode restarts at each update event of its source")
  func resetBySource() {
    part[Base.TIM2 + TIM.CR2] = Output.update
    follow(4)
    start(Base.TIM3, top: 0xFFFF)
    start(Base.TIM2, top: 99)
    for _ in 0..<5 {
      part.pass(microseconds: 100)
      #expect(abs(Int(part[Base.TIM3 + TIM.CNT]) - Int(part[Base.TIM2 + TIM.CNT])) <= 1)
    }
  }

  @Test("timers that reset each other do not hang")
  func circle() {
    for (timer, source) in [(Base.TIM2, 2), (Base.TIM3, 1)] as [(UInt32, UInt32)] {
      part[timer + TIM.CR2] = Output.reset
      part[timer + TIM.SMCR] = source << 4 | 4
      start(timer, top: 99)
    }
    part.pass(microseconds: 50)
    part[Base.TIM2 + TIM.EGR] = 1
    part.pass(microseconds: 20)
    #expect((19...21).contains(part[Base.TIM2 + TIM.CNT]))
    #expect((19...21).contains(part[Base.TIM3 + TIM.CNT]))
  }

  @Test(
    "a trigger output starts conversions of ADC1, at the edges of EXTEN, until it is off",
    arguments: [(Base.TIM2, 6), (Base.TIM3, 8)] as [(UInt32, UInt32)], [1, 2, 3] as [UInt32])
  func conversions(_ source: (base: UInt32, select: UInt32), _ edges: UInt32) {
    part[source.base + TIM.CR2] = Output.reference1
    part[source.base + TIM.CCMR1] = 6 << 4
    part[source.base + TIM.CCR1] = 50
    start(source.base, top: 99)
    part[Base.ADC1 + ADC.SQR3] = 17
    part[Base.ADC1 + ADC.CCR] = 1 << 23
    part[Base.ADC1 + ADC.CR2] = 1 | source.select << 24 | edges << 28
    part.machine.analog.supply = { _ in 3.3 }
    var converted = 0
    for _ in 0..<200 {
      part.pass(microseconds: 5)
      guard part[Base.ADC1 + ADC.SR] & 2 != 0 else { continue }
      converted += 1
      #expect(part[Base.ADC1 + ADC.DR] == 1500)
    }
    #expect((edges == 3 ? 19...20 : 9...10).contains(converted))
    part[Base.ADC1 + ADC.CR2] = 1
    part.pass(microseconds: 20)
    _ = part[Base.ADC1 + ADC.DR]
    part.pass(microseconds: 500)
    #expect(part[Base.ADC1 + ADC.SR] & 2 == 0)
    #expect(part.machine.unmodelledRegisters.accesses.isEmpty)
  }

  @Test(
    "a trigger of a timer that the model does not have is reported, and so is another source of ADC1"
  )
  func unmodelledTriggers() throws {
    part[Base.TIM3 + TIM.SMCR] = 1 << 4 | 7
    #expect(part.machine.unmodelledRegisters.accesses.isEmpty)
    part[Base.TIM4 + TIM.SMCR] = 3 << 4 | 7
    part[Base.ADC1 + ADC.CR2] = 1 | 1 << 28
    #expect(
      part.machine.unmodelledRegisters.accesses.map(\.mode) == [
        "a trigger that is no timer's (SMCR.TS) of TIM4",
        "a start by a channel of a timer or by a pin (CR2.EXTSEL)",
      ])
    let other = try #require(Part(.stm32F405))
    other[Base.TIM4 + TIM.SMCR] = 3 << 4 | 7
    #expect(other.machine.unmodelledRegisters.accesses.isEmpty)
  }

  @Test(
    "a mode of a timer that is not modelled is reported by its name",
    arguments: [
      (TIM.BDTR, 1 << 12 as UInt32, "the break input (BDTR.BKE) of TIM1"),
      (TIM.BDTR, 20, "dead time (BDTR.DTG) of TIM1"),
      (TIM.DIER, 1 << 14, "DMA requests of triggers (DIER.TDE, COMDE) of TIM1"),
    ])
  func unmodelled(_ register: UInt32, _ value: UInt32, _ mode: String) {
    part[Base.TIM1 + register] = value
    #expect(part.machine.unmodelledRegisters.accesses.map(\.mode) == [mode])
  }
}
