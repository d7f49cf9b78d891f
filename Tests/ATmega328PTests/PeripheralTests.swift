import ATmega328P
import Foundation
import Machines
import TestSupport
import Testing

/// The peripherals as a program uses them.
struct PeripheralTests {
  @Test("a program that uses all peripherals reads the values that the datasheet specifies")
  func all() throws {
    let board = Board(try Image.c("peripherals"))
    board.machine.analog.supply = { _ in 5 }
    board.machine.analog.input = { number, _ in number == 2 ? 1.25 : 0 }
    guard case .breakInstruction = board.run(until: 2) else {
      Issue.record("the program did not end: \(board.text)")
      return
    }
    #expect(
      board.lines == [
        "reset 01", "signature 1e950f, fuses ff df fd",
        // 51,200 cycles: by 256, and by 8 and 100.
        "timer0 overflows 200, timer2 matches 64",
        // 65,536 cycles: a top each 2000, the first at 1000.
        "timer1 up and down: tops 33, bottoms 32",
        // 3.4 ms are 850 times 64 cycles.
        "eeprom 5a, begun 1, took 85", "eeprom interrupts 1",
        "adc 256, first 25, next 13", "adc asleep 225, interrupts 1",
        "power-down: watchdog 1, timer1 stood 1",
        // 32 ms are 8000 times 64 cycles.
        "idle: watchdog 2, timer1 100", "pins 21, changes 1", "reset 08", "done",
      ])
    #expect(board.resets == [.watchdog])
    #expect(board.machine.resetCause == .watchdog)
    #expect(board.machine.unmodelledRegisters.accesses == [])
  }

  @Test("each EEPROM write is reported, and the EEPROM keeps its contents over a reset")
  func persistence() throws {
    let board = Board(
      try Image.c(
        "eeprom",
        """
        #include <avr/eeprom.h>
        int main(void) {
          if (eeprom_read_byte((uint8_t *)5) == 0xFF) eeprom_write_byte((uint8_t *)5, 0x42);
          eeprom_busy_wait();
          __asm__ volatile("break");
          for (;;) {}
        }
        """))
    var written: [Int] = []
    board.machine.memories[2].didChange = { offset, _ in written.append(offset) }
    _ = board.run(until: 1)
    board.machine.reset(.pin)
    _ = board.run(until: 2)
    #expect(written == [5])
    #expect(board.machine.memories[2].content[5] == 0x42)
  }

  @Test("bytes are received at the baud rate, and an overrun loses a byte and sets DOR0")
  func receiving() throws {
    let board = Board(
      try Image.c(
        "echo",
        """
        #include <avr/io.h>
        #include <util/delay.h>
        int main(void) {
          UBRR0 = 103, UCSR0B = 1 << RXEN0 | 1 << TXEN0;
          for (int i = 0; i < 3; i++) {
            while (!(UCSR0A & 1 << RXC0)) {}
            uint8_t byte = UDR0;
            while (!(UCSR0A & 1 << UDRE0)) {}
            UDR0 = byte;
          }
          _delay_ms(20);
          uint8_t status = UCSR0A;
          uint8_t first = UDR0, second = UDR0;
          while (!(UCSR0A & 1 << UDRE0)) {}
          UDR0 = status & 1 << DOR0 ? 'L' : 'K';
          while (!(UCSR0A & 1 << UDRE0)) {}
          UDR0 = first;
          while (!(UCSR0A & 1 << UDRE0)) {}
          UDR0 = second;
          for (;;) {}
        }
        """))
    _ = board.run(until: 0.1)
    #expect(board.machine.serialPorts[0].baudRate == 9615)
    board.machine.serialPorts[0].send(Array("abcdefgh".utf8))
    _ = board.run(until: 0.2)
    #expect(board.text == "abcLde")
    // A frame of ten bits takes 16,640 cycles: 1.04 ms; the echo begins when a byte has been received.
    let gap = try #require(board.times.count > 2 ? board.times[1] - board.times[0] : nil)
    #expect((1_039_000...1_042_000).contains(gap))
  }

  @Test("a program in the boot section erases and writes flash page by page")
  func selfProgramming() throws {
    let image = try Image.c(
      "boot",
      """
      #include <avr/boot.h>
      #include <avr/pgmspace.h>
      __attribute__((section(".boot"), noinline)) void burn(void) {
        boot_page_erase_safe(0x1000);
        for (uint8_t i = 0; i < 128; i += 2) boot_page_fill_safe(0x1000 + i, 0x1000 + i);
        boot_page_write_safe(0x1000);
        boot_spm_busy_wait();
        boot_rww_enable();
      }
      int main(void) {
        burn();
        if (pgm_read_word(0x1000 + 12) == 0x100C) __asm__ volatile("break");
        for (;;) {}
      }
      """, flags: ["-Wl,--section-start=.boot=0x7000"])
    let board = Board(image, fuses: .init(high: 0xD9))
    var changed: [Int] = []
    board.machine.memories[0].didChange = { offset, _ in changed.append(offset) }
    guard case .breakInstruction = board.run(until: 0.2) else {
      Issue.record("the page was not written")
      return
    }
    #expect(changed == [0x1000, 0x1000])
    #expect(board.machine.clock.nanoseconds > 75_000_000)
  }

  @Test("outside the boot section SPM has no effect")
  func noBoot() throws {
    let image = try Image.c(
      "plain",
      """
      #include <avr/boot.h>
      int main(void) {
        boot_page_erase(0x1000);
        __asm__ volatile("break");
        for (;;) {}
      }
      """)
    let board = Board(image)
    board.machine.memories[0].load([1, 2, 3], at: 0x1000)
    _ = board.run(until: 0.2)
    #expect(Array(board.machine.memories[0].content[0x1000..<0x1003]) == [1, 2, 3])
  }

  @Test(
    "INT0 ends power-down after the crystal's start-up time, and the time asleep is recorded"
  )
  func pinWakes() throws {
    let board = Board(
      try Image.c(
        "asleep",
        """
        #include <avr/interrupt.h>
        #include <avr/io.h>
        #include <avr/sleep.h>
        EMPTY_INTERRUPT(INT0_vect)
        int main(void) {
          EIMSK = 1;
          set_sleep_mode(SLEEP_MODE_PWR_DOWN);
          sei();
          sleep_mode();
          __asm__ volatile("break");
          for (;;) {}
        }
        """))
    board.machine.pins.set(18, to: true)
    #expect(board.run(until: 0.5) == .reached)
    #expect(board.machine.core.isAsleep)
    board.machine.pins.set(18, to: false)
    guard case .breakInstruction = board.run(until: 1) else {
      Issue.record("the core did not wake up")
      return
    }
    // 16,384 cycles are 1.024 ms.
    #expect((501_000_000...501_100_000).contains(board.machine.clock.nanoseconds))
    let slept = board.machine.energy.nanoseconds(of: 2, at: board.machine.clock.nanoseconds)
    #expect((434_000_000...435_100_000).contains(slept))
    #expect(board.machine.energy.states[2].microamperes == 0.1)
  }

  @Test(
    "sleep_bod_disable() switches the brown-out detector off for one sleep in power-down only",
    arguments: [
      ("sleep_bod_disable();", "PWR_DOWN", true), ("", "PWR_DOWN", false),
      ("sleep_bod_disable();", "IDLE", false),
      // BODS is cleared after three cycles.
      ("sleep_bod_disable(); __asm__ volatile(\"nop\\n nop\\n nop\\n nop\");", "PWR_DOWN", false),
    ])
  func brownOut(_ call: String, _ mode: String, _ isOff: Bool) throws {
    let board = Board(
      try Image.c(
        "brown-out",
        """
        #include <avr/interrupt.h>
        #include <avr/io.h>
        #include <avr/sleep.h>
        ISR(INT0_vect) {}
        int main(void) {
          EIMSK = 1;
          set_sleep_mode(SLEEP_MODE_\(mode));
          cli();
          sleep_enable();
          \(call)
          sei();
          sleep_cpu();
          for (;;) {}
        }
        """))
    board.machine.pins.set(18, to: true)
    #expect(board.run(until: 0.5) == .reached)
    #expect(board.machine.core.isAsleep)
    board.machine.pins.set(18, to: false)
    #expect(board.run(until: 0.7) == .reached)
    let name = "brown-out detector"
    let state = try #require(board.machine.energy.states.firstIndex { $0.name == name })
    let on = board.machine.energy.nanoseconds(of: state, at: board.machine.clock.nanoseconds)
    // Power-on is 66 ms before the program, which sleeps until 500 ms and is awake until 700 ms.
    let expected: ClosedRange<UInt64> =
      isOff ? 198_900_000...267_500_000 : 632_000_000...700_100_000
    #expect(expected.contains(on), "\(on)")
  }

  @Test("a program starts after the start-up time and delay that the fuses select")
  func startUp() throws {
    let image = try Image.c(
      "first", "int main(void) { __asm__ volatile(\"break\"); for (;;) {} }")
    // 16,384 cycles and 65 ms; the internal oscillator at once.
    for (low, from) in [(0xFF, 66_024_000), (0xC2, 1_000)] as [(UInt8, UInt64)] {
      let board = Board(image, fuses: .init(low: low))
      _ = board.run(until: 1)
      #expect((from..<from + 5_000).contains(board.machine.clock.nanoseconds))
    }
  }

  @Test(
    "erased flash stops a program; the first read and write of an unmodelled register are reported")
  func mistakes() throws {
    let empty = Board(Data())
    #expect(empty.run(until: 1) == .noInstruction(0xFFFF))
    let board = Board(
      try Image.c(
        "comparator",
        """
        #include <avr/io.h>
        int main(void) {
          ACSR = 0x80;
          ACSR |= 1;
          for (;;) {}
        }
        """))
    _ = board.run(until: 0.1)
    let reported = board.machine.unmodelledRegisters.accesses.map { ($0.address, $0.isWrite) }
    #expect(reported.map(\.0) == [0x800050, 0x800050])
    #expect(reported.map(\.1) == [true, false])
    #expect(board.machine.core.readByte(0x80_0050) == 0x81)
  }
}
