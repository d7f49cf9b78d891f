import Cores

/// An AVR core with a few words of code at 0, or where they are put.
struct AvrProgram {
  let core: AvrCore
  let io = PlainPeripherals()

  init(_ words: [UInt16], _ more: [Int: [UInt16]] = [:]) {
    core = AvrCore(AvrBench.model, peripherals: io)
    put(words, at: 0)
    for (address, others) in more { put(others, at: address) }
    core.reset()
  }

  /// Puts words where they stand, by the address of the first in words.
  func put(_ words: [UInt16], at address: Int) {
    for (index, word) in words.enumerated() {
      core.flash[(address + index) * 2] = UInt8(truncatingIfNeeded: word)
      core.flash[(address + index) * 2 + 1] = UInt8(word >> 8)
    }
    core.forget(address * 2, count: words.count * 2)
  }
}
