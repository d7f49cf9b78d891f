import Machines

/// The ports A to E and H with their pins.
final class GPIOPorts {
  /// The letters of the ports, and their index in addresses and in SYSCFG.EXTICRx.
  static let letters: [(letter: String, index: UInt32)] = [
    ("A", 0), ("B", 1), ("C", 2), ("D", 3), ("E", 4), ("H", 7),
  ]
  let bank = PinBank(letters.flatMap { port in (0..<16).map { "P\(port.letter)\($0)" } })
  private(set) var ports: [GPIO] = []
  /// The connection of the timers to the pins.
  let timers: TIMPins

  init(_ chip: Chip) {
    timers = TIMPins(bank)
    // ST's Nucleo boards have a button with a pull-up resistor at PC13 (UM1724, section 6.6).
    bank.set(32 + 13, to: true)
    ports = Self.letters.enumerated().map {
      GPIO(at: 0x4002_0000 + $0.element.index * 0x400, first: $0.offset * 16, bank, timers, chip)
    }
    timers.ports = self
  }

  /// Returns the alternate function that a pin is set to; `nil` if it is in another mode.
  func alternateFunction(of pin: Int) -> UInt32? { ports[pin / 16].alternateFunction(pin % 16) }

  /// Applies the registers of a pin's port to the pin.
  func drive(_ pin: Int, at time: UInt64) { ports[pin / 16].drive(pin % 16, at: time) }
}

/// A port of 16 pins.
final class GPIO: Peripheral {
  static let MODER: UInt32 = 0x00
  static let OTYPER: UInt32 = 0x04
  static let OSPEEDR: UInt32 = 0x08
  static let PUPDR: UInt32 = 0x0C
  static let IDR: UInt32 = 0x10
  static let ODR: UInt32 = 0x14
  static let BSRR: UInt32 = 0x18
  static let LCKR: UInt32 = 0x1C
  static let AFRL: UInt32 = 0x20
  static let AFRH: UInt32 = 0x24

  private let first: Int
  private let bank: PinBank
  private let timers: TIMPins

  init(at base: UInt32, first: Int, _ bank: PinBank, _ timers: TIMPins, _ chip: Chip) {
    self.first = first
    self.bank = bank
    self.timers = timers
    super.init(at: base, chip)
    let isA = base == 0x4002_0000
    let isB = base == 0x4002_0400
    define(GPIO.MODER, reset: isA ? 0xA800_0000 : isB ? 0x280 : 0)
    define(GPIO.OTYPER, mask: 0xFFFF)
    define(GPIO.OSPEEDR, reset: isA ? 0x0C00_0000 : isB ? 0xC0 : 0)
    define(GPIO.PUPDR, reset: isA ? 0x6400_0000 : isB ? 0x100 : 0)
    define(GPIO.IDR, mask: 0)
    define(GPIO.ODR, mask: 0xFFFF)
    define(GPIO.BSRR, mask: 0)
    define(GPIO.LCKR, mask: 0x1_FFFF)
    define(GPIO.AFRL)
    define(GPIO.AFRH)
  }

  override func reset() {
    super.reset()
    drive()
  }

  override func load(_ offset: UInt32) -> UInt32 {
    guard offset == GPIO.IDR else { return self[offset] }
    // MODER has a bit pair 10 for each pin with an alternate function.
    if self[GPIO.MODER] & ~(self[GPIO.MODER] << 1) & 0xAAAA_AAAA != 0 { timers.sync() }
    return (0..<16).reduce(0) { bank.level(of: first + $1) ? $0 | 1 << UInt32($1) : $0 }
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case GPIO.BSRR: self[GPIO.ODR] = self[GPIO.ODR] & ~(value >> 16) | value & 0xFFFF
    case GPIO.MODER, GPIO.OTYPER, GPIO.PUPDR, GPIO.ODR, GPIO.AFRL, GPIO.AFRH: break
    default: return
    }
    drive()
  }

  /// Applies the port's registers to its pins.
  private func drive() {
    let time = chip.nanoseconds(chip.now)
    for pin in 0..<16 { drive(pin, at: time) }
  }

  /// Applies the port's registers to a pin; of the alternate functions, only timers drive a pin.
  func drive(_ pin: Int, at time: UInt64) {
    let mode = self[GPIO.MODER] >> UInt32(pin * 2) & 3
    let pull = self[GPIO.PUPDR] >> UInt32(pin * 2) & 3
    let isOpenDrain = self[GPIO.OTYPER] >> UInt32(pin) & 1 != 0
    let output: Bool? =
      switch mode {
      case 1: self[GPIO.ODR] >> UInt32(pin) & 1 != 0
      case 2: timers.level(of: first + pin, alternateFunction(pin) ?? 0)
      default: nil
      }
    var drive: PinBank.Drive = pull == 1 ? .pulled(true) : pull == 2 ? .pulled(false) : .floating
    if let output, !isOpenDrain || !output { drive = .driven(output) }
    bank.set(first + pin, mode == 3 ? .floating : drive, at: time)
  }

  /// Returns the alternate function that a pin is set to; `nil` if it is in another mode.
  func alternateFunction(_ pin: Int) -> UInt32? {
    guard self[GPIO.MODER] >> UInt32(pin * 2) & 3 == 2 else { return nil }
    return self[pin < 8 ? GPIO.AFRL : GPIO.AFRH] >> UInt32(pin % 8 * 4) & 15
  }
}

/// A signal of a timer at a pin.
enum TIMSignal: Hashable {
  /// CHx, from 0.
  case channel(Int)
  /// CHxN, from 0.
  case complementary(Int)
  /// ETR.
  case trigger
}

/// Connects the signals of the timers to the pins whose alternate function selects them.
final class TIMPins {
  /// The pins of each signal, and the number of their alternate function (DS10314, table 9;
  /// for TIM8 and TIM12 to TIM14 of the STM32F405 DS8626, table 9).
  private static let table: [(timer: UInt32, function: UInt32, signals: [(TIMSignal, [String])])] =
    [
      (
        1, 1,
        [
          (.channel(0), ["PA8", "PE9"]), (.channel(1), ["PA9", "PE11"]),
          (.channel(2), ["PA10", "PE13"]), (.channel(3), ["PA11", "PE14"]),
          (.complementary(0), ["PA7", "PB13", "PE8"]),
          (.complementary(1), ["PB0", "PB14", "PE10"]),
          (.complementary(2), ["PB1", "PB15", "PE12"]), (.trigger, ["PA12", "PE7"]),
        ]
      ),
      (
        2, 1,
        [
          (.channel(0), ["PA0", "PA5", "PA15"]), (.channel(1), ["PA1", "PB3"]),
          (.channel(2), ["PA2", "PB10"]), (.channel(3), ["PA3"]),
          (.trigger, ["PA0", "PA5", "PA15"]),
        ]
      ),
      (
        3, 2,
        [
          (.channel(0), ["PA6", "PB4", "PC6"]), (.channel(1), ["PA7", "PB5", "PC7"]),
          (.channel(2), ["PB0", "PC8"]), (.channel(3), ["PB1", "PC9"]), (.trigger, ["PD2"]),
        ]
      ),
      (
        4, 2,
        [
          (.channel(0), ["PB6", "PD12"]), (.channel(1), ["PB7", "PD13"]),
          (.channel(2), ["PB8", "PD14"]), (.channel(3), ["PB9", "PD15"]), (.trigger, ["PE0"]),
        ]
      ),
      (
        5, 2,
        [
          (.channel(0), ["PA0"]), (.channel(1), ["PA1"]), (.channel(2), ["PA2"]),
          (.channel(3), ["PA3"]),
        ]
      ),
      (
        8, 3,
        [
          (.channel(0), ["PC6"]), (.channel(1), ["PC7"]), (.channel(2), ["PC8"]),
          (.channel(3), ["PC9"]), (.complementary(0), ["PA5", "PA7"]),
          (.complementary(1), ["PB0", "PB14"]), (.complementary(2), ["PB1", "PB15"]),
          (.trigger, ["PA0"]),
        ]
      ),
      (9, 3, [(.channel(0), ["PA2", "PE5"]), (.channel(1), ["PA3", "PE6"])]),
      (10, 3, [(.channel(0), ["PB8"])]),
      (11, 3, [(.channel(0), ["PB9"])]),
      (12, 9, [(.channel(0), ["PB14"]), (.channel(1), ["PB15"])]),
      (13, 9, [(.channel(0), ["PA6"])]),
      (14, 9, [(.channel(0), ["PA7"])]),
    ]

  /// A signal that a pin carries if its alternate function is `function`.
  private struct Connection {
    let pin: Int
    let function: UInt32
    let timer: UInt32
    let signal: TIMSignal
  }

  weak var ports: GPIOPorts?
  private let bank: PinBank
  private var timers: [UInt32: TIM] = [:]
  /// The numbers of the timers, in a fixed order.
  private var order: [UInt32] = []
  private var byTimer: [UInt32: [Connection]] = [:]
  private var byPin: [Int: [Connection]] = [:]

  init(_ bank: PinBank) {
    self.bank = bank
    for (timer, function, signals) in Self.table {
      for (signal, names) in signals {
        for pin in names.compactMap(bank.index) {
          let connection = Connection(pin: pin, function: function, timer: timer, signal: signal)
          byTimer[timer, default: []].append(connection)
          byPin[pin, default: []].append(connection)
        }
      }
    }
  }

  func add(_ timer: TIM) {
    timers[timer.instance.number] = timer
    order.append(timer.instance.number)
  }

  /// Releases the timers to break their reference cycles.
  func dismantle() { timers = [:] }

  private func isSelected(_ connection: Connection) -> Bool {
    ports?.alternateFunction(of: connection.pin) == connection.function
  }

  /// The level that a timer drives at a pin with an alternate function; `nil` if it drives none.
  func level(of pin: Int, _ function: UInt32) -> Bool? {
    for connection in byPin[pin] ?? [] where connection.function == function {
      if let level = timers[connection.timer]?.level(of: connection.signal) { return level }
    }
    return nil
  }

  /// Applies the outputs of a timer to its pins at a time in nanoseconds.
  func outputsDidChange(of timer: TIM, at time: UInt64) {
    for connection in byTimer[timer.instance.number] ?? [] where isSelected(connection) {
      ports?.drive(connection.pin, at: time)
    }
  }

  /// Returns whether the exact times of the edges of a channel's outputs matter.
  func isObserved(_ timer: TIM, _ channel: Int) -> Bool {
    (byTimer[timer.instance.number] ?? []).contains { connection in
      guard connection.signal == .channel(channel) || connection.signal == .complementary(channel),
        bank.isObserved(connection.pin), isSelected(connection)
      else { return false }
      return timer.level(of: connection.signal) != nil
    }
  }

  /// Returns the level of an input of a timer; an unconnected input is low.
  func inputLevel(_ timer: TIM, _ signal: TIMSignal) -> Bool {
    let connection = (byTimer[timer.instance.number] ?? []).first {
      $0.signal == signal && isSelected($0)
    }
    return connection.map { bank.level(of: $0.pin) } ?? false
  }

  /// Passes the edge of a pin to the timers that it is connected to.
  func pinDidChange(_ pin: Int, isHigh: Bool) {
    for connection in byPin[pin] ?? [] where isSelected(connection) {
      guard let timer = timers[connection.timer], timer.level(of: connection.signal) == nil else {
        continue
      }
      timer.inputDidChange(connection.signal, isHigh: isHigh)
    }
  }

  /// Brings the output pins of all timers up to date before the program reads them.
  func sync() { for number in order { timers[number]?.syncOutputs() } }
}
