import ATmega328P
import Machines
import TestSupport
import Testing

/// Tests that compare the calculated counts of a timer with a timer that counts every tick.
struct TimerTests {
  /// A timer that counts tick by tick as in the data sheet.
  private struct Ticking {
    var wave: TimerWave
    var count: UInt32
    var isDown = false
    var overflowed = false
    var left: [UInt32: UInt64] = [:]

    mutating func tick() {
      left[count, default: 0] += 1
      guard wave.isDual else {
        let wraps = count == wave.top || count == wave.max
        if wraps, count == wave.max || wave.overflowsAtTop { overflowed = true }
        count = wraps ? 0 : count + 1
        return
      }
      if count >= wave.top { isDown = true }
      if count == 0 { isDown = false }
      count = isDown ? count - 1 : count + 1
      if count == 0 { overflowed = true }
    }
  }

  @Test("a timer advanced by many ticks at once has the same count and events as with single ticks")
  func alike() {
    var random = Seeded("timer waves")
    for round in 0..<Repetitions.count(400, long: 20_000) {
      var wave = TimerWave(top: UInt32.random(in: 1...255, using: &random), max: 255)
      wave.isDual = round % 3 == 0
      wave.overflowsAtTop = round % 3 == 1
      var count = TimerCount(
        wave: wave, count: UInt32.random(in: 0...(wave.isDual ? wave.top : 255), using: &random))
      var ticking = Ticking(wave: wave, count: count.count)
      for _ in 0..<6 {
        let value = UInt32.random(in: 0...255, using: &random)
        let ticks = UInt64.random(in: 0...700, using: &random)
        let overflows = count.ticksToOverflow.map { $0 <= ticks } ?? false
        let matches = count.ticks(toLeave: value).map { $0 <= ticks } ?? false
        (ticking.overflowed, ticking.left) = (false, [:])
        let times = count.matches(of: value, within: ticks)
        for _ in 0..<ticks { ticking.tick() }
        count.advance(ticks)
        #expect(count.count == ticking.count, "\(wave) after \(ticks)")
        #expect(overflows == ticking.overflowed, "\(wave) overflow in \(ticks)")
        #expect(matches == (ticking.left[value] != nil), "\(wave) \(value) in \(ticks)")
        #expect(times == ticking.left[value] ?? 0, "\(wave) \(value) in \(ticks)")
      }
    }
  }

  @Test("an asynchronous clock tick takes effect at the first CPU cycle at or after the tick")
  func crystal() {
    let base = TickBase(origin: 100, factor: 32768, divisor: 16_000_000)
    for tick in [1, 2, 327, 32768, 3_000_000_000] as [UInt64] {
      let cycle = base.cycle(of: tick)
      #expect(base.ticks(at: cycle) == tick)
      #expect(base.ticks(at: cycle - 1) == tick - 1)
    }
    #expect(base.cycle(of: 32768) == 16_000_100)
  }
}

/// Tests of the output compare pins, with programs that set up a timer and wait.
struct OutputCompareTests {
  /// The changes of a pin: the level and the cycle.
  private struct Edge: Equatable {
    let isHigh: Bool
    let cycle: UInt64
  }

  /// Runs statements in `main` for 50 ms, and returns the changes of a pin.
  private static func edges(
    of pin: String, _ statements: String, observed: Bool = true
  ) throws -> (edges: [Edge], board: Board) {
    let image = try Image.c(
      "outputs",
      """
      #include <avr/io.h>
      int main(void) { \(statements) for (;;) {} }
      """)
    let board = Board(image)
    let pins = board.machine.pins
    let index = try #require(pins.index(of: pin))
    if observed { pins.observe(index) }
    var edges: [Edge] = []
    var last = false
    pins.output = { changed, _, time in
      guard changed == index, pins.level(of: index) != last else { return }
      last.toggle()
      edges.append(Edge(isHigh: last, cycle: (time * 16 + 999) / 1000))
    }
    board.run(until: 0.2)
    return (edges, board)
  }

  /// The lengths in cycles of the high and the low parts, without the first ones.
  private static func lengths(_ edges: [Edge]) -> (high: Set<UInt64>, low: Set<UInt64>) {
    var (high, low): (Set<UInt64>, Set<UInt64>) = ([], [])
    for (one, next) in zip(edges.dropFirst(2), edges.dropFirst(3)) {
      if one.isHigh {
        high.insert(next.cycle - one.cycle)
      } else {
        low.insert(next.cycle - one.cycle)
      }
    }
    return (high, low)
  }

  @Test(
    "a PWM wave has the frequency and the duty cycle of the data sheet",
    arguments: [
      // Fast PWM: OCR + 1 of TOP + 1 ticks are high.
      ("PD6", "DDRD = 1 << 6; OCR0A = 64; TCCR0A = 0x83; TCCR0B = 3;", 65 * 64, 191 * 64),
      ("PD5", "DDRD = 1 << 5; OCR0B = 64; TCCR0A = 0x33; TCCR0B = 3;", 191 * 64, 65 * 64),
      // Phase-correct PWM: 2 OCR of 2 TOP ticks are high, as with Arduino's analogWrite at pins 9 and 3.
      ("PB1", "DDRB = 1 << 1; OCR1A = 64; TCCR1A = 0x81; TCCR1B = 3;", 128 * 64, 382 * 64),
      ("PD3", "DDRD = 1 << 3; OCR2B = 200; TCCR2A = 0x21; TCCR2B = 4;", 400 * 64, 110 * 64),
      // Fast PWM with ICR1 as the top: a servo's 1.5 ms of 20 ms.
      (
        "PB2", "DDRB = 4; ICR1 = 39999; OCR1B = 2999; TCCR1A = 0x22; TCCR1B = 0x1A;", 24_000,
        296_000
      ),
      // CTC with a toggle.
      ("PB3", "DDRB = 8; OCR2A = 99; TCCR2A = 0x42; TCCR2B = 2;", 800, 800),
    ])
  func wave(_ pin: String, _ statements: String, _ high: Int, _ low: Int) throws {
    let lengths = Self.lengths(try Self.edges(of: pin, statements).edges)
    #expect(lengths.high == [UInt64(high)] && lengths.low == [UInt64(low)], "\(lengths)")
  }

  @Test(
    "a constant output, an input and a pin that belongs to the port have no edges",
    arguments: [
      ("PD6", "DDRD = 1 << 6; OCR0A = 0; TCCR0A = 0x81; TCCR0B = 3;"),
      ("PD6", "OCR0A = 64; TCCR0A = 0x83; TCCR0B = 3;"),
      ("PD6", "DDRD = 1 << 6; OCR0A = 64; TCCR0A = 0x43; TCCR0B = 3;"),
      ("PD6", "DDRD = 1 << 6; OCR0A = 64; TCCR0A = 0x03; TCCR0B = 3;"),
    ])
  func constant(_ pin: String, _ statements: String) throws {
    #expect(try Self.edges(of: pin, statements).edges == [])
  }

  @Test("a compare value that is written within a period takes effect in the next one")
  func buffered() throws {
    let edges = try Self.edges(
      of: "PD6",
      """
      DDRD = 1 << 6; OCR0A = 20; TCCR0A = 0x83; TCCR0B = 3;
      for (unsigned i = 0; i < 400; i++) { OCR0A = i & 1 ? 20 : 200; for (volatile unsigned j = 0; j < 300; j++) {} }
      """
    ).edges
    let lengths = Self.lengths(edges)
    let expected: Set<UInt64> = [21 * 64, 201 * 64]
    #expect(lengths.high == expected, "\(lengths)")
  }

  @Test("the program reads the level of its PWM pin, observed or not", arguments: [true, false])
  func read(_ observed: Bool) throws {
    let board = try Self.edges(
      of: "PD6",
      """
      DDRD = 1 << 6; OCR0A = 63; TCCR0A = 0x83; TCCR0B = 3; unsigned high = 0;
      for (unsigned i = 0; i < 10000; i++) { if (PIND & 1 << 6) high++; for (volatile char j = 0; j < 7; j++) {} }
      UBRR0 = 0; UCSR0B = 1 << TXEN0; UDR0 = high / 100;
      """, observed: observed
    ).board
    let share = try #require(board.sent.first)
    #expect((24...26).contains(share), "\(share) %")
  }

  @Test("a forced compare changes the pin at once, without the flag")
  func forced() throws {
    let edges = try Self.edges(
      of: "PB1",
      """
      DDRB = 2; TCCR1A = 0x40; TCCR1C = 0x80; __builtin_avr_delay_cycles(1000); TCCR1C = 0x80;
      """
    ).edges
    #expect(edges.map(\.isHigh) == [true, false])
    #expect(
      edges.last.map { $0.cycle - edges[0].cycle }.map { 1000...1004 ~= $0 } == true, "\(edges)")
  }

  @Test("the input capture stores the count of the selected edge and requests its interrupt")
  func capture() throws {
    let image = try Image.c(
      "capture",
      """
      #include <avr/interrupt.h>
      #include <avr/io.h>
      static volatile unsigned last, period;
      ISR(TIMER1_CAPT_vect) { period = ICR1 - last; last = ICR1; }
      int main(void) {
        UBRR0 = 0; UCSR0B = 1 << TXEN0; TCCR1B = 1 << ICES1 | 2; TIMSK1 = 1 << ICIE1; sei();
        for (;;) { if (period) { UDR0 = period >> 8; while (!(UCSR0A & 1 << UDRE0)) {} UDR0 = period; period = 0; } }
      }
      """)
    let board = Board(image)
    let pin = try #require(board.machine.pins.index(of: "D8"))
    // A wave of 500 Hz whose high part is short: 2 ms are 4,000 ticks of 0.5 us.
    for number in 0..<5 {
      board.run(until: 0.1 + 0.002 * Double(number))
      board.machine.pins.set(pin, to: true)
      board.run(until: 0.1003 + 0.002 * Double(number))
      board.machine.pins.set(pin, to: false)
    }
    board.run(until: 0.2)
    let periods = stride(from: 2, to: board.sent.count - 1, by: 2).map {
      Int(board.sent[$0]) << 8 | Int(board.sent[$0 + 1])
    }
    #expect(periods.count == 4 && periods.allSatisfy { 3999...4001 ~= $0 }, "\(periods)")
  }

  @Test(
    "a timer counts the selected edges at its clock pin",
    arguments: [("D4", 0, 6), ("D4", 0, 7), ("D5", 1, 7)])
  func externalClock(_ pin: String, _ timer: Int, _ select: Int) throws {
    let image = try Image.c(
      "clock",
      """
      #include <avr/io.h>
      int main(void) {
        UBRR0 = 0; UCSR0B = 1 << TXEN0; TCCR\(timer)B = \(select); OCR\(timer)A = 9;
        while (!(TIFR\(timer) & 1 << OCF\(timer)A)) {}
        UDR0 = TCNT\(timer);
        for (;;) {}
      }
      """)
    let board = Board(image)
    let index = try #require(board.machine.pins.index(of: pin))
    board.run(until: 0.1)
    for number in 1...12 {
      board.machine.pins.set(index, to: true)
      board.run(until: 0.1 + 0.001 * Double(number))
      #expect(board.sent.isEmpty == (number < (select == 7 ? 10 : 11)), "\(number)")
      board.machine.pins.set(index, to: false)
      board.run(until: 0.1005 + 0.001 * Double(number))
    }
    #expect(board.sent == [10])
  }
}
