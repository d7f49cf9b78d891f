import Cores
import Machines

/// P0: 32 pins, and the sense of each that can wake the part.
final class GeneralPins: RegisterBlock, BusDevice {
  private unowned let die: Die
  let bank = PinBank((0..<32).map { "P0.\($0 < 10 ? "0" : "")\($0)" })
  /// Is told when a pin's level may have changed.
  var didChange: (Int) -> Void = { _ in }
  /// Is told when the first pin that is sensed has its level.
  var detects: () -> Void = {}
  private var outputs: UInt32 = 0
  private var directions: UInt32 = 0
  private var latches: UInt32 = 0
  private var isDetecting = false

  init(_ die: Die) {
    self.die = die
    super.init(at: 0x5000_0000, untouched: die.run.untouched, polls: die.run.polls)
    define(0x524, mask: 1)
    for pin: UInt32 in 0..<32 { define(0x700 + pin * 4, reset: 2, mask: 0x3070F) }
    die.memory.add(self, at: base, count: 0x1000)
    bank.didChange = { [unowned self] in
      didChange($0)
      sense()
    }
  }

  func reset() {
    (outputs, directions, latches, isDetecting) = (0, 0, 0, false)
    resetWords()
    for pin in 0..<32 { apply(pin) }
  }

  private var inputs: UInt32 {
    (0..<32).reduce(0) { word, pin in
      let isConnected = self[0x700 + UInt32(pin * 4)] & 2 == 0
      return isConnected && bank.level(of: pin) ? word | 1 << UInt32(pin) : word
    }
  }

  /// Drives a pin for a task, whatever OUT says.
  func drive(_ pin: Int, _ level: Bool) {
    outputs = level ? outputs | 1 << UInt32(pin) : outputs & ~(1 << UInt32(pin))
    directions |= 1 << UInt32(pin)
    apply(pin)
  }

  func isHigh(_ pin: Int) -> Bool { outputs >> UInt32(pin) & 1 != 0 }

  private func apply(_ pin: Int) {
    let config = self[0x700 + UInt32(pin * 4)]
    let level = outputs >> UInt32(pin) & 1 != 0
    let drive: PinBank.Drive
    if directions >> UInt32(pin) & 1 != 0 {
      // The drives that are disconnected for a level let go of it.
      let kind = config >> 8 & 7
      let letsGo = level ? kind >= 6 : kind == 4 || kind == 5
      drive = letsGo ? (config >> 2 & 3 == 3 ? .pulled(true) : .floating) : .driven(level)
    } else {
      drive =
        config >> 2 & 3 == 1 ? .pulled(false) : config >> 2 & 3 == 3 ? .pulled(true) : .floating
    }
    bank.set(pin, drive, at: die.nanoseconds(die.now))
  }

  private func applyAll(_ changed: UInt32) {
    var rest = changed
    while rest != 0 {
      apply(rest.trailingZeroBitCount)
      rest &= rest - 1
    }
    sense()
  }

  /// Looks whether a pin has the level that it is sensed for.
  private func sense() {
    var sensed: UInt32 = 0
    for pin in 0..<32 {
      let kind = self[0x700 + UInt32(pin * 4)] >> 16 & 3
      guard kind >= 2 else { continue }
      if bank.level(of: pin) == (kind == 2) { sensed |= 1 << UInt32(pin) }
    }
    latches |= sensed
    let detects = self[0x524] & 1 == 0 ? sensed != 0 : latches != 0
    if detects, !isDetecting { self.detects() }
    isDetecting = detects
  }

  override func load(_ offset: UInt32) -> UInt32? {
    switch offset {
    case 0x504, 0x508, 0x50C: outputs
    case 0x510: inputs
    case 0x514, 0x518, 0x51C: directions
    case 0x520: latches
    default: nil
    }
  }

  override func store(_ offset: UInt32, _ value: UInt32) -> Bool {
    let (levels, ways) = (outputs, directions)
    switch offset {
    case 0x504: outputs = value
    case 0x508: outputs |= value
    case 0x50C: outputs &= ~value
    case 0x510: break
    case 0x514: directions = value
    case 0x518: directions |= value
    case 0x51C: directions &= ~value
    case 0x520:
      latches &= ~value
      isDetecting = false
      sense()
      return true
    case 0x700..<0x780:
      let pin = Int(offset - 0x700) / 4
      self[offset] = value & 0x3070F
      directions = directions & ~(1 << UInt32(pin)) | (value & 1) << UInt32(pin)
      applyAll(1 << UInt32(pin))
      return true
    default: return false
    }
    applyAll((levels ^ outputs) | (ways ^ directions))
    for pin in 0..<32 where (ways ^ directions) >> UInt32(pin) & 1 != 0 {
      let place = 0x700 + UInt32(pin * 4)
      self[place] = self[place] & ~1 | directions >> UInt32(pin) & 1
    }
    return true
  }
}
