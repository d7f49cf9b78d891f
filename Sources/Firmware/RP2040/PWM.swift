import Machines

/// PWM: eight slices with two outputs each, up and up-and-down, and the count of edges at an input B.
///
/// The counters are calculated on each access. The edges of an output are events only if something observes the pin.
package final class PWM: Peripheral {
  /// CSR, DIV, CTR, CC and TOP of each slice, 20 bytes apart.
  package static let CSR: UInt32 = 0x00
  package static let DIV: UInt32 = 0x04
  package static let CTR: UInt32 = 0x08
  package static let CC: UInt32 = 0x0C
  package static let TOP: UInt32 = 0x10
  package static let EN: UInt32 = 0xA0
  package static let INTR: UInt32 = 0xA4
  package static let INTE: UInt32 = 0xA8
  static let INTF: UInt32 = 0xAC
  static let INTS: UInt32 = 0xB0
  private static let slices = 8, size: UInt32 = 20

  private enum Control {
    static let EN: UInt32 = 1, PH_CORRECT: UInt32 = 2, A_INV: UInt32 = 4, B_INV: UInt32 = 8
  }
  private let pins: IO_BANK0
  /// For each slice, the position in its period at `start`, in counts.
  private var origin = [UInt64](repeating: 0, count: slices)
  private var start = [UInt64](repeating: 0, count: slices)
  private var raised: UInt32 = 0
  private lazy var events = (0..<Self.slices).map { slice in
    MachineEvent(chip.run) { [unowned self] in didReach(slice) }
  }

  init(_ pins: IO_BANK0, _ chip: Chip) {
    self.pins = pins
    super.init(at: 0x4005_0000, resetBit: RESETS.Bit.PWM, chip)
    for slice in 0..<UInt32(Self.slices) {
      let base = slice * Self.size
      define(base + PWM.CSR, mask: 0x3F)
      define(base + PWM.DIV, reset: 0x10, mask: 0xFFF)
      define(base + PWM.CTR, mask: 0xFFFF)
      define(base + PWM.CC)
      define(base + PWM.TOP, reset: 0xFFFF, mask: 0xFFFF)
    }
    define(PWM.EN, mask: 0xFF)
    for offset in [PWM.INTR, PWM.INTE, PWM.INTF, PWM.INTS] { define(offset, mask: 0xFF) }
    pins.waveLevel = { [unowned self] in level(of: $0) }
    pins.syncWaves = { [unowned self] in syncOutputs() }
    pins.edgeDidReachWave = { [unowned self] in edge($0, isHigh: $1) }
  }

  override func reset() {
    super.reset()
    for slice in 0..<Self.slices { (origin[slice], start[slice]) = (0, time) }
    raised = 0
    for event in events { event.clear() }
    refresh()
  }

  override func clocksWillChange() { for slice in 0..<Self.slices { hold(slice) } }
  override func clocksDidChange() { for slice in 0..<Self.slices { schedule(slice) } }

  private func register(_ offset: UInt32, _ slice: Int) -> UInt32 {
    self[UInt32(slice) * Self.size + offset]
  }
  private func isOn(_ slice: Int) -> Bool { register(PWM.CSR, slice) & Control.EN != 0 }
  /// DIVMODE: 0 counts by the clock, 1 while B is high, 2 and 3 its rising and falling edges.
  private func mode(_ slice: Int) -> UInt32 { register(PWM.CSR, slice) >> 4 & 3 }
  private func top(_ slice: Int) -> UInt64 { UInt64(register(PWM.TOP, slice)) }

  /// The counts in a period.
  private func period(_ slice: Int) -> UInt64 {
    let isSymmetric = register(PWM.CSR, slice) & Control.PH_CORRECT != 0
    return isSymmetric ? max(top(slice) * 2, 1) : top(slice) + 1
  }

  /// The length of a count in units of 1/16 of clk_sys; 0 means 256.
  private func divider(_ slice: Int) -> UInt64 {
    let word = UInt64(register(PWM.DIV, slice))
    return word < 16 ? 4096 + word : word
  }

  /// The counts since `start`.
  private func passed(_ slice: Int) -> UInt64 {
    guard isOn(slice), mode(slice) == 0 else { return 0 }
    let product = (time - start[slice]).multipliedFullWidth(by: chip.systemClock * 16)
    return (1_000_000_000 * divider(slice)).dividingFullWidth(product).quotient
  }

  /// Makes the last count the start.
  private func hold(_ slice: Int) {
    let counts = passed(slice)
    guard counts > 0 else {
      if !isOn(slice) || mode(slice) != 0 { start[slice] = time }
      return
    }
    start[slice] = moment(slice, counts)
    origin[slice] = (origin[slice] + counts) % period(slice)
  }

  /// The time in nanoseconds at which a number of counts have passed since `start`.
  private func moment(_ slice: Int, _ counts: UInt64) -> UInt64 {
    let scale = chip.systemClock * 16
    let product = counts.multipliedFullWidth(by: 1_000_000_000 * divider(slice))
    let (length, rest) = scale.dividingFullWidth(product)
    return start[slice] + length + (rest > 0 ? 1 : 0)
  }

  private func position(_ slice: Int) -> UInt64 {
    (origin[slice] + passed(slice)) % period(slice)
  }

  private func counter(_ slice: Int) -> UInt64 {
    let (position, top) = (position(slice), top(slice))
    return position <= top ? position : 2 * top - position
  }

  private func isHigh(_ slice: Int, isB: Bool) -> Bool {
    let control = register(PWM.CSR, slice)
    let level = UInt64(register(PWM.CC, slice) >> (isB ? 16 : 0) & 0xFFFF)
    return (counter(slice) < level) != (control & (isB ? Control.B_INV : Control.A_INV) != 0)
  }

  /// Returns the level of the output at a pin; with an input at B, that output is low.
  private func level(of pin: Int) -> Bool {
    let slice = pin / 2 % Self.slices
    return pin % 2 == 1 && mode(slice) != 0 ? false : isHigh(slice, isB: pin % 2 == 1)
  }

  private func pins(of slice: Int) -> [Int] {
    [slice * 2, slice * 2 + 1, slice * 2 + 16, slice * 2 + 17].filter {
      $0 < IO_BANK0.pins && pins.function(of: $0) == IO_BANK0.Function.PWM
    }
  }

  private func syncOutputs() {
    for slice in 0..<Self.slices where isOn(slice) {
      for pin in pins(of: slice) { pins.apply(pin) }
    }
  }

  /// Schedules the next count at which an observed output or the interrupt changes.
  private func schedule(_ slice: Int) {
    guard isOn(slice), mode(slice) == 0 else { return events[slice].clear() }
    let (now, period, top) = (position(slice), period(slice), top(slice))
    var targets: [UInt64] = []
    if self[PWM.INTE] >> UInt32(slice) & 1 != 0 { targets.append(0) }
    for pin in pins(of: slice) where pins.bank.isObserved(pin) {
      let level = UInt64(register(PWM.CC, slice) >> (pin % 2 == 1 ? 16 : 0) & 0xFFFF)
      targets += [0, level]
      if period > top + 1, level <= top { targets.append(2 * top - level + 1) }
    }
    let left = targets.filter { $0 < period }.map { target in
      target > now ? target - now : period - now + target
    }.min()
    guard let left else { return events[slice].clear() }
    events[slice].set(at: moment(slice, passed(slice) + left))
  }

  private func didReach(_ slice: Int) {
    hold(slice)
    if origin[slice] == 0 { raised |= 1 << UInt32(slice) }
    for pin in pins(of: slice) { pins.apply(pin) }
    schedule(slice)
    refresh()
  }

  private func edge(_ pin: Int, isHigh: Bool) {
    let slice = pin / 2 % Self.slices
    guard pin % 2 == 1, isOn(slice), mode(slice) == (isHigh ? 2 : 3) else { return }
    origin[slice] = (origin[slice] + 1) % period(slice)
    if origin[slice] == 0 { raised |= 1 << UInt32(slice) }
    refresh()
  }

  package override func load(_ offset: UInt32) -> UInt32? {
    switch offset {
    case 0..<PWM.EN where offset % Self.size == PWM.CTR:
      return UInt32(counter(Int(offset / Self.size)))
    case PWM.EN:
      return (0..<Self.slices).reduce(0) { isOn($1) ? $0 | 1 << UInt32($1) : $0 }
    case PWM.INTR: return wrapped
    case PWM.INTS: return wrapped & self[PWM.INTE] | self[PWM.INTF]
    default: return nil
    }
  }

  /// INTR; a slice without events has wrapped if a period has passed.
  private var wrapped: UInt32 {
    for slice in 0..<Self.slices where origin[slice] + passed(slice) >= period(slice) {
      raised |= 1 << UInt32(slice)
      hold(slice)
    }
    return raised
  }

  package override func store(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case 0..<PWM.EN: storeSlice(Int(offset / Self.size), offset, value)
    case PWM.EN:
      for slice in 0..<Self.slices {
        let control = register(PWM.CSR, slice) & ~1 | value >> UInt32(slice) & 1
        storeSlice(slice, UInt32(slice) * Self.size, control)
      }
    case PWM.INTR: raised = wrapped & ~value
    case PWM.INTE, PWM.INTF:
      self[offset] = value & 0xFF
      for slice in 0..<Self.slices { schedule(slice) }
    default: return false
    }
    refresh()
    return true
  }

  private func storeSlice(_ slice: Int, _ offset: UInt32, _ value: UInt32) {
    hold(slice)
    switch offset % Self.size {
    case PWM.CSR:
      if value >> 4 & 3 == 1 { note(offset, "counting while B is high (DIVMODE)") }
      // PH_RET and PH_ADV move the counter by one and clear themselves.
      if value >> 7 & 1 != 0 { origin[slice] = (origin[slice] + 1) % period(slice) }
      self[offset] = value & 0x3F
      start[slice] = time
    case PWM.DIV: self[offset] = value & 0xFFF
    case PWM.CTR: (origin[slice], start[slice]) = (UInt64(value & 0xFFFF) % period(slice), time)
    case PWM.CC: self[offset] = value
    default:
      self[offset] = value & 0xFFFF
      origin[slice] %= period(slice)
    }
    for pin in pins(of: slice) { pins.apply(pin) }
    schedule(slice)
  }

  private func refresh() {
    chip.setLine(4, raised & self[PWM.INTE] | self[PWM.INTF] != 0)
  }
}
