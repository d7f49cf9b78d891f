import Cores

/// I/O registers implemented as memory.
final class PlainPeripherals: AvrPeripherals {
  var registers = [UInt8](repeating: 0, count: 0x10000)
  var watchdogResets = 0
  var sleeps = true
  var stored: [(UInt16, UInt16)] = []
  var taken: [Int] = []

  func read(_ address: UInt16) -> UInt8 { registers[Int(address)] }
  func write(_ address: UInt16, _ value: UInt8) { registers[Int(address)] = value }
  func change(_ address: UInt16, bit: UInt8, to isSet: Bool) {
    let old = registers[Int(address)]
    registers[Int(address)] = isSet ? old | 1 << bit : old & ~(1 << bit)
  }
  func acknowledge(_ vector: Int) { taken.append(vector) }
  func sleep() -> Bool { sleeps }
  func resetWatchdog() { watchdogResets += 1 }
  func storeProgram(_ address: UInt16, _ word: UInt16) { stored.append((address, word)) }
  func loadProgram(_ address: UInt16, _ stored: UInt8) -> UInt8 { ~stored }
}

/// The core under test, with the same memory as the reference.
final class AvrBench {
  static let model = AvrCore.Model(
    flashWords: 0x4000, ramStart: 0x100, ramCount: 0x800, vectorWords: 2)
  let io = PlainPeripherals()
  let core: AvrCore

  init() {
    core = AvrCore(Self.model, peripherals: io)
    for index in 0..<core.flash.count { core.flash[index] = Self.pattern(index) }
    for address in 0x20...Int(AvrCase.ramEnd) { put(address, Self.pattern(address)) }
  }

  private static func pattern(_ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: index * 0x9D + index >> 8)
  }

  private func isOwn(_ address: Int) -> Bool { (0x5D...0x5F).contains(address) }

  private func put(_ address: Int, _ value: UInt8) {
    if isOwn(address) { return }
    core[data: UInt16(address)] = value
  }

  /// Writes a word of code.
  func put(code word: UInt16, at address: Int) {
    let offset = address * 2 % core.flash.count
    core.flash[offset] = UInt8(truncatingIfNeeded: word)
    core.flash[offset + 1] = UInt8(word >> 8)
    core.invalidate(offset, count: 2)
  }

  /// Returns the state after the instruction in the reference's format.
  func run(_ each: AvrCase) -> AvrCase {
    var result = each
    for number in 0..<32 { core[register: number] = each.bytes[number] }
    core.reset(to: each.pc)
    core.status = each.bytes[32]
    core.stack = each.stack
    for (index, word) in each.code.enumerated() { put(code: word, at: Int(each.pc) + index) }
    let begin = core.cycles
    let stop = core.step()
    for number in 0..<32 { result.bytes[number] = core[register: number] }
    result.bytes[32] = core.status
    result.bytes[33] = stop == .reached ? 0 : 1
    (result.stack, result.pc) = (core.stack, core.pc)
    result.digest = digest()
    result.cycles = UInt32(core.cycles - begin)
    for index in 0..<6 {
      let offset = (Int(each.pc) * 2 + index) % core.flash.count
      core.flash[offset] = Self.pattern(offset)
      core.invalidate(offset, count: 1)
    }
    return result
  }

  private func digest() -> UInt32 {
    var sum: UInt32 = 0
    for address in 0x20...Int(AvrCase.ramEnd) where !isOwn(address) {
      let (value, usual) = (core[data: UInt16(address)], Self.pattern(address))
      guard value != usual else { continue }
      sum = (sum ^ UInt32(value) ^ UInt32(address) << 8) &* 0x0100_0193 &+ UInt32(address)
      put(address, usual)
    }
    return sum
  }
}

/// An AVR core with a few words of code.
struct AvrProgram {
  let core: AvrCore
  let io = PlainPeripherals()

  init(_ words: [UInt16], _ more: [Int: [UInt16]] = [:]) {
    core = AvrCore(AvrBench.model, peripherals: io)
    put(words, at: 0)
    for (address, others) in more { put(others, at: address) }
    core.reset()
  }

  /// Writes words at a word address.
  func put(_ words: [UInt16], at address: Int) {
    for (index, word) in words.enumerated() {
      core.flash[(address + index) * 2] = UInt8(truncatingIfNeeded: word)
      core.flash[(address + index) * 2 + 1] = UInt8(word >> 8)
    }
    core.invalidate(address * 2, count: words.count * 2)
  }
}
